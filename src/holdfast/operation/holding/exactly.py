"""HOLD of a small game as a fraction, by strategy iteration.

Against a fixed adversary the defender solves a Markov decision process. Where it can stay outside U for sure
HOLD is 1; from everywhere else every policy leaves for good, to U or to there, so that the equations of a
policy have one solution and a policy that nothing improves is best. The adversary's strategy is improved
while that lowers something: each is strictly better than the one before, and there are finitely many. It
begins with what the values of iteration from above say is best, so that mostly nothing is left to improve.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from holdfast.arrays import Floats
from holdfast.budget import UNLIMITED, Budget
from holdfast.operation.holding.choice_game import ChoiceGame

MAX_POSITIONS = 3_000
MAX_TANGLED = 60
"""So many positions that lead to each other are solved together, and no more."""
MAX_ROUNDS = 50

_Option = tuple[tuple[int, Fraction], ...]
"""What a choice may lead to, each with its probability."""

ONE = Fraction(1)


def exact_hold(game: ChoiceGame, values: Floats, budget: Budget = UNLIMITED) -> Fraction | None:
    """HOLD of v₀, exactly; None where the game is too large for that.

    Raises:
        LimitError: past the budget.
    """
    if game.n > MAX_POSITIONS:
        return None
    return _Iteration(game, budget).value(values)


class _TangledError(Exception):
    """Too many positions would have to be solved together."""


class _Iteration:
    """Strategies of both sides, being improved."""

    def __init__(self, game: ChoiceGame, budget: Budget) -> None:
        self.game, self.budget = game, budget
        rows = {int(option): row for row, option in enumerate(game.gambles.tolist())}
        self.options: list[list[_Option]] = []
        for v in range(game.n):
            own = range(int(game.first[v]), int(game.first[v + 1]))
            self.options.append([self._option(option, rows.get(option)) for option in own])

    def _option(self, option: int, row: int | None) -> _Option:
        if row is None:
            return ((int(self.game.target[option]), ONE),)
        shares = self.game.exact[int(self.game.classes[row])]
        return tuple(zip(self.game.drawn[row].tolist(), shares, strict=False))

    def value(self, start: Floats) -> Fraction | None:
        """HOLD of v₀ in the end; None where it would take too much."""
        known = [Fraction(value) for value in start.tolist()]
        game = self.game
        chosen = [self._best(v, known) for v in range(game.n)]
        attack = dict(enumerate(chosen[game.n_defender :], game.n_defender))
        try:
            for _ in range(MAX_ROUNDS):
                values = self._against(attack, chosen)
                better = {v: self._best(v, values) for v in attack}
                better = {v: i for v, i in better.items() if self._worth(v, i, values) < values[v]}
                if not better:
                    return values[game.initial]
                attack |= better
        except _TangledError:
            pass
        return None

    def _worth(self, v: int, number: int, values: Sequence[Fraction]) -> Fraction:
        """What a choice makes of values."""
        return sum((share * values[to] for to, share in self.options[v][number]), Fraction(0))

    def _best(self, v: int, values: Sequence[Fraction]) -> int:
        """The first choice that is best."""
        pick = max if v < self.game.n_defender else min
        return pick(range(len(self.options[v])), key=lambda i: self._worth(v, i, values))

    def _against(self, attack: dict[int, int], policy: list[int]) -> list[Fraction]:
        """The best that the defender can do against a fixed adversary; the policy becomes its own."""
        sure = self._sure(attack)
        for v, number in attack.items():
            policy[v] = number
        while True:
            self.budget.tick("HOLD as a fraction")
            values = self._solved(policy, sure)
            better = {v: self._best(v, values) for v in range(self.game.n_defender) if v not in sure}
            better = {v: i for v, i in better.items() if self._worth(v, i, values) > values[v]}
            if not better:
                return values
            for v, number in better.items():
                policy[v] = number

    def _sure(self, attack: dict[int, int]) -> set[int]:
        """Where the defender can stay outside U whatever is drawn, against a fixed adversary."""
        won = self.game.n + 1
        sure = {*range(self.game.n), won}

        def kept(v: int) -> bool:
            options = [self.options[v][attack[v]]] if v in attack else self.options[v]
            return any(all(to in sure for to, _ in option) for option in options)

        while fallen := {v for v in sure if v != won and not kept(v)}:
            sure -= fallen
        return sure - {won}

    def _solved(self, policy: list[int], sure: set[int]) -> list[Fraction]:
        """The values of a pair of strategies: 1 where it is sure, elsewhere by linear equations."""
        import networkx as nx  # which takes long to load, and is seldom needed

        n = self.game.n
        values = [ONE if v in sure else Fraction(0) for v in range(n)] + [Fraction(0), ONE]
        graph = nx.DiGraph()
        open_ = [v for v in range(n) if v not in sure]
        graph.add_nodes_from(open_)
        for v in open_:
            graph.add_edges_from((v, to) for to, _ in self.options[v][policy[v]] if to < n and to not in sure)
        condensed = nx.condensation(graph)
        for component in reversed(list(nx.topological_sort(condensed))):
            members = sorted(condensed.nodes[component]["members"])
            if len(members) > MAX_TANGLED:
                raise _TangledError
            self.budget.tick("HOLD as a fraction")
            self._eliminated(members, policy, values)
        return values

    def _eliminated(self, members: list[int], policy: list[int], values: list[Fraction]) -> None:
        """The values of positions that lead to each other, those that they lead to besides being known."""
        column, size = {v: i for i, v in enumerate(members)}, len(members)
        rows = []
        for v in members:
            row = [Fraction(0)] * (size + 1)
            row[column[v]] += 1
            for to, share in self.options[v][policy[v]]:
                if to in column:
                    row[column[to]] -= share
                else:
                    row[size] += share * values[to]
            rows.append(row)
        for i in range(size):
            pivot = next(r for r in range(i, size) if rows[r][i])
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [x / rows[i][i] for x in rows[i]]
            for r in range(size):
                if r != i and rows[r][i]:
                    factor = rows[r][i]
                    rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
        for v, i in column.items():
            values[v] = rows[i][size]
