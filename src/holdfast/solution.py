"""What solving a configuration gives: the certificate, the shells, and where to ask for ranks.

rank(v) is the least number of moves within which the adversary can force the play into U, 0 on U and
undefined (None) on the winning region W. Shell k is {v : rank(v) = k}, evaluated synchronously
(alg:attractor), so that it does not depend on the engine. C is defensible iff v₀ ∈ W
(def:defensibility); by determinacy the negative answer is as much a theorem as the positive one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from holdfast.budget import UNLIMITED, Budget
from holdfast.product import Configuration, Position


@dataclass(frozen=True)
class Reach:
    """The shielded-reachable set R in numbers.

    Attributes:
        n_positions: |R|.
        n_defender: |R ∩ V_D|.
        n_permitted: Σ |Safe(v)| over R ∩ V_D.
    """

    n_positions: int
    n_defender: int
    n_permitted: int


class Regions(Protocol):
    """What an engine keeps of a solved game: the contract that both engines fulfil."""

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R by forward search from v₀ through Safe; only asked when v₀ is winning."""


@dataclass(frozen=True)
class Solution:
    """A solved configuration.

    Attributes:
        configuration: what was solved.
        engine: the name of the engine that solved it.
        shells: |Sh_1|, …, |Sh_kmax|, exact.
        regions: the engine's own representation of Attr* and W.
    """

    configuration: Configuration
    engine: str
    shells: tuple[int, ...]
    regions: Regions = field(repr=False)

    @property
    def defensible(self) -> bool:
        """The certificate: v₀ ∈ W."""
        return self.regions.rank(self.configuration.initial) is None

    @property
    def n_attractor(self) -> int:
        """|Attr*|, the unsafe positions included."""
        return self.configuration.n_unsafe + sum(self.shells)

    @property
    def n_winning(self) -> int:
        """|W| = |V| − |Attr*|."""
        return self.configuration.n_positions - self.n_attractor


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
