"""Alerts as SARIF 2.1.0, the form in which code scanning takes the results of analyses.

What GitHub asks for beyond the standard is kept to: paths are relative to the root of the repository, every
rule has its texts and a level, and a result has a place and a fingerprint. The *fingerprint* is a hash of
rule, file, design and subject and of nothing else, so that an alert stays the same one when lines are added
above it. The most serious alerts come first, and past :data:`MAX_RESULTS`, as many as are ever shown, none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from holdfast import __version__
from holdfast.report.pipelines.alerts import RULES, Alert, AlertRule, CheckCase
from holdfast.running import sha256_of
from holdfast.scenario import FilePlace

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_RESULTS, MAX_TEXT = 5_000, 1_000


def sarif(cases: Iterable[CheckCase], root: Path | None = None) -> str:
    """The alerts of some cases as the text of a SARIF file; paths are told from ``root`` on."""
    base = root or repository_root(Path.cwd())
    alerts = sorted((a for case in cases for a in case.alerts), key=lambda alert: alert.rule.level != "error")
    seen: Counter[str] = Counter()
    driver = {
        "name": "Holdfast",
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in RULES],
    }
    results = [_result(alert, base, seen) for alert in alerts[:MAX_RESULTS]]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def repository_root(folder: Path) -> Path:
    """The folder at or above this one that holds a repository; the folder itself where there is none."""
    here = folder.resolve()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def _rule(rule: AlertRule) -> dict[str, Any]:
    name = "".join(word.capitalize() for word in rule.key.split("-"))
    return {
        "id": rule.key,
        "name": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": f"{rule.meaning}\n\n{rule.remedy}", "markdown": f"{rule.meaning}\n\n{rule.remedy}"},
        "defaultConfiguration": {"level": rule.level},
        "properties": {
            "tags": ["security", "design"],
            "precision": "very-high",
            "problem.severity": rule.level,
        },
    }


def _result(alert: Alert, root: Path, seen: Counter[str]) -> dict[str, Any]:
    uri = _uri(alert.file, root)
    identity = json.dumps([alert.rule.key, uri, alert.design, alert.subject])
    mark = sha256_of(identity)[:32]
    seen[mark] += 1
    related = [
        {
            "id": n,
            **_location(_uri(place.file, root), place.place),
            "message": {"text": place.words[:MAX_TEXT]},
        }
        for n, place in enumerate(alert.related, 1)
    ]
    return {
        "ruleId": alert.rule.key,
        "ruleIndex": RULES.index(alert.rule),
        "level": alert.rule.level,
        "message": {"text": alert.message[:MAX_TEXT]},
        "locations": [_location(uri, alert.place)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
    }


def _location(uri: str, place: FilePlace) -> dict[str, Any]:
    artifact = {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    region = {"startLine": place[0], "startColumn": place[1]}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _uri(file: str, root: Path) -> str:
    path = Path(file).resolve()
    return quote(path.relative_to(root).as_posix()) if path.is_relative_to(root) else path.as_uri()
