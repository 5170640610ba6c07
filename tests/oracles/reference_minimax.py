"""Perfect play by plain recursion, in exact fractions."""

from __future__ import annotations

from fractions import Fraction

from holdfast.logic.expressions import Player
from reference_learning import after_reset, mu


class Minimax:
    """The episode by plain recursion on the configuration itself, in exact fractions."""

    def __init__(self, play, p, epsilon=0, policies=None):
        self.play, self.game = play, play.configuration.game
        self.p, self.epsilon, self.policies = Fraction(p), Fraction(epsilon), policies or {}
        self.known = {}

    def before_reset(self, v, k):
        """What k moves are worth when the reset of the first is still open."""
        if (v, k) not in self.known:
            value, target = self.after_reset(v, k), after_reset(self.play.configuration, v)
            if target is not None and self.p:
                value = (1 - self.p) * value + self.p * self.after_reset(target, k)
            self.known[v, k] = value
        return self.known[v, k]

    def after_reset(self, v, k):
        if k == 0:
            return Fraction(0)
        safe = self.play.safe(v)
        if not safe:
            return mu(self.game, v[0]) + self.before_reset(v, k - 1)
        worth = {a: self.before_reset(self.play.move(v, a), k - 1) for a in safe}
        best = max(worth.values()) if v[1] is Player.DEFENDER else min(worth.values())
        if v[1] in self.policies:
            best = worth[self.policies[v[1]](v)]
        mean = sum(worth.values()) / len(worth)
        return mu(self.game, v[0]) + (1 - self.epsilon) * best + self.epsilon * mean


class DrawnMinimax(Minimax):
    """The same where outcomes are drawn, on a :class:`~reference_chance.ChanceProduct`; choices are weighed alike."""

    def options(self, v):
        """The safe choices, each as its outcomes."""
        own = self.play.groups(v)
        return [each for each in own if all(target in self.play.winning for _, target, _ in each)]

    def after_reset(self, v, k):
        if k == 0:
            return Fraction(0)
        worth = [
            sum(share * self.before_reset(target, k - 1) for _, target, share in each)
            for each in self.options(v)
        ]
        if not worth:
            return mu(self.game, v[0]) + self.before_reset(v, k - 1)
        best = max(worth) if v[1] is Player.DEFENDER else min(worth)
        mean = sum(worth) / len(worth)
        return mu(self.game, v[0]) + (1 - self.epsilon) * best + self.epsilon * mean
