"""What a report says of a design besides its numbers: its file, what its variant changes, its provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import (
    ENTRY,
    EXPOSED,
    HARDENED,
    WATCHED,
    Clause,
    Configuration,
    Floor,
    Graph,
    counted,
    drawn_graph,
    listed,
)
from holdfast.logic import Player
from holdfast.readings import Analysis, Provenance
from holdfast.scenario import Scenario, configuration as configuration_of

MAX_ARROWS = 8
"""Arrows that a sentence has room for."""


@dataclass(frozen=True)
class Background:
    """A design as its file tells it.

    Attributes:
        source: the file.
        lead: what the scenario is about.
        description: of the variant, as the file has it.
        change: which links and hosts the variant changes, in words; empty for the base.
        others: the other variants of the file.
        legend: what the values of the model stand for, where their names do not say it.
        graph: the picture of the system, if it has one.
        clauses: the clauses of φ_D and φ_A, each under what it is called in a picture.
        violated: the requirements that the start itself violates.
    """

    source: str = ""
    lead: str = ""
    description: str = ""
    change: str = ""
    others: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    graph: Graph | None = None
    clauses: tuple[tuple[str, Clause], ...] = ()
    violated: tuple[str, ...] = ()


NOWHERE: Background = Background()
"""Of a design that has no file."""


def background(
    scenario: Scenario, configuration: Configuration, source: str = "", budget: Budget = UNLIMITED
) -> Background:
    """The background of a configuration of a scenario."""
    variant, graph = configuration.variant, drawn_graph(configuration)
    moved = ""
    if variant is not None and graph is not None:
        base = configuration_of(scenario, None, budget).system.graph
        moved = difference(base, graph) if base is not None else ""
    return Background(
        source=source,
        lead=scenario.description,
        description="" if variant is None else " ".join(configuration.description.split()),
        change=f"Against the base it {moved}." if moved else "",
        others=tuple(name for name in scenario.variants if name != variant),
        legend=configuration.system.legend,
        graph=graph,
        clauses=tuple(
            (f"{side} {number}", clause)
            for side, player in (("requirement", Player.DEFENDER), ("boundary", Player.ADVERSARY))
            for number, clause in enumerate(configuration.clauses(player), 1)
        ),
        violated=configuration.broken(configuration.initial),
    )


def difference(before: Graph, after: Graph) -> str:
    """What one picture adds to and removes from another, as the end of a sentence; empty if nothing."""
    added = [f"{a} → {b}" for a, b in after.arrows if (a, b) not in set(before.arrows)]
    removed = [f"{a} → {b}" for a, b in before.arrows if (a, b) not in set(after.arrows)]
    changed = (("adds", added), ("removes", removed))
    changes = [f"{word} {_some(arrows, before.relation)}" for word, arrows in changed if arrows]
    nodes = set(before.names) ^ set(after.names)
    changes += [f"changes {counted(len(nodes), before.noun)}"] if nodes else []
    entries = [graph.marked(ENTRY) for graph in (before, after)]
    hard, exposed, seen = ([g.marked(mark) for g in (before, after)] for mark in (HARDENED, EXPOSED, WATCHED))
    kept = set(before.names) & set(after.names)
    spots = (
        ("hardens {}", [name for name in hard[1] if name in kept and name not in hard[0]]),
        (
            "closes {} to the outside",
            [name for name in exposed[0] if name in kept and name not in exposed[1]],
        ),
        ("opens {} to the outside", [name for name in exposed[1] if name in kept and name not in exposed[0]]),
        ("watches {}", [name for name in seen[1] if name in kept and name not in seen[0]]),
        ("no longer watches {}", [name for name in seen[0] if name in kept and name not in seen[1]]),
    )
    changes += [words.format(listed(names)) for words, names in spots if names]
    shut = [f"{a} → {b}" for a, b in after.gates if (a, b) not in before.gates and (a, b) in before.arrows]
    changes += [f"lets {_some(shut, before.relation)} be blocked"] if shut else []
    filtered = [f"{a} → {b}" for a, b in after.arrows if (a, b) in after.filtered - before.filtered]
    changes += [f"filters {_some(filtered, before.relation)}"] if filtered else []
    changes += [f"moves the entry to {listed(entries[1])}"] if entries[0] != entries[1] else []
    if before.floor is not None and after.floor is not None:
        changes += _on_the_floor(before.floor, after.floor)
    return listed(changes)


def _on_the_floor(before: Floor, after: Floor) -> list[str]:
    """What changed of the floor that things move on."""
    changes = []
    for word, one, other in (("adds", after, before), ("removes", before, after)):
        barriers = [f"{a} - {b}" for a, b in one.barriers if (a, b) not in other.barriers]
        changes += [f"{word} {_some(barriers, 'barrier')}"] if barriers else []
        areas = [name for name in one.areas if name not in other.areas]
        changes += [f"{word} {listed(areas)}"] if areas else []
    kept = (name for name in before.areas if name in after.areas)
    moved = [name for name in kept if before.areas[name] != after.areas[name]]
    changes += [f"moves or resizes {listed(moved)}"] if moved else []
    n_squares = len(set(before.at) ^ set(after.at))
    changes += [f"redraws {counted(n_squares, 'square')}"] if n_squares else []
    starts = [f"{n} to {at}" for n, at in after.start.items() if before.start.get(n, at) != at]
    return [*changes, *([f"moves {listed(starts)}"] if starts else [])]


def _some(arrows: Sequence[str], noun: str) -> str:
    """How many, and which, as far as a sentence has room."""
    some = ", ".join(arrows[:MAX_ARROWS]) + (", …" if len(arrows) > MAX_ARROWS else "")
    return f"{counted(len(arrows), noun)} ({some})"


def facts_of(analysis: Analysis) -> dict[str, str]:
    """Where the numbers come from: versions, hashes, protocol, time."""
    protocol = asdict(analysis.protocol) if analysis.protocol else {}
    played = ", ".join(f"{name} {value}" for name, value in protocol.items() if value is not None)
    return {
        "engine": analysis.engine,
        "seconds": f"{analysis.seconds:.2f}",
        **({"protocol": played} if played else {}),
        **origin_of(analysis.provenance),
    }


def origin_of(provenance: Provenance | None) -> dict[str, str]:
    """Hashes and versions, by their names in words."""
    facts = asdict(provenance) if provenance is not None else {}
    return {name.replace("_", " "): value for name, value in facts.items()}
