"""Sets of positions as decision diagrams (:mod:`holdfast.solver.position_sets` has the operators).

A set is one diagram of valuations for each turn and block, inside the codes that mean something, so that
equal sets are equal diagrams. Operators of the game go block by block: the goal of a class of moves is
composed with each of their assignments, and blocks with the same goal share the work.

*The attractor.* Predecessors distribute over unions, so that the adversary's part of an iteration looks at
what came last only, and the defender's is skipped where no move leads into it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from operator import and_, or_

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Action, Position, Recalled, Seen, preimage
from holdfast.logic import Compare, Diagram, Diagrams, Expression, Number, Player, Variable, term_range
from holdfast.solver.pieces import image
from holdfast.solver.product_diagrams import ProductDiagrams, can_enter, must_enter

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY

Blockwise = tuple[Diagram, ...]
"""For each block a set of valuations."""

Join = Callable[[Diagram, Diagram], Diagram]
"""An operation on two sets of valuations."""


@dataclass(frozen=True)
class DiagramPositions:
    """A set of positions outside U: for each turn, the valuations in each block, all within their domains.

    ``by`` in place of ``product``, where an operator takes it, is the same game with fewer moves
    (:meth:`ProductDiagrams.only`, :attr:`ProductDiagrams.waiting`).
    """

    product: ProductDiagrams = field(repr=False, compare=False)
    defender: Blockwise
    adversary: Blockwise

    @classmethod
    def nothing(cls, product: ProductDiagrams) -> DiagramPositions:
        """The empty set."""
        return cls.where(product, product.diagrams.false)

    @classmethod
    def everything(cls, product: ProductDiagrams) -> DiagramPositions:
        """Every position outside U."""
        return cls.where(product, product.diagrams.valid)

    @classmethod
    def where(cls, product: ProductDiagrams, states: Diagram) -> DiagramPositions:
        """The positions with these states, whatever the automata remember and whoever is to move."""
        own = (states & product.diagrams.valid,) * product.blocks.n_blocks
        return cls(product, own, own)

    @classmethod
    def of(cls, product: ProductDiagrams, position: Position) -> DiagramPositions:
        """The set of one position, which must be outside U."""
        d, number = product.diagrams, product.blocks.number(position)
        assert number is not None, "no position of U is in any set"
        sets = [d.false] * product.blocks.n_blocks
        sets[number] = d.state(product.configuration.game.codes(position.state))
        return cls(product, tuple(sets), tuple(sets)).at(position.turn)

    # -- sets -----------------------------------------------------------------------------------------

    def __getitem__(self, player: Player) -> Blockwise:
        """The valuations in each block at a player's turn."""
        return self.defender if player is DEFENDER else self.adversary

    def __and__(self, other: DiagramPositions) -> DiagramPositions:
        """What is in both sets."""
        return self._joined(other, and_)

    def __or__(self, other: DiagramPositions) -> DiagramPositions:
        """What is in one of the sets, or in both."""
        return self._joined(other, or_)

    def __sub__(self, other: DiagramPositions) -> DiagramPositions:
        """What is in this set and not in the other."""
        return self._joined(other, _without)

    def _joined(self, other: DiagramPositions, join: Join) -> DiagramPositions:
        defender, adversary = (tuple(map(join, self[p], other[p])) for p in (DEFENDER, ADVERSARY))
        return DiagramPositions(self.product, defender, adversary)

    def __invert__(self) -> DiagramPositions:
        """The positions outside U that are not in the set."""
        return DiagramPositions.everything(self.product) - self

    def __le__(self, other: DiagramPositions) -> bool:
        """Whether everything in this set is in the other."""
        pairs = (
            (one, more) for p in (DEFENDER, ADVERSARY) for one, more in zip(self[p], other[p], strict=True)
        )
        possible = self.product.diagrams.possible
        return not any(possible(one & ~more) for one, more in pairs if one != more)

    def __bool__(self) -> bool:
        """Whether there is anything in the set."""
        return any(map(self.product.diagrams.possible, dict.fromkeys((*self.defender, *self.adversary))))

    @property
    def has_valuations(self) -> bool:
        """Whether there is anything in the set, be it counters that do not add up."""
        return _any(self.defender) or _any(self.adversary)

    def __contains__(self, position: Position) -> bool:
        """Whether a position is in the set; one of U never is."""
        block = self.product.blocks.number(position)
        if block is None:
            return False
        codes = self.product.configuration.game.codes(position.state)
        return bool(self[position.turn][block].eval(self.product.diagrams.point(codes)))

    def count(self, multiplicity: bool = True) -> int:
        """How many positions there are, exactly; without ``multiplicity``, each block counts once."""
        blocks, count = self.product.blocks, self.product.diagrams.count
        return sum(
            count(states) * (blocks.multiplicity(block) if multiplicity else 1)
            for player in Player
            for block, states in enumerate(self[player])
        )

    def size(self) -> int:
        """How many nodes the diagrams have, those that several share counted for each."""
        return sum(states.node_count() for player in Player for states in self[player])

    def alone(self, position: Position) -> DiagramPositions:
        """The set of one position of the game, which must be outside U."""
        return DiagramPositions.of(self.product, position)

    def at(self, player: Player) -> DiagramPositions:
        """The positions of the set at which it is a player's turn."""
        nobody = (self.product.diagrams.false,) * self.product.blocks.n_blocks
        if player is DEFENDER:
            return DiagramPositions(self.product, self.defender, nobody)
        return DiagramPositions(self.product, nobody, self.adversary)

    def satisfying(self, predicate: Expression) -> DiagramPositions:
        """The positions of the set in whose state a predicate holds."""
        return self & DiagramPositions.where(self.product, self.product.diagrams.truth(predicate))

    def forgetting(self, variables: Collection[Variable]) -> DiagramPositions:
        """The positions that differ from one of the set in the values of some variables at most.

        Codes of these variables that mean nothing count too: that keeps the diagrams small.
        """
        bits = self.product.diagrams.support(variables)
        defender, adversary = (
            tuple(states.exists(bits) for states in self[p]) for p in (DEFENDER, ADVERSARY)
        )
        return DiagramPositions(self.product, defender, adversary)

    def recalling(self, memories: Collection[tuple[int, ...]]) -> DiagramPositions:
        """The positions of the set at which φ_A is in some of its states."""
        met, nothing = self.product.blocks.recalling(memories), self.product.diagrams.false
        defender, adversary = (
            tuple(states if own else nothing for states, own in zip(self[p], met, strict=True))
            for p in (DEFENDER, ADVERSARY)
        )
        return DiagramPositions(self.product, defender, adversary)

    def split(self, seen: Seen) -> dict[int, DiagramPositions]:
        """The set in parts that look alike to somebody who sees some of every position."""
        bits = self.product.blocks.recalled(seen)
        if len(set(bits)) == 1:
            return self._split(seen, 0)
        parts: dict[int, DiagramPositions] = {}
        for recalled in dict.fromkeys(bits):
            within = tuple(
                self.product.diagrams.valid if b == recalled else self.product.diagrams.false for b in bits
            )
            parts |= (self & DiagramPositions(self.product, within, within))._split(seen, recalled)
        return dict(sorted(parts.items()))

    def _split(self, seen: Seen, recalled: int) -> dict[int, DiagramPositions]:
        """The set by what is seen of states; what is recalled is alike in all of it."""
        d = self.product.diagrams
        states = d.false
        for own in {*self.defender, *self.adversary}:
            states |= own
        parts = {recalled: states} if states.satisfiable() else {}
        for i, predicate in enumerate(seen):
            if isinstance(predicate, Recalled):
                continue
            truth, finer = d.truth(predicate), dict[int, Diagram]()
            for key, part in parts.items():
                inside = part & truth
                if inside.satisfiable():
                    finer[key | 1 << i] = inside
                if inside != part:
                    finer[key] = part & ~truth
            parts = finer
        if len(parts) == 1:
            return dict.fromkeys(parts, self)
        wholes = ((key, DiagramPositions.where(self.product, parts[key])) for key in sorted(parts))
        return {key: self & whole for key, whole in wholes}

    def some(self) -> Position | None:
        """Some position of the set; None if it is empty."""
        for player in Player:
            for block, states in enumerate(self[player]):
                codes = self.product.diagrams.pick(states)
                if codes is not None:
                    state = tuple(codes[v.name] for v in self.product.configuration.game.variables)
                    return Position(state, player, *self.product.blocks.states(block))
        return None

    def extent(self, term: Expression) -> tuple[Fraction, Fraction]:
        """The least and the greatest value of a term in the states of the set, which is not empty."""
        d, states = self.product.diagrams, self.product.diagrams.false
        for valuations in (*self.defender, *self.adversary):
            states |= valuations
        if d.tallies:
            return _halved(d, term, states)
        values = sorted(value for value, here in d.term(term).items() if (here & states).satisfiable())
        return values[0], values[-1]

    # -- the game -------------------------------------------------------------------------------------

    def pre(
        self,
        among: DiagramPositions | None = None,
        *,
        by: ProductDiagrams | None = None,
        unsafe: bool = False,
        budget: Budget = UNLIMITED,
    ) -> DiagramPositions:
        """From where some admissible move leads into the set or, if ``unsafe``, into U."""
        game = self.product if by is None else by
        within = DiagramPositions.everything(self.product) if among is None else among
        defender, adversary = (
            entering(game, player, self[player.opponent], unsafe, within[player], budget.tick)
            for player in (DEFENDER, ADVERSARY)
        )
        return DiagramPositions(self.product, defender, adversary)

    def cpre(
        self,
        among: DiagramPositions | None = None,
        *,
        by: ProductDiagrams | None = None,
        budget: Budget = UNLIMITED,
    ) -> DiagramPositions:
        """From where the defender can move into the set, and the adversary cannot but move into it."""
        game = self.product if by is None else by
        within = DiagramPositions.everything(self.product) if among is None else among
        drawn = entering(game, ADVERSARY, (~self).defender, True, within.adversary, budget.tick)
        return DiagramPositions(
            self.product,
            entering(game, DEFENDER, self.adversary, False, within.defender, budget.tick),
            tuple(map(_without, within.adversary, drawn)),
        )

    def kept(self, budget: Budget = UNLIMITED, *, here: Position | None = None) -> DiagramPositions:
        """The largest part of the set in which the defender can keep play for ever.

        What the adversary attracts to all else is left out: that looks at what came last, not at everything.
        Where only the part that has a position ``here`` is asked for, it ends as soon as it is left out.
        """
        lost = ~self
        for attracted, _ in attractor(lost, None, budget.tick):
            lost = attracted
            if here is not None and here in lost:
                break
        return ~lost

    def post(self, *, by: ProductDiagrams | None = None, budget: Budget = UNLIMITED) -> DiagramPositions:
        """Where admissible moves lead from the set."""
        game = self.product if by is None else by
        defender, adversary = (_entered(game, p, self[p], budget.tick) for p in (ADVERSARY, DEFENDER))
        return DiagramPositions(self.product, defender, adversary)

    def narrowest(
        self, among: DiagramPositions, *, budget: Budget = UNLIMITED
    ) -> tuple[int, DiagramPositions]:
        """The fewest choices that lead into the set from any of some defender positions, and where."""
        from holdfast.solver.menus import fewest_permitted

        fewest, where = fewest_permitted(self.product, among.defender, self, budget)
        return fewest, DiagramPositions(self.product, where, among.at(DEFENDER).adversary)

    def pre_by(self, action: int, among: DiagramPositions) -> DiagramPositions:
        """From where among some positions one of the defender's actions, a number, leads into the set."""
        product, known, sets = self.product, dict[Diagram, Diagram](), []
        kind, own = product.move_class[DEFENDER][action], product.configuration.game.actions[DEFENDER][action]
        gamble = next((gamble for gamble in product.gambles if action in gamble.numbers), None)
        for block, states in enumerate(among.defender):
            goal = product.goal(kind, block, self.adversary, unsafe=False)
            if goal not in known:
                known[goal] = (
                    preimage(product.diagrams, own, goal)
                    if gamble is None
                    else gamble.into(product.diagrams, goal)
                )
            sets.append(states & known[goal])
        return DiagramPositions(product, tuple(sets), among.at(DEFENDER).adversary)

    def pre_as(
        self, number: int, doing: Action, among: DiagramPositions, *, unsafe: bool = False
    ) -> DiagramPositions:
        """From where the adversary would lead into the set (or U) if one of its moves did something else."""
        product, known, sets = self.product, dict[Diagram, Diagram](), []
        kind, nothing = product.move_class[ADVERSARY][number], product.diagrams.false
        for block, states in enumerate(among.adversary):
            goal = (
                nothing if product.blocks.is_sink(block) else product.goal(kind, block, self.defender, unsafe)
            )
            if goal not in known:
                known[goal] = preimage(product.diagrams, doing, goal)
            sets.append(states & known[goal])
        return DiagramPositions(product, among.at(ADVERSARY).defender, tuple(sets))

    def by_action(self, player: Player, block: int, *, unsafe: bool = False) -> Iterator[Diagram]:
        """For each action of a player, the valuations of a block from where it leads into the set (or U).

        Where it is an outcome of a choice of the defender, from where all outcomes do.
        """
        product, targets = self.product, self[player.opponent]
        goals: dict[int, Diagram] = {}
        kinds, actions = product.move_class[player], product.configuration.game.actions[player]
        gambles = {n: gamble for gamble in product.gambles for n in gamble.numbers if player is DEFENDER}
        for number, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
            if kind not in goals:
                goals[kind] = product.goal(kind, block, targets, unsafe)
            if number in gambles:
                yield gambles[number].into(product.diagrams, goals[kind])
            else:
                yield preimage(product.diagrams, action, goals[kind])


def _halved(diagrams: Diagrams, term: Expression, states: Diagram) -> tuple[Fraction, Fraction]:
    """The ends of a whole term of counters, each halfway between what is known of it, again and again."""
    ends = []
    for op, way in (("<=", 1), (">=", -1)):
        inside, outside = (int(end) for end in term_range(term)[::-way])
        outside -= way  # the term compares with ``inside`` in some of the states, with ``outside`` in none
        while abs(inside - outside) > 1:
            middle = (inside + outside) // 2
            here = diagrams.truth(Compare(op, term, Number(Fraction(middle))))
            inside, outside = (middle, outside) if diagrams.possible(here & states) else (inside, middle)
        ends.append(Fraction(inside))
    return ends[0], ends[1]


def _without(states: Diagram, others: Diagram) -> Diagram:
    return states & ~others


def _any(sets: Blockwise) -> bool:
    return any(states.satisfiable() for states in sets)


def entering(
    game: ProductDiagrams,
    player: Player,
    targets: Blockwise,
    unsafe: bool,
    among: Blockwise,
    tick: Callable[[], None],
    early: bool = False,
) -> Blockwise:
    """In each block, from where a player's moves lead into the targets (or into U), among some states.

    Other states are left out at the end, so that blocks with the same goal share the work; or ``early``,
    move by move, which pays where they are most of what there is.
    """
    d, sets = game.diagrams, []
    known: dict[tuple[int, Diagram, Diagram | None], Diagram] = {}
    possible = unsafe or _any(targets)
    for block, states in enumerate(among):
        into = d.false
        ended = player is ADVERSARY and game.blocks.is_sink(block)
        for group in game.groups[player] if possible and not ended and states.satisfiable() else ():
            goal = game.goal(group.kind, block, targets, unsafe)
            key = group.kind, goal, states if early else None
            if key not in known:
                known[key] = can_enter(group, goal, tick, key[2])
            into |= known[key]
        if player is DEFENDER and game.gambles and possible and states.satisfiable():
            for gamble in game.gambles:
                tick()
                into |= gamble.into(d, game.goal(gamble.kind, block, targets, unsafe))
        sets.append(into & states)
    return tuple(sets)


def _entered(game: ProductDiagrams, player: Player, states: Blockwise, tick: Callable[[], None]) -> Blockwise:
    """In each block, where a player's moves lead."""
    sets = [game.diagrams.false] * game.blocks.n_blocks
    for block, own in enumerate(states):
        ended = player is ADVERSARY and game.blocks.is_sink(block)
        for group in game.groups[player] if own.satisfiable() and not ended else ():
            moved = own & group.stay
            for piece in group.pieces:
                tick()
                moved |= image(piece, own)
            for target, condition in game.edges[group.kind][block].items():
                if target is not None:
                    sets[target] |= moved & condition
        for gamble in game.gambles if player is DEFENDER and own.satisfiable() else ():
            tick()
            moved = game.drawn(gamble, own)
            for target, condition in game.edges[gamble.kind][block].items():
                if target is not None:
                    sets[target] |= moved & condition
    return tuple(sets)


# -- the attractor ----------------------------------------------------------------------------------

Grown = tuple[DiagramPositions, DiagramPositions]
"""What is lost, and what of it came last."""


def attractor(
    lost: DiagramPositions,
    newest: DiagramPositions | None,
    tick: Callable[[], None],
    chance: Callable[[DiagramPositions], DiagramPositions] | None = None,
) -> Iterator[Grown]:
    """What the adversary attracts to U, one synchronous iteration (alg:attractor) after the other.

    It ends where nothing is new, not even counters that do not add up: what is left is then closed for them
    too, and easily checked. Whoever stops before can go on later from the last pair.

    Args:
        lost: what is lost from the start; nothing, or an attractor with more positions added.
        newest: what of it was not looked at yet; None when U itself was not.
        tick: called often; what it raises ends the iteration.
        chance: from where, besides the players' moves, chance may lead into what is lost.
    """
    while newest is None or newest.has_valuations:
        drawn = lost.product.diagrams.tidied(partial(_drawn, lost, newest, tick))
        newest = (drawn if chance is None else drawn | chance(lost)) - lost
        if newest.has_valuations:
            lost = lost | newest
            yield lost, newest


def _drawn(
    lost: DiagramPositions, newest: DiagramPositions | None, tick: Callable[[], None]
) -> DiagramPositions:
    """From where the adversary can move to what came last, and the defender cannot but lose.

    The first iteration (``newest`` None) starts from U.
    """
    entered, unsafe = (lost, True) if newest is None else (newest, False)
    drawn = entering(lost.product, ADVERSARY, entered.defender, unsafe, (~lost).adversary, tick, early=True)
    return DiagramPositions(lost.product, _trapped(lost, entered, unsafe, tick), drawn)


def _trapped(
    lost: DiagramPositions, entered: DiagramPositions, unsafe: bool, tick: Callable[[], None]
) -> Blockwise:
    """In each block, from where all defender moves lead to what is lost, one of them to what came last."""
    product, sets = lost.product, []
    known: dict[tuple[int, Diagram], Diagram] = {}
    for block in range(product.blocks.n_blocks):
        groups = product.groups[DEFENDER]
        kinds = dict.fromkeys(group.kind for group in groups)
        kinds |= dict.fromkeys(gamble.kind for gamble in product.gambles)
        goals = (product.goal(kind, block, entered.adversary, unsafe) for kind in kinds)
        trapped = product.diagrams.false
        if any(goal.satisfiable() for goal in goals):
            trapped = product.diagrams.valid
            for group in groups:
                key = group.kind, product.goal(group.kind, block, lost.adversary, True)
                if key not in known:
                    known[key] = must_enter(group, key[1], tick)
                trapped &= known[key]
            for gamble in product.gambles if trapped.satisfiable() else ():
                tick()
                goal = product.goal(gamble.kind, block, lost.adversary, True)
                trapped &= gamble.risks(product.diagrams, goal)
        sets.append(trapped)
    return tuple(sets)
