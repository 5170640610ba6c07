"""The names an expression may use, and its text cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from holdfast.errors import FormulaError
from holdfast.logic.expressions import Expression, Label, Move, Player, Variable
from holdfast.logic.tallies import Tally

MAX_LENGTH = 200_000
MAX_DIGITS = 30

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*(?:-\w+)*)"
    r"|(?P<op><->|->|<=|>=|!=|==|&&|\|\||[-+*/=<>!&|(){}\[\],.])"
)
_SPELLING = {"&&": "&", "||": "|", "==": "=", "and": "&", "or": "|", "not": "!"}


def action_type(name: str) -> str:
    """What an action does: its name up to the bracket.

    >>> action_type("spread(DB)"), action_type("wait")
    ('spread', 'wait')
    """
    return name.partition("(")[0]


def action_target(name: str) -> str:
    """What an action is applied to: the bracket of its name; empty where it has none.

    >>> action_target("spread(DB)"), action_target("spread(DB) unseen"), action_target("wait")
    ('DB', 'DB', '')
    """
    return name.partition("(")[2].rpartition(")")[0]


def action_name(name: str) -> str:
    """What an action is called in formulas: its name without words that follow the bracket.

    >>> action_name("spread(DB) unseen"), action_name("wait")
    ('spread(DB)', 'wait')
    """
    return name[: name.rfind(")") + 1] or name


@dataclass(frozen=True)
class Vocabulary:
    """The names an expression may use: variables, actions of both players, definitions, labels.

    ``legend`` says what values stand for, where their names do not; it is for messages.
    """

    variables: tuple[Variable, ...]
    actions: Mapping[Player, tuple[str, ...]] = field(default_factory=dict)
    definitions: Mapping[str, Expression] = field(default_factory=dict)
    labels: Mapping[str, Label] = field(default_factory=dict)
    groups: Mapping[str, tuple[Variable, ...]] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict, compare=False)

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        """Variables by name."""
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def plain(self) -> tuple[Variable, ...]:
        """The variables that are no counters."""
        counters = {counter for tally in self.tallies for counter in tally.counters}
        return tuple(variable for variable in self.variables if variable not in counters)

    @cached_property
    def counted(self) -> dict[str, tuple[Tally, ...]]:
        """By the name of a set, the tallies in it; a tally is a set of its own."""
        counted: dict[str, tuple[Tally, ...]] = {}
        for tally in self.tallies:
            for name in dict.fromkeys((tally.name, *tally.groups)):
                counted[name] = (*counted.get(name, ()), tally)
        return counted

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every move of either player."""
        return tuple((player, name) for player in Player for name in self.actions.get(player, ()))

    @cached_property
    def moves_by_name(self) -> dict[str, frozenset[Move]]:
        """Moves by name (``destroy(DB)``) and by type (``destroy``)."""
        moves_of: dict[str, set[Move]] = {}
        for move in self.moves:
            for name in {action_name(move[1]), action_type(move[1])}:
                moves_of.setdefault(name, set()).add(move)
        for name, move in self._moves_on_groups() if self.tallies else ():
            moves_of.setdefault(name, set()).add(move)
        return {name: frozenset(moves) for name, moves in moves_of.items()}

    def _moves_on_groups(self) -> Iterator[tuple[str, Move]]:
        """What is done to one of some alike things may be said of the set that they are in."""
        members = {name: {tally.name for tally in of} for name, of in self.counted.items()}
        for name, variables in self.groups.items():
            if name in members:
                members[name] |= {variable.name for variable in variables}
        for move in self.moves:
            for name, own in members.items():
                if action_target(move[1]) in own:
                    yield f"{action_type(move[1])}({name})", move

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """Definitions that are asked of something, such as ``flow(shop)``: by what they say, of what."""
        families: dict[str, tuple[str, ...]] = {}
        for name in self.definitions:
            if target := action_target(name):
                families[action_type(name)] = (*families.get(action_type(name), ()), target)
        return families

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every word an expression may start with, for hints."""
        declared = (*self.by_name, *self.definitions, *self.labels, *self.moves_by_name)
        return (*declared, "true", "false", "count", "times")

    @cached_property
    def starting(self) -> frozenset[str]:
        """Those words, to be looked up."""
        return frozenset(self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each variable stands in their order."""
        return {variable.name: place for place, variable in enumerate(self.variables)}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name, value and target of an action."""
        values = (str(value) for v in self.variables if not v.numeric for value in v.values)
        targets = (action_target(name) for name in (*(name for _, name in self.moves), *self.definitions))
        return frozenset((*self.names, *self.groups, *self.counted, *values, *targets))


def with_group(vocabulary: Vocabulary, name: str, variables: tuple[Variable, ...]) -> Vocabulary:
    """The vocabulary with one more set of variables; what it has looked up already is looked up no more."""
    more = replace(vocabulary, groups={**vocabulary.groups, name: variables})
    for kept in ("by_name", "moves", "moves_by_name", "families", "names", "starting", "places"):
        more.__dict__[kept] = getattr(vocabulary, kept)
    more.__dict__["words"] = vocabulary.words | {name}
    return more


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: its kind (``name``, ``number``, ``op`` or ``end``), its spelling, its offset."""

    kind: str
    text: str
    at: int


def scan(text: str, vocabulary: Vocabulary) -> Iterator[Token]:
    """The tokens of a text, ``and or not`` and doubled signs in their short spelling, an end mark last.

    Raises:
        FormulaError: for a character no token starts with, a number or a text that is too long.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are read", text, 0)
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"unexpected character {text[at]!r}", text, at)
        kind, word = str(match.lastgroup), match.group()
        if kind == "name":
            word = _longest_known(word, vocabulary)
        if kind == "number" and len(word) > MAX_DIGITS:
            raise FormulaError(f"a number may have at most {MAX_DIGITS} digits", text, at)
        if kind != "space":
            yield Token("op" if word in _SPELLING else kind, _SPELLING.get(word, word), at)
        at += len(word)
    yield Token("end", "", len(text))


def _longest_known(word: str, vocabulary: Vocabulary) -> str:
    """``web-1`` is one name where it is known, and a subtraction where it is not."""
    while "-" in word and word not in vocabulary.words:
        word = word.rpartition("-")[0]
    return word
