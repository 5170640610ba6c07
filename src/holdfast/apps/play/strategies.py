"""Who can sit on the other side of the board, and what is made ready before the first move.

*Optimal*. Outside W the adversary follows decreasing rank, so that a violation comes within rank(v) moves,
and the defender holds out as long as possible. Inside W both play the N-move game perfectly
(:mod:`holdfast.apps.play.perfect`); where its positions cannot be listed, each takes what bounds of it
promise most after. Where those say nothing either, or play has come from outside W to a position that the
solved game
does not have, a plain rule looks one move ahead: the adversary leaves the defender the fewest permitted
replies, the defender keeps the dominance highest after the adversary's reply.

*Learned*. Inside W the greedy policy of one trained seed. It has been nowhere else: outside W as above.

*Random*. A uniform draw: from Safe(v) inside W, from all admissible actions outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from holdfast.apps.play.session import Match, Session, begin, ending, is_resting, make_move, make_rest
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError, ModelError, did_you_mean
from holdfast.game import Configuration, Position, Protocol, admissible_moves, choices, counted, without_reset
from holdfast.logic import Player
from holdfast.solver import Solution, Stepper, is_listable, is_winning, rank, safe_actions, solve

if TYPE_CHECKING:
    from holdfast.apps.play.forethought import Forethought
    from holdfast.apps.play.perfect import Knowledge
    from holdfast.arena import ShieldedArena
    from holdfast.operation import Policies

NOTICEABLE = 5e-4
"""A difference in mean dominance that is worth a word."""

PLAIN_RULE = "the adversary leaves the fewest permitted replies, the defender keeps the dominance high"
TOO_LARGE = f"safe play is too large to solve exactly; optimal means a simple rule here: {PLAIN_RULE}"
OPEN = "the value of perfect play is known only within bounds; each side is sure of its own bound"
STILL_AT_IT = f"perfect play is still being computed; until then, optimal means a simple rule: {PLAIN_RULE}"
NO_SHIELD = "there is no shield to train in, so the learned opponent plays like the optimal one"
STRATEGIES = ("optimal", "learned", "random")
MAX_EPISODE = 3 * 10**9
"""Moves times steps up to which DDR* is computed as well."""


@dataclass(frozen=True)
class Choice:
    """An action and why it was chosen, as the end of a sentence that begins with its name."""

    action: int
    why: str


Moves = dict[int, Position]
"""Successors by action, ascending."""

PlayStrategy = Callable[[Session], Choice]
"""What a side does when it is to move and has a move."""


def optimal(solution: Solution, perfect: Knowledge | None) -> PlayStrategy:
    """Perfect play of either side; by the plain rule where ``perfect`` does not reach."""
    inside = looking_ahead(solution)

    def choose(session: Session) -> Choice:
        from holdfast.apps.play.perfect import Perfect, worth

        if rank(solution, session.position) is not None:
            return forcing(solution, session.position)
        values = None if perfect is None else worth(perfect, session.position, session.to_go)
        return inside(session) if values is None else _valued(session, values, isinstance(perfect, Perfect))

    return choose


def learned(solution: Solution, policies: Policies) -> PlayStrategy:
    """The greedy policies of either side: the first maximiser of Q(s, ·) over Safe(v)."""
    rows = {tuple(codes): n for n, codes in enumerate(policies.codes.tolist())}
    n_defender = len(solution.configuration.game.actions[Player.DEFENDER])
    moves_of = Stepper(solution.configuration).moves

    def choose(session: Session) -> Choice:
        position = session.position
        if rank(solution, position) is not None:
            return forcing(solution, position)
        safe = tuple(_safe(solution, moves_of(position), position.turn))
        row = rows.get(position.state)
        if row is None:
            return Choice(safe[0], "is the first permitted move, because training never saw this state")
        shift = 0 if position.turn is Player.DEFENDER else n_defender
        q = {action: float(policies.table[row, shift + action]) for action in safe}
        action = max(q, key=q.__getitem__)
        return Choice(action, f"has the highest learned value, Q = {q[action]:.3f}, of the permitted moves")

    return choose


def trained(
    where: Solution | ShieldedArena, protocol: Protocol, seed: int, budget: Budget = UNLIMITED
) -> Policies:
    """The policies that one seed learns by a protocol; an interruption of the training goes through."""
    from holdfast.operation import greedy_policies, train

    training = train(where, replace(protocol, seeds=(seed,)), budget=budget)
    if training.unfinished:
        raise KeyboardInterrupt
    return greedy_policies(training, seed)


def at_random(solution: Solution) -> PlayStrategy:
    """Uniform draws, a function of the seed and of the number of the move."""

    def choose(session: Session) -> Choice:
        position = session.position
        moves = admissible_moves(solution.configuration, position)
        actions = safe_actions(solution, position) or tuple(moves)
        draw = Random(f"{session.match.seed} move {session.n_moves}").randrange(len(actions))
        return Choice(actions[draw], f"was drawn at random from {len(actions)} moves")

    return choose


def played(session: Session, sides: Mapping[Player, PlayStrategy]) -> Session:
    """The play to its end, or to the first choice of a side that has no strategy."""
    while ending(session) is None:
        if is_resting(session.match.configuration, session.position):
            session = make_rest(session)
        elif session.position.turn in sides:
            session = make_move(session, sides[session.position.turn](session).action)
        else:
            break
    return session


# -- outside W --------------------------------------------------------------------------------------


def forcing(solution: Solution, position: Position) -> Choice:
    """Outside W: the adversary's quickest way to a violation, the defender's slowest."""
    moves = admissible_moves(solution.configuration, position)
    ranks = {a: left for a, target in moves.items() if (left := rank(solution, target)) is not None}
    if position.turn is Player.ADVERSARY:
        action = min(ranks, key=ranks.__getitem__)
        how = f"{within(ranks[action])}, whatever the defender replies" if ranks[action] else "at once"
        return Choice(action, f"forces a violation {how}")
    for outcomes in choices(solution.configuration.game, position.turn):
        if len(outcomes) > 1:  # chance is on the adversary's side
            worst = min((ranks[action] for action in outcomes if action in ranks), default=None)
            ranks |= {} if worst is None else dict.fromkeys(outcomes, worst)
    action = max(ranks, key=ranks.__getitem__)
    reason = f"holds out longest: a violation will be forced {within(ranks[action])}, whatever follows"
    return Choice(action, reason)


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
    return f"within {counted(n_moves, 'move')}" if n_moves else "at once"


# -- inside W ---------------------------------------------------------------------------------------


def _valued(session: Session, values: dict[int, float], exact: bool) -> Choice:
    """The best move by what moves are worth, exactly or at least, and what the next best would cost."""
    from holdfast.apps.play.perfect import best

    player, game = session.position.turn, session.match.configuration.game
    action = best(values, player)
    others = {a: value for a, value in values.items() if abs(value - values[action]) > NOTICEABLE}
    keeps = "keeps" if player is Player.DEFENDER else "leaves the defender"
    left = f"the {session.to_go} moves left" if session.to_go > 1 else "the last move"
    bound = "" if exact else "at least " if player is Player.DEFENDER else "at most "
    proviso = "if both play perfectly" if exact else f"whatever the {player.opponent} does"
    text = f"{keeps} a mean dominance of {bound}{values[action]:.3f} over {left}, {proviso}"
    if not others:
        alike = "so does every other permitted move" if exact else "no other permitted move is sure of more"
        return Choice(action, f"{text}; {alike}")
    second = best(others, player)
    name = game.actions[player][second].name
    return Choice(action, f"{text}; the next best, {name}, {keeps} {others[second]:.3f}")


def looking_ahead(solution: Solution) -> PlayStrategy:
    """The plain rule inside W: one move ahead, and the least of equally good actions."""
    moves_of = Stepper(solution.configuration).moves

    def choose(session: Session) -> Choice:
        moves = _safe(solution, moves_of(session.position), session.position.turn)
        if session.position.turn is Player.DEFENDER:
            return _highest_dominance(solution, moves, moves_of)
        return _fewest_replies(solution, moves, moves_of)

    return choose


def _safe(solution: Solution, moves: Moves, player: Player) -> Moves:
    """The moves that stay in W, whatever is drawn; a choice goes by its first outcome."""
    winning = {target: is_winning(solution, target) for target in set(moves.values())}
    return {
        outcomes[0]: moves[outcomes[0]]
        for outcomes in choices(solution.configuration.game, player)
        if all(action in moves and winning[moves[action]] for action in outcomes)
    }


def _fewest_replies(solution: Solution, moves: Moves, moves_of: Callable[[Position], Moves]) -> Choice:
    game = solution.configuration.game
    readings = {
        target: (len(_safe(solution, moves_of(target), Player.DEFENDER)), game.mu(target.state))
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


# -- before the first move --------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A game ready to be played.

    Attributes:
        solution: of the configuration; without its reset where that is refused.
        perfect: the N-move game solved, or bounded; None where there is none or it is too large.
        ddr_exact: DDR* over the episode of the protocol, if it takes no more than a second.
        notes: what a player should know about all this.
        pending: where the N-move game is still being bounded, what is to come of it.
    """

    solution: Solution
    perfect: Knowledge | None
    ddr_exact: float | None
    notes: tuple[str, ...]
    pending: Forethought | None = None


def prepare(
    configuration: Configuration,
    protocol: Protocol,
    n_moves: int,
    budget: Budget = UNLIMITED,
    patience: float | None = None,
) -> Setting:
    """Solve a configuration and, if it is defensible and not too large, its N-move game.

    Where value diagrams take longer than ``patience`` in seconds, they are left pending, and play can begin.
    """
    solution = solve(configuration, budget=budget)
    if not solution.defensible:
        return Setting(solution, None, None, ())
    budget.tick("perfect play")
    notes: list[str] = []
    try:
        solution, arena = _arena(solution, notes, budget)
        from holdfast.apps.play.perfect import perfect_play
        from holdfast.operation import exact_dominance

        perfect, ddr_exact = perfect_play(arena, n_moves, budget), None
        if arena.n_moves * protocol.steps <= MAX_EPISODE:
            ddr_exact = exact_dominance(arena, protocol, epsilon=0, budget=budget).value
        return Setting(solution, perfect, ddr_exact, tuple(notes))
    except LimitError:
        if patience is None or solution.configuration.game.tables is not None:
            return _bounded(solution, notes, n_moves, budget)
        return _begun(solution, n_moves, budget, patience)


def _begun(solution: Solution, n_moves: int, budget: Budget, patience: float) -> Setting:
    """The setting of a game whose positions cannot be listed, when somebody waits for its first move."""
    from holdfast.apps.play.forethought import Forethought
    from holdfast.apps.play.perfect import bounded_play

    pending = Forethought(lambda share: bounded_play(solution, n_moves, share), budget)
    over = pending.awaited(patience)
    setting = Setting(solution, None, None, (STILL_AT_IT,), pending)
    try:
        return ready(setting) if over else setting
    except ModelError as error:
        without = replace(solution, configuration=without_reset(solution.configuration))
        setting = _begun(without, n_moves, budget, patience)
        return replace(setting, notes=(f"{error}. This play goes without it", *setting.notes))


def ready(setting: Setting) -> Setting:
    """The setting when what was pending is over.

    Raises:
        ModelError: for a reset that is refused.
    """
    assert setting.pending is not None
    known = setting.pending.outcome()
    notes = [note for note in setting.notes if note != STILL_AT_IT]
    notes += [TOO_LARGE] if known is None else [] if known.is_closed else [OPEN]
    return replace(setting, perfect=known, notes=tuple(notes), pending=None)


def _bounded(solution: Solution, notes: list[str], n_moves: int, budget: Budget) -> Setting:
    """The setting of a game whose positions cannot be listed: by value diagrams if they come to something."""
    from holdfast.apps.play.perfect import bounded_play

    if solution.configuration.game.tables is None:
        try:
            known = bounded_play(solution, n_moves, budget)
        except ModelError as error:
            notes.append(f"{error}. This play goes without it")
            solution = replace(solution, configuration=without_reset(solution.configuration))
            known = bounded_play(solution, n_moves, budget)
        if known is not None:
            notes += () if known.is_closed else (OPEN,)
            return Setting(solution, known, None, tuple(notes))
    notes.append(TOO_LARGE)
    return Setting(solution, None, None, tuple(notes))


def opponent(
    name: str, setting: Setting, protocol: Protocol, seed: int, budget: Budget = UNLIMITED
) -> tuple[PlayStrategy, Setting]:
    """The strategy with this name, and the setting with what there is to say of it.

    Raises:
        InputError, LimitError: where training is impossible.
    """
    solution = setting.solution
    if name == "random":
        return at_random(solution), setting
    if name == "optimal":
        return optimal(solution, setting.perfect), setting
    if not solution.defensible:
        return optimal(solution, None), replace(setting, notes=(*setting.notes, NO_SHIELD))
    from holdfast.apps.play.perfect import Perfect

    where = setting.perfect.arena if isinstance(setting.perfect, Perfect) else solution
    return learned(solution, trained(where, protocol, seed, budget)), setting


def play(
    configuration: Configuration,
    *,
    defender: str | PlayStrategy = "optimal",
    adversary: str | PlayStrategy = "optimal",
    moves: int = 40,
    seed: int = 1,
    protocol: Protocol | None = None,
    budget: Budget = UNLIMITED,
) -> Session:
    """One play, each side by the name of a strategy or by a function from the session to a choice.

    Args:
        configuration: what is played.
        defender, adversary: ``optimal``, ``learned``, ``random``, or a strategy of your own.
        moves: after how many the play ends.
        seed: of chance and of the training.
        protocol: of the training; the paper's by default.
        budget: for what is made ready before the first move.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.apps.play.session import mean_dominance
    >>> from holdfast.game.configuration import configure
    >>> pair = configure(network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])
    >>> found = play(pair, adversary="random", moves=6)
    >>> found.n_moves, mean_dominance(found)
    (6, Fraction(1, 4))

    Raises:
        InputError: for an unknown strategy.
    """
    protocol = protocol or Protocol()
    setting, sides = prepare(configuration, protocol, moves, budget), {}
    for player, chosen in ((Player.DEFENDER, defender), (Player.ADVERSARY, adversary)):
        if isinstance(chosen, str):
            if chosen not in STRATEGIES:
                known = f"; known: {', '.join(STRATEGIES)}" + did_you_mean(chosen, STRATEGIES)
                raise InputError(f'there is no strategy "{chosen}"{known}')
            chosen, setting = opponent(chosen, setting, protocol, seed, budget)
        sides[player] = chosen
    return played(begin(Match(setting.solution, seed, moves)), sides)


def _arena(solution: Solution, notes: list[str], budget: Budget) -> tuple[Solution, ShieldedArena]:
    """The shielded arena; where the reset is refused, of the game without it.

    Raises:
        LimitError: for a game that is not small, since others would take long to enumerate.
    """
    from holdfast.arena import shielded_arena

    if not is_listable(solution):
        raise LimitError("too large")
    try:
        return solution, shielded_arena(solution, budget)
    except ModelError as error:
        notes.append(f"{error}. This play goes without it")
        # Ranks and Safe(v) know of no reset, so that nothing has to be solved again.
        without = replace(solution, configuration=without_reset(solution.configuration))
        return without, shielded_arena(without, budget)
