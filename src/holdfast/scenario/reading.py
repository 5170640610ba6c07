"""Scenario files: read, checked, and turned into configurations.

A file is data. Reading one runs no code, opens no other file, and allocates in proportion to its
size. Its shape is checked once, variants included, when it is read; the parts of a configuration are
built when :func:`configuration` asks for them. Whatever is wrong comes out as one
:class:`~holdfast.errors.ScenarioError` that starts ``file:line:column``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import AutomatonError, InadmissibleError, InputError, did_you_mean, expect
from holdfast.game import (
    Clause,
    Configuration,
    Protocol,
    System,
    clause,
    one_line,
    seconds_of,
    zone_clause,
)
from holdfast.logic import (
    Edge,
    Expression,
    Player,
    Variable,
    Vocabulary,
    action_type,
    build_automaton,
    is_static,
    parse_predicate,
)
from holdfast.scenario.registry import Model
from holdfast.scenario.schema import BASE, check_shape
from holdfast.scenario.text.places import Problem, is_one_line, placed, reported, shortened
from holdfast.scenario.text.yaml import Node, data, read_text, read_yaml

MAX_GATHERED = 100_000
"""Entries of a section, times variants, up to which every variant is looked at when a file is read."""

_DASH = re.compile(r"\n[ \t]*(-) ")
_STATE = re.compile(r'(nondeterministic)?.*?state "(.*?)"')


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
    _root: Node = field(repr=False, compare=False)
    _model: Model = field(repr=False, compare=False)


def read_scenario(path: str | os.PathLike[str], budget: Budget = UNLIMITED) -> Scenario:
    """Read a scenario file and check its shape.

    Raises:
        ScenarioError: for a file that cannot be read or is not a scenario.
    """
    expect(path, (str, os.PathLike), "the path of a scenario", "text or a pathlib.Path")
    with reported():
        text = read_text(path)
    return _scenario(text, os.fspath(path), Path(path), budget)


def scenario_from_text(text: str, filename: str = "<text>", budget: Budget = UNLIMITED) -> Scenario:
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
    return _scenario(text, filename, None, budget)


def load(
    path: str | os.PathLike[str], variant: str | None = None, budget: Budget = UNLIMITED
) -> Configuration:
    """The configuration of a scenario file, or of one of its variants."""
    return configuration(read_scenario(path, budget), variant, budget)


def _scenario(text: str, filename: str, path: Path | None, budget: Budget) -> Scenario:
    budget.tick("reading the scenario")
    with reported():
        root = read_yaml(text, filename)
        model = check_shape(root)
    _check_variants(root, model, budget)
    name, description, variants = root.get("name"), root.get("description"), root.get("variants")
    title = name.text if name is not None and name.text else path.stem if path is not None else "scenario"
    about = description.text.strip() if description is not None else ""
    names = tuple(variants.entries) if variants is not None else ()
    return Scenario(title, about, names, path, text, root, model)


def _check_variants(root: Node, model: Model, budget: Budget) -> None:
    """Look at the section with every variant's change, so that a mistake in one shows whichever is asked for.

    Many variants of a large system are left until they are asked for: reading stays in proportion to
    the file.
    """
    section, variants = root[model.key], root.get("variants")
    if model.gather is None or variants is None:
        return
    with reported():
        model.gather(section, None)
    if len(variants.entries) * section.size <= MAX_GATHERED:
        for name, variant in variants.entries.items():
            budget.tick("reading the variants")
            with reported(name), placed(section):
                model.gather(section, change_of(model, variant))


def change_of(model: Model, variant: Node | None) -> Node | None:
    """What a variant changes in the system: the entries under the model's key, and the flat ones."""
    if variant is None:
        return None
    nested = variant.get(model.key)
    flat = {key: variant.entries[key] for key in model.flat if key in variant.entries}
    if nested is None:
        return replace(variant, entries=flat, keys={key: variant.keys[key] for key in flat}) if flat else None
    keys = {**nested.keys, **{key: variant.keys[key] for key in flat}}
    return replace(nested, entries={**nested.entries, **flat}, keys=keys)


def configuration(
    scenario: Scenario,
    variant: str | None = None,
    budget: Budget = UNLIMITED,
    *,
    changes: Sequence[Node] = (),
) -> Configuration:
    """The configuration C = (M, φ_D, φ_A) of the base or of a variant.

    Args:
        scenario: of a file.
        variant: its name; None for the base.
        budget: time for reading and compiling.
        changes: what changes besides, one after the other, each written as a variant is.

    Raises:
        ScenarioError: for a mistake in the file, at its line and column.
        LimitError: where a part is too large to decide, or the time is over.
    """
    expect(variant, (str, type(None)), "the variant", "the name of one in the file, or None")
    chosen = _variant(scenario, variant)
    name, root, model = variant if chosen is not None else None, scenario._root, scenario._model
    for change in changes:
        chosen = change if chosen is None else joined(chosen, change)
    about = chosen.get("description") if chosen is not None else None
    with reported(name):
        section = root[model.key]
        with placed(section):
            system = model.build(section, change_of(model, chosen), budget)
        nodes = [clause_nodes(root, chosen, side) for side in Player]
        own, other = (tuple(_clause(n, system, budget) for n in side) for side in nodes)
        costs = _costs(
            root, chosen, system.game.vocabulary, lambda: model.build(section, None, budget).game.vocabulary
        )
        goals = _goals(root, chosen, system.vocabulary)
        pace = _pace(root, chosen)
        arranged, labels, notes = (root.get(key) for key in ("layout", "labels", "notes"))
        places = {k: (float(x), float(y)) for k, (x, y) in data(arranged).items()} if arranged else {}
        description = about.text.strip() if about is not None else "" if name else scenario.description
        with placed(root["specs"]):
            try:
                return Configuration(
                    system,
                    own,
                    other,
                    scenario.name,
                    name,
                    description,
                    scenario.text,
                    budget,
                    costs=costs,
                    recovery=goals,
                    pace=pace,
                    layout=places,
                    labels={key: node.text for key, node in labels.entries.items()} if labels else {},
                    notes={key: node.text for key, node in notes.entries.items()} if notes else {},
                )
            except InadmissibleError as error:
                raise nodes[1][error.clause].problem(str(error)) from None


def joined(first: Node, then: Node) -> Node:
    """One change after another: what is added or removed is so by both, the rest is replaced."""
    entries = dict(first.entries)
    for key, new in then.entries.items():
        old = entries.get(key)
        if old is not None and old.kind == new.kind == "mapping":
            new = joined(old, new)
        elif old is not None and old.kind == new.kind == "list" and key.startswith(("add", "remove")):
            new = replace(new, items=(*old.items, *new.items))
        entries[key] = new
    return replace(then, entries=entries, keys={**first.keys, **then.keys})


def n_listed(scenario: Scenario, key: str = "hosts") -> int:
    """How long a list of the model's section is; 0 where it has none."""
    node = scenario._root[scenario._model.key].get(key)
    return len(node.items) if node is not None else 0


def n_in_zones(scenario: Scenario) -> int:
    """How many hosts a file puts into zones, each group with all of its members; 0 where it has no zones."""
    section = scenario._root[scenario._model.key]
    hosts = section.get("hosts")
    if hosts is None or section.get("zones") is None:
        return 0
    sizes = (node.get("count") for item in hosts.items for node in (item.entries.values() or (item,)))
    return sum(size.value if size is not None and isinstance(size.value, int) else 1 for size in sizes)


def design_section(scenario: Scenario) -> Node | None:
    """The ``design:`` section, checked in its shape; None where the file has none."""
    return scenario._root.get("design")


def learning(scenario: Scenario, variant: str | None = None) -> Protocol:
    """The protocol of the adaptive layer, the variant's settings over the base's over the paper's.

    Raises:
        ScenarioError: for settings that contradict each other.
    """
    chosen = _variant(scenario, variant)
    given: dict[str, Node] = {}
    for section in (scenario._root, chosen):
        settings = section.get("learning") if section is not None else None
        given |= settings.entries if settings is not None else {}
    values = {name: node.value for name, node in given.items()}
    usual = Protocol()
    episodes, window = values.get("episodes", usual.episodes), values.get("window")
    epsilon, least = (values.get(name, getattr(usual, name)) for name in ("epsilon", "epsilon_min"))
    assert isinstance(episodes, int) and isinstance(epsilon, int | float) and isinstance(least, int | float)
    with reported(variant if chosen is not None else None):
        if isinstance(window, int) and window > episodes:
            raise given["window"].problem(
                f"a window of {window:,} is longer than {episodes:,} episodes; shorten it"
            )
        if least > epsilon:
            culprit = given.get("epsilon_min") or given["epsilon"]
            raise culprit.problem(f"epsilon_min {least} is above epsilon {epsilon}; lower it")
    values.setdefault("window", min(usual.window, episodes))
    return Protocol(**values)  # type: ignore[arg-type]


def _costs(
    root: Node, variant: Node | None, vocabulary: Vocabulary, base: Callable[[], Vocabulary]
) -> dict[str, int]:
    """What interventions cost, the variant's entries over the base's.

    An action of the base's that the variant does not have any more costs nothing there; ``base`` gives the
    vocabulary that is asked for then.
    """
    known = _interventions(vocabulary)
    costs: dict[str, int] = {}
    for section in (root, variant):
        given = section.get("effort") if section is not None else None
        for name, node in given.entries.items() if given is not None else ():
            if name in known:
                assert isinstance(node.value, int)
                costs[name] = node.value
            elif section is variant or variant is None or name not in _interventions(base()):
                hint = did_you_mean(name, known) or "; name an action, or its type"
                assert given is not None
                raise given.keys[name].problem(f'the defender has no action "{shortened(name)}"{hint}')
    return costs


def _goals(root: Node, variant: Node | None, vocabulary: Vocabulary) -> dict[str, Expression]:
    """What the defender wants to get back to, the variant's entries over the base's."""
    goals: dict[str, Expression] = {}
    for section in (root, variant):
        given = section.get("recovery") if section is not None else None
        for name, node in given.entries.items() if given is not None else ():
            assert given is not None
            if not is_one_line(name):
                raise given.keys[name].problem(
                    "the name of a goal must be on one line; remove its line break"
                )
            with placed(node):
                goals[name] = parse_predicate(node.text, vocabulary)
                if not is_static(goals[name]):
                    raise InputError("a goal is about states; it cannot mention moves")
    return goals


def _pace(root: Node, variant: Node | None) -> float | None:
    """How many seconds a move takes, where the file says it."""
    for section in (variant, root):
        given = section.get("pace") if section is not None else None
        if given is not None and given.kind == "mapping":
            with placed(given["move"]):
                return seconds_of(given["move"].text)
    return None


def _interventions(vocabulary: Vocabulary) -> set[str]:
    """What the defender's actions can be called by: their names, and what stands before the bracket."""
    names = vocabulary.actions[Player.DEFENDER]
    return {*names, *(action_type(name) for name in names)}


def clause_nodes(root: Node, variant: Node | None, side: str) -> tuple[Node, ...]:
    """The clauses of a side: the base's with the variant's changes, or the variant's own list."""
    base, own = (_side(section, side) for section in (root, variant))
    given = base.items if base is not None else ()
    if own is None:
        return given
    return own.items if own.kind == "list" else _edited(given, own)


def clause_data(scenario: Scenario, variant: str | None) -> list[Any]:
    """What a design says of its clauses, as plain data."""
    chosen = _variant(scenario, variant)
    return [[data(node) for node in clause_nodes(scenario._root, chosen, side)] for side in Player]


def _side(section: Node | None, side: str) -> Node | None:
    specs = section.get("specs") if section is not None else None
    return specs.entries.get(side) if specs is not None else None


def _edited(given: tuple[Node, ...], change: Node) -> tuple[Node, ...]:
    """The clauses with some replaced, removed and added; each is called by its name or by its formula."""
    called: dict[str, int] = {}
    for number, node in enumerate(given):
        for name in clause_names(node):
            called.setdefault(name, number)
    clauses: dict[int, Node] = dict(enumerate(given))

    def numbered(node: Node) -> int:
        place = called.get(one_line(node.text))
        if place is None or place not in clauses:
            known = "; the base has " + ", ".join(
                f'"{shortened(next(clause_names(n), ""))}"' for n in given[:8]
            )
            hint = did_you_mean(node.text, called) or known
            raise node.problem(f'there is no clause "{shortened(node.text)}" to change{hint}')
        return place

    if (replaced := change.get("replace")) is not None:
        for name, node in replaced.entries.items():
            clauses[numbered(replaced.keys[name])] = node
    removed, added = (change.get(key) for key in ("remove", "add"))
    for node in removed.items if removed is not None else ():
        del clauses[numbered(node)]
    return (*clauses.values(), *(added.items if added is not None else ()))


def clause_names(clause: Node) -> Iterator[str]:
    """What a clause can be called by: its name, and its formula."""
    if clause.kind == "scalar":
        yield one_line(clause.text)
        return
    for key in ("name", "formula", "per_zone"):
        if (node := clause.get(key)) is not None:
            yield one_line(node.text)


def _variant(scenario: Scenario, variant: str | None) -> Node | None:
    """The section of a variant; None for the base, which ``base`` and ``reference`` also mean."""
    if variant is None:
        return None
    variants = scenario._root.get("variants")
    if variants is not None and variant in variants.entries:
        return variants[variant]
    if variant in (BASE, "reference"):
        return None
    listed = ", ".join(scenario.variants[:12])
    known = f"the variants are {listed}" if listed else "the file has none"
    hint = did_you_mean(variant, scenario.variants) or f"; {known}"
    with reported():
        raise (variants or scenario._root).problem(f'there is no variant "{shortened(variant)}"{hint}')


# -- clauses ----------------------------------------------------------------------------------------


def _clause(node: Node, system: System, budget: Budget) -> Clause:
    """One clause: a formula, one for every zone, or an automaton written out."""
    budget.tick("compiling the clauses")
    named, written, zonal = (node.get(key) for key in ("name", "automaton", "per_zone"))
    label, vocabulary = named.text if named is not None else "", system.vocabulary
    if written is not None:
        return _automaton(written, vocabulary, label or "automaton", budget)
    text = node if node.kind == "scalar" else zonal or node["formula"]
    try:
        with placed(text):
            if zonal is None:
                compiled = clause(text.text, vocabulary, budget)
            else:
                compiled = zone_clause(text.text, vocabulary, _zones(system), budget)
    except Problem:
        dash = None if text.style else _DASH.search(text.source.text, text.start, text.end)
        if dash is None:
            raise
        deeper = "this dash is indented deeper than the one above, so its line continues that clause"
        raise Problem(text.source, dash.start(1), f"{deeper}; give both the same indentation", 1) from None
    return replace(compiled, label=label or compiled.label, place=text.place)


def _zones(system: System) -> dict[str, tuple[Variable, ...]]:
    """The variables of each zone of a system; what is counted in one has none of its own."""
    graph, known = system.graph, system.vocabulary.by_name
    variables = {node.name: known.get(node.variable) for node in graph.nodes} if graph is not None else {}
    zones = graph.zones if graph is not None else {}
    return {name: tuple(v for node in of if (v := variables[node])) for name, of in zones.items() if of}


def _automaton(node: Node, vocabulary: Vocabulary, label: str, budget: Budget) -> Clause:
    states = _states(node["states"])
    edges = []
    for edge in node["edges"].items:
        when, ends = edge.get("when"), [_known(edge[end], states) for end in ("from", "to")]
        with placed(when or edge):
            guard = parse_predicate("true" if when is None else when.text, vocabulary, budget)
        edges.append(Edge(ends[0], ends[1], guard))
    initial = _known(node["initial"], states)
    accepting = [_known(state, states) for state in node["accepting"].items]
    with placed(node):
        try:
            automaton = build_automaton(tuple(states), initial, accepting, edges, vocabulary, label, budget)
        except AutomatonError as error:
            raise _culprit(node, states, str(error)).problem(str(error)) from None
    return Clause(automaton, label, edges=tuple(edges), place=node.place)


def _states(section: Node) -> dict[str, Node]:
    states: dict[str, Node] = {}
    for item in section.items:
        if item.text in states:
            raise item.problem(f'state "{shortened(item.text)}" is listed twice; remove one')
        states[item.text] = item
    return states


def _known(node: Node, states: dict[str, Node]) -> str:
    if node.text not in states:
        hint = did_you_mean(node.text, states) or "; add it to states"
        raise node.problem(f'unknown state "{shortened(node.text)}"{hint}')
    return node.text


def _culprit(node: Node, states: dict[str, Node], message: str) -> Node:
    """The state an error is about or, where two edges disagree, the first of them."""
    match = _STATE.match(message)
    if match is None or match[2] not in states:
        return node
    leaving = [edge for edge in node["edges"].items if edge["from"].text == match[2]]
    return leaving[0] if match[1] and leaving else states[match[2]]
