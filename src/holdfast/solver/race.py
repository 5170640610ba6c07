"""A race between variable orders: the same work on several sets of diagrams until one of them has done it.

No cost of an order foretells for certain how large its diagrams get, and a bad order can take a hundred times
as long as a good one. So the work is done in the most promising order, the *leader*; each time the nodes that
it has made double, another order enters and all others get a sixteenth of as many. The answer is that of
whichever is done first: about 1.2 times the work of the leader, or thirty times that of the best entrant,
however bad the leader is. Nobody enters before a share is enough to lay out the game, without which nothing
can be done.

Nodes are counted, not seconds, so the same game always has the same winner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Protocol, TypeVar

from holdfast.logic import OutOfNodes

FIRST = 1 << 19
"""Nodes that the leader may make before another order enters: half a second."""
SHARE = 16
MAX_LANES = 4

NodeWatch = Callable[[int], None]
"""Called often with the number of nodes made so far; what it raises ends the work for now."""


class Lane(Protocol):
    """One order's part in a race.

    Attributes:
        n_laid: nodes that it took to lay out the game, before the work itself; 0 until that is done.
    """

    n_laid: int

    def run(self, watch: NodeWatch) -> None:
        """Go on from where it stopped, until all is done.

        Raises:
            OutOfNodes: when it does not fit in the memory.
        """


Runner = TypeVar("Runner", bound=Lane)


class _PauseError(Exception):
    """An entrant has used up its share for now."""


class _OvertakenError(Exception):
    """An entrant is done before the leader."""


def race(lanes: Iterable[Runner], most: int) -> Runner:
    """The lane that is done first; ``most`` nodes fit in the memory.

    Raises:
        OutOfNodes: when none can be done.
    """
    waiting, mark = iter(lanes), FIRST
    entrants: list[Runner] = []

    def follow(made: int) -> None:
        """Let the others have their share."""
        nonlocal mark
        mark = max(mark, SHARE * leader.n_laid)
        if made < mark:
            return
        if len(entrants) < MAX_LANES - 1:
            entrants.extend(islice(waiting, 1))
        for lane in [*entrants]:
            if _is_done(lane, mark // SHARE, entrants):
                entrants[:] = [lane]
                raise _OvertakenError
        mark *= 2
        if mark > most // 2:  # room for the leader
            del entrants[1:]

    leader = next(waiting)
    while True:
        try:
            leader.run(follow)
        except _OvertakenError:
            return entrants[0]
        except OutOfNodes:
            entrants.extend(islice(waiting, not entrants))
            if not entrants:
                raise
            leader = entrants.pop(0)
        else:
            return leader


def _is_done(lane: Runner, allowance: int, entrants: list[Runner]) -> bool:
    """Let an entrant go on within its share; one that outgrows the memory is out."""

    def pause(made: int) -> None:
        if made > allowance:
            raise _PauseError

    try:
        lane.run(pause)
    except _PauseError:
        return False
    except OutOfNodes:
        entrants.remove(lane)
        return False
    return True
