"""An explanation as a document: the attack as a tree or the tight spots, and what would change it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from holdfast.design import Margin, Removal
from holdfast.explanation import (
    Approach,
    Demands,
    Explanation,
    GettingOut,
    LikelyWay,
    Spot,
    ThriftyMove,
    TightSpots,
)
from holdfast.game import NEVER, UNBOUNDED, count, counted, listed, number
from holdfast.logic import action_type
from holdfast.readings import EVICTED, Provenance
from holdfast.report import blocks
from holdfast.report.blocks import Block, Facts, Phrase, Points, Prose, Section, Span, quiet
from holdfast.report.documents.attack_tree import (
    abridged,
    attack,
    attack_told,
    first_moves,
    folded_attack,
    gathered,
)
from holdfast.report.documents.background import NOWHERE, Background, origin_of
from holdfast.report.documents.best_play import best_play_blocks
from holdfast.report.documents.fingerprint import (
    certificate,
    counted_alike,
    drawn_clauses,
    drawn_system,
    question,
    taken,
)
from holdfast.report.documents.fog import ALL_SEEN, fog_blocks
from holdfast.report.documents.likelihood import hold_table, likelihood
from holdfast.report.documents.seen_readings import seen_certificate
from holdfast.solver import MoveInWords

KINDS = {
    "action": "adversary action",
    "budget": "step of a limit",
    "clause": "requirement",
    "spread along": "spread along a link in use",
}
"""Kinds of assumptions that have other words than their name."""

PIECES = {"budget": "limit", "clause": "requirement"}
"""What stands before an assumption of such a kind."""

MAX_PLAYED = 14
"""Moves of a play with the least effort that are shown."""

ANY_OF_THEM = ": what is said of one of them is so for each, and a link to them is one to all"

OPENING = {"attack", "likely", "sight", "warnings"}
"""The parts of an explanation without which nothing of its document is certain."""

STEPS = {"effort": "With less effort", "tempo": "One turn slower", "grace": "One turn later"}
"""One step past each reading of the response."""


def explanation_document(
    explanation: Explanation,
    background: Background = NOWHERE,
    provenance: Provenance | None = None,
    counted: Sequence[str] = (),
) -> blocks.Document:
    """The answer of ``explain``: the verdict, what was asked, and the reasons.

    What is lost begins with the attack in a line and what would stop it; the question comes after that. Of an
    explanation that is not whole yet it is as much of the document as will not change any more. It says which
    interchangeable things were ``counted``.
    """
    awaited = {*explanation.awaited}
    alike = [counted_alike(counted, ANY_OF_THEM)] if counted else []
    title = explanation.name + (f" · {explanation.variant}" if explanation.variant else "")
    if awaited & OPENING:
        return blocks.Document(title, ())
    known = replace(background, legend=explanation.legend)
    asked = question(
        explanation.start, explanation.requirement, explanation.boundary, known, explanation.violated
    )
    verdict = certificate(explanation.defensible, explanation.rank)
    way = explanation.likely
    if way is not None and (likely := likelihood(way.hold, explanation.rank, way.pace)):
        verdict = replace(verdict, sentence=likely)
    if explanation.defensible and explanation.sight is not None:
        verdict = seen_certificate(verdict, explanation.sight)
    opening: tuple[Block, ...] = (verdict, blocks.Warnings(explanation.warnings))
    if explanation.defensible and explanation.sight is not None and explanation.fog is None:
        opening = (*opening, Prose(ALL_SEEN))
    why = list(reasons(explanation))
    sections = [Section("Verdict", (*opening, asked)), *drawn_system(background), *why]
    if not explanation.defensible:
        question_put = Section("What was asked", (asked,)), *drawn_system(background)
        rest = () if "repairs" in awaited else (*question_put, *why[1:])
        sections = [Section("Verdict", opening), *why[:1], *rest]
    return blocks.Document(
        title=title,
        source=background.source,
        lead=background.lead or verdict.sentence,
        sections=(*sections, *(() if awaited else _ending(explanation, background))),
        provenance=tuple(origin_of(provenance).items()),
        closing=() if awaited else (*alike, taken(explanation)),
    )


def _ending(explanation: Explanation, background: Background) -> Iterator[Section]:
    """The automata; and what to ask next, of a design that has a file: what would change the answer."""
    yield from drawn_clauses(background)
    if not background.source:
        return
    goal: tuple[str, ...] = ()
    why = "To see the cheapest changes that make it hold"
    if explanation.defensible and explanation.held is not False:
        stays = any(out.goal == EVICTED and _is_trap(out) for out in explanation.recovery)
        goal = ("--for", "evict") if stays else ()
        out = "To see the cheapest changes that drive the attacker out"
        why = out if stays else "To see which changes would make it better still"
    named = ("--variant", explanation.variant) if explanation.variant else ()
    line = shlex.join(["holdfast", "recommend", background.source, *named, *goal])
    yield Section("What to ask next", (blocks.CommandLine(why, line),))


def reasons(explanation: Explanation) -> Iterator[Section]:
    """Why the verdict is as it is, part by part, the shortest first; a part without words is left out.

    Of an explanation that is not whole yet they end where something is awaited.
    """
    moved = "Margins" if explanation.defensible else "How far each number would have to change"
    opening = first_moves(explanation.first_moves, explanation.n_first_moves)
    partial = (Points(explanation.partial),) if explanation.partial else ()
    best = best_play_blocks(explanation.best_play)
    parts: tuple[tuple[str, str, str, tuple[Block, ...], bool], ...] = (
        ("sight", "Why it is lost with these sensors", "What is seen", fog_blocks(explanation.fog), False),
        ("repairs", "The attack, and what it depends on", "Repairs", _repairs(explanation), False),
        ("", "How it is most likely lost", "The likeliest way to lose", _likely(explanation.likely), False),
        ("margins", moved, "Margins", _margins(explanation), False),
        ("", "How a violation is forced", "The attack", attack(explanation.line), True),
        ("", "First moves that win for the adversary", "First moves", opening, True),
        *(("", _out_title(one), _out_contents(one), getting_out(one), False) for one in explanation.recovery),
        ("recovery", "", "", (), False),
        ("tight", "Where the defender has the least choice", "Tight spots", _tight(explanation.tight), True),
        (
            "approach",
            "How close the adversary gets",
            "Closest approach",
            _approach(explanation.approach),
            True,
        ),
        ("demands", "What it takes to hold", "Effort, tempo, grace", _demands(explanation.demands), True),
        ("best_play", "How perfect players begin", "Perfect play", best, True),
        ("", "Not examined, or not completely", "Not looked at", partial, False),
    )
    for part, title, contents, content, detail in parts:
        waits = part in explanation.awaited
        if content and (not waits or part == "repairs"):  # of which the attack is known already
            yield Section(title, content, detail, contents)
        if waits:
            return


def reasons_together(explanation: Explanation, title: str) -> Section:
    """All reasons in one section, for a report on several designs."""
    together = [
        block
        for section in reasons(explanation)
        for block in (blocks.Heading(section.title), *section.blocks)
    ]
    return Section(title, tuple(together), detail=True)


# -- what it depends on -------------------------------------------------------------------------------


def _repairs(explanation: Explanation) -> tuple[Block, ...]:
    """The attack in sentences, and the smallest sets of assumptions without which it fails."""
    repairs, attacked = explanation.repairs, attack_told(explanation.line)
    if repairs is None or "repairs" in explanation.awaited:
        return attacked
    kinds = listed([KINDS.get(kind, kind) for kind in repairs.kinds], "or")
    if not repairs.sets:
        tried = f"no set of fewer than {repairs.size} is enough"
        text = f"{tried if repairs.size > 1 else 'nothing was found yet'}; the search was stopped"
        return *attacked, Prose(text)
    if repairs.size == 1:
        text = "Take away any one of these, and it is defensible."
        text += f" No other single {kinds} is enough." if repairs.complete else " Others may work too."
    else:
        these = "both of a pair" if repairs.size == 2 else f"all {repairs.size} of a set"
        text = f"No single {kinds} is enough. Take away {these}, and it is defensible."
        text += " No other set of that size is enough." if repairs.complete else " Other sets may work too."
    return *attacked, Prose(text), Points(tuple(map(_pieces, repairs.sets)))


def _pieces(chosen: tuple[Removal, ...]) -> tuple[Span, ...]:
    line: list[Span] = []
    for piece in chosen:
        becomes = [Span(f" becomes {piece.becomes}")] if piece.becomes else []
        joined = [Span("  and  ")] if line else []
        kind = PIECES.get(piece.kind, piece.kind)
        line += [*joined, Span(f"{kind} ", "quiet"), Span(piece.name, "strong"), *becomes]
    return tuple(line)


def _margins(explanation: Explanation) -> tuple[Block, ...]:
    items: list[tuple[Phrase, Phrase]] = [
        ((Span(_bound(margin), "strong"),), _reach(margin, explanation.defensible))
        for margin in explanation.margins
        if margin.value is not None or not margin.never
    ]
    if explanation.defensible:
        items += [(clause.clause, quiet(clause.reason)) for clause in explanation.unmoved]
    return (Facts(tuple(items)),) if items else ()


def _bound(margin: Margin) -> str:
    return margin.bound if margin.value is not None else margin.bound.replace("<= k", "without limit")


def _reach(margin: Margin, defensible: bool) -> str:
    if margin.note and margin.holds is None and margin.fails is None:
        return f"not known: {margin.note}"
    if margin.always:
        return "holds for every value" + (": no limit is needed here" if defensible else "")
    if margin.never:
        return "no value would be enough"
    if margin.strictest and margin.holds == margin.bound:
        return "holds, and is as strict as it can be"
    if margin.strictest:
        verb = "holds up to" if defensible else "would hold at"
        return f"{verb} {margin.holds}, as strict as it can be"
    if margin.fails is None:
        return f"holds at least up to {margin.holds}; {margin.note}"
    if margin.holds is None:
        return f"still lost at {margin.fails}; {margin.note}"
    if defensible:
        return f"holds up to {margin.holds}; not at {margin.fails}{_within(margin.fails_within)}"
    still = "" if margin.fails == margin.bound else f", not yet at {margin.fails}"
    return f"would hold at {margin.holds}{still}"


def _within(moves: int | None) -> str:
    if moves is None:
        return ""
    if moves == 0:
        return ": the start violates it already"
    return f": the adversary wins within {counted(moves, 'move')}"


def _likely(way: LikelyWay | None) -> tuple[Block, ...]:
    """The likeliest play that loses the design, and what matters about it."""
    if way is None:
        return ()
    table = hold_table(way.hold, way.pace)
    if not way.play:
        return (table,)
    rows: list[tuple[blocks.CellValue, ...]] = []
    for step in way.play:
        likely = "sure" if step.probability == 1 else number(step.probability)
        rows.append((step.move.mover, step.move.action, step.move.change or "nothing", likely))
    columns = (*map(blocks.words, ("mover", "move", "what changes")), blocks.Column("how likely"))
    lead = (
        "Of all plays in which both sides do their best, this one is the likeliest to end in a violation "
        f"of “{'”, “'.join(way.violates)}”: every attempt succeeds the first time, with probability "
        f"{way.probability:.3g}. If an attempt fails, the adversary tries again or tries another."
    )
    title = "The likeliest play that loses"
    return table, Prose(lead), blocks.Table(title, columns, tuple(rows), sortable=False)


# -- what it takes ------------------------------------------------------------------------------------


def _demands(demands: Demands | None) -> tuple[Block, ...]:
    if demands is None:
        return ()
    parts: list[Block] = []
    if demands.play:
        spent = sum(step.cost for step in demands.play)
        lead = f"A play that holds with the least effort; interventions in it cost {count(spent)} in all."
        parts += [Prose(lead), _thrifty(demands.play)]
    for breach in demands.breaches:
        soon = f"the adversary forces a violation within {counted(breach.rank, 'move')}"
        lead = f"{STEPS[breach.reading]} ({breach.restriction}), {soon}"
        parts.append(folded_attack(breach.line, f"{lead}: "))
    return tuple(parts)


def _thrifty(play: tuple[ThriftyMove, ...]) -> blocks.Table:
    rows: list[tuple[blocks.CellValue, ...]] = []
    for step in play:
        needed = blocks.Cell("∞" if step.needed == UNBOUNDED else str(step.needed))
        paid = blocks.Cell(str(step.cost)) if step.cost else blocks.Cell("")
        rows.append((step.move.mover, step.move.action, step.move.change, paid, needed))
    columns = (*map(blocks.words, ("mover", "move", "what changes")), blocks.Column("cost"))
    return blocks.Table(
        "A play that holds with the least effort, and the effort still needed after each move",
        (*columns, blocks.Column("still needed")),
        tuple(rows[:MAX_PLAYED]),
        sortable=False,
        note=f"… {len(rows) - MAX_PLAYED} moves more" if len(rows) > MAX_PLAYED else "",
    )


# -- recovery -----------------------------------------------------------------------------------------


def _out_title(out: GettingOut) -> str:
    """What the section of a goal is called."""
    inside, again = ("", "") if out.again is None else (", once inside", " again")
    if out.goal == EVICTED:
        return ("Why the attacker can stay" if _is_trap(out) else "How the attacker is driven out") + inside
    return (f'Why "{out.goal}" is never' if _is_trap(out) else f'How "{out.goal}" is') + f" reached{again}"


def _out_contents(out: GettingOut) -> str:
    """Its title in a list of contents, which has the table of recovery as well."""
    if out.goal == EVICTED:
        return "Why they stay" if _is_trap(out) else "Eviction"
    return f"Never {out.goal}" if _is_trap(out) else out.goal.capitalize()


def _is_trap(out: GettingOut) -> bool:
    """Whether the adversary can keep the play away from the goal."""
    return out.moves == NEVER or out.again is False


def getting_out(out: GettingOut) -> tuple[Block, ...]:
    """The play to a goal, or in a trap, move by move."""
    if not out.play:
        return (Prose("It is so from the start, and nothing can change it."),) if out.again else ()
    trapped = _is_trap(out)
    rows: list[tuple[blocks.CellValue, ...]] = []
    for step in out.play:
        why = "; ".join(f"not {gathered_names(r.actions)}: {r.reason}" for r in step.refused)
        last = why if trapped else step.left
        rows.append((step.move.mover, step.move.action, step.move.change or "nothing", last))
    heads = [*map(blocks.words, ("mover", "move", "what changes"))]
    heads.append(blocks.words("why not otherwise") if trapped else blocks.Column("moves left"))
    title = "The defender's fastest way, against an adversary who delays as long as possible"
    if trapped:
        title = "A play in which the attacker stays, whatever the defender tries"
    play = blocks.Table(title, tuple(heads), tuple(rows), sortable=False)
    return (play,) if out.repeats is None else (Prose(_staying(out)), play, Prose(_repeated(out)))


def _staying(out: GettingOut) -> str:
    """Where the attacker stays, and why nothing gets it out of there."""
    assert out.repeats is not None
    stays = "can stay for ever" if out.goal == EVICTED else f'can prevent "{out.goal}" for ever'
    refused = dict.fromkeys(each for step in out.play[out.repeats :] for each in step.refused)
    ways = "; ".join(f"{listed(list(each.actions), 'or')} {each.reason}" for each in refused)
    sure = "No move is then sure to" if out.risky else ""
    nothing = f"{sure} get closer to it." if sure else "No move then gets closer to it."
    why = f"Every move that gets closer to it then loses: {ways}." if ways else nothing
    if out.goal == EVICTED:
        nothing = f"{sure} undo it." if sure else "No move then undoes it."
        why = f"Every move that would undo it then loses: {ways}." if ways else nothing
    return f"The attacker {stays} once {out.stay} is reached. {why}"


def gathered_names(actions: tuple[str, ...]) -> str:
    """Some actions, in a phrase."""
    return listed(list(actions), "nor")


def _repeated(out: GettingOut) -> str:
    """That the play goes on for ever."""
    assert out.repeats is not None
    length = len(out.play) - out.repeats
    if all(not step.move.change for step in out.play[out.repeats :]):
        return "From here on nothing needs to change."
    return f"The last {counted(length, 'move')} can be repeated for ever."


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
        text += " One of them:" if tight.examples[0].play is None else " The nearest:"
    parts: list[Block] = [Prose(text)]
    for _, same in groupby(tight.examples, _kinds):
        first, *others = same
        parts.append(_spot(first))
        if others:
            parts.append(Prose(quiet("Likewise in " + ", or in ".join(spot.state for spot in others) + ".")))
    return tuple(parts)


def _kinds(spot: Spot) -> object:
    """What is permitted and forbidden at a spot, by kinds of actions; spots that share it are told once."""
    forbidden = [({*map(action_type, group.actions)}, group.reason) for group in spot.forbidden]
    return {*map(action_type, spot.permitted)}, forbidden


def _spot(spot: Spot) -> Facts:
    totals = Counter(action_type(action) for f in spot.forbidden for action in f.actions)
    totals += Counter(map(action_type, spot.permitted))
    largest = max((len(group.actions) for group in spot.forbidden), default=0)
    groups = sorted(spot.forbidden, key=lambda group: (len(group.actions) == largest, group.rank))
    permitted = (Span(gathered(spot.permitted, totals), "good"),)
    items: list[tuple[Phrase, Phrase]] = [("state", spot.state), ("after", _play(spot.play))]
    items.append(("permitted", permitted))
    for group in groups:
        actions = gathered(group.actions, totals, group is groups[-1])
        items.append(("forbidden", (Span(actions, "bad"), Span(f": {group.reason}"))))
    return Facts(tuple(items))


def _play(play: tuple[MoveInWords, ...] | None) -> str:
    if play is None:
        return "a play for which the search was not finished"
    moves = abridged([f"{move.mover} {move.action}" for move in play])
    return ", ".join(moves) or "no move: it is the start"


def _approach(approach: Approach | None) -> tuple[Block, ...]:
    if approach is None:
        return ()
    parts: list[Block] = [Prose(_nearness(approach))]
    if approach.threats:
        of_them = [(t.clause, f"  at {count(t.n_positions)} of them") for t in approach.threats]
        parts.append(Points(tuple((Span(clause), Span(where, "quiet")) for clause, where in of_them)))
    if approach.example is not None:
        example = approach.example
        first = "First after" if example.play is not None else "For instance after"
        parts.append(Prose(f"{first}: {_play(example.play)} ({example.state})."))
    if approach.by_waiting and approach.n_waiting_loses > approach.n_positions:
        parts.append(Prose(f"Doing nothing eventually loses at {count(approach.n_waiting_loses)}."))
    parts += [
        Prose(f"A clause mentions {e.bound}; in safe play it ranges from {e.least} to {e.greatest}.")
        for e in approach.extents
    ]
    return tuple(parts)


def _nearness(approach: Approach) -> str:
    if approach.moves is None:
        return "No single wrong move lets the adversary win."
    wrong = f"the defender {'does nothing' if approach.by_waiting else 'makes one wrong move'} there"
    then = "the adversary's very next move is a violation" if approach.moves == 1 else "the adversary wins"
    later = "" if approach.moves == 1 else f" within {counted(approach.moves, 'move')}"
    where = f"At {count(approach.n_positions)} of {count(approach.n_searched)} defender positions"
    return f"{where}, if {wrong}, {then}{later}" + (":" if approach.threats else ".")
