"""States, changes and moves in the words of the model, and why the shield forbids a move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdfast.game import (
    Configuration,
    GameStructure,
    Position,
    State,
    System,
    choices,
    is_admissible,
    move,
    tallied_in_words,
)
from holdfast.logic import Player, Tally
from holdfast.solver.solution import Solution, rank

FEW = 3
"""Variables with one value that are gathered as "all others"."""

MANY = 6
"""Variables that are named although all of them have one value."""


@dataclass(frozen=True)
class MoveInWords:
    """A move of a play, and what it changes."""

    mover: str
    action: str
    change: str


def state_in_words(game: GameStructure, state: State) -> str:
    """``Web = Z; GW, DB = X; all others = C``: variables with the same value are gathered.

    >>> from holdfast.models.network import network_game
    >>> game = network_game(["GW", "Web", "WS", "DB", "BK"], [], "GW")
    >>> state_in_words(game, (1, 0, 0, 4, 0))
    'GW = X; DB = Z; all others = C'
    >>> state_in_words(network_game([f"h{i}" for i in range(9)], [], "h0"), (0,) * 9)
    'all = C'
    """
    by_value: dict[str, list[str]] = {}
    alone = []
    for variable in game.vocabulary.plain:
        code = state[game.places[variable.name]]
        if variable.numeric:
            alone.append(f"{variable.name} = {variable.values[code]}")
        else:
            by_value.setdefault(str(variable.values[code]), []).append(variable.name)
    usual = max(by_value, key=lambda value: len(by_value[value]), default="")
    gathered = len(by_value) > 1 and len(by_value[usual]) >= FEW
    if not alone and not game.tallies and len(by_value) == 1 and len(by_value[usual]) > MANY:
        return f"all = {usual}"
    parts = [f"{', '.join(names)} = {v}" for v, names in by_value.items() if not (gathered and v == usual)]
    alone += tallied_in_words(game, state)
    return "; ".join([*parts, *alone, *([f"all others = {usual}"] if gathered else [])])


def start_in_words(configuration: Configuration) -> str:
    """The initial state and who moves first."""
    game = configuration.game
    return f"{state_in_words(game, game.initial)}; {game.first} moves first"


def change_in_words(game: GameStructure, before: State, after: State) -> str:
    """``DB: C → X``, ``one of 500 ws: C → X``, or the empty string where nothing changes."""
    pairs = ((v, before[game.places[v.name]], after[game.places[v.name]]) for v in game.vocabulary.plain)
    changes = [f"{v.name}: {v.values[old]} → {v.values[new]}" for v, old, new in pairs if old != new]
    for tally in game.tallies:
        changes += _moved(tally, game, before, after)
    return ", ".join(changes)


def _moved(tally: Tally, game: GameStructure, before: State, after: State) -> Iterator[str]:
    """What becomes of alike things: from one value to another, or how many have each."""
    places = [game.places[counter.name] for counter in tally.counters]
    changes = {v: after[at] - before[at] for v, at in zip(tally.values, places, strict=True)}
    fewer = [value for value, change in changes.items() if change < 0]
    more = [value for value, change in changes.items() if change > 0]
    if len(fewer) == len(more) == 1:
        n = changes[more[0]]
        yield f"{'one' if n == 1 else f'{n:,}'} of {tally.size:,} {tally.name}: {fewer[0]} → {more[0]}"
    elif fewer or more:
        signed = ", ".join(f"{change:+,} {value}" for value, change in changes.items() if change)
        yield f"{tally.name}: {signed}"


def outcome_in_words(system: System, before: Position, action: int, after: Position) -> str:
    """What a move changes, and what of it followed by itself."""
    change = change_in_words(system.game, before.state, after.state)
    follows = "" if system.aftermath is None else system.aftermath(before.state, before.turn, action)
    return f"{change} ({follows})" if follows else change


def move_in_words(system: System, before: Position, action: int, after: Position) -> MoveInWords:
    """One move of a play."""
    name = system.game.actions[before.turn][action].name
    return MoveInWords(str(before.turn), name, outcome_in_words(system, before, action, after))


def names_of(game: GameStructure, player: Player, actions: tuple[int, ...]) -> tuple[str, ...]:
    """The names of some actions of a player."""
    return tuple(game.actions[player][action].name for action in actions)


@dataclass(frozen=True)
class MoveVerdict:
    """What the solved game says of one action at one position.

    Attributes:
        action: its index among the mover's actions.
        target: where it leads; None where a tabulated action is not available.
        rank: of the target; 0 in U, None in W.
        reason: why it is forbidden, in the words of the model; empty if it is permitted.
    """

    action: int
    target: Position | None
    permitted: bool
    rank: int | None
    reason: str


def verdicts(solution: Solution, position: Position) -> tuple[MoveVerdict, ...]:
    """Every action of the mover at v, in the order of the game.

    A defender action is forbidden because it loses; an adversary action because φ_A does not admit it or,
    like the defender's, because it would leave W, which cannot happen inside W. Of a choice of the defender
    that may have several outcomes each outcome is forbidden where one of them is.
    """
    game = solution.configuration.game
    n_actions = len(game.actions[position.turn])
    found = [_verdict(solution, position, action) for action in range(n_actions)]
    for outcomes in choices(game, position.turn) if position.turn is Player.DEFENDER else ():
        lost = [found[action] for action in outcomes if not found[action].permitted]
        if lost and len(outcomes) > 1:
            worst = min(lost, key=lambda one: -1 if one.rank is None else one.rank)
            reason = f"it may come to {game.actions[position.turn][worst.action].name}: {worst.reason}"
            for action in outcomes:
                if found[action].permitted:
                    found[action] = replace(found[action], permitted=False, rank=worst.rank, reason=reason)
    return tuple(found)


def _verdict(solution: Solution, position: Position, action: int) -> MoveVerdict:
    configuration = solution.configuration
    target = move(configuration, position, action)
    if target is None:
        return MoveVerdict(action, None, False, None, "not available here")
    forced = rank(solution, target)
    if position.turn is Player.ADVERSARY and not is_admissible(configuration, target):
        clause = configuration.broken(target, Player.ADVERSARY)[0]
        return MoveVerdict(action, target, False, forced, f"not admissible: {clause}")
    if forced is None:
        return MoveVerdict(action, target, True, None, "")
    if forced == 0:
        reason = f"violates at once: {configuration.broken(target)[0]}"
    else:
        reason = f"the adversary then forces a violation within {forced} move{'s' if forced > 1 else ''}"
    return MoveVerdict(action, target, False, forced, reason)
