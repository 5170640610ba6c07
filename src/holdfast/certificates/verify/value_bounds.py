"""The proofs of :mod:`.bounds` on value diagrams, for games that are too large to list.

What a choice is worth at all positions of a plane is one function of valuations. So a proof is one step from
all positions at once, and T moves are T steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from oxidd.bcdd import BCDDFunction

from holdfast.budget import Budget
from holdfast.certificates.verify.bounds import LikelyBounds
from holdfast.certificates.verify.container import refuse
from holdfast.certificates.verify.diagram_space import DiagramSpace, Steps
from holdfast.certificates.verify.planes import Plane, PlaneGame
from holdfast.certificates.verify.sets import union
from holdfast.certificates.verify.value_functions import Moved, RankedValue, ValueFunctions, read_functions
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Player

MAX_UNITS = 1 << 60
DOWN, UP = "down", "up"
"""How a mean is rounded."""


@dataclass(frozen=True)
class CheckedChoice:
    """A choice: the set in which it can be made, and its outcomes, each with its part of a whole."""

    name: str
    possible: int
    whole: int
    outcomes: tuple[tuple[int, Moved], ...]


@dataclass(frozen=True)
class Onward:
    """Choices at a plane that no automaton tells apart, and what the valuations after them mean.

    Attributes:
        targets: the sets that lead to planes, by their numbers.
        unsafe: that with which φ_D is violated.
    """

    targets: tuple[tuple[int, int], ...]
    unsafe: int
    choices: tuple[CheckedChoice, ...]


def wrong_values(
    chosen: Configuration, text: str, planes: dict[Plane, int], bounds: LikelyBounds, budget: Budget
) -> str:
    """Why value diagrams do not prove some bounds; empty where they do.

    For each plane there is a function of values from below, then for each one of pairs from above.
    """
    space = DiagramSpace(chosen.game, budget)
    table, units, roots = read_functions(text, space, budget)
    n = len(planes)
    if not 0 < units <= MAX_UNITS or len(roots) != 2 * n:
        refuse(
            f"its values are not multiples of 1/1 to 1/{MAX_UNITS:,} for each of its planes, from both sides"
        )
    if max(value for value, _ in table.values_of(roots)) > units:
        refuse("a value is more than 1")
    if max(rank for _, rank in table.values_of(roots[:n])) > 0:
        refuse("a value from below has a rank")
    proofs = ValueProofs(PlaneGame(chosen, None, planes, space, budget), table, units)
    return (
        proofs.below(roots[:n], bounds.low)
        or (proofs.above(roots[n:], bounds.forever) if bounds.forever is not None else "")
        or proofs.within(bounds)
    )


class ValueProofs:
    """The steps of one game on functions.

    ``complete`` is whether no move leads from a listed plane to one that is not.
    """

    def __init__(self, game: PlaneGame[BCDDFunction, Steps], table: ValueFunctions, units: int) -> None:
        self.game, self.table, self.units = game, table, units
        self.meant = table.of_set(table.space.balance())
        self.moved: dict[tuple[Player, int], Moved] = {}
        self.complete = True
        safe = [plane for plane in game.planes if not game.is_unsafe(plane)]
        self.onward = {plane: self._onward(plane) for plane in safe}
        table.settle()

    # -- what is proved -----------------------------------------------------------------------------

    def below(self, values: list[int], low: Fraction) -> str:
        """Why values are no lower bounds, or too low."""
        table, never = self.table, self.table.never
        for plane, onward in self.onward.items():
            values = table.collected(values)
            own, left = values[self.game.planes[plane]], self.meant
            for choice, worth in self._choices(onward, values, 0, DOWN):
                short = table.less(worth, own)
                if plane[0] is Player.DEFENDER:
                    left = self._both(left, short)
                elif (wrong := self._both(self._both(choice.possible, short), self.meant)) != never:
                    at = self.game.described(plane, table.member(wrong))
                    return f"the adversary move {choice.name} lowers what is claimed at: {at}"
            if plane[0] is Player.DEFENDER and left != never:
                left = self._both(left, table.less(never, own))
                if left != never:
                    at = self.game.described(plane, table.member(left))
                    return f"no defender move keeps what is claimed at: {at}"
        value = Fraction(self._at_start(values, 0), self.units)
        return "" if value >= low else f"it claims {low} at least, and its values give {value} at the start"

    def above(self, pairs: list[int], high: Fraction) -> str:
        """Why pairs of a value and a rank are no upper bounds of holding for ever, or too high."""
        table, never = self.table, self.table.never
        for plane, onward in self.onward.items():
            pairs = table.collected(pairs)
            own = pairs[self.game.planes[plane]]
            left = asked = self._both(table.less(own, table.constant((self.units, 0))), self.meant)
            for choice, worth in self._choices(onward, pairs, self.units, UP):
                short = table.less(worth, own)
                if plane[0] is Player.ADVERSARY:
                    left = table.chosen(self._both(choice.possible, short), never, left)
                elif (wrong := table.chosen(short, never, asked)) != never:
                    at = self.game.described(plane, table.member(wrong))
                    return f"the defender move {choice.name} lowers neither value nor rank at: {at}"
            if plane[0] is Player.ADVERSARY and left != never:
                at = self.game.described(plane, table.member(left))
                return f"no adversary move lowers value or rank at: {at}"
        value = Fraction(self._at_start(pairs, self.units), self.units)
        return "" if value <= high else f"it claims {high} at most, and its values give {value} at the start"

    def within(self, bounds: LikelyBounds) -> str:
        """Why T steps from 1 do not show how likely holding for T moves is."""
        table, units, turn, moves = self.table, self.units, self.game.initial[0], bounds.moves
        values = [table.constant((units, 0))] * len(self.game.planes)
        for left in range(moves, 0, -1):  # what the last move makes of them concerns one turn, and so on
            mover = turn if left % 2 else turn.opponent
            after = {
                self.game.planes[plane]: self._best(mover, onward, values)
                for plane, onward in self.onward.items()
                if plane[0] is mover
            }
            values = table.collected([after.get(i, own) for i, own in enumerate(values)])
        value = self._at_start(values, units)
        if (reached := Fraction(value, units)) > bounds.high:
            return f"it claims {bounds.high} at most, and {moves} moves give {reached} at the start"
        proved = max(bounds.low, Fraction(value - moves, units)) if self.complete else bounds.low
        if bounds.least is not None and bounds.least > proved:
            return f"it claims {bounds.least} at least for {moves} moves, and no more than {proved} is shown"
        return ""

    def _best(self, turn: Player, onward: list[Onward], values: list[int]) -> int:
        """One step at a plane, rounded up."""
        table, defends = self.table, turn is Player.DEFENDER
        kind, better, first = ("most", max, 0) if defends else ("least", min, self.units)
        best = table.constant((first, 0))
        for choice, worth in self._choices(onward, values, self.units, UP):
            kept = table.combined((kind,), better, best, worth, same=True)
            best = kept if choice.possible == table.always else table.chosen(choice.possible, kept, best)
        return best

    # -- steps --------------------------------------------------------------------------------------

    def _both(self, one: int, other: int) -> int:
        return self.table.chosen(one, other, self.table.never)

    def _at_start(self, values: Sequence[int], unlisted: int) -> int:
        """The value of v₀."""
        game, space = self.game, self.table.space
        if game.is_unsafe(game.initial):
            return 0
        if game.initial not in game.planes:
            return unlisted
        codes = zip((space.bits[v.name] for v in space.variables), game.structure.initial, strict=True)
        bits = {bit: bool(code >> j & 1) for places, code in codes for j, bit in enumerate(places)}
        return self.table.value(values[game.planes[game.initial]], bits)[0]

    def _choices(
        self, onward: list[Onward], values: Sequence[int], unlisted: int, rounding: str
    ) -> Iterator[tuple[CheckedChoice, int]]:
        """Each choice at a plane, and the mean of what follows, with the least rank of that."""
        table, budget = self.table, self.game.budget
        for alike in onward:
            goal = table.constant((unlisted, 0))
            for target, states in alike.targets:
                goal = table.chosen(states, values[target], goal)
            goal = table.chosen(alike.unsafe, table.never, goal)
            for choice in alike.choices:
                budget.tick(f"checking how likely it holds: {choice.name}")
                yield choice, self._mean(choice, goal, rounding)

    def _mean(self, choice: CheckedChoice, goal: int, rounding: str) -> int:
        """The mean of a function after a choice, rounded, and the least rank; outcome by outcome."""
        table, whole, n = self.table, choice.whole, len(choice.outcomes)
        total = table.after(goal, choice.outcomes[0][1])
        for i, (part, moved) in enumerate(choice.outcomes[1:], 2):
            so_far = choice.outcomes[0][0] if i == 2 else 1

            def put(
                one: RankedValue, other: RankedValue, weights: tuple[int, int] = (so_far, part), i: int = i
            ) -> RankedValue:
                both = weights[0] * one[0] + weights[1] * other[0]
                if i == n:
                    both = both // whole if rounding == DOWN else -(-both // whole)
                return both, min(one[1], other[1])

            led = table.after(goal, moved)
            # Of two outcomes that have the same value that is the mean.
            total = table.combined((rounding, so_far, part, whole, i == n), put, total, led, same=n == 2)
        return total

    def _onward(self, plane: Plane) -> list[Onward]:
        game, table, (turn, _) = self.game, self.table, plane
        actions, found = game.structure.actions[turn], []
        for alike in game.alike(turn):
            game.budget.tick(f"checking how likely it holds: the {turn}'s {alike[0][1]}")
            letters = game.after(plane, game.letter(turn, alike[0][0]))
            together: dict[str, list[int]] = {}
            for number, _ in alike:
                together.setdefault(actions[number].choice, []).append(number)
            choices = []
            for name, numbers in together.items():
                shares = [Fraction(actions[number].probability) for number in numbers]
                if sum(shares) != 1:
                    refuse(f"the outcomes of {name} are not all there is")
                whole = lcm(*(share.denominator for share in shares))
                barred = [self._before(turn, number, letters.forbidden) for number in numbers]
                possible = ~union(table.space, barred if turn is Player.ADVERSARY else ())
                outcomes = tuple(
                    (int(share * whole), self._moved(turn, number))
                    for number, share in zip(numbers, shares, strict=True)
                )
                choices.append(CheckedChoice(name, table.of_set(possible), whole, outcomes))
            known = union(table.space, (states for _, states in letters.targets))
            known |= letters.unsafe | letters.forbidden if turn is Player.ADVERSARY else letters.unsafe
            self.complete &= not table.space.occurs(~known)
            targets = tuple((target, table.of_set(states)) for target, states in letters.targets)
            found.append(Onward(targets, table.of_set(letters.unsafe), tuple(choices)))
        return found

    def _before(self, turn: Player, number: int, states: BCDDFunction) -> BCDDFunction:
        """From where an action leads into a set."""
        before = states
        for applies, substitution in self.table.space.step(turn, number) if states.satisfiable() else ():
            before = applies.ite(states.substitute(substitution), before)
        return before

    def _moved(self, turn: Player, number: int) -> Moved:
        if (turn, number) not in self.moved:
            of_set = self.table.of_set
            self.moved[turn, number] = [
                (of_set(applies), {bit: of_set(states) for bit, states in pairs})
                for applies, pairs in self.table.space.bits_after(turn, number)
            ]
        return self.moved[turn, number]
