"""The certificate of how likely a design holds: a value for each position that no move lowers in the mean.

*Listed.* Values are whole numbers of 1/:data:`UNITS`. Those of iteration from above are bent down a little,
as :mod:`holdfast.operation.holding.descent` says, rounded down, and lowered until they are kept in whole
numbers, too. The upper bound needs no witness: the checker makes the steps itself.

*By value diagrams*, where positions are too many to list: values as
:mod:`holdfast.operation.holding.by_diagrams` finds them are kept in whole numbers already. Beside those from
below there are those from above, with ranks (:mod:`holdfast.operation.holding.falling`), which bound holding
for ever. Both are proofs after however many steps: where a limit ends the search, what was
found is certified.
"""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy as np

from holdfast.arrays import Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.certificates import certificate_of
from holdfast.errors import InputError, LimitError
from holdfast.game import is_admissible
from holdfast.logic import Player
from holdfast.operation.brackets.value_diagrams import SECOND, constant
from holdfast.operation.holding.by_diagrams import Following, following
from holdfast.operation.holding.choice_game import ChoiceGame, choice_game, is_listed
from holdfast.operation.holding.descent import BENDS, Followed, followed, snapped
from holdfast.operation.holding.falling import RankedValues
from holdfast.operation.holding.mean_by_diagrams import doomed_positions
from holdfast.operation.holding.value_steps import LaneValues, value_of
from holdfast.operation.holding.value_text import ValueText
from holdfast.solver import TURNS, Solution, WitnessPlane, arrays, listed_planes, packed

UNITS = 1 << 30
REPAIRS = 1_000
MAX_NUMBERS = 1 << 26
LIKELY = "likely"
HALF = 0.5
"""Of the time that is left, what the search for values may take; the rest is for ranks and for writing."""


def certify_hold(
    solution: Solution, moves: int = 100, path: Path | None = None, budget: Budget = UNLIMITED
) -> bytes:
    """The certificate that φ_D is kept for ever, and for so many moves, with a probability between bounds.

    Raises:
        InputError: for a game that is no scenario, or whose start violates φ_D or φ_A.
        LimitError: where positions are too many to list, or past the budget.
    """
    configuration = solution.configuration
    if solution.initial_rank == 0 or not is_admissible(configuration, configuration.initial):
        raise InputError("the start is violated already, so that there is no probability to prove")
    if not is_listed(solution):
        return _by_diagrams(solution, moves, path, budget)
    regions = arrays(solution, budget)
    game, blocks = choice_game(solution, budget), regions.tables.blocks
    planes = [
        WitnessPlane(turn, *blocks.states(block), block)
        for turn in Player
        for block in range(blocks.n_blocks)
        if not blocks.is_sink(block)
    ]
    if len(planes) * regions.tables.n > MAX_NUMBERS:
        raise LimitError(f"the certificate would list more than {MAX_NUMBERS:,} positions")
    values = np.where(regions.ranks < 0, UNITS, 0).astype(np.int64).reshape(2, -1)
    low, high = Fraction(1), Fraction(1)
    if game is not None:
        course = followed(game, (moves,), True, budget)
        kept = whole_values(game, course)
        own = game.n_defender
        values[0][game.keys[:own]], values[1][game.keys[own:]] = kept[:own], kept[own : game.n]
        low = Fraction(int(kept[game.initial]), UNITS)
        high = Fraction(math.ceil(Fraction(course.moves[moves].high) * UNITS) + moves, UNITS)
    by_plane = values.reshape(regions.ranks.shape)
    listed = [by_plane[TURNS.index(plane.turn), plane.block] for plane in planes]
    witness = {"kind": "arrays", "planes": listed_planes(planes), "units": UNITS, "values": packed(listed)}
    ends = {"low": _written(low), "high": _written(min(high, Fraction(1))), "moves": moves}
    return certificate_of(configuration, LIKELY, witness, path, budget, bounds=ends)


def _by_diagrams(solution: Solution, moves: int, path: Path | None, budget: Budget) -> bytes:
    """The certificate where positions are too many to list."""
    course = following(solution, (moves,), budget.share(HALF))
    game, blocks = course.game, course.game.product.blocks
    text = ValueText(game.product.diagrams)
    ends, values = dict.fromkeys(("low", "high", "forever", "least"), game.scale), course.values
    if not solution.defensible:
        ends["high"] = _high(course, moves, budget.share(HALF))
        off = moves * (game.error + 1) if course.n_moves >= moves else game.scale
        values = _without_hope(solution, course, budget)
        ends["low"], ends["forever"] = course.low, value_of(game, values)
        ends["least"] = max(ends["low"], ends["high"] - off)
    text.add(game.table, [course.lowest[lane] for lane in game.lanes], lambda value: str(max(value, 0)))
    ranked = RankedValues(game, values, budget)
    text.add(game.table, [ranked.pairs[lane] for lane in game.lanes], ranked.written)
    planes = [WitnessPlane(turn, *blocks.states(block), block) for turn, block in game.lanes]
    witness = {"kind": "diagrams", "planes": listed_planes(planes), "values": text.text(game.scale)}
    bounds = {end: _written(Fraction(value, game.scale)) for end, value in ends.items()} | {"moves": moves}
    return certificate_of(solution.configuration, LIKELY, witness, path, budget, bounds=bounds)


def _without_hope(solution: Solution, found: Following, budget: Budget) -> LaneValues:
    """The values from above; where v₀ is lost with probability one, 0 for all positions that are."""
    table = found.game.table
    try:
        lost = None if found.low else doomed_positions(solution, budget.share(HALF))
    except LimitError:
        lost = None
    if lost is None or solution.configuration.initial not in lost:
        return found.values
    return {
        (turn, block): table.combined(SECOND, values, constant(0), guard=table.set_of(lost[turn][block]))
        for (turn, block), values in found.values.items()
    }


def _high(following: Following, moves: int, budget: Budget) -> int:
    """What HOLD_T is at most, in units, having followed HOLD as far as time allows."""
    try:
        following.come_to(moves, budget)
    except LimitError:  # what was found until then is a proof, too
        if not following.n_moves:
            raise
    high = value_of(following.game, following.values)
    with suppress(LimitError):
        following.close(budget)
    return high


def _written(end: Fraction) -> str:
    return f"{end.numerator}/{end.denominator}"


def whole_values(game: ChoiceGame, found: Followed) -> Int64s:
    """Values in whole numbers that no move lowers in the mean; the best of some."""
    best = _ends(game, np.zeros(game.n + 2, np.int64))
    close = snapped(found.values, 1e-9)
    for bend in BENDS[3:]:
        bent = np.floor((close - bend * close * (1 - close)) * UNITS).astype(np.int64)
        kept = _kept(game, _ends(game, bent))
        if kept is not None and kept[game.initial] > best[game.initial]:
            best = kept
    return best


def _ends(game: ChoiceGame, values: Int64s) -> Int64s:
    values[game.n], values[game.n + 1] = 0, UNITS
    return np.maximum(values, 0)


def _kept(game: ChoiceGame, values: Int64s) -> Int64s | None:
    """The values, lowered to what one move leaves of them until nothing changes; None if it takes long."""
    wholes = [lcm(*(share.denominator for share in shares)) for shares in game.exact]
    for _ in range(REPAIRS):
        worth = values[game.target]
        for number, (shares, whole) in enumerate(zip(game.exact, wholes, strict=True)):
            own = np.flatnonzero(game.classes == number)
            kind = np.int64 if whole <= UNITS else object
            after = values[game.drawn[own][:, : len(shares)]].astype(kind)
            parts = np.array([int(share * whole) for share in shares], dtype=kind)
            worth[game.gambles[own]] = (after * parts).sum(axis=1) // whole
        after = _ends(game, np.minimum(values, _best(game, worth)))
        if np.array_equal(after, values):
            return values
        values = after
    return None


def _best(game: ChoiceGame, worth: Int64s) -> Int64s:
    """The best choice at each position, in whole numbers."""
    best, own = np.zeros(game.n + 2, np.int64), game.n_defender
    cut = int(game.first[own])
    if own:
        best[:own] = np.maximum.reduceat(worth[:cut], game.first[:own])
    if own < game.n:
        best[own : game.n] = np.minimum.reduceat(worth[cut:], game.first[own : game.n] - cut)
    best[game.n + 1] = UNITS
    return best
