"""Scans of nmap (``-oX``), one or several from several places.

A host is what is up; its open ports are what links to it are for. The scanner itself is known where it
scanned itself, too (``localhost-response``).
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import MAX_DRAFT_HOSTS, Draft
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.scans import Scan, ScannedHost, scanned_draft
from holdfast.models.network.importers.xml_text import is_xml, xml_root

LOCAL = ("localhost-response",)


def _recognise(file: ForeignFile) -> bool:
    return is_xml(file, "nmaprun")


def _read(file: ForeignFile) -> Draft:
    return _read_together([file])


def _read_together(files: Sequence[ForeignFile]) -> Draft:
    return scanned_draft([_scan(file) for file in files])


def _scan(file: ForeignFile) -> Scan:
    root = xml_root(file)
    if root.tag != "nmaprun":
        raise file.problem(f"expected a scan of nmap (<nmaprun>), found <{root.tag[:40]}>")
    scan = Scan(file)
    for element in root.iter("host"):
        file.budget.tick("reading the scan")
        status = element.find("status")
        if status is not None and status.get("state") != "up":
            continue
        host = _host(element)
        if not host.id:
            continue
        if len(scan.hosts) >= MAX_DRAFT_HOSTS:
            raise file.problem(f"more than {MAX_DRAFT_HOSTS:,} hosts; scan, or import, a part of the network")
        scan.hosts.append(host)
        if status is not None and status.get("reason") in LOCAL:
            scan.place = host.id
    if not scan.hosts:
        raise file.problem("no host of this scan is up")
    return scan


def _host(element: Element) -> ScannedHost:
    addresses = {
        address.get("addrtype", "ipv4"): address.get("addr", "").strip()
        for address in element.iter("address")
    }
    names = [name.get("name", "").strip() for name in element.iter("hostname")]
    names = [name for name in dict.fromkeys(names) if name]
    own = addresses.get("ipv4") or addresses.get("ipv6") or next(iter(names), "") or addresses.get("mac", "")
    return ScannedHost(
        own, tuple(names), tuple(dict.fromkeys(filter(None, map(_service, element.iter("port")))))
    )


def _service(port: Element) -> str:
    """An open port in words, empty for one that is not."""
    state = port.find("state")
    if state is None or state.get("state") != "open":
        return ""
    service = port.find("service")
    name = service.get("name", "") if service is not None else ""
    number = f"{port.get('protocol', 'tcp').upper()} {port.get('portid', '')}"
    return f"{name} ({number})" if name and name != "unknown" else number


IMPORTER = Importer("nmap", "a scan of nmap", _recognise, _read, read_together=_read_together)
