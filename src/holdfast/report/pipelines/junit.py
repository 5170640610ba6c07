"""Cases as JUnit XML, which every CI system shows: a suite for each file, a case for each design and gate.

A design that is lost or misses a gate is a failure; one that is undecided or cannot be read is an error, as
nothing was found out. A warning is output of a case that passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from xml.etree import ElementTree

from holdfast.report.pipelines.alerts import INVALID, UNDECIDED, CheckCase

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029]")


def junit(cases: Iterable[CheckCase]) -> str:
    """Cases as the text of a JUnit file; those of one file stand together."""
    root = ElementTree.Element("testsuites", name="holdfast")
    for file, own in groupby(cases, lambda case: case.file):
        suite = ElementTree.SubElement(root, "testsuite", name=_line(file))
        tallies = dict.fromkeys(("tests", "failures", "errors"), 0)
        for case in own:
            tallies["tests"] += 1
            kind = _case(suite, case)
            if kind:
                tallies[f"{kind}s"] += 1
        suite.attrib.update({name: str(n) for name, n in tallies.items()})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _case(suite: ElementTree.Element, case: CheckCase) -> str:
    """Add a case; ``failure`` or ``error`` if it is one."""
    named = {"classname": _line(f"{case.file}: {case.design}"), "name": _line(case.name)}
    element = ElementTree.SubElement(
        suite, "testcase", named, file=_line(case.file), time=f"{case.seconds:.3f}"
    )
    wrong = [alert for alert in case.alerts if alert.rule.level == "error"]
    kind = "error" if any(alert.rule in (UNDECIDED, INVALID) for alert in wrong) else "failure"
    for alert in wrong[:1]:
        attributes = {"message": _line(alert.message), "type": alert.rule.key}
        place = ":".join(map(str, (alert.file, *alert.place)))
        lines = [f"{place}: {alert.message}"]
        lines += [f"{m.file}:{m.place[0]}:{m.place[1]}: {m.words}" for m in alert.related]
        ElementTree.SubElement(element, kind, attributes).text = "\n".join(map(_line, lines))
    messages = [alert.message for alert in case.alerts if alert.rule.level != "error"]
    if messages:
        ElementTree.SubElement(element, "system-out").text = "\n".join(map(_line, messages))
    return kind if wrong else ""


def _legal(text: str) -> str:
    return _ILLEGAL.sub("·", text)


def _line(text: str) -> str:
    """Text for an attribute, or for one line of a case's output."""
    return _legal(_BREAKS.sub("·", text))
