"""Sets as decision diagrams, read from DDDMP text; ranks as a growing sequence of sets.

oxidd does the Boolean algebra; the layout of the bits is the file's own. Codes past the end of a domain mean
nothing: what is read is cut down to the valid ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from fractions import Fraction
from itertools import islice
from typing import Any

from oxidd.bcdd import BCDDFunction, BCDDManager, BCDDSubstitution

from holdfast.budget import Budget
from holdfast.certificates.verify.container import MAX_VALUES, RANKED, refuse
from holdfast.certificates.verify.sets import COMPARISONS, OFTEN, change_of, rules, union
from holdfast.errors import LimitError
from holdfast.game.actions import State
from holdfast.game.structure import GameStructure
from holdfast.logic.expressions import Expression, Player, Variable

MAX_NODES, HEADER = 1 << 21, 20
MAX_BITS = 20_000
WIDE = 64
"""Counters with more values are compared and changed bit by bit."""
CAPACITY, FULL = 1 << 25, 0.6
CACHE, SMALL_CACHE, FEW_BITS = 1 << 18, 1 << 14, 36
BYTES_PER_NODE = 64

Steps = list[tuple[BCDDFunction, BCDDSubstitution]]
RuleCase = tuple[BCDDFunction, list[tuple[Variable, dict[int, BCDDFunction] | int]]]
"""Where a rule applies, and the valuations by the codes that it assigns."""


class DiagramSpace:
    """The space of valuations, in the order that the file gives to the bits."""

    def __init__(self, game: GameStructure, budget: Budget) -> None:
        if game.tables is not None:
            refuse("its witness is diagrams, and the moves of its scenario are tables")
        self.game, self.variables, self.budget = game, game.variables, budget
        self.capacity = min(CAPACITY, budget.memory // BYTES_PER_NODE)
        n_bits = sum((len(variable.values) - 1).bit_length() for variable in self.variables)
        self.manager = BCDDManager(self.capacity, SMALL_CACHE if n_bits <= FEW_BITS else CACHE, 1)
        self.true, self.false = self.manager.true(), self.manager.false()
        self.balanced: BCDDFunction | None = None
        _require_balance(game)
        self.terms: dict[Expression, dict[Fraction, BCDDFunction]] = {}

    def read(self, text: str, n_roots: int) -> list[BCDDFunction]:
        """The diagrams of a text in which each node stands after its children and on a level above them."""
        if text.count("\n") > MAX_NODES + HEADER:
            raise LimitError(f"the witness has more than {MAX_NODES:,} nodes, too many to be checked")
        head, _, body = text.partition("\n.nodes\n1 T 0 0\n")
        header = dict(line.partition(" ")[::2] for line in head.split("\n"))
        self.lay_out(header.get(".orderedvarnames", "").split(" ", MAX_BITS))
        *lines, end, after = "\n", *body.split("\n")
        nodes, levels = [self.false, self.true], [self.manager.num_vars()] * 2
        try:
            for number, line in enumerate(lines[1:], 2):
                if number % OFTEN == 0:
                    self.budget.tick("reading the diagrams")
                index, bit, *edges = map(int, line.split(" "))
                then, other = map(abs, edges)
                if index != number or not (0 < then < number and 0 < other < number):
                    refuse(f"node {number} of its diagrams refers to one that does not stand before it")
                if not 0 <= bit < min(levels[then], levels[other]):
                    refuse(f"node {number} of its diagrams is not on a level above its children")
                nodes.append(self.manager.var(bit).ite(*(self._edge(nodes, edge) for edge in edges)))
                levels.append(bit)
            roots = [int(word) for word in header[".rootids"].split(None, n_roots)]
            if (end, after) != (".end", "") or int(header[".nnodes"]) != len(nodes) - 1:
                refuse("its diagrams are cut off")
            if len(roots) != n_roots or not all(0 < abs(root) < len(nodes) for root in roots):
                refuse(f"its diagrams do not have {n_roots:,} roots")
        except (ValueError, KeyError):
            refuse("its diagrams are not DDDMP text of the expected form")
        return [self._edge(nodes, root) for root in roots]

    @staticmethod
    def _edge(nodes: list[BCDDFunction], edge: int) -> BCDDFunction:
        return nodes[edge] if edge > 0 else ~nodes[-edge]

    def lay_out(self, names: list[str]) -> None:
        """Give the bits of the variables the order of some names, from the top."""
        widths = {v.name: max(1, (len(v.values) - 1).bit_length()) for v in self.variables}
        if sorted(names) != sorted(f"{name}.{j}" for name, width in widths.items() for j in range(width)):
            refuse("its diagrams are not over the bits of the scenario's variables")
        self.manager.add_vars(len(names))
        place = {name: i for i, name in enumerate(names)}
        self.bits = {name: [place[f"{name}.{j}"] for j in range(width)] for name, width in widths.items()}
        self.valid = self.true
        for variable in self.variables:
            if self.wide(variable):
                last = len(variable.values) - 1
                self.valid &= self.compared([(variable, 1)], -last, "<=")
            else:
                self.valid &= self.table(variable, range(len(variable.values)))

    def wide(self, variable: Variable) -> bool:
        """Whether a variable counts many alike things."""
        return bool(self.game.tallies) and len(variable.values) > WIDE

    def compared(
        self, parts: list[tuple[Variable | BCDDFunction, int]], constant: int, op: str
    ) -> BCDDFunction:
        """Where a sum compares with 0: from the top, bit by bit, as long as the rest can still decide it."""
        weighed: list[tuple[BCDDFunction, int]] = []
        for part, weight in parts:
            if isinstance(part, Variable):
                places = enumerate(self.bits[part.name])
                weighed += [(self.manager.var(bit), weight << j) for j, bit in places]
            else:
                weighed.append((part, weight))
        weighed = [(states, weight) for states, weight in weighed if weight]
        top = self.manager.num_vars()
        weighed.sort(key=lambda each: top if (bit := each[0].node_var()) is None else bit)
        low, high = [0], [0]
        for _, weight in reversed(weighed):
            low.append(low[-1] + min(weight, 0))
            high.append(high[-1] + max(weight, 0))
        compare = COMPARISONS[op]
        totals, open_totals = {constant}, []
        for i, (_, weight) in enumerate([*weighed, (self.true, 0)]):
            rest = len(weighed) - i
            answered = {t: self._decided(compare, t + low[rest], t + high[rest], op) for t in totals}
            open_totals.append(answered)
            totals = {n for t, known in answered.items() if known is None for n in (t, t + weight)}
        below: dict[int, BCDDFunction] = {}
        for i in range(len(weighed), -1, -1):
            states, weight = weighed[i] if i < len(weighed) else (self.true, 0)
            here: dict[int, BCDDFunction] = {}
            for n, (total, known) in enumerate(open_totals[i].items()):
                if n % OFTEN == 0:
                    self.budget.tick("comparing sums")
                if known is None:
                    here[total] = states.ite(below[total + weight], below[total])
                else:
                    here[total] = self.true if known else self.false
            below = here
        return below[constant]

    @staticmethod
    def _decided(compare: Callable[[Fraction, Fraction], bool], low: int, high: int, op: str) -> bool | None:
        """Whether all totals from the one to the other compare alike with 0, and how."""
        if low != high and op in ("=", "!=") and low <= 0 <= high:
            return None
        first, last = (compare(Fraction(end), Fraction(0)) for end in (low, high))
        return first if first == last else None

    def table(self, variable: Variable, codes: Iterable[int]) -> BCDDFunction:
        """Where the variable has one of the codes."""
        states = self.false
        for code in codes:
            cube = self.true
            for j, bit in enumerate(self.bits[variable.name]):
                cube &= self.manager.var(bit) if code >> j & 1 else self.manager.not_var(bit)
            states |= cube
        return states

    def exists(self, states: BCDDFunction) -> bool:
        """Whether the set has a valid code."""
        return bool((states & self.valid).satisfiable())

    def occurs(self, states: BCDDFunction) -> bool:
        """Whether the set has a valid code whose counters add up; mostly there is none at all."""
        if not self.game.tallies or not self.exists(states):
            return self.exists(states)
        return bool((states & self.balance()).satisfiable())

    def balance(self) -> BCDDFunction:
        """Where all counters add up, which alone means something; no move leads out of it or into it."""
        if self.balanced is None:
            self.balanced = self.valid
            for tally in self.game.tallies:
                counters: list[tuple[Variable | BCDDFunction, int]] = [(c, 1) for c in tally.counters]
                self.balanced &= self.compared(counters, -tally.size, "=")
        return self.balanced

    def contains(self, states: BCDDFunction, state: State) -> bool:
        """Whether the state is in the set."""
        bits = zip((self.bits[v.name] for v in self.variables), state, strict=True)
        return bool(
            states.eval([(bit, bool(code >> j & 1)) for places, code in bits for j, bit in enumerate(places)])
        )

    def first(self, states: BCDDFunction) -> State:
        """Some state of a set that is not empty."""
        within = states & self.valid
        cube = (within & self.balance() if self.game.tallies else within).pick_cube()
        assert cube is not None, "a set that is not empty has a member"
        places = (self.bits[variable.name] for variable in self.variables)
        return tuple(sum(int(bool(cube[bit])) << j for j, bit in enumerate(bits)) for bits in places)

    def step(self, turn: Player, number: int) -> Steps:
        """For each rule, where it applies, and the bits after it as functions of those before it."""
        if self.manager.approx_num_inner_nodes() > FULL * self.capacity:
            self.manager.gc()
        made = BCDDFunction.make_substitution
        return [(applies, made(pairs)) for applies, pairs in self.bits_after(turn, number)]

    def bits_after(
        self, turn: Player, number: int
    ) -> list[tuple[BCDDFunction, list[tuple[int, BCDDFunction]]]]:
        """For each rule of an action, where it applies, and the valuations for which a bit is 1 after it."""
        return [
            (applies, [pair for variable, parts in assigned for pair in self._assigned(variable, parts)])
            for applies, assigned in rules(self, self.game.actions[turn][number])
        ]

    def _assigned(
        self, variable: Variable, parts: dict[int, BCDDFunction] | int
    ) -> list[tuple[int, BCDDFunction]]:
        """The bits of a variable after an assignment."""
        if isinstance(parts, int):
            return self._changed(variable, parts)
        return [
            (bit, union(self, (states for code, states in parts.items() if code >> j & 1)))
            for j, bit in enumerate(self.bits[variable.name])
        ]

    def _changed(self, variable: Variable, change: int) -> list[tuple[int, BCDDFunction]]:
        """The bits of a number with a constant added to it, from the least significant one on."""
        pairs, carried = [], self.false
        for j, bit in enumerate(self.bits[variable.name]):
            old = self.manager.var(bit)
            if change >> j & 1:
                pairs.append((bit, ~(old ^ carried)))
                carried = old | carried
            else:
                pairs.append((bit, old ^ carried))
                carried = old & carried
        return pairs


def _require_balance(game: GameStructure) -> None:
    """Counters of alike things add up at the start, and no move changes what they add up to."""
    for tally in game.tallies:
        start = [code for v, code in zip(game.variables, game.initial, strict=True) if v in tally.counters]
        if sum(start) != tally.size:
            refuse(f"the counters of {tally.name} do not add up to {tally.size:,} at the start")
        for player in Player:
            for action in game.actions[player]:
                for rule in action.rules:
                    changes = [change_of(v, value) for v, value in rule.assign if v in tally.counters]
                    if None in changes or sum([change or 0 for change in changes]) != 0:
                        refuse(f"the action {action.name} changes how many {tally.name} there are")


class DiagramNumbers:
    """One section of a witness: of a plane's levels 0, 1, … each contains the last."""

    def __init__(
        self,
        space: DiagramSpace,
        roots: list[BCDDFunction],
        n_planes: int,
        n_levels: int,
        moves: dict[tuple[int, str], BCDDFunction],
        ranked: bool,
    ) -> None:
        self.space, self.n_levels, self.moves, self.slack = space, n_levels, moves, int(not ranked)
        self.levels = [[space.false] for _ in range(n_planes)]
        for i, states in enumerate(roots):
            levels = self.levels[i // n_levels]
            levels.append(levels[-1] | (states & space.valid))

    def lasting(self) -> DiagramNumbers:
        """The section read so that a move may also lead to a position of the same number."""
        other = copy(self)
        other.slack = 1
        return other

    def members(self, plane: int) -> BCDDFunction:
        """The last level, which contains the others."""
        return self.levels[plane][-1]

    def rank(self, plane: int, state: State) -> int:
        """The first level that has a member."""
        return next(k for k, states in enumerate(self.levels[plane]) if self.space.contains(states, state))

    def named(self, plane: int, action: int, name: str) -> BCDDFunction:
        """Where the witness names this move."""
        return self.moves.get((plane, name), self.space.false)

    def goal(self, targets: list[tuple[int, BCDDFunction]], free: BCDDFunction) -> list[BCDDFunction]:
        """For each level, the successor valuations that mean a position below it, or are ``free``."""
        return [
            free
            | union(self.space, (states & self.levels[plane][k + self.slack] for plane, states in targets))
            for k in range(self.n_levels)
        ]

    def escapes(self, plane: int, goal: list[BCDDFunction], step: Steps) -> BCDDFunction:
        """The members that the move does not take to a level below their own (in a set: to a member)."""
        escaped = self.space.false
        for below, last, level in zip(goal, self.levels[plane], self.levels[plane][1:], strict=False):
            before, ranked_here = below, level & ~last
            for applies, substitution in step if ranked_here.satisfiable() else ():
                before = applies.ite(below.substitute(substitution), before)
            escaped |= ranked_here & ~before
        return escaped


class DiagramBeliefs:
    """Beliefs as diagrams."""

    def __init__(self, space: DiagramSpace) -> None:
        self.space = space
        self.rules: dict[tuple[Player, int], list[RuleCase]] = {}

    def only(self, state: State) -> BCDDFunction:
        """One valuation."""
        point = self.space.true
        for variable, code in zip(self.space.variables, state, strict=True):
            point &= self.space.table(variable, [code])
        return point

    def image(self, members: BCDDFunction, turn: Player, number: int) -> BCDDFunction:
        """Where an action leads: each rule, code by code of what it assigns."""
        space, key = self.space, (turn, number)
        if space.manager.approx_num_inner_nodes() > FULL * space.capacity:
            space.manager.gc()
        if key not in self.rules:
            self.rules[key] = list(rules(space, space.game.actions[turn][number]))
        stays, landed = members, space.false
        for applies, assigned in self.rules[key]:
            here, stays = members & applies, stays & ~applies
            if not here.satisfiable():
                continue
            written, cases = space.true, [(here, space.true)]
            for variable, parts in assigned:
                assert not isinstance(parts, int), "what is seen is never asked of counters"
                for bit in space.bits[variable.name]:
                    written &= space.manager.var(bit)
                cases = [
                    (both, new & space.table(variable, [code]))
                    for states, new in cases
                    for code, condition in parts.items()
                    if (both := states & condition).satisfiable()
                ]
            for states, new in cases:
                landed |= states.exists(written) & new
        return stays | landed

    def among(self, members: BCDDFunction, states: BCDDFunction) -> BCDDFunction:
        """Those that are in a set."""
        return members & states

    def joined(self, one: BCDDFunction, other: BCDDFunction) -> BCDDFunction:
        """What is in either."""
        return one | other

    def some(self, members: BCDDFunction) -> bool:
        """Whether there are any."""
        return bool(members.satisfiable())

    def covers(self, members: BCDDFunction, others: BCDDFunction) -> bool:
        """Whether all others are among them."""
        return not (others & ~members).satisfiable()

    def states(self, members: BCDDFunction) -> BCDDFunction:
        """As a set."""
        return members


def diagram_sections(
    game: GameStructure, witness: dict[str, Any], turns: list[Player], names: Sequence[str], budget: Budget
) -> tuple[DiagramSpace, dict[str, DiagramNumbers], list[dict[int, BCDDFunction]]]:
    """The space of a game, the sections of a witness over it, and its beliefs: root after root."""
    space, n_planes = DiagramSpace(game, budget), len(turns)
    n_levels = {name: witness[name] if name in RANKED else 1 for name in names}
    for n in n_levels.values():
        if not 0 <= n_planes * n <= MAX_VALUES:
            refuse(f"{n} ranks of {n_planes} planes are not what one has")
    named, believed = _named(witness.get("moves", ()), turns), _believed(witness.get("beliefs", ()), turns)
    n_roots = n_planes * sum(n_levels.values()) + len(named) + sum(map(len, believed))
    roots = iter(space.read(witness["dddmp"], n_roots))
    by_section = {name: list(islice(roots, n_planes * n)) for name, n in n_levels.items()}
    moves = dict(zip(named, islice(roots, len(named)), strict=True))
    beliefs = [
        {i: states & space.valid for i, states in zip(own, islice(roots, len(own)), strict=True)}
        for own in believed
    ]
    sections = {
        name: DiagramNumbers(space, own, n_planes, n_levels[name], moves, name in RANKED)
        for name, own in by_section.items()
    }
    return space, sections, beliefs


def _believed(entries: Iterable[Any], turns: list[Player]) -> list[list[int]]:
    """For each belief of a witness the planes that it has positions in."""
    for own in entries:
        ascending = isinstance(own, list) and all(type(i) is int for i in own) and own == sorted(set(own))
        if not ascending or any(not 0 <= i < len(turns) or turns[i] is not Player.DEFENDER for i in own):
            refuse("its beliefs are not ascending numbers of planes at which the defender is to move")
    return list(entries)


def _named(entries: Iterable[Any], turns: list[Player]) -> list[tuple[int, str]]:
    """The adversary planes and actions of which a witness says where the move is named."""
    named: dict[tuple[int, str], None] = {}
    for entry in entries:
        match entry:
            case [int(i), str(name)] if (
                0 <= i < len(turns) and turns[i] is Player.ADVERSARY and (i, name) not in named
            ):
                named[i, name] = None
            case _:
                refuse("its moves are not pairs of an adversary plane and an action, each once")
    return list(named)
