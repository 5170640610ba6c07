"""The verdict for a defender who does not see everything, and what is left of the readings then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdfast.game import NEVER, UNBOUNDED, count, counted, listed
from holdfast.readings import Analysis, SightReading, reach_in_words, reading_of, stays_away
from holdfast.report.blocks import Banner, Block, CellValue, Column, Prose, Section, Table, words

WITH_SIGHT = (
    "All other scores, and every rung of the ladder except blind, are for a defender who sees everything."
)
TOO_MANY = (
    "How much freedom is left, how soon the attacker can be driven out and what it takes to defend were "
    "not computed: too many cases look the same."
)


def seen_certificate(banner: Banner, sight: SightReading) -> Banner:
    """The certificate of a design that holds with sight, for a defender who sees what its sensors show."""
    there = f"with sensors at {listed(sight.sensors)} alone" if sight.sensors else "without any sensor"
    if sight.defensible is None:
        return replace(
            banner,
            tone="open",
            word="HELD WITH SIGHT",
            sentence="A defense exists for a defender who sees "
            f"everything. Whether one exists {there} is not decided.",
        )
    if not sight.defensible:
        return replace(
            banner,
            tone="bad",
            word="NOT DEFENSIBLE WITH THESE SENSORS",
            sentence=f"A defender who sees everything would hold it; {there} nobody can: some attack "
            "looks harmless until it is too late.",
        )
    uses = f"with sensors at {listed(sight.needs)}" if sight.needs else "that needs no sensor"
    return replace(banner, sentence=f"A defense {uses} exists against every admissible adversary.")


def known_to_be(analysis: Analysis, sight: SightReading, soon: str) -> str:
    """What can be got back to and known to be, or how ``soon`` it could be if everything were seen."""
    goal = next(iter(analysis.recovery))
    known, soon = sight.recovery.get(goal), soon.replace(" can ", " could ", 1)
    if known is None:
        return f"If everything were seen, {soon}"
    if known == NEVER and not stays_away(analysis, goal):
        return f"If everything were seen, {soon}; with these sensors nobody can make sure of it"
    reach = reach_in_words(goal, known)
    return f"{reach[0].upper()}{reach[1:]}" + (", and is known to be" if known != NEVER else "")


def seen_sections(analysis: Analysis) -> Iterator[Section]:
    """What is left of the readings where the defense may use only what is seen."""
    sight = analysis.sight
    if analysis.defensible and sight is not None and sight.defensible:
        yield Section("With these sensors", tuple(_left(analysis, sight)))


def _left(analysis: Analysis, sight: SightReading) -> Iterator[Block]:
    rows = [*_latitude(analysis, sight), *_goals(analysis, sight), *_response(analysis, sight)]
    kept = f"The defense that was found tells {counted(sight.stances or 0, 'set')} of possible cases apart."
    if not rows:
        yield Prose(f"{kept} {TOO_MANY}")
        return
    yield Table(
        "The scores for a defender who sees only what the sensors show",
        (words("reading"), Column("seen"), Column("all seen"), words("what it says with these sensors")),
        tuple(rows),
        note=kept,
        sortable=False,
    )


def _latitude(analysis: Analysis, sight: SightReading) -> Iterator[tuple[CellValue, ...]]:
    if sight.latitude is not None:
        said = f"{sight.latitude:.1%} of the defender's actions are safe in every possible case"
        slt = None if analysis.slt is None else f"{analysis.slt:.4f}"
        yield "latitude", f"{sight.latitude:.4f}", slt, said


def _goals(analysis: Analysis, sight: SightReading) -> Iterator[tuple[CellValue, ...]]:
    for goal, moves in sight.recovery.items():
        profile = analysis.recovery.get(goal)
        whole = None if profile is None or profile.moves is None else _number(profile.moves)
        said = reach_in_words(goal, moves) + (", and it is known then" if moves != NEVER else "")
        if moves == NEVER and whole not in (None, NEVER):
            said = "nobody can ever be sure of it"
        yield goal, _number(moves), whole, said


def _response(analysis: Analysis, sight: SightReading) -> Iterator[tuple[CellValue, ...]]:
    if sight.response is not None:
        seen = replace(analysis, response=sight.response)
        for key in ("effort", "tempo", "grace"):
            value, whole = getattr(sight.response, key), getattr(analysis.response, key, None)
            yield key, _number(value), _number(whole), reading_of(key).described(seen)


def _number(value: int | str | None) -> str | None:
    if value is None:
        return None
    if isinstance(value, int):
        return count(value)
    return "∞" if value == UNBOUNDED else value
