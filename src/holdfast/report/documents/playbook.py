"""A playbook as a document: the rules first, then how they are used, an example, and what is proved."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from holdfast.explanation import ExampleMove, Playbook, SeenMove, SeenPlaybook
from holdfast.game import BAD, count, counted, listed
from holdfast.logic import Player, reader
from holdfast.readings import CANNOT, EVICTED, RECOVERED
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
FEW = 4
"""Actions that are named of those that may fail."""

LOOKED_AT = {
    "listed": "Every one of these positions was checked.",
    "diagrams": "There are too many to list: they were checked as sets.",
}
LATE = {
    "listed": "At each the playbook does nothing if that is safe; otherwise it takes the safe action "
    "that leaves the most actions safe.",
    "diagrams": "At each the playbook does nothing if that is safe; otherwise it takes a safe action, "
    "without weighing how much freedom that leaves.",
}
TO_GOAL = (
    "At each the playbook gets closer to the goal with every move, whatever the adversary does, and then "
    "keeps holding; no playbook is faster."
)
DONE = {EVICTED: "has the attacker out", RECOVERED: "has everything clean again"}
PROOF_OF = {
    False: "For a proof that holdfast verify checks",
    True: "For a proof that holdfast verify checks, of the requirement alone",
}
AT_ONCE = "At each the playbook contains a compromise if it safely can"
PATIENT = "A list that contains every compromise at once would be long: this one contains only what it must"


def playbook_document(playbook: Playbook, source: str = "") -> blocks.Document:
    """The answer of ``playbook``."""
    here = playbook.configuration
    sections = tuple(_held(playbook, source)) if playbook.possible else tuple(_lost(playbook, source))
    return blocks.Document(
        title=here.title,
        source=source,
        lead=here.description,
        sections=sections,
        closing=(*left_out(playbook), f"made in {playbook.seconds:.1f} s"),
    )


def left_out(playbook: Playbook) -> tuple[str, ...]:
    """What a limit left out although the rules are proved."""
    return (f"no attack is played against the rules: {playbook.no_example}",) if playbook.no_example else ()


def _lost(playbook: Playbook, source: str) -> Iterator[Section]:
    sentence = "There is no playbook: whatever the defender does, the adversary can force a violation."
    if playbook.defensible:
        goal = playbook.wanted.goal
        cannot = CANNOT.get(goal, f'the adversary can prevent "{goal}" for ever')
        sentence = f"There is no such playbook: {cannot}, whatever a defender who keeps the requirement does."
    verdict = certificate(playbook.defensible, playbook.rank)
    yield Section("Verdict", (verdict, Prose(sentence), _command("explain", playbook, source)))


def _held(playbook: Playbook, source: str) -> Iterator[Section]:
    yield Section("The playbook", (*_rules(playbook), *_unseen(playbook, source)))
    if playbook.example:
        yield Section(
            "An attack, and what the playbook does", tuple(_example(playbook)), contents="An attack"
        )
    yield Section("What is proved", tuple(_proved(playbook, source)), detail=True)


def _unseen(playbook: Playbook, source: str) -> Iterator[Block]:
    """Where the file says what is seen: that the rules may ask for more, and how to get others."""
    sight = playbook.configuration.system.sight
    if sight is not None and sight.placed is not None:
        yield Prose("These rules are for a defender who sees everything, not only what the sensors show.")
        here = playbook.configuration.variant
        line = ["holdfast", "playbook", source or "FILE", *(["--variant", here] if here else [])]
        yield CommandLine(
            "For rules that use only what the sensors show", shlex.join([*line, "--for", "sight"])
        )


def _rules(playbook: Playbook) -> Iterator[Block]:
    n = len(playbook.instructions)
    tone: blocks.Tone = "good" if playbook.short else "open"
    word = counted(n, "RULE").upper() if n else "DO NOTHING"
    last = action_in_words(playbook, playbook.default)
    sentence = "following this playbook keeps the requirement, whatever an admissible adversary does"
    if not n:
        sentence = f"{last} is enough: an admissible adversary cannot violate the requirement"
    elif playbook.wanted.goal:
        sentence += f", {reaches(playbook)}"
    if n and not playbook.short:
        sentence += f"; it could not be made short: {counted(playbook.n_conditions, 'condition')} in all"
    yield Banner(tone, word, sentence)
    lines = [
        (Span(f"If {rule.condition}: "), Span(action_in_words(playbook, rule.action), "strong"))
        for rule in playbook.instructions
    ]
    otherwise = "Otherwise: " if n else "Always: "
    lines.append((Span(otherwise), Span(last, "strong")))
    yield Points(tuple(lines), first=1 if n > 0 else None)
    if playbook.not_early:
        late = "These rules act only when they must: rules that act at the first sign were not found in time"
        yield Prose(f"{late} ({playbook.not_early}).")
    yield Prose("After each move of the adversary, read from the top: the first rule that applies decides.")
    if playbook.drawn:
        yield Prose(may_fail(playbook))
    if worst(playbook):
        yield Prose(worst(playbook))
    legend = playbook.configuration.system.legend
    if legend:
        letters = ", ".join(f"{value} {meaning}" for value, meaning in legend.items())
        yield Aside((Prose(blocks.quiet(f"Letters below: {letters}.")),))


def reaches(playbook: Playbook) -> str:
    """What comes of the rules besides holding."""
    goal, moves = playbook.wanted.goal, counted(playbook.within or 0, "move")
    done = DONE.get(goal, f'has reached "{goal}"')
    read = reader(playbook.configuration.goals[goal], playbook.configuration.game.places)
    again = " whenever that is needed" if read(playbook.configuration.initial.state) else ""
    return f"and {done} within {moves}{again}"


def action_in_words(playbook: Playbook | SeenPlaybook, number: int) -> str:
    """``isolate(DB)`` as ``isolate DB``, and what changes nothing as ``do nothing``."""
    name = playbook.action(number)
    if number in playbook.idle:
        return NOTHING
    return name.replace("(", " ", 1).removesuffix(")") if name.endswith(")") else name


def may_fail(playbook: Playbook) -> str:
    """Which actions of the rules may fail, and that the rules have counted on it."""
    names = [action_in_words(playbook, number) for number in playbook.drawn]
    more = [counted(len(names) - FEW, "other")] if len(names) > FEW else []
    return (
        f"{listed([*names[:FEW], *more])} may fail. The rules hold whatever comes of it: the next time, "
        "read again from the top."
    )


def _example(playbook: Playbook) -> Iterator[Block]:
    yield Prose(f"At the start: {start_in_words(playbook.configuration)}.")
    rows: list[tuple[CellValue, ...]] = []
    for number, move in enumerate(playbook.example, 1):
        rows.append(
            (number, move.mover, played_action(playbook, move), move.change or "–", _reason(playbook, move))
        )
    columns = (Column("move"), words("who"), words("does"), words("what changes"), words("because"))
    note = "The adversary forces the defender to act as soon as possible, and triggers new rules."
    if playbook.wanted.goal:
        note = "The adversary delays for as long as it can."
    yield Table("An attack played against the playbook", columns, tuple(rows), note=note, sortable=False)


def played_action(playbook: Playbook | SeenPlaybook, move: ExampleMove | SeenMove) -> str:
    """What was done in a move of the example: by a rule in words, by the adversary as it is called."""
    if move.rule is None:
        return move.action
    names = [action.name for action in playbook.configuration.game.actions[Player.DEFENDER]]
    return action_in_words(playbook, names.index(move.action))


def _reason(playbook: Playbook, move: ExampleMove) -> str:
    if move.rule is None:
        return ""
    if move.rule > len(playbook.instructions):
        return "no rule applies" if playbook.instructions else "always"
    return f"rule {move.rule}: {playbook.instructions[move.rule - 1].condition}"


def _proved(playbook: Playbook, source: str) -> Iterator[Block]:
    n = f"{count(playbook.n_positions)} position{'' if playbook.n_positions == 1 else 's'}"
    promise = f"{LOOKED_AT[playbook.method]} {_promise(playbook)}"
    yield Prose(
        "From the start, against every adversary within the threat boundary, play under these rules can "
        f"reach {n} at which the defender moves. {promise} "
        "The playbook says nothing about positions that cannot arise under it: if you did something "
        "else, or began too late, ask the shield (holdfast play, holdfast export-shield)."
    )
    rows: list[tuple[CellValue, ...]] = [
        (str(place), own) for place, own in enumerate(playbook.decides[:-1], 1)
    ]
    rows.append(("otherwise", playbook.decides[-1]))
    yield Table("At how many positions each rule decides", (words("rule"), Column("positions")), tuple(rows))
    yield _command(
        "playbook", playbook, source, "--certificate proof.json", PROOF_OF[bool(playbook.wanted.goal)]
    )


def _promise(playbook: Playbook) -> str:
    """What the playbook does at each position."""
    if playbook.wanted.goal:
        counted_out = " Every play was followed and its moves were counted."
        return TO_GOAL + (counted_out if playbook.method == "listed" else "")
    if playbook.style == "late":
        return LATE[playbook.method]
    start = AT_ONCE if playbook.at_once else PATIENT
    if playbook.most_lost is None:
        return f"{start}."
    return f"{start}, and no playbook loses fewer at a time."


def worst(playbook: Playbook) -> str:
    """How many fall at a time, at most."""
    graph = playbook.configuration.system.graph
    if playbook.most_lost is None or graph is None:
        return ""
    n, noun = playbook.most_lost, graph.noun
    legend, values = playbook.configuration.system.legend, graph.tones.items()
    states = listed([legend.get(value, value) for value, tone in values if tone in BAD], "or")
    most = f"at most {counted(n, noun)} at a time will" if n else f"no {noun} will ever"
    return f"Whatever the adversary does, {most} be {states}."


def _command(
    command: str, playbook: Playbook, source: str, more: str = "", what: str = "To see how"
) -> CommandLine:
    variant = ["--variant", playbook.configuration.variant] if playbook.configuration.variant else []
    style = ["--style", "late"] if command == "playbook" and playbook.style == "late" else []
    goal = ["--for", playbook.wanted.name] if command == "playbook" and playbook.wanted.goal else []
    line = shlex.join(["holdfast", command, source or "FILE", *variant, *(goal or style)])
    return CommandLine(what, f"{line} {more}".strip())
