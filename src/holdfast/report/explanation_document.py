"""An explanation as a document: the attack as a tree or the tight spots, and what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from holdfast.explanation import Explanation
from holdfast.explanation.demands import Demands, ThriftyMove
from holdfast.explanation.lines import AttackStep, FirstMove, ForcedLine, Reply
from holdfast.explanation.spots import Approach, Spot, TightSpots
from holdfast.numerals import count, counted, listed
from holdfast.report import blocks
from holdfast.report.background import NOWHERE, Background, origin_of
from holdfast.report.best_play_section import best_play_blocks
from holdfast.report.blocks import Block, Branch, Facts, Phrase, Points, Prose, Section, Span, quiet
from holdfast.report.fingerprint import certificate, drawn_clauses, drawn_system, question, taken
from holdfast.response import UNBOUNDED
from holdfast.results import Provenance
from holdfast.whatif.assumptions import Removal
from holdfast.whatif.margins import Margin
from holdfast.whatif.repairs import Repairs
from holdfast.words import Move

KINDS = {"action": "adversary action", "budget": "unit of a budget"}
"""Kinds of assumptions that have other words than their name."""

MAX_MOVES, MOVES_SHOWN = 16, 5
"""Moves of a play up to which all are shown, and how many of either end are shown past that."""

MAX_STEPS, MAX_NESTED = 30, 5
"""Steps of a tree, and steps inside each other, past which the tree goes on in a new one."""

MAX_LISTED, FEW = 6, 3

MAX_PLAYED = 14
"""Moves of a play with the least effort that are shown."""

STEPS = {"effort": "With less effort", "tempo": "One turn slower", "grace": "One turn later"}
"""One step past each reading of the response."""


def explanation_document(
    found: Explanation, background: Background = NOWHERE, provenance: Provenance | None = None
) -> blocks.Document:
    """The answer of ``explain``: the verdict, what was asked, and the reasons."""
    known = replace(background, legend=found.legend)
    asked = question(found.start, found.requirement, found.boundary, known, found.violated)
    verdict = certificate(found.defensible, found.rank)
    return blocks.Document(
        title=found.name + (f" · {found.variant}" if found.variant else ""),
        source=background.source,
        lead=background.lead or verdict.sentence,
        sections=(
            Section("Verdict", (verdict, blocks.Warnings(found.warnings), asked)),
            *drawn_system(background),
            *reasons(found),
            *drawn_clauses(background),
        ),
        provenance=tuple(origin_of(provenance).items()),
        closing=(taken(found),),
    )


def reasons(found: Explanation) -> Iterator[Section]:
    """Why the verdict is as it is, part by part; a part that has nothing to say is left out."""
    moved = "Margins" if found.defensible else "How far each number would have to move"
    opening = first_moves(found.first_moves, found.n_first_moves)
    partial = (Points(found.partial),) if found.partial else ()
    parts: tuple[tuple[str, str, tuple[Block, ...], bool], ...] = (
        ("How a violation is forced", "The attack", attack(found.line), True),
        ("First moves that win for the adversary", "First moves", opening, True),
        ("What the attack depends on", "Repairs", _repairs(found.repairs), False),
        ("The tightest spots of safe play", "Tight spots", _tight(found.tight), True),
        ("How near the adversary comes", "Closest approach", _approach(found.approach), True),
        (moved, "Margins", _margins(found), False),
        ("What it takes to hold", "Effort, tempo, grace", _demands(found.demands), True),
        ("How perfect players begin", "Perfect play", best_play_blocks(found.best_play), True),
        ("Not looked at, or not to the end", "Not looked at", partial, False),
    )
    for title, contents, told, detail in parts:
        if told:
            yield Section(title, told, detail, contents)


def reasons_together(found: Explanation, title: str) -> Section:
    """The same in one section, for a report on several designs."""
    told = [block for section in reasons(found) for block in (blocks.Heading(section.title), *section.blocks)]
    return Section(title, tuple(told), detail=True)


# -- what it depends on -------------------------------------------------------------------------------


def _repairs(repairs: Repairs | None) -> tuple[Block, ...]:
    if repairs is None:
        return ()
    kinds = listed([KINDS.get(kind, kind) for kind in repairs.kinds], "or")
    if not repairs.sets:
        tried = f"no set of fewer than {repairs.size} is enough"
        return (Prose(f"{tried if repairs.size > 1 else 'nothing was found yet'}; the search was stopped"),)
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
        return "holds whatever the number" + (": no limit is needed here" if defensible else "")
    if margin.never:
        return "no number here would be enough"
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
        return f"holds up to {margin.holds}; at {margin.fails} no more{_within(margin.fails_within)}"
    still = "" if margin.fails == margin.bound else f", not yet at {margin.fails}"
    return f"would hold at {margin.holds}{still}"


def _within(moves: int | None) -> str:
    if moves is None:
        return ""
    if moves == 0:
        return ": the start violates it already"
    return f": the adversary wins within {counted(moves, 'move')}"


# -- what it takes ------------------------------------------------------------------------------------


def _demands(demands: Demands | None) -> tuple[Block, ...]:
    if demands is None:
        return ()
    found: list[Block] = []
    if demands.play:
        spent = sum(step.cost for step in demands.play)
        lead = f"A play that holds with the least effort; interventions in it cost {count(spent)} in all."
        found += [Prose(lead), _thrifty(demands.play)]
    for breach in demands.breaches:
        soon = f"the adversary forces a violation within {counted(breach.rank, 'move')}"
        found += [
            Prose(f"{STEPS[breach.reading]} ({breach.restriction}), {soon}:"),
            *attack(breach.line, folded=True),
        ]
    return tuple(found)


def _thrifty(play: tuple[ThriftyMove, ...]) -> blocks.Table:
    rows: list[tuple[blocks.Value, ...]] = []
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
    permitted = (Span(gathered(spot.permitted, totals), "good"),)
    items: list[tuple[Phrase, Phrase]] = [("state", spot.state), ("after", _play(spot.play))]
    items.append(("permitted", permitted))
    for group in groups:
        actions = gathered(group.actions, totals, group is groups[-1])
        items.append(("forbidden", (Span(actions, "bad"), Span(f": {group.reason}"))))
    return Facts(tuple(items))


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
        of_them = [(t.clause, f"  at {count(t.n_positions)} of them") for t in approach.threats]
        found.append(Points(tuple((Span(clause), Span(where, "quiet")) for clause, where in of_them)))
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
    wrong = f"the defender {'does nothing' if approach.by_waiting else 'makes one wrong move'} there"
    then = "the very next move of the adversary violates" if approach.moves == 1 else "the adversary wins"
    later = "" if approach.moves == 1 else f" within {counted(approach.moves, 'move')}"
    where = f"At {count(approach.n_positions)} of {count(approach.n_searched)} defender positions"
    return f"{where}, if {wrong}, {then}{later}" + (":" if approach.threats else ".")


# -- the attack -------------------------------------------------------------------------------------


def attack(line: ForcedLine | None, *, folded: bool = False) -> tuple[Block, ...]:
    """The steps as a tree, folded or not; where they are many, the longest resistance alone."""
    if line is None or not line.steps:
        return ()
    if len(line.steps) > MAX_STEPS:
        return _longest(line)
    return (replace(_Steps(line).tree(), folded=folded),)


class _Steps:
    """Steps of a line, each told once; one that is told already, or too deep, is named by its number."""

    def __init__(self, line: ForcedLine) -> None:
        self.opening = line.opening
        self.steps = {step.number: step for step in line.steps}
        self.told: set[int] = set()
        self.deferred: list[int] = [] if line.opening else [1]

    def tree(self) -> blocks.Tree:
        begins = quiet("the defender begins")
        found = [Branch(begins, self.replies(self.opening, 1))] if self.opening else []
        while self.deferred:
            number = self.deferred.pop(0)
            if number not in self.told:
                found.append(self.step(number, 1))
        return blocks.Tree(tuple(found))

    def step(self, number: int, depth: int) -> Branch:
        step = self.steps[number]
        self.told.add(number)
        line = (
            Span(f"{step.number}  ", "strong"),
            Span("adversary ", "quiet"),
            Span(step.action, "bad"),
            Span(f"  {step.change}" if step.change else "  (nothing changes)"),
        )
        if not step.violates:
            return Branch(line, self.replies(step.replies, depth))
        more = f" (one of {step.n_positions} states)" if step.n_positions > 1 else ""
        return Branch(line, (Branch(_violation(step.violates, step.after + more)),))

    def replies(self, replies: tuple[Reply, ...], depth: int) -> tuple[Branch, ...]:
        totals = Counter(kind_of(action) for reply in replies for action in reply.actions)
        found = []
        for reply in replies:
            fresh = reply.step if reply.step not in self.told else None
            if fresh is not None and depth >= MAX_NESTED:
                self.deferred.append(fresh)
                fresh = None
            line = self.reply(reply, totals, reply is replies[-1])
            after = [Branch(_violation(reply.violates, reply.state))] if reply.violates else []
            after += [self.step(fresh, depth + 1)] if fresh is not None else []
            found.append(Branch(line, tuple(after)))
        return tuple(found)

    def reply(self, reply: Reply, totals: Counter[str], last: bool) -> tuple[Span, ...]:
        actions = gathered(reply.actions, totals, last and len(totals) > 1)
        if 1 < len(reply.actions) == totals.total():
            actions = "any reply"
        line = [Span("defender ", "quiet"), Span(actions, "good")]
        if len(reply.actions) > 1:
            line.append(Span(f"  {len(reply.actions)} replies", "quiet"))
        if reply.step in self.told or reply.step in self.deferred:
            line.append(Span(f"  go to {reply.step}", "strong"))
        elif reply.step is None and not reply.violates:
            line.append(Span(f"  lost within {counted(reply.rank, 'move')}, not followed", "quiet"))
        return tuple(line)


def _violation(clauses: tuple[str, ...], state: str) -> tuple[Span, ...]:
    said = " and ".join(f"“{clause}”" for clause in clauses)
    return Span(f"violates {said}", "bad"), Span(f"  in {state}", "quiet")


def _longest(line: ForcedLine) -> tuple[Block, ...]:
    """The replies that resist longest, one after the other."""
    steps = {step.number: step for step in line.steps}
    rows: list[tuple[blocks.Value, ...]] = []
    number = line.opening[-1].step if line.opening else 1
    end: Phrase = ""
    while number is not None and len(rows) < MAX_STEPS:
        step = steps[number]
        rows.append((str(number), step.action, step.change, *_resistance(step)))
        last = step.replies[-1] if step.replies else None
        if last is None or last.violates:
            end = (
                _violation(step.violates, step.after)
                if last is None
                else _violation(last.violates, last.state)
            )
        number = last.step if last is not None else None
    if number is not None:
        end = quiet(f"… and within {counted(steps[number].rank, 'move')} more")
    head = f"The attack has {len(steps):,} steps. This is the longest resistance; --json lists all."
    columns = tuple(map(blocks.words, ("step", "adversary", "what changes", "longest reply", "any other")))
    title = "The attack against the longest resistance, step by step"
    return (
        Prose(head),
        blocks.Table(title, columns, tuple(rows), sortable=False),
        *([Prose(end)] if end else []),
    )


def _resistance(step: AttackStep) -> tuple[str, str]:
    """The reply that resists longest, and how soon any other loses."""
    if not step.replies:
        return "", ""
    if len(step.replies) == 1:
        return "any", ""
    totals = Counter(kind_of(action) for reply in step.replies for action in reply.actions)
    sooner = step.replies[-2].rank
    best = gathered(step.replies[-1].actions, totals)
    return best, f"lost within {counted(sooner, 'move')}" if sooner else "violates at once"


def first_moves(moves: tuple[FirstMove, ...], n_all: int) -> tuple[Block, ...]:
    """The adversary's first moves that win, the quickest first, and how many others there are."""
    if not moves:
        return ()
    items: list[tuple[Phrase, Phrase]] = []
    for move in moves[:MAX_STEPS]:
        soon = Span(f"  violation within {counted(move.rank, 'move')}", "quiet")
        change = Span(move.change or "nothing changes")
        items.append(((Span(gathered(move.actions), "bad"),), (change, soon)))
    more = len(moves) - MAX_STEPS
    rest = [Prose(quiet(f"… {more:,} more"))] if more > 0 else []
    other = n_all - sum(len(move.actions) for move in moves)
    do = "does" if other == 1 else "do"
    note = f"{counted(other, 'other first move')} {do} not win" if other else "every first move wins"
    return Facts(tuple(items)), *rest, Prose(quiet(note))


# -- words --------------------------------------------------------------------------------------------


def kind_of(action: str) -> str:
    """What stands before the bracket of an action's name."""
    return action.partition("(")[0]


def gathered(actions: tuple[str, ...], totals: Counter[str] | None = None, last: bool = False) -> str:
    """``any noop or monitor; isolate(DB, BK)``: actions of a kind together.

    ``totals`` says how many of each kind there are in all; ``last`` are what is left after others were told.
    """
    targets: dict[str, list[str]] = {}
    for action in actions:
        kind, _, target = action.partition("(")
        targets.setdefault(kind, []).append(target.removesuffix(")"))
    whole = [k for k, own in targets.items() if totals is not None and 1 < len(own) == totals[k]]
    parts = [f"any {listed(whole, 'or')}"] if whole else []
    for kind, own in targets.items():
        if kind not in whole:
            shown = ", ".join(own[:MAX_LISTED]) + (f", … {len(own)} in all" if len(own) > MAX_LISTED else "")
            parts.append(f"{kind}({shown})" if any(own) else kind)
    return "anything else" if last and len(parts) > 1 and len(actions) > FEW else "; ".join(parts)
