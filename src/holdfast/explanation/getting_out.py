"""How the defender gets back to a goal, or why it never does: a play, move by move.

Where the goal can be forced, the play is that of a defender who takes the shortest way against an adversary
who draws it out. Where it cannot, the adversary stays in a *trap* (:mod:`holdfast.solver.recovery`)
and the defender does what brings it nearest to the goal and does not lose; the play ends where it comes back
to a position, and can go on like that for ever. What would have brought the defender nearer at once, and
loses, is named on the way: that is why the adversary cannot be got out.

Where the goal is met at the start the question is whether it can be met again and again. If so, the play
shows how the adversary leaves it and the defender comes back; if not, how the adversary leaves it for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import NEVER, Position, counted, has_chance
from holdfast.logic import And, Player, reader
from holdfast.solver import (
    MoveCount,
    MoveInWords,
    Outcomes,
    PositionSet,
    Solution,
    SolvedGame,
    move_in_words,
    recovery_layers,
    state_in_words,
    verdicts,
)

MAX_MOVES = 60


@dataclass(frozen=True)
class RefusedMove:
    """Moves of the defender that would bring it nearer to the goal, and why it does not make them."""

    actions: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class RecoveryMove:
    """A move of the play.

    Attributes:
        move: in words.
        left: within how many moves the goal is reached after it; None in a trap.
        refused: at a move of the defender, what would have brought it nearer and loses.
    """

    move: MoveInWords
    left: int | None = None
    refused: tuple[RefusedMove, ...] = ()


@dataclass(frozen=True)
class GettingOut:
    """How one goal is reached, or why it never is.

    Attributes:
        goal: its name.
        moves: within how many it can be forced from the start.
        again: of a goal that is met at the start, whether it can be met again and again; None of others.
        play: see the module; empty where the goal is reached already.
        repeats: from which move on the play repeats, from 0; None where it ends at the goal, where it was
            cut short, or where the adversary just rests.
        stay: the state to which such a play comes back, in words.
        risky: whether moves of the defender may fail, so that what gets nearer to the goal need not be sure.
    """

    goal: str
    moves: MoveCount
    play: tuple[RecoveryMove, ...]
    repeats: int | None = None
    stay: str = ""
    again: bool | None = None
    risky: bool = False


def getting_out(solution: Solution, goal: str, budget: Budget = UNLIMITED) -> GettingOut:
    """How a goal of a defensible design is reached from the start, or why it never is.

    Raises:
        LimitError: past the budget.
    """
    layers, start = recovery_layers(solution, goal), solution.configuration.initial
    proof = layers.proof(start, budget)
    if proof.moves == 0:
        again = layers.again_proof(start, budget)
        walk = _Walk(solution, goal, again.ranks, again.trap or ())
        out = walk.led(budget) if again.trap is None else walk.trapped(budget)
        return replace(out, moves=0, again=again.trap is None)
    walk = _Walk(solution, goal, proof.ranks, () if proof.trap is None else (proof.trap,))
    if proof.trap is None:
        return walk.led(budget)
    return replace(walk.trapped(budget), risky=has_chance(solution.configuration.game, Player.DEFENDER))


class _Walk:
    """One play through a solved game.

    Attributes:
        ranks: from each of them the defender forces the play into the ones before.
        traps: in each of them and those before it the adversary holds the play, and from the goal leads it
            into those before.
    """

    def __init__(
        self, solution: Solution, goal: str, ranks: Sequence[PositionSet], traps: Sequence[PositionSet]
    ) -> None:
        self.solution, self.solved, self.goal = solution, SolvedGame(solution), goal
        self.ranks, self.traps = ranks, traps
        wanted = solution.configuration.goals[goal]
        parts = wanted.args if isinstance(wanted, And) else (wanted,)
        self.parts = [reader(part, self.solved.game.places) for part in parts]

    def led(self, budget: Budget) -> GettingOut:
        """The defender takes the shortest way, the adversary the longest; it leaves the goal first."""
        here, play = self.solved.initial, list[RecoveryMove]()
        n_moves, away, seen = _place(self.ranks, here), False, set[Position]()
        while (left := _place(self.ranks, here)) > 0 or not (away or here in seen or n_moves):
            budget.tick("a play to the goal")
            seen.add(here)
            away = away or left > 0
            moves = [
                (after, not left and target.state != here.state, action, target)
                for target, actions in self._moves(here).items()
                for action in actions[:1]
                if (after := _place(self.ranks, target)) < (left or len(self.ranks))
            ]
            if not moves:  # the adversary is out of moves, and rests at the goal
                break
            pick = min if here.turn is Player.DEFENDER else max
            after, _, action, target = pick(moves, key=lambda move: (*move[:2], -move[2] * pick(1, -1)))
            play.append(RecoveryMove(self.words(here, action, target), after))
            here = target
        return GettingOut(self.goal, n_moves, tuple(play) if away or n_moves else ())

    def trapped(self, budget: Budget) -> GettingOut:
        """The adversary stays in the trap, the defender does what it can."""
        here, play = self.solved.initial, list[RecoveryMove]()
        seen: dict[Position, int] = {}
        while here not in seen and len(play) < MAX_MOVES:
            budget.tick("a play in a trap")
            seen[here] = len(play)
            level = _place(self.traps, here) + bool(self.unmet(here))
            moves = [
                (action, target)
                for target, actions in self.solved.moves(here).items()
                for action in actions[:1]
                if _place(self.traps, target) < level
            ]
            if not moves:  # the adversary is out of moves, and rests
                return GettingOut(self.goal, NEVER, tuple(play))
            refused: tuple[RefusedMove, ...] = ()
            if here.turn is Player.DEFENDER:
                action, target = min(moves, key=lambda m: (self.unmet(m[1]), m[1].state != here.state, m[0]))
                refused = self.refused(here, self.unmet(target))
            else:
                action, target = min(moves, key=lambda m: (-self.unmet(m[1]), m[1] in seen, m[0]))
            play.append(RecoveryMove(self.words(here, action, target), refused=refused))
            here = target
        stay = state_in_words(self.solved.game, here.state) if here in seen else ""
        return GettingOut(self.goal, NEVER, tuple(play), seen.get(here), stay)

    def _moves(self, here: Position) -> Outcomes:
        """Where moves lead; each choice of the defender to what is farthest from the goal."""
        if here.turn is Player.ADVERSARY:
            return self.solved.moves(here)
        return self.solved.replies(here, lambda target: -_place(self.ranks, target))

    def refused(self, here: Position, unmet: int) -> tuple[RefusedMove, ...]:
        """What would leave less of the goal unmet, and loses; moves with one reason together."""
        reasons: dict[str, list[str]] = {}
        for verdict in verdicts(self.solution, here):
            target = verdict.target
            if target is not None and verdict.rank is not None and self.unmet(target) < unmet:
                name = self.solved.game.actions[here.turn][verdict.action].name
                soon = f"loses within {counted(verdict.rank, 'move')}" if verdict.rank else "violates at once"
                how = ", violating " if verdict.rank else ": "
                reasons.setdefault(f"{soon}{how}“{self.lost(target)}”", []).append(name)
        return tuple(RefusedMove(tuple(actions), reason) for reason, actions in reasons.items())

    def lost(self, position: Position) -> str:
        """The clause that is violated in the end where the adversary plays on from a lost position."""
        while rank := self.solved.rank(position):
            targets = (t for t in self.solved.moves(position) if (self.solved.rank(t) or 0) == rank - 1)
            position = next(t for t in targets if self.solved.rank(t) is not None)
        return self.solved.configuration.broken(position)[0]

    def unmet(self, position: Position) -> int:
        """How many parts of the goal do not hold."""
        return sum(not part(position.state) for part in self.parts)

    def words(self, here: Position, action: int, target: Position) -> MoveInWords:
        return move_in_words(self.solution.configuration.system, here, action, target)


def _place(sets: Sequence[PositionSet], position: Position) -> int:
    """The number of the first set that a position is in; how many there are if it is in none."""
    return next((k for k, own in enumerate(sets) if position in own), len(sets))
