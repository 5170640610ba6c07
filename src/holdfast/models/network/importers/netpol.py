"""Connectivity between the workloads of a Kubernetes cluster, as netpol-analyzer lists it (JSON or CSV).

A row is a link from a workload to another; the namespace is the zone. What the ingress controller or an
address outside the cluster may reach is exposed. A connection whose ports some policy names is in use: a
flow. The output of its exposure analysis (``list --exposure -o json``) is read, too: what pods that do not
exist yet could reach is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.edge_list import rows
from holdfast.models.network.importers.foreign import ForeignFile, items, word
from holdfast.scenario import Node, Problem

COLUMNS = ["src", "dst", "conn"]
RESULTS, EXPOSURE = "connlist_results", "exposure_results"
INGRESS = "{ingress-controller}"
EVERYTHING = "all connections"
"""What is allowed where no policy names a port: nothing is said of its use."""
_EXTERNAL = re.compile(r".*\[External\]|[\d.:a-fA-F]+([-/][\d.:a-fA-F]+)?(\[External\])?")
_WORKLOAD = re.compile(r"(?P<namespace>[^/\[]+)/(?P<name>[^\[]+)(?:\[(?P<kind>\w+)\])?")


def _recognise(file: ForeignFile) -> bool:
    if not file.is_tree:
        return file.start.split("\n", 1)[0].strip().lower().split(",") == COLUMNS
    if RESULTS in file.keys:
        return True
    try:
        rows_of = file.tree.items
    except Problem:
        return False
    return bool(rows_of) and rows_of[0].entries.keys() >= set(COLUMNS)


def _read(file: ForeignFile) -> Draft:
    sketch = Sketch(file.path.stem, file.budget)
    n_outward = n_general = n_open = 0
    inside: set[str] = set()
    for source, target, passed in _connections(file):
        outside = source == INGRESS or _EXTERNAL.fullmatch(source) is not None
        if passed.lower() == "no connections" or (outside and _EXTERNAL.fullmatch(target)):
            continue
        for peer in (source, target):
            if _WORKLOAD.fullmatch(peer) and not _EXTERNAL.fullmatch(peer):
                _add(sketch, peer)
                inside.add(peer)
        if target not in inside:
            n_outward += _EXTERNAL.fullmatch(target) is not None
            n_general += _EXTERNAL.fullmatch(target) is None
        elif outside:
            sketch.mark("exposed", target)
            if passed.lower() != EVERYTHING:
                sketch.use(f"ingress-to-{sketch.hosts[target]}", target)
        elif source not in inside:
            n_general += 1
        else:
            sketch.add_link(source, target, passed)
            if passed.lower() == EVERYTHING:
                n_open += 1
            else:
                sketch.use("", source, target)
    if n_outward:
        sketch.drop(f"{n_outward} connections to addresses outside the cluster")
    if n_general:
        sketch.drop(f"{n_general} connections of peers that are no workload (namespaces or pods in general)")
    if n_open:
        sketch.drop(f"what {n_open} connections on all ports are used for: add flows for those that are")
    if not sketch.hosts:
        raise file.problem("no connection between workloads in this file")
    sketch.drop("that a connection may need a certain port: what may connect may compromise")
    return sketch.draft()


def _add(sketch: Sketch, peer: str) -> None:
    match = _WORKLOAD.fullmatch(peer)
    assert match is not None
    sketch.add_host(peer, match["name"], match["namespace"])


def _connections(file: ForeignFile) -> Iterator[tuple[str, str, str]]:
    if file.is_tree:
        for row in _rows(file):
            source, target, passed = (word(row, key) for key in COLUMNS)
            if not (source and target):
                raise row.problem('a connection without its ends; expected "src" and "dst"')
            yield source, target, passed
        return
    for line, fields in rows(file):
        if [field.lower() for field in fields] == COLUMNS:
            continue
        if len(fields) != len(COLUMNS):
            raise file.problem(f"expected src,dst,conn, found {len(fields)} fields", line)
        yield fields[0], fields[1], fields[2]


def _rows(file: ForeignFile) -> Iterator[Node]:
    """The rows of connectivity, then those of the exposure analysis, where there is one."""
    if RESULTS not in file.keys:
        yield from file.tree.items
        return
    yield from items(file.tree, RESULTS)
    exposure = file.tree.get(EXPOSURE)
    for way in ("ingress_exposure", "egress_exposure") if exposure is not None else ():
        assert exposure is not None
        yield from items(exposure, way)


IMPORTER = Importer("netpol", "connectivity of netpol-analyzer", _recognise, _read)
