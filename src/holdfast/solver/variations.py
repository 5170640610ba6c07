"""Games that differ from a solved one in what moves do, and nothing else.

Most changes of a design are such: a link is cut, a host cannot be compromised, a link more is there.
Variables, automata and the names of all moves stay. A *variation* is solved in the diagrams of the game that
it varies, with what has been worked out there: the order of the variables, letters, the moves that are the
same.

*Same play.* Let R be what safe play reaches in one game, and let every move do in another game, at each
position of R, what it does in the first. R is then a set in which the defender of the other game can stay,
too, so that nothing of it is lost there. If moreover all that the defender's moves lead to outside R is lost
in the other game, then the same moves are safe in R, and safe play is the same: SLT, recovery, the response
and DDR* are what they are in the first. None of that needs R of the other game.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial, reduce
from operator import or_

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Action, Configuration, GameStructure
from holdfast.logic import Assignments, Diagram, Diagrams, Player
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.engines import AUTO, solve
from holdfast.solver.pieces import image, one_piece
from holdfast.solver.product_diagrams import ProductDiagrams
from holdfast.solver.solution import VARIED, Solution
from holdfast.solver.symbolic import DiagramFixpoint, DiagramRegions

WORDS = ("actions", "definitions", "labels")
"""What of a game may be different in a variation: what moves do, and words that clauses are written in."""

MOST_NODES = 20_000
"""Nodes of R up to which it is looked at whether other games are played alike."""

MOST_MADE = 1 << 19
"""Nodes that a variation may take, half a second; else it is solved by itself, in an order of its own."""

ALIKE = "whether safe play is the same"

AssignedWhere = list[tuple[Diagram, Assignments]]
"""What an action does: disjoint sets of states, and what is assigned there."""


class _TooManyNodesError(Exception):
    """The order of the variables does not suit the varied game."""


def is_variation(one: Configuration, other: Configuration) -> bool:
    """Whether two configurations differ in what moves do at most, besides their names and pictures."""
    a, b = one.game, other.game
    if a.tables is not None or any(getattr(a, name) != getattr(b, name) for name in _compared()):
        return False
    if (one.defender, one.adversary, one.costs) != (other.defender, other.adversary, other.costs):
        return False
    if one.goals != other.goals or one.system.sight != other.system.sight:
        return False
    return all(
        len(a.actions[player]) == len(b.actions[player])
        and all(map(_is_called_alike, a.actions[player], b.actions[player]))
        for player in Player
    )


def _compared() -> list[str]:
    return [part.name for part in fields(GameStructure) if part.name not in WORDS]


def _is_called_alike(one: Action, other: Action) -> bool:
    named = (one.name, one.outcome_of, one.probability, one.members)
    return named == (other.name, other.outcome_of, other.probability, other.members)


def solve_like(
    configuration: Configuration, base: Solution, engine: str = AUTO, budget: Budget = UNLIMITED
) -> Solution:
    """Solve a configuration, in the diagrams of a solved one where it is a variation of that.

    Raises:
        InputError, LimitError: as :func:`~holdfast.solver.engines.solve`.
    """
    regions = base.regions
    if engine not in (AUTO, base.engine) or not isinstance(regions, DiagramRegions):
        return solve(configuration, engine, budget)
    if not is_variation(base.configuration, configuration):
        return solve(configuration, engine, budget)
    laid = regions.product.varied(configuration, partial(budget.tick, "translating the moves"))
    most = laid.diagrams.n_made + MOST_MADE

    def watch(made: int) -> None:
        if made > most:
            raise _TooManyNodesError

    fixpoint = DiagramFixpoint.on(laid, budget)
    try:
        fixpoint.run(watch)
    except _TooManyNodesError:
        return solve(configuration, engine, budget)
    solution = fixpoint.solution
    solution.cached(VARIED, lambda: base)
    return solution


def is_solved_like(solution: Solution, base: Solution) -> bool:
    """Whether a game is solved in the diagrams of another; or is that one."""
    own, other = solution.regions, base.regions
    if not isinstance(own, DiagramRegions) or not isinstance(other, DiagramRegions):
        return False
    return own.product.diagrams is other.product.diagrams


@dataclass(frozen=True)
class KnownPlay:
    """Safe play of a solved game, to tell whether that of variations is the same.

    Attributes:
        product: the game.
        reached: R.
        beside: where the defender's moves lead to from R, outside of it.
        moved: for each player, the states of R in which it moves.
    """

    product: ProductDiagrams
    reached: DiagramPositions
    beside: DiagramPositions
    moved: dict[Player, Diagram]

    def is_that_of(self, other: Solution) -> bool:
        """Whether safe play of a variation, solved in these diagrams, is this; False where that is open."""
        regions, diagrams = other.regions, self.product.diagrams
        if not isinstance(regions, DiagramRegions) or regions.product.diagrams is not diagrams:
            return False
        if not other.defensible or regions.gambling:
            return False
        return diagrams.tidied(partial(self._is_kept, regions))

    def _is_kept(self, regions: DiagramRegions) -> bool:
        for player in Player:
            before, after = (p.configuration.game.actions[player] for p in (self.product, regions.product))
            pairs = ((a, b) for a, b in zip(before, after, strict=True) if a is not b and a.rules != b.rules)
            if any(_differ(self.product.diagrams, a, b, self.moved[player]) for a, b in pairs):
                return False
        return not self.beside & regions.winning()


def safe_play_of(solution: Solution, budget: Budget = UNLIMITED) -> KnownPlay | None:
    """Safe play of a defensible solution; None where it is too much to look at, or resets lead out of it.

    Raises:
        LimitError: past the budget.
    """
    regions = solution.regions
    if not isinstance(regions, DiagramRegions) or not solution.defensible:
        return None
    reached = regions.reached(budget)
    if reached.size() > MOST_NODES or regions.gambling:
        return None

    def look() -> KnownPlay | None:
        moved = {player: reduce(or_, reached[player]) for player in Player}
        if not _is_reset_within(solution, reached, moved):
            return None
        beside = reached.at(Player.DEFENDER).post(budget=budget) - reached
        return KnownPlay(regions.product, reached, beside, moved)

    return regions.run(ALIKE, look)


def _is_reset_within(solution: Solution, reached: DiagramPositions, moved: dict[Player, Diagram]) -> bool:
    """Whether no reset leads out of R; False where that is not seen soon."""
    configuration, diagrams = solution.configuration, reached.product.diagrams
    game = configuration.game
    if game.reset is None:
        return True
    for player, states in moved.items():
        here = states & diagrams.truth(game.reset.when)
        if not here.satisfiable():
            continue
        after = image(one_piece(diagrams, diagrams.valid, game.reset.assign), here)
        codes = diagrams.pick(after)
        assert codes is not None, "a reset assigns values of the domains"
        start = configuration.start(tuple(codes[v.name] for v in game.variables), player)
        if game.reset.kept or after != diagrams.state(codes) or start not in reached:
            return False
    return True


def _differ(diagrams: Diagrams, one: Action, other: Action, states: Diagram) -> bool:
    """Whether two actions assign something else somewhere in some states."""
    return any(
        assigned != other_assigned and (states & here & there).satisfiable()
        for here, assigned in _effects(diagrams, one)
        for there, other_assigned in _effects(diagrams, other)
    )


def _effects(diagrams: Diagrams, action: Action) -> AssignedWhere:
    """What an action does, and where."""
    effects, rest = AssignedWhere(), diagrams.valid
    for rule in action.rules:
        truth = diagrams.truth(rule.when)
        effects.append((rest & truth, rule.assign))
        rest &= ~truth
    return [*effects, (rest, ())]
