"""Games given as arrays and as functions."""

from __future__ import annotations

import pytest

from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.array_games import from_arrays, from_functions
from holdfast.game.configuration import configure
from holdfast.logic.expressions import Variable
from holdfast.readings.metrics import static_reading
from holdfast.solver.engines import solve


def test_functions_and_rules_give_the_same_game():
    """Should tabulate Python functions into the game that the rules describe."""
    level = Variable("level", range(5))
    up = lambda s: {"level": min(4, s["level"] + 1)}  # noqa: E731
    down = lambda s: {"level": max(0, s["level"] - 1)}  # noqa: E731
    game = from_functions(
        [level],
        {"level": 2},
        {"drain": down, "pump": up, "wait": lambda s: {}},
        {"fill": up, "draw": down, "wait": lambda s: {}},
    )
    solution = solve(configure(game, ["G (level in {1, 2, 3})"]))
    assert solution.engine == "explicit"
    assert solution.shells == (4, 2)
    assert static_reading(solution).shield_latitude == pytest.approx(1 / 3)


def test_an_adversary_without_moves_is_harmless():
    """Should win every adversary position that has no admissible move."""
    game = from_arrays([[0], [1]], [[-1], [0]], labels={"bad": [False, False]})
    solution = solve(configure(game, ["G !bad"]))
    assert solution.defensible
    assert solution.shells == ()


@pytest.mark.parametrize(
    ("defender", "adversary", "words"),
    [
        ([[0], [7]], [[0], [0]], "expected 0 to 1"),
        ([[0], [-1]], [[0], [0]], "no action at state 1"),
        ([[0.5], [1]], [[0], [0]], "integers"),
        ([0, 1], [[0], [0]], "2-d"),
    ],
)
def test_bad_tables_are_refused(defender, adversary, words):
    """Should name the state, the action and what was expected."""
    with pytest.raises(ModelError, match=words):
        from_arrays(defender, adversary)


def test_bad_functions_and_engines_are_refused():
    """Should say which action leaves which domain, and which engines there are."""
    level = Variable("level", range(3))
    with pytest.raises(ModelError, match='"jump" sets level = 9'):
        from_functions([level], {"level": 0}, {"jump": lambda s: {"level": 9}}, {})
    with pytest.raises(LimitError, match="too many to tabulate"):
        from_functions([Variable(f"v{i}", range(100)) for i in range(5)], {}, {}, {})
    tabled = configure(from_arrays([[0]], [[0]]))
    with pytest.raises(InputError, match="factored"):
        solve(tabled, "symbolic")
    with pytest.raises(InputError, match='did you mean "symbolic"'):
        solve(tabled, "symbolik")
