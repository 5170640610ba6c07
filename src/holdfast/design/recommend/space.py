"""The design space: what could be changed in a design, at which cost, and what has to stay.

A *change* is one of

- taking a part of the system away: ``cut`` a link, ``close`` an exposure, ``harden`` a host, whatever the
  model offers. The defender is never worse off for it;
- giving the defender something: ``block`` makes a link blockable, ``respond`` lets it act sooner. It never
  hurts either, unless the model says that it may: a power line more moves the flows of others; or unless a
  clause counts the moves of a defender who can then do more with them;
- a *named* change, written in the file as a variant is: a host more, another number, anything. It may hurt
  unless the file says that it ``helps``.

The requirement is never traded for a design: no change drops a clause. Nor is what the design is for: a part
that a flow needs (:mod:`~holdfast.design.flow_needs`) is not taken away unless that is asked for, and no set
of changes may leave a flow without a path that it had. Such a link can be filtered instead: ``filter`` keeps
it for its flows. So does a filter between two zones, for all links from the one to the other. The last link
on a way that has to stay open (``keep_paths``) can be filtered, too.

What has to stay (``keep``, ``keep_paths``) is looked up in the *changed* design, with all of the chosen
changes made. Taking parts away never brings anything back. A named change can, and so can an upgrade that
brings a link: a set of changes that breaks a promise may be part of a larger one that keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.flow_needs import (
    FILTER,
    FlowLeft,
    breaks_flows,
    flows_left,
    needed_parts,
    weakening_parts,
)
from holdfast.design.ladder import reads_defender
from holdfast.design.repairs import Exclusion
from holdfast.errors import InputError, did_you_mean, expect
from holdfast.game import Arrow, Configuration, Graph, Part, System, distances, gathered, on_system
from holdfast.scenario import (
    Node,
    Scenario,
    configuration,
    design_section,
    read_yaml,
    reported,
    scenario_from_text,
)

NAMED = "named"
ALL = "all"
OUTSIDE = "outside"
"""In a path, wherever trouble can begin."""

USUAL = ("cut", "close", "filter", "respond", "watch")
"""The kinds that are offered where nobody says which."""

RESPOND = "respond"
"""The verb of a part that keeps the defender from acting sooner."""

ACTION = "action"
"""The kind of a part that is an action of the adversary: nobody can build it away."""


@dataclass(frozen=True)
class Change:
    """Something that could be changed.

    Attributes:
        name: in words, such as ``cut GW -> Web``.
        kind: its first word, or ``named``.
        cost: a whole number.
        part: what it takes away; None for a named change.
        written: a named change as it stands in the file.
        helps: whether the defender is never worse off for it.
    """

    name: str
    kind: str
    cost: int = 1
    part: Part | None = None
    written: Node | None = field(default=None, compare=False, repr=False)
    helps: bool = True


@dataclass(frozen=True)
class DesignSpace:
    """A design and its possible changes.

    Attributes:
        scenario, variant: where it comes from; no scenario for a configuration that was built in Python.
        configuration: the design as it is.
        changes: in the order of the file, or of the model.
        kept_paths: from where to where a way must stay open.
        kept: parts of the design that must stay.
        cut_flows: whether changes may take away what a flow needs.
        withheld: changes that are not offered because a flow needs what they would take away.
    """

    scenario: Scenario | None = field(repr=False)
    variant: str | None
    configuration: Configuration = field(repr=False)
    changes: tuple[Change, ...]
    kept_paths: tuple[Arrow, ...] = ()
    kept: tuple[Part, ...] = ()
    cut_flows: bool = False
    withheld: tuple[str, ...] = ()

    def names(self, chosen: Iterable[int]) -> tuple[str, ...]:
        """Some changes in words."""
        return tuple(self.changes[i].name for i in sorted(chosen))

    def cost(self, chosen: Iterable[int]) -> int:
        """What some changes cost together."""
        return sum(self.changes[i].cost for i in chosen)

    def changed(self, chosen: Iterable[int], budget: Budget = UNLIMITED) -> Configuration:
        """The design with some changes.

        Raises:
            InputError: where they do not go together.
        """
        taken = [self.changes[i] for i in sorted(chosen)]
        written = [change.written for change in taken if change.written is not None]
        upgrades = [c.part for c in taken if c.part is not None and not c.part.helps]
        written += self._rewritten(frozenset(upgrades))
        design = self.configuration
        if written:
            assert self.scenario is not None, "only a file has changes that are written"
            design = configuration(self.scenario, self.variant, budget, changes=written)
        parts = [change.part for change in taken if change.part is not None and change.part.helps]
        return on_system(design, design.system.without(parts)) if parts else design

    def flows_left(self, names: Collection[str]) -> tuple[FlowLeft, ...]:
        """What some changes, by their names, leave of each flow; they go together."""
        before = self.configuration.system.graph
        if not self._has_flows:
            return ()
        chosen = frozenset(i for i, change in enumerate(self.changes) if change.name in names)
        return flows_left(before, self._graph_with(chosen))

    @property
    def _has_flows(self) -> bool:
        graph = self.configuration.system.graph
        return graph is not None and bool(graph.flows)

    def _rewritten(self, parts: frozenset[Part]) -> list[Node]:
        """Upgrades that may hurt, as a variant says them: clauses have to read the actions they bring."""
        system = self.configuration.system
        if not parts:
            return []
        assert system.written is not None, "a system with such upgrades knows how to write them"
        return [read_yaml(json.dumps({system.model: system.written(parts)}), "<change>")]

    def keeps(self, chosen: Iterable[int]) -> bool:
        """Whether the design with some changes still has everything that has to stay.

        A way in from outside is such a thing: a design without any holds because nobody is there, and says
        nothing. Changes that do not go together are not refused here: they make no design at all.
        """
        chosen = frozenset(chosen)
        closed = bool(self.ways_in) and self.ways_in <= chosen
        guarded = self._has_flows and not self.cut_flows
        if not self.kept and not self.kept_paths and not closed and not guarded:
            return True
        try:
            graph = self._graph_with(chosen)
            if self.kept and not set(self.kept) <= set(_parts(self.changed(chosen).system)):
                return False
        except InputError:
            return True
        if closed and not _ways_in(graph):
            return False
        if guarded and breaks_flows(self.configuration.system.graph, graph):
            return False
        return _are_open(graph, self.kept_paths)

    def _graph_with(self, chosen: AssumptionSet) -> Graph | None:
        """The graph of the design with some changes; no game is made where they only take parts away."""
        taken = [self.changes[i] for i in chosen]
        parts = [change.part for change in taken if change.part is not None and change.part.helps]
        whole = len(parts) < len(taken) or any(change.written is not None for change in taken)
        return self.changed(chosen).system.graph if whole else self.configuration.system.drawn_without(parts)

    def refusal(self, chosen: AssumptionSet) -> Exclusion | None:
        """Why a set of changes must not be made, in as few of them as can be; None where it may be made.

        Without one of the changes that can give something back, more changes only take more away: the set is
        refused together with every larger one that makes none of those besides.
        """
        if self.keeps(chosen):
            return None
        least = set(chosen)
        for i in sorted(chosen - self.restoring):
            if not self.keeps(least - {i}):
                least.discard(i)
        return frozenset(least), self.restoring - chosen

    @cached_property
    def ways_in(self) -> AssumptionSet:
        """The changes that together close every way in; none where they cannot."""
        here = self.configuration.system
        parts = {i: c.part for i, c in enumerate(self.changes) if c.part is not None and c.helps}
        every = _ways_in(here.graph)
        if not every or _ways_in(here.drawn_without(parts.values())):
            return frozenset()
        closing, groups = set[int](), [list(parts)]
        while groups:  # halved as long as something in it matters
            group = groups.pop()
            if _ways_in(here.drawn_without(parts[i] for i in group)) < every:
                half = len(group) // 2
                groups += [group[:half], group[half:]] if half else []
                closing |= set() if half else set(group)
        return frozenset(closing)

    @cached_property
    def restoring(self) -> AssumptionSet:
        """The changes that can give back what others take: all but those that only take parts away.

        Of a named change that is never ruled out: what it does depends on the others. An upgrade of the
        model does the same with and without others: ``block``, which brings nothing new, gives nothing back.
        """
        here = self.configuration.system
        taking, upgrades = {*here.parts, *here.hardenable}, set[int]()
        for i, change in enumerate(self.changes):
            if change.part is not None and change.helps and change.part not in taking:
                upgrades.add(i)
        named = {i for i, change in enumerate(self.changes) if change.part is None or not change.helps}
        if self._brings_something(upgrades):
            return frozenset(named | {i for i in upgrades if self._brings_something({i})})
        return frozenset(named)

    def _brings_something(self, chosen: Collection[int]) -> bool:
        """Whether the design with some changes has what it does not have as it is."""
        try:
            return not _offers(self.changed(chosen).system) <= _offers(self.configuration.system)
        except InputError:
            return True


def _ways_in(graph: Graph | None) -> set[str]:
    return set(graph.starts) if graph is not None else set()


def _are_open(graph: Graph | None, paths: Collection[Arrow]) -> bool:
    """Whether there is a way from each place to the other, and both are there."""
    if graph is None:
        return not paths
    places = {*graph.names, OUTSIDE}
    sources = {source for source, _ in paths if source in places}
    reached = {source: distances(graph.arrows, _starts(graph, source)) for source in sources}
    return all(target in places and target in reached.get(source, ()) for source, target in paths)


def _offers(system: System) -> set[object]:
    """Everything that could have to stay: parts, places, ways between them and ways in."""
    graph = system.graph
    drawn = (*graph.names, *graph.arrows, *((OUTSIDE, name) for name in graph.starts)) if graph else ()
    return {*_parts(system), *drawn}


def design_space(
    scenario: Scenario | Configuration,
    variant: str | None = None,
    kinds: Collection[str] = (),
    budget: Budget = UNLIMITED,
    *,
    cut_flows: bool = False,
    count_alike: bool = False,
) -> DesignSpace:
    """The changes that a scenario file offers; without a ``design:`` section, every link and exposure.

    What a flow needs is never taken away, unless that is asked for.

    Args:
        scenario: of the file; or a configuration, whose file is asked if it comes from one.
        variant: of which design; the base by default.
        kinds: only changes of these kinds, such as ``cut``; a kind that the section does not list is offered
            for all its parts.
        budget: time for reading.
        cut_flows: whether parts that a flow needs may be taken away.
        count_alike: whether interchangeable things may be counted where that pays
            (:func:`holdfast.game.alike.gathered`). A change is then one for all of them; a file that lists
            its changes names them one by one.

    Raises:
        ScenarioError: for a change or a path in the file that there cannot be.
        InputError: for a kind that this system does not have, and where nothing can be changed.
    """
    file, variant, here = _design(scenario, variant, budget)
    section = design_section(file) if file is not None else None
    here = gathered(here, budget=budget) if count_alike and section is None else here
    with reported(variant):
        offered, keep = list[Change](), frozenset[str]()
        if file is not None and section is not None:
            # What the file lists is about the base; what a variant has changed already is left out.
            base = here.system if variant is None else configuration(file, None, budget).system
            offered = list(_offered(file, section, here.system, base))
            keep = _kept(file, section, here.system, base)
        paths = tuple(_paths(section, here.system.graph))
    # An upgrade that may hurt is read from a file again, with the clauses that have to know of it.
    parts = [part for part in _parts(here.system) if part.helps or file is not None]
    verbs = dict.fromkeys(part.verb for part in parts)
    _refuse_unknown(kinds, verbs)
    listed = {change.kind for change in offered}
    chosen = section is not None and bool(section.get("changes"))
    for verb in kinds or (USUAL if not offered and not chosen else ()):
        if verb not in listed:
            offered += [of_part(part) for part in parts if part.verb == verb]
    if not offered and not kinds and not chosen:  # a model whose parts have other verbs
        offered = [of_part(part) for part in here.system.parts if part.kind != ACTION]
    needed = frozenset[Part]() if cut_flows else needed_parts(here.system)
    weakening = weakening_parts(here)
    if FILTER not in kinds and FILTER not in listed:  # by itself, in place of what is not cut
        ends = {target for _, target in paths}
        spared = {part.name for part in needed | weakening} | set(_leading_to(ends, here.system.graph))
        offered = [c for c in offered if c.part is None or not _is_single_filter(c.part, here, spared)]
    wanted = [c for c in offered if (not kinds or c.kind in kinds) and not _stays(c, keep)]
    if reads_defender(here):  # which a defender with other powers may break
        weakening |= {part for part in here.system.upgrades if part.verb == RESPOND}
    changes = tuple(
        replace(change, helps=change.helps and change.part not in weakening)
        for change in {change.name: change for change in wanted}.values()
        if change.part not in needed
    )
    withheld = tuple(dict.fromkeys(change.name for change in wanted if change.part in needed))
    if not changes:
        hint = "list changes in its design: section" if file is not None else "its system has no such parts"
        hint = "its flows need everything that could be removed; see --cut-flows" if withheld else hint
        raise InputError(f"there is nothing to change in this design; {hint}")
    kept = tuple(part for part in _parts(here.system) if part.name in keep and part.verb != FILTER)
    return DesignSpace(file, variant, here, changes, paths, kept, cut_flows, withheld)


def _design(
    asked: Scenario | Configuration, variant: str | None, budget: Budget
) -> tuple[Scenario | None, str | None, Configuration]:
    """The file that a design comes from, if any, the name of its variant, and the design."""
    expected = "a scenario, see read_scenario, or a configuration, see load and configure"
    expect(asked, (Scenario, Configuration), "what is to be changed", expected)
    if isinstance(asked, Scenario):
        return asked, variant, configuration(asked, variant, budget)
    if variant is not None and variant != asked.variant:
        which = f"it is {f'the variant {asked.variant}' if asked.variant else 'the base'}"
        raise InputError(f'a configuration is one design, and {which}; ask its scenario about "{variant}"')
    if not asked.text:
        return None, asked.variant, asked
    scenario = scenario_from_text(asked.text, budget=budget)
    if configuration(scenario, asked.variant, budget) != asked:
        raise InputError(
            "this configuration is no longer the design of its file, whose design: section says what may be "
            'changed; ask the scenario of the file, or this one without it: replace(configuration, text="")'
        )
    return scenario, asked.variant, asked


def _refuse_unknown(kinds: Collection[str], verbs: Collection[str]) -> None:
    unknown = [kind for kind in kinds if kind not in (*verbs, NAMED)]
    if unknown:
        known = ", ".join([*verbs, NAMED])
        hint = did_you_mean(unknown[0], (*verbs, NAMED)) or f"; here there are {known}"
        raise InputError(f'no change is of the kind "{unknown[0]}"{hint}')


def _parts(system: System) -> tuple[Part, ...]:
    return (*system.parts, *system.hardenable, *system.upgrades)


def _leading_to(ends: Collection[str], graph: Graph | None) -> Iterator[str]:
    """The names of the last arrows on ways that have to stay open."""
    for source, target in graph.arrows if graph is not None else ():
        if target in ends:
            yield f"{source} -> {target}"


def _is_single_filter(part: Part, here: Configuration, spared: Collection[str]) -> bool:
    """Whether a filter is for one arrow alone, which could as well be cut."""
    graph = here.system.graph
    single = graph is not None and graph.place(part.name) is not None
    return part.verb == FILTER and single and part.name not in spared


def _stays(change: Change, keep: Collection[str]) -> bool:
    """Whether a change would take away what has to stay; a link that is filtered stays."""
    return change.part is not None and change.part.name in keep and change.kind != FILTER


def of_part(part: Part, cost: int | None = None) -> Change:
    """The change that takes a part away, at its own cost if no other is given."""
    price = part.cost if cost is None else cost
    return Change(f"{part.verb} {part.name}", part.verb, price, part, helps=part.helps)


def _is_listed(scenario: Scenario, name: str) -> bool:
    """Whether the file lists a part, be it that the base has it switched off."""
    model = scenario._model
    return model.locate is not None and model.locate(scenario._root[model.key], None, name) is not None


def _offered(scenario: Scenario, section: Node, system: System, base: System) -> Iterator[Change]:
    """The changes of a section; a later one with the same words replaces an earlier one.

    One that is made already is left out.
    """
    listed = section.get("changes")
    parts, elsewhere = ({f"{part.verb} {part.name}": part for part in _parts(of)} for of in (system, base))
    verbs = {part.verb for part in (*parts.values(), *elsewhere.values())}
    for item in listed.items if listed is not None else ():
        if "variant" in item.entries:
            cost, helps = item.get("cost"), item.get("helps")
            yield Change(
                item["name"].text,
                NAMED,
                cost.value if cost is not None and isinstance(cost.value, int) else 1,
                written=item["variant"],
                helps=helps is not None and helps.value is True,
            )
            continue
        words = item if item.kind == "scalar" else item["change"]
        cost = item.get("cost") if item.kind == "mapping" else None
        price = cost.value if cost is not None and isinstance(cost.value, int) else None
        text = " ".join(words.text.split())
        verb, _, rest = text.partition(" ")
        if verb in verbs and rest == ALL:
            yield from (of_part(part, price) for part in parts.values() if part.verb == verb)
        elif text in parts:
            yield of_part(parts[text], price)
        elif text not in elsewhere and not (verb in verbs and _is_listed(scenario, rest)):
            hint = did_you_mean(text, parts)
            known = (
                f"; expected {' or '.join(sorted(verbs))}, and what: such as {next(iter(parts), 'cut all')}"
            )
            raise words.problem(f'no change is called "{text}"{hint or known}')


def _kept(scenario: Scenario, section: Node, system: System, base: System) -> frozenset[str]:
    """The names of parts that stay."""
    listed = section.get("keep")
    known = {part.name for part in (*_parts(system), *_parts(base))}
    for item in listed.items if listed is not None else ():
        name = " ".join(item.text.split())
        if name not in known and not _is_listed(scenario, name):
            raise item.problem(f'"{item.text}" is no part of this design{did_you_mean(item.text, known)}')
    return (
        frozenset(" ".join(item.text.split()) for item in listed.items) if listed is not None else frozenset()
    )


def _paths(section: Node | None, graph: Graph | None) -> Iterator[Arrow]:
    listed = section.get("keep_paths") if section is not None else None
    for item in listed.items if listed is not None else ():
        source, arrow, target = (word.strip() for word in item.text.partition("->"))
        if graph is None or not arrow:
            raise item.problem("expected a way between two places of the picture, such as GW -> DB")
        for name in (source, target):
            if name not in graph.names and name != OUTSIDE:
                hint = did_you_mean(name, (*graph.names, OUTSIDE))
                raise item.problem(f'"{name}" is no {graph.noun}{hint}')
        if target not in distances(graph.arrows, _starts(graph, source)):
            raise item.problem(f"there is already no way from {source} to {target}; remove this line")
        yield source, target


def _starts(graph: Graph, name: str) -> tuple[str, ...]:
    return graph.starts if name == OUTSIDE else (name,)
