"""Networks from the files of other programs, one module for each format.

Each module has an :class:`~holdfast.models.network.importers.contract.Importer`, which recognises a file
and makes a :class:`~holdfast.models.network.importers.draft.Draft` of it. Those of other packages are found
with them, by entry points of the group ``holdfast.importers``. What comes after is the same for all of them:
what the person asked for, valid names, and the text of a scenario with first specifications.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean, expect, expect_all
from holdfast.models.network.importers import choices, names
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, open_foreign
from holdfast.models.network.importers.scenario_text import scenario_text
from holdfast.models.network.schema import MAX_HOSTS
from holdfast.running import load_plugin, plugins_of
from holdfast.scenario import reported, shortened

GROUP = "importers"
COLLAPSES = ("zone", "group")

_MANIFEST = re.compile(r"\A(?:[^\n]*\n){0,200}?apiVersion:[^\n]*\n(?:[^\n]*\n){0,20}?kind: *[A-Z]")
"""How the manifests of a cluster begin."""


@dataclass(frozen=True)
class ImportedNetwork:
    """A network that was imported.

    Attributes:
        format: the key of the format that the file has.
        network: hosts, links and marks, by their names in the scenario.
        text: the scenario, to be written to a file or read with :func:`holdfast.scenario_from_text`.
        renamed: the names that the file has for hosts, where they could not stay.
        warnings: what makes the question emptier than it looks.
    """

    format: str
    network: Draft
    text: str = field(repr=False)
    renamed: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def import_formats() -> tuple[str, ...]:
    """The keys of the formats, those that Holdfast ships first; none of their importers is loaded."""
    return tuple(plugins_of(GROUP))


def importer_of(key: str) -> Importer:
    """The importer of a format.

    Raises:
        InputError: for a format that there is not, or whose plug-in does not work.
    """
    formats = import_formats()
    if key not in formats:
        hint = did_you_mean(key, formats) or f"; the formats are {', '.join(formats)}"
        raise InputError(f'there is no format "{shortened(key)}"{hint}')
    importer: Importer = load_plugin(GROUP, key, Importer)
    return importer


def importers() -> list[Importer]:
    """The importers that work, in the order in which a file is held against them: the most specific first."""
    known: list[Importer] = []
    for key in import_formats():
        with suppress(InputError):  # a plug-in that does not work is told to those who ask for it by its key
            known.append(importer_of(key))
    return sorted(known, key=lambda importer: -importer.specificity)


def import_network(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    entry: Sequence[str] = (),
    critical: Sequence[str] = (),
    collapse: str | None = None,
    both_ways: bool = False,
    network: str | None = None,
    budget: Budget = UNLIMITED,
) -> ImportedNetwork:
    """A network from a file of another program, as a scenario to go on with.

    Args:
        path: an edge list (CSV), GraphML, GML, JSON of nodes and links, or a file of NASim, Threagile,
            CybORG, netpol-analyzer, YAWNING-TITAN or containerlab.
        format: the key of its format; recognised by what stands in the file if left out.
        entry: the hosts that are compromised at the start, in place of what the file says.
        critical: the hosts that must not be lost, in place of what the file says.
        collapse: ``zone`` for one host in place of each zone, ``group`` in place of hosts that are alike.
        both_ways: whether compromise spreads along every link in both directions.
        network: the name of the one to take, where a file holds several.
        budget: the limits of the work.

    Raises:
        InputError: for a file that cannot be read, is of no known format or has a mistake, with its place.
        LimitError: past the deadline of the budget.
    """
    expect(path, (str, os.PathLike), "the path of a file", "text or a pathlib.Path")
    expect(budget, Budget, "the budget", "a Budget")
    for what, given in (("entry hosts", entry), ("critical hosts", critical)):
        expect_all(given, str, f"the {what}", "a list of names")
    if collapse not in (None, *COLLAPSES):
        raise InputError(f"collapse is {collapse!r}; expected zone or group")
    with reported():
        file = open_foreign(path, budget, network)
        importer = _recognised(file) if format is None else importer_of(format)
        draft = _read(file, importer)
    if both_ways:
        draft = choices.both_ways(draft)
    draft = choices.with_marks(draft, entry, critical)
    if collapse is not None:
        draft = choices.collapsed(draft, collapse)
    if len(draft.hosts) > MAX_HOSTS:
        raise InputError(
            f"{len(draft.hosts):,} hosts; a scenario holds at most {MAX_HOSTS:,}: "
            "try --collapse zone or --collapse group, or import a part"
        )
    return _finished(choices.with_defaults(draft), importer, Path(path).name)


def _recognised(file: ForeignFile) -> Importer:
    if "holdfast" in file.keys:
        raise file.problem("this is a scenario of Holdfast already; run: holdfast check", 1)
    if _MANIFEST.search(file.text) is not None:
        raise file.problem(
            "these are Kubernetes manifests; what is read is the connectivity that they allow: "
            "run netpol-analyzer list --dirpath DIR -o json > links.json and import that",
            1,
        )
    known = importers()
    for importer in known:
        if importer.recognise(file):
            return importer
    if file.is_tree and file.text.strip():
        _ = file.tree  # what is wrong with YAML or JSON says more than that it is of no known format
    names = ", ".join(importer.called for importer in known)
    raise file.problem(f"of no format that is known ({names}); if it is one of them, name it with --format")


def _read(file: ForeignFile, importer: Importer) -> Draft:
    try:
        draft = importer.read(file)
    except InputError as error:
        raise file.problem(str(error)) from None
    except (KeyError, AttributeError, IndexError) as error:
        raise file.problem(f"not {importer.called}: something is missing near {error}") from None
    if not draft.hosts:
        raise file.problem(f"no host in this file; is it {importer.called}?")
    return draft


def _finished(draft: Draft, importer: Importer, filename: str) -> ImportedNetwork:
    hosts = names.name_hosts(draft)
    final = names.named(draft, hosts, names.name_zones(draft, hosts.values()))
    assumed = tuple(_with_names(sentence, hosts) for sentence in draft.assumed)
    final = replace(final, assumed=assumed)
    renamed = {name: source for source, name in hosts.items() if name != draft.label(source)}
    source = f"{shortened(filename)} ({importer.called})"
    return ImportedNetwork(
        importer.key, final, scenario_text(final, source, renamed), renamed, _warnings(final)
    )


def _with_names(sentence: str, hosts: dict[str, str]) -> str:
    """A sentence that names hosts in braces, with the names that they got."""
    for source, name in hosts.items():
        sentence = sentence.replace(f"{{{source}}}", name)
    return sentence


def _warnings(draft: Draft) -> tuple[str, ...]:
    """What makes a first answer emptier than it looks."""
    if not draft.links:
        return ("there are no links: nothing can spread",)
    lost = choices.unreachable(draft)
    if not lost:
        return ()
    names = ", ".join(lost[:6]) + (", …" if len(lost) > 6 else "")
    return (
        f"no links lead from where the attacker comes in to {names}: what is required of them "
        "holds by itself. Add the missing links, or try --both-ways",
    )


def import_object(found: ImportedNetwork) -> dict[str, Any]:
    """An imported network as plain data for JSON."""
    network = found.network
    return {
        "format": found.format,
        "name": network.title,
        "hosts": list(network.hosts),
        "links": [list(link) for link in network.links],
        "zones": {zone: list(hosts) for zone, hosts in network.zones.items()},
        "entry": list(network.entry),
        "exposed": list(network.exposed),
        "critical": list(network.critical),
        "flows": [{"flow": name, "path": list(path)} for name, path in network.flows],
        "stores": list(network.stores),
        "stands_for": dict(network.stands_for),
        "dropped": list(network.dropped),
        "assumed": list(network.assumed),
        "renamed": found.renamed,
        "warnings": list(found.warnings),
    }


__all__ = [
    "Draft",
    "ForeignFile",
    "ImportedNetwork",
    "Importer",
    "Sketch",
    "import_formats",
    "import_network",
    "import_object",
    "importer_of",
    "importers",
]
