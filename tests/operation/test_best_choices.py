"""Best play of both sides where outcomes are drawn: what it guarantees is what a literal twin finds of it."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from cases import TIMES
from holdfast.errors import InputError
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from holdfast.operation.holding.asking import hold
from holdfast.operation.holding.best_choices import hold_strategies, strategies_object
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_configuration, random_gambles, with_chance


class Keeping(ChanceProduct):
    """The product in which one side keeps to its choices."""

    def __init__(self, configuration, choices):
        self.choices = {tuple(one.position): one.action for one in choices}
        super().__init__(configuration)

    def groups(self, v):
        own = super().groups(v)
        return [each for each in own if each[0][0] == self.choices[v]] if v in self.choices else own


def lost_game(seed):
    rng = random.Random(seed)
    configuration = random_gambles(rng) if seed % 2 else random_configuration(rng, 200, change=with_chance)
    solution = solve(configuration, "explicit")
    return solution if has_chance(configuration.game) and solution.initial_rank else None


def test_strategies_keep_what_they_promise():
    """Should be worth HOLD in a twin that keeps to them, whatever the other side does."""
    seen = Counter()
    for seed in range(60 * TIMES):
        if (solution := lost_game(seed)) is None:
            continue
        best, value = hold_strategies(solution), ChanceProduct(solution.configuration).hold()
        assert best.guaranteed <= value <= best.conceded, seed
        assert best.conceded - best.guaranteed < 1e-8, seed
        kept = Keeping(solution.configuration, best.defender).hold()
        assert best.guaranteed <= kept <= value, seed
        left = Keeping(solution.configuration, best.adversary).hold()
        assert value <= left <= best.conceded, seed
        seen["open"] += 0 < value < 1
        seen["adversary"] += bool(best.adversary)
    assert seen["open"] > 5 and seen["adversary"] > 10, seen


def test_strategies_for_some_moves_are_those_of_backward_induction():
    """Should choose, with so many moves left, what comes to HOLD_T in the mean; each choice is listed once."""
    seen = 0
    for seed in range(40 * TIMES):
        if (solution := lost_game(seed)) is None:
            continue
        twin, moves = ChanceProduct(solution.configuration), random.Random(seed).randint(1, 6)
        best, stages = hold_strategies(solution, moves), twin.stages(moves)
        for player, told in ((Player.DEFENDER, best.defender), (Player.ADVERSARY, best.adversary)):
            keys = [(tuple(one.position), one.left) for one in told]
            assert len(set(keys)) == len(keys)
            for one in told:
                v = tuple(one.position)
                (own,) = (each for each in twin.groups(v) if each[0][0] == one.action)
                mean = sum(p * stages[one.left - 1].get(t, Fraction(0)) for _, t, p in own)
                assert v[1] is player and mean == stages[one.left][v], seed
                assert abs(one.holds - float(mean)) < 1e-12
        first = next((one for one in (*best.defender, *best.adversary) if one.left == moves), None)
        told, game = hold(solution, (moves,)).opening, solution.configuration.game
        assert first is None or told == game.actions[first.position.turn][first.action].choice, seed
        value = stages[moves][twin.initial]
        assert best.guaranteed <= value <= best.conceded and best.conceded - best.guaranteed < 1e-12
        seen += 0 < value < 1
    assert seen > 3


def test_strategies_as_data_name_values_and_choices():
    """Should have a state, a choice and its worth in each row; of a game that is decided no row."""
    solution = next(found for found in map(lost_game, range(1, 99)) if found is not None)
    data = strategies_object(hold_strategies(solution, 2), solution.configuration)
    assert data["moves"] == 2 and data["defender"]["guarantees"] <= data["adversary"]["concedes"]
    for row in (*data["defender"]["choices"], *data["adversary"]["choices"]):
        assert set(row) == {"left", "state", "automata", "choose", "holds"}
    with pytest.raises(InputError, match="1 move or more"):
        hold_strategies(solution, 0)
    held = next(
        s
        for s in (solve(random_gambles(random.Random(n)), "explicit") for n in range(99))
        if s.initial_rank is None
    )
    assert hold_strategies(held).defender == () and hold_strategies(held).guaranteed == 1.0
