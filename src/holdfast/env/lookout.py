"""What a defender observes that does not see everything, and the actions that are left to it.

An observation is zeros and ones: first what was seen after the defender's own move, then what is seen now, a
one for each thing that held; and a place for each of the adversary's moves that is noticed as such, with a
one if it was the last.

Under the shield the actions left depend on what was seen alone. The defender's controller
(:mod:`holdfast.solver.beliefs`) has beliefs from which it holds. An action is left if, whatever may be seen
after it and after the answer, all that is then possible is inside one of these beliefs. The controller's own
action always is, so that no play ends in a violation. What is possible is worked out when play first comes
to it, and kept for all games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import GameRows, PlayRules
from holdfast.arrays import Bools
from holdfast.budget import Budget
from holdfast.errors import InputError
from holdfast.game import Recalled, Sight
from holdfast.logic import Player, reader
from holdfast.solver import (
    NOBODY,
    PositionSet,
    SeenMoves,
    Solution,
    initial_beliefs,
    solve_beliefs,
    work_on_sets,
)

Sighting = tuple[int, int, tuple[int, int]]
"""An action, what was seen after it, and what was seen and noticed after the answer."""

FIRST = -1
"""Instead of an action: the adversary moved before the defender had one."""


class BeliefBook:
    """What the defender may hold possible, as far as play has come, and what is left to it there."""

    def __init__(self, solution: Solution, sight: Sight, n_actions: int, budget: Budget) -> None:
        """Find the controller.

        Raises:
            InputError: where the design cannot be held with what is seen.
            LimitError: past the budget.
        """
        answer = solve_beliefs(solution, sight, budget)
        if not answer.defensible:
            raise InputError(
                "the configuration cannot be held with these sensors, so no move is permitted; add "
                'sensors (holdfast sensors says where), or play with mask="legal"'
            )
        self.solution, self.budget, self.n_actions = solution, budget, n_actions
        self.moves, self.shown = SeenMoves(solution, sight), answer.sight.seen
        self.held: dict[int, list[PositionSet]] = {}
        for stance in answer.stances:
            self.held.setdefault(self._key(stance.belief), []).append(stance.belief)
        self.beliefs: list[PositionSet] = []
        self.numbers: dict[PositionSet, int] = {}
        self.masks: dict[int, npt.NDArray[np.int8]] = {}
        starts = initial_beliefs(solution, self.moves, budget)
        self.start = {look: self._number(belief) for look, belief in starts.items()}
        self.after: dict[tuple[int, Sighting], int] = {}

    def mask(self, number: int) -> npt.NDArray[np.int8]:
        """The actions that are left where something is held possible."""
        if number not in self.masks:
            self.masks[number] = work_on_sets(self.solution, "the beliefs", lambda: self._mask(number))
        return self.masks[number]

    def _mask(self, number: int) -> npt.NDArray[np.int8]:
        belief, mask = self.beliefs[number], np.zeros(self.n_actions, dtype=np.int8)
        for action in range(len(self.solution.configuration.game.actions[Player.DEFENDER])):
            self.budget.tick("what is left to a defender that does not see everything")
            if not belief <= self.moves.safe(action):
                continue
            after = list(self.moves.after(belief, action, self.budget))
            if all(self._is_held(below) for _, below in after):
                mask[action] = 1
                for (made, look), below in after:
                    self.after[number, (action, made, look)] = self._number(below)
        return mask

    def _is_held(self, belief: PositionSet) -> bool:
        return any(belief <= other for other in self.held.get(self._key(belief), ()))

    def _key(self, belief: PositionSet) -> int:
        """What is seen of it, with as much of the sight as the controller needs."""
        ((key, _),) = belief.split(self.shown).items()
        return key

    def _number(self, belief: PositionSet) -> int:
        number = self.numbers.setdefault(belief, len(self.beliefs))
        if number == len(self.beliefs):
            self.beliefs.append(belief)
        return number

    def along(self, history: list[Sighting]) -> int:
        """What is held possible after all that was seen from the start of an episode."""
        number = next(iter(self.start.values()), -1)  # where the adversary begins, its first move replaces it
        for sighting in history:
            number = self.next(number, sighting)
        return number

    def next(self, number: int, sighting: Sighting) -> int:
        """What is held possible after what was seen."""
        if sighting[0] == FIRST:
            return self.start[sighting[2]]
        self.mask(number)
        return self.after[number, sighting]


@dataclass(frozen=True)
class LookoutSnapshot:
    """What was seen in games, and what is left in each."""

    before: list[int]
    noticed: list[int]
    histories: list[list[Sighting]]
    mask: npt.NDArray[np.int8]


class Lookout:
    """What the defender sees in some games.

    Attributes:
        names: what a one at each place of an observation says.
        beliefs: by which actions are left; None where all are.
        mask: the actions that are left in each game; shape (n, n_actions).
    """

    def __init__(self, book: PlayRules, sight: Sight, beliefs: BeliefBook | None, n: int) -> None:
        """Made by :func:`lookout`."""
        configuration = book.configuration
        self.book, self.sight, self.beliefs, self.n = book, sight, beliefs, n
        names = [part.clause.label if isinstance(part, Recalled) else str(part) for part in sight.seen]
        actions = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
        self._heard = {number: i for i, number in enumerate(_noticed(actions, sight))}
        self.names = (
            *(f"after the own move: {name}" for name in names),
            *names,
            *(f"noticed: {actions[number]}" for number in self._heard),
        )
        self._readers = [self._reader(part) for part in sight.seen]
        self._known: dict[bytes, int] = {}
        self.mask = np.zeros((n, book.n_actions), dtype=np.int8)
        self._before, self._noticed = [0] * n, [NOBODY] * n
        self._histories: list[list[Sighting]] = [[] for _ in range(n)]
        self._numbers, self._did = [-1] * n, [FIRST] * n

    def _reader(self, part: Any) -> Callable[[Any, Any], bool]:
        configuration = self.book.configuration
        if isinstance(part, Recalled):
            place, states = configuration.defender.index(part.clause.automaton), part.states
            return lambda codes, automata: int(automata[place]) in states
        read = reader(part, configuration.game.places)
        return lambda codes, automata: bool(read(codes))

    @property
    def width(self) -> int:
        """The length of an observation."""
        return len(self.names)

    def twin(self) -> Lookout:
        """One for as many other games, which knows the same beliefs."""
        return Lookout(self.book, self.sight, self.beliefs, self.n)

    # -- what is seen -------------------------------------------------------------------------------

    def _bits(self, table: GameRows, i: int) -> int:
        codes, automata = table.codes[i], table.automata[i]
        key = codes.tobytes() + automata.tobytes()
        if key not in self._known:
            state = tuple(codes.tolist())
            self._known[key] = sum(read(state, automata) << bit for bit, read in enumerate(self._readers))
        return self._known[key]

    def observed(self, table: GameRows) -> npt.NDArray[np.int8]:
        """The observations of games; shape (n, width)."""
        out, n = np.zeros((self.n, self.width), dtype=np.int8), len(self._readers)
        for i in range(self.n):
            seen = self._before[i] | self._bits(table, i) << n
            out[i, : 2 * n] = [seen >> bit & 1 for bit in range(2 * n)]
            if self._noticed[i] != NOBODY:
                out[i, 2 * n + self._heard[self._noticed[i]]] = 1
        return out

    # -- what happens -------------------------------------------------------------------------------

    def begin(self, table: GameRows, chosen: Bools) -> None:
        """New episodes in the chosen games."""
        for i in np.flatnonzero(chosen).tolist():
            self._before[i], self._noticed[i], self._histories[i] = self._bits(table, i), NOBODY, []
            self._did[i] = FIRST
            self.mask[i] = 0
            if self.beliefs is not None and table.turn[i] == 0:
                ((_, self._numbers[i]),) = self.beliefs.start.items()
                self.mask[i] = self.beliefs.mask(self._numbers[i])

    def permitted(self, actions: npt.ArrayLike) -> npt.ArrayLike:
        """The actions with −1, which nobody has, for each that is not left."""
        given = np.asarray(actions)
        if self.beliefs is None or given.shape != (self.n,) or given.dtype.kind not in "iub":
            return actions
        known = (given >= 0) & (given < self.mask.shape[1])
        left = self.mask[np.arange(self.n), np.where(known, given, 0)] == 1
        return np.where(known & left, given, -1)

    def moved(self, table: GameRows, actions: npt.ArrayLike) -> None:
        """The defender has moved in every game."""
        for i, action in enumerate(np.asarray(actions).tolist()):
            self._before[i], self._noticed[i], self._did[i] = self._bits(table, i), NOBODY, action
        self.mask[:] = 0

    def answered(self, table: GameRows, actions: npt.NDArray[np.int32], chosen: Bools, over: Bools) -> None:
        """The adversary has answered in the chosen games, some of which are over."""
        for i in np.flatnonzero(chosen).tolist():
            action = int(actions[i])
            self._noticed[i] = action if action in self._heard else NOBODY
            if self.beliefs is None or over[i]:
                continue
            sighting = self._did[i], self._before[i], (self._bits(table, i), self._noticed[i])
            self._histories[i].append(sighting)
            self._numbers[i] = self.beliefs.next(self._numbers[i], sighting)
            self.mask[i] = self.beliefs.mask(self._numbers[i])

    # -- there and back -----------------------------------------------------------------------------

    def snapshot(self) -> LookoutSnapshot:
        """What was seen so far."""
        histories = [list(history) for history in self._histories]
        return LookoutSnapshot(self._before[:], self._noticed[:], histories, self.mask.copy())

    def restore(self, snapshot: LookoutSnapshot) -> None:
        """Put back what was seen when the snapshot was taken."""
        self._before, self._noticed = snapshot.before[:], snapshot.noticed[:]
        self._histories = [list(history) for history in snapshot.histories]
        self.mask[:] = snapshot.mask
        if self.beliefs is not None:
            self._numbers = [self.beliefs.along(history) for history in self._histories]


def lookout(book: PlayRules, masked: bool, n: int, budget: Budget) -> Lookout:
    """What the defender of a game sees; ``masked`` if actions are left by what it may hold possible.

    Raises:
        InputError: where it sees everything, or cannot hold with what it sees.
        LimitError: past the budget.
    """
    sight = book.configuration.system.sight
    if sight is None or sight.placed is None:
        raise InputError(
            "the defender sees everything, so there are no sensors to observe; say what it sees, in a "
            'network with sensors:, or observe="position"'
        )
    beliefs = None
    if masked and book.solution.defensible:
        beliefs = BeliefBook(book.solution, sight, book.n_actions, budget)
    return Lookout(book, sight, beliefs, n)


def _noticed(actions: list[str], sight: Sight) -> list[int]:
    return [number for number, name in enumerate(actions) if name in sight.noticed]
