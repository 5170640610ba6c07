"""What an agent may ask, answered in a process of its own: ``python -m holdfast.apps.agents.questions``.

A question is one JSON object on standard input, with the contents of the files that it is about; the answer
is one on standard output. The process opens no file that the question names: whoever started it has read
them. Texts and lists of an answer are cut to a size that an agent can read, and it says so where they are.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.budget import GIB, Budget
from holdfast.errors import HoldfastError, InputError, LimitError
from holdfast.running import end_with_parent, sha256_of

if TYPE_CHECKING:
    from holdfast.report import Document
    from holdfast.scenario import Scenario

MAX_SUMMARY, MAX_DATA, MAX_TEXT = 8_000, 24_000, 1_000
"""Characters of what is told in words, of the data beside it, and of one text in it."""

LENGTHS = (40, 15, 6, 2, 0)
"""How many entries of a list are kept: the first of these with which the data is small enough."""

MAX_CERTIFICATE = 16 << 20
"""Bytes of a certificate that is handed over."""


@dataclass(frozen=True)
class AgentQuestion:
    """A question with all that it is about.

    Attributes:
        kind: which one.
        seconds, memory: its budget; memory in GiB.
        options: what else was said.
        files: the contents of files, by name.
    """

    kind: str
    seconds: float
    memory: float
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """The question as it is sent."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        fields = {"kind": self.kind, "seconds": self.seconds, "memory": self.memory}
        return json.dumps({**fields, "options": dict(self.options), "files": files}).encode()

    @classmethod
    def from_json(cls, raw: bytes) -> AgentQuestion:
        """The question that was sent."""
        given = json.loads(raw)
        given["files"] = {name: base64.b64decode(data) for name, data in given["files"].items()}
        return cls(**given)


def answered(question: AgentQuestion) -> dict[str, Any]:
    """The answer: a verdict in one word, a summary, data, and what is kept for later.

    What cannot be answered is an answer too: ``error`` for bad input, ``undecided`` where a limit stopped it.
    """
    budget = Budget.lasting(question.seconds, "the budget", int(question.memory * GIB), jobs=1)
    try:
        return QUESTIONS[question.kind](question, budget)
    except LimitError as limit:
        return {"outcome": "undecided", "undecided": _cut(str(limit)), "known": bounded(limit.known)}
    except HoldfastError as error:
        return {"outcome": "error", "error": _cut(str(error))}


# -- the questions ----------------------------------------------------------------------------------


def _check(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.apps.services.design import Wanted, check
    from holdfast.certificates import certify
    from holdfast.solver import Solution

    scenario, name = _scenario(question, budget)
    solutions: list[Solution] = []
    answer = check(
        scenario,
        question.options.get("variant"),
        Wanted(ladder=True),
        certify=solutions.append,
        budget=budget,
    )
    proof: dict[str, Any] = {}
    try:
        raw = certify(solutions[0], None, budget)
        if len(raw) <= MAX_CERTIFICATE:
            proof = {"certificate": base64.b64encode(raw).decode()}
    except HoldfastError as error:
        proof = {"uncertified": _cut(str(error))}
    return _told(answer.exit_code, answer.document(name), answer.to_object()) | proof


def _explain(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.apps.services.reasons import explain
    from holdfast.scenario import configuration

    scenario, name = _scenario(question, budget)
    answer = explain(
        scenario, configuration(scenario, question.options.get("variant"), budget), budget=budget
    )
    return _told(answer.exit_code, answer.document(name), answer.to_object())


def _recommend(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.apps.services.changes import recommend
    from holdfast.design import recommendation_object
    from holdfast.report import recommendation_document

    scenario, name = _scenario(question, budget)
    options = dict(question.options)
    answer = recommend(
        scenario,
        options.get("variant"),
        kinds=tuple(options.get("kinds") or ()),
        max_cost=options.get("max_cost"),
        wanted=options.get("goal") or "held",
        budget=budget,
    )
    advice = answer.recommendation
    return _told(answer.exit_code, recommendation_document(advice, name), recommendation_object(advice))


def _fragile(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.apps.services.drift import fragile
    from holdfast.design import fragility_object
    from holdfast.report import fragility_document

    scenario, name = _scenario(question, budget)
    options = dict(question.options)
    answer = fragile(
        scenario,
        options.get("variant"),
        keep=options.get("keep") or "held",
        kinds=tuple(options.get("kinds") or ()),
        max_cost=options.get("max_cost"),
        budget=budget,
    )
    fragility = answer.fragility
    return _told(answer.exit_code, fragility_document(fragility, name), fragility_object(fragility))


def _verify(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.apps.services.proof import verify
    from holdfast.report import checked_in_words, verdict_object

    proof = question.files["certificate"]
    verdict = verify(proof, budget=budget)
    for name, data in question.files.items():
        if name != "certificate" and _text(name, data) != verdict.text:
            raise InputError(
                f"the certificate is about another scenario: {name} has SHA-256 {sha256_of(data)}, "
                f"the scenario in the certificate {sha256_of(verdict.text)}"
            )
    words = _cut(": ".join(checked_in_words(verdict)), MAX_SUMMARY)
    outcome = "yes" if verdict.valid else "no"
    return {"outcome": outcome, "summary": words, "data": bounded(verdict_object(verdict))}


def _import(question: AgentQuestion, budget: Budget) -> dict[str, Any]:
    from holdfast.models import import_network, import_object

    options = dict(question.options)
    with tempfile.TemporaryDirectory(prefix="holdfast-") as whole:
        folder = str(Path(whole, "network"))  # a title may be taken from it
        for name, data in question.files.items():
            place = Path(folder, *Path(name).parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        source = next(iter(question.files)) if len(question.files) == 1 else ""  # or all that is there
        try:
            imported = import_network(
                Path(folder, source),
                options.get("format"),
                entry=options.get("entry") or (),
                critical=options.get("critical") or (),
                collapse=options.get("collapse"),
                budget=budget,
            )
        except HoldfastError as error:
            error.args = (str(error).replace(f"{folder}{os.sep}", ""),)
            raise
    told = import_object(imported)
    counts = f"{len(told['hosts'])} hosts, {len(told['links'])} links"
    lines = [f"{counts} (from {source or f'{len(question.files)} files'}, {imported.format})"]
    lines += [f"left out: {sentence}" for sentence in told["dropped"]]
    lines += [f"chosen: {sentence}" for sentence in told["assumed"]]
    lines += [f"warning: {sentence}" for sentence in told["warnings"]]
    summary = _cut("\n".join(lines), MAX_SUMMARY)
    return {"outcome": "done", "summary": summary, "data": bounded(told), "scenario": imported.text}


QUESTIONS: Mapping[str, Callable[[AgentQuestion, Budget], dict[str, Any]]] = {
    "check": _check,
    "explain": _explain,
    "recommend": _recommend,
    "fragile": _fragile,
    "verify": _verify,
    "import": _import,
}

OUTCOMES = ("yes", "no", "error", "undecided")
"""What exit codes mean to an agent."""


def _scenario(question: AgentQuestion, budget: Budget) -> tuple[Scenario, str]:
    from holdfast.scenario import scenario_from_text

    ((name, data),) = question.files.items()
    return scenario_from_text(_text(name, data), name, budget), name


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError(f"{name}: not UTF-8 text") from None


def _told(code: int, document: Document, data: dict[str, Any]) -> dict[str, Any]:
    from holdfast.report import rendered

    summary = _cut(rendered(document, "text"), MAX_SUMMARY)
    return {"outcome": OUTCOMES[code], "summary": summary, "data": bounded(data)}


# -- sizes ------------------------------------------------------------------------------------------


def bounded(data: Any) -> Any:
    """Plain data cut so far that it is small enough, long lists first; what is left out is counted.

    >>> bounded({"a": list(range(43))})["a"][-2:]
    [39, '… 3 more']
    """
    for length in LENGTHS:
        cut = _shortened(data, length)
        if len(json.dumps(cut)) <= MAX_DATA:
            return cut
    return "too large; ask for less"


def _shortened(data: Any, length: int, depth: int = 0) -> Any:
    if isinstance(data, Mapping):
        kept = {str(key): _shortened(value, length, depth + 1) for key, value in list(data.items())[:200]}
        return kept if len(data) <= 200 else kept | {"…": f"{len(data) - 200} more"}
    if isinstance(data, list | tuple):
        kept_items = [_shortened(value, length, depth + 1) for value in data[:length]]
        return kept_items if len(data) <= length else [*kept_items, f"… {len(data) - length:,} more"]
    return _cut(data) if isinstance(data, str) else data


def _cut(text: str, most: int = MAX_TEXT) -> str:
    return text if len(text) <= most else f"{text[: most - 30]}\n… {len(text) - most + 30:,} characters more"


def main() -> None:
    """Answer one question, and tell nothing else."""
    end_with_parent()
    out = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no part of the answer
    answer = answered(AgentQuestion.from_json(sys.stdin.buffer.read()))
    with os.fdopen(out, "wb") as stream:
        stream.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
