"""What the actions of a network are called in ATT&CK (Enterprise) and in D3FEND, and why.

The model has one way to take a host and one to destroy it; catalogues have hundreds. Each action gets the
technique that says no more than the model does: any exploit of a service along a link, any exploit of what is
exposed, any destruction after which a host has to be rebuilt. docs/network.md has the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.game import EXPOSED, System
from holdfast.logic import action_target, action_type
from holdfast.report import Technique, Techniques

SPREAD = Technique(
    "T1210",
    "Exploitation of Remote Services",
    "lateral-movement",
    "A compromised host compromises a host that it can reach along a link.",
)
ENTER = Technique(
    "T1190",
    "Exploit Public-Facing Application",
    "initial-access",
    "The host is exposed: it is compromised from outside.",
)
DESTROY = Technique(
    "T1485", "Data Destruction", "impact", "The host is out of service until somebody rebuilds it."
)

ANSWERS: Mapping[str, Technique] = {
    "monitor": Technique(
        "D3-PM", "Platform Monitoring", "Detect", "The host is watched, and a compromise becomes known."
    ),
    "isolate": Technique(
        "D3-NI", "Network Isolation", "Isolate", "The host is cut off, and nothing spreads from it."
    ),
    "block": Technique(
        "D3-NTF", "Network Traffic Filtering", "Isolate", "A link is shut, for its flows as well."
    ),
    "unblock": Technique("D3-RNA", "Restore Network Access", "Restore", "A link that was shut is opened."),
    "restore": Technique(
        "D3-RNA", "Restore Network Access", "Restore", "A cleaned host comes back into service."
    ),
    "fix": Technique(
        "D3-RDI", "Restore Disk Image", "Restore", "A destroyed host is rebuilt and comes back."
    ),
}
"""By the type of the action; to do nothing has no name."""


def network_techniques(system: System) -> tuple[Techniques, Techniques]:
    """The technique of each action of a network, the adversary's and the defender's."""
    graph = system.graph
    exposed = {node.name for node in graph.nodes if EXPOSED in node.marks} if graph is not None else set()

    def attack(action: str) -> Technique | None:
        kind, host = action_type(action), action_target(action)
        if kind == "spread":
            return ENTER if host in exposed else SPREAD
        return DESTROY if kind == "destroy" else None

    return attack, lambda action: ANSWERS.get(action_type(action))
