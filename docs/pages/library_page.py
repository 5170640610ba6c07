"""The page of the library: every scenario with its card, its question, its answers and its picture."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from markup import escaped

from holdfast.game.clauses import Clause
from holdfast.game.configuration import Configuration, drawn_graph
from holdfast.scenario.library import Card, library_cards
from holdfast.scenario.reading import load

INTRODUCTION = """\
---
hide: [navigation]
---

# The library

Scenarios that come with Holdfast, each with what it models, where its facts come from, what one learns from
it and its known answers, to which the tests hold it. `holdfast init --list` shows them in a terminal;
`holdfast init --like office` copies one.
"""


def library_page() -> str:
    """The whole page, with a picture of every system that has one."""
    return "\n".join(
        (INTRODUCTION, *_contents(), *(line for card in library_cards() for line in _entry(card)))
    )


def _contents() -> Iterator[str]:
    yield "| scenario | | verdict |"
    yield "|---|---|---|"
    for card in library_cards():
        answer = next(iter(card.answers.values()), "")
        yield f"| [{card.name}](#{card.name}) | {_sentence(card.title)} | {_verdict(answer)} |"
    yield ""


def _entry(card: Card) -> Iterator[str]:
    configuration = load(card.path)
    variant = next((name for name in card.answers if name != "base"), None)
    yield f"## {card.name}\n"
    yield f"**{_sentence(card.title)}** {escaped(configuration.description)}\n"
    yield _picture(card, configuration)
    yield "What must never happen, and what the adversary cannot do:\n"
    yield from (f"- φ_D: {_clause(clause)}" for clause in configuration.requirement)
    yield from (f"- φ_A: {_clause(clause)}" for clause in configuration.boundary)
    yield "\n| design | answer |\n|---|---|"
    for name, answer in card.answers.items():
        yield f"| {name} | {answer.replace(_plain(answer), _verdict(answer), 1)} |"
    yield f"\n*Learn*: {escaped(card.learn)}.\n"
    yield f"*Facts*: {escaped(card.facts)}.\n"
    others = {"Source": card.source, "Assumed": card.assumed, "What flips the verdict": card.flips}
    yield from (f"*{name}*: {escaped(text)}.\n" for name, text in others.items() if text)
    yield f"```sh\nholdfast init --like {card.name}\nholdfast check {card.name}.yaml"
    yield (f"holdfast explain {card.name}.yaml --variant {variant}\n" if variant else "") + "```\n"


def _picture(card: Card, configuration: Configuration) -> str:
    """The system as Holdfast draws it, in colours that follow the page."""
    from holdfast.report import figures

    graph = drawn_graph(configuration)
    if graph is None:
        return ""
    drawn = figures.svg_text(figures.topology(graph), f"{card.name}-")
    text = f"The system of the scenario {card.name}"
    drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{html.escape(text)}" ', 1)
    # Markdown ends a block of HTML at an empty line.
    return f'<figure class="system">{re.sub(chr(10) + "+", " ", drawn)}</figure>\n'


def _clause(clause: Clause) -> str:
    if not clause.text:
        return f"{escaped(clause.label)} (an automaton of {clause.automaton.n_states} states)"
    if clause.label == clause.text:
        return f"`{clause.text}`"
    return f"{escaped(clause.label)}: `{clause.text}`"


def _plain(answer: str) -> str:
    return answer.partition(", WIN")[0]


def _verdict(answer: str) -> str:
    """The verdict of an answer, marked with whether it is a good one."""
    verdict = _plain(answer)
    return f'<span class="{"lost" if verdict.startswith("NOT") else "held"}">{verdict}</span>'


def _sentence(title: str) -> str:
    """A title without the verdict at its end, which stands beside it."""
    text = re.sub(r" (NOT )?DEFENSIBLE\.$", "", title).rstrip(".")
    return escaped(text) + "."
