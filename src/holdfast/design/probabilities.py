"""How likely designs hold as one probability is moved, and up to where it may go.

What is moved is how likely choices of one name, or of one type, succeed: each of them has two outcomes, and
the second changes nothing. Strictly between 0 and 1 nothing that is possible becomes impossible, so the
verdicts stay and HOLD alone moves. Where whoever fails could as well have waited, it never rises with the
probability of an attack, and never falls with that of a defense; so where it crosses a threshold is found by
halving, to :data:`FINE`. What is said of both ends is proved, whether or not that is so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean
from holdfast.game import FAILS, Configuration, Displayed, Interval, choices, counted
from holdfast.logic import Player
from holdfast.operation import held_for
from holdfast.running import Backend, run_tasks
from holdfast.solver import solve

FINE = Fraction(1, 1000)
"""So close the ends of a crossing are."""
MAX_VALUES = 100
LONG, LIKELY = 100, 0.95

_ASKED = re.compile(
    r"chance\((.+)\)\s*=\s*(?:(\d*\.?\d+)\s*\.\.\s*(\d*\.?\d+)(?:\s+by\s+(\d*\.?\d+))?|([\d.,\s]+))\s*"
)


@dataclass(frozen=True)
class ProbabilityScale:
    """Whose probability is moved, by the name or type of a choice, and its values, ascending."""

    name: str
    values: tuple[Fraction, ...]


@dataclass(frozen=True)
class LikelyCurve:
    """One design.

    Attributes:
        label: of the design.
        player: whose choices they are.
        cells: for each value what is proved of HOLD; None where a limit left it open.
        crossing: between which two values of the probability HOLD crosses the threshold; None if it does
            not within the scale, or where that was left open.
        unfinished: why something is open; else empty.
    """

    label: str
    player: Player
    cells: tuple[Interval[float] | None, ...]
    crossing: Interval[Fraction] | None
    unfinished: str = ""


@dataclass(frozen=True)
class LikelyFrontier(Displayed):
    """How likely designs hold along a scale.

    Attributes:
        scale: what is moved.
        moves: for how many moves it is asked; None for ever.
        least: the threshold.
        curves: the designs, the base first.
    """

    scale: ProbabilityScale
    moves: int | None
    least: float
    curves: tuple[LikelyCurve, ...]

    @property
    def words(self) -> str:
        """For how long."""
        return "for ever" if self.moves is None else f"for {counted(self.moves, 'move')}"


def probability_scale(text: str) -> ProbabilityScale | None:
    """The scale that a text asks for; None for one of another kind.

    >>> [str(p) for p in probability_scale("chance(spread)=0.1..0.3").values]
    ['1/10', '1/5', '3/10']
    >>> [float(p) for p in probability_scale("chance(spread)=0.05..0.25 by 0.1").values]
    [0.05, 0.15, 0.25]

    Raises:
        InputError: for values that are no probabilities.
    """
    if not text.startswith("chance("):
        return None
    match = _ASKED.fullmatch(text)
    try:
        values = _values(match) if match is not None else []
    except ValueError:
        values = []
    if match is None or not values:
        raise InputError(
            f'"{text}" is no chance with its values; expected chance(spread)=0.1..0.9, '
            "chance(spread)=0.05..0.5 by 0.05, or chance(spread)=0.01,0.1,0.5"
        )
    if not all(0 < value < 1 for value in values):
        raise InputError(
            f'"{text}": expected probabilities above 0 and below 1; what always succeeds is left out of '
            "chance:, what never does of the actions"
        )
    if len(values) > MAX_VALUES:
        raise InputError(f'"{text}" has {len(values):,} values; at most {MAX_VALUES} are asked, so use by')
    return ProbabilityScale(match[1].strip(), tuple(values))


def _values(match: re.Match[str]) -> list[Fraction]:
    if match[5] is not None:
        return sorted({Fraction(part.strip()) for part in match[5].split(",")})
    low, high = Fraction(match[2]), Fraction(match[3])
    digits = max(len(end.partition(".")[2]) for end in (match[2], match[3]))
    step = Fraction(match[4]) if match[4] else Fraction(1, 10**digits)
    if step <= 0 or high < low or (high - low) / step > 10 * MAX_VALUES:
        return []
    return [low + i * step for i in range(int((high - low) / step) + 1)]


def with_probability(configuration: Configuration, name: str, p: Fraction) -> Configuration:
    """The configuration in which choices of a name or type succeed with another probability.

    Raises:
        InputError: where there is none such whose outcome is drawn, or one with more than two outcomes.
    """
    game = configuration.game
    moved, drawn = dict(game.actions), dict[str, None]()
    for player in Player:
        actions = list(moved[player])
        for outcomes in choices(game, player):
            first = actions[outcomes[0]]
            if len(outcomes) > 1:
                drawn |= dict.fromkeys((first.type, first.choice))
            if len(outcomes) < 2 or name not in (first.type, first.choice):
                continue
            last = actions[outcomes[-1]]
            if len(outcomes) > 2 or not last.name.endswith(FAILS):
                raise InputError(
                    f"{first.choice} has several outcomes, so no one number says how likely it succeeds; "
                    "move another chance"
                )
            actions[outcomes[0]] = replace(first, probability=p)
            actions[outcomes[1]] = replace(last, probability=1 - p)
        moved[player] = tuple(actions)
    if name not in drawn:
        known = ", ".join(list(drawn)[:16]) or "none; say how likely attempts succeed under chance:"
        hint = did_you_mean(name, drawn)
        raise InputError(f'no outcome of "{name}" is drawn{hint}; chances are given for {known}')
    return replace(configuration, system=replace(configuration.system, game=replace(game, actions=moved)))


def likely_frontier(
    designs: Mapping[str, Configuration],
    over: ProbabilityScale | str,
    *,
    moves: int | None = LONG,
    least: float = LIKELY,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> LikelyFrontier:
    """HOLD of some designs, the base first, as one probability is moved, and where it crosses a threshold.

    Raises:
        InputError: for no design, text that is no such scale, and a design without such choices.
    """
    scale = probability_scale(over) if isinstance(over, str) else over
    if scale is None or not designs:
        raise InputError('expected at least one design, and a scale such as "chance(spread)=0.1..0.9"')
    for here in designs.values():
        with_probability(here, scale.name, scale.values[0])  # what does not fit is said before the work
    tasks = {label: (here, scale, moves, least, engine) for label, here in designs.items()}
    found = dict(run_tasks(likely_curve, tasks, budget, backend))
    curves = []
    for label, here in designs.items():
        cells, crossing = found[label].value or ([None] * len(scale.values), None)
        curves.append(
            LikelyCurve(
                label,
                _mover(here, scale.name),
                tuple(None if one is None else Interval(*one) for one in cells),
                None if crossing is None else Interval(*map(Fraction, crossing)),
                found[label].failure,
            )
        )
    return LikelyFrontier(scale, moves, least, tuple(curves))


def _mover(configuration: Configuration, name: str) -> Player:
    """Whose choices have a name or type; the adversary's before the defender's."""
    own = configuration.game.actions[Player.ADVERSARY]
    adversary = any(action.outcome_of and name in (action.type, action.choice) for action in own)
    return Player.ADVERSARY if adversary else Player.DEFENDER


def likely_curve(
    task: tuple[Configuration, ProbabilityScale, int | None, float, str], budget: Budget
) -> tuple[list[tuple[float, float]], tuple[str, str] | None]:
    """HOLD of one design at each value, and between which two it crosses the threshold, as text."""
    configuration, scale, moves, least, engine = task

    def ends(p: Fraction) -> Interval[float]:
        budget.tick(f"how likely it holds, {scale.name} at {float(p):g}")
        changed = with_probability(configuration, scale.name, p)
        return held_for(solve(changed, engine, budget), moves, budget)

    cells = [ends(p) for p in scale.values]
    crossing = _crossing(list(zip(scale.values, cells, strict=True)), least, ends)
    told = None if crossing is None else (str(crossing[0]), str(crossing[1]))
    return [(one.low, one.high) for one in cells], told


def _crossing(
    known: list[tuple[Fraction, Interval[float]]], least: float, ends: Callable[[Fraction], Interval[float]]
) -> tuple[Fraction, Fraction] | None:
    """Two values close to each other between which HOLD crosses a threshold; None where it does not."""

    def side(here: Interval[float]) -> int:
        """+1 where it is likely enough for certain, −1 where it certainly is not, 0 where that is open."""
        return 1 if here.low >= least else -1 if here.high < least else 0

    sides = [side(here) for _, here in known]
    if {1, -1} - set(sides):
        return None
    first = next(one for one in sides if one)
    low = max(p for (p, _), one in zip(known, sides, strict=True) if one == first)
    high = min(p for (p, _), one in zip(known, sides, strict=True) if one == -first)
    if low > high:  # it crosses more than once
        return None
    # Each end by itself, since where HOLD is the threshold nothing is certain.
    open_below, open_above = high, low
    while open_below - low > FINE / 2:
        middle = (low + open_below) / 2
        low, open_below = (middle, open_below) if side(ends(middle)) == first else (low, middle)
    while high - open_above > FINE / 2:
        middle = (high + max(open_above, low)) / 2
        high, open_above = (middle, open_above) if side(ends(middle)) == -first else (high, middle)
    return low, high


def likely_object(found: LikelyFrontier) -> dict[str, Any]:
    """It as plain data for JSON."""
    return {
        "chance": found.scale.name,
        "values": [float(p) for p in found.scale.values],
        "moves": found.moves,
        "least": found.least,
        "designs": [
            {
                "design": curve.label,
                "of": str(curve.player),
                "hold": [None if one is None else {"low": one.low, "high": one.high} for one in curve.cells],
                "crossing": None
                if curve.crossing is None
                else {"low": float(curve.crossing.low), "high": float(curve.crossing.high)},
                "undecided": curve.unfinished or None,
            }
            for curve in found.curves
        ],
    }
