"""Engagement resets (sec:respawn): where they lead, and why some are refused.

A reset leaves the turn, applies its assignment to the state, and starts both automata again: they read (no
action, s') from their initial states, as they read s₀ at the start of an episode. It is refused

- where its target is not winning, since play would leave W;
- where it would erase what φ_D remembers. The criterion, decided at every position where a reset can happen:
  each clause, reading the letter (no action, s') in the state it is in, must come to a state with the same
  language as the one it restarts in. Then restarting and remembering are the same thing. Predicates of the
  current state pass; counters and past operators fail wherever play has given them something to remember.

Where the reset keeps what φ_D remembers (:attr:`~holdfast.game.structure.Reset.kept`), the clauses of φ_D
read (no action, s') in the states that they are in, and nothing can be erased.

φ_A is forgotten on purpose: it binds within one engagement.
"""

from __future__ import annotations

from holdfast.errors import ModelError
from holdfast.game import Position, State, after_reset
from holdfast.logic import Player, languages
from holdfast.solver.solution import Solution, rank


class Resets:
    """The resets of one solved configuration, each checked when it is first asked for."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._languages = [languages(a) for a in solution.configuration.defender]
        self._starts: dict[tuple[State, Player], Position] = {}
        self._checked: set[tuple[State, tuple[int, ...]]] = set()

    def target(self, position: Position) -> Position | None:
        """Where a reset leads from here, None where it cannot happen.

        Raises:
            ModelError: when the reset is refused; the message shows position and reason.
        """
        game = self.solution.configuration.game
        state = after_reset(game, position.state)
        if state is None or game.reset is None:
            return None
        if game.reset.probability == 0:  # it is drawn for and never happens, so that nothing is refused
            return position
        if game.reset.kept:
            return self._remembering(position, state)
        key = state, position.turn
        if key not in self._starts:
            start = self.solution.configuration.start(*key)
            self._check_winning(position, start)
            self._starts[key] = start
        start = self._starts[key]
        if (state, position.q_defender) not in self._checked:
            self._check_memory(position, start)
            self._checked.add((state, position.q_defender))
        return start

    def _remembering(self, position: Position, state: State) -> Position:
        """Where a reset leads that keeps what φ_D remembers."""
        configuration = self.solution.configuration
        codes = configuration.game.codes(state)
        pairs = zip(configuration.defender, position.q_defender, strict=True)
        kept = tuple(automaton.read(q, codes, None) for automaton, q in pairs)
        start = configuration.start(state, position.turn)._replace(q_defender=kept)
        self._check_winning(position, start)
        return start

    def _check_winning(self, position: Position, start: Position) -> None:
        conceded, describe = rank(self.solution, start), self.solution.configuration.describe
        if conceded is not None:
            raise ModelError(
                f"the engagement reset is refused: at {describe(position)} it would lead to "
                f"{describe(start)}, which is not winning (rank {conceded}): the adversary can force a "
                "violation from there. Let the reset set a winning state, or leave the reset out"
            )

    def _check_memory(self, position: Position, start: Position) -> None:
        configuration = self.solution.configuration
        after = configuration.game.codes(start.state)
        for number, automaton in enumerate(configuration.defender):
            q, restarted = position.q_defender[number], start.q_defender[number]
            remembered = automaton.read(q, after, None)
            language = self._languages[number]
            if language[remembered] != language[restarted]:
                label = configuration.clauses(Player.DEFENDER)[number].label
                raise ModelError(
                    f"the engagement reset is refused: it would erase what defender clause {number + 1}, "
                    f'"{label}", remembers. At {configuration.describe(position)} the clause is '
                    f"in {automaton.states[q]}; it would come to {automaton.states[remembered]} by reading "
                    f"the state after the reset, but starts again in {automaton.states[restarted]}. Only "
                    "requirements on the current state survive a reset (sec:respawn): let it be remembered "
                    "(memory: kept), rewrite the clause, or leave the reset out"
                )
