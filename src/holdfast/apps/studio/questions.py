"""The questions that a worker answers, each by Holdfast's public functions; nothing is computed here.

Answers are the objects that the command line prints with ``--json``. One that comes in parts is an iterator.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from holdfast.apps.studio.bench import Bench, told
from holdfast.apps.studio.canvas import curves
from holdfast.apps.studio.downloads import download
from holdfast.apps.studio.drawing import drawing
from holdfast.apps.studio.operations import operated, shapes
from holdfast.apps.studio.playing import line_of_play, story
from holdfast.design import HELD
from holdfast.errors import FormulaError
from holdfast.game import has_chance
from holdfast.readings import EVICTED, AnalysisStep, Reading, every_reading, reading_of
from holdfast.scenario import BASE

if TYPE_CHECKING:
    from holdfast.apps.services.changes import RecommendationAnswer
    from holdfast.readings import Analysis

Body = Mapping[str, Any]

PACE = 0.2
"""Seconds between two lines on the progress of a training."""


# -- the design -----------------------------------------------------------------------------------------


def draw(bench: Bench, body: Body) -> dict[str, Any]:
    """See :func:`holdfast.apps.studio.drawing.drawing`."""
    text, variant = body["scenario"], body.get("variant")
    here, base = bench.configuration(text, variant), bench.configuration(text, None)
    scenario = bench.scenario(text)
    return drawing(scenario, here, base, bench.numbers(text, variant), shapes(scenario))


def route(bench: Bench, body: Body) -> dict[str, Any]:
    """How links run between boxes, in the order in which they were asked for.

    Raises:
        InputError: for a link between boxes of which one has no place.
    """
    from holdfast.errors import InputError

    links, places = [(source, target) for source, target in body["links"]], body["places"]
    for name in (name for link in links for name in link if name not in places):
        raise InputError(f'a link joins "{name}", which has no place; give one in "places"')
    routed = curves(links, places, body["width"], body["height"])
    return {"curves": [routed[link] for link in links]}


def edit(bench: Bench, body: Body) -> dict[str, Any]:
    """The text with an operation done, and its drawing."""
    variant = body.get("variant")
    edited = operated(bench, body["scenario"], variant, body["operation"])
    variant = edited.variant if edited.moved else variant
    drawn = draw(bench, {"scenario": edited.text, "variant": variant})
    return {"scenario": edited.text, "variant": variant, "said": edited.said, "drawing": drawn}


def parse(bench: Bench, body: Body) -> dict[str, Any]:
    """Whether a text is a clause; if not, what is wrong and where in the text."""
    from holdfast.game import clause

    vocabulary = bench.configuration(body["scenario"], body.get("variant")).system.vocabulary
    try:
        parsed = clause(body["text"], vocabulary, bench.budget)
    except FormulaError as error:
        return {"ok": False, **told(error.problem, {"offset": error.at, "width": error.width})}
    return {"ok": True, "n_states": parsed.automaton.n_states}


_SCENARIO = re.compile(rb"^\W{0,9}holdfast\W?\s*:", re.MULTILINE)
"""What only a scenario has. One with mistakes is opened too, so that they can be mended."""


_SEVERAL, _QUOTED = re.compile(r"take one with --network: (.*)"), re.compile(r'"([^"]*)"')
"""How importers say that a file holds several networks."""

_FLAGS = re.compile(r"\s*[(\[;,]?\s*(?:see|with|use|by)?\s*--[a-z-]+(?: [A-Z]+)?[)\]]?")
"""Options of the command line, which mean nothing on a page."""


def import_(bench: Bench, body: Body) -> dict[str, Any]:
    """The file of another program as a scenario, and what was left out and chosen; a scenario as it is."""
    import base64
    import binascii
    import tempfile
    from pathlib import Path

    import holdfast as hf
    from holdfast.errors import InputError

    content = body["content"]
    try:
        raw = base64.b64decode(content, validate=True) if body["encoding"] == "base64" else content.encode()
    except binascii.Error:
        raise InputError("the content is not base64") from None
    if body.get("format") is None and _SCENARIO.search(raw):
        return {"scenario": raw.decode("utf-8-sig", "replace"), "format": "holdfast", "notes": []}
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        place = Path(folder) / (re.sub(r"[^\w.\- ]", "_", body["name"])[-120:].lstrip(".") or "network")
        place.write_bytes(raw)
        try:
            imported = hf.import_network(
                place, body.get("format"), network=body.get("network"), budget=bench.budget
            )
        except InputError as error:
            if choices := _SEVERAL.findall(str(error)):
                return {"choices": _QUOTED.findall(choices[0])}
            raise
    network = imported.network
    notes = [f"left out: {sentence}" for sentence in network.dropped]
    notes += [f"chosen: {sentence}" for sentence in network.assumed]
    said = [_FLAGS.sub("", note) for note in (*notes, *imported.warnings)]
    return {"scenario": imported.text, "format": imported.format, "notes": said}


# -- readings -------------------------------------------------------------------------------------------


def check(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``check --json``."""
    return _analysis(bench, body, exact=False)


def fingerprint(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``fingerprint --no-learning --json``."""
    return _analysis(bench, body, exact=True)


def _analysis(bench: Bench, body: Body, *, exact: bool) -> dict[str, Any]:
    from holdfast.apps.services.design import DesignAnswer

    text, variant = body["scenario"], body.get("variant")
    *_, last = _steps(bench, body, exact=exact)
    return DesignAnswer(bench.scenario(text), bench.configuration(text, variant), last).to_object()


def _steps(bench: Bench, body: Body, *, exact: bool, learning: bool = False) -> Iterator[Analysis]:
    """The analysis of a design after each of its steps."""
    from holdfast.apps.services.design import TrainingRuns
    from holdfast.readings import Asked, iter_analysis

    text, variant = body["scenario"], body.get("variant")
    started = time.perf_counter()
    solution = bench.gathered(text, variant)
    protocol = TrainingRuns(body.get("episodes"), body.get("seeds")).protocol(bench.scenario(text), variant)
    asked = Asked(
        latitude=not learning,
        response=not learning,
        learning=learning,
        exact=exact,
        recovery=not learning,
    )
    given = bench.configuration(text, variant)
    yield from iter_analysis(solution, protocol, asked, budget=bench.budget, started=started, given=given)


STEPS: tuple[AnalysisStep, ...] = ("", "latitude", "hold", "recovery", "response", "exact")
"""What each step of :func:`~holdfast.readings.analysis.iter_analysis` adds: the readings that need it. How
likely a design holds is a step where outcomes are drawn."""


def readings(bench: Bench, body: Body) -> Iterator[dict[str, Any]]:
    """The readings that need no training, a line for each step that adds some, and what each says."""
    steps = _steps(bench, body, exact=body.get("exact", True))
    drawn = has_chance(bench.configuration(body["scenario"], body.get("variant")).game)
    for needs, step in zip([one for one in STEPS if drawn or one != "hold"], steps, strict=False):
        ready = [reading for reading in every_reading() if reading.needs == needs]
        yield {
            **_line(needs, step),
            "values": {reading.key: _value(reading, step) for reading in ready},
            "says": {reading.key: reading.described(step) for reading in ready},
        }
        if needs == "response" and body.get("ladder"):  # before DDR*, which can take long
            yield _ladder(bench, body)
    if step.undecided:
        yield {"undecided": step.undecided}
    yield {"done": True, "seconds": step.seconds, "warnings": list(step.warnings)}


def _ladder(bench: Bench, body: Body) -> dict[str, Any]:
    """The question asked again with weaker defenders, as ``check --json`` has it."""
    from holdfast.apps.services import LADDER_SECONDS
    from holdfast.apps.services.design import whole_ladder
    from holdfast.design import ladder_object

    design, budget = (body["scenario"], body.get("variant")), bench.budget.share(1.0, LADDER_SECONDS)
    ladder = whole_ladder(bench.configuration(*design), bench.gathered(*design), "auto", budget)
    return {"ladder": ladder_object(ladder)}


def _line(needs: AnalysisStep, found: Analysis) -> dict[str, Any]:
    """What a step adds, in the form of ``check --json``."""
    if needs == "exact":
        return {"ddr_exact": None if found.ddr_exact is None else asdict(found.ddr_exact)}
    if needs == "hold":
        known = None if found.hold is None else asdict(found.hold)
        return {"hold": known, "certificate": _certificate(found)}
    if needs == "recovery":
        profiles = {name: asdict(one) for name, one in found.recovery.items()}
        return {"recovery": profiles, "certificate": _certificate(found)}
    if needs == "response":
        profile = None if found.response is None else asdict(found.response)
        return {"response": profile, "no_response": found.no_response}
    metrics = {"metrics": {"win": found.win, "stp": found.stp, "slt": found.slt}}
    return metrics if needs and found.sight is None else {"certificate": _certificate(found), **metrics}


def _value(reading: Reading, found: Analysis) -> dict[str, Any]:
    """A reading for the page: its value, and the ends that are known of it."""
    low, high = (reading.bounds(found) if reading.bounds is not None else None) or (None, None)
    return {
        "value": reading.plain(reading.read(found)),
        "low": reading.plain(low),
        "high": reading.plain(high),
    }


def _certificate(found: Analysis) -> dict[str, Any]:
    from holdfast.report import meaning

    keys = ("defensible", "initial_rank", "positions", "unsafe", "winning", "attractor", "engine")
    return {key: getattr(found, key) for key in keys} | {
        "shells": list(found.shells),
        "banner": _banner(found),
        "meaning": meaning(found),
        "assumptions": [asdict(premise) for premise in found.assumptions],
    }


def _banner(found: Analysis) -> dict[str, str]:
    """The verdict in a sentence."""
    from holdfast.report import verdict_of

    banner = verdict_of(found)
    return {"tone": banner.tone, "word": banner.word, "sentence": banner.sentence}


def train(bench: Bench, body: Body) -> Iterator[dict[str, Any]]:
    """DDR of trained players: lines on the progress, then the reading."""
    from holdfast.readings import analysis_object

    started, shown, watch = time.monotonic(), 0.0, bench.budget.watch

    def show(doing: str, done: float | None) -> None:
        nonlocal shown
        watch(doing, done)
        now = time.monotonic()
        if done is not None and now - shown > PACE:
            shown = now
            bench.tell({"progress": done, "doing": doing, "seconds": now - started})

    bench.budget = replace(bench.budget, watch=show)
    *_, last = _steps(bench, body, exact=True, learning=True)
    told_of = analysis_object(last)
    yield {"ddr": told_of["ddr"], "ddr_exact": told_of["ddr_exact"], "undecided": last.undecided} | {
        "says": {"ddr": reading_of("ddr").described(last)},
        "standing": reading_of("ddr").doubt(last),
    }


# -- reasons and changes --------------------------------------------------------------------------------


def explain(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``explain --json``."""
    from holdfast.apps.services.reasons import explain as explained

    text = body["scenario"]
    solution = bench.gathered(text, body.get("variant"))
    return explained(bench.scenario(text), solution, budget=bench.budget).to_object()


def explain_parts(bench: Bench, body: Body) -> Iterator[dict[str, Any]]:
    """As ``explain --json``, again and again with more in it: the attack, the smallest repair, then the rest.

    A line has the ``explanation`` as far as it is known, and in words what is still ``coming``; in the last
    one nothing is.
    """
    from holdfast.apps.services.reasons import ExplanationAnswer, explain as explained

    def line(answer: ExplanationAnswer) -> dict[str, Any]:
        return {"explanation": answer.to_object(), "coming": list(answer.coming)}

    text = body["scenario"]
    solution = bench.gathered(text, body.get("variant"))
    whole = explained(
        bench.scenario(text), solution, budget=bench.budget, tell=lambda answer: bench.tell(line(answer))
    )
    yield line(whole)


def compare(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``compare --no-learning --json``."""
    return bench.comparison(body["scenario"], body.get("variants")).to_object()


def recommend(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``recommend --json``, and a sentence for each improvement."""
    return _advised(_advice(bench, body))


def recommend_parts(bench: Bench, body: Body) -> Iterator[dict[str, Any]]:
    """As ``recommend --json``, again and again with more in it: the verdict, the first changes, the rest.

    A line has the ``recommendation`` as far as it is known, and in words what is still ``coming``; in the
    last one nothing is.
    """

    def line(answer: RecommendationAnswer) -> dict[str, Any]:
        return {"recommendation": _advised(answer), "coming": list(answer.coming)}

    yield line(_advice(bench, body, lambda answer: bench.tell(line(answer))))


def _advised(answer: RecommendationAnswer) -> dict[str, Any]:
    from holdfast.design import recommendation_object
    from holdfast.report import reason

    better = answer.recommendation.improvements
    why = [] if better is None else [reason(one, better.base) for one in better.front]
    return {**recommendation_object(answer.recommendation), "reasons": why}


def _advice(
    bench: Bench, body: Body, tell: Callable[[RecommendationAnswer], object] | None = None
) -> RecommendationAnswer:
    from holdfast.apps.services.changes import recommend as recommended

    return recommended(
        bench.scenario(body["scenario"]),
        body.get("variant"),
        kinds=body.get("kinds") or (),
        max_cost=body.get("max_cost"),
        budget=replace(bench.budget, jobs=1),
        tell=tell,
    )


def frontier(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``frontier --json``."""
    from holdfast.apps.services.changes import frontier as frontier_of

    text = body["scenario"]
    variants = body.get("variants") or [body.get("variant")]
    names = dict.fromkeys(name or BASE for name in variants)
    designs = {name: bench.configuration(text, None if name == BASE else name) for name in names}
    answer = frontier_of(designs, body.get("over") or (), budget=replace(bench.budget, jobs=1))
    return answer.to_object()


def fragile(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``fragile --json``, of all additions of some kinds, whatever the file lists."""
    from holdfast.design import Fragility, fragility, fragility_object

    here = bench.configuration(body["scenario"], body.get("variant"))
    budget = replace(bench.budget, jobs=1)

    def ask(keep: str) -> Fragility:
        kinds, most = body.get("kinds") or (), body.get("max_cost")
        return fragility(here, keep, kinds=kinds, max_cost=most, count_alike=True, budget=budget)

    if body.get("keep"):
        return fragility_object(ask(body["keep"]))
    found = ask("evict") if EVICTED in here.goals else None
    return fragility_object(found if found is not None and found.holds else ask(HELD.name))


def playbook(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``playbook --json``: what to do, as rules."""
    from holdfast.apps.services.reasons import playbook as playbook_of

    solution = bench.solution(body["scenario"], body.get("variant"))
    style = body.get("style") or "early"
    return playbook_of(solution, style=style, budget=bench.budget).to_object()


def verify(bench: Bench, body: Body) -> dict[str, Any]:
    """As ``verify --json``: whether a certificate proves its verdict."""
    from holdfast.apps.services.proof import verify as verified
    from holdfast.report import verdict_object

    return verdict_object(verified(body["certificate"].encode(), budget=bench.budget))


QUESTIONS: dict[str, Callable[[Bench, Body], Any]] = {
    "check": check,
    "compare": compare,
    "download": download,
    "drawing": draw,
    "edit": edit,
    "explain": explain,
    "explain-parts": explain_parts,
    "fingerprint": fingerprint,
    "fragile": fragile,
    "frontier": frontier,
    "import": import_,
    "parse": parse,
    "play": line_of_play,
    "playbook": playbook,
    "readings": readings,
    "routes": route,
    "recommend": recommend,
    "recommend-parts": recommend_parts,
    "story": story,
    "train": train,
    "verify": verify,
}
