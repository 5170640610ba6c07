"""Files that leave the studio: scenario, certificate, report, playbook, comparison, picture, animation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.apps.studio.bench import Bench
from holdfast.errors import InputError
from holdfast.game import Configuration, drawn_graph

File = tuple[str, str, bytes]
"""Its name, its media type, and what is in it."""

HTML, YAML, JSON = "text/html; charset=utf-8", "text/yaml; charset=utf-8", "application/json"
PICTURES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


def download(bench: Bench, body: Mapping[str, Any]) -> File:
    """The file that is asked for."""
    return FILES[body["what"]](bench, body)


def _scenario(bench: Bench, body: Mapping[str, Any]) -> File:
    text = body["scenario"]
    return f"{_slug(bench.scenario(text).name)}.yaml", YAML, text.encode()


def _certificate(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.certificates import certify

    solution, claim = bench.solution(body["scenario"], body.get("variant")), body.get("claim")
    name = "certificate.json" if claim is None else f"{_slug(claim)}.certificate.json"
    return _named(solution.configuration, name), JSON, certify(solution, None, bench.budget, claim=claim)


def _report(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.apps.services import LADDER_SECONDS
    from holdfast.apps.services.design import DesignAnswer, reasons_of
    from holdfast.design import ladder_of
    from holdfast.readings import Asked, iter_analysis, provenance_of
    from holdfast.report import rendered
    from holdfast.scenario import learning

    text, variant, budget = body["scenario"], body.get("variant"), bench.budget
    scenario, solution = bench.scenario(text), bench.solution(text, variant)
    asked = {"latitude": True, "response": True, "exact": True}
    provenance = provenance_of(text, solution.configuration.variant, asked)
    protocol = learning(scenario, variant)
    wanted = Asked(layers=True, exact=True)
    *_, analysis = iter_analysis(solution, protocol, wanted, budget=budget.share(0.6), provenance=provenance)
    why = reasons_of(solution, "auto", budget.share(0.6))
    ladder = ladder_of(solution, budget=budget.share(0.5, LADDER_SECONDS))
    answer = DesignAnswer(scenario, solution.configuration, analysis, reasons=why, ladder=ladder)
    page = rendered(answer.document(body.get("name") or "", budget=budget), "html")
    return _named(solution.configuration, "report.html"), HTML, page.encode()


def _playbook(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.apps.services.reasons import playbook
    from holdfast.report import rendered

    solution = bench.solution(body["scenario"], body.get("variant"))
    answer = playbook(solution, style=body.get("style") or "early", budget=bench.budget)
    document = answer.document(body.get("name") or "")
    return _named(solution.configuration, "playbook.html"), HTML, rendered(document, "html").encode()


def _animation(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.apps.services.animation import animated

    solution = bench.solution(body["scenario"], body.get("variant"))
    page = animated(solution, body.get("defense") == "acting", body.get("goal"), bench.budget)
    what = "recovery.html" if solution.defensible else "attack.html"
    return _named(solution.configuration, what), HTML, page.encode()


def _comparison(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.report import rendered

    text = body["scenario"]
    document = bench.comparison(text, body.get("variants")).document(body.get("name") or "")
    return f"{_slug(bench.scenario(text).name)}-comparison.html", HTML, rendered(document, "html").encode()


def _picture(bench: Bench, body: Mapping[str, Any]) -> File:
    from holdfast.report import picture_bytes, topology

    here, ending = bench.configuration(body["scenario"], body.get("variant")), body.get("format") or "svg"
    graph = drawn_graph(here)
    if graph is None:
        raise InputError("this system has no picture")
    return _named(here, f"picture.{ending}"), PICTURES[ending], picture_bytes(topology(graph), ending)


FILES: dict[str, Callable[[Bench, Mapping[str, Any]], File]] = {
    "animation": _animation,
    "certificate": _certificate,
    "comparison": _comparison,
    "picture": _picture,
    "playbook": _playbook,
    "report": _report,
    "scenario": _scenario,
}


def _named(here: Configuration, what: str) -> str:
    return f"{_slug(here.title)}-{what}"


def _slug(title: str) -> str:
    """A title as the name of a file.

    >>> _slug("Reference segment · no-bypass")
    'reference-segment-no-bypass'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:60] or "design"
