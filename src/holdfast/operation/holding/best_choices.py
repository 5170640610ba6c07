"""How both sides play best where outcomes are drawn: a choice for each position that may be met, its worth.

*For ever* one choice for a position is enough. The defender takes the choice that keeps a lower bound
x ≤ Φ(x) (:mod:`holdfast.operation.holding.descent`), so that whatever the adversary does it holds with
probability x(v₀); of several that do, the one that is best for a while. The adversary's choices are improved
one after the other, as long as the defender's best answer to them is worth more than HOLD: what is left of it
is bounded from above, and that is what it concedes.

*For so many moves* a choice depends on how many are left; backward induction gives it.

Listed are the positions that can be met while one side plays so and the other does anything. Where the design
holds whatever happens nothing is listed: any permitted move will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from holdfast.arrays import Bools, Floats, Int64s
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Position, admissible_moves, choices, is_unsafe
from holdfast.logic import Player
from holdfast.operation.holding.choice_game import ChoiceGame, choice_game
from holdfast.operation.holding.descent import followed
from holdfast.operation.holding.sensitivity import chosen_options, stages_of
from holdfast.solver import TURNS, ProductTables, Solution, arrays

ROUNDS = 30
"""So often the adversary's choices are improved, at most."""
BETTER = 1e-10
EARLY = 64
"""After so many moves values still tell choices apart that come to the same in the end."""
MAX_LISTED = 200_000


@dataclass(frozen=True)
class BestChoice:
    """What to choose at a position.

    Attributes:
        position: where.
        action: the first outcome of the choice, by its number.
        holds: how likely the requirement is then kept, at least where the defender chooses, at most where
            the adversary does.
        left: how many moves are left; None where that does not matter.
    """

    position: Position
    action: int
    holds: float
    left: int | None = None


@dataclass(frozen=True)
class HoldStrategies:
    """Best play of both sides.

    Attributes:
        moves: for how many moves; None for ever.
        guaranteed: how likely the requirement is kept, at least, if the defender plays so.
        conceded: and at most, if the adversary plays so.
        defender, adversary: the choices of each, v₀ first where it is its own.
    """

    moves: int | None
    guaranteed: float
    conceded: float
    defender: tuple[BestChoice, ...]
    adversary: tuple[BestChoice, ...]


def hold_strategies(
    solution: Solution, moves: int | None = None, budget: Budget = UNLIMITED
) -> HoldStrategies:
    """How both sides play best, for ever or for so many moves.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.25"})
    >>> best = hold_strategies(hf.solve(hf.configure(system, ["G (DB = C)"])), 3)
    >>> first = best.adversary[0]
    >>> system.game.actions[first.position.turn][first.action].choice, first.left, round(first.holds, 2)
    ('spread(DB)', 3, 0.75)

    Raises:
        InputError: for a number of moves below 1.
        LimitError: where there are too many positions to list, or past the budget.
    """
    if moves is not None and moves < 1:
        raise InputError(f"strategies for {moves} moves say nothing; ask for 1 move or more, or for ever")
    if is_unsafe(solution.configuration, solution.configuration.initial):
        return HoldStrategies(moves, 0.0, 0.0, (), ())
    game = choice_game(solution, budget)
    if game is None:
        return HoldStrategies(moves, 1.0, 1.0, (), ())
    named = _Names(solution, game, arrays(solution, budget).tables)
    return _for_ever(game, named, budget) if moves is None else _for_moves(game, named, moves, budget)


def opening(solution: Solution, game: ChoiceGame, moves: int, budget: Budget = UNLIMITED) -> str:
    """The best first choice of whoever moves first, for so many moves; empty where there is none to make."""
    if not any(_moves_at(game, player, game.initial) for player in Player):
        return ""
    values = game.start()
    for _ in range(moves - 1):
        budget.tick("how both sides begin")
        values = game.after(values)
    option = int(chosen_options(game, game.options(values))[game.initial])
    named, turn = _Names(solution, game, arrays(solution, budget).tables), solution.configuration.initial.turn
    return solution.configuration.game.actions[turn][named.action(game.initial, option)].choice


def _for_ever(game: ChoiceGame, named: _Names, budget: Budget) -> HoldStrategies:
    course = followed(game, (), True, budget)
    defense = _defense(game, course.lower, budget)
    attack, conceded, worth = _attack(game, course.forever.high, budget)
    own: dict[Player, tuple[BestChoice, ...]] = {}
    for player, policy, values in (
        (Player.DEFENDER, defense, course.lower),
        (Player.ADVERSARY, attack, worth),
    ):
        met = _met(game, player, policy, budget)
        own[player] = tuple(
            BestChoice(named.position(v), named.action(v, int(policy[v])), float(values[v]))
            for v in met
            if _moves_at(game, player, v)
        )
    return HoldStrategies(None, course.forever.low, conceded, own[Player.DEFENDER], own[Player.ADVERSARY])


def _defense(game: ChoiceGame, lower: Floats, budget: Budget) -> Int64s:
    """The defender's choices: of those that keep a lower bound, what holds longest."""
    kept = game.at_least(lower) >= np.repeat(lower[: game.n], np.diff(game.first))
    kept[int(game.first[game.n_defender]) :] = True
    return chosen_options(game, np.where(kept, game.options(stages_of(game, EARLY, budget)[-1]), -1.0))


def _attack(game: ChoiceGame, best: float, budget: Budget) -> tuple[Int64s, float, Floats]:
    """The adversary's choices, what they concede at v₀ at most, and about what they are worth elsewhere."""
    policy = chosen_options(game, game.options(stages_of(game, EARLY, budget)[-1]))
    kept, conceded, worth = policy, 1.0, game.start()
    theirs = np.arange(game.n) >= game.n_defender
    for _ in range(ROUNDS):
        budget.tick("how the adversary plays best")
        answer = followed(_without_choice(game, theirs, policy), (), True, budget)
        values = np.maximum(answer.lower, game.start(0.0))
        if answer.forever.high <= conceded:
            kept, conceded, worth = policy, answer.forever.high, values
        if conceded <= best + BETTER:
            break
        options = game.options(values)
        better = theirs & (game.best(options)[: game.n] < options[policy] - BETTER)
        if not better.any():
            break
        policy = np.where(better, chosen_options(game, options), policy)
    return kept, conceded, worth


def _without_choice(game: ChoiceGame, fixed: Bools, policy: Int64s) -> ChoiceGame:
    """The game in which one choice is left at some positions."""
    counts = np.diff(game.first)
    kept = ~np.repeat(fixed, counts)
    kept[policy[fixed]] = True
    number, drawn = np.cumsum(kept) - 1, kept[game.gambles]
    sizes = np.add.reduceat(kept.astype(np.int64), game.first[:-1])
    return replace(
        game,
        first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        target=game.target[kept],
        gambles=number[game.gambles[drawn]],
        drawn=game.drawn[drawn],
        shares=game.shares[drawn],
        classes=game.classes[drawn],
        names=game.names[drawn],
    )


def _moves_at(game: ChoiceGame, player: Player, v: int) -> bool:
    """Whether a player moves at a position, and has a move."""
    defends = v < game.n_defender
    if defends != (player is Player.DEFENDER):
        return False
    option = int(game.first[v])
    rests = not defends and game.first[v + 1] == option + 1 and game.target[option] == game.n + 1
    return not (rests and option not in game.gambles)


def _met(game: ChoiceGame, player: Player, policy: Int64s, budget: Budget) -> list[int]:
    """The positions that can be met while a player keeps to a policy, v₀ first."""
    seen, todo = {game.initial: None}, [game.initial]
    row = {int(option): i for i, option in enumerate(game.gambles.tolist())}
    while todo:
        v = todo.pop()
        budget.tick(f"positions of best play: {len(seen):,}")
        for after in _led(game, player, policy, row, v):
            if after < game.n and after not in seen:
                if len(seen) >= MAX_LISTED:
                    raise LimitError(f"best play meets more than {MAX_LISTED:,} positions")
                seen[after] = None
                todo.append(after)
    return list(seen)


def _led(game: ChoiceGame, player: Player, policy: Int64s, row: dict[int, int], v: int) -> Iterator[int]:
    """Where play may go from a position."""
    own = (v < game.n_defender) == (player is Player.DEFENDER)
    options = [int(policy[v])] if own else range(int(game.first[v]), int(game.first[v + 1]))
    for option in options:
        place = row.get(option)
        if place is None:
            yield int(game.target[option])
        else:
            yield from game.drawn[place][game.shares[place] > 0].tolist()


def _for_moves(game: ChoiceGame, named: _Names, moves: int, budget: Budget) -> HoldStrategies:
    stages = stages_of(game, moves, budget)
    if len(stages) <= moves:
        raise LimitError(f"{moves:,} moves of {game.n:,} positions do not fit; ask for fewer moves")
    error = moves * game.error
    row = {int(option): i for i, option in enumerate(game.gambles.tolist())}
    value = float(stages[-1][game.initial])
    found: dict[Player, list[BestChoice]] = {player: [] for player in Player}
    here: dict[Player, set[int]] = {player: {game.initial} for player in Player}
    for left in range(moves, 0, -1):
        policy = chosen_options(game, game.options(stages[left - 1]))
        for player in Player:
            budget.tick(f"positions of best play: {len(found[player]):,}")
            after: set[int] = set()
            for v in sorted(here[player]):
                after.update(t for t in _led(game, player, policy, row, v) if t < game.n)
                if _moves_at(game, player, v):
                    holds = float(stages[left][v])
                    action = named.action(v, int(policy[v]))
                    found[player].append(BestChoice(named.position(v), action, holds, left))
            if len(found[player]) > MAX_LISTED:
                raise LimitError(f"best play has more than {MAX_LISTED:,} choices; ask for fewer moves")
            here[player] = after
    ends = max(value - error, 0.0), min(value + error, 1.0)
    return HoldStrategies(moves, *ends, tuple(found[Player.DEFENDER]), tuple(found[Player.ADVERSARY]))


class _Names:
    """Positions and choices of a listed game as those of the configuration."""

    def __init__(self, solution: Solution, game: ChoiceGame, tables: ProductTables) -> None:
        self.configuration, self.game, self.tables = solution.configuration, game, tables
        self.row = {int(option): i for i, option in enumerate(game.gambles.tolist())}
        self.known: dict[tuple[int, int], int] = {}

    @cached_property
    def numbers(self) -> dict[tuple[int, int], int]:
        """The number of each position, by its turn and its number there."""
        own = self.game.n_defender
        return {(int(v >= own), int(key)): v for v, key in enumerate(self.game.keys.tolist())}

    def position(self, v: int) -> Position:
        """The position with a number."""
        turn = int(v >= self.game.n_defender)
        block, state = divmod(int(self.game.keys[v]), self.tables.n)
        structure = self.configuration.game
        return Position(structure.state(state), TURNS[turn], *self.tables.blocks.states(block))

    def action(self, v: int, option: int) -> int:
        """The first action of the choice that an option of a position is."""
        if (v, option) not in self.known:
            self.known[v, option] = self._found(v, option)
        return self.known[v, option]

    def _found(self, v: int, option: int) -> int:
        here, game = self.position(v), self.game
        moves, structure = admissible_moves(self.configuration, here), self.configuration.game
        place = self.row.get(option)
        for outcomes in choices(structure, here.turn):
            if any(action not in moves for action in outcomes):
                continue
            led = [self._number(moves[action]) for action in outcomes]
            if place is None and set(led) == {int(game.target[option])}:
                return outcomes[0]
            name = structure.actions[here.turn][outcomes[0]].choice
            if place is not None and game.choices[int(game.names[place])] == (here.turn, name):
                return outcomes[0]
        raise AssertionError("every option is a choice")

    def _number(self, position: Position) -> int:
        """The number of a position, of U, or of W."""
        place = self.tables.place(position)
        if place is None:
            return self.game.n
        turn, block, state = place
        return self.numbers.get((turn, block * self.tables.n + state), self.game.n + 1)


def strategies_object(best: HoldStrategies, configuration: Configuration) -> dict[str, Any]:
    """Best play as plain data: for each choice the state by values, what automata remember, and its name."""
    game = configuration.game

    def told(choice: BestChoice) -> dict[str, Any]:
        at, state = choice.position, choice.position.state
        values = {v.name: v.values[code] for v, code in zip(game.variables, state, strict=True)}
        row: dict[str, Any] = {} if choice.left is None else {"left": choice.left}
        row |= {"state": values, "automata": [*at.q_defender, *at.q_adversary]}
        return row | {"choose": game.actions[at.turn][choice.action].choice, "holds": choice.holds}

    return {
        "name": configuration.title,
        "moves": best.moves,
        "defender": {"guarantees": best.guaranteed, "choices": [told(one) for one in best.defender]},
        "adversary": {"concedes": best.conceded, "choices": [told(one) for one in best.adversary]},
    }
