"""Who can sit on the other side of the board.

*Optimal*. Outside W the adversary follows decreasing rank, so that a violation comes within rank(v) moves,
and the defender holds out as long as possible. Inside W both play the N-move game perfectly
(:mod:`holdfast.plays.perfect`). Where that game is too large to solve, or play has come from outside W to a
position that the solved game does not have, a plain rule looks one move ahead: the adversary leaves the
defender the fewest permitted replies, the defender keeps the dominance highest after the adversary's reply.

*Learned*. Inside W the greedy policy of one trained seed. It has been nowhere else: outside W as above.

*Random*. A uniform draw: from Safe(v) inside W, from all admissible actions outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.logic.expressions import Player
from holdfast.plays.session import Session, ending, is_resting, make_move, make_rest
from holdfast.product import Position, admissible_moves
from holdfast.shield import safe_actions
from holdfast.solution import Solution, is_winning, rank
from holdfast.stepper import Stepper

if TYPE_CHECKING:
    from holdfast.arena import ShieldedArena
    from holdfast.learn.minimax_q import Policies
    from holdfast.plays.perfect import Perfect
    from holdfast.protocol import Protocol

NOTICEABLE = 5e-4
"""A difference in mean dominance that is worth a word."""


@dataclass(frozen=True)
class Choice:
    """An action and why it was chosen, as the end of a sentence that begins with its name."""

    action: int
    why: str


Moves = dict[int, Position]
"""Successors by action, ascending."""

Strategy = Callable[[Session], Choice]
"""What a side does when it is to move and has a move."""


def optimal(solution: Solution, perfect: Perfect | None) -> Strategy:
    """Perfect play of either side; by the plain rule where ``perfect`` does not reach."""
    inside = looking_ahead(solution)

    def choose(session: Session) -> Choice:
        from holdfast.plays.perfect import worth

        if rank(solution, session.position) is not None:
            return forcing(solution, session.position)
        values = None if perfect is None else worth(perfect, session.position, session.to_go)
        return inside(session) if values is None else _valued(session, values)

    return choose


def learned(solution: Solution, policies: Policies) -> Strategy:
    """The greedy policies of either side: the first maximiser of Q(s, ·) over Safe(v)."""
    rows = {tuple(codes): n for n, codes in enumerate(policies.codes.tolist())}
    n_defender = len(solution.configuration.game.actions[Player.DEFENDER])
    moves_of = Stepper(solution.configuration).moves

    def choose(session: Session) -> Choice:
        position = session.position
        if rank(solution, position) is not None:
            return forcing(solution, position)
        safe = tuple(_safe(solution, moves_of(position)))
        row = rows.get(position.state)
        if row is None:
            return Choice(safe[0], "is the first permitted move of a state that training never met")
        shift = 0 if position.turn is Player.DEFENDER else n_defender
        q = {action: float(policies.table[row, shift + action]) for action in safe}
        action = max(q, key=q.__getitem__)
        return Choice(action, f"has the highest learned value, Q = {q[action]:.3f}, of the permitted moves")

    return choose


def trained(
    where: Solution | ShieldedArena, protocol: Protocol, seed: int, budget: Budget = UNLIMITED
) -> Policies:
    """The policies that one seed learns by a protocol; an interruption of the training goes through."""
    from holdfast.learn.minimax_q import greedy_policies, train

    training = train(where, replace(protocol, seeds=(seed,)), budget=budget)
    if training.unfinished:
        raise KeyboardInterrupt
    return greedy_policies(training, seed)


def at_random(solution: Solution) -> Strategy:
    """Uniform draws, a function of the seed and of the number of the move."""

    def choose(session: Session) -> Choice:
        position = session.position
        actions = safe_actions(solution, position) or tuple(
            admissible_moves(solution.configuration, position)
        )
        draw = Random(f"{session.match.seed} move {session.n_moves}").randrange(len(actions))
        return Choice(actions[draw], f"was drawn at random from {len(actions)} moves")

    return choose


def played(session: Session, sides: Mapping[Player, Strategy]) -> Session:
    """The play to its end, each side following its strategy."""
    while ending(session) is None:
        if is_resting(session.match.configuration, session.position):
            session = make_rest(session)
        else:
            session = make_move(session, sides[session.position.turn](session).action)
    return session


# -- outside W --------------------------------------------------------------------------------------


def forcing(solution: Solution, position: Position) -> Choice:
    """Outside W: the adversary's quickest way to a violation, the defender's slowest."""
    moves = admissible_moves(solution.configuration, position)
    ranks = {
        action: found for action, target in moves.items() if (found := rank(solution, target)) is not None
    }
    if position.turn is Player.ADVERSARY:
        action = min(ranks, key=ranks.__getitem__)
        how = f"{within(ranks[action])}, whatever the defender replies" if ranks[action] else "at once"
        return Choice(action, f"forces a violation {how}")
    action = max(ranks, key=ranks.__getitem__)
    return Choice(
        action, f"holds out longest: a violation is forced {within(ranks[action])}, whatever follows"
    )


def forced_line(solution: Solution, position: Position) -> list[tuple[Player, int]]:
    """The moves of :func:`forcing` from a position outside W to the violation."""
    line = []
    while rank(solution, position):
        action = forcing(solution, position).action
        line.append((position.turn, action))
        position = admissible_moves(solution.configuration, position)[action]
    return line


def within(n_moves: int) -> str:
    """How soon, in words.

    >>> within(1), within(3), within(0)
    ('within 1 move', 'within 3 moves', 'at once')
    """
    return f"within {n_moves} move{'' if n_moves == 1 else 's'}" if n_moves else "at once"


# -- inside W ---------------------------------------------------------------------------------------


def _valued(session: Session, values: dict[int, float]) -> Choice:
    """The best move by the solved game, and what the next best would cost."""
    from holdfast.plays.perfect import best

    player, game = session.position.turn, session.match.configuration.game
    action = best(values, player)
    others = {a: value for a, value in values.items() if abs(value - values[action]) > NOTICEABLE}
    keeps = "keeps" if player is Player.DEFENDER else "leaves the defender"
    left = f"the {session.to_go} moves left" if session.to_go > 1 else "the last move"
    text = f"{keeps} a mean dominance of {values[action]:.3f} over {left}, if both play perfectly"
    if not others:
        return Choice(action, f"{text}; so does every other permitted move")
    second = best(others, player)
    name = game.actions[player][second].name
    return Choice(action, f"{text}; the next best, {name}, {keeps} {others[second]:.3f}")


def looking_ahead(solution: Solution) -> Strategy:
    """The plain rule inside W: one move ahead, and the least of equally good actions."""
    moves_of = Stepper(solution.configuration).moves

    def choose(session: Session) -> Choice:
        moves = _safe(solution, moves_of(session.position))
        if session.position.turn is Player.DEFENDER:
            return _highest_dominance(solution, moves, moves_of)
        return _fewest_replies(solution, moves, moves_of)

    return choose


def _safe(solution: Solution, moves: Moves) -> Moves:
    """The moves that stay in W."""
    winning = {target: is_winning(solution, target) for target in set(moves.values())}
    return {action: target for action, target in moves.items() if winning[target]}


def _fewest_replies(solution: Solution, moves: Moves, moves_of: Callable[[Position], Moves]) -> Choice:
    game = solution.configuration.game
    readings = {
        target: (len(_safe(solution, moves_of(target))), game.mu(target.state))
        for target in set(moves.values())
    }
    action = min(moves, key=lambda action: readings[moves[action]])
    n, mu = readings[moves[action]]
    if len({replies for replies, _ in readings.values()}) == 1:
        return Choice(action, f"lowers the dominance to {float(mu):.3f}; no move limits the replies further")
    return Choice(action, f"leaves the defender {n} permitted replies, the fewest")


def _highest_dominance(solution: Solution, moves: Moves, moves_of: Callable[[Position], Moves]) -> Choice:
    """By the lowest μ after a reply, and then by μ at once."""
    game = solution.configuration.game
    readings = {}
    for target in set(moves.values()):
        now = game.mu(target.state)
        replies = {reply.state for reply in moves_of(target).values()}
        readings[target] = min((game.mu(state) for state in replies), default=now), now
    action = max(moves, key=lambda action: readings[moves[action]])
    worst = float(readings[moves[action]][0])
    return Choice(action, f"keeps a dominance of {worst:.3f} after the adversary's best reply, the highest")
