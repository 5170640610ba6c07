"""What the sentences of rules can speak of: flows, sets of hosts, and what each side does to whom."""

from __future__ import annotations

from typing import Any

from holdfast.game import Configuration
from holdfast.logic import Player, action_target, action_type

USUAL = ("X", "D", "I", "Z")
"""The statuses that sentences on hosts are about."""


def rule_words(here: Configuration) -> dict[str, Any]:
    """The names that pickers offer; ``hosts`` is empty where nodes have other statuses than hosts have."""
    system, graph = here.system, here.system.graph
    is_network = graph is not None and set(USUAL) <= set(graph.tones)
    verbs: dict[str, dict[str, list[str]]] = {}
    for player in Player:
        own = verbs.setdefault(str(player), {})
        for action in here.game.actions[player]:
            own.setdefault(action_type(action.name), []).append(action_target(action.name))
    return {
        "hosts": list(graph.names) if graph is not None and is_network else [],
        "sets": list(system.vocabulary.groups) if is_network else [],
        "flows": [flow.name for flow in graph.flows] if graph is not None else [],
        "active": "active" in system.vocabulary.definitions,
        "verbs": verbs,
    }
