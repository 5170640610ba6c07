"""A playbook as a document: the rules first, then how they are used, an example, and what is proved."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from holdfast.explanation import ExampleMove, Playbook
from holdfast.game import count, counted
from holdfast.logic import Player
from holdfast.report import blocks
from holdfast.report.blocks import (
    Aside,
    Banner,
    Block,
    CellValue,
    Column,
    CommandLine,
    Points,
    Prose,
    Section,
    Span,
    Table,
    words,
)
from holdfast.report.documents.fingerprint import certificate
from holdfast.solver import start_in_words

NOTHING = "do nothing"

PROMISE = {
    "listed": "Every one of these positions was looked at. At each the playbook idles if that is safe, and "
    "otherwise takes a safe action that leaves as many actions safe as any other.",
    "diagrams": "There are too many to be listed: they were followed as sets. At each the playbook idles if "
    "that is safe, and otherwise takes a safe action; how much freedom it leaves was not weighed.",
}


def playbook_document(found: Playbook, source: str = "") -> blocks.Document:
    """The answer of ``playbook``."""
    here = found.configuration
    sections = tuple(_held(found, source)) if found.defensible else tuple(_lost(found, source))
    return blocks.Document(
        title=here.title,
        source=source,
        lead=here.description,
        sections=sections,
        closing=(f"made in {found.seconds:.1f} s",),
    )


def _lost(found: Playbook, source: str) -> Iterator[Section]:
    said = "There is no playbook: whatever the defender does, the adversary can force a violation."
    yield Section(
        "Verdict", (certificate(False, found.rank), Prose(said), _command("explain", found, source))
    )


def _held(found: Playbook, source: str) -> Iterator[Section]:
    yield Section("The playbook", tuple(_rules(found)))
    if found.example:
        yield Section("An attack, and what the playbook does", tuple(_example(found)), contents="An attack")
    yield Section("What is proved", tuple(_proved(found, source)), detail=True)


def _rules(found: Playbook) -> Iterator[Block]:
    n = len(found.instructions)
    tone: blocks.Tone = "good" if found.short else "open"
    word = counted(n, "RULE").upper() if n else "DO NOTHING"
    last = action_in_words(found, found.default)
    said = "whoever follows this playbook keeps the requirement, whatever an admissible adversary does"
    if not n:
        said = f"{last} is enough: an admissible adversary cannot violate the requirement"
    elif not found.short:
        said += f"; this did not get short: {counted(found.n_conditions, 'condition')} in all"
    yield Banner(tone, word, said)
    lines = [
        (Span(f"If {rule.condition}: "), Span(action_in_words(found, rule.action), "strong"))
        for rule in found.instructions
    ]
    otherwise = "Otherwise: " if n else "Always: "
    lines.append((Span(otherwise), Span(last, "strong")))
    yield Points(tuple(lines), in_order=n > 0)
    yield Prose("After each move of the adversary, read from the top: the first rule that applies decides.")
    legend = found.configuration.system.legend
    if legend:
        letters = ", ".join(f"{value} {meaning}" for value, meaning in legend.items())
        yield Aside((Prose(blocks.quiet(f"Letters below: {letters}.")),))


def action_in_words(found: Playbook, number: int) -> str:
    """``isolate(DB)`` as ``isolate DB``, and what changes nothing as ``do nothing``."""
    name = found.action(number)
    if number in found.idle:
        return NOTHING
    return name.replace("(", " ", 1).removesuffix(")") if name.endswith(")") else name


def _example(found: Playbook) -> Iterator[Block]:
    yield Prose(f"At the start: {start_in_words(found.configuration)}.")
    rows: list[tuple[CellValue, ...]] = []
    for number, move in enumerate(found.example, 1):
        rows.append((number, move.mover, _move(found, move), move.change or "–", _reason(found, move)))
    columns = (Column("move"), words("who"), words("does"), words("what changes"), words("because"))
    note = "The adversary forces the defender to act as soon as it can, and uses new rules where it can."
    yield Table("An attack played against the playbook", columns, tuple(rows), note=note, sortable=False)


def _move(found: Playbook, move: ExampleMove) -> str:
    if move.rule is None:
        return move.action
    names = [action.name for action in found.configuration.game.actions[Player.DEFENDER]]
    return action_in_words(found, names.index(move.action))


def _reason(found: Playbook, move: ExampleMove) -> str:
    if move.rule is None:
        return ""
    if move.rule > len(found.instructions):
        return "no rule applies" if found.instructions else "always"
    return f"rule {move.rule}: {found.instructions[move.rule - 1].condition}"


def _proved(found: Playbook, source: str) -> Iterator[Block]:
    n = f"{count(found.n_positions)} position{'' if found.n_positions == 1 else 's'}"
    yield Prose(
        "From the start on, against every adversary that keeps to the threat boundary, play under these "
        f"rules can come to {n} at which the defender moves. {PROMISE[found.method]} "
        "About positions that cannot come up under it the playbook says nothing: whoever did something else, "
        "or began too late, asks the shield (holdfast play, holdfast export-shield)."
    )
    rows: list[tuple[CellValue, ...]] = [(str(place), own) for place, own in enumerate(found.decides[:-1], 1)]
    rows.append(("otherwise", found.decides[-1]))
    yield Table("At how many positions each rule decides", (words("rule"), Column("positions")), tuple(rows))
    yield _command(
        "playbook", found, source, "--certificate proof.json", "For a proof that holdfast verify checks"
    )


def _command(
    command: str, found: Playbook, source: str, more: str = "", what: str = "To see how"
) -> CommandLine:
    variant = ["--variant", found.configuration.variant] if found.configuration.variant else []
    line = shlex.join(["holdfast", command, source or "FILE", *variant])
    return CommandLine(what, f"{line} {more}".strip())
