"""The scenarios that come with Holdfast, each with a card in its head.

A card is a comment that people and programs read alike: a title, what is modelled, where the facts come
from, what one learns, and the known answer for the base and for every variant, to which the tests hold it::

    # Office: a small office that is attacked through its VPN gateway and its mail server
    #
    # models: ten hosts in three zones …
    # facts: …
    # source: …
    # assumed: …
    # flips: …
    # learn: …
    # answer base: DEFENSIBLE, WIN 0.1978, STP 0.7236, SLT 0.5565
    # answer strict: NOT DEFENSIBLE within 9 moves
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import InputError, did_you_mean

_FIELD = re.compile(r"# (models|facts|source|assumed|flips|learn|answer [\w-]+): (.*)")
_MORE = re.compile(r"# {3,}(\S.*)")


@dataclass(frozen=True)
class Card:
    """What is said of one scenario of the library.

    Attributes:
        name: of its file, without the ending.
        title: one line on it.
        models, facts, learn: what it models, which facts it takes, what one learns.
        source, assumed, flips: where the facts can be read, which numbers are our own, and which number
            decides the verdict; empty where there is nothing to say.
        answers: the known answer of the base and of each variant.
        path: its file.
    """

    name: str
    title: str
    models: str
    facts: str
    source: str
    assumed: str
    flips: str
    learn: str
    answers: Mapping[str, str]
    path: Path


def library_folder() -> Path:
    """Where the scenarios are: beside this file once installed, else in the folder of the project."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "scenarios"


def library_cards() -> tuple[Card, ...]:
    """The card of every scenario, in the order of their names."""
    return tuple(read_card(path) for path in sorted(library_folder().glob("*.yaml")))


def library_card(name: str) -> Card:
    """The card of one scenario.

    Raises:
        InputError: for a name that the library does not have.
    """
    cards = {card.name: card for card in library_cards()}
    if name not in cards:
        hint = did_you_mean(name, cards) or f"; there are {', '.join(cards)}"
        raise InputError(f'there is no scenario "{name}" in the library{hint}')
    return cards[name]


def read_card(path: Path) -> Card:
    """The card in the head of a scenario file; what it does not say is empty."""
    title, key = "", ""
    fields: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        if match := _FIELD.fullmatch(line):
            key = match[1]
            fields[key] = match[2].strip()
        elif key and (more := _MORE.fullmatch(line)):
            fields[key] += " " + more[1].strip()
        else:
            title, key = title or line.removeprefix("#").strip(), ""
    answers = {key.removeprefix("answer "): told for key, told in fields.items() if key.startswith("answer ")}
    told = {key: fields.get(key, "") for key in ("models", "facts", "source", "assumed", "flips", "learn")}
    return Card(path.stem, title, **told, answers=answers, path=path)
