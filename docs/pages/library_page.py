"""The library: a table of all scenarios, and a page for each with its question, answers and picture."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from markup import escaped

from holdfast.env.observations import encoding
from holdfast.game.clauses import Clause
from holdfast.game.configuration import Configuration, drawn_graph
from holdfast.logic import Player
from holdfast.scenario.library import Card, library_cards
from holdfast.scenario.reading import load

INTRODUCTION = """\
# The library

Scenarios that come with Holdfast. Each has a page: what it models, where its facts come from, what it
teaches, and its known answers, which the tests check. `holdfast init --list` shows them in a terminal;
`holdfast init --like office` copies one.
"""


LEGIBLE = 3
"""A picture of fewer nodes says nothing, or hides that two lines are parallel."""


def library_page() -> str:
    """The table of all scenarios."""
    return "\n".join((INTRODUCTION, *_contents()))


def scenario_pages() -> dict[str, str]:
    """The page of each scenario, by its place on the site."""
    return {f"library/{card.name}.md": "\n".join(_entry(card)) for card in library_cards()}


def _contents() -> Iterator[str]:
    yield "| scenario | | verdict |"
    yield "|---|---|---|"
    for card in library_cards():
        answer = next(iter(card.answers.values()), "")
        yield f"| [{card.name}](library/{card.name}.md) | {_sentence(card.title)} | {_verdict(answer)} |"
    yield ""


def _entry(card: Card) -> Iterator[str]:
    configuration = load(card.path)
    variant = next((name for name in card.answers if name != "base"), None)
    yield f"# {card.name}\n"
    yield f"**{_sentence(card.title)}** {escaped(configuration.description)}\n"
    yield picture(card.name, configuration)
    yield "## What is asked\n\nWhat must never happen, and what the adversary cannot do:\n"
    yield from (f"- φ_D: {_clause(clause)}" for clause in configuration.requirement)
    yield from (f"- φ_A: {_clause(clause)}" for clause in configuration.boundary)
    yield "\n## Known answers\n\n| design | answer |\n|---|---|"
    for name, answer in card.answers.items():
        yield f"| {name} | {answer.replace(_plain(answer), _verdict(answer), 1)} |"
    yield f"\n*What it teaches*: {escaped(card.learn)}.\n"
    facts = card.facts.replace("by hand below", "by hand in the comments of the file")
    yield f"## Where it comes from\n\n*Facts*: {escaped(facts)}.\n"
    others = {"Source": card.source, "Assumed": card.assumed, "What flips the verdict": card.flips}
    yield from (f"*{name}*: {escaped(text)}.\n" for name, text in others.items() if text)
    yield f"## Try it\n\n```sh\nholdfast init --like {card.name}\nholdfast check {card.name}.yaml"
    yield (f"holdfast explain {card.name}.yaml --variant {variant}\n" if variant else "") + "```\n"
    yield from _environment(card, configuration)


def _environment(card: Card, configuration: Configuration) -> Iterator[str]:
    """What a learner meets in it."""
    n_defender, n_adversary = (len(configuration.game.actions[player]) for player in Player)
    scenario = f'scenario="{card.name}"'
    rows = {
        "Gymnasium": f'`gymnasium.make("holdfast.env:Holdfast-v0", {scenario}, opponent="random")`',
        "PettingZoo": f'`pettingzoo.make("aec", "Holdfast-v0", {scenario})`',
        "Agents": f"`adversary_0` and `defender_0`; the {configuration.game.first} moves first",
        "Observation": f"{encoding(configuration).width:,} zeros and ones: the state and the clauses' memory",
        "Actions": f"{n_defender:,} of the defender, {n_adversary:,} of the adversary",
        "Reward": "2μ − 1 for the defender after each move, the opposite for the adversary",
        "Version": "v0, since Holdfast 0.1",
    }
    yield "## As an environment\n\n| | |\n|---|---|"
    yield from (f"| {name} | {text} |" for name, text in rows.items())
    yield "\n[Environments for learners](../environments.md) has masks, opponents, rewards and ends.\n"


def picture(name: str, configuration: Configuration, text: str = "") -> str:
    """The system as Holdfast draws it, in colours that follow the page."""
    from holdfast.report import figures

    graph = drawn_graph(configuration)
    if graph is None or (len(graph.nodes) < LEGIBLE and graph.floor is None):
        return ""
    drawn = figures.svg_text(figures.topology(graph), f"{name}-")
    text = text or f"The system of the scenario {name}"
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
