"""Networks from the files of other programs, one module for each format.

Each module has an :class:`~holdfast.models.network.importers.contract.Importer`, which recognises a file
and makes a :class:`~holdfast.models.network.importers.draft.Draft` of it. Those of other packages are found
with them, by entry points of the group ``holdfast.importers``. What comes after is the same for all of them:
what the person asked for, valid names, and the text of a scenario with first specifications.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean, expect, expect_all
from holdfast.models.network.importers import choices, names
from holdfast.models.network.importers.contract import ANYTHING, Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.epss import read_epss, with_scores
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.joining import joined_drafts
from holdfast.models.network.importers.scenario_text import scenario_text
from holdfast.models.network.importers.sources import open_sources
from holdfast.models.network.importers.updating import UpdatedNetwork, updated_network
from holdfast.models.network.schema import MAX_HOSTS
from holdfast.running import load_plugin, plugins_of
from holdfast.scenario import reported, shortened

GROUP = "importers"
COLLAPSES = ("zone", "group")
TABLES = (".csv", ".tsv")


@dataclass(frozen=True)
class ImportedNetwork:
    """A network that was imported.

    Attributes:
        format: the key of the format that the file has; of several formats all, joined by +.
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
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    format: str | None = None,
    *,
    entry: Sequence[str] = (),
    critical: Sequence[str] = (),
    collapse: str | None = None,
    both_ways: bool = False,
    network: str | None = None,
    epss: str | os.PathLike[str] | None = None,
    budget: Budget = UNLIMITED,
) -> ImportedNetwork:
    """A network from files of other programs, as a scenario to go on with.

    Args:
        path: an edge list (CSV), GraphML, GML, JSON of nodes and links, a drawing, a scan, manifests of a
            cluster, or what else :func:`import_formats` lists; a folder or an archive of such files; or
            several of these, which are joined by the names and addresses of hosts.
        format: the key of its format; recognised by what stands in the file if left out.
        entry: the hosts that are compromised at the start, in place of what the file says.
        critical: the hosts that must not be lost, in place of what the file says.
        collapse: ``zone`` for one host in place of each zone, ``group`` in place of hosts that are alike.
        both_ways: whether compromise spreads along every link in both directions.
        network: the name of the one to take, where a file holds several.
        epss: scores of EPSS as FIRST publishes them (CSV), for how likely attempts on hosts succeed on which
            a scan found CVEs.
        budget: the limits of the work.

    Raises:
        InputError: for a file that cannot be read, is of no known format or has a mistake, with its place.
        LimitError: past the deadline of the budget.
    """
    paths = _paths(path)
    expect(budget, Budget, "the budget", "a Budget")
    for what, given in (("entry hosts", entry), ("critical hosts", critical)):
        expect_all(given, str, f"the {what}", "a list of names")
    if collapse not in (None, *COLLAPSES):
        raise InputError(f"collapse is {collapse!r}; expected zone or group")
    with reported():
        named, along = open_sources(paths, budget, network)
        scores = None if epss is None else read_epss(Path(epss))
        draft, formats, filenames = _read_all(named, along, format, scores)
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
    return _finished(choices.with_defaults(draft), formats, filenames)


def recognised_files(
    paths: Sequence[str | os.PathLike[str]], budget: Budget = UNLIMITED
) -> dict[str, list[ForeignFile]]:
    """The files that are named, or lie in folders that are, by the key of their format; others are left out.

    Raises:
        Problem: for a file that cannot be read, or one that is named and of no known format.
    """
    named, along = open_sources(paths, budget)
    of: dict[str, list[ForeignFile]] = {}
    for file in named:
        of.setdefault(_recognised(file).key, []).append(file)
    for file in along:
        importer = _claimed(file)
        if importer is not None:
            of.setdefault(importer.key, []).append(file)
    return of


def _paths(given: object) -> list[str | os.PathLike[str]]:
    if isinstance(given, list | tuple):
        if not given:
            raise InputError("no file to import; name one")
        expect_all(given, (str, os.PathLike), "the paths of files", "texts or pathlib.Paths")
        return list(given)
    expect(given, (str, os.PathLike), "the path of a file", "text or a pathlib.Path")
    assert isinstance(given, str | os.PathLike)
    return [given]


def _read_all(
    named: list[ForeignFile],
    along: list[ForeignFile],
    format: str | None,
    scores: Mapping[str, Fraction] | None,
) -> tuple[Draft, str, str]:
    """One draft of all files, the formats that they have, and what they are called."""
    of: dict[str, list[ForeignFile]] = {}
    skipped: list[str] = []
    for file in named:
        of.setdefault(_recognised(file).key if format is None else format, []).append(file)
    for file in along:
        claimed = _claimed(file) if format is None else importer_of(format)
        if claimed is not None and (format is None or claimed.recognise(file)):
            of.setdefault(claimed.key, []).append(file)
        else:
            skipped.append(file.path.name)
    if not of:
        listed = ", ".join(skipped[:6]) + (", …" if len(skipped) > 6 else "")
        raise along[0].problem(f"not in a known format, and neither is any file next to it ({listed})")
    drafts: list[tuple[str, Draft]] = []
    for key, files in of.items():
        importer = importer_of(key)
        groups = [files] if importer.read_together is not None else [[file] for file in files]
        for group in groups:
            drafts.append((_called(group), _read(group, importer)))
    if scores is not None:
        scored = [number for number, (_, one) in enumerate(drafts) if one.cves] or [0]
        for number in scored:
            drafts[number] = drafts[number][0], with_scores(drafts[number][1], scores)
    drafts = [(called, replace(one, cves={})) for called, one in drafts]
    draft = drafts[0][1] if len(drafts) == 1 else joined_drafts(drafts)
    if skipped:
        listed = ", ".join(skipped[:6]) + (", …" if len(skipped) > 6 else "")
        draft = replace(draft, dropped=(*draft.dropped, f"files of no known format: {listed}"))
    told = ", ".join(f"{_called(files)} ({importer_of(key).called})" for key, files in of.items())
    return draft, "+".join(of), told


def _called(files: Sequence[ForeignFile]) -> str:
    """What some files are called, in a few words."""
    if len(files) == 1:
        return shortened(files[0].path.name)
    if len(files) <= 3:
        return shortened(", ".join(file.path.name for file in files), 120)
    return f"{len(files)} files of {shortened(Path(os.path.commonpath([f.path for f in files])).name or '/')}"


def _claimed(file: ForeignFile) -> Importer | None:
    """The format of a file that came along with others; nothing that just any text could be."""
    table = file.path.suffix.lower() in TABLES
    known = (one for one in importers() if one.specificity != ANYTHING or table)
    return next((one for one in known if one.recognise(file)), None)


def _recognised(file: ForeignFile) -> Importer:
    if "holdfast" in file.keys:
        raise file.problem("this is a scenario of Holdfast already; run: holdfast check", 1)
    if not file.text.strip():
        raise file.problem("the file is empty; export it again")
    known = importers()
    for importer in known:
        if importer.recognise(file):
            return importer
    if file.is_tree and file.text.strip():
        _ = file.tree  # what is wrong with YAML or JSON says more than that it is of no known format
    names = ", ".join(importer.called for importer in known)
    raise file.problem(f"not in a known format ({names}); if it is one of these, name it with --format")


def _read(files: Sequence[ForeignFile], importer: Importer) -> Draft:
    first = files[0]
    try:
        together = importer.read_together
        draft = together(files) if together is not None else importer.read(first)
    except InputError as error:
        raise first.problem(str(error)) from None
    except (KeyError, AttributeError, IndexError) as error:
        raise first.problem(f"not {importer.called}: something is missing near {error}") from None
    if not draft.hosts:
        raise first.problem(f"no host in this file; is it {importer.called}?")
    return draft


def _finished(draft: Draft, formats: str, source: str) -> ImportedNetwork:
    hosts = names.name_hosts(draft)
    final = names.named(draft, hosts, names.name_zones(draft, hosts.values()))
    final = names.unbraced(final)
    renamed = {name: source for source, name in hosts.items() if name != draft.label(source)}
    return ImportedNetwork(formats, final, scenario_text(final, source, renamed), renamed, _warnings(final))


def _warnings(draft: Draft) -> tuple[str, ...]:
    """What makes a first answer emptier than it looks."""
    if not draft.links:
        return ("there are no links, so nothing can spread",)
    lost = choices.unreachable(draft)
    if not lost:
        return ()
    names = ", ".join(lost[:6]) + (", …" if len(lost) > 6 else "")
    return (
        f"no links lead from the attacker's entry to {names}, so their requirements hold trivially. Add "
        f"the missing links, or try --both-ways",
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
        "unknown": list(network.unknown),
        "contradictions": list(network.contradictions),
        "renamed": found.renamed,
        "warnings": list(found.warnings),
    }


__all__ = [
    "Draft",
    "ForeignFile",
    "ImportedNetwork",
    "Importer",
    "Sketch",
    "UpdatedNetwork",
    "import_formats",
    "import_network",
    "import_object",
    "importer_of",
    "importers",
    "recognised_files",
    "updated_network",
]
