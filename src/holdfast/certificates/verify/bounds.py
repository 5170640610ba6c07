"""How likely the requirement is kept: bounds of it, checked in whole numbers.

Values are multiples of 1/units, given for the valuations of each listed plane: in arrays, or as value
diagrams (:mod:`.value_bounds`). A choice of which some outcome violates φ_A is not admissible. Where there is
no admissible choice the play rests for ever, and φ_D is kept. What is trusted is as in :mod:`.checking`.

*Below.* Let x be 0 wherever φ_D is violated and in planes that are not listed, 1 at most, and x ≤ Φ(x)
everywhere: at a defender position some choice, and at an adversary position every admissible one, has a mean
of x over its outcomes that is not less. Then from each position φ_D is kept for ever with probability x at
least, whatever an admissible adversary does: the defender makes such a choice each time, x never falls in the
mean, and it is at most 1, and 0 where φ_D is violated.

*For T moves.* Beginning with 1 wherever φ_D is kept, T steps of Φ, each rounded up, bound the probability
that it is kept for T moves, and so that it is kept for ever. Each step is off by less than 1/units, and Φ
spreads no error; so what they give is at most T/units too high, if no move leads to a plane that is not
listed.

*Above, for ever.* That y ≥ Φ(y) is not enough: two players who pass for ever keep any y between them. So
positions have pairs of a value y and a rank, a whole number from 0 on; (0, 0) where φ_D is violated, (1, 0)
in planes that are not listed. A choice *lowers* the pair of v if the mean of y over its outcomes, rounded up
to a multiple of 1/units, is less than y(v), or is y(v) and some outcome has a lesser rank than v. Wherever
y < 1, every choice of the defender lowers the pair, or some admissible one of the adversary does. Then from
each position v the probability that φ_D is kept for ever is y(v) at most.

Proof. Let the adversary make such choices, and stop the play where φ_D is violated or y is 1. Until then y
never rises in the mean, and each move is one that *falls*, lowering y in the mean by 1/units or more, or one
that *nears*, lowering the rank with probability ε or more, the least probability of an outcome. As y is
between 0 and 1, the mean number of moves that fall is at most units; so with probability one only finitely
many do. Let N − 1 be the largest rank. Whatever came before, with probability ε^N or more one of the next N
moves falls or the play stops, since a rank cannot be lowered N times. If the play went on for ever, this
would therefore happen again and again, with probability one, and infinitely many moves would fall. So it
stops with probability one; and where φ_D is kept for ever it stops where y is 1. That has at most the
probability y(v), because y never rises in the mean. ∎
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from holdfast.arrays import Array, Bools, Int64s
from holdfast.budget import Budget
from holdfast.certificates.verify.array_space import ArraySpace, Indices
from holdfast.certificates.verify.container import refuse, words
from holdfast.certificates.verify.planes import Plane, PlaneGame
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Player

MAX_UNITS, MAX_MOVES, MAX_DENOMINATOR = 1 << 30, 10_000, 1 << 30
_RATIO = re.compile(r"(\d{1,24})/([1-9]\d{0,23})")


@dataclass(frozen=True)
class LikelyBounds:
    """The probability that φ_D is kept.

    Attributes:
        low: for ever, at least.
        high: for so many moves, at most.
        moves: how many that are.
        forever: for ever, at most; None where nothing but ``high`` is proved of it.
        least: for so many moves, at least; None where nothing but ``low`` is proved of it.
    """

    low: Fraction
    high: Fraction
    moves: int
    forever: Fraction | None = None
    least: Fraction | None = None


def read_bounds(data: dict[str, Any]) -> LikelyBounds | None:
    """What a certificate says of how likely the requirement is kept; None where it says nothing."""
    if "bounds" not in data:
        return None
    said = data["bounds"]
    if not 0 <= said["moves"] <= MAX_MOVES:
        refuse(f"its bounds are not about 0 to {MAX_MOVES:,} moves")
    ends = {end: _fraction(said[end]) for end in ("low", "high", "forever", "least") if end in said}
    return LikelyBounds(moves=said["moves"], **ends)


def _fraction(text: str) -> Fraction:
    parts = _RATIO.fullmatch(text)
    if parts is None:
        refuse("a bound is no fraction such as 19/20")
    return Fraction(int(parts[1]), int(parts[2]))


def wrong_bounds(
    chosen: Configuration,
    witness: dict[str, Any],
    planes: dict[Plane, int],
    bounds: LikelyBounds,
    budget: Budget,
) -> str:
    """Why a witness does not prove its bounds; empty where it does."""
    if witness["kind"] == "diagrams":
        from holdfast.certificates.verify.value_bounds import wrong_values

        return wrong_values(chosen, witness["values"], planes, bounds, budget)
    units, n = witness["units"], chosen.game.n_valuations
    if not 0 < units <= MAX_UNITS:
        refuse(f"its values are not multiples of 1/1 to 1/{MAX_UNITS:,}")
    space = ArraySpace(chosen.game, 3 * len(planes), budget)
    values = words(witness["values"], len(planes) * n).reshape(len(planes), n).astype(np.int64)
    if values.max(initial=0) > units:
        refuse("a value is more than 1")
    check = _Check(PlaneGame(chosen, None, planes, space, budget), space, units, budget)
    return check.below(values, bounds.low) or check.above(bounds)


class _Check:
    """The steps of one game."""

    def __init__(
        self, game: PlaneGame[Bools, Indices], space: ArraySpace, units: int, budget: Budget
    ) -> None:
        self.game, self.space, self.units, self.budget = game, space, units, budget
        self.start = game.planes.get(game.initial)
        self.place = game.structure.index(game.structure.initial)
        self.steps: dict[tuple[Player, int], Array] = {}

    def below(self, values: Int64s, low: Fraction) -> str:
        """Why values are no lower bounds, or too low."""
        game = self.game
        for plane, i in game.planes.items():
            if game.is_unsafe(plane) and values[i].any():
                return f"a value where φ_D is violated is not 0: {self._at(plane, values[i] > 0)}"
        for plane, i in game.planes.items():
            if game.is_unsafe(plane):
                continue
            kept = values[i] == 0
            for name, possible, mean, whole in self._choices(plane, values, 0):
                enough = mean >= whole * values[i].astype(mean.dtype)
                if plane[0] is Player.DEFENDER:
                    kept = kept | (possible & enough)
                elif (possible & ~enough).any():
                    at = self._at(plane, possible & ~enough)
                    return f"the adversary move {name} lowers what is claimed at: {at}"
            if plane[0] is Player.DEFENDER and not kept.all():
                return f"no defender move keeps what is claimed at: {self._at(plane, ~kept)}"
        value = (
            Fraction(0) if self.start is None else Fraction(int(values[self.start, self.place]), self.units)
        )
        return "" if value >= low else f"it claims {low} at least, and its values give {value} at the start"

    def above(self, bounds: LikelyBounds) -> str:
        """Why the upper bound is too low, as far as T steps in whole numbers tell."""
        game, n = self.game, self.space.game.n_valuations
        if game.is_unsafe(game.initial):
            return ""
        if self.start is None:
            return "" if bounds.high >= 1 else "the initial position is in no plane that is listed"
        values = np.full((len(game.planes), n), self.units)
        for plane, i in game.planes.items():
            values[i] *= not game.is_unsafe(plane)
        for _ in range(bounds.moves):
            after = values.copy()
            for plane, i in game.planes.items():
                if not game.is_unsafe(plane):
                    after[i] = self._best(plane, values)
            if np.array_equal(after, values):
                break
            values = after
        value = Fraction(int(values[self.start, self.place]), self.units)
        if value <= bounds.high:
            return ""
        return f"it claims {bounds.high} at most, and {bounds.moves} moves give {value} at the start"

    def _best(self, plane: Plane, values: Int64s) -> Int64s:
        """One step of Φ at a plane, rounded up."""
        defends = plane[0] is Player.DEFENDER
        best = np.full(values.shape[1], 0 if defends else self.units, np.int64)
        for _, possible, mean, whole in self._choices(plane, values, self.units):
            worth = (-(-mean // whole)).astype(np.int64)
            if defends:
                best = np.where(possible, np.maximum(best, worth), best)
            else:
                best = np.where(possible, np.minimum(best, worth), best)
        return best

    def _choices(
        self, plane: Plane, values: Int64s, unlisted: int
    ) -> Iterator[tuple[str, Bools, Array, int]]:
        """For each choice: its name, where it can be made, and the mean of what follows times a number.

        What is in no listed plane has the value ``unlisted``, where φ_D is kept.
        """
        game, (turn, _) = self.game, plane
        actions = game.structure.actions[turn]
        for alike in game.alike(turn):
            self.budget.tick(f"checking how likely it holds: the {turn}'s {alike[0][1]}")
            letters = game.after(plane, game.letter(turn, alike[0][0]))
            shape = self.space.shape
            goal = np.full(shape, unlisted, np.int64)
            for target, states in letters.targets:
                goal = np.where(states, values[target].reshape(shape), goal)
            goal = np.where(letters.unsafe, 0, goal).reshape(-1)
            forbidden = np.broadcast_to(letters.forbidden, shape).reshape(-1)
            together: dict[str, list[int]] = {}
            for number, _ in alike:
                together.setdefault(actions[number].choice, []).append(number)
            for name, numbers in together.items():
                shares = [Fraction(actions[number].probability) for number in numbers]
                if sum(shares) != 1:
                    refuse(f"the outcomes of {name} are not all there is")
                whole = lcm(*(share.denominator for share in shares))
                kind = np.int64 if whole <= MAX_DENOMINATOR else object
                mean = np.zeros(len(goal), kind)
                possible = np.ones(len(goal), bool)
                for number, share in zip(numbers, shares, strict=True):
                    step = self._step(turn, number)
                    mean = mean + int(share * whole) * goal[step].astype(kind)
                    if turn is Player.ADVERSARY:
                        possible = possible & ~forbidden[step]
                yield name, possible, mean, whole

    def _step(self, turn: Player, number: int) -> Array:
        if (turn, number) not in self.steps:
            self.steps[turn, number] = np.asarray(self.space.step(turn, number)).reshape(-1)
        return self.steps[turn, number]

    def _at(self, plane: Plane, states: Bools) -> str:
        return self.game.described(plane, states.reshape(self.space.shape))
