"""Packages installed beside Holdfast add to it by entry points, and the core loads nothing that is not asked for."""

import os
import re
import subprocess
import sys

import pytest

from commands import fresh_holdfast
from holdfast.errors import InputError
from holdfast.running import plugins
from holdfast.running.plugins import load_plugin, plugins_of
from holdfast.scenario.registry import Model
from paths import ROOT

PROJECT = """
[project.entry-points."holdfast.importers"]
pairs = "extras:PAIRS"
broken = "extras:MISSING"

[project.entry-points."holdfast.exporters"]
names = "extras:names_of"
number = "extras:NUMBER"

[project.entry-points."holdfast.commands"]
hello = "extras:hello"
absent = "no_such_module:main"
"""

EXTRAS = '''
"""What a package may add besides a model."""

import typer

from holdfast.models.network.importers import Importer, Sketch

NUMBER = 7


def _read(file):
    sketch = Sketch("pairs", file.budget)
    for line in file.text.splitlines()[1:]:
        first, second = line.split(" to ")
        sketch.add_host(first)
        sketch.add_host(second)
        sketch.add_link(first, second)
    return sketch.draft()


PAIRS = Importer("pairs", "pairs of hosts", lambda file: file.text.startswith("pairs:"), _read)


def names_of(shield):
    """The names of the variables, a line each."""
    return "\\n".join(variable.name for variable in shield.variables) + "\\n"


def hello(name: str = typer.Argument("you")) -> None:
    """Greet somebody."""
    print(f"hello {name}")
'''


def page_file(name):
    """A file that the page on models of one's own has the reader write."""
    page = (ROOT / "docs" / "own-model.md").read_text("utf-8")
    return re.search(rf"<!-- file: {re.escape(name)} -->\n+```\w+\n(.*?)^```$", page, re.M | re.S)[1]


def install(source, site):
    """Install a package into a folder, from no network."""
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(site)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of a process that sees a package with the lift and with extras, and no other line."""
    source, site = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("site")
    project = page_file("pyproject.toml").replace('["lift.py"]', '["lift.py", "extras.py"]')
    (source / "pyproject.toml").write_text(project + PROJECT)
    (source / "lift.py").write_text(page_file("lift.py"))
    (source / "extras.py").write_text(EXTRAS)
    install(source, site)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}


def test_a_package_that_is_installed_adds_a_model(installed, tmp_path):
    """Should be checked by the command as any scenario is, and be unknown where the package is not."""
    file = tmp_path / "lift.yaml"
    file.write_text(page_file("lift.py").partition('STUB = """\\\n')[2].partition('"""')[0])
    done = fresh_holdfast("check", file, "--no-response", env=installed)
    assert (done.returncode, done.stderr) == (0, "") and "  DEFENSIBLE  " in done.stdout
    assert fresh_holdfast("check", file, "--variant", "patient", env=installed).returncode == 1
    assert '"lift"' in fresh_holdfast("schema", env=installed).stdout
    without = fresh_holdfast("check", file)
    assert without.returncode == 2 and 'unknown key "lift"' in without.stderr


def test_a_package_adds_importers_exporters_and_commands(installed, tmp_path):
    """Should be used like those that are shipped: recognised, offered and listed."""
    file, scenario, shield = tmp_path / "links.txt", tmp_path / "segment.yaml", tmp_path / "names.txt"
    file.write_text("pairs:\nGW to Web\nWeb to DB\n")
    told = fresh_holdfast("import", file, "-o", scenario, "--no-check", env=installed).stdout
    assert "3 hosts, 2 links (from links.txt, pairs)" in told
    office = ROOT / "scenarios" / "paper.yaml"
    done = fresh_holdfast("export-shield", office, "-f", "names", "-o", shield, env=installed)
    assert done.returncode == 0 and shield.read_text().splitlines()[0] == "GW"
    assert fresh_holdfast("hello", "there", env=installed).stdout == "hello there\n"
    listed = fresh_holdfast("--help", env=installed).stdout
    assert re.search(r"  init .*\n  absent +Does not work: .*\n  hello +Greet somebody\.\n", listed)


def test_a_plugin_that_does_not_work_is_told_to_those_who_ask_for_it(installed, tmp_path):
    """Should say what, of which package, and what to do; everything else works."""
    file = tmp_path / "links.txt"
    file.write_text("pairs:\nGW to Web\n")
    broken = fresh_holdfast("import", file, "-o", tmp_path / "a.yaml", "--format", "broken", env=installed)
    assert broken.returncode == 2
    assert '"broken", one of the importers that the package holdfast-lift brings' in broken.stderr
    absent = fresh_holdfast("absent", env=installed)
    assert absent.returncode == 2 and "No module named 'no_such_module'" in absent.stderr
    assert "Traceback" not in absent.stderr
    office = ROOT / "scenarios" / "paper.yaml"
    wrong = fresh_holdfast("export-shield", office, "-f", "number", env=installed)
    assert (
        wrong.returncode == 2 and '"number" of the group holdfast.exporters is no function: 7' in wrong.stderr
    )


def test_two_packages_that_claim_one_name_are_told_when_it_is_asked_for(installed, tmp_path):
    """Should name both packages, and leave the other models alone."""
    site = tmp_path / "site"
    info = site / "other-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[holdfast.models]\nlift = other:MODEL\n")
    both = installed | {"PYTHONPATH": os.pathsep.join([str(site), installed["PYTHONPATH"]])}
    file = tmp_path / "lift.yaml"
    file.write_text("holdfast: 1\nlift: {floors: 3}\nspecs: {}\n")
    done = fresh_holdfast("check", file, env=both)
    assert done.returncode == 2
    assert re.search(
        r'"lift" among the models is claimed by (holdfast-lift and other|other and holdfast-lift)',
        done.stderr,
    )
    assert (
        fresh_holdfast("check", ROOT / "scenarios" / "paper.yaml", "--no-response", env=both).returncode == 0
    )


def test_a_plugin_of_the_wrong_kind_is_refused():
    """Should name what it is and what was expected."""
    with pytest.raises(
        InputError, match=r'"edges", one of the importers .* is Importer\(.*; expected str at'
    ):
        load_plugin("importers", "edges", str)
    with pytest.raises(InputError, match=r'no "edgs" among the importers: .*did you mean "edges"'):
        load_plugin("importers", "edgs")


def test_plugins_have_an_order_that_no_installer_changes():
    """Should put those named first first, and the others by name."""
    assert [*plugins_of("exporters")] == ["c", "json", "python"]
    assert [*plugins_of("exporters", ("json", "none"))] == ["json", "c", "python"]


def test_a_copy_that_is_not_installed_is_told():
    """Should say what to do instead of knowing no command."""
    with pytest.raises(InputError, match=r"entry points of Holdfast's own birds are missing.*pip install"):
        plugins_of("birds")


OUTER = (
    "holdfast.models.grid", "holdfast.models.cell", "holdfast.models.plant", "holdfast.models.network.importers",
    "holdfast.env", "holdfast.apps.play", "holdfast.apps.reproduce", "holdfast.apps.studio",
)  # fmt: skip

CORE = """
import sys
import holdfast
from holdfast import (
    arena, certificates, design, explanation, game, logic, models, operation, readings, report, running, scenario, solver
)
outer = {outer!r}
def loaded(): return sorted(name for name in sys.modules if name.startswith(outer))
assert loaded() == [], loaded()
import holdfast as hf
hf.analyse(hf.load({file!r}), exact=True)
assert loaded() == [], loaded()
sys.argv = ["holdfast", "check", {file!r}]
from holdfast.apps.cli import main
try:
    main()
except SystemExit as leaving:
    assert leaving.code == 0
assert loaded() == [], loaded()
"""


def test_the_core_loads_nothing_that_is_not_asked_for():
    """Should leave other models, importers, environments, play, studio and the paper alone when checking a network."""
    script = CORE.format(outer=OUTER, file=str(ROOT / "scenarios" / "paper.yaml"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_plugin_that_goes_by_another_name_is_refused(monkeypatch):
    """Should name the entry point, and the key that its object has and must have."""
    game = plugins_of("models")["game"][0]
    wrong = type(game)(name="lift", value=game.value, group=game.group)
    monkeypatch.setattr(
        sys.modules["holdfast.running.plugins"], "plugins_of", lambda group: {"lift": (wrong,)}
    )
    told = r'entry point "lift" of the group holdfast\.models names one with the key "game"; expected "lift"'
    with pytest.raises(InputError, match=told):
        load_plugin("models", "lift", Model)


def test_who_interrupts_the_loading_interrupts(monkeypatch):
    """Should end as Ctrl-C does where Python has wrapped it, as it does while a class is being made."""

    class Interrupted:
        name, value, dist = "network", "holdfast.models.network:MODEL", None

        def load(self):
            raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(plugins, "_claims", lambda group: {"network": (Interrupted(),)})
    with pytest.raises(KeyboardInterrupt):
        load_plugin("models", "network")
