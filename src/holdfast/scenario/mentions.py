"""Where a scenario file speaks of something: of a design, or of a host, a link or a clause by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.scenario.reading import Scenario, change_of
from holdfast.scenario.text.yaml import Node

FilePlace = tuple[int, int]
"""Line and column, both from 1."""

_WORD = re.compile(r"\w+(?:[.-]\w+)*")


def design_place(scenario: Scenario, variant: str | None) -> FilePlace:
    """Where a design begins: the key of its variant or, for the base, of the system's section."""
    root, variants = scenario._root, scenario._root.get("variants")
    if variants is not None and variant is not None and variant in variants.keys:
        return _place(variants.keys[variant])
    return _place(root.keys[scenario._model.key])


def mention(scenario: Scenario, name: str, variant: str | None = None) -> FilePlace | None:
    r"""Where the file first names something: in the variant, in the system's section, then in the specs.

    What a model can find in its section, such as a link that a line about many hosts stands for, is where it
    says. What stands with other things in one text is found by its words; None for what is nowhere named.

    >>> from holdfast.scenario.reading import scenario_from_text
    >>> text = "network:\n  hosts: [a, b, c]\n  links: [a -> b, b <-> c]\n  entry: a\nspecs: {}\nholdfast: 1"
    >>> found = scenario_from_text(text)
    >>> mention(found, "b"), mention(found, "a -> b"), mention(found, "c -> b"), mention(found, "x")
    ((2, 14), (3, 11), (3, 19), None)
    """
    root, variants = scenario._root, scenario._root.get("variants")
    own = variants.entries.get(variant or "") if variants is not None else None
    model = scenario._model
    located = model.locate(root[model.key], change_of(model, own), name) if model.locate is not None else None
    if located is not None:
        return _place(located)
    sections = [own, root.get(model.key), root.get("specs")]
    texts = [node for section in sections if section is not None for node in _scalars(section)]
    exact = (node for node in texts if " ".join(node.text.split()) == name)
    words = set(_WORD.findall(name))
    among = (node for node in texts if words and words <= set(_WORD.findall(node.text)))
    place = next(exact, None) or next(among, None)
    return None if place is None else _place(place)


def _scalars(node: Node) -> Iterator[Node]:
    """Every text below a node, keys before what they stand for, in the order of the file."""
    if node.kind == "scalar":
        yield node
    for item in node.items:
        yield from _scalars(item)
    for key, value in node.entries.items():
        yield node.keys[key]
        yield from _scalars(value)


def _place(node: Node) -> FilePlace:
    line, column = node.source.place(node.start)
    return line, column
