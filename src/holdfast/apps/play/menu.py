"""The moves of a position as a person sees them: those that come to the same are one entry.

A move can be named by its number in the menu, by its name (``isolate(DB)``, ``isolate DB``), or by the
beginnings of the words of its name (``is d``) where these fit one entry only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from holdfast.apps.play.effort import raised
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Configuration, Position, choices, counted, is_admissible
from holdfast.logic import Player
from holdfast.solver import MoveVerdict, Solution, rank, verdicts


class Standing(StrEnum):
    """What may be done with an entry; the order is that of the menu."""

    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True)
class MenuEntry:
    """Moves that lead to the same position.

    Attributes:
        number: in the menu, from 1.
        actions: their indices, ascending.
        name: of the first of them.
        target: where they lead; None where they are not available.
        standing: the shield's word for the defender; for the adversary everything admissible is permitted.
        rank: of the target; None in W.
        reason: why they are not permitted, or what a permitted one achieves; may be empty.
        effect: what they change, in the words of the model; empty if nothing.
        warning: how they raise the effort that is still needed; empty if they do not.
    """

    number: int
    actions: tuple[int, ...]
    name: str
    target: Position | None
    standing: Standing
    rank: int | None
    reason: str
    effect: str
    warning: str = ""


def menu_of(solution: Solution, position: Position) -> tuple[MenuEntry, ...]:
    """All moves of the mover: permitted ones first, then by how long they hold out.

    A choice whose outcome is drawn is told by its first outcome.
    """
    configuration = solution.configuration
    groups: dict[object, list[MoveVerdict]] = {}
    found = verdicts(solution, position)
    for outcomes in choices(configuration.game, position.turn):
        verdict, targets = found[outcomes[0]], {found[action].target for action in outcomes}
        drawn = outcomes if len(targets) > 1 else ()  # what comes of it is open, and it stands by itself
        groups.setdefault((verdict.target, verdict.reason, drawn), []).append(verdict)
    lost = rank(solution, position) is not None
    entries = [_entry(configuration, position, group, lost) for group in groups.values()]
    entries = [_warned(solution, position, entry) for entry in entries]
    entries.sort(key=lambda entry: _order(entry, position.turn))
    return tuple(replace(entry, number=n) for n, entry in enumerate(entries, 1))


def find(
    menu: tuple[MenuEntry, ...], configuration: Configuration, player: Player, text: str
) -> tuple[MenuEntry, int]:
    """The entry and the action that a person means.

    Raises:
        InputError: with a kind word, when the text fits none or several.
    """
    text = text.strip()
    if text.isdecimal():
        chosen = next((entry for entry in menu if str(entry.number) == text), None)
        if chosen is None:
            raise InputError(f"there is no move {text[:12]}; the menu goes from 1 to {len(menu)}")
        return chosen, chosen.actions[0]
    names = [action.choice for action in configuration.game.actions[player]]
    wanted = _words(text)
    fits = {action: n for action, name in enumerate(names) if (n := _fit(_words(name), wanted)) is not None}
    closest = max(fits.values(), default=0)
    fitting = [(entry, action) for entry in menu for action in entry.actions if fits.get(action) == closest]
    if not fitting or not wanted:
        hint = did_you_mean(text, names)
        raise InputError(
            f'"{text[:40]}" is no move of the {player}{hint or "; type a number of the menu, or help"}'
        )
    if len({entry.number for entry, _ in fitting}) > 1:
        some = ", ".join(names[action] for _, action in fitting[:4])
        raise InputError(f'"{text[:40]}" could be {some}{", …" if len(fitting) > 4 else ""}; say more')
    return fitting[0]


def is_move_name(configuration: Configuration, player: Player, text: str) -> bool:
    """Whether the text is the whole name of a move."""
    wanted = _words(text)
    return any(_words(action.name) == wanted for action in configuration.game.actions[player])


def effect_of(configuration: Configuration, before: Position, action: int | None, after: Position) -> str:
    """What a move changes: variables, what follows by itself, and how far φ_A has been used up."""
    parts = []
    for variable, old, new in zip(configuration.game.variables, before.state, after.state, strict=True):
        if old != new:
            parts.append(f"{variable.name} {variable.values[old]} → {variable.values[new]}")
    aftermath = configuration.system.aftermath
    if (
        aftermath is not None
        and action is not None
        and (effect := aftermath(before.state, before.turn, action))
    ):
        parts.append(effect)
    for automaton, old, new in zip(
        configuration.adversary, before.q_adversary, after.q_adversary, strict=True
    ):
        if old != new and automaton.accepting[new]:
            parts.append(f"φ_A {automaton.states[old]} → {automaton.states[new]}")
    return ", ".join(parts)


def _entry(
    configuration: Configuration, position: Position, group: list[MoveVerdict], lost: bool
) -> MenuEntry:
    first, actions = group[0], tuple(verdict.action for verdict in group)
    name = configuration.game.actions[position.turn][first.action].name
    target, reason = first.target, first.reason
    adversary = position.turn is Player.ADVERSARY
    if target is None or (adversary and not is_admissible(configuration, target)):
        standing = Standing.IMPOSSIBLE
    elif adversary:
        standing, reason = Standing.PERMITTED, _prospect(first.rank, lost)
    else:
        standing = Standing.PERMITTED if first.permitted else Standing.FORBIDDEN
    effect = "" if target is None else effect_of(configuration, position, first.action, target)
    action = configuration.game.actions[position.turn][first.action]
    if effect and action.outcome_of:
        effect += f" with probability {float(action.probability):g}"
    return MenuEntry(0, actions, name, target, standing, first.rank, reason, effect)


def _warned(solution: Solution, position: Position, entry: MenuEntry) -> MenuEntry:
    """The entry with a word on what it does to the effort that is still needed, if it raises it."""
    if entry.standing is not Standing.PERMITTED or entry.target is None:
        return entry
    return replace(entry, warning=raised(solution, position, entry.target))


def _prospect(found: int | None, lost: bool) -> str:
    """What an admissible move of the adversary achieves."""
    if found is None:
        return "lets the defender escape: a defense exists again" if lost else ""
    return f"forces a violation within {counted(found, 'move')}" if found else "violates φ_D at once"


def _order(entry: MenuEntry, player: Player) -> tuple[int, int, int, int]:
    """By standing; then what is better for the mover; then effects before idleness; then as declared."""
    distance = 1 << 30 if entry.rank is None else entry.rank
    better = -distance if player is Player.DEFENDER else distance
    return list(Standing).index(entry.standing), better, not entry.effect, entry.actions[0]


def _words(text: str) -> tuple[str, ...]:
    """``isolate(DB)`` and ``isolate db`` alike.

    >>> _words("isolate(DB)") == _words(" Isolate  db")
    True
    """
    return tuple(re.findall(r"[^\s(),]+", text.casefold()))


def _fit(words: tuple[str, ...], wanted: tuple[str, ...]) -> int | None:
    """How many words are there in full, if all are at least begun.

    >>> _fit(("isolate", "ws3"), ("is", "ws3")), _fit(("isolate", "ws30"), ("is", "ws3"))
    (1, 0)
    """
    pairs = list(zip(words, wanted, strict=False))
    if len(pairs) < len(wanted) or not all(word.startswith(begun) for word, begun in pairs):
        return None
    return sum(word == begun for word, begun in pairs)
