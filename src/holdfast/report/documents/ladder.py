"""The ladder of a design in words: what it holds with besides, and what it falls with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdfast.design import EVICTABLE, Ladder, RungVerdict, fall_of
from holdfast.game import counted
from holdfast.readings import Gate
from holdfast.report.blocks import (
    Aside,
    Banner,
    Block,
    Document,
    Facts,
    Prose,
    Role,
    Row,
    Section,
    Span,
    Table,
    words,
)
from holdfast.report.documents.fingerprint import certificate, gate_sentences

MARKS = {True: "✓", False: "✗", None: "?"}
ROLES: Mapping[bool | None, Role] = {True: "good", False: "bad", None: "quiet"}
ROW_MARKS = {True: "met", False: "lost", None: "differs"}


def ladder_section(ladder: Ladder, *, full: bool = False) -> Section:
    """What a design holds with besides, and what it falls with.

    In words for each rung if it is ``full``; else by names, and in words where there is room.
    """
    return Section("Ladder", tuple(_blocks(ladder, full)))


def ladder_document(
    ladder: Ladder, source: str = "", rank: int | None = None, gates: Sequence[Gate] = ()
) -> Document:
    """The answer of ``ladder``; ``rank`` is within how many moves a lost design is lost."""
    title = ladder.name + (f" · {ladder.variant}" if ladder.variant else "")
    verdict = certificate(ladder.defensible, rank)
    if not ladder.defensible and rank is None:
        verdict = Banner("bad", "NOT DEFENSIBLE", "The design does not hold as it is.")
    answer = Section("Verdict", (verdict, *gate_sentences(gates)))
    return Document(title or source, (answer, ladder_section(ladder, full=True)), source if title else "")


def _blocks(ladder: Ladder, full: bool) -> Iterator[Block]:
    rungs = ladder.rungs
    if not rungs:
        return
    if not ladder.defensible and all(one.defensible is False and one.within is None for one in rungs):
        names = ", ".join(one.rung for one in rungs)
        yield Prose(f"A design that is already lost is also lost with a weaker defender: {names}.")
        return
    if full:
        yield _table(rungs)
        return
    weaker = [one for one in rungs if not one.rung.startswith(EVICTABLE)]
    kinds = {
        "holds also with": [one.rung for one in weaker if one.defensible],
        "falls with": [_fallen(one) for one in weaker if one.defensible is False],
        "not decided": [one.rung for one in weaker if one.defensible is None],
        "attacker out": [_evicted(one) for one in rungs if one.rung.startswith(EVICTABLE)],
    }
    yield Facts(tuple((kind, "; ".join(names)) for kind, names in kinds.items() if names))
    yield Aside((Row((Prose(_lamps(rungs)),)), _table(rungs)))


def _evicted(verdict: RungVerdict) -> str:
    """Whether the attacker can be driven out again, as the design is or with a weakening."""
    weaker = verdict.rung.removeprefix(EVICTABLE).removeprefix("-")
    answer = {True: "yes", False: "no", None: "not decided"}[verdict.defensible]
    return f"{answer} with {weaker}" if weaker else answer


def _fallen(verdict: RungVerdict) -> str:
    """A rung that is not reached, with how soon it falls."""
    within = "" if verdict.within is None else f"within {counted(verdict.within, 'move')}"
    head = " ".join(filter(None, [within, f"from {verdict.start}" if verdict.start else ""]))
    return verdict.rung + (f" ({head})" if head else "")


def lamp(verdict: RungVerdict, beside: str = "") -> Span:
    """The mark of a rung, in its colour, with what stands ``beside`` it in the same one."""
    return Span(MARKS[verdict.defensible] + beside, ROLES[verdict.defensible])


def _lamps(rungs: Sequence[RungVerdict]) -> tuple[Span, ...]:
    """A mark for each rung, beside each other."""
    return tuple(lamp(one, f" {one.rung}   ") for one in rungs)


def _table(rungs: Sequence[RungVerdict]) -> Table:
    rows = tuple((one.rung, one.words, _verdict(one)) for one in rungs)
    return Table(
        "The same question with a weaker defender or a stronger adversary",
        (words("rung"), words("what is asked"), words("the design")),
        rows,
        tuple(ROW_MARKS[one.defensible] for one in rungs),
        sortable=False,
    )


def _verdict(verdict: RungVerdict) -> str:
    if verdict.defensible is None:
        return f"not decided: {verdict.note}" if verdict.note else "not decided"
    if verdict.rung.startswith(EVICTABLE) and verdict.within is None:
        return "yes" if verdict.defensible else "no: the attacker can stay"
    return "holds" if verdict.defensible else fall_of(verdict)


def ladders_table(ladders: Mapping[str, Ladder]) -> Table:
    """Which rungs each of several designs reaches: a row for each design, a column for each rung."""
    keys = list(dict.fromkeys(one.rung for ladder in ladders.values() for one in ladder.rungs))
    rows = []
    for label, ladder in ladders.items():
        verdicts = {one.rung: MARKS[one.defensible] for one in ladder.rungs}
        verdicts |= dict.fromkeys(ladder.reached, MARKS[ladder.defensible])
        rows.append((label, *(verdicts.get(key) for key in keys)))
    return Table(
        "The rungs that each design reaches: ✓ it holds there, ✗ it does not, ? not decided, – not asked",
        (words("design"), *map(words, keys)),
        tuple(rows) if keys else (),
    )
