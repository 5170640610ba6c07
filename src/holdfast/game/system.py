"""What a model gives: a game, and what there is to say, draw and change about it.

Everything past the models reads :class:`System` and never a model: explanations take :class:`Part` values
away, reports and plays draw the :class:`Graph`, words come from the legend. Nothing here knows of hosts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from holdfast.errors import ModelError
from holdfast.game.actions import Action, State
from holdfast.game.clauses import Clause
from holdfast.game.flows import Arrow, Flow
from holdfast.game.premises import USUAL_PREMISES, Premise
from holdfast.game.sight import Sight
from holdfast.game.structure import GameStructure
from holdfast.logic import Expression, Player, Vocabulary

ENTRY, EXPOSED, CRITICAL, HARDENED, SUPPLY = "entry", "exposed", "critical", "hardened", "supply"
WATCHED = "watched"
"""Marks that pictures know: where trouble is at the start, where it can come in from outside at any time,
what the requirement singles out, where trouble cannot follow an arrow to, where what flows along the
arrows comes from, and where there is a sensor."""


PicturePlace = tuple[float, float]
"""Where something stands in a picture, in inches."""


@dataclass(frozen=True)
class Part:
    """Something that a design has and could do without; without it the defender is never worse off.

    It has a kind, such as ``link``, a name in the words of the model, such as ``GW -> Web``, and a verb for
    taking it away, such as ``cut``. An upgrade that may hurt as well as help says so with ``helps``. ``cost``
    is what taking it away costs where nobody says another price, and ``means`` a sentence on what that is.
    """

    kind: str
    name: str
    verb: str = field(default="drop", compare=False)
    helps: bool = field(default=True, compare=False)
    cost: int = field(default=1, compare=False)
    means: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Addition:
    """Something that a design could get, or lose, to the adversary's gain: the mirror of a :class:`Part`.

    Attributes:
        kind, name: as ``link`` and ``GW -> DB``; both together are what it is called.
        cost: what it takes to come about where nobody says another price.
        opens: where it only lets one of the adversary's actions do more: what the action does at the most,
            and where it does so with this addition.
        closes: where it only takes one of the defender's actions away: its name.
        place: where it only makes trouble begin: at which place of the graph.
        quickens: whether moves with which the adversary could only wait lead somewhere with it. An adversary
            that has no other move to wait with may be worse off for that.
        certain: whether the defender is never better off for it, but for what ``quickens`` says.
    """

    kind: str
    name: str
    cost: int = field(default=1, compare=False)
    opens: tuple[Action, Expression] | None = field(default=None, compare=False, repr=False)
    closes: str = field(default="", compare=False, repr=False)
    place: str = field(default="", compare=False, repr=False)
    quickens: bool = field(default=False, compare=False, repr=False)
    certain: bool = field(default=True, compare=False, repr=False)

    @property
    def text(self) -> str:
        """What it is called."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class GraphNode:
    """A place in the picture of a system; a variable is its status, and it may have marks (:data:`ENTRY`)."""

    name: str
    variable: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Floor:
    """A drawn floor on which nodes move: squares, each the value of a variable.

    Attributes:
        columns, rows: its size in squares; a square that is no value is solid.
        at: for each value its square, as column and row from the top left corner, both from 0.
        areas: named sets of values. An area called as a node is, shows that node's value.
        tones: the colour of an area, as in :class:`Graph`; one without is drawn plain.
        barriers: neighbouring values between which some nodes cannot pass.
        start: for each node that moves, where it stands in a picture without a play.
        across, down: what the columns and the rows are called, if anything.
    """

    columns: int
    rows: int
    at: Mapping[str, tuple[int, int]]
    areas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tones: Mapping[str, str] = field(default_factory=dict)
    barriers: tuple[Arrow, ...] = ()
    start: Mapping[str, str] = field(default_factory=dict)
    across: tuple[str, ...] = ()
    down: tuple[str, ...] = ()

    @cached_property
    def letters(self) -> dict[str, str]:
        """A letter for each node that moves: the first of its name that is free, else a number."""
        letters: dict[str, str] = {}
        for n, name in enumerate(self.start):
            free = (c for c in name.upper() if c.isalnum() and len(c) == 1 and c not in letters.values())
            letters[name] = next(free, str(n))
        return letters


@dataclass(frozen=True)
class Graph:
    """The picture of a system.

    Attributes:
        nodes, arrows: places, and what leads from one to another.
        noun, relation: what a node and an arrow are called.
        tones: for each value of the nodes its colour: ``good``, ``bad``, ``watched``, ``apart`` or ``gone``.
        spreads, open_to: the values from which trouble follows an arrow, and those that it can take.
        zones: named places of nodes that stand together; a node is in one of them at most.
        groups: nodes that are alike, and can be drawn as one.
        gates: for an arrow that can be shut, the variables and values that shut it, each alone.
        floor: what the nodes move on; None where they stay in their place.
        labels: what is written on an arrow, as things are at the start.
        flows: what the arrows are in use for, where that is known.
        filtered: arrows that trouble does not follow, although they are in use.
        places: for nodes that somebody has arranged, where the middle of their boxes stands: in inches, to
            the right and downwards. All others are put where there is room.
        captions: what is written in a box in place of the name of its node.
    """

    nodes: tuple[GraphNode, ...]
    arrows: tuple[Arrow, ...] = ()
    noun: str = "variable"
    relation: str = "influence"
    tones: Mapping[str, str] = field(default_factory=dict)
    spreads: frozenset[str] = frozenset()
    open_to: frozenset[str] = frozenset()
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gates: Mapping[Arrow, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    floor: Floor | None = None
    labels: Mapping[Arrow, str] = field(default_factory=dict)
    flows: tuple[Flow, ...] = ()
    filtered: frozenset[Arrow] = frozenset()
    places: Mapping[str, PicturePlace] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(node.name for node in self.nodes)

    def marked(self, mark: str) -> tuple[str, ...]:
        """The names of the nodes with a mark."""
        return tuple(node.name for node in self.nodes if mark in node.marks)

    @property
    def starts(self) -> tuple[str, ...]:
        """Where trouble can begin: the nodes that are entries or exposed."""
        return tuple(node.name for node in self.nodes if {ENTRY, EXPOSED} & set(node.marks))

    def place(self, name: str) -> Arrow | str | None:
        """What a part is in the picture, by its name: an arrow, by its ends or by what shuts it, or a node.

        >>> Graph((GraphNode("a", "a"), GraphNode("b", "b")), (("a", "b"),)).place("a -> b")
        ('a', 'b')
        """
        arrows = {variable: arrow for arrow, shut in self.gates.items() for variable, _ in shut}
        arrows |= {" -> ".join(arrow): arrow for arrow in self.arrows}
        return arrows.get(name) or (name if name in self.names else None)

    def with_mark(self, mark: str, names: Collection[str]) -> Graph:
        """The graph with one more mark on some nodes."""
        nodes = (replace(n, marks=(*n.marks, mark)) if n.name in names else n for n in self.nodes)
        return replace(self, nodes=tuple(nodes))


@dataclass(frozen=True)
class Weakening:
    """A standard way in which the defender of a model can be weaker.

    Attributes:
        words: what is then so.
        system: makes the system that has it, in which a defender who idles now and then does no better than
            before; None where the system has it already.
    """

    words: str
    system: Callable[[], System] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class System:
    """A game with what surrounds it.

    Attributes:
        game: M.
        model: the key of the model that it comes from; empty for a bare game.
        legend: what the values stand for, where their names do not say it.
        parts: what can be taken away.
        hardenable: weak spots, as parts that can be taken away too. No explanation counts them among what an
            attack depends on, because the parts that lead there say it more precisely.
        upgrades: capabilities that the defender lacks, as parts that stand for the lack: taking one away
            adds the capability, and the game has more variables or actions than before.
        graph: how it is drawn; None for a system without a picture.
        requirement, boundary: clauses of φ_D and of φ_A that the model itself brings.
        goals: states that a defender wants to get back to, each by its name.
        sight: what the defender sees; None where the model does not say, and everything is seen.
        premises: what every answer about it takes for granted, with the options that change it.
        defender_tempo: k if clauses of the model let the defender act once in k turns at most; else 1.
        weakenings: standard ways in which the defender can be weaker, by their names.
        starts: other initial states worth asking about, each by its name.
        started: the initial state in which trouble begins at some places of the graph at once.
        aftermath: what follows a move by itself before the state after it is reached, in words: given the
            state, the mover and the number of the action; empty where nothing does.
        rebuild: the system without some of the parts.
        redraw: its graph without some of the parts, where that is sooner had than the system.
        additions: what the system could get or lose to the adversary's gain, listed when it is asked for.
        extend: the system with some of these.
        written: what a variant in a scenario file would say to take some parts away.
        alike: classes of variables that the system itself does not tell apart, found when they are asked for.
        count: the system with some of these classes counted, in their order.
        write_out: the system with a variable for each of the things that it counts.
        gathered: what is counted here although the system was given one by one, such as "40 ws".
    """

    game: GameStructure
    model: str = ""
    legend: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    hardenable: tuple[Part, ...] = ()
    upgrades: tuple[Part, ...] = ()
    graph: Graph | None = None
    requirement: tuple[Clause, ...] = ()
    boundary: tuple[Clause, ...] = ()
    goals: Mapping[str, Expression] = field(default_factory=dict)
    sight: Sight | None = None
    premises: tuple[Premise, ...] = USUAL_PREMISES
    defender_tempo: int = 1
    weakenings: Mapping[str, Weakening] = field(default_factory=dict, repr=False, compare=False)
    starts: Mapping[str, State] = field(default_factory=dict)
    started: Callable[[Collection[str]], State] | None = field(default=None, repr=False, compare=False)
    aftermath: Callable[[State, Player, int], str] | None = field(default=None, repr=False, compare=False)
    rebuild: Callable[[frozenset[Part]], System] | None = field(default=None, repr=False, compare=False)
    redraw: Callable[[frozenset[Part]], Graph] | None = field(default=None, repr=False, compare=False)
    written: Callable[[frozenset[Part]], dict[str, Any]] | None = field(
        default=None, repr=False, compare=False
    )
    additions: Callable[[], tuple[Addition, ...]] = field(default=tuple, repr=False, compare=False)
    extend: Callable[[frozenset[Addition]], System] | None = field(default=None, repr=False, compare=False)
    alike: Callable[[], tuple[tuple[str, ...], ...]] = field(default=tuple, repr=False, compare=False)
    count: Callable[[tuple[tuple[str, ...], ...]], System] | None = field(
        default=None, repr=False, compare=False
    )
    write_out: Callable[[], System] | None = field(default=None, repr=False, compare=False)
    gathered: tuple[str, ...] = ()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names that specifications may use, and what the values stand for."""
        return replace(self.game.vocabulary, legend=self.legend)

    def without(self, parts: Iterable[Part]) -> System:
        """The system with these parts taken away.

        All others stay, and but for upgrades the variables and actions too.

        Raises:
            ModelError: for something that is not a part.
        """
        taken = self._taken(parts)
        if not taken:
            return self
        assert self.rebuild is not None, "a system with parts knows how to do without them"
        return self.rebuild(taken)

    def drawn_without(self, parts: Iterable[Part]) -> Graph | None:
        """The graph of the system with these parts taken away.

        Raises:
            ModelError: for something that is not a part.
        """
        taken = self._taken(parts)
        return self.redraw(taken) if taken and self.redraw is not None else self.without(taken).graph

    def _taken(self, parts: Iterable[Part]) -> frozenset[Part]:
        taken = frozenset(parts)
        unknown = taken - {*self.parts, *self.hardenable, *self.upgrades}
        if unknown:
            raise ModelError(f"{min(p.name for p in unknown)} is not a part of this system")
        return taken


def extended(system: System, additions: Iterable[Addition]) -> System:
    """The system with some of its additions.

    Raises:
        ModelError: where they do not go together.
    """
    chosen = frozenset(additions)
    if not chosen:
        return system
    assert system.extend is not None, "a system with additions knows how to have them"
    return system.extend(chosen)


def distances(arrows: Iterable[Arrow], starts: Iterable[str]) -> dict[str, int]:
    """For each node that can be reached from the starts, along how many arrows.

    >>> distances([("a", "b"), ("b", "c"), ("d", "a")], ["a"])
    {'a': 0, 'b': 1, 'c': 2}
    """
    onward: dict[str, list[str]] = {}
    for source, target in arrows:
        onward.setdefault(source, []).append(target)
    distance = dict.fromkeys(starts, 0)
    queue = deque(distance)
    while queue:
        here = queue.popleft()
        for target in onward.get(here, ()):
            if target not in distance:
                distance[target] = distance[here] + 1
                queue.append(target)
    return distance
