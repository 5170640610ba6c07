"""Scenario files: read, checked, and turned into configurations.

A file is data. Reading one runs no code, opens no other file, and allocates in proportion to its
size. Its shape is checked once, variants included, when it is read; the parts of a configuration are
built when :func:`configuration` asks for them. Whatever is wrong comes out as one
:class:`~holdfast.errors.ScenarioError` that starts ``file:line:column``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdfast.errors import InadmissibleError, did_you_mean
from holdfast.logic.expressions import variables_of
from holdfast.models.network import Topology
from holdfast.product import Configuration
from holdfast.scenario.places import placed, reported, shortened
from holdfast.scenario.segment import build_segment, gather_segment
from holdfast.scenario.shape import BASE, check_shape
from holdfast.scenario.specs import build_clause
from holdfast.scenario.system import build_system
from holdfast.scenario.yaml import Node, read_text, read_yaml

MAX_GATHERED = 100_000


@dataclass(frozen=True)
class Scenario:
    """A scenario file whose shape has been checked.

    Attributes:
        name: title, or the file's name where it has none.
        description: of the base.
        variants: names, in the order of the file.
        path: the file, or None for a text.
        text: the whole text, for provenance.
    """

    name: str
    description: str
    variants: tuple[str, ...]
    path: Path | None
    text: str = field(repr=False)
    root: Node = field(repr=False, compare=False)


@dataclass(frozen=True)
class Learning:
    """Settings of the adaptive layer; the defaults are the paper's (tab:hyperparams)."""

    episodes: int = 3000
    steps: int = 1000
    seeds: int = 10
    window: int = 200
    alpha: float = 0.05
    gamma: float = 0.95
    epsilon: float = 0.5
    epsilon_min: float = 0.1
    q_initial: float = 5.0


def read_scenario(path: str | os.PathLike[str]) -> Scenario:
    """Read a scenario file and check its shape.

    Raises:
        ScenarioError: for a file that cannot be read or is not a scenario.
    """
    with reported():
        text = read_text(path)
    return _scenario(text, os.fspath(path), Path(path))


def scenario_from_text(text: str, filename: str = "<text>") -> Scenario:
    """Check a scenario given as text; ``filename`` is for messages.

    >>> scenario = scenario_from_text('''
    ... holdfast: 1
    ... name: Pair
    ... network: {hosts: [GW, DB], links: [GW -> DB], entry: GW}
    ... specs: {defender: [G (DB != Z)]}
    ... variants: {cut: {remove_links: [GW -> DB]}}
    ... ''')
    >>> configuration(scenario, "cut").n_positions
    100

    Raises:
        ScenarioError: for a text that is not a scenario.
    """
    return _scenario(text, filename, None)


def load(path: str | os.PathLike[str], variant: str | None = None) -> Configuration:
    """The configuration of a scenario file, or of one of its variants."""
    return configuration(read_scenario(path), variant)


def _scenario(text: str, filename: str, path: Path | None) -> Scenario:
    with reported():
        root = read_yaml(text, filename)
        check_shape(root)
    _check_segments(root)
    name, description, variants = root.get("name"), root.get("description"), root.get("variants")
    return Scenario(
        name=name.text if name is not None and name.text else path.stem if path is not None else "scenario",
        description=description.text.strip() if description is not None else "",
        variants=tuple(variants.entries) if variants is not None else (),
        path=path,
        text=text,
        root=root,
    )


def _check_segments(root: Node) -> None:
    """Gather the segment of every variant, so that a mistake in one shows whichever is asked for.

    Many variants of a large segment are left until they are asked for: reading stays in proportion to
    the file.
    """
    network, variants = root.get("network"), root.get("variants")
    if network is None or variants is None:
        return
    with reported():
        segment, _, _ = gather_segment(network, None)
    if len(variants.entries) * (len(segment.links) + len(segment.hosts)) <= MAX_GATHERED:
        for name, change in variants.entries.items():
            with reported(name), placed(network):
                gather_segment(network, change)


def configuration(scenario: Scenario, variant: str | None = None) -> Configuration:
    """The configuration C = (M, φ_D, φ_A) of the base or of a variant.

    Raises:
        ScenarioError: for a mistake in the file, at its line and column.
        LimitError: where a part is too large to decide.
    """
    change = change_of(scenario, variant)
    name = variant if change is not None else None
    with reported(name):
        root = scenario.root
        network = root.get("network")
        if network is not None:
            with placed(network):
                game = build_segment(network, change)
        else:
            with placed(root["game"]):
                game = build_system(root["game"], change.get("game") if change is not None else None)
        clauses = {side: clauses_of(root, change, side) for side in ("defender", "adversary")}
        automata = {
            side: tuple(build_clause(node, game.vocabulary) for node in nodes)
            for side, nodes in clauses.items()
        }
        with placed(root["specs"]):
            try:
                return Configuration(game, automata["defender"], automata["adversary"], scenario.name, name)
            except InadmissibleError as error:
                raise clauses["adversary"][error.clause].problem(str(error)) from None


def topology(scenario: Scenario, configuration: Configuration) -> Topology | None:
    """The segment behind a configuration of the scenario; None for a system that is no network.

    A host is critical if some clause of φ_D has a predicate on it that is not on all hosts.

    >>> from holdfast.scenario.stubs import NETWORK_STUB
    >>> scenario = scenario_from_text(NETWORK_STUB)
    >>> topology(scenario, configuration(scenario)).critical
    ('DB', 'BK')

    Raises:
        ScenarioError: for a mistake in the file.
    """
    network, change = scenario.root.get("network"), change_of(scenario, configuration.variant)
    if network is None:
        return None
    with reported(configuration.variant), placed(network):
        segment, entry, _ = gather_segment(network, change)
    named: set[str] = set()
    for automaton in configuration.defender:
        for atom in automaton.atoms:
            read = {variable.name for variable in variables_of(atom)}
            named |= read if len(read) < len(segment.hosts) else set()
    critical = tuple(host for host in segment.hosts if host in named)
    return Topology(tuple(segment.hosts), tuple(segment.links), entry, critical)


def learning(scenario: Scenario, variant: str | None = None) -> Learning:
    """The settings of the adaptive layer, those of a variant over the base's over the defaults.

    Raises:
        ScenarioError: for settings that contradict each other.
    """
    change = change_of(scenario, variant)
    given: dict[str, Node] = {}
    for section in (scenario.root, change):
        settings = section.get("learning") if section is not None else None
        given |= settings.entries if settings is not None else {}
    settled = Learning(**{name: node.value for name, node in given.items()})  # type: ignore[arg-type]
    with reported(variant if change is not None else None):
        if settled.window > settled.episodes:
            if "window" in given:
                raise given["window"].problem(
                    f"a window of {settled.window:,} is longer than {settled.episodes:,} episodes; shorten it"
                )
            settled = replace(settled, window=settled.episodes)
        if settled.epsilon_min > settled.epsilon:
            culprit = given.get("epsilon_min") or given["epsilon"]
            raise culprit.problem(
                f"epsilon_min {settled.epsilon_min} is above epsilon {settled.epsilon}; lower it"
            )
    return settled


def clauses_of(root: Node, change: Node | None, side: str) -> tuple[Node, ...]:
    """The clauses of a side: the variant's, if it has any for that side."""
    for section in (change, root):
        specs = section.get("specs") if section is not None else None
        if specs is not None and side in specs.entries:
            return specs[side].items
    return ()


def change_of(scenario: Scenario, variant: str | None) -> Node | None:
    """The section of a variant; None for the base, which ``base`` and ``reference`` also mean."""
    if variant is None:
        return None
    variants = scenario.root.get("variants")
    if variants is not None and variant in variants.entries:
        return variants[variant]
    if variant in (BASE, "reference"):
        return None
    known = (
        f"the variants are {', '.join(scenario.variants[:12])}" if scenario.variants else "the file has none"
    )
    hint = did_you_mean(variant, scenario.variants) or f"; {known}"
    with reported():
        raise (variants or scenario.root).problem(f'there is no variant "{shortened(variant)}"{hint}')
