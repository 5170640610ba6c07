"""The slow literal oracle: the paper's definitions, transcribed one by one.

Nothing here is shared with the engines, the compiler or the evaluators of the package: expressions are
interpreted afresh, every position of V = S × Q_D × Q_A is enumerated, and the attractor is computed by
alg:attractor as it is printed. Only the data classes of the package are read.
"""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from itertools import product

from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Player

# -- expressions --------------------------------------------------------------------------------------

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def value(node, state, move=None):
    """Value of a local expression at a letter; ``state`` maps names to values, not codes."""
    kind = type(node).__name__
    if kind in ("Number", "Symbol", "Truth"):
        return node.value
    if kind == "Read":
        return state[node.variable.name]
    if kind == "Member":
        return state[node.variable.name] in node.values
    if kind == "Count":
        return sum(1 for item in node.items if state[item.variable.name] in item.values)
    if kind == "Did":
        return move in node.moves
    if kind == "Label":
        return bool(node.mask[state[node.variable.name]])
    if kind == "Lookup":
        return node.values[state[node.variable.name]]
    if kind == "Defined":
        return value(node.body, state, move)
    if kind == "Not":
        return not value(node.of, state, move)
    if kind == "And":
        return all(value(arg, state, move) for arg in node.args)
    if kind == "Or":
        return any(value(arg, state, move) for arg in node.args)
    left, right = value(node.left, state, move), value(node.right, state, move)
    if kind == "Implies":
        return (not left) or right
    if kind == "Iff":
        return left == right
    if kind == "Arithmetic":
        left, right = Fraction(left), Fraction(right)
    return OPERATORS[node.op](left, right)


def satisfies(node, word, loop, i=0):
    """Whether the lasso ``word[:loop] (word[loop:])^ω`` satisfies a formula at position i.

    A letter is (move, state). Positions are absolute; the suffix repeats for ever. Future operators are
    decided within a horizon after which nothing new can happen for formulas without counters.
    """
    period = len(word) - loop
    horizon = lambda j: j + 2 * len(word) + 8 * period + 40  # noqa: E731

    def at(j):
        return word[j] if j < len(word) else word[loop + (j - loop) % period]

    memo = {}

    def sat(f, j):
        key = (id(f), j)
        if key not in memo:
            memo[key] = decide(f, j)
        return memo[key]

    def decide(f, j):
        kind = type(f).__name__
        if kind == "Not":
            return not sat(f.of, j)
        if kind == "And":
            return all(sat(arg, j) for arg in f.args)
        if kind == "Or":
            return any(sat(arg, j) for arg in f.args)
        if kind == "Implies":
            return not sat(f.left, j) or sat(f.right, j)
        if kind == "Iff":
            return sat(f.left, j) == sat(f.right, j)
        if kind == "Temporal":
            return temporal(f, j)
        if kind == "Compare":
            return value(counted(f, j), at(j)[1])
        move, state = at(j)
        return value(f, state, move)

    def counted(f, j):
        kind = type(f).__name__
        if kind == "Times":
            return ex.Number(Fraction(sum(1 for i in range(j + 1) if value(f.of, at(i)[1], at(i)[0]))))
        if kind in ("Compare", "Arithmetic"):
            return type(f)(f.op, counted(f.left, j), counted(f.right, j))
        return f

    def temporal(f, j):
        first, last = f.args[0], f.args[-1]
        end = horizon(j) if f.bound is None else j + f.bound
        ahead = range(j, end + 1)
        if f.op == "X":
            return sat(first, j + 1)
        if f.op == "G":
            return all(sat(first, k) for k in ahead)
        if f.op == "F":
            return any(sat(first, k) for k in ahead)
        if f.op == "U":
            return any(sat(last, k) and all(sat(first, i) for i in range(j, k)) for k in ahead)
        if f.op == "W":
            return all(sat(first, k) or any(sat(last, i) for i in range(j, k + 1)) for k in ahead)
        if f.op == "R":
            return all(sat(last, k) or any(sat(first, i) for i in range(j, k)) for k in ahead)
        if f.op == "Y":
            return j > 0 and sat(first, j - 1)
        if f.op == "O":
            return any(sat(first, k) for k in range(j + 1))
        if f.op == "H":
            return all(sat(first, k) for k in range(j + 1))
        if f.op == "S":
            return any(sat(last, k) and all(sat(first, i) for i in range(k + 1, j + 1)) for k in range(j + 1))
        raise AssertionError(f.op)

    return sat(node, i)


# -- games --------------------------------------------------------------------------------------------


def states(game):
    """All states as dicts of values."""
    if game.listed is not None:
        for codes in game.listed.tolist():
            yield {v.name: v.values[code] for v, code in zip(game.variables, codes)}
        return
    for values in product(*(variable.values for variable in game.variables)):
        yield dict(zip([v.name for v in game.variables], values))


def freeze(game, state):
    """A state as the tuple of codes the package uses."""
    return tuple(variable.values.index(state[variable.name]) for variable in game.variables)


def delta(game, player, number, state):
    """δ(s, a) as a dict, or None where a tabulated action is unavailable."""
    if game.tables is not None:
        every = list(states(game))
        target = int(game.tables[player][every.index(state), number])
        return None if target == -1 else every[target]
    for rule in game.actions[player][number].rules:
        if value(rule.when, state):
            changed = {}
            for variable, expression in rule.assign:
                new = value(expression, state)
                changed[variable.name] = int(new) if isinstance(new, Fraction) else new
            return {**state, **changed}
    return state


def read(automaton, q, state, move):
    """δ(q, σ): find the row entry of the letter's mask."""
    mask = 0
    for i, atom in enumerate(automaton.atoms):
        if value(atom, state, move):
            mask += 2**i
    return automaton.delta[q][automaton.masks.index(mask)]


class Product:
    """The product game, all of it, and its solution."""

    def __init__(self, configuration):
        self.configuration = configuration
        game = configuration.game
        sides = [configuration.defender, configuration.adversary]
        every = [list(product(*(range(a.n_states) for a in side))) for side in sides]
        good = [
            {qs for qs in qss if all(a.accepting[q] for a, q in zip(side, qs))}
            for side, qss in zip(sides, every)
        ]
        self.positions = [
            (freeze(game, s), turn, qd, qa)
            for s in states(game)
            for turn in Player
            for qd in every[0]
            for qa in every[1]
        ]
        self.unsafe = {v for v in self.positions if v[2] not in good[0]}
        self.accepting_adversary = good[1]
        self.successors = self._successors(game, sides)
        s0 = {v.name: v.values[c] for v, c in zip(game.variables, game.initial)}
        self.initial = (
            tuple(game.initial),
            game.first,
            *(tuple(read(a, a.initial, s0, None) for a in side) for side in sides),
        )
        self.rank = self._attractor()
        self.winning = {v for v in self.positions if v not in self.rank}
        self.defensible = self.initial in self.winning

    def _successors(self, game, sides):
        """Succ(v, a) for every position and available action, with all moves, admissible or not."""
        every = {freeze(game, s): s for s in states(game)}
        after = {}
        for code, s in every.items():
            for turn in Player:
                for number in range(len(game.actions[turn])):
                    target = delta(game, turn, number, s)
                    after[code, turn, number] = None if target is None else freeze(game, target)
        letters = {}
        found = {}
        for v in self.positions:
            state, turn, qd, qa = v
            found[v] = {}
            for number, action in enumerate(game.actions[turn]):
                target = after[state, turn, number]
                if target is None:
                    continue
                q_next = []
                for i, qs in enumerate((qd, qa)):
                    key = i, qs, target, turn, number
                    if key not in letters:
                        move = (turn, action.choice)
                        letters[key] = tuple(read(a, q, every[target], move) for a, q in zip(sides[i], qs))
                    q_next.append(letters[key])
                found[v][number] = (target, turn.opponent, *q_next)
        return found

    def admissible(self, v):
        """Λ(v), by action."""
        moves = self.successors[v]
        if v[1] is Player.DEFENDER:
            return moves
        return {a: t for a, t in moves.items() if t[3] in self.accepting_adversary}

    def _attractor(self):
        """alg:attractor: each pass reads the previous iterate only."""
        rank = dict.fromkeys(self.unsafe, 0)
        k = 0
        while True:
            k += 1
            absorbed = []
            for v in self.positions:
                if v in rank:
                    continue
                targets = self.admissible(v).values()
                if v[1] is Player.ADVERSARY:
                    if any(t in rank for t in targets):
                        absorbed.append(v)
                elif all(t in rank for t in targets):
                    absorbed.append(v)
            if not absorbed:
                return rank
            rank.update(dict.fromkeys(absorbed, k))

    def shells(self):
        """|Sh_1|, …, |Sh_kmax|."""
        depth = max(self.rank.values(), default=0)
        return tuple(sum(1 for r in self.rank.values() if r == k) for k in range(1, depth + 1))

    def safe(self, v):
        """Safe(v), ascending."""
        if v not in self.winning:
            return ()
        return tuple(a for a, t in sorted(self.admissible(v).items()) if t in self.winning)

    def reachable(self):
        """R by forward search from v0 through Safe; None when not defensible."""
        if not self.defensible:
            return None
        seen, stack = {self.initial}, [self.initial]
        while stack:
            v = stack.pop()
            for action in self.safe(v):
                target = self.successors[v][action]
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    def win(self):
        """WIN as an exact fraction, None if undefined."""
        outside = len(self.positions) - len(self.unsafe)
        return Fraction(len(self.winning), outside) if outside else None

    def stp(self):
        """STP by its definition."""
        shells = self.shells()
        if len(shells) <= 1:
            return 1.0
        p = [size / sum(shells) for size in shells]
        return 1 + sum(x * math.log(x) for x in p if x) / math.log(len(shells))

    def slt(self):
        """SLT as an exact fraction, None if undefined."""
        reach = self.reachable()
        if reach is None:
            return None
        menus = [len(self.safe(v)) for v in reach if v[1] is Player.DEFENDER]
        if not menus:
            return None
        return Fraction(sum(menus), len(menus) * len(self.configuration.game.actions[Player.DEFENDER]))
