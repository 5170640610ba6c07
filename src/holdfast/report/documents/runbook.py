"""A playbook on paper: a runbook to work through step by step, and a sheet for the wall."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.explanation import Playbook
from holdfast.game import counted, listed
from holdfast.logic import Player
from holdfast.report.blocks import (
    Banner,
    Block,
    CommandLine,
    Document,
    Facts,
    Points,
    Prose,
    Section,
    Span,
    Table,
    quiet,
    words,
)
from holdfast.report.documents.playbook import (
    LOOKED_AT,
    NOTHING,
    action_in_words,
    may_fail,
    reaches,
    worst,
)
from holdfast.solver import start_in_words


def runbook_document(playbook: Playbook, source: str = "", certificate: str = "") -> Document:
    """A runbook: what it is for, what to watch, a round step by step, when to leave it, and its proof.

    Args:
        playbook: one that has rules.
        source: the file of the scenario.
        certificate: the SHA-256 of the playbook's certificate; empty where there is none.
    """
    sections = (
        Section("What this is for", tuple(_purpose(playbook))),
        Section("Before you begin", tuple(_before(playbook))),
        Section("Each round", tuple(_round(playbook))),
        Section("When to stop, and when to call for help", tuple(_leaving(playbook))),
        Section("The proof", tuple(_proof(playbook, source, certificate))),
    )
    here = playbook.configuration
    return Document(f"{here.title}: runbook", sections, source=source, lead=here.description)


def sheet_document(playbook: Playbook, certificate: str = "") -> Document:
    """One printed page: the rules, the letters, and by which hash the proof is found."""
    blocks: list[Block] = [Points(tuple(_lines(playbook)), first=1 if playbook.instructions else None)]
    blocks.append(
        Prose("After each move of the attacker, read from the top. The first rule that applies decides.")
    )
    if playbook.drawn:
        blocks.append(Prose(may_fail(playbook)))
    if worst(playbook):
        blocks.append(Prose(worst(playbook)))
    facts = [("requirement", _labels(playbook, Player.DEFENDER)), ("holds against", _labels(playbook))]
    facts += [("within", f"{reaches(playbook).removeprefix('and ')}")] if playbook.wanted.goal else []
    facts += [("proof", f"SHA-256 {certificate}")] if certificate else []
    again = "If you did something else, or began too late, this sheet no longer applies: ask the shield."
    kept = (Facts(tuple(facts)), Prose(quiet(again)))
    title = f"{playbook.configuration.title}: what to do"
    return Document(title, (Section("The rules", tuple(blocks)), Section("What it keeps", kept)), brief=True)


def _lines(playbook: Playbook) -> Iterator[tuple[Span, ...]]:
    for rule in playbook.instructions:
        yield Span(f"If {rule.condition}: "), Span(action_in_words(playbook, rule.action), "strong")
    last = action_in_words(playbook, playbook.default)
    yield Span("Otherwise: " if playbook.instructions else "Always: "), Span(last, "strong")


def _labels(playbook: Playbook, side: Player = Player.ADVERSARY) -> str:
    labels = [clause.label for clause in playbook.configuration.clauses(side)]
    return listed(labels) if labels else "any adversary"


def _purpose(playbook: Playbook) -> Iterator[Block]:
    sentence = "following it from the start keeps the requirement"
    sentence += f", {reaches(playbook)}" if playbook.wanted.goal else ""
    n = len(playbook.instructions)
    yield Banner("good" if playbook.short else "open", counted(n, "RULE").upper(), sentence)
    facts = [("keeps", _labels(playbook, Player.DEFENDER)), ("against", _labels(playbook))]
    yield Facts(tuple(facts))
    if worst(playbook):
        yield Prose(worst(playbook))


def _before(playbook: Playbook) -> Iterator[Block]:
    yield Prose(f"The rules begin here: {start_in_words(playbook.configuration)}.")
    asked = dict.fromkeys(c.trait for rule in playbook.instructions for c in rule.conditions)
    rows = tuple((trait.name, listed(trait.spoken, "or") if len(trait.spoken) <= 8 else "a number",
                  "remember" if trait.is_memory else "count" if trait.is_count else "look")
                 for trait in asked)  # fmt: skip
    if rows:
        columns = words("what the rules look at"), words("it is"), words("how it is known")
        yield Table("What to watch", columns, rows, sortable=False)


def _round(playbook: Playbook) -> Iterator[Block]:
    yield Points(
        (
            "Wait for a move of the attacker, and note what has changed.",
            "Read the rules below from the top, and stop at the first whose conditions all hold.",
            "Do what it says, and only that. Then wait for the next move.",
        ),
        first=1,
    )
    rows = []
    for number, rule in enumerate(playbook.instructions, 1):
        conditions = "  and  ".join(str(condition) for condition in rule.conditions) or "always"
        rows.append((str(number), conditions, action_in_words(playbook, rule.action), "☐"))
    rows.append(("last", "none of these holds", action_in_words(playbook, playbook.default), "☐"))
    columns = words("rule"), words("if"), words("do"), words("done")
    yield Table("The rules", columns, tuple(rows), sortable=False)
    if playbook.drawn:
        yield Prose(may_fail(playbook))
    if playbook.default in playbook.idle and playbook.instructions:
        yield Prose(f"To {NOTHING} is a decision too: acting without a rule voids the proof.")


def _leaving(playbook: Playbook) -> Iterator[Block]:
    missed = "never tried" if playbook.drawn else "not carried out"
    points = [
        "You saw something that the threat boundary rules out: the proof no longer applies.",
        f"An action was {missed}, or another one was: ask the shield which actions are still safe "
        "(holdfast play, holdfast export-shield).",
    ]
    if playbook.wanted.goal:
        points.insert(
            0, f"The goal is reached ({playbook.wanted.goal}): keep following the rules, they still hold."
        )
    yield Points(tuple(points))


def _proof(playbook: Playbook, source: str, certificate: str) -> Iterator[Block]:
    n = counted(playbook.n_positions, "situation")
    about = " The certificate covers the requirement only." if playbook.wanted.goal else ""
    yield Prose(f"Under these rules the defenders can face {n}. {LOOKED_AT[playbook.method]}{about}")
    if certificate:
        yield Facts((("certificate, SHA-256", certificate),))
        yield CommandLine("To check the proof without the solver", "holdfast verify proof.json")
    else:
        yield CommandLine("To have a proof", f"holdfast playbook {source or 'FILE'} --certificate proof.json")
