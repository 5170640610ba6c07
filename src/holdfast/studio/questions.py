"""The questions that a worker answers, each by Holdfast's public functions; nothing is computed here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from holdfast.errors import FormulaError, LimitError
from holdfast.studio.bench import Bench, told
from holdfast.studio.drawing import drawing

Body = Mapping[str, Any]


def draw(bench: Bench, body: Body) -> dict[str, Any]:
    """See :func:`holdfast.studio.drawing.drawing`."""
    text, variant = body["scenario"], body.get("variant")
    here, base = bench.configuration(text, variant), bench.configuration(text, None)
    return drawing(bench.scenario(text), here, base)


def edit(bench: Bench, body: Body) -> dict[str, Any]:
    """The text with an operation done, and its drawing."""
    from holdfast.scenario.edits import edited

    variant = body.get("variant")
    found = edited(bench.scenario(body["scenario"]), variant, body["operation"])
    drawn = draw(bench, {"scenario": found.text, "variant": variant})
    return {"scenario": found.text, "said": found.said, "drawing": drawn}


def check(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``check --json``."""
    from holdfast.analysis import analyse
    from holdfast.results import to_object

    text, variant = body["scenario"], body.get("variant")
    found = analyse(bench.configuration(text, variant), budget=bench.budget)
    return to_object(found) | {"gates": []}


def readings(bench: Bench, body: Body) -> Iterator[dict[str, Any]]:
    """The static readings, each as soon as it is there."""
    from holdfast.metrics import static_reading
    from holdfast.response import no_response, response_profile
    from holdfast.scenario.load import learning

    started = time.perf_counter()
    text, variant = body["scenario"], body.get("variant")
    solution = bench.solution(text, variant)
    yield {"certificate": _certificate(solution)}
    undecided: list[str] = []

    def steps() -> Iterator[dict[str, Any]]:
        plain = static_reading(solution, latitude=False)
        yield {"metrics": {"win": plain.winning_fraction, "stp": plain.shell_steepness, "slt": None}}
        if solution.defensible:
            reading = static_reading(solution, True, bench.budget)
            yield {
                "metrics": {"win": reading.winning_fraction, "stp": reading.shell_steepness}
                | {"slt": reading.shield_latitude}
            }
            why_not = no_response(solution, bench.budget)
            profile = response_profile(solution, bench.budget, undecided)
            yield {"response": _response(profile), "no_response": why_not}
        if solution.defensible and body.get("exact", True):
            from holdfast.exact import operating_point

            protocol = learning(bench.scenario(text), variant)
            found = operating_point(solution, protocol, bench.budget, left_out=undecided.append)
            yield {"ddr_exact": asdict(found)}

    try:
        yield from steps()
    except LimitError as limit:
        undecided.append(str(limit))
    if undecided:
        yield {"undecided": "; ".join(undecided)}
    yield {"done": True, "seconds": time.perf_counter() - started}


def _certificate(solution: Any) -> dict[str, Any]:
    from holdfast.report.fingerprint import certificate

    configuration = solution.configuration
    banner = certificate(solution.defensible, solution.initial_rank)
    return {
        "defensible": solution.defensible,
        "initial_rank": solution.initial_rank,
        "positions": configuration.n_positions,
        "unsafe": configuration.n_unsafe,
        "winning": solution.n_winning,
        "attractor": solution.n_attractor,
        "shells": list(solution.shells),
        "engine": solution.engine,
        "banner": {"tone": banner.tone, "word": banner.word, "sentence": banner.sentence},
    }


def _response(profile: Any) -> dict[str, Any]:
    return asdict(profile)


def parse(bench: Bench, body: Body) -> dict[str, Any]:
    """Whether a text is a clause; if not, what is wrong and where in the text."""
    from holdfast.clauses import clause

    vocabulary = bench.configuration(body["scenario"], body.get("variant")).system.vocabulary
    try:
        found = clause(body["text"], vocabulary, bench.budget)
    except FormulaError as error:
        return {"ok": False, **told(error.problem, {"offset": error.at, "width": error.width})}
    return {"ok": True, "n_states": found.automaton.n_states}


QUESTIONS: dict[str, Callable[[Bench, Body], Any]] = {
    "drawing": draw,
    "edit": edit,
    "check": check,
    "readings": readings,
    "parse": parse,
}
