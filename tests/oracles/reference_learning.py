"""The slow twin of the adaptive layer: the protocol transcribed step by step, on NumPy's own generator.

Nothing here is shared with the arena, the kernels or the resets of the package. A *play* answers the
questions the loop asks: on small games by :mod:`reference`, on larger ones by the shield of a solution.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from holdfast.game.configuration import move
from holdfast.logic.expressions import Player
from holdfast.solver.shield import safe_actions
from reference import freeze, read, value


def thaw(game, state):
    """Codes as a dict of values."""
    return {v.name: v.values[c] for v, c in zip(game.variables, state)}


def mu(game, state):
    """μ(s) exactly; a table is read by the code of its variable."""
    if type(game.dominance).__name__ == "Lookup":
        return game.dominance.values[state[game.variables.index(game.dominance.variable)]]
    return Fraction(value(game.dominance, thaw(game, state)))


def after_reset(configuration, v):
    """Where a reset leads from v, or None where none can happen."""
    game = configuration.game
    state = thaw(game, v[0])
    if game.reset is None or not value(game.reset.when, state):
        return None
    after = dict(state)
    for variable, expression in game.reset.assign:
        new = value(expression, state)
        after[variable.name] = int(new) if isinstance(new, Fraction) else new
    sides = (configuration.defender, configuration.adversary)
    begun = [[a.initial for a in side] for side in sides]
    if game.reset.kept:
        begun[0] = list(v[2])
    return (
        freeze(game, after),
        v[1],
        *(tuple(read(a, q, after, None) for a, q in zip(side, own)) for side, own in zip(sides, begun)),
    )


class OraclePlay:
    """Questions answered by the literal oracle; for small games."""

    def __init__(self, oracle):
        self.oracle, self.configuration, self.initial = oracle, oracle.configuration, oracle.initial

    def safe(self, v):
        return self.oracle.safe(v)

    def move(self, v, action):
        return self.oracle.successors[v][action]

    def drawn(self, v, action, rng):
        return self.move(v, action)


class DrawnPlay(OraclePlay):
    """Questions about a game with chance, answered by its oracle: choices go by their first outcome."""

    def safe(self, v):
        if v not in self.oracle.winning:
            return ()
        groups = self.oracle.groups(v)
        return tuple(own[0][0] for own in groups if all(t in self.oracle.winning for _, t, _ in own))

    def drawn(self, v, action, rng):
        (own,) = (own for own in self.oracle.groups(v) if own[0][0] == action)
        if len(own) == 1:
            return own[0][1]
        u, reached = Fraction(rng.random_sample() if hasattr(rng, "random_sample") else rng.random()), 0
        for _, target, share in own:
            reached += share
            if u < reached:
                return target
        raise AssertionError("probabilities add up to 1")


class ShieldPlay:
    """Questions answered by a solution's shield, each position asked once."""

    def __init__(self, solution):
        self.solution, self.configuration = solution, solution.configuration
        self.initial = tuple(solution.configuration.initial)
        self._safe, self._moves = {}, {}

    def safe(self, v):
        if v not in self._safe:
            self._safe[v] = safe_actions(self.solution, type(self.configuration.initial)(*v))
        return self._safe[v]

    def move(self, v, action):
        if (v, action) not in self._moves:
            position = type(self.configuration.initial)(*v)
            self._moves[v, action] = tuple(move(self.configuration, position, action))
        return self._moves[v, action]

    def drawn(self, v, action, rng):
        return self.move(v, action)


def closure(play):
    """Every position that play can reach, resets included."""
    seen, stack = {play.initial}, [play.initial]
    while stack:
        v = stack.pop()
        targets = [play.move(v, action) for action in play.safe(v)]
        reset = after_reset(play.configuration, v)
        for target in [*targets, *([] if reset is None else [reset])]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def learn(play, protocol, seed, p, watch=None):
    """One run: the mean μ of each episode, and both tables as dicts over (s, a)."""
    configuration, rng = play.configuration, np.random.RandomState(seed)
    game = configuration.game
    tables = {Player.DEFENDER: {}, Player.ADVERSARY: {}}
    known_mu, known_reset = {}, {}
    means, epsilon = [], protocol.epsilon

    def q(player, state, action):
        return tables[player].get((state, action), protocol.q_initial)

    def dominance(state):
        if state not in known_mu:
            known_mu[state] = mu(game, state)
        return known_mu[state]

    def reset(v):
        if v not in known_reset:
            known_reset[v] = after_reset(configuration, v)
        return known_reset[v]

    for _ in range(protocol.episodes):
        v, total = play.initial, 0.0
        for _ in range(protocol.steps):
            if reset(v) is not None and rng.random_sample() < p:
                v = reset(v)
            if watch is not None:
                watch(v)
            s, i = v[0], v[1]
            j = i.opponent
            total += float(dominance(s))
            safe = play.safe(v)
            if not safe:
                continue
            if rng.random_sample() < epsilon:
                a = int(rng.choice(safe))
            else:
                highest = max(q(i, s, b) for b in safe)
                a = next(b for b in safe if q(i, s, b) == highest)
            after = play.drawn(v, a, rng)
            s_after = after[0]
            exact = 2 * dominance(s_after) - 1
            reward = float(exact if i is Player.DEFENDER else -exact)
            answers = play.safe(after)
            resting = -reward / (1.0 - protocol.gamma)
            best = max(q(j, s_after, b) for b in answers) if answers else resting
            old = q(i, s, a)
            tables[i][s, a] = old + protocol.alpha * (reward + protocol.gamma * (-best) - old)
            v = after
        means.append(total / protocol.steps)
        epsilon = max(epsilon - 1 / (2 * protocol.episodes), protocol.epsilon_min)
    return means, tables


def assert_same_run(training, seed, means, tables):
    """Episode by episode, and every entry of both tables."""
    assert training.means[training.seeds.index(seed)].tolist() == means
    rows = {tuple(row): i for i, row in enumerate(training.arena.codes.tolist())}
    for player in Player:
        q = training.q(seed, player).copy()
        for (state, action), entry in tables[player].items():
            assert q[rows[state], action] == entry
            q[rows[state], action] = training.protocol.q_initial
        assert (q == training.protocol.q_initial).all()
