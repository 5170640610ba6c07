"""Quantities of the network instance itself (sec:instantiation): sizes, transitions, a play, the protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from holdfast.apps.reproduce.evidence import REFERENCE, Evidence
from holdfast.apps.reproduce.rounding import PlainNumber
from holdfast.game import ENTRY, Configuration, Position, admissible_moves, distances, move, successor
from holdfast.logic import Player, SafetyAutomaton, compile_formula
from holdfast.models import STATUSES


def _reference(evidence: Evidence) -> Configuration:
    return evidence.configurations[REFERENCE]


def size(evidence: Evidence, of: str) -> int:
    """The size of a part of the reference configuration."""
    reference = _reference(evidence)
    states, accepting = _states(reference.defender), math.prod(a.n_accepting for a in reference.defender)
    sizes = {
        "hosts": len(reference.game.variables),
        "defender_actions": len(reference.game.actions[Player.DEFENDER]),
        "adversary_actions": len(reference.game.actions[Player.ADVERSARY]),
        "requirement_states": states,
        "requirement_accepting": accepting,
        "requirement_violating": states - accepting,
        "boundary_states": _states(reference.adversary),
    }
    return sizes[of]


def _states(automata: Sequence[SafetyAutomaton]) -> int:
    return math.prod(automaton.n_states for automaton in automata)


def automaton_states(evidence: Evidence, formula: str = "") -> int:
    """|Q| of the automaton that a formula compiles to, or without one of the first declared in φ_D."""
    return (_compiled(evidence, formula) if formula else _reference(evidence).defender[0]).n_states


def accepting_states(evidence: Evidence, formula: str) -> str:
    """The states in F of the automaton that a formula compiles to."""
    automaton = _compiled(evidence, formula)
    return ", ".join(
        name for name, accepts in zip(automaton.states, automaton.accepting, strict=True) if accepts
    )


def _compiled(evidence: Evidence, formula: str) -> SafetyAutomaton:
    return compile_formula(formula, _reference(evidence).game.vocabulary)


def links(evidence: Evidence, case: int) -> int:
    """Directed edges of a case's topology."""
    return len(evidence.topologies[case].arrows)


def reached(evidence: Evidence, case: int) -> int:
    """Hosts that links lead to from the entry of a case's topology, itself included."""
    segment = evidence.topologies[case]
    return len(distances(segment.arrows, segment.marked(ENTRY)))


def setting(evidence: Evidence, of: str) -> PlainNumber | None:
    """A setting of the adaptive protocol that was, or would be, followed."""
    protocol, reset = evidence.protocol, _reference(evidence).game.reset
    if of == "runs":
        return len(protocol.seed_numbers)
    if of == "decay_episodes":
        return 2 * protocol.episodes
    if of == "reset":
        return None if reset is None else Fraction(reset.probability)
    value: PlainNumber = getattr(protocol, of)
    return value


def transition(evidence: Evidence, action: str) -> str:
    """What an action makes of a host in each status, a neighbour being compromised (tab:instance)."""
    game, host, neighbour = _reference(evidence).game, "Web", "GW"
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


def play(evidence: Evidence, moves: Sequence[str]) -> str:
    """The position after some moves: statuses, turn, and the states of the automata."""
    reference = _reference(evidence)
    position = reference.initial
    for name in moves:
        number = [a.name for a in reference.game.actions[position.turn]].index(name)
        after = move(reference, position, number)
        assert after is not None  # every action can be chosen everywhere
        position = after
    statuses = [v.values[code] for v, code in zip(reference.game.variables, position.state, strict=True)]
    states = [
        automaton.states[q]
        for side, qs in (
            (reference.defender, position.q_defender),
            (reference.adversary, position.q_adversary),
        )
        for automaton, q in zip(side, qs, strict=True)
    ]
    return " ".join(map(str, [*statuses, position.turn[:3], *states]))


# -- exploration under a budget (sec:demo-trajectory) -----------------------------------------------


def _menu(evidence: Evidence, destroys: int) -> list[str]:
    """The adversary's admissible actions at the start, some destroys being spent."""
    reference = _reference(evidence)
    start = reference.initial
    spent = tuple(automaton.states.index(f"q{destroys}") for automaton in reference.adversary)
    position = Position(start.state, Player.ADVERSARY, start.q_defender, spent)
    return [reference.game.actions[Player.ADVERSARY][i].name for i in admissible_moves(reference, position)]


def _spread_share(evidence: Evidence, destroys: int) -> Fraction:
    menu = _menu(evidence, destroys)
    return Fraction(sum(name.startswith("spread(") for name in menu), len(menu))


def admissible(evidence: Evidence, destroys: int) -> int:
    """How many actions the adversary has after so many destroys."""
    return len(_menu(evidence, destroys))


def spread_part(evidence: Evidence, destroys: int) -> str:
    """Which part of them spreads, as a fraction."""
    return str(_spread_share(evidence, destroys))


def spread_increase(evidence: Evidence) -> Fraction:
    """By how much a spent budget raises that part, relatively."""
    return _spread_share(evidence, 2) / _spread_share(evidence, 0) - 1
