"""The likeliest way to lose: of all plays in which both sides do their best, the likeliest that ends in U.

With t moves left and the values HOLD_t−1 after this one, each side has choices that are best. Among those of
the adversary the one is taken from which U is reached by the likeliest single line, among the defender's the
one from which it is least likely; λ_t(v) is how likely that line is:

    λ_t(v) = λ_t−1(u) for a choice that leads to u, the greatest p · λ_t−1(u) over what a gamble may draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdfast.arrays import Floats
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Position, admissible_moves, choices
from holdfast.logic import Player
from holdfast.operation.holding.choice_game import ChoiceGame, choice_game
from holdfast.operation.holding.sensitivity import stages_of
from holdfast.solver import TURNS, ProductTables, Solution, arrays

ALIKE = 1e-12
"""Choices whose values differ by no more are best alike."""


@dataclass(frozen=True)
class LikelyMove:
    """A move of a play: the action by its number, where it led, and how likely that was."""

    position: Position
    action: int
    target: Position
    probability: Fraction


def likeliest_loss(
    solution: Solution, moves: int = 100, budget: Budget = UNLIMITED
) -> tuple[LikelyMove, ...]:
    """The likeliest play of so many moves at most that ends in a violation, both sides at their best.

    Empty where v₀ is in U or in W, and where best play does not lose within so many moves.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.25"})
    >>> found = likeliest_loss(hf.solve(hf.configure(system, ["G (DB = C)"])))
    >>> [(move.action, str(move.probability)) for move in found]
    [(4, '1/4')]

    Raises:
        LimitError: where there are too many positions to list, or past the budget.
    """
    here = solution.configuration.initial
    game = choice_game(solution, budget) if solution.initial_rank else None
    if game is None:
        return ()
    tables = arrays(solution, budget).tables
    return tuple(_named(tables, here, game, _line(game, moves, budget)))


_Line = list[tuple[int, str]]
"""The positions of a line after v₀, by their numbers, U last; and by which choice, where it is a gamble."""


def _line(game: ChoiceGame, moves: int, budget: Budget) -> _Line:
    """The likeliest line; empty if there is none."""
    stages = stages_of(game, moves, budget)
    likely = [np.zeros(game.n + 2)]
    likely[0][game.n] = 1.0
    for values in stages[:-1]:
        budget.tick("the most likely way to lose")
        likely.append(_before(game, values, likely[-1]))
    if not likely[-1][game.initial]:
        return []
    line, here = _Line(), game.initial
    for values, after in zip(reversed(stages[:-1]), reversed(likely[:-1]), strict=True):
        here, choice = _led(game, here, values, after)
        line.append((here, choice))
        if here == game.n:
            break
    return line


def _before(game: ChoiceGame, values: Floats, after: Floats) -> Floats:
    """λ one move earlier, where ``values`` are those of HOLD after the move."""
    worth = game.options(values)
    best, counts = game.best(worth)[: game.n], np.diff(game.first)
    alike = np.abs(worth - np.repeat(best, counts)) <= ALIKE
    reach = after[game.target]
    if len(game.gambles):
        reach[game.gambles] = (game.shares * after[game.drawn]).max(axis=1)
    found, own, cut = np.zeros(game.n + 2), game.n_defender, int(game.first[game.n_defender])
    if own:
        least = np.where(alike[:cut], reach[:cut], np.inf)
        found[:own] = np.minimum.reduceat(least, game.first[:own])
    if own < game.n:
        most = np.where(alike[cut:], reach[cut:], -np.inf)
        found[own : game.n] = np.maximum.reduceat(most, game.first[own : game.n] - cut)
    found[game.n] = 1.0
    return found


def _led(game: ChoiceGame, here: int, values: Floats, after: Floats) -> tuple[int, str]:
    """Where the line goes on from a position, and by which choice, if it is a gamble."""
    options = range(int(game.first[here]), int(game.first[here + 1]))
    place = {int(option): row for row, option in enumerate(game.gambles.tolist()) if option in options}

    def led(option: int) -> tuple[float, float, tuple[int, str]]:
        """What a choice is worth, how likely its line is, and where that goes."""
        if option not in place:
            target = int(game.target[option])
            return float(values[target]), float(after[target]), (target, "")
        row = place[option]
        shares, drawn = game.shares[row], game.drawn[row]
        reach = shares * after[drawn]
        most = int(reach.argmax())
        onward = int(drawn[most]), game.choices[int(game.names[row])][1]
        return float((shares * values[drawn]).sum()), float(reach[most]), onward

    leads = [led(option) for option in options]
    worth = [value for value, _, _ in leads]
    defending = here < game.n_defender
    best = max(worth) if defending else min(worth)
    alike = [each for each in leads if abs(each[0] - best) <= ALIKE]
    return (min if defending else max)(alike, key=lambda each: each[1])[2]


def _named(tables: ProductTables, here: Position, game: ChoiceGame, line: _Line) -> Iterator[LikelyMove]:
    """A line of numbers as moves of the game; of the choices that lead on for sure, the first."""
    structure = tables.configuration.game
    for number, gamble in line:
        wanted = None if number == game.n else _place(tables, game, number)
        moves = admissible_moves(tables.configuration, here)
        leading = {action for action, target in moves.items() if tables.place(target) == wanted}
        actions = structure.actions[here.turn]
        for outcomes in choices(structure, here.turn):
            own = [action for action in outcomes if action in leading]
            if own and (actions[own[0]].choice == gamble if gamble else len(own) == len(outcomes)):
                likely = sum((Fraction(actions[a].probability) for a in own), Fraction(0))
                yield LikelyMove(here, own[0], moves[own[0]], likely)
                here = moves[own[0]]
                break


def _place(tables: ProductTables, game: ChoiceGame, number: int) -> tuple[int, int, int]:
    """Turn, block and valuation of a position of the list."""
    turn = Player.DEFENDER if number < game.n_defender else Player.ADVERSARY
    block, state = divmod(int(game.keys[number]), tables.n)
    return TURNS.index(turn), block, state
