"""What a verdict rests on, piece by piece, and the configuration without some of the pieces.

An *assumption* is something whose absence can only help the defender: a link along which compromise
spreads, an action of the adversary (in a system that has no links), one unit of a number in φ_A, a clause of
φ_D. Taking some of them away keeps variables, actions and all other clauses, so that a play of the
configuration can be replayed on what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from holdfast.game import GameStructure
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.expressions import Did, Player
from holdfast.models.network import STATUS_NAMES, Link, network_game
from holdfast.product import Configuration
from holdfast.scenario.bounds import Bound
from holdfast.scenario.load import Scenario, change_of
from holdfast.scenario.segment import Segment, gather_segment

Kind = Literal["link", "action", "budget", "clause"]


@dataclass(frozen=True)
class Assumption:
    """One thing that can be taken away.

    Attributes:
        kind: what it is.
        name: in the words of the model, such as ``GW -> Web``; for a budget the bound as it stands.
        becomes: for a budget, the bound one unit lower; else empty.
        link, clause, bound: which one, by kind.
    """

    kind: Kind
    name: str
    becomes: str = ""
    link: Link | None = None
    clause: int | None = None
    bound: Bound | None = field(default=None, repr=False)


def assumptions(
    configuration: Configuration, bounds: Iterable[Bound], scenario: Scenario | None = None
) -> tuple[Assumption, ...]:
    """Everything that can be taken away, the design first and the requirement last.

    >>> from holdfast.scenario.bounds import bounds
    >>> from holdfast.scenario.load import configuration, scenario_from_text
    >>> from holdfast.scenario.stubs import NETWORK_STUB
    >>> scenario = scenario_from_text(NETWORK_STUB)
    >>> here = configuration(scenario)
    >>> [a.name for a in assumptions(here, bounds(here, scenario)[0], scenario)][3:]
    ['DB -> BK', 'times(destroy) <= 2', 'G !(DB in {X, D, Z} & BK in {X, D, Z})', 'G (active >= 3)']
    """
    found = [Assumption("link", " -> ".join(link), link=link) for link in _links(scenario, configuration)]
    if not found:
        actions = configuration.game.actions[Player.ADVERSARY]
        found = [Assumption("action", action.name) for action in actions]
    for bound in bounds:
        if bound.side is Player.ADVERSARY and bound.value is not None and bound.value != _easiest(bound):
            lower = bound.text(bound.value - bound.harder)
            found.append(Assumption("budget", bound.text(), lower, bound=bound))
    clauses = enumerate(configuration.defender)
    return (*found, *(Assumption("clause", a.source, clause=number) for number, a in clauses))


def without(
    configuration: Configuration, taken: Sequence[Assumption], scenario: Scenario | None = None
) -> Configuration:
    """The configuration with these assumptions taken away.

    Raises:
        InputError: when what is left does not fit together.
    """
    game = without_links(configuration, taken, scenario)
    adversary = list(configuration.adversary)
    changed: set[int] = set()
    for assumption in taken:
        if assumption.kind == "action":
            adversary.append(_never(assumption.name))
        elif assumption.bound is not None:
            _lower(adversary, changed, assumption.bound)
    dropped = {assumption.clause for assumption in taken}
    defender = tuple(a for number, a in enumerate(configuration.defender) if number not in dropped)
    return replace(configuration, game=game, defender=defender, adversary=tuple(adversary))


def without_links(
    configuration: Configuration, taken: Iterable[Assumption], scenario: Scenario | None
) -> GameStructure:
    """The game alone, without the links among the assumptions."""
    cut = {assumption.link for assumption in taken if assumption.link is not None}
    if not cut:
        return configuration.game
    assert scenario is not None
    segment, entry, chance = _segment(scenario, configuration)
    left = [link for link in segment.links if link not in cut]
    return network_game(tuple(segment.hosts), left, entry, chance, segment.groups)


def legend(scenario: Scenario | None) -> dict[str, str]:
    """What the values of the model stand for, where their names do not say it."""
    network = scenario.root.get("network") if scenario is not None else None
    return dict(STATUS_NAMES) if network is not None else {}


def _never(action: str) -> SafetyAutomaton:
    """φ_A without one action: Λ then leaves its moves out, and every formula that names it still reads."""
    did = Did(action, frozenset({(Player.ADVERSARY, action)}))
    return SafetyAutomaton(
        source=f"never {action}",
        states=("q0", "viol"),
        initial=0,
        accepting=(True, False),
        atoms=(did,),
        masks=(0, 1),
        delta=((0, 1), (1, 1)),
    )


def _easiest(bound: Bound) -> int | None:
    return bound.low if bound.harder > 0 else bound.high


def _lower(adversary: list[SafetyAutomaton], changed: set[int], bound: Bound) -> None:
    """Put the clause one unit lower; a second number of the same clause binds beside the first."""
    assert bound.value is not None
    lower = bound.automaton(bound.value - bound.harder)
    if bound.clause in changed:
        adversary.append(lower)
    else:
        adversary[bound.clause] = lower
        changed.add(bound.clause)


def _links(scenario: Scenario | None, configuration: Configuration) -> tuple[Link, ...]:
    if scenario is None or scenario.root.get("network") is None:
        return ()
    return tuple(_segment(scenario, configuration)[0].links)


def _segment(scenario: Scenario, configuration: Configuration) -> tuple[Segment, str, Fraction | None]:
    return gather_segment(scenario.root["network"], change_of(scenario, configuration.variant))
