"""Recommended changes written into the scenario file as variants, everything else as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import yaml

from holdfast.errors import InputError
from holdfast.recommendation import Recommendation
from holdfast.recommendation.space import Change
from holdfast.scenario.load import joined, scenario_from_text
from holdfast.source.yaml import data, read_yaml

MOST = 5
"""Sets of changes that become variants."""

_VARIANTS = re.compile(r"^variants:[ \t]*(#.*)?$", re.MULTILINE)
_TOP = re.compile(r"^[^\s#]", re.MULTILINE)


def with_variants(found: Recommendation, most: int = MOST) -> str:
    """The text of the scenario with the best sets of changes as variants; comments and all else stay.

    Raises:
        InputError: where the answer is about a variant, on whose changes no other variant can build; where
            the model cannot write its changes; or where nothing is recommended.
    """
    if found.space.variant is not None:
        raise InputError("changes to a variant cannot be written as a variant of it; ask about the base")
    sets = [remedy.changes for remedy in found.remedies.sets] if found.remedies else []
    sets += [reading.changes for reading in found.improvements.front] if found.improvements else []
    if not sets:
        raise InputError("nothing is recommended, so there is no variant to write")
    changes = {change.name: change for change in found.space.changes}
    taken = set(found.space.scenario.variants)
    variants: dict[str, Any] = {}
    for names in sets[:most]:
        name = _free(slug(names), taken)
        taken.add(name)
        variants[name] = {"description": f"Recommended: {' and '.join(names)}."} | _entries(
            found, [changes[n] for n in names]
        )
    text = _inserted(found.space.scenario.text, variants)
    scenario_from_text(text)  # what is written can be read
    return text


def _entries(found: Recommendation, chosen: Sequence[Change]) -> dict[str, Any]:
    system = found.space.configuration.system
    parts = frozenset(change.part for change in chosen if change.part is not None)
    if parts and system.written is None:
        raise InputError("this model cannot write its changes as a variant")
    written = [change.written for change in chosen if change.written is not None]
    if parts and system.written is not None:
        own = yaml.safe_dump({system.model: system.written(parts)}, allow_unicode=True)
        written.insert(0, read_yaml(own, "changes"))
    entries: dict[str, Any] = data(reduce(joined, written))
    return entries


def slug(names: Sequence[str]) -> str:
    """A name for a variant.

    >>> slug(["cut GW -> WS", "harden DB"])
    'cut-GW-WS-harden-DB'
    """
    return "-".join(re.findall(r"[^\W_]+", " ".join(names)))[:60].strip("-") or "changed"


def _free(name: str, taken: set[str]) -> str:
    number = 2
    found = name
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def _inserted(text: str, variants: Mapping[str, Any]) -> str:
    """The text with entries at the end of ``variants:``, or with that section at its end.

    Raises:
        InputError: where the variants stand in one line, in brackets.
    """
    written = yaml.safe_dump(dict(variants), sort_keys=False, allow_unicode=True, width=100)
    indented = "".join(f"  {line}\n" for line in written.splitlines())
    section = _VARIANTS.search(text)
    if section is None:
        if re.search(r"^variants:", text, re.MULTILINE):
            raise InputError("the variants of this file stand in one line; write them below each other first")
        return f"{text.rstrip()}\n\nvariants:\n{indented}"
    after = _TOP.search(text, section.end() + 1)
    end = after.start() if after is not None else len(text)
    body = text[section.end() + 1 : end]
    first = re.search(r"^( +)\S", body, re.MULTILINE)
    step = len(first[1]) if first is not None else 2
    indented = "".join(f"{' ' * step}{line}\n" for line in written.splitlines())
    return f"{text[: section.end() + 1]}{body.rstrip()}\n{indented}{chr(10) if after else ''}{text[end:]}"
