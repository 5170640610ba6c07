"""The rules of the house that no linter knows: one name for one thing, and modules called by what they are."""

import ast
import builtins
import re
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import holdfast
from house import begins, definitions
from paths import ROOT

SOURCE = Path(holdfast.__file__).parent
MODULES = [path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]

STANDALONE = {"Position"}
"""Defined again in arena/export/lookup.py, which is the text of a file that needs no Holdfast."""


@cache
def trees():
    """What every module says."""
    return {path: ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


PARTICIPLES = re.compile(r"(ed|drawn|written|shown|known)$")
NOUNS = {"shared", "seed"}


def test_no_two_classes_have_one_name():
    """Should mean one thing by one word."""
    names = Counter(
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, n in names.items() if n > 1} <= STANDALONE


def test_no_two_types_have_one_name():
    """Should mean one thing by one word, be it a class, an alias or a variable for types."""
    meanings = defaultdict(set)
    for tree in trees().values():
        for name, meaning in definitions(tree):
            if name[0].isupper() and not name.isupper():
                meanings[name].add(meaning)
    assert {name for name, said in meanings.items() if len(said) > 1} <= STANDALONE


def test_no_two_packages_offer_one_name():
    """Should tell what is imported by its name alone, whichever package it comes from."""
    offers = Counter(
        name
        for stub in SOURCE.glob("*/__init__.pyi")
        for name in set(re.findall(r"\b(\w+) as \1\b", stub.read_text("utf-8")))
    )
    assert {name for name, n in offers.items() if n > 1} == set()


def test_a_constant_that_others_import_is_one_in_its_package():
    """Should not have to look where it comes from; a constant that a module keeps to itself may have any name."""
    values, imported = defaultdict(set), set()
    for path, tree in trees().items():
        for name, value in definitions(tree):
            if name.isupper():
                values[room(path), name].add(value)
        imported |= {
            (room(path), name) for module, names in imports(path) if module[0] == "holdfast" for name in names
        }
    shared = {key: meanings for key, meanings in values.items() if key in imported}
    assert {key for key, meanings in shared.items() if len(meanings) > 1} == set()


def room(path):
    """The package of a module; each model and each program is a package of its own."""
    first, *rest = path.relative_to(SOURCE).parts
    return (first, rest[0]) if first in ("apps", "models") and len(rest) > 1 else (first,)


def test_docstrings_stand_alone():
    """Should say what a thing does, and not that it does what another one does."""
    assert sum(begins(tree, "The same") for tree in trees().values()) == 0


TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


def test_tests_stand_where_one_looks_for_them():
    """Should be tests/PACKAGE/test_MODULE.py, the module an inner one or a package; laws are about all of them."""
    lost = []
    for path in TESTS:
        package, name = path.parent.name, path.stem.removeprefix("test_")
        there = (SOURCE / package).rglob("*")
        names = {package, *(p.stem for p in there if p.suffix == ".py" or (p / "__init__.py").exists())}
        if package != "laws" and not any(name == word or name.startswith(f"{word}_") for word in names):
            lost.append(str(path.relative_to(ROOT)))
    assert lost == []


def test_every_package_has_its_test():
    """Should be found by the package's name."""
    tested = {(path.parent.name, path.stem.removeprefix("test_").split("_")[0]) for path in TESTS}
    folders = {folder for folder, _ in tested}
    for inner in SOURCE.rglob("__init__.py"):
        package, *rest = inner.parent.relative_to(SOURCE).parts or [None]
        assert package is None or package in folders, package
        assert not rest or (package, rest[-1]) in tested or rest[-1] in WITH_OTHERS, rest


WITH_OTHERS = {"drawing", "renderers", "services"}
"""Tested by what they serve: figures and the studio; pages, Markdown, the terminal, notebooks; the commands."""


def test_tests_take_nothing_from_tests():
    """Should share by tests/support, so that a file of tests can be read and moved alone."""
    taken = [
        (path.name, module)
        for path in (ROOT / "tests").rglob("*.py")
        for module in re.findall(r"^\s*(?:from|import) (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert taken == []
    assert [name for name, n in Counter(path.name for path in TESTS).items() if n > 1] == []


def test_modules_are_called_by_nouns():
    """Should not call a module by what has been done to its contents."""
    assert [p.stem for p in MODULES if PARTICIPLES.search(p.stem) and p.stem not in NOUNS] == []


def test_every_module_has_its_place_in_the_layers():
    """Should stand in the import contract from the day it is born."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    placed = {name for layer in contract["layers"] for name in re.findall(r"\w+", layer)}
    there = {
        path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert there - placed == {"__init__", "__main__"}


PACKAGES = {path.parent.name for path in SOURCE.glob("*/__init__.pyi")}


def imports(path):
    """The modules that a file imports names of, with the names."""
    for node in ast.walk(trees()[path]):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split("."), [alias.name for alias in node.names]


def test_nobody_reaches_into_another_package():
    """Should use of another package what its stub offers; the checker's contract has to see its modules."""
    reaching = {
        (str(path.relative_to(SOURCE)), ".".join(module))
        for path in SOURCE.rglob("*.py")
        for module, _ in imports(path)
        if module[0] == "holdfast" and len(module) > 2 and module[1] in PACKAGES
        if module[1] != path.relative_to(SOURCE).parts[0] and path.parent.name != "verify"
    }
    assert reaching == set()


def test_packages_offer_what_is_used():
    """Should keep a stub to the names that another package, a page or the public interface asks for."""
    asked = {name: set() for name in PACKAGES}
    pages = (ROOT / "docs" / "pages" / "api_pages.py").read_text("utf-8")
    public = ast.parse((SOURCE / "__init__.pyi").read_text("utf-8"))
    for node in public.body:
        if isinstance(node, ast.ImportFrom) and node.module in PACKAGES:
            asked[node.module] |= {alias.name for alias in node.names}
    for path in SOURCE.rglob("*.py"):
        for module, names in imports(path):
            if len(module) == 2 and module[1] in PACKAGES and path.relative_to(SOURCE).parts[0] != module[1]:
                asked[module[1]] |= set(names)
    documents = (SOURCE / "apps" / "outputs.py").read_text("utf-8")
    asked["report"] |= set(re.findall(r'"(\w+_document)"', documents))
    for package in sorted(PACKAGES):
        stub = (SOURCE / package / "__init__.pyi").read_text("utf-8")
        offered = set(re.findall(r"\b(\w+) as \1\b", stub))
        documented = set(re.findall(rf"\b{package}\.(\w+)", pages)) | DOCUMENTED.get(package, set())
        assert offered - asked[package] - documented == set(), package


DOCUMENTED = {"models": {"patched"}, "scenario": {"FileSection"}}
"""What the page on models of one's own uses besides."""


def test_packages_offer_no_constant_twice():
    """Should mean one value by the name of a constant that several packages know."""
    offers = Counter(
        name
        for package in PACKAGES
        for name in re.findall(r"\b([A-Z_]+) as \1\b", (SOURCE / package / "__init__.pyi").read_text("utf-8"))
    )
    assert {name for name, n in offers.items() if n > 1} == set()


def test_builtins_do_not_stand_in_for_doing_nothing():
    """Should say what happens where nobody gives a function: `len` as a default means nothing to a reader."""
    found = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = [*node.args.defaults, *node.args.kw_defaults]
                names = [value.id for value in given if isinstance(value, ast.Name)]
                found += [(path.name, node.name, name) for name in names if hasattr(builtins, name)]
    assert found == []


def test_modules_stay_small():
    """Should need a reason past 500 lines."""
    large = {path.name for path in MODULES if len(path.read_text("utf-8").splitlines()) > 500}
    assert large <= {"expressions.py", "parser.py", "play_kernels.py", "structure.py"}


def test_ignores_of_the_type_checker_are_few():
    """Should stay in single figures."""
    assert sum(path.read_text("utf-8").count("type: ignore") for path in SOURCE.rglob("*.py")) < 10


def test_nothing_is_written_about_the_machine_it_was_made_on():
    """Should hold no path of somebody's machine."""
    found = re.compile(r"/(home|root|work|tmp)/")
    assert [path.name for path in SOURCE.rglob("*.*") if path.suffix in (".py", ".toml", ".yaml", ".html")
            and found.search(path.read_text("utf-8"))] == []  # fmt: skip


UNCHECKED = {"witness", "entry", "entries", "data", "pairs"}
"""In the checker: what comes as JSON out of a file. Nothing else may have any type there."""


def test_the_checker_computes_with_types():
    """Should know what every value of the one module that must be trusted is, once it has been read."""
    loose = []
    checker = [tree for path, tree in trees().items() if path.parent == SOURCE / "certificates" / "verify"]
    assert checker
    for tree in checker:
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.annotation is not None:
                loose += [node.arg] * ("Any" in ast.unparse(node.annotation) and node.arg not in UNCHECKED)
            elif isinstance(node, ast.AnnAssign) and "Any" in ast.unparse(node.annotation):
                loose.append(ast.unparse(node.target))
    assert loose == []


def test_names_of_actions_are_taken_apart_in_one_place():
    """Should ask an action for its type and target, or the language for those of a name."""
    found = [p.stem for p in SOURCE.rglob("*.py") if '.partition("(")' in p.read_text("utf-8")]
    assert found == ["vocabulary"]


def test_docstrings_stand_by_themselves():
    """Should be understood by someone who has not read the one above."""
    leaning = re.compile(r'"""(The same|Itself|Likewise)\b')
    assert [path.stem for path in SOURCE.rglob("*.py") if leaning.search(path.read_text("utf-8"))] == []


def test_contents_are_hashed_in_one_place():
    """Should have one helper for the SHA-256 of a text or of bytes."""
    found = [p.stem for p in SOURCE.rglob("*.py") if ".hexdigest()" in p.read_text("utf-8")]
    assert sorted(found) == ["archive", "files"], "the archive hashes many files into one"
