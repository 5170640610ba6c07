"""What the defender can hold for ever, variable by variable: a smaller game for a bound from below.

Where the adversary prevails slowly, positions differ by so much that no narrow window holds them all
(:mod:`holdfast.operation.brackets.value_brackets`). But a defender who settles for less than perfect play
need not leave some simple set of positions. A *stronghold* is such a controlled invariant set, K: some
variables have the values that are best for μ, every move of the adversary and some move of the defender leads
back into K, as do resets, and v₀ is in it. It is the winning set of one more requirement, found by the
attractor of its violation.

Variables are added one by one as long as v₀ stays in K, those that an attack reaches last first; the
attractor goes on from where it was. A defender who never leaves K plays a game of its own, whose value is a
bound of DDR* and of the long run from below; its μ varies little, so that a narrow window closes it quickly.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from functools import partial

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, OutOfNodes, Player, Variable, variables_of
from holdfast.operation.brackets.value_game import ValueGame
from holdfast.solver import DiagramPositions, attractor


def stronghold(game: ValueGame, budget: Budget) -> Generator[int, None, DiagramPositions | None]:
    """The positions of a stronghold, as many variables in it as the budget allows; None if there is none.

    After each step of the attractor the search can be left: it yields 0, since it makes no value diagrams.
    """
    lost, held = ~game.winning, 0
    with suppress(LimitError, OutOfNodes):
        for variable in _latest_first(game):
            good = _best(game, variable)
            more = None if good is None else (yield from _lost_with(game, lost, ~good, budget))
            if more is not None:
                lost, held = more, held + 1
    return ~lost if held else None


def _best(game: ValueGame, variable: Variable) -> Diagram | None:
    """The values of a variable that make the least possible μ greatest; None if s₀ has another, or all do."""
    d, rules = game.product.diagrams, game.product.configuration.game
    ascending = sorted(d.term(rules.dominance).items())
    cubes = [d.cube(variable, code) for code in range(len(variable.values))]
    least = [next(value for value, states in ascending if (states & cube).satisfiable()) for cube in cubes]
    here = rules.codes(rules.initial)[variable.name]
    if min(least) == max(least) or least[here] < max(least):
        return None
    good = d.false
    for value, cube in zip(least, cubes, strict=True):
        good |= cube if value == max(least) else d.false
    return good


def _latest_first(game: ValueGame) -> list[Variable]:
    """The variables, those first that the adversary's moves reach last from what is not at its best in s₀."""
    rules = game.product.configuration.game
    writes: dict[str, set[str]] = {}
    for action in rules.actions[Player.ADVERSARY]:
        for rule in action.rules:
            assigned = {variable.name for variable, _ in rule.assign}
            for variable in variables_of(rule.when):
                writes.setdefault(variable.name, set()).update(assigned)
    reached = [variable.name for variable in rules.variables if _best(game, variable) is None]
    for name in reached:
        reached += sorted(writes.get(name, set()) - set(reached))
    place = {name: i for i, name in enumerate(reached)}
    return sorted(rules.variables, key=lambda variable: place.get(variable.name, len(place)), reverse=True)


def _lost_with(
    game: ValueGame, lost: DiagramPositions, bad: Diagram, budget: Budget
) -> Generator[int, None, DiagramPositions | None]:
    """What is lost when some states are to be avoided too; None if v₀ is."""
    newest = DiagramPositions.where(game.product, bad) - lost
    lost |= newest
    tick = partial(budget.tick, "bounds of DDR*: what can be held")
    for grown, _ in attractor(lost, newest, tick, partial(_reset_into, game)):
        lost = grown
        if game.product.configuration.initial in lost:
            return None
        yield 0
    return lost


def _reset_into(game: ValueGame, lost: DiagramPositions) -> DiagramPositions:
    """Where a reset may lead to what is lost."""
    product, n_blocks = game.product, game.product.blocks.n_blocks
    if game.reset is None:
        return DiagramPositions.nothing(product)
    reset, sides = game.reset.sets, {}
    for turn in Player:
        kept = product.diagrams.false
        for block, states in reset.starts.items():
            kept |= states & ~lost[turn][block]
        sides[turn] = (reset.when & ~reset.before(kept) & product.diagrams.valid,) * n_blocks
    return DiagramPositions(product, sides[Player.DEFENDER], sides[Player.ADVERSARY])
