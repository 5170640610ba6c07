"""The slow twin of chance: outcomes as they are defined, and the probability of holding in exact fractions.

*Held*: every outcome counts. *HOLD_T*: backward induction on fractions. *HOLD*: for a fixed adversary the
defender solves a Markov decision process, by policies and linear equations; the adversary's strategy is
improved while that lowers something. On the smallest games every pair of positional strategies is tried.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product as cartesian

from holdfast.game.structure import choices
from holdfast.logic.expressions import Player
from reference import Product

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY


class ChanceProduct(Product):
    """The product game in which the outcomes of a choice are drawn."""

    def groups(self, v):
        """The choices at a position, each as the outcomes that it may have: (action, successor, probability)."""
        game, moves = self.configuration.game, self.successors[v]
        found = []
        for outcomes in choices(game, v[1]):
            if any(number not in moves for number in outcomes):
                continue
            own = [(n, moves[n], game.actions[v[1]][n].probability) for n in outcomes]
            if v[1] is DEFENDER or all(target[3] in self.accepting_adversary for _, target, _ in own):
                found.append(own)
        return found

    def _attractor(self):
        rank, k = dict.fromkeys(self.unsafe, 0), 0
        while True:
            k += 1
            absorbed = []
            for v in self.positions:
                if v in rank:
                    continue
                risky = [any(target in rank for _, target, _ in own) for own in self.groups(v)]
                if any(risky) if v[1] is ADVERSARY else all(risky):
                    absorbed.append(v)
            if not absorbed:
                return rank
            rank.update(dict.fromkeys(absorbed, k))

    def admissible(self, v):
        """Λ(v) by action; a choice of which an outcome is missing cannot be made."""
        return {number: target for own in self.groups(v) for number, target, _ in own}

    def safe(self, v):
        """Safe(v): the adversary's outcomes that stay in W; the first outcome of each safe choice."""
        if v not in self.winning:
            return ()
        safe = []
        for own in self.groups(v):
            inside = [number for number, target, _ in own if target in self.winning]
            if v[1] is ADVERSARY:
                safe += inside
            elif len(inside) == len(own):
                safe.append(own[0][0])
        return tuple(safe)

    def reachable(self):
        """R, through every outcome of safe choices."""
        if not self.defensible:
            return None
        seen, stack = {self.initial}, [self.initial]
        while stack:
            v = stack.pop()
            safe = self.safe(v)
            for own in self.groups(v):
                for number, target, _ in own:
                    taken = number in safe if v[1] is ADVERSARY else own[0][0] in safe
                    if taken and target not in seen:
                        seen.add(target)
                        stack.append(target)
        return seen

    def slt(self):
        """SLT over choices."""
        reach = self.reachable()
        menus = [len(self.safe(v)) for v in reach or () if v[1] is DEFENDER]
        if not menus:
            return None
        return Fraction(sum(menus), len(menus) * len(choices(self.configuration.game, DEFENDER)))

    def lucky(self):
        """Where φ_D can be kept for ever if the defender chooses what is drawn."""
        kept = set(self.met())
        while True:
            after = set()
            for v in kept:
                own = [any(target in kept for _, target, _ in each) for each in self.groups(v)]
                if not own or (any(own) if v[1] is DEFENDER else all(own)):
                    after.add(v)
            if after == kept:
                return kept
            kept = after

    def mean_tried(self):
        """The mean number of moves to a violation by all pairs of positional strategies; None if infinite."""
        met = self.met()
        own = {p: [v for v in met if v[1] is p and self.groups(v)] for p in Player}
        means = []
        for attack in cartesian(*(range(len(self.groups(v))) for v in own[ADVERSARY])):
            found = []
            for defense in cartesian(*(range(len(self.groups(v))) for v in own[DEFENDER])):
                choice = dict(zip((*own[ADVERSARY], *own[DEFENDER]), (*attack, *defense)))
                found.append(self._mean({v: self.groups(v)[choice[v]] for v in met if v in choice}))
            means.append(None if None in found else max(found))
        finite = [mean for mean in means if mean is not None]
        return min(finite) if finite else None

    def _mean(self, chosen):
        """The mean time from v₀ in a chain; None where U is not reached with probability one."""
        seen, stack = {self.initial}, [self.initial]
        while stack:
            v = stack.pop()
            if v not in chosen:
                return None
            for _, target, _ in chosen[v]:
                if target not in seen and target not in self.unsafe:
                    seen.add(target)
                    stack.append(target)
        reaching = set()
        while True:
            more = {v for v in seen if any(t in reaching or t in self.unsafe for _, t, _ in chosen[v])}
            if more == reaching:
                break
            reaching = more
        if reaching != seen:
            return None
        column = {v: i for i, v in enumerate(seen)}
        rows = []
        for v in seen:
            row = [Fraction(0)] * len(seen) + [Fraction(1)]
            row[column[v]] += 1
            for _, target, p in chosen[v]:
                if target in column:
                    row[column[target]] -= p
            rows.append(row)
        return _eliminated(rows)[column[self.initial]][-1]

    # -- probabilities --------------------------------------------------------------------------------

    def met(self):
        """The positions that any play from v₀ can meet, U left out."""
        seen, stack = {self.initial} - self.unsafe, [v for v in [self.initial] if v not in self.unsafe]
        while stack:
            for own in self.groups(stack.pop()):
                for _, target, _ in own:
                    if target not in seen and target not in self.unsafe:
                        seen.add(target)
                        stack.append(target)
        return sorted(seen, key=repr)

    def stages(self, moves):
        """HOLD_T of all positions that are met for T = 0, …, moves."""
        met = self.met()
        stages = [dict.fromkeys(met, Fraction(1))]
        for _ in range(moves):
            stages.append({v: self._best(v, stages[-1]) for v in met})
        return stages

    def hold_within(self, moves):
        """HOLD_T(v₀) for T = 0, …, moves."""
        return [values.get(self.initial, Fraction(0)) for values in self.stages(moves)]

    def _best(self, v, values):
        drawn = [sum(p * values.get(target, 0) for _, target, p in own) for own in self.groups(v)]
        if not drawn:
            return Fraction(1)
        return max(drawn) if v[1] is DEFENDER else min(drawn)

    def hold(self):
        """HOLD(v₀), by strategy improvement of the adversary."""
        met = self.met()
        if not met:
            return Fraction(0)
        chosen = {v: 0 for v in met if v[1] is ADVERSARY and self.groups(v)}
        for _ in range(1000):
            values, changed = self._against(met, chosen), False
            for v, number in chosen.items():
                drawn = [sum(p * values.get(t, 0) for _, t, p in own) for own in self.groups(v)]
                if min(drawn) < drawn[number]:
                    chosen[v], changed = drawn.index(min(drawn)), True
            if not changed:
                return values[self.initial]
        raise AssertionError("the adversary improves for ever")

    def _against(self, met, chosen):
        """For each position the best that the defender can do against a fixed adversary."""
        options = {}
        for v in met:
            own = self.groups(v)
            options[v] = [own[chosen[v]]] if v in chosen else own
        sure = set(met)
        while True:
            kept = {
                v
                for v in sure
                if not options[v] or any(all(t in sure for _, t, _ in own) for own in options[v])
            }
            if kept == sure:
                break
            sure = kept
        policy = {v: 0 for v in met if v not in sure}
        while True:
            values = _solved(met, options, policy, sure)
            better = False
            for v, number in policy.items():
                drawn = [sum(p * values.get(t, 0) for _, t, p in own) for own in options[v]]
                if max(drawn) > drawn[number]:
                    policy[v], better = drawn.index(max(drawn)), True
            if not better:
                return values

    def tried(self):
        """HOLD(v₀) by all pairs of positional strategies."""
        met = self.met()
        if not met:
            return Fraction(0)
        own = {p: [v for v in met if v[1] is p and self.groups(v)] for p in Player}
        least = Fraction(1)
        for attack in cartesian(*(range(len(self.groups(v))) for v in own[ADVERSARY])):
            best = Fraction(0)
            for defense in cartesian(*(range(len(self.groups(v))) for v in own[DEFENDER])):
                choice = dict(zip((*own[ADVERSARY], *own[DEFENDER]), (*attack, *defense)))
                best = max(best, self._chain(met, choice))
            least = min(least, best)
        return least

    def _chain(self, met, choice):
        options = {v: [self.groups(v)[choice[v]]] if v in choice else [] for v in met}
        sure = set(met)
        while True:
            kept = {v for v in sure if all(t in sure for own in options[v] for _, t, _ in own)}
            if kept == sure:
                break
            sure = kept
        return _solved(met, options, {v: 0 for v in met if v not in sure}, sure)[self.initial]


def _solved(met, options, policy, sure):
    """Values of a fixed policy outside the sure set, where it is 1: linear equations, by elimination.

    A position from which the sure set is never reached has the value 0: play ends in U, since what could go
    on for ever without it is sure.
    """
    open_ = [v for v in met if v in policy]
    column = {v: i for i, v in enumerate(open_)}
    rows = []
    for v in open_:
        row = [Fraction(0)] * (len(open_) + 1)
        row[column[v]] += 1
        for _, target, p in options[v][policy[v]]:
            if target in column:
                row[column[target]] -= p
            elif target in sure:
                row[-1] += p
        rows.append(row)
    rows = _eliminated(rows)
    return {**dict.fromkeys(sure, Fraction(1)), **{v: rows[column[v]][-1] for v in open_}}


def _eliminated(rows):
    """Linear equations solved, by elimination."""
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        assert pivot is not None, "outside the sure set every policy leaves for good"
        rows[i], rows[pivot] = rows[pivot], rows[i]
        scale = rows[i][i]
        rows[i] = [x / scale for x in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return rows


def recovery_ranks(oracle, goal):
    """Rec_k where outcomes are drawn: all of a choice of the defender lead there, and all of the adversary's."""
    rank, k = {v: 0 for v in oracle.winning if v in goal}, 0
    while True:
        k += 1
        new = set()
        for v in oracle.winning - set(rank):
            near = [all(target in rank for _, target, _ in own) for own in oracle.groups(v)]
            if any(near) if v[1] is DEFENDER else near and all(near):
                new.add(v)
        if not new:
            return rank
        rank.update(dict.fromkeys(new, k))


def almost_sure(oracle, goal):
    """νY. μX. W ∩ (G ∪ …): the positions that recover with probability one, chance being fair."""
    return fairly_forced(oracle, DEFENDER, set(goal), set(oracle.winning))


def doomed(oracle):
    """νY. μX. U and …: the positions from which the adversary comes to U with probability one."""
    return fairly_forced(oracle, ADVERSARY, oracle.unsafe, set(oracle.positions)) - oracle.unsafe


def fairly_forced(oracle, seeker, wanted, inside):
    """From where in a set a player comes to what is wanted with probability one, and stays there till then."""
    while True:
        reached = wanted & inside
        while True:
            after = set(reached)
            for v in inside - reached:
                fit = [
                    all(t in inside for _, t, _ in each) and any(t in reached for _, t, _ in each)
                    for each in oracle.groups(v)
                ]
                if fit and (any(fit) if v[1] is seeker else all(fit)):
                    after.add(v)
            if after == reached:
                break
            reached = after
        if reached == inside:
            return inside
        inside = reached
