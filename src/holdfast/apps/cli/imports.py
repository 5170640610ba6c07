"""``import``: a network or a grid from a file of another program, as a scenario, with a first check."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from holdfast.apps.cli.app import emit, one_printable_line, working
from holdfast.apps.cli.options import AsJson, Limits
from holdfast.apps.cli.reports import refuse_place
from holdfast.errors import InputError, LimitError
from holdfast.game import counted
from holdfast.running import plugins_of

if TYPE_CHECKING:
    from holdfast.apps.services.importing import UpdateAnswer
    from holdfast.budget import Budget
    from holdfast.models import ImportedNetwork

SECONDS = 20.0
"""What a first check may take where no limit is given."""

MOST_NAMED = 5
"""Files that are named as those that were read."""

FORMATS = f"{', '.join(plugins_of('importers'))}, or pandapower for a grid"


def import_(
    *,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Files of other programs, or folders of them; several are merged by host name and address.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write the scenario; segment.yaml if left out."
        ),
    ] = None,
    update: Annotated[
        Path | None,
        typer.Option(
            "--update",
            metavar="FILE",
            help="Update this scenario instead, keeping its clauses, names and order.",
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="With --update: remove whatever the source no longer has.")
    ] = False,
    guard: Annotated[
        Path | None,
        typer.Option(
            "--guard",
            metavar="GUARD",
            help="With --update: check the result against a file written by fragile --write; exit 1 if "
            "it fails.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Format of the file: {FORMATS}; recognised by default."),
    ] = None,
    entry: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A host the attacker holds at the start; repeatable."),
    ] = None,
    critical: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="A host that must not be lost; repeatable.")
    ] = None,
    collapse: Annotated[
        Literal["zone", "group"] | None,
        typer.Option(help="Merge each zone, or each group of identical hosts, into one host."),
    ] = None,
    both_ways: Annotated[
        bool, typer.Option("--both-ways", help="Let compromise spread along every link in both directions.")
    ] = False,
    network: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which network to import, if the file has several.")
    ] = None,
    epss: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="EPSS scores as published by FIRST (CSV), to set how likely attacks succeed where a "
            "scan found CVEs.",
        ),
    ] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Skip the first check.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
    limits: Limits,
) -> None:
    """Turn existing files (scans, manifests, drawings) into a scenario, and check it.

    The scenario says what was left out and what was assumed, and contains first requirements for you to
    adapt. Exits 0 once it is written, whatever the first check says; with --guard, the exit code is that of
    the guard.
    """
    from holdfast.apps.services.importing import update as updated
    from holdfast.models import import_network, import_object, is_net
    from holdfast.running import write_whole

    if update is None and (prune or guard is not None):
        raise InputError("--prune and --guard need --update FILE")
    into = output or update or Path("segment.yaml")
    if into.exists() and not force and into != update:
        raise InputError(f"{into} exists already; choose another name with -o or pass --force")
    refuse_place(into)
    if format == "pandapower" or (format is None and len(files) == 1 and is_net(files[0])):
        if len(files) > 1:
            raise InputError("a grid is imported from one file; name one")
        _import_grid(files[0], into, no_check, as_json, limits)
        return
    with working(limits, task="importing") as budget:
        imported = import_network(
            files,
            format,
            entry=entry or (),
            critical=critical or (),
            collapse=collapse,
            both_ways=both_ways,
            network=network,
            epss=epss,
            budget=budget,
        )
        if update is not None:
            answer = updated(imported, update, into, prune=prune, guard=guard, budget=budget)
            text = answer.updated.text
        else:
            write_whole(into, imported.text)
            text = imported.text
        verdict = {} if no_check else _first_check(text, into, budget)
    if update is not None:
        told = {**answer.to_object(), "format": imported.format, "written": str(into), **verdict}
        emit(json.dumps(told) if as_json else _update_told(answer, files, into, verdict))
        raise typer.Exit(answer.exit_code)
    if as_json:
        emit(json.dumps({**import_object(imported), "written": str(into), **verdict}))
        return
    emit("\n".join(map(one_printable_line, _told(imported, files, into, verdict))))


def _update_told(answer: UpdateAnswer, files: list[Path], output: Path, verdict: dict[str, Any]) -> str:
    """What has changed in a file that was brought up to date."""
    found = answer.updated
    counts = f"{len(found.added)} added, {len(found.gone)} {'removed' if found.removed else 'gone'}"
    lines = [f"updated {output}: {counts} (from {_named(files)}, {answer.imported.format})", *answer.lines()]
    lines += [f"contradiction: {sentence}" for sentence in answer.imported.network.contradictions]
    lines += [f"first check: {_verdict(verdict)}"] if verdict else []
    return "\n".join(map(one_printable_line, lines))


def _import_grid(file: Path, output: Path, no_check: bool, as_json: bool, limits: Limits) -> None:
    """A net of pandapower: a grid that is written out."""
    from holdfast.models import grid_from_file
    from holdfast.running import write_whole

    with working(limits, task="importing") as budget:
        grid = grid_from_file(file)
        write_whole(output, grid.text)
        verdict = {} if no_check else _first_check(grid.text, output, budget)
    if as_json:
        fields: dict[str, Any] = {"format": "pandapower", "branches": grid.n_branches, "written": str(output)}
        emit(json.dumps(fields | {"dropped": list(grid.dropped), "assumed": list(grid.assumed)} | verdict))
        return
    lines = [f"wrote {output}: {grid.n_branches:,} branches (from {file.name}, pandapower)"]
    lines += [f"  left out: {sentence}" for sentence in grid.dropped]
    lines += [f"  chosen:   {sentence}" for sentence in grid.assumed]
    lines += [f"first check: {_verdict(verdict)}"] if verdict else []
    line = shlex.join(["holdfast", "check", str(output)])
    emit("\n".join(map(one_printable_line, [*lines, f"now edit its specs and run: {line}"])))


def _first_check(text: str, output: Path, budget: Budget) -> dict[str, Any]:
    """The verdict on the scenario as it stands, or why there is none."""
    from holdfast.apps.services.zones import first_by_zone
    from holdfast.game import gathered
    from holdfast.scenario import configuration, scenario_from_text
    from holdfast.solver import rank, solve

    within, by_zones = budget.share(0.8, SECONDS), None
    try:
        scenario = scenario_from_text(text, str(output), within)
        by_zones = first_by_zone(scenario, within)
        if by_zones is not None and by_zones.is_final(scenario):
            return by_zones.first_verdict
        chosen = gathered(configuration(scenario, None, within), budget=within)
        solution = solve(chosen, budget=within)
    except LimitError as error:
        if by_zones is None:
            return {"defensible": None, "undecided": str(error)}
        known = by_zones if within.over in by_zones.found.open else by_zones.and_whole_stopped(error)
        return {"defensible": None, "undecided": known.so_far}
    forced = rank(solution, solution.configuration.initial)
    return {"defensible": solution.defensible, "rank": forced}


def _named(files: list[Path]) -> str:
    """The files that were read, not too many of them."""
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    return ", ".join(file.name or str(file) for file in files[:MOST_NAMED]) + more


def _told(found: ImportedNetwork, files: list[Path], output: Path, verdict: dict[str, Any]) -> list[str]:
    """What was done, what was left out and chosen, and what a first check says."""
    draft = found.network
    counts = [(len(draft.hosts), "host"), (len(draft.links), "link"), (len(draft.zones), "zone")]
    sizes = ", ".join(f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counts if n)
    lines = [f"wrote {output}: {sizes} (from {_named(files)}, {found.format})"]
    for label, hosts in (("entry", draft.entry), ("exposed", draft.exposed), ("critical", draft.critical)):
        if hosts:
            more = ", …" if len(hosts) > 8 else ""
            lines.append(f"  {label + ':':10}{', '.join(hosts[:8])}{more}")
    lines += [f"  left out: {sentence}" for sentence in draft.dropped]
    lines += [f"  chosen:   {sentence}" for sentence in draft.assumed]
    lines += [f"  unknown:  {sentence}" for sentence in draft.unknown]
    lines += [f"contradiction: {sentence}" for sentence in draft.contradictions]
    if found.renamed:
        shown = ", ".join(f"{name} for {source}" for name, source in list(found.renamed.items())[:3])
        more = f" and {len(found.renamed) - 3:,} more, listed in the file" if len(found.renamed) > 3 else ""
        lines.append(f"  renamed:  {shown}{more}")
    lines += [f"warning: {sentence}" for sentence in found.warnings]
    if verdict:
        lines.append(f"first check: {_verdict(verdict)}")
    lost = verdict.get("defensible") is False
    line = shlex.join(["holdfast", "explain" if lost else "check", str(output)])
    lines.append(f"now edit its specs and run: {line}")
    return lines


def _verdict(verdict: dict[str, Any]) -> str:
    if verdict["defensible"] is None:
        return f"undecided, {verdict['undecided']}"
    if verdict["defensible"]:
        by = verdict.get("zones")
        return f"DEFENSIBLE, proved by {counted(by, 'zone')}" if by else "DEFENSIBLE"
    if "lost" in verdict:
        return f"NOT DEFENSIBLE, {verdict['lost']} is lost by itself"
    if not verdict["rank"]:
        return "NOT DEFENSIBLE, the start already violates a requirement"
    moves = counted(verdict["rank"], "move")
    return f"NOT DEFENSIBLE, the attacker can break a requirement within {moves}"
