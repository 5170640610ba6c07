"""What scanners found, made into a draft: each scan is made from a place, and says what that place reaches.

A place is a host of the scans if the scan says so, or if the file is called by the host's name or address,
such as ``web.xml`` or ``10.0.0.5.xml``; then a link leads from there to every host with an open service. Else
it is outside, and what it reached is exposed. What hosts reach among each other no scan says; that stands in
the scenario as something to fill in. Hosts stand in zones by their networks (/24, or /64).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from ipaddress import ip_address, ip_network

from holdfast.game import counted
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile

MOST_TOLD = 3
"""Scans of which it is told one by one where they were made."""

DATA = re.compile(
    r"sql|oracle|mongo|redis|cassandra|couch|elastic|memcache|db2|postgres|influx|neo4j|hbase", re.IGNORECASE
)
"""Services that keep data."""


@dataclass
class ScannedHost:
    """A host that a scan has seen.

    Attributes:
        id: its address, or its name where it has none.
        names: what it is called.
        services: what is open on it, in the words of the scanner.
        chance: how likely an attempt on it succeeds, where the scan says it.
        cves: the vulnerabilities that were found on it, where the scan names them.
    """

    id: str
    names: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    chance: Fraction | None = None
    cves: tuple[str, ...] = ()


@dataclass
class Scan:
    """A scan, and the address of the place that it was made from, where the file says it."""

    file: ForeignFile
    hosts: list[ScannedHost] = field(default_factory=list)
    place: str = ""


def scanned_draft(scans: Sequence[Scan]) -> Draft:
    """The draft of all scans of one network."""
    files = [scan.file for scan in scans]
    scans = [_with_own_name(scan) for scan in scans] if len(scans) > 1 else scans
    sketch = Sketch(files[0].path.stem if len(files) == 1 else files[0].path.parent.name, files[0].budget)
    seen: dict[str, list[ScannedHost]] = {}
    for one in (one for scan in scans for one in scan.hosts):
        seen.setdefault(one.id, []).append(one)
    called = {host: tuple(dict.fromkeys(n for one in of for n in one.names)) for host, of in seen.items()}
    places = [_place(scan, called) for scan in scans]
    quiet = 0
    for host, of in seen.items():
        if not any(one.services for one in of) and host not in places:
            quiet += 1
            continue
        label = called[host][0].split(".")[0] if called[host] else ""
        sketch.add_host(host, "" if _is_address(label) else label, _network(host))
        sketch.call(host, host, *called[host])
        if any(DATA.search(service) for one in of for service in one.services):
            sketch.mark("stores", host)
    for scan, place in zip(scans, places, strict=True):
        for reached in (one for one in scan.hosts if one.services and one.id != place):
            if not place:
                sketch.mark("exposed", reached.id)
            for service in reached.services if place else ():
                sketch.add_link(place, reached.id, service)
    _give_chances(sketch, seen)
    _tell(sketch, scans, places, quiet)
    cves = {host: tuple(dict.fromkeys(cve for one in of for cve in one.cves)) for host, of in seen.items()}
    return replace(sketch.draft(), cves={host: own for host, own in cves.items() if own})


def _with_own_name(scan: Scan) -> Scan:
    """The scan with its own machine, if it is called 127.0.0.1 as every machine is, under the file's name."""
    local = [host for host in scan.hosts if _is_address(host.id) and ip_address(host.id).is_loopback]
    if not local:
        return scan
    stem = scan.file.path.stem
    same = [host for host in scan.hosts if stem.lower() in _known_by(host.id, host.names)]
    own = same or [ScannedHost(stem, (), local[0].services)]
    others = [host for host in scan.hosts if host not in local and host not in same]
    return Scan(scan.file, [*own, *others], own[0].id)


def _known_by(host: str, names: Sequence[str]) -> set[str]:
    return {text.lower() for name in names for text in (name, name.split(".")[0])} | {host.lower()}


def _place(scan: Scan, called: dict[str, tuple[str, ...]]) -> str:
    """The host that a scan was made from; empty for outside."""
    if scan.place in called:
        return scan.place
    stem = scan.file.path.stem.lower()
    for host, names in called.items():
        if {stem, stem.replace("_", ".")} & _known_by(host, names):
            return host
    return ""


def _network(host: str) -> str:
    """The network of an address, as a zone."""
    if not _is_address(host):
        return ""
    address = ip_address(host)
    return str(ip_network(f"{host}/{24 if address.version == 4 else 64}", strict=False))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _give_chances(sketch: Sketch, seen: dict[str, list[ScannedHost]]) -> None:
    """The chances that scans give; a host without one is taken surely, so that none looks too safe."""
    if not any(one.chance is not None for of in seen.values() for one in of):
        return
    for host in sketch.hosts:
        known = [one.chance for one in seen[host] if one.chance is not None]
        sketch.succeed(host, "", max(known, default=Fraction(1)))


def _tell(sketch: Sketch, scans: Sequence[Scan], places: Sequence[str], quiet: int) -> None:
    outside = [scan.file.path.name for scan, place in zip(scans, places, strict=True) if not place]
    told = [(scan.file.path.name, place) for scan, place in zip(scans, places, strict=True) if place]
    for name, place in told if len(told) <= MOST_TOLD else ():
        sketch.assume(f"{name} was made on {{{place}}}: links lead from there")
    if len(told) > MOST_TOLD:
        some = ", ".join(f"{name} on {{{place}}}" for name, place in told[:MOST_TOLD])
        sketch.assume(f"links lead from the hosts that scans were made on: {some}, … {len(told)} in all")
    if outside:
        sketch.assume(
            f"{', '.join(outside[:6])} made from outside: what was reached is exposed. A scan made on a host "
            "is known by a file that is called by the host's name or address"
        )
    inside = [host for host in sketch.marks["stores"] if host not in {*sketch.marks["exposed"], *places}]
    for host in inside:
        sketch.mark("critical", host)
    if inside:
        named = ", ".join(f"{{{host}}}" for host in inside[:6]) + (", …" if len(inside) > 6 else "")
        sketch.assume(f"critical: {named}, where databases answer; see --critical")
    sketch.ask(
        "what hosts reach among each other: a scan says only what its own place reaches. Scan from inside, "
        "too, or add links; zones may stand for their hosts"
    )
    if quiet:
        sketch.drop(f"{counted(quiet, 'host')} without an open service")
    sketch.drop("versions, operating systems, scripts and ports that are closed or filtered")
