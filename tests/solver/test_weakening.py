"""What a solved game withstands: the verdict of the game that is made and solved anew."""

import random

import pytest

from additions import random_segment, scenario_text
from cases import TIMES
from holdfast.errors import InputError
from holdfast.game import on_system
from holdfast.game.system import extended
from holdfast.logic import Player
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.weakening import can_be_weakened, holds_weakened


def numbered(actions):
    return {action.name: number for number, action in enumerate(actions)}


@pytest.mark.parametrize("seed", range(60 * TIMES))
def test_what_stays_outside_the_attractor_is_held_by_the_extended_design(seed):
    rng = random.Random(seed)
    here = configuration(scenario_from_text(scenario_text(random_segment(rng))))
    solution = solve(here, "symbolic")
    if not can_be_weakened(solution):
        return
    moves, kept = (numbered(here.game.actions[p]) for p in (Player.ADVERSARY, Player.DEFENDER))
    known = [
        each
        for each in here.system.additions()
        if (each.opens is not None and each.opens[0].name in moves) or each.closes in kept
    ]
    for _ in range(6):
        some = rng.sample(known, min(len(known), rng.choice([1, 1, 2, 4])))
        opened = [(moves[a.opens[0].name], *a.opens) for a in some if a.opens is not None]
        closed = {kept[a.closes] for a in some if a.closes}
        surely = holds_weakened(solution, opened, closed)
        try:
            larger = on_system(here, extended(here.system, some))
        except InputError:
            continue
        left = numbered(larger.game.actions[Player.DEFENDER])
        assert set(kept) - set(left) == {a.closes for a in some if a.closes}
        held = solve(larger, "explicit").defensible
        assert held or not surely, [each.text for each in some]
        if len(some) == 1 and not some[0].quickens:
            assert surely == held, [each.text for each in some]
