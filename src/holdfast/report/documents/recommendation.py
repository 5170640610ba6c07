"""A recommendation as a document: the answer first, then what each change does, then what was not tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from holdfast.design import (
    ASKED_FOR,
    BROKEN,
    BURDENS,
    DROPPABLE,
    IMPROVEMENTS,
    LIKELIER,
    REMEDIES,
    WHOLE,
    ChangedDesign,
    DesignSpace,
    Improvements,
    Likelier,
    Recommendation,
    Remedies,
    Remedy,
    UndoneBy,
    gains,
    losses,
    merits,
    order_of,
    ranked_readings,
    rungs,
)
from holdfast.game import UNBOUNDED, counted, has_chance, listed, number
from holdfast.readings import (
    CANNOT,
    EVICTED,
    RECOVERED,
    Reading,
    SightReading,
    again_in_words,
    reading_of,
    weighed_readings,
)
from holdfast.report import blocks
from holdfast.report.blocks import (
    Banner,
    Block,
    Cell,
    CellValue,
    Column,
    Points,
    Prose,
    Section,
    Span,
    Table,
    words,
)
from holdfast.report.documents.before_after import before_and_after, overlay_figures
from holdfast.report.documents.burden import burden_figure, burden_section
from holdfast.report.documents.fingerprint import certificate, counted_alike
from holdfast.report.documents.likelihood import shown
from holdfast.report.documents.seen_readings import seen_certificate

if TYPE_CHECKING:  # drawing takes longer to load than all the rest
    from matplotlib.figure import Figure

MAX_SHOWN = 5
"""Sets of changes that are shown where nobody asks for all."""

MAX_TOLD = 3
"""Rungs that are named in a sentence."""

NAMES: Mapping[str, str] = MappingProxyType({})
"""Nothing to say of a rung but its name."""

FOR_ALL = ": a change is made for all of them, and priced as one"

TO_USE = "to use a change: --write FILE adds the best as variants, --patch FOLDER writes a change request"

HOLDS_WITHOUT = "it would hold without one of these requirements"


def recommendation_document(
    recommendation: Recommendation,
    source: str = "",
    proposed: Sequence[ChangedDesign] = (),
    *,
    in_full: bool = False,
) -> blocks.Document:
    """The answer of ``recommend``; designs that are ``proposed``, the base first, are drawn over it.

    The first few sets of changes are shown and the rest is counted, unless it is wanted ``in_full``. Of a
    recommendation that is not whole yet it is as much of the document as will not change any more.
    """
    most = None if in_full else MAX_SHOWN
    here, awaited = recommendation.space.configuration, {*recommendation.awaited}
    title = here.name + (f" · {recommendation.space.variant}" if recommendation.space.variant else "")
    if ASKED_FOR in awaited:
        return blocks.Document(title, ())
    chance = has_chance(here.game)
    verdict = certificate(recommendation.defensible, recommendation.rank, chance=chance)
    sight = here.system.sight
    remedied = recommendation.remedies is not None or REMEDIES in awaited
    if recommendation.wanted.sight and recommendation.defensible and remedied:
        placed = sight.placed or () if sight is not None else ()
        verdict = seen_certificate(verdict, SightReading(placed, False))
    if awaited & {LIKELIER, IMPROVEMENTS, REMEDIES}:
        return blocks.Document(title, (Section("Verdict", (verdict,)),), source, here.description)
    if recommendation.likelier is not None:
        sections = tuple(_likelier(recommendation.likelier, verdict, most))
    elif recommendation.remedies is not None:
        sections = tuple(_lost(recommendation, recommendation.remedies, verdict, most))
    else:
        assert recommendation.improvements is not None
        sections = tuple(_held(recommendation, recommendation.improvements, verdict, most))
    if awaited:
        certain = sections[:2] if awaited & {BURDENS, DROPPABLE} else sections
        return blocks.Document(title, certain, source, here.description)
    return blocks.Document(
        title=title,
        source=source,
        lead=here.description,
        sections=(
            *sections[:2],
            *before_and_after(recommendation.space, proposed),
            *sections[2:],
            *_robustness(recommendation.undone),
        ),
        closing=(
            *filter(None, [counted_alike(here.system.gathered, FOR_ALL)]),
            f"{counted(len(recommendation.space.changes), 'possible change')}, "
            f"{counted(recommendation.n_solved, 'design')} solved in {recommendation.seconds:.1f} s",
            *([TO_USE] if _offers(recommendation) else ()),
        ),
    )


def _offers(recommendation: Recommendation) -> bool:
    """Whether there is a change to use."""
    remedies, better = recommendation.remedies, recommendation.improvements
    return bool(recommendation.likelier or (remedies and remedies.sets) or (better and better.front))


def recommendation_figures(
    recommendation: Recommendation, proposed: Sequence[ChangedDesign]
) -> dict[str, Figure]:
    """The pictures of the answer, each under a name for its file."""
    drawn = overlay_figures(recommendation.space, proposed)
    if recommendation.improvements is not None and recommendation.burdens:
        burden = burden_figure(
            recommendation.space.configuration, recommendation.burdens, recommendation.improvements.base
        )
        drawn |= {"burden": burden} if burden is not None else {}
    return drawn


# -- chance -----------------------------------------------------------------------------------------


def _likelier(found: Likelier, verdict: Banner, most: int | None) -> Iterator[Section]:
    """What makes a lost design likelier to hold, the best for its cost first."""
    as_it_is = shown(found.base)
    answer = f"As it is, the requirement is kept {found.words} with probability {as_it_is}."
    if found.designs:
        best = found.designs[0]
        gains = f"{listed(best.changes)}, at a cost of {best.cost}, to {shown(best.hold)}"
        answer += f" The best value for its cost: {gains}."
    else:
        answer += " None of the changes is certain to raise that."
    yield Section("Verdict", (verdict, Prose(answer)))
    if not found.designs:
        return
    rows: list[tuple[CellValue, ...]] = []
    for one in found.designs[:most]:
        gain, per_cost = Cell(f"+{one.gain:.4f}", one.gain), Cell(f"+{one.per_cost:.4f}", one.per_cost)
        rows.append((listed(one.changes), one.cost, Cell(shown(one.hold), one.hold.low), gain, per_cost))
    hidden = len(found.designs) - len(rows)
    columns = (words("change"), *map(Column, ("cost", f"kept {found.words}", "gain", "gain per cost")))
    looked = counted(found.n_read, "changed design")
    note = f"Of {looked} that were tried" + ("" if found.complete else ", not all that there are")
    note += f"; {hidden} more help." if hidden else "."
    table = Table("Changes that make it more likely to hold", columns, tuple(rows), note=note)
    yield Section("What makes it more likely to hold", (table,))


# -- robustness -------------------------------------------------------------------------------------

MAX_UNDOING = 3
"""Additions that are named of those that would undo a change."""


def _robustness(undone: Sequence[UndoneBy]) -> Iterator[Section]:
    """Which single additions would undo the design as it is, and each change."""
    if not undone:
        return
    rows = tuple((listed(each.changes) if each.changes else "as it is", _undoing(each)) for each in undone)
    note = "New links, lifted filters and exposed hosts, one at a time; holdfast fragile tries combinations."
    columns = (words("design"), words("undone by"))
    table = Table(
        "Which single additions would undo it", rows=rows, columns=columns, note=note, sortable=False
    )
    yield Section("How robust the fixed design is", (table,), detail=True)


def _undoing(each: UndoneBy) -> str:
    if each.additions is None:
        return "not asked in the time there was: holdfast fragile asks it"
    if not each.additions:
        return f"none of {each.n_looked_at:,} additions"
    named, left = each.additions[:MAX_UNDOING], len(each.additions) - MAX_UNDOING
    some = listed([*named, *([f"{left:,} more"] if left > 0 else [])])
    return f"{len(each.additions):,} of {each.n_looked_at:,}: {some}"


# -- flows ------------------------------------------------------------------------------------------

MAX_WITHHELD = 4
"""Changes that are named as not offered."""


def _flow_spans(space: DesignSpace, changes: Sequence[str]) -> tuple[Span, ...]:
    """What is left of the flows that do not stay whole."""
    left = [each for each in space.flows_left(changes) if each.kept != WHOLE]
    losses = [f"{each.flow} {'is lost' if each.kept == BROKEN else 'has fewer paths'}" for each in left]
    return (Span(f"  {listed(losses)}", "quiet"),) if losses else ()


def _about_flows(space: DesignSpace, sets: Sequence[Sequence[str]]) -> list[Block]:
    """What the changes do to the flows of the design, in sentences; nothing for a design without flows."""
    flows = space.flows_left(())
    if not flows:
        return []
    sentences: list[str] = []
    if sets and not any(_flow_spans(space, changes) for changes in sets):
        sentences.append(f"Whichever you choose, {_all(len(flows), 'flow')} of the design stays intact.")
    if space.withheld:
        left = len(space.withheld) - MAX_WITHHELD
        shown = listed([*space.withheld[:MAX_WITHHELD], *([f"{left} more"] if left > 0 else [])])
        sentences.append(f"Not offered, because a flow needs it: {shown} (--cut-flows offers it anyway).")
    return [Prose(" ".join(sentences))] if sentences else []


def _meanings(space: DesignSpace, sets: Sequence[Sequence[str]]) -> list[Block]:
    """What the changes that are shown mean, a sentence for each kind of them."""
    named = {name for changes in sets for name in changes}
    notes: dict[tuple[str, str], None] = {}
    for change in space.changes:
        if change.name in named and change.part is not None and change.part.means:
            notes[change.kind, change.part.means] = None
    points = tuple((Span(f"{kind}  ", "strong"), Span(means)) for kind, means in notes)
    return [Points(points)] if points else []


def _folded(n_shown: int, n_there: int) -> list[Block]:
    """How many more there are."""
    return [Prose(f"and {n_there - n_shown:,} more: --all")] if n_there > n_shown else []


def _all(n: int, noun: str) -> str:
    return f"the one {noun}" if n == 1 else f"each of the {n} {noun}s"


# -- lost -------------------------------------------------------------------------------------------


def _lost(
    recommendation: Recommendation, remedies: Remedies, verdict: Banner, most: int | None
) -> Iterator[Section]:
    wanted, space = recommendation.wanted, recommendation.space
    if remedies.sets:
        first = remedies.sets[0]
        so = f"{wanted.words}{_within(first)}" if wanted.goal else "it would hold"
        least = (
            ", and nothing cheaper is enough"
            if remedies.cheapest_known
            else "; there may be something cheaper"
        )
        sentence = f"With {listed(first.changes)} {so}. That costs {first.cost}{least}."
    else:
        also = " and keeps what must stay" if space.kept or space.kept_paths else ""
        so = f"makes sure that {wanted.words}" if wanted.goal else "makes it hold"
        sentence = f"No set of changes that costs up to {remedies.complete_to} {so}{also}."
    if wanted.goal and recommendation.defensible:
        cannot = CANNOT.get(wanted.goal, f'the adversary can prevent "{wanted.goal}" for ever')
        sentence = f"As it is, {cannot}. {sentence}"
    yield Section("Verdict", (verdict, Prose(sentence)))
    shown = remedies.sets[:most]
    items: list[tuple[Span, ...]] = [
        (
            Span(f"cost {remedy.cost}  ", "quiet"),
            Span("  and  ".join(remedy.changes), "strong"),
            *((Span(f" {_within(remedy)}", "quiet"),) if remedy.moves is not None else ()),
            *_flow_spans(recommendation.space, remedy.changes),
        )
        for remedy in shown
    ]
    parts: list[Block] = [Points(tuple(items))] if items else []
    parts += _folded(len(shown), len(remedies.sets))
    parts.append(Prose(_complete(remedies, recommendation.space)))
    parts += _meanings(recommendation.space, [remedy.changes for remedy in shown])
    parts += _about_flows(recommendation.space, [remedy.changes for remedy in shown])
    yield Section("What makes it so" if wanted.goal else "What makes it hold", tuple(parts))
    if recommendation.droppable:
        so = f"{wanted.words} if one of these requirements is given up" if wanted.goal else HOLDS_WITHOUT
        text = f"This changes the promise instead of the design: {so}."
        points = Points(tuple((Span(clause),) for clause in recommendation.droppable))
        yield Section("Requirements that could be given up", (Prose(text), points), detail=True)


def _within(remedy: Remedy) -> str:
    """How soon the goal that was asked for is reached then."""
    return "" if remedy.moves is None else f" within {counted(remedy.moves, 'move')}"


def _complete(remedies: Remedies, space: DesignSpace) -> str:
    """How far the list is complete, exactly."""
    if remedies.complete_to >= remedies.total and not remedies.sets:
        if space.keeps(range(len(space.changes))):
            sentence = "Nothing works, not even all of the changes together."
        else:
            sentence = "Nothing does: no set of the changes makes it hold and keeps what must stay."
    elif remedies.complete_to >= remedies.total:
        sentence = "This list is complete: any other set that works contains one of these."
    elif not remedies.cheapest_known:
        n_proved = remedies.complete_to
        upto = (
            f"nothing up to a cost of {n_proved} works" if n_proved else "nothing is known about cheaper sets"
        )
        sentence = f"All of them are needed, but there may be a cheaper set that works: {upto}."
    elif remedies.complete_to:
        proved = ", and nothing cheaper works" if remedies.sets else ""
        upto = f"Every minimal set up to a cost of {remedies.complete_to} is listed"
        sentence = f"{upto}{proved}; more expensive ones may exist."
    else:
        sentence = "The search was stopped before anything was proved about cost."
    untried = f"not tried: {remedies.remark}" if remedies.remark else ""
    more = "; ".join(text for text in (remedies.unfinished, untried) if text)
    return sentence + (f" ({more})" if more else "")


# -- held -------------------------------------------------------------------------------------------


def _held(
    whole: Recommendation, improvements: Improvements, verdict: Banner, most: int | None
) -> Iterator[Section]:
    front, base = improvements.front, improvements.base
    if front:
        why_first = f"{listed(front[0].changes)}, at a cost of {front[0].cost}: {reason(front[0], base)}."
        first = "Best" if improvements.complete else "Best of those that were tried"
        sentence = f"{first}: {why_first}"
    elif improvements.complete:
        sentence = "None of the changes is certain to improve it."
    else:
        sentence = "None of the changes that were tried is certain to improve it."
    if not improvements.complete:
        sentence += f" Tried: {improvements.coverage}."
    if whole.wanted.goal:
        sentence = f"As it is, {whole.wanted.words}. {sentence}"
    yield Section("Verdict", (verdict, Prose(sentence)))
    if front:
        shown = front[:most]
        marks = ("base", *("" for _ in shown))
        note = f"None is better in every respect at the same cost or less. Tried: {improvements.coverage}."
        table = _table("Changes that improve the design", (base, *shown), base, marks, note)
        why = Points(tuple((*_pieces(one, base), *_flow_spans(whole.space, one.changes)) for one in shown))
        sets = [one.changes for one in shown]
        gained = {key for one in shown for key in (one.rungs_gained or ())[:MAX_TOLD]}
        told = [rung for rung in rungs(whole.space.configuration) if rung.key in gained]
        points = Points(tuple((Span(f"{rung.key}  ", "strong"), Span(rung.words)) for rung in told))
        meant = (*_meanings(whole.space, sets), *([points] if told else []))
        more = (*_folded(len(shown), len(front)), *meant)
        title = "What makes it hold better"
        title += "" if improvements.complete else ", as far as time allowed"
        yield Section(title, (why, table, *more, *_about_flows(whole.space, sets)))
    if whole.burdens:
        yield burden_section(whole.space.configuration, whole.burdens, improvements.base)
    carried = {burden.without.changes for burden in whole.burdens}
    others = [reading for reading in improvements.singles if reading.changes not in carried]
    if others:
        yield Section("What each other change does", (_others(others, improvements.base),), detail=True)
    if improvements.dominated:
        named = tuple(
            (
                Span(listed(r.changes)),
                Span(f"  no better than {listed(improvements.front[i].changes)}", "quiet"),
            )
            for r, i in improvements.dominated[:most]
        )
        rest = _folded(len(named), len(improvements.dominated))
        yield Section("Also better, but dominated", (Points(named), *rest), detail=True)


def reason(reading: ChangedDesign, base: ChangedDesign, asked: Mapping[str, str] = NAMES) -> str:
    """Why a change is worth it, in a sentence: the rungs and its first gain, and what is worse for it.

    Rungs are told by their names or, to those who do not know them, by what is ``asked`` there.
    """
    better = {key: (before, after) for key, before, after in gains(reading, base)}
    sentences: list[str] = []
    if reading.rungs_gained:
        told, left = reading.rungs_gained[:MAX_TOLD], len(reading.rungs_gained) - MAX_TOLD
        some = [f"“{asked[key]}”" if key in asked else key for key in told]
        some += [f"{left} more"] if left > 0 else []
        quoted = f"it then stands {listed(some)}"
        sentences.append(quoted if asked else f"it then reaches {listed(some)} on the ladder")
    best = next((weighed for weighed in ranked_readings() if weighed.key in better), None)
    if best is not None:
        before, after = (_value(best, value) for value in better[best.key])
        goal = {"evict": EVICTED, "recover": RECOVERED}.get(best.key) if after == "0" else None
        gain = again_in_words(goal, True) if goal else best.gain.format(before=before, after=after)
        sentences.append(gain if not goal else f"{gain}, which was {before}")
    if not sentences:
        return "no certain improvement"
    worse = [_called(reading_of(key)) for key, _, _ in losses(reading, base)]
    lost = [f"{listed(worse)} {'is' if len(worse) == 1 else 'are'} worse"] if worse else []
    return ", and ".join(sentences) + "".join(f"; {each}" for each in lost)


def _called(weighed: Reading) -> str:
    """What a reading is called in a sentence; a label that only these tables have would tell nothing."""
    return weighed.name if weighed.group == "apart" else weighed.label


def _pieces(reading: ChangedDesign, base: ChangedDesign) -> tuple[Span, ...]:
    return Span(listed(reading.changes), "strong"), Span(f"  {reason(reading, base)}")


def _value(weighed: Reading, merit: float) -> str:
    value = 0.0 - merit if weighed.less else merit  # nothing is not less than nothing
    if value == inf:
        return "any number of" if weighed.endless == UNBOUNDED else weighed.endless
    return weighed.written(value)


def _table(
    caption: str, readings: Sequence[ChangedDesign], base: ChangedDesign, marks: Sequence[str], note: str = ""
) -> Table:
    """The readings of some designs, those columns left out that none of them has."""
    known = {key for design in (base, *readings) for key in merits(design)}
    weighed = [reading for reading in weighed_readings() if reading.key in known]
    heads = (Column(one.label, hint=one.hint if one.group == "apart" else "") for one in weighed)
    rows: list[tuple[CellValue, ...]] = []
    for reading in readings:
        name = listed(reading.changes) if reading.changes else "as it is"
        climbed = _climbed(reading)
        rows.append((name, reading.cost, climbed, *(_cell(one, reading, base) for one in weighed)))
    rungs_head = Column("rungs", hint="rungs of the ladder gained")
    columns = (words("change"), Column("cost"), rungs_head, *heads)
    return Table(caption, columns, tuple(rows), tuple(marks), note=note)


def _climbed(design: ChangedDesign) -> Cell:
    """How many rungs of the ladder are gained."""
    if design.changes and design.rungs_gained is None:
        return Cell("–")
    n_gained = len(design.rungs_gained or ())
    return Cell(f"+{n_gained}" if n_gained else "·", n_gained, strong=n_gained > 0)


def _cell(weighed: Reading, design: ChangedDesign, base: ChangedDesign) -> Cell:
    ends = merits(design).get(weighed.key)
    if ends is None:
        return Cell("–")
    low, high = (-ends[1], -ends[0]) if weighed.less else ends
    better = any(weighed.key == key for key, _, _ in gains(design, base))
    if (low, high) == (0.0, 1.0):  # all that is known of any design
        return Cell("–")
    if inf in (low, high):
        return Cell(weighed.written(inf), None, strong=better)
    if weighed.whole:
        return Cell(weighed.written(low), low, strong=better)
    text = number(low, 4) if high - low < 1e-4 else f"{number(low, 4)} to {number(high, 4)}"
    return Cell(text, (low + high) / 2, strong=better)


def _others(singles: Sequence[ChangedDesign], base: ChangedDesign) -> Table:
    """Single changes with their readings, the best first."""
    ranked = sorted(singles, key=order_of)
    marks = ["" if reading.defensible else "lost" for reading in ranked]
    note = "err: DDR* when both sides make occasional mistakes. ∞: no bound."
    return _table("The design with one change", ranked, base, marks, note)
