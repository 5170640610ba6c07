"""Random command lines: every command, any of its options, values that fit and that do not, files of every kind.

The options are read off the commands themselves, so that a new one is tried as soon as it exists. Left out are
those that have no end (``--watch``, the studio's server) or need another machine.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Literal, get_args, get_origin

import typer

from fuzzing import drafts
from fuzzing.complaints import MisbehaviourError
from fuzzing.damage import damaged_yaml
from fuzzing.processes import ended_apart, scratch
from holdfast.apps.cli import app
from holdfast.running.processes import patience_with
from paths import ROOT

ENDLESS = {"--watch", "--cluster", "--help", "--list"}
USUAL, PATIENCE = 20.0, 150.0
"""Seconds that a command may take where it is given no other limit, and after which it is killed."""

FAULT = re.compile(r"internal error: \w+: [^'/]*|Traceback \(most recent call last\)")
"""What a fault of Holdfast's own looks like, without the names of files."""

JUNK = [
    "",
    " ",
    "nobody",
    "-1",
    "1e999",
    "nan",
    "0",
    "é\u202e",
    "a" * 300,
    "--",
    "../x",
    "%s{0}",
    "\n",
    "base",
]
FILES = [
    "good.yaml",
    "lost.yaml",
    "other.yaml",
    "damaged.yaml",
    "empty.yaml",
    "bytes.yaml",
    "folder",
    "nowhere.yaml",
]
FILES += [
    "nowhere/x.yaml",
    "good.yaml/x",
    "loop",
    "/dev/null",
    "/dev/full",
    "good.cert",
    "net.csv",
    "play.txt",
    "log",
]
OUTPUTS = ["out.html", "out.json", "out", "folder", "nowhere/out", "good.yaml", "/dev/full", "/dev/null"]
OUTPUTS += ["out.cert", "loop", "loop/out"]

NETWORK = """holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, Web -> DB], entry: GW}
specs: {defender: ["G (DB != Z)", "G (active >= LEAST)"], adversary: ["G (times(destroy) <= 1)"]}
learning: {episodes: 3, steps: 4, seeds: 2, window: 2}
variants: {cut: {remove_links: [Web -> DB]}, hard: {change_hosts: [{Web: {cannot: [spread]}}]}}
"""


@cache
def commands():
    """The commands with their options, as they are read from a command line."""
    group = typer.main.get_command(app)
    context = group.make_context("holdfast", ["check"], resilient_parsing=True)
    return {name: group.resolve_command(context, [name])[1] for name in group.commands}


# -- making one ---------------------------------------------------------------------------------------


def make(rng) -> dict:
    """A command line in units that belong together, and the files that it may find."""
    name = rng.choice(
        [
            n
            for n in commands()
            for _ in range(1 if n in ("schema", "init", "studio", "mcp", "reproduce") else 4)
        ]
    )
    command = commands()[name]
    left_out = ENDLESS | {"studio": {"--port"}, "mcp": {"--memory"}}.get(name, set())
    options = [p for p in command.params if p.param_type_name == "option" and not left_out & {*p.opts}]
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    units = [[name]]
    for parameter in arguments:
        most = 1 if parameter.nargs == 1 else rng.choice((1, 1, 1, 2, 3))
        units += [[_file(rng, parameter.name)] for _ in range(most if rng.random() < 0.97 else 0)]
    chosen = rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 2, 3, 4, 6))))
    chosen += [p for p in options if p.required and p not in chosen and rng.random() < 0.95]
    for parameter in chosen:
        flag = rng.choice(parameter.opts)
        units.append([flag] if parameter.is_flag else [flag, _value(rng, parameter)])
    units += _bounded(name, options, units, rng)
    if rng.random() < 0.03:
        units.insert(rng.randint(1, len(units)), [rng.choice(["--nothing", "-Z", "extra", "--json=1", "-"])])
    rest = units[1:]
    rng.shuffle(rest)
    return {
        "units": [units[0], *rest],
        "files": _files(rng),
        "stdin": rng.choice(["", "\n\n?\nq\n", "1\n2\nx\nundo\n"]),
    }


def _bounded(name, options, units, rng):
    """What keeps a command short."""
    given, known = {unit[0] for unit in units}, {flag for p in options for flag in p.opts}
    extra = []
    if "--timeout" in known - given:
        most = 1.0 if name == "reproduce" else USUAL
        extra.append(["--timeout", rng.choice(["0", "0.05", "1", *[f"{most:g}"] * 4])])
    if "--jobs" in known - given and rng.random() < 0.9:
        extra.append(["--jobs", "1"])
    if name == "reproduce" and "--quick" not in given:
        extra.append(["--quick"])
    if name == "studio":  # it serves for ever if it is asked rightly
        extra.append(["--port", "-1"])
    if name == "mcp":
        extra.append(["--memory", "-1"])
    if "--json" in known - given and rng.random() < 0.5:
        extra.append(["--json"])
    return extra


def _file(rng, role):
    usual = {"certificate": "good.cert"}.get(role, "good.yaml")
    return usual if rng.random() < 0.6 else rng.choice(FILES)


def _value(rng, parameter):
    """A value of an option: one that fits, or almost, or not at all."""
    kind, name = parameter.type_descriptor.annotation, parameter.name
    if rng.random() < 0.05:
        return rng.choice(JUNK)
    if get_origin(kind) is Literal:
        return rng.choice(get_args(kind))
    if kind is int:
        return str(rng.choice((0, 1, 1, 1, 2, 2, 3, 7, rng.choice((-1, 10**12)))))
    if kind is float:
        small = name in ("timeout", "memory")
        return str(
            rng.choice((0, 0.001, 0.05, 1, 5) if small else (0, 0.3, 0.5, 0.9, 1, rng.choice((2, -1))))
        )
    if kind is Path:
        return rng.choice(["good.yaml", *FILES] if name in ("scenario", "replay", "resume") else OUTPUTS)
    words = {
        "variant": ["cut", "hard", "base"], "against": ["good.yaml", "lost.yaml", "main:good.yaml", "nowhere"],
        "base": ["cut", "base"], "kind": ["cut", "harden", "named"], "reading": ["win", "slt", "ddr_exact"],
        "over": [
            "times(destroy)=0..2", "active=1..3", "tempo=1..2", "entries=1..2", "effort=0..2", "grace=0..1", "x=1..0",
            "times(destroy)=0..1000000000", "active=-5..5", "times(destroy)=5", "times(destroy)", "tempo=0..0", "=..",
        ],
        "entry": ["GW", "Web"], "critical": ["DB"], "form": ["edges"], "model": ["network", "cell", "plant", "grid", "game"],
        "like": ["plant", "paper"], "format": ["edges", "gml", "pandapower"],
    }  # fmt: skip
    return rng.choice(words.get(name, JUNK))


def _files(rng) -> dict:
    """Texts by the names that the command line uses."""
    return {
        "good.yaml": NETWORK.replace("LEAST", "1"),
        "lost.yaml": NETWORK.replace("LEAST", "3"),
        "other.yaml": drafts.random_text(rng),
        "damaged.yaml": damaged_yaml(NETWORK.replace("LEAST", "1"), rng),
        "log": rng.choice(["", "{}\n", "not a log\n", '{"key": 1}\n{"key', "\0\0"]),
    }


# -- judging it ---------------------------------------------------------------------------------------


def judge(case) -> list[str]:
    """A documented exit code, no traceback, one object for ``--json``, and within its limits."""
    args = [word for unit in case["units"] for word in unit]
    with scratch() as folder:
        _laid_out(folder, case)
        read = [folder / unit[0] for unit in case["units"][1:] if len(unit) == 1 and unit[0] in case["files"]]
        before = [file.read_bytes() for file in read]
        ended = ended_apart(args, folder, PATIENCE, case.get("stdin", ""))
        kept = args[0] == "init" or [file.read_bytes() for file in read] == before
    assert kept, f"a file that was read was written: {args}"
    note = f"{args} ended with {ended.code}: {ended.out[-300:]} {ended.err[-600:]}"
    fault = FAULT.search(ended.err + ended.out)
    if fault is not None or ended.code not in (0, 1, 2, 3):
        raise MisbehaviourError(note, f"{ended.code} {fault[0] if fault else args[0]}")
    assert not ended.late, f"still running after {PATIENCE:g} s: {args}"
    assert ended.code == 0 or ended.err.strip() or ended.out.strip(), f"silence: {note}"
    command = commands().get(args[0]) if args else None
    known = {flag for p in command.params for flag in p.opts} if command is not None else set()
    if ["--json"] in case["units"] and "--json" in known and ["--"] not in case["units"]:
        told = json.loads(ended.out)
        assert isinstance(told, dict), note
    limit = _limit(case["units"])
    if limit is not None:
        allowed = 2 * patience_with(limit) + 3
        assert ended.processor_seconds < allowed, f"{ended.processor_seconds:.1f} s of processor time: {args}"
    return [f"{args[0] if args else 'nothing'} {ended.code}"]


def _limit(units):
    for unit in units:
        if unit[0] == "--timeout" and len(unit) == 2:
            try:
                return max(0.0, min(float(unit[1]), PATIENCE))
            except ValueError:
                return None
    return None


@cache
def _certificate() -> bytes:
    import holdfast as hf

    scenario = hf.scenario_from_text(NETWORK.replace("LEAST", "1"))
    return hf.certify(hf.solve(hf.configuration(scenario), "explicit"))


def _laid_out(folder, case):
    """The files of a case, and others that are always there."""
    for name, text in case["files"].items():
        (folder / name).write_text(text, "utf-8", errors="surrogatepass")
    (folder / "empty.yaml").write_text("")
    (folder / "bytes.yaml").write_bytes(bytes(range(256)))
    (folder / "folder").mkdir()
    (folder / "folder" / "one.yaml").write_text(NETWORK.replace("LEAST", "1"))
    (folder / "loop").symlink_to("loop")
    (folder / "good.cert").write_bytes(_certificate())
    (folder / "net.csv").write_bytes((ROOT / "tests" / "imports" / "links.csv").read_bytes())
    (folder / "play.txt").write_bytes((ROOT / "tests" / "plays" / "reference.txt").read_bytes())
