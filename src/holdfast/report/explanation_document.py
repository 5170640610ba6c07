"""An explanation as a document: the attack as a tree or the tight spots, and what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from holdfast.explanation import Explanation
from holdfast.explanation.spots import Approach, Spot, TightSpots
from holdfast.numerals import count, counted, listed
from holdfast.report.attack import attack, first_moves, gathered, kind_of
from holdfast.report.background import NOWHERE, Background, origin_of
from holdfast.report.blocks import (
    Block,
    Document,
    Facts,
    Heading,
    Phrase,
    Points,
    Prose,
    Section,
    Span,
    Warnings,
    quiet,
)
from holdfast.report.fingerprint import certificate, pictured, question, taken
from holdfast.results import Provenance
from holdfast.whatif.margins import Margin
from holdfast.whatif.repairs import Removal, Repairs
from holdfast.words import Move

KINDS = {"action": "adversary action", "budget": "unit of a budget"}
"""Kinds of assumptions that have other words than their name."""

MAX_MOVES, MOVES_SHOWN = 16, 5
"""Moves of a play up to which all are shown, and how many of either end are shown past that."""


def explanation_document(
    explanation: Explanation,
    background: Background = NOWHERE,
    provenance: Provenance | None = None,
) -> Document:
    """The answer of ``explain``: the verdict, what was asked, and the reasons.

    Args:
        explanation: what to show.
        background: of the design.
        provenance: see :func:`holdfast.archive.provenance_of`.
    """
    found = explanation
    known = replace(background, legend=found.legend)
    asked = question(found.start, found.requirement, found.boundary, known, found.violated)
    verdict = certificate(found.defensible, found.rank)
    return Document(
        title=found.name + (f" · {found.variant}" if found.variant else ""),
        source=background.source,
        lead=background.lead or verdict.sentence,
        sections=(
            Section("Verdict", (verdict, Warnings(found.warnings), asked)),
            *reasons(found),
            *pictured(background),
        ),
        provenance=tuple(origin_of(provenance).items()),
        closing=(taken(found.positions, found.engine, found.seconds),),
    )


def reasons(found: Explanation) -> Iterator[Section]:
    """Why the verdict is as it is, part by part; a part that has nothing to say is left out."""
    moved = "Margins" if found.defensible else "How far each number would have to move"
    opening = first_moves(found.first_moves, found.n_first_moves)
    parts: tuple[tuple[str, str, tuple[Block, ...], bool], ...] = (
        ("How a violation is forced", "The attack", attack(found.line), True),
        ("First moves that win for the adversary", "First moves", opening, True),
        ("What the attack depends on", "Repairs", _repairs(found.repairs), False),
        ("The tightest spots of safe play", "Tight spots", _tight(found.tight), True),
        ("How near the adversary comes", "Closest approach", _approach(found.approach), True),
        (moved, "Margins", _margins(found), False),
        ("Not looked at, or not to the end", "Not looked at", _partial(found.partial), False),
    )
    for title, contents, blocks, detail in parts:
        if blocks:
            yield Section(title, blocks, detail, contents)


def reasons_together(found: Explanation, title: str) -> Section:
    """The same in one section, for a report on several designs."""
    blocks = [block for section in reasons(found) for block in (Heading(section.title), *section.blocks)]
    return Section(title, tuple(blocks), detail=True)


# -- what it depends on -------------------------------------------------------------------------------


def _repairs(repairs: Repairs | None) -> tuple[Block, ...]:
    if repairs is None:
        return ()
    kinds = listed([KINDS.get(kind, kind) for kind in repairs.kinds], "or")
    if not repairs.sets:
        tried = (
            f"no set of fewer than {repairs.size} is enough" if repairs.size > 1 else "nothing was found yet"
        )
        return (Prose(f"{tried}; the search was stopped"),)
    if repairs.size == 1:
        text = "Take away any one of these, and it is defensible."
        text += f" No other single {kinds} is enough." if repairs.complete else " Others may do too."
    else:
        these = "both of a pair" if repairs.size == 2 else f"all {repairs.size} of a set"
        text = f"No single {kinds} is enough. Take away {these}, and it is defensible."
        text += " No other set of that size is enough." if repairs.complete else " Other sets may do too."
    return Prose(text), Points(tuple(map(_pieces, repairs.sets)))


def _pieces(chosen: tuple[Removal, ...]) -> tuple[Span, ...]:
    line: list[Span] = []
    for piece in chosen:
        becomes = [Span(f" becomes {piece.becomes}")] if piece.becomes else []
        joined = [Span("  and  ")] if line else []
        line += [*joined, Span(f"{piece.kind} ", "quiet"), Span(piece.name, "strong"), *becomes]
    return tuple(line)


def _margins(found: Explanation) -> tuple[Block, ...]:
    items: list[tuple[Phrase, Phrase]] = [
        ((Span(_bound(margin), "strong"),), _reach(margin, found.defensible))
        for margin in found.margins
        if margin.value is not None or not margin.never
    ]
    if found.defensible:
        items += [(clause.clause, quiet(clause.reason)) for clause in found.unmoved]
    return (Facts(tuple(items)),) if items else ()


def _bound(margin: Margin) -> str:
    return margin.bound if margin.value is not None else margin.bound.replace("<= k", "without limit")


def _reach(margin: Margin, defensible: bool) -> str:
    if margin.note and margin.holds is None and margin.fails is None:
        return f"not known: {margin.note}"
    if margin.always:
        return (
            "holds whatever the number: no limit is needed here"
            if defensible
            else "holds whatever the number"
        )
    if margin.never:
        return "no number here would be enough"
    if margin.strictest:
        verb = "holds up to" if defensible else "would hold at"
        if margin.holds == margin.bound:
            return "holds, and is as strict as it can be"
        return f"{verb} {margin.holds}, as strict as it can be"
    if margin.fails is None:
        return f"holds at least up to {margin.holds}; {margin.note}"
    if margin.holds is None:
        return f"still lost at {margin.fails}; {margin.note}"
    if defensible:
        return f"holds up to {margin.holds}; at {margin.fails} no more{_within(margin.fails_within)}"
    return f"would hold at {margin.holds}" + (
        "" if margin.fails == margin.bound else f", not yet at {margin.fails}"
    )


def _within(moves: int | None) -> str:
    if moves is None:
        return ""
    if moves == 0:
        return ": the start violates it already"
    return f": the adversary wins within {counted(moves, 'move')}"


# -- safe play ----------------------------------------------------------------------------------------


def _tight(tight: TightSpots | None) -> tuple[Block, ...]:
    if tight is None:
        return ()
    only = "only " if tight.n_permitted < tight.n_actions else ""
    verb = "is" if tight.n_permitted == 1 else "are"
    actions = f"{only}{tight.n_permitted} of {tight.n_actions} actions {verb} permitted"
    n_positions, n_searched = count(tight.n_positions), count(tight.n_searched)
    text = f"At {n_positions} of the {n_searched} defender positions of safe play {actions}."
    if tight.examples and len(tight.examples) < tight.n_positions:
        if tight.examples[0].play is None:
            text += " One of them:"
        else:
            text += " The nearest:" if len(tight.examples) == 1 else f" The {len(tight.examples)} nearest:"
    return Prose(text), *map(_spot, tight.examples)


def _spot(spot: Spot) -> Facts:
    totals = Counter(kind_of(action) for f in spot.forbidden for action in f.actions)
    totals += Counter(map(kind_of, spot.permitted))
    largest = max((len(group.actions) for group in spot.forbidden), default=0)
    groups = sorted(spot.forbidden, key=lambda group: (len(group.actions) == largest, group.rank))
    forbidden: list[tuple[Phrase, Phrase]] = [
        (
            "forbidden",
            (
                Span(gathered(group.actions, totals, group is groups[-1]), "bad"),
                Span(f": {group.reason}"),
            ),
        )
        for group in groups
    ]
    permitted = (Span(gathered(spot.permitted, totals), "good"),)
    return Facts((("state", spot.state), ("after", _play(spot.play)), ("permitted", permitted), *forbidden))


def _play(play: tuple[Move, ...] | None) -> str:
    if play is None:
        return "a play that was not looked for to the end"
    moves = [f"{move.mover} {move.action}" for move in play]
    if len(moves) > MAX_MOVES:
        left_out = f"… {len(moves) - 2 * MOVES_SHOWN} moves (--json lists them) …"
        moves = [*moves[:MOVES_SHOWN], left_out, *moves[-MOVES_SHOWN:]]
    return ", ".join(moves) or "no move: it is the start"


def _approach(approach: Approach | None) -> tuple[Block, ...]:
    if approach is None:
        return ()
    found: list[Block] = [Prose(_nearness(approach))]
    if approach.threats:
        found.append(Points(tuple(
            (Span(threat.clause), Span(f"  at {count(threat.n_positions)} of them", "quiet"))
            for threat in approach.threats
        )))  # fmt: skip
    if approach.example is not None:
        example = approach.example
        first = "First after" if example.play is not None else "For instance after"
        found.append(Prose(f"{first}: {_play(example.play)} ({example.state})."))
    if approach.by_waiting and approach.n_waiting_loses > approach.n_positions:
        found.append(Prose(f"Doing nothing loses, sooner or later, at {count(approach.n_waiting_loses)}."))
    found += [
        Prose(f"A clause speaks of {e.bound}; in safe play it runs from {e.least} to {e.greatest}.")
        for e in approach.extents
    ]
    return tuple(found)


def _nearness(approach: Approach) -> str:
    if approach.moves is None:
        return "No single wrong move lets the adversary win."
    wrong = (
        "the defender does nothing there"
        if approach.by_waiting
        else "the defender makes one wrong move there"
    )
    then = "the very next move of the adversary violates" if approach.moves == 1 else "the adversary wins"
    later = "" if approach.moves == 1 else f" within {counted(approach.moves, 'move')}"
    where = f"At {count(approach.n_positions)} of {count(approach.n_searched)} defender positions"
    return f"{where}, if {wrong}, {then}{later}" + (":" if approach.threats else ".")


def _partial(partial: tuple[str, ...]) -> tuple[Block, ...]:
    return (Points(partial),) if partial else ()
