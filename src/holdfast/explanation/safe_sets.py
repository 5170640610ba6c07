"""Safe play as decision diagrams: exact answers where R is too large to list.

R is had by chaining (:mod:`holdfast.solver.chaining`), a set of states for each turn and block. What is
asked of it are sets again, and never a sample.

*Permitted actions.* Each defender action is permitted on a set. The positions with exactly j < K permitted
actions are kept apart while the actions are added one set at a time, and a position that has K is dropped;
K doubles until something is left. The actions that are permitted most often come first, so that little is
kept.

*Plays.* Going back from a set inside R, move by move, the rings of equal distance are had until v₀ is met.
Following them forward from v₀ gives shortest plays to the nearest positions of the set.

Every question raises LimitError when the diagrams outgrow their memory, or past the budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.safe_positions import Nearest, Play
from holdfast.game import Position
from holdfast.logic import Diagram, Expression, Player, after_move
from holdfast.solver import (
    DiagramPositions,
    DiagramRegions,
    MoveInWords,
    ProductDiagrams,
    Solution,
    SolvedGame,
    can_enter,
    diagrams,
    move_in_words,
    within_memory,
)

MAX_FOLLOWED = 2_000
"""Positions that are followed forward at most, for plays of one length."""

DEFENDER = Player.DEFENDER


@dataclass(frozen=True, eq=False, repr=False)
class SafeSets:
    """R of a solved game, which is also asked position by position (``solved``); ``winning`` is W."""

    solved: SolvedGame
    regions: DiagramRegions
    winning: DiagramPositions
    seen: DiagramPositions
    budget: Budget

    @property
    def solution(self) -> Solution:
        """Whose R it is."""
        return self.solved.solution

    @property
    def product(self) -> ProductDiagrams:
        """The game as diagrams."""
        return self.regions.product

    @property
    def n(self) -> int:
        """How many defender positions R has."""
        return self.count(self.mine)

    @property
    def mine(self) -> DiagramPositions:
        """The defender positions of R."""
        return self.seen.at(DEFENDER)

    def count(self, positions: DiagramPositions) -> int:
        """How many positions a set has, exactly."""
        return positions.count(multiplicity=False)

    @property
    def busy(self) -> Budget:
        """The budget, under the words that show progress."""
        return self.budget.part("safe play as decision diagrams")

    @within_memory("safe play")
    def fewest_permitted(self) -> tuple[int, DiagramPositions]:
        """The least |Safe(v)| over the defender positions of R, and where it is met; R has one at least."""
        tidied, blocks = self.product.diagrams.tidied, range(self.product.blocks.n_blocks)
        nobody = DiagramPositions.nothing(self.product).adversary
        menus = [tidied(partial(_menus, self, block)) for block in blocks]
        few = 2
        while True:
            kept = [tidied(partial(_below, self, block, menus[block], few)) for block in blocks]
            for n in range(few):
                where = DiagramPositions(self.product, tuple(exactly[n] for exactly in kept), nobody)
                if where:
                    return n, where
            few *= 2

    @within_memory("safe play")
    def closest(self) -> Nearest:
        """The least rank to which doing nothing, or else any wrong move, leads."""
        layers, waiting = self.regions.layers, self.product.waiting
        must_act = self.mine - self.winning.pre(self.mine, by=waiting, budget=self.busy)
        losing = self.count(layers[-1].pre(must_act, by=waiting, budget=self.busy)) if layers else 0
        inside, moves = (must_act, waiting) if losing else (self.mine, self.product)
        for k, layer in enumerate(layers, 1):
            where = layer.pre(inside, by=moves, budget=self.busy)
            if where:
                return Nearest(k, bool(losing), losing, where)
        return Nearest(None, False, 0, DiagramPositions.nothing(self.product))

    @within_memory("safe play")
    def threatened(self, near: Nearest) -> dict[int, int]:
        """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
        counts, moves = {}, self.product.waiting if near.by_waiting else self.product
        for clause in range(len(self.solution.configuration.defender)):
            counts[clause] = self.count(_violating(self, clause).pre(near.where, by=moves, budget=self.busy))
        return {clause: n for clause, n in counts.items() if n}

    @within_memory("safe play")
    def extent(self, term: Expression) -> tuple[int, int]:
        """The least and the greatest value of a term over the states of R, either turn."""
        parts, states = self.product.diagrams.term(term), self.product.diagrams.false
        for own in (*self.seen.defender, *self.seen.adversary):
            states |= own

        def taken(value: Fraction) -> bool:
            return (parts[value] & states).satisfiable()

        values = sorted(parts)
        return int(next(filter(taken, values))), int(next(filter(taken, reversed(values))))

    def plays(self, where: DiagramPositions, n: int) -> list[Play]:
        """Those of a set nearest to v₀, in different states; any one without a play where a limit is met."""
        plays: list[Play] = []
        with suppress(LimitError):
            plays += _nearest_plays(self, where, n)
        if not plays:
            some = where.some()
            assert some is not None
            plays.append((some, None))
        return plays


def safe_sets(solution: Solution, budget: Budget = UNLIMITED) -> SafeSets:
    """R by chaining.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow their memory, or past the budget.
    """
    regions = diagrams(solution, budget)
    return SafeSets(SolvedGame(solution), regions, regions.winning(), regions.reached(budget), budget)


# -- how many actions are permitted -------------------------------------------------------------------


def _menus(safe: SafeSets, block: int) -> list[tuple[Diagram, int]]:
    """The sets on which defender actions are permitted, each with its number of actions, largest first."""
    product, states, busy = safe.product, safe.seen.defender[block], safe.busy
    menus: dict[Diagram, int] = {}
    for group in product.groups[DEFENDER] if states.satisfiable() else ():
        goal = product.goal(group.kind, block, safe.winning.adversary, unsafe=False)
        moved = []
        for piece in group.pieces:
            busy.tick()
            moved.append(states & goal.substitute(piece.substitution))
        kept = states & goal
        for own, stay in group.actions:
            permitted = kept & stay
            for i, guard in own:
                permitted |= moved[i] & guard
            menus[permitted] = menus.get(permitted, 0) + 1
    return sorted(menus.items(), key=lambda item: product.diagrams.count(item[0]), reverse=True)


def _below(safe: SafeSets, block: int, menus: list[tuple[Diagram, int]], few: int) -> list[Diagram]:
    """Where exactly 0, 1, …, few − 1 actions are permitted."""
    false, busy = safe.product.diagrams.false, safe.busy
    exactly = [safe.seen.defender[block]] + [false] * (few - 1)
    for permitted, n_actions in menus:
        busy.tick()
        after = [false] * few
        for n, states in enumerate(exactly):
            if states.satisfiable():
                after[n] |= states & ~permitted
                if n + n_actions < few:
                    after[n + n_actions] |= states & permitted
        exactly = after
    return exactly


# -- where moves lead ---------------------------------------------------------------------------------


def _violating(safe: SafeSets, clause: int) -> DiagramPositions:
    """The adversary positions with an admissible move that violates the clause at once."""
    product, configuration = safe.product, safe.solution.configuration
    automaton, blocks, d = configuration.defender[clause], product.blocks, product.diagrams
    # For each class of adversary moves the name of one: to the automata they look alike.
    actions = configuration.game.actions[Player.ADVERSARY]
    letters = dict(zip(product.move_class[Player.ADVERSARY], actions, strict=True))
    sets = []
    for block in range(blocks.n_blocks):
        q, violating = blocks.defender.accepting[block // len(blocks.planes)][clause], d.false
        rejecting = [t for t in sorted(set(automaton.delta[q])) if not automaton.accepting[t]]
        for group in () if blocks.is_sink(block) else product.groups[Player.ADVERSARY]:
            rejected = admissible = d.false
            for target in rejecting:
                letter = Player.ADVERSARY, letters[group.kind].name
                rejected |= d.truth(after_move(automaton.guard(q, target), letter))
            for condition in product.edges[group.kind][block].values():
                admissible |= condition
            violating |= can_enter(group, rejected & admissible, safe.busy.tick)
        sets.append(violating)
    return DiagramPositions(product, DiagramPositions.nothing(product).defender, tuple(sets))


# -- plays --------------------------------------------------------------------------------------------


def _nearest_plays(safe: SafeSets, targets: DiagramPositions, n: int) -> Iterator[Play]:
    """Shortest plays to up to n positions of a set inside R, the nearest first, in different states."""
    while n and targets:
        with within_memory("safe play"):
            plays = _followed(safe, _rings(safe, targets), n)
        yield from plays
        n -= len(plays)
        for position, _ in plays:
            state = safe.product.diagrams.state(safe.solved.game.codes(position.state))
            targets -= DiagramPositions.where(safe.product, state)


def _rings(safe: SafeSets, targets: DiagramPositions) -> list[DiagramPositions]:
    """The positions of R that are 0, 1, … moves away from the set, until v₀ is among them."""
    rings, far = [targets], safe.seen - targets
    while safe.solved.initial not in rings[-1]:
        newest = safe.product.diagrams.tidied(partial(rings[-1].pre, far, budget=safe.busy))
        assert newest, "R is reached from v₀"
        far -= newest
        rings.append(newest)
    return rings


def _followed(safe: SafeSets, rings: list[DiagramPositions], n: int) -> list[Play]:
    """Plays from v₀ inwards, ring by ring, that end in up to n different states."""
    solved = safe.solved
    stack: list[tuple[Position, tuple[MoveInWords, ...]]] = [(solved.initial, ())]
    seen, ends = {solved.initial}, dict[tuple[int, ...], Play]()
    n_followed, busy = 0, safe.busy
    while stack and len(ends) < n and (n_followed < MAX_FOLLOWED or not ends):
        here, play = stack.pop()
        inner = len(rings) - 1 - len(play)
        if inner == 0:
            ends.setdefault(here.state, (here, play))
            continue
        n_followed += 1
        busy.tick()
        # What is pushed last is followed first: moves that change something, in the order of the game.
        onward = list(solved.moves(here).items())
        onward.reverse()
        onward.sort(key=lambda item: item[0].state != here.state)
        for target, actions in onward:
            if target not in seen and target in rings[inner - 1]:
                seen.add(target)
                stack.append(
                    (target, (*play, move_in_words(solved.configuration.system, here, actions[0], target)))
                )
    return list(ends.values())
