"""A playbook of what is seen as a document: the rules of each phase, an example, and what is proved."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from holdfast.explanation import SeenMove, SeenPhase, SeenPlaybook
from holdfast.game import count, counted, listed
from holdfast.report import blocks
from holdfast.report.blocks import (
    Banner,
    Block,
    CellValue,
    Column,
    CommandLine,
    Heading,
    Points,
    Prose,
    Section,
    Span,
    Table,
    words,
)
from holdfast.report.documents.playbook import action_in_words, played_action
from holdfast.solver import Decision, start_in_words

FEW_PHASES, FEW_RULES = 4, 12
"""Up to which size people can be expected to keep a playbook in mind."""


def seen_playbook_document(playbook: SeenPlaybook, source: str = "") -> blocks.Document:
    """The answer of ``playbook --for sight``."""
    here = playbook.configuration
    return blocks.Document(
        title=here.title,
        source=source,
        lead=here.description,
        sections=tuple(_held(playbook, source) if playbook.held else _lost(playbook, source)),
        closing=(f"made in {playbook.seconds:.1f} s",),
    )


def _lost(playbook: SeenPlaybook, source: str) -> Iterator[Section]:
    if playbook.defensible:
        word = "NOT DEFENSIBLE WITH THESE SENSORS"
        sentence = "There is no such playbook: situations that look the same call for different actions."
    else:
        word = "NOT DEFENSIBLE"
        sentence = "There is no playbook: the adversary can force a violation, whatever is seen."
    banner = Banner("bad", word, sentence)
    yield Section("Verdict", (banner, _command("explain", playbook, source, "To see how")))


def _held(playbook: SeenPlaybook, source: str) -> Iterator[Section]:
    yield Section("The playbook", tuple(_rules(playbook)))
    if playbook.example:
        yield Section(
            "An attack, and what the playbook does", tuple(_example(playbook)), contents="An attack"
        )
    yield Section("What is proved", tuple(_proved(playbook, source)), detail=True)


def _rules(playbook: SeenPlaybook) -> Iterator[Block]:
    n_rules, n_phases = playbook.n_rules, len(playbook.phases)
    short = n_phases <= FEW_PHASES and n_rules <= FEW_RULES
    word = counted(n_rules, "RULE").upper() if n_rules else "NO RULES"
    if n_phases > 1:
        word += f" IN {n_phases} PHASES"
    used = playbook.sight.placed or ()
    by = f"by {counted(len(used), 'sensor')}, at {listed(used)}" if used else "without any sensor"
    sentence = f"following this playbook keeps the requirement {by}, whatever an admissible adversary does"
    if not short:
        sentence += "; it could not be made short: export-shield --sight writes it for a program"
    yield Banner("good" if short else "open", word, sentence)
    if n_phases == 1:
        yield _points(playbook, 0, playbook.phases[0])
    for number, phase in enumerate(playbook.phases if n_phases > 1 else ()):
        yield Heading(f"Phase {number + 1}" + (", in which you begin" if number == 0 else ""))
        yield _points(playbook, number, phase)
    yield Prose(
        "After each move of the adversary, read "
        + ("the phase that you are in " if n_phases > 1 else "")
        + "from the top: the first rule that applies decides."
    )
    if playbook.hidden:
        yield Prose(f"What looks the same: {'; '.join(playbook.hidden)}.")


def _points(playbook: SeenPlaybook, number: int, phase: SeenPhase) -> Points:
    lines = [
        (Span(f"If {rule.condition}: "), *_orders(playbook, number, rule.decision)) for rule in phase.rules
    ]
    last = "Otherwise: " if phase.rules else "Always: "
    lines.append((Span(last), *_orders(playbook, number, phase.otherwise)))
    return Points(tuple(lines), first=1 if phase.rules else None)


def _orders(playbook: SeenPlaybook, number: int, decision: Decision) -> tuple[Span, ...]:
    told = Span(action_in_words(playbook, decision.action), "strong")
    return (told,) if decision.phase == number else (told, Span(f", then phase {decision.phase + 1}"))


def _example(playbook: SeenPlaybook) -> Iterator[Block]:
    yield Prose(f"At the start: {start_in_words(playbook.configuration)}.")
    rows: list[tuple[CellValue, ...]] = []
    for number, move in enumerate(playbook.example, 1):
        rows.append(
            (
                number,
                move.mover,
                played_action(playbook, move),
                move.change or "–",
                move.news,
                _reason(playbook, move),
            )
        )
    heads = ("who", "does", "what changes", "what is seen", "because")
    note = "The adversary triggers as many rules as it can."
    columns = (Column("move"), *map(words, heads))
    yield Table("An attack played against the playbook", columns, tuple(rows), note=note, sortable=False)


def _reason(playbook: SeenPlaybook, move: SeenMove) -> str:
    if move.rule is None or move.phase is None:
        return ""
    rules = playbook.phases[move.phase - 1].rules
    where = f"phase {move.phase}, " if len(playbook.phases) > 1 else ""
    if move.rule > len(rules):
        return where + ("no rule applies" if rules else "always")
    return f"{where}rule {move.rule}: {rules[move.rule - 1].condition}"


def _proved(playbook: SeenPlaybook, source: str) -> Iterator[Block]:
    assert playbook.controller is not None
    n_stances, actions = count(playbook.controller.n_stances), playbook.controller.actions
    interventions = [playbook.action(number) for number in actions if number not in playbook.idle]
    uses = (
        f"The only interventions it uses are {listed(interventions)}."
        if interventions
        else "It never intervenes."
    )
    yield Prose(
        "The rules describe a controller: a machine that knows only what the sensors show and what it "
        f"remembers. It was built from {n_stances} sets of possible cases, each followed for everything "
        "that may be seen next; what it has to remember comes down to "
        f"{counted(len(playbook.phases), 'phase')}. {uses} "
        "After any other action the controller may no longer know enough."
    )
    yield _command("export-shield", playbook, source, "To export it as a program", ["--sight"])


def _command(
    command: str, playbook: SeenPlaybook, source: str, what: str, more: list[str] | None = None
) -> CommandLine:
    variant = ["--variant", playbook.configuration.variant] if playbook.configuration.variant else []
    return CommandLine(what, shlex.join(["holdfast", command, source or "FILE", *variant, *(more or [])]))
