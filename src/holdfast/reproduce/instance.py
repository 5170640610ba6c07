"""Quantities of the network instance itself (sec:instantiation): sizes, transitions, a play, the protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from holdfast.game import successor
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.expressions import Player
from holdfast.models.network import STATUSES
from holdfast.product import Configuration, Position, admissible_moves, move
from holdfast.reproduce.evidence import REFERENCE, Evidence
from holdfast.reproduce.printed import Number
from holdfast.system import ENTRY, distances


def _reference(evidence: Evidence) -> Configuration | None:
    return None if evidence.configurations is None else evidence.configurations[REFERENCE]


def size(evidence: Evidence, of: str) -> int | None:
    """The size of a part of the reference configuration."""
    found = _reference(evidence)
    if found is None:
        return None
    states, accepting = _states(found.defender), math.prod(a.n_accepting for a in found.defender)
    sizes = {
        "hosts": len(found.game.variables),
        "defender_actions": len(found.game.actions[Player.DEFENDER]),
        "adversary_actions": len(found.game.actions[Player.ADVERSARY]),
        "requirement_states": states,
        "requirement_accepting": accepting,
        "requirement_violating": states - accepting,
        "boundary_states": _states(found.adversary),
    }
    return sizes[of]


def _states(automata: Sequence[SafetyAutomaton]) -> int:
    return math.prod(automaton.n_states for automaton in automata)


def links(evidence: Evidence, case: int) -> int | None:
    """Directed edges of a case's topology."""
    return None if evidence.topologies is None else len(evidence.topologies[case].arrows)


def reached(evidence: Evidence, case: int) -> int | None:
    """Hosts that links lead to from the entry of a case's topology, itself included."""
    if evidence.topologies is None:
        return None
    segment = evidence.topologies[case]
    return len(distances(segment.arrows, segment.marked(ENTRY)))


def setting(evidence: Evidence, of: str) -> Number | None:
    """A setting of the adaptive protocol that was, or would be, followed."""
    protocol, found = evidence.protocol, _reference(evidence)
    if protocol is None or found is None:
        return None
    if of == "runs":
        return len(protocol.seed_numbers)
    if of == "decay_episodes":
        return 2 * protocol.episodes
    if of == "reset":
        return None if found.game.reset is None else Fraction(found.game.reset.probability)
    value: Number = getattr(protocol, of)
    return value


def transition(evidence: Evidence, action: str) -> str | None:
    """What an action makes of a host in each status, a neighbour being compromised (tab:instance)."""
    found = _reference(evidence)
    if found is None:
        return None
    game, host, neighbour = found.game, "Web", "GW"
    names = [variable.name for variable in game.variables]
    player = Player.ADVERSARY if action in ("spread", "destroy") else Player.DEFENDER
    number = [a.name for a in game.actions[player]].index(f"{action}({host})")
    shown = []
    for status in STATUSES:
        given = {host: status, neighbour: "X"}
        state = tuple(STATUSES.index(given.get(name, "C")) for name in names)
        after = successor(game, player, number, state)
        assert after is not None  # every action can be chosen everywhere
        shown.append(STATUSES[after[names.index(host)]])
    return " ".join(shown)


def play(evidence: Evidence, moves: Sequence[str]) -> str | None:
    """The position after some moves: statuses, turn, and the states of the automata."""
    found = _reference(evidence)
    if found is None:
        return None
    position = found.initial
    for name in moves:
        number = [a.name for a in found.game.actions[position.turn]].index(name)
        after = move(found, position, number)
        assert after is not None  # every action can be chosen everywhere
        position = after
    statuses = [v.values[code] for v, code in zip(found.game.variables, position.state, strict=True)]
    states = [
        automaton.states[q]
        for side, qs in ((found.defender, position.q_defender), (found.adversary, position.q_adversary))
        for automaton, q in zip(side, qs, strict=True)
    ]
    return " ".join(map(str, [*statuses, position.turn[:3], *states]))


# -- exploration under a budget (sec:demo-trajectory) -----------------------------------------------


@dataclass(frozen=True)
class _Menu:
    n_actions: int
    n_spread: int


def _menu(evidence: Evidence, destroys: int) -> _Menu | None:
    """The adversary's admissible actions at the start, some destroys being spent."""
    found = _reference(evidence)
    if found is None:
        return None
    start = found.initial
    spent = tuple(automaton.states.index(f"q{destroys}") for automaton in found.adversary)
    position = Position(start.state, Player.ADVERSARY, start.q_defender, spent)
    names = [found.game.actions[Player.ADVERSARY][i].name for i in admissible_moves(found, position)]
    return _Menu(len(names), sum(name.startswith("spread(") for name in names))


def admissible(evidence: Evidence, destroys: int) -> int | None:
    """How many actions the adversary has after so many destroys."""
    menu = _menu(evidence, destroys)
    return None if menu is None else menu.n_actions


def spread_part(evidence: Evidence, destroys: int) -> str | None:
    """Which part of them spreads, as a fraction."""
    menu = _menu(evidence, destroys)
    return None if menu is None else str(Fraction(menu.n_spread, menu.n_actions))


def spread_increase(evidence: Evidence) -> Fraction | None:
    """By how much a spent budget raises that part, relatively."""
    before, after = _menu(evidence, 0), _menu(evidence, 2)
    if before is None or after is None:
        return None
    return Fraction(after.n_spread * before.n_actions, after.n_actions * before.n_spread) - 1
