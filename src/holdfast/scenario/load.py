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

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InadmissibleError, did_you_mean, expect
from holdfast.models import Model
from holdfast.product import Configuration
from holdfast.protocol import Protocol
from holdfast.scenario.file_check import BASE, check_shape
from holdfast.scenario.specs import build_clause
from holdfast.source.places import placed, reported, shortened
from holdfast.source.yaml import Node, read_text, read_yaml

MAX_GATHERED = 100_000
"""Entries of a section, times variants, up to which every variant is looked at when a file is read."""


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
    return Scenario(
        name=name.text if name is not None and name.text else path.stem if path is not None else "scenario",
        description=description.text.strip() if description is not None else "",
        variants=tuple(variants.entries) if variants is not None else (),
        path=path,
        text=text,
        _root=root,
        _model=model,
    )


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
                model.gather(section, _change(model, variant))


def _change(model: Model, variant: Node | None) -> Node | None:
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
    scenario: Scenario, variant: str | None = None, budget: Budget = UNLIMITED
) -> Configuration:
    """The configuration C = (M, φ_D, φ_A) of the base or of a variant.

    Raises:
        ScenarioError: for a mistake in the file, at its line and column.
        LimitError: where a part is too large to decide, or the time is over.
    """
    expect(variant, (str, type(None)), "the variant", "the name of one in the file, or None")
    chosen = _variant(scenario, variant)
    name, root, model = variant if chosen is not None else None, scenario._root, scenario._model
    about = chosen.get("description") if chosen is not None else None
    with reported(name):
        section = root[model.key]
        with placed(section):
            system = model.build(section, _change(model, chosen), budget)
        nodes = {side: _clauses(root, chosen, side) for side in ("defender", "adversary")}
        sides = {
            side: tuple(build_clause(node, system.game.vocabulary, budget) for node in listed)
            for side, listed in nodes.items()
        }
        with placed(root["specs"]):
            try:
                return Configuration(
                    system,
                    sides["defender"],
                    sides["adversary"],
                    scenario.name,
                    name,
                    about.text.strip() if about is not None else "" if name else scenario.description,
                    scenario.text,
                    budget,
                )
            except InadmissibleError as error:
                raise nodes["adversary"][error.clause].problem(str(error)) from None


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


def _clauses(root: Node, variant: Node | None, side: str) -> tuple[Node, ...]:
    """The clauses of a side: the variant's, if it has any for that side."""
    for section in (variant, root):
        specs = section.get("specs") if section is not None else None
        if specs is not None and side in specs.entries:
            return specs[side].items
    return ()


def _variant(scenario: Scenario, variant: str | None) -> Node | None:
    """The section of a variant; None for the base, which ``base`` and ``reference`` also mean."""
    if variant is None:
        return None
    variants = scenario._root.get("variants")
    if variants is not None and variant in variants.entries:
        return variants[variant]
    if variant in (BASE, "reference"):
        return None
    known = (
        f"the variants are {', '.join(scenario.variants[:12])}" if scenario.variants else "the file has none"
    )
    hint = did_you_mean(variant, scenario.variants) or f"; {known}"
    with reported():
        raise (variants or scenario._root).problem(f'there is no variant "{shortened(variant)}"{hint}')
