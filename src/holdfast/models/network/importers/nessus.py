"""Exports of Nessus (``.nessus``): hosts, their services and their vulnerabilities.

As a scan of nmap, it says what its place reaches; the scanner's address stands in what Nessus reports on the
scan itself. Where findings have an EPSS score, the largest one of a host is taken for how likely an attempt
to compromise it succeeds, which is a stand-in: EPSS says how likely a vulnerability is exploited anywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from xml.etree.ElementTree import Element

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import MAX_DRAFT_HOSTS, Draft
from holdfast.models.network.importers.epss import CVE
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.scans import Scan, ScannedHost, scanned_draft
from holdfast.models.network.importers.xml_text import is_xml, xml_root

SEVERITIES = ("info", "low", "medium", "high", "critical")
NAMES = ("host-fqdn", "netbios-name", "hostname", "host-rdns")
_SCANNER = re.compile(r"Scanner IP\s*:\s*([0-9a-fA-F.:]+)")
_NUMBER = re.compile(r"[01](\.\d{1,12})?|0?\.\d{1,12}")


def _recognise(file: ForeignFile) -> bool:
    return is_xml(file, "NessusClientData_v2")


def _read(file: ForeignFile) -> Draft:
    return _read_together([file])


def _read_together(files: Sequence[ForeignFile]) -> Draft:
    from dataclasses import replace

    counts: Counter[str] = Counter()
    draft = scanned_draft([_scan(file, counts) for file in files])
    dropped = [*draft.dropped]
    severe = ", ".join(f"{counts[name]} {name}" for name in reversed(SEVERITIES[1:]) if counts[name])
    if severe:
        dropped.append(f"findings one by one ({severe}): any host that can be reached can be compromised")
    assumed = [*draft.assumed]
    if counts["epss"]:
        assumed.append(
            "chances: the largest EPSS score of a host for how likely an attempt on it succeeds, 1 where "
            "there is none; a stand-in, see chance"
        )
    elif counts["cve"]:
        return replace(
            draft,
            dropped=tuple(dropped),
            unknown=(
                *draft.unknown,
                f"how likely attempts succeed: {counts['cve']} CVEs, without EPSS; see chance, or --epss",
            ),
        )
    return replace(draft, dropped=tuple(dropped), assumed=tuple(assumed))


def _scan(file: ForeignFile, counts: Counter[str]) -> Scan:
    root = xml_root(file)
    scan = Scan(file)
    for element in root.iter("ReportHost"):
        file.budget.tick("reading the scan")
        if len(scan.hosts) >= MAX_DRAFT_HOSTS:
            raise file.problem(f"more than {MAX_DRAFT_HOSTS:,} hosts; export a part of the scan")
        scan.hosts.append(_host(element, counts))
        told = (output.text or "" for output in element.iter("plugin_output"))
        scanner = next((found[1] for text in told if (found := _SCANNER.search(text))), "")
        scan.place = scan.place or scanner
    if not scan.hosts:
        raise file.problem("no host in this export (<ReportHost>)")
    return scan


def _host(element: Element, counts: Counter[str]) -> ScannedHost:
    tags = {tag.get("name", ""): (tag.text or "").strip() for tag in element.iter("tag")}
    name = element.get("name", "").strip()
    own = tags.get("host-ip") or name
    names = dict.fromkeys(
        text for text in (*(tags.get(key, "") for key in NAMES), name) if text and text != own
    )
    services: dict[str, None] = {}
    chances: list[Fraction] = []
    cves: dict[str, None] = {}
    for item in element.iter("ReportItem"):
        port, service = item.get("port", "0"), item.get("svc_name", "")
        if port != "0":
            number = f"{item.get('protocol', 'tcp').upper()} {port}"
            services[f"{service.rstrip('?')} ({number})" if service else number] = None
        severity = item.get("severity", "0")
        if severity in "1234" and severity:
            counts[SEVERITIES[int(severity)]] += 1
        named = [(each.text or "").strip().upper() for each in item.iter("cve")]
        counts["cve"] += len(named)
        cves |= dict.fromkeys(cve for cve in named if CVE.fullmatch(cve))
        score = item.findtext("epss_score", "").strip()
        if severity != "0" and _NUMBER.fullmatch(score) and Fraction(score) <= 1:
            counts["epss"] += 1
            chances.append(Fraction(score))
    return ScannedHost(own or "host", tuple(names), tuple(services), max(chances, default=None), tuple(cves))


IMPORTER = Importer("nessus", "an export of Nessus", _recognise, _read, read_together=_read_together)
