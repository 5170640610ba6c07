"""How the witness of a certificate is laid out: by *planes*, a turn with a state for each automaton."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdfast.engines.quotient import Blocks
from holdfast.logic.expressions import Player


class WitnessPlane(NamedTuple):
    """The positions with this turn and these automaton states; ``block`` is the engine's number for them."""

    turn: Player
    q_defender: tuple[int, ...]
    q_adversary: tuple[int, ...]
    block: int


def admissible_planes(blocks: Blocks) -> list[WitnessPlane]:
    """Every plane outside U in which φ_A is kept."""
    n = len(blocks.planes)
    return [
        WitnessPlane(turn, q_defender, q_adversary, d * n + a)
        for turn in Player
        for d, q_defender in enumerate(blocks.defender.accepting)
        for a, q_adversary in enumerate(blocks.adversary.accepting)
    ]


def listed(planes: list[WitnessPlane]) -> list[list[Any]]:
    """The planes as the file has them."""
    return [[plane.turn.value, list(plane.q_defender), list(plane.q_adversary)] for plane in planes]
