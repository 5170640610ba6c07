"""The table of readings, one row each: all that is said of a reading anywhere is said here.

Tables, figures, sheets, sentences, gates, recommendations, burdens, frontiers and the studio go over
:data:`READINGS`. A new reading is its computation, a row here (which takes it from an
:class:`~holdfast.readings.results.Analysis`), and its test.

The *fingerprint* has numbers between 0 and 1, more being better for the defender. Its *static* readings
follow from the solved game alone (WIN, STP, SLT, and *room* beside SLT); the others are *operating points*:
what the defender holds while both sides play, learned (DDR) or solved (DDR*). *Recovery* has numbers of
moves: how soon the attacker can be got out (:mod:`holdfast.solver.recovery`). *Chance* has how likely it
holds, where outcomes are drawn (:mod:`holdfast.operation.holding`); ``hold@100`` is that for 100 moves. The
*response* has whole numbers, or infinite ones: what a design demands of those who defend it
(:mod:`holdfast.solver.response`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.game import NEVER, UNBOUNDED, bracket, counted, percent
from holdfast.readings.goals import EVICTED, RECOVERED, goal_row, moves_to, no_goal
from holdfast.readings.likely import HOLD_READING, hold_within
from holdfast.readings.reading import NO_PLAY, Reading

if TYPE_CHECKING:  # the command line reads the table when it starts
    from holdfast.readings.results import Analysis

# -- what the readings say ----------------------------------------------------------------------------


def _steepness(analysis: Analysis) -> str:
    shells = analysis.shells
    if not shells:
        text = "no position outside the violation is lost"
    elif len(shells) == 1:
        text = "every lost position is 1 move from violation"
    else:
        share = percent(shells[0] / sum(shells))
        text = f"{share} of the lost positions are 1 move from violation, the last {len(shells)}"
    return f"shell steepness: {text}"


def _no_latitude(analysis: Analysis) -> str:
    if analysis.defensible and analysis.reachable is not None and not analysis.reachable.n_defender:
        return "safe play never reaches a defender position"
    return "" if analysis.defensible else NO_PLAY


def _room(analysis: Analysis) -> float | None:
    """SLT counts what changes nothing as well, which is most of what a defender can name; this does not."""
    reach = analysis.reachable
    return (
        reach.n_effective_permitted / reach.n_effective if reach is not None and reach.n_effective else None
    )


def _no_room(analysis: Analysis) -> str:
    if analysis.reachable is not None and not analysis.reachable.n_effective:
        return "in safe play no action of the defender would change anything"
    return _no_latitude(analysis)


def _learned(analysis: Analysis) -> str:
    ddr = analysis.ddr
    if ddr is None:
        return ""
    n = len(ddr.per_seed)
    runs = f"mean of {n} trained runs" if n > 1 else "one trained run"
    between = "" if ddr.low is None else f", 95% interval {ddr.low:.3f} to {ddr.high:.3f}"
    doubt = "" if ddr.settled else f"; {ddr.standing}: {ddr.reason}"
    return f"defender dominance: {runs}{between}{doubt}"


def _solved(analysis: Analysis) -> str:
    exact = analysis.ddr_exact
    if exact is None:
        return ""
    how = "solved exactly" if exact.value is not None else f"certainly {bracket(exact.low, exact.high)}"
    text = f"perfect play: {how}"
    if exact.tremble is None:
        return text
    return f"{text}; {exact.tremble:.4f} if both err in {percent(exact.epsilon)} of their moves"


def _no_response(analysis: Analysis) -> str:
    return analysis.no_response or ("" if analysis.defensible else NO_PLAY)


def _response(analysis: Analysis, name: str) -> float | None:
    value = None if analysis.response is None else getattr(analysis.response, name)
    return math.inf if value == UNBOUNDED else value


def _effort(analysis: Analysis) -> str:
    value = _response(analysis, "effort")
    if value is None:
        return ""
    if not value:
        return "nothing has to be done; doing nothing for ever is safe"
    if math.isinf(value):
        return "no number of interventions is enough for ever"
    if analysis.costs:
        return f"interventions costing {value:.0f} in all are enough, and less is not"
    enough = f"{counted(int(value), 'intervention')} in all {'is' if value == 1 else 'are'} enough"
    return f"{enough}, fewer are not"


def _tempo(analysis: Analysis) -> str:
    value = _response(analysis, "tempo")
    if value is None:
        return ""
    if math.isinf(value):
        return "any pace is fast enough, however long the defender waits between interventions"
    if value == 1:
        return "the defender must be ready to act in every turn"
    return f"one intervention in any {value:.0f} turns is enough; a slower pace is not"


def _grace(analysis: Analysis) -> str:
    value = _response(analysis, "grace")
    if value is None:
        return ""
    if math.isinf(value):
        return "the defender never has to begin"
    if not value:
        return "the defender must act in its first turn"
    return f"the defender may let {counted(int(value), 'turn')} pass before acting, but no more"


# -- the table ----------------------------------------------------------------------------------------

READINGS: tuple[Reading, ...] = (
    Reading(
        key="win",
        label="WIN",
        name="winning fraction",
        meaning="winning fraction: of the positions that are not yet violations, the share from which "
        "the requirement can be kept",
        read=lambda analysis: analysis.win,
        says=lambda analysis: (
            f"winning fraction: the defender holds {percent(analysis.win or 0.0)} of all positions that "
            f"are not yet violations"
        ),
        undefined=lambda analysis: "every position is already a violation" if analysis.win is None else "",
        radar=True,
        gated=True,
        gain="{after} of all positions can be held instead of {before}",
        brief=True,
    ),
    Reading(
        key="stp",
        label="STP",
        name="shell steepness",
        meaning="shell steepness: how concentrated the lost positions are at one depth; 0 if they are "
        "spread evenly",
        read=lambda analysis: analysis.stp,
        says=_steepness,
        undefined=lambda analysis: "",
        radar=True,
    ),
    Reading(
        key="slt",
        label="SLT",
        name="shield latitude",
        meaning="shield latitude: in safe play, the mean share of the defender's actions that are permitted",
        read=lambda analysis: analysis.slt,
        says=lambda analysis: (
            "shield latitude: in safe play "
            f"{(analysis.slt or 0.0) * analysis.defender_actions:.1f} of the defender's "
            f"{analysis.defender_actions} actions are permitted, those that change nothing included"
        ),
        undefined=_no_latitude,
        radar=True,
        gated=True,
        needs="latitude",
        gain="the shield leaves {after} of the moves instead of {before}",
        burden=True,
        brief=True,
    ),
    Reading(
        key="room",
        label="room",
        name="room to act",
        meaning="latitude that matters: in safe play, the part of the defender's actions with an effect that "
        "are safe",
        read=_room,
        says=lambda analysis: (
            f"room to act: of the actions that would change something, {percent(_room(analysis) or 0.0)} are "
            "safe"
        ),
        undefined=_no_room,
        gated=True,
        needs="latitude",
    ),
    Reading(
        key="ddr_exact",
        label="DDR*",
        name="dominance of perfect play",
        meaning="what the defender keeps on average when both sides play perfectly; solved, not learned",
        read=lambda analysis: None if analysis.ddr_exact is None else analysis.ddr_exact.value,
        says=_solved,
        bounds=lambda analysis: (
            None if analysis.ddr_exact is None else (analysis.ddr_exact.low, analysis.ddr_exact.high)
        ),
        bounds_are="certain ends of DDR*",
        certified=True,
        hint="in perfect play",
        gated=True,
        needs="exact",
        gain="perfect play keeps a mean dominance of {after} instead of {before}",
        burden=True,
        solves="ddr",
        brief=True,
    ),
    Reading(
        key="tremble",
        group="apart",
        label="err",
        name="DDR* with errors",
        meaning="what the defender keeps on average when both sides play perfectly except for occasional "
        "mistakes",
        read=lambda analysis: None if analysis.ddr_exact is None else analysis.ddr_exact.tremble,
        says=_solved,
        needs="exact",
        hint="DDR* when both sides make occasional mistakes",
        gain="with errors on both sides {after} instead of {before}",
    ),
    Reading(
        key="ddr",
        label="DDR",
        name="defender dominance",
        meaning="defender dominance: what the defender keeps on average once both sides are trained",
        read=lambda analysis: None if analysis.ddr is None else analysis.ddr.mean,
        says=_learned,
        bounds=lambda analysis: None if analysis.ddr is None else analysis.ddr.interval,
        bounds_are="95% interval of DDR over the seeds",
        doubt=lambda analysis: "" if analysis.ddr is None or analysis.ddr.settled else analysis.ddr.standing,
        digits=3,
        radar=True,
        gated=True,
        needs="learning",
    ),
    Reading(
        key="evict",
        group="recovery",
        label="evict",
        name="time to evict",
        meaning="within how many moves, counting both sides, the defender can force that no host is "
        "compromised, without ever losing on the way",
        read=lambda analysis: moves_to(analysis, EVICTED),
        says=lambda analysis: goal_row(analysis, EVICTED),
        undefined=lambda analysis: no_goal(analysis, EVICTED),
        hint="moves to drive the attacker out",
        gated=True,
        needs="recovery",
        whole=True,
        less=True,
        endless=NEVER,
        gain="the attacker can be evicted within {after} moves instead of {before}",
        brief=True,
    ),
    Reading(
        key="recover",
        group="recovery",
        label="recover",
        name="time to recover",
        meaning="within how many moves, counting both sides, the defender can force that every host is "
        "clean, without ever losing on the way",
        read=lambda analysis: moves_to(analysis, RECOVERED),
        says=lambda analysis: goal_row(analysis, RECOVERED),
        undefined=lambda analysis: no_goal(analysis, RECOVERED),
        hint="moves until all is clean",
        gated=True,
        needs="recovery",
        whole=True,
        less=True,
        endless=NEVER,
        gain="everything can be clean within {after} moves instead of {before}",
    ),
    HOLD_READING,
    Reading(
        key="effort",
        group="response",
        label="effort",
        name="effort",
        meaning="how many interventions hold the design for ever, or their cost, if the scenario gives costs",
        read=lambda analysis: _response(analysis, "effort"),
        says=_effort,
        undefined=_no_response,
        hint="interventions that are enough",
        gated=True,
        needs="response",
        whole=True,
        less=True,
        gain="it takes {after} instead of {before} interventions",
        burden=True,
        brief=True,
    ),
    Reading(
        key="tempo",
        group="response",
        label="tempo",
        name="tempo",
        meaning="the most turns of the defender in which one intervention is enough, again and again",
        read=lambda analysis: _response(analysis, "tempo"),
        says=_tempo,
        undefined=_no_response,
        hint="turns per intervention",
        gated=True,
        needs="response",
        whole=True,
        gain="the defender need not act more than once in {after} turns instead of {before}",
        burden=True,
    ),
    Reading(
        key="grace",
        group="response",
        label="grace",
        name="grace",
        meaning="for how many turns the defender may do nothing at the start",
        read=lambda analysis: _response(analysis, "grace"),
        says=_grace,
        undefined=_no_response,
        hint="idle turns at the start",
        gated=True,
        needs="response",
        whole=True,
        gain="the defender may start {after} turns late instead of {before}",
        burden=True,
    ),
)


# -- parts of the table -------------------------------------------------------------------------------


def every_reading() -> tuple[Reading, ...]:
    """The readings that a design is described by: the fingerprint, recovery, then the response."""
    return (*fingerprint_readings(), *recovery_readings(), *response_readings())


def fingerprint_readings() -> tuple[Reading, ...]:
    """The readings between 0 and 1."""
    return tuple(reading for reading in READINGS if reading.group == "fingerprint")


def recovery_readings() -> tuple[Reading, ...]:
    """The readings that count moves until it is over."""
    return tuple(reading for reading in READINGS if reading.group == "recovery")


def chance_readings() -> tuple[Reading, ...]:
    """The readings of how likely it holds; they are there where outcomes are drawn."""
    return tuple(reading for reading in READINGS if reading.group == "chance")


def response_readings() -> tuple[Reading, ...]:
    """The readings that are whole numbers or infinite."""
    return tuple(reading for reading in READINGS if reading.group == "response")


def static_readings() -> tuple[Reading, ...]:
    """The sides of the radar that follow from the solved game alone: WIN, STP, SLT."""
    return tuple(reading for reading in fingerprint_readings() if reading.static and reading.radar)


def operating_points() -> tuple[Reading, ...]:
    """What is held while both sides play; the first that was read speaks for all."""
    return tuple(reading for reading in fingerprint_readings() if not reading.static)


def untrained_readings() -> tuple[Reading, ...]:
    """The readings for which nobody has to be trained."""
    return tuple(reading for reading in READINGS if not reading.learned)


def weighed_readings() -> tuple[Reading, ...]:
    """The readings by which changes of a design are weighed, what is held in play first."""
    return tuple(sorted((r for r in READINGS if r.weighed), key=lambda reading: reading.static))


def burden_readings() -> tuple[Reading, ...]:
    """The readings by which the burden of a part is told, what is held in play first."""
    return tuple(reading for reading in weighed_readings() if reading.burden)


def reading_of(key: str) -> Reading:
    """The row with this key; that of HOLD for so many moves, where the key says so, as ``hold@100`` does."""
    name, at, moves = key.partition("@")
    reading = next(reading for reading in READINGS if reading.key == name)
    if not at:
        return reading
    return hold_within(int(moves))


def label_of(key: str) -> str:
    """How the reading with this key is called in tables."""
    return reading_of(key).label


@dataclass(frozen=True)
class RadarSide:
    """A side of the radar: its reading, the solved counterpart of a learned one, and where it points.

    ``x`` and ``y`` are a unit vector, y upwards.
    """

    reading: Reading
    solved: Reading | None
    x: float
    y: float


def radar_sides() -> tuple[RadarSide, ...]:
    """The sides of the radar, evenly spread, clockwise from the top."""
    readings = [reading for reading in READINGS if reading.radar]
    solved = {reading.solves: reading for reading in READINGS if reading.solves}
    turns = [2 * math.pi * k / len(readings) for k in range(len(readings))]
    return tuple(
        # Rounded, so that what points straight up has an x of 0.
        RadarSide(reading, solved.get(reading.key), round(math.sin(turn), 12), round(math.cos(turn), 12))
        for reading, turn in zip(readings, turns, strict=True)
    )
