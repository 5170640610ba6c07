"""Premises: what an answer takes for granted about a system, in a short sentence each.

A premise names the option of the scenario file that changes it, where there is one. A model gives those that
are true of the file at hand (:attr:`holdfast.game.system.System.premises`); the ones below hold for every
game that Holdfast solves.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Premise:
    """Something that is taken for granted, and the option that changes it; empty where none does."""

    assumption: str
    option: str = ""


IN_TURN = Premise("the two sides take turns, one move each")
IN_SIGHT = Premise("both sides see everything at all times")
NO_CHANCE = Premise("nothing is random: every action does what it says")

USUAL_PREMISES = (IN_TURN, IN_SIGHT, NO_CHANCE)
"""What holds for every game, unless its model says it in better words."""
