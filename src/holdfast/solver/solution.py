"""What solving a configuration gives: the certificate, the shells, and where to ask for ranks.

rank(v) is the least number of moves within which the adversary can force the play into U, 0 on U and
undefined (None) on the winning region W. Shell k is {v : rank(v) = k}, evaluated synchronously
(alg:attractor), so that it does not depend on the engine. C is defensible iff v₀ ∈ W
(def:defensibility); by determinacy the negative answer is as much a theorem as the positive one.

Everything about a solved game is asked of its :class:`Solution`, worked out once and kept: ranks here,
Safe(v) and R in :mod:`holdfast.solver.shield`, safe play as a whole in :mod:`holdfast.arena`. Nobody has to
know which engine it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Configuration, Displayed, Position, State
from holdfast.logic import Player, Variable

if TYPE_CHECKING:
    from holdfast.game import Interventions, ResponseLayers
    from holdfast.solver.beliefs import BeliefSolution
    from holdfast.solver.explicit import ArrayRegions
    from holdfast.solver.position_sets import PositionSet
    from holdfast.solver.recovery import AgainProof, ProofSections, RecoveryProof
    from holdfast.solver.symbolic import DiagramRegions

_Answer = TypeVar("_Answer")

MAX_RANKED = 300_000
"""States with counters of which all winning ones are ranked unasked."""


@dataclass(frozen=True)
class Reach:
    """The shielded-reachable set R in numbers: |R|, |R ∩ V_D|, and Σ |Safe(v)| over R ∩ V_D.

    ``n_effective`` counts the actions that would change the state there, safe or not, and
    ``n_effective_permitted`` those of them that are safe.
    """

    n_positions: int
    n_defender: int
    n_permitted: int
    n_effective: int
    n_effective_permitted: int


class Regions(Protocol):
    """What an engine keeps of a solved game, and what it answers about it: the contract of both engines."""

    @property
    def gambling(self) -> bool:
        """Whether some choice of the defender has several outcomes."""

    @property
    def listable(self) -> bool:
        """Whether :meth:`as_arrays` can be had in a second or two."""

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""

    def winning(self) -> PositionSet:
        """W."""

    def lost(self, k: int) -> PositionSet:
        """From where the adversary forces a violation within k moves, k from 1 on."""

    def conceding(self, clause: int, among: Any, *, by: Any, budget: Budget = UNLIMITED) -> PositionSet:
        """Where a defender move lets the adversary violate a clause of φ_D at once, among some positions."""

    @property
    def waiting(self) -> Any:
        """The game in which a move is made only where it leaves the state as it is, for operators on sets."""

    @property
    def each_outcome(self) -> Any:
        """The game in which the defender chooses what comes of its choices, for operators on sets."""

    def safe_play(self, budget: Budget = UNLIMITED) -> PositionSet:
        """R; only asked when v₀ is winning."""

    def only(self, actions: tuple[int, ...], own: Player = Player.DEFENDER) -> Any:
        """The game in which a player has some of its actions alone, for operators on sets."""

    def frozen(self, variables: Collection[Variable], state: State) -> Any:
        """The game in which variables keep their values of a state, without moves that write or copy them."""

    def staying(self, variables: Collection[Variable]) -> Any:
        """The game, maybe without moves that change some variables and none besides."""

    def waited_out(self, lost: Any, bound: Any, attackers: Any, free: Any, budget: Budget) -> Any:
        """The lost defender positions, and as many more as are found at once against one who waits."""

    def loosened(self, by: Any) -> Any:
        """A game with at least the adversary's moves, and maybe more, in which play is followed sooner."""

    def followed(self, start: Any, by: Any, budget: Budget) -> Any:
        """What play reaches from some winning positions without leaving W, in a game without gambles."""

    def run(self, what: str, work: Callable[[], _Answer]) -> _Answer:
        """What some work on sets of positions gives; it may be begun twice.

        Raises:
            LimitError: where it outgrows the memory, saying ``what`` did.
        """

    def safe_actions(self, position: Position) -> tuple[int, ...]:
        """Safe(v), ascending; empty outside W."""

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R by forward search from v₀ through Safe; only asked when v₀ is winning."""

    def as_arrays(self, budget: Budget = UNLIMITED) -> ArrayRegions:
        """The regions as arrays."""

    def as_diagrams(self, budget: Budget = UNLIMITED) -> DiagramRegions:
        """The regions as decision diagrams."""

    def witness(self, settled: dict[Position, int] | None, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """What proves the verdict in a certificate; ``settled`` where s₀ itself violates φ_A."""

    def recovery_witness(
        self, proof: ProofSections, settled: Sequence[Position] | None, budget: Budget = UNLIMITED
    ) -> dict[str, Any]:
        """What proves in a certificate whether v₀ recovers; the ``settled`` positions alone."""

    def belief_witness(self, answer: BeliefSolution, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """What proves in a certificate that the defender holds with what it sees, or does not."""

    def response(self, actions: Interventions) -> ResponseLayers:
        """The winning region by effort and by grace."""


@dataclass(frozen=True)
class Solution(Displayed):
    """A solved configuration.

    A copy is the solution itself, which never changes. Pickled it is its configuration and the name of its
    engine, which solves it again where it is read: diagrams cannot travel.

    Attributes:
        shells: |Sh_1|, …, |Sh_kmax|, exact.
        regions: the engine's own representation of Attr* and W.
    """

    configuration: Configuration
    engine: str
    shells: tuple[int, ...]
    regions: Regions = field(repr=False)
    _answers: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cached(self, key: str, compute: Callable[[], _Answer]) -> _Answer:
        """What ``compute`` gives, computed when a key is first asked for; limit errors are not cached."""
        if key not in self._answers:
            self._answers[key] = compute()
        answer: _Answer = self._answers[key]
        return answer

    def cached_or_none(self, key: str) -> Any:
        """What has been computed for a key; None if nothing has."""
        return self._answers.get(key)

    def __copy__(self) -> Solution:
        return self

    def __deepcopy__(self, memo: object) -> Solution:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _solved_again, (self.configuration, self.engine)

    @cached_property
    def initial_rank(self) -> int | None:
        """rank(v₀)."""
        return self.regions.rank(self.configuration.initial)

    @property
    def defensible(self) -> bool:
        """The certificate: v₀ ∈ W."""
        return self.initial_rank is None

    @property
    def n_attractor(self) -> int:
        """|Attr*|, the unsafe positions included."""
        return self.configuration.n_unsafe + sum(self.shells)

    @property
    def n_winning(self) -> int:
        """|W| = |V| − |Attr*|."""
        return self.configuration.n_positions - self.n_attractor


VARIED = "varied from"


def varied_from(solution: Solution) -> Solution | None:
    """The solution in whose diagrams this one was found (:mod:`holdfast.solver.variations`), if in any."""
    base: Solution | None = solution.cached_or_none(VARIED)
    return base


def _solved_again(configuration: Configuration, engine: str) -> Solution:
    from holdfast.solver.engines import solve

    return solve(configuration, engine)


def known_so_far(configuration: Configuration, shells: list[int], regions: Regions) -> dict[str, object]:
    """What an interrupted fixpoint already proves: complete shells, and v₀'s rank if it has one."""
    initial_rank = regions.rank(configuration.initial)
    return {
        "shells": list(shells),
        "initial_rank": initial_rank,
        "defensible": None if initial_rank is None else False,
    }


def rank(solution: Solution, position: Position) -> int | None:
    """rank(v): 0 on U, k on shell k, None on W."""
    return solution.regions.rank(position)


def is_winning(solution: Solution, position: Position) -> bool:
    """Whether v ∈ W."""
    return solution.regions.rank(position) is None


def winning_positions(solution: Solution) -> PositionSet:
    """W as a set, in the form of whichever engine solved the game."""
    return solution.regions.winning()


def work_on_sets(solution: Solution, what: str, work: Callable[[], _Answer]) -> _Answer:
    """What some work on sets of positions gives; it may be begun twice.

    Raises:
        LimitError: where it outgrows the memory, saying ``what`` did.
    """
    return solution.regions.run(what, work)


def is_listable(solution: Solution) -> bool:
    """Whether all its positions can be listed, as :func:`arrays` does, in a second or two."""
    return solution.regions.listable


def ranked_soon(solution: Solution) -> bool:
    """Whether all winning positions can be ranked soon: they can be listed, or counters leave few of them."""
    game = solution.configuration.game
    if not game.tallies:
        return solution.regions.listable
    counters = {counter for tally in game.tallies for counter in tally.counters}
    n_states = math.prod(len(v.values) for v in game.variables if v not in counters)
    for tally in game.tallies:
        n_states *= math.comb(tally.size + len(tally.values) - 1, tally.size)
    return n_states <= MAX_RANKED


def arrays(solution: Solution, budget: Budget = UNLIMITED) -> ArrayRegions:
    """The solved game as arrays: the rank of every position, and where every move leads.

    Raises:
        LimitError: where there are too many positions to list, or past the budget.
    """
    return solution.cached("arrays", lambda: solution.regions.as_arrays(budget))


def diagrams(solution: Solution, budget: Budget = UNLIMITED) -> DiagramRegions:
    """The solved game as decision diagrams; solved again where it was solved on arrays.

    Raises:
        InputError: for a tabulated game.
        LimitError: past the budget.
    """
    return solution.cached("diagrams", lambda: solution.regions.as_diagrams(budget))


def witness(solution: Solution, settled: dict[Position, int] | None, budget: Budget) -> dict[str, Any]:
    """What proves the verdict, as the engine has it (:mod:`holdfast.solver.witnesses`).

    Where s₀ violates φ_A, ``settled`` are the positions that decide it, with their ranks.

    Raises:
        LimitError: where it is larger than a certificate may be.
    """
    return solution.regions.witness(settled, budget)


def recovery_witness(
    solution: Solution,
    proof: RecoveryProof | AgainProof,
    settled: Sequence[Position] | None,
    budget: Budget,
) -> dict[str, Any]:
    """What proves that v₀ recovers or never does, again and again or not, as the engine has it.

    Where s₀ violates φ_A, ``settled`` are the positions that decide it (:mod:`.recovery_witnesses`).

    Raises:
        LimitError: where it is larger than a certificate may be.
    """
    return solution.regions.recovery_witness(proof.sections, settled, budget)


def belief_witness(solution: Solution, answer: BeliefSolution, budget: Budget) -> dict[str, Any]:
    """What proves that the defender holds with what it sees, or does not, as the engine has it.

    Args:
        solution: of the game with sight, which the defender wins.
        answer: what :func:`~holdfast.solver.beliefs.solve_beliefs` made of it.
        budget: time.

    Raises:
        LimitError: where it is larger than a certificate may be.
    """
    return solution.regions.belief_witness(answer, budget)
