"""Recommended changes written into the scenario file as variants, everything else as it was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Any

import yaml

from holdfast.design.recommend.recommending import Recommendation
from holdfast.design.recommend.space import Change, DesignSpace
from holdfast.errors import InputError
from holdfast.scenario import (
    data,
    free_name,
    is_flow,
    joined,
    line_break,
    read_yaml,
    scenario_from_text,
    tree,
    with_variant,
)

MOST = 5
"""Sets of changes that become variants."""


def with_variants(recommendation: Recommendation, most: int = MOST) -> str:
    """The text of the scenario with the best sets of changes as variants; comments and all else stay.

    Raises:
        InputError: where the answer is about a variant, on whose changes no other variant can build; where
            the design comes from no file; where the model cannot write its changes; or where nothing is
            recommended.
    """
    sets = [remedy.changes for remedy in recommendation.remedies.sets] if recommendation.remedies else []
    sets += (
        [reading.changes for reading in recommendation.improvements.front]
        if recommendation.improvements
        else []
    )
    sets += [one.changes for one in recommendation.likelier.designs] if recommendation.likelier else []
    return written_variants(recommendation.space, sets, most)


def written_variants(space: DesignSpace, sets: Sequence[Sequence[str]], most: int = MOST) -> str:
    """The text of the scenario with some sets of changes, by their names, as variants.

    Raises:
        InputError: see :func:`with_variants`.
    """
    scenario = space.scenario
    if scenario is None:
        raise InputError("this design comes from no scenario file, so there is none to write variants to")
    if space.variant is not None:
        raise InputError("changes to a variant cannot be written as a variant of it; ask about the base")
    if not sets:
        raise InputError("nothing is recommended, so there is no variant to write")
    changes = {change.name: change for change in space.changes}
    text = _with_section(scenario.text)
    for names in sets[:most]:
        value = {"description": f"Recommended: {' and '.join(names)}."}
        value |= _entries(space, [changes[name] for name in names])
        text = with_variant(text, free_name(scenario, slug(names)), value)
        scenario = scenario_from_text(text)  # what is written can be read
    return text


def _with_section(text: str) -> str:
    """The text with an empty section for variants at its end, apart from the rest, if it has none yet."""
    root = tree(text)
    if "variants" in root.entries or is_flow(root):
        return text
    end = line_break(text)
    return f"{text.rstrip()}{end}{end}variants:{end}"


def _entries(space: DesignSpace, chosen: Sequence[Change]) -> dict[str, Any]:
    system = space.configuration.system
    parts = frozenset(change.part for change in chosen if change.part is not None)
    if parts and system.written is None:
        raise InputError("this model cannot write its changes as a variant")
    written = [change.written for change in chosen if change.written is not None]
    if parts and system.written is not None:
        text = yaml.safe_dump({system.model: system.written(parts)}, allow_unicode=True)
        written.insert(0, read_yaml(text, "changes"))
    entries: dict[str, Any] = data(reduce(joined, written))
    return entries


def slug(names: Sequence[str]) -> str:
    """A name for a variant.

    >>> slug(["cut GW -> WS", "harden DB"])
    'cut-GW-WS-harden-DB'
    """
    return "-".join(re.findall(r"[^\W_]+", " ".join(names)))[:60].strip("-") or "changed"
