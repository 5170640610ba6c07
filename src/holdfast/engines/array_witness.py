"""The witness of an explicit solution: one number for each plane and valuation, compressed."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.engines.array_regions import ArrayRegions
from holdfast.engines.product_tables import TURNS
from holdfast.engines.witness import WitnessPlane, admissible_planes, listed
from holdfast.errors import LimitError
from holdfast.logic.expressions import Player
from holdfast.product import Position

MAX_CELLS = 1 << 26

Numbers = npt.NDArray[np.int32]


def array_witness(regions: ArrayRegions, settled: dict[Position, int] | None) -> dict[str, Any]:
    """``region`` of a defensible game; ``ranks`` and ``moves`` of any other.

    Raises:
        LimitError: past :data:`MAX_CELLS` numbers.
    """
    configuration, game = regions.tables.configuration, regions.tables.configuration.game
    planes = admissible_planes(regions.tables.blocks)
    if settled is not None:
        planes = [WitnessPlane(v.turn, v.q_defender, v.q_adversary, -1) for v in settled]
    if len(planes) * game.n_valuations > MAX_CELLS:
        raise LimitError(
            f"the certificate would list {len(planes) * game.n_valuations:,} positions (at most "
            f"{MAX_CELLS:,}); the symbolic engine writes diagrams instead"
        )
    horizon = regions.rank(configuration.initial)
    found: dict[WitnessPlane, Numbers] = {}
    if settled is not None:
        for plane, (position, number) in zip(planes, settled.items(), strict=True):
            found[plane] = np.zeros(game.n_valuations, np.int32)
            found[plane][game.index(position.state)] = number
    else:
        for plane in planes:
            ranks = regions.ranks[TURNS.index(plane.turn), plane.block]
            numbers = (ranks < 0) if horizon is None else np.where(ranks <= horizon, ranks.clip(0), 0)
            found[plane] = numbers.astype(np.int32)
    found = {plane: numbers for plane, numbers in found.items() if numbers.any()}
    witness = {"kind": "arrays", "planes": listed(list(found))}
    if horizon is None:
        return {**witness, "region": _packed(found.values())}
    moves = [_forcing(regions, plane, found[plane]) for plane in found if plane.turn is Player.ADVERSARY]
    return {**witness, "ranks": _packed(found.values()), "moves": _packed(moves)}


def _forcing(regions: ArrayRegions, plane: WitnessPlane, numbers: Numbers) -> Numbers:
    """For each position of rank k the first admissible move to a lower rank."""
    rows = np.flatnonzero(numbers)
    chosen = np.full(len(rows), -1, np.int32)
    outcomes = regions.tables.outcomes(regions.ranks, plane.turn, plane.block, rows)
    for action, (admissible, rank, _) in enumerate(outcomes):
        lower = (rank >= 0) & (rank < numbers[rows])
        chosen[(chosen < 0) & admissible & lower] = action
    moves = np.zeros(len(numbers), np.int32)
    moves[rows] = chosen
    return moves


def _packed(arrays: Any) -> str:
    """Little-endian 32-bit words, zlib, base64."""
    raw = b"".join(array.astype("<u4").tobytes() for array in arrays)
    return base64.b64encode(zlib.compress(raw, 9)).decode()
