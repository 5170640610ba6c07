"""The universe of additions: what a design could get, or lose, to the adversary's gain, and at which cost.

A model says what its systems could get or lose (:class:`holdfast.game.system.Addition`). To that come

- ``budget times(destroy) <= 3``: one unit more of a number in φ_A;
- ``drop G (times(destroy) <= 2)``: a clause of φ_A that does not bind any more.

The defender is never better off for an addition, as a rule. The rule has exceptions, and those are told apart
(:attr:`Fragile.uncertain`):

- *One more entry* begins elsewhere; that one start with more trouble is harder than another is not assumed.
- *A link* may carry a flow that the requirement asks for.
- *A move with which the adversary could wait* leads somewhere with a link more. That costs it nothing if it
  can wait by doing nothing, and if no clause minds: a clause may count the moves that are no longer made, as
  long as it is one of φ_A, and not those that are made instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.bound import Bound, bounds, is_counter
from holdfast.design.cores import AssumptionSet
from holdfast.errors import HoldfastError, InputError, did_you_mean
from holdfast.game import Addition, Clause, Configuration, extended, on_system, used_definitions
from holdfast.logic import Did, Move, Player, SafetyAutomaton, walk
from holdfast.scenario import Node, Scenario, design_section, reported

LINK, BUDGET, DROP = "link", "budget", "drop"
ALL = "all"

ASSUMPTION = "assumption"
CARRYING = ("soften", "unfilter", "ability", "tempo", BUDGET, DROP)
"""The kinds of additions that take an assumption back, so that their breakers say what a proof rests on."""


def assumption_behind(addition: str) -> str:
    """What a proof takes for granted that an addition would end, in words; empty for what is no assumption.

    >>> assumption_behind("soften DB"), assumption_behind("link GW -> DB")
    ('DB being hardened', '')
    """
    kind, _, name = addition.partition(" ")
    ability, _, place = name.partition(" ")
    behind = {
        "soften": f"{name} being hardened",
        "unfilter": f"the filter on {name}",
        "ability": f"the adversary being unable to {ability}" + (f" {place}" if place else ""),
        "tempo": "the adversary not acting in every turn",
        BUDGET: f"the adversary never coming to {name}",
        DROP: f'the adversary keeping "{name}"',
        "lose": f"the defender being able to {ability} {place}",
        "slower": "the defender being as fast as it is",
    }
    return behind.get(kind, "")


@dataclass(frozen=True)
class Fragile:
    """A design with what could be added to it.

    Attributes:
        configuration: the design.
        additions: in the order in which they are told.
        engine: for what comes of them.
    """

    configuration: Configuration
    additions: tuple[Addition, ...]
    engine: str = "auto"
    _bounds: Mapping[str, Bound] = field(default_factory=dict, repr=False)

    @property
    def costs(self) -> tuple[int, ...]:
        """What each costs."""
        return tuple(each.cost for each in self.additions)

    def cost(self, chosen: Iterable[int]) -> int:
        """What some cost together."""
        return sum(self.additions[i].cost for i in chosen)

    def names(self, chosen: Iterable[int]) -> tuple[str, ...]:
        """Some of them in words."""
        return tuple(self.additions[i].text for i in sorted(chosen))

    def extended(self, chosen: Iterable[int]) -> Configuration:
        """The design with some additions.

        Raises:
            InputError: where they do not go together.
        """
        taken = [self.additions[i] for i in sorted(chosen)]
        here = self.configuration
        system = extended(here.system, (each for each in taken if each.kind not in (BUDGET, DROP)))
        changed = on_system(here, system) if system is not here.system else here
        boundary: dict[int, Clause] = dict(enumerate(changed.boundary))
        raised: set[int] = set()
        for each in (each for each in taken if each.kind == BUDGET):
            bound = self._bounds[each.name]
            if bound.clause in raised:
                raise InputError(f"{each.text}: another number of the same clause is raised already")
            raised.add(bound.clause)
            boundary[bound.clause] = _raised(bound, here, changed)
        dropped = {each.name for each in taken if each.kind == DROP}
        kept = (clause for i, clause in boundary.items() if here.boundary[i].label not in dropped)
        return replace(changed, boundary=tuple(kept)) if raised or dropped else changed

    @cached_property
    def uncertain(self) -> AssumptionSet:
        """The additions for which the defender may be better off."""
        waits = _waits(self.configuration)
        return frozenset(
            i
            for i, each in enumerate(self.additions)
            if not each.certain or (each.quickens and not waits) or (each.kind == LINK and self.carries_more)
        )

    @cached_property
    def carries_more(self) -> bool:
        """Whether new links change what a clause speaks of, such as a flow that may take any path."""
        new = [each for each in self.additions if each.kind == LINK]
        return bool(new) and _carries_more(self.configuration, new)


def _raised(bound: Bound, before: Configuration, after: Configuration) -> Clause:
    """A clause of φ_A with one unit more of a number, on a system on which it may read other moves."""
    if after.boundary[bound.clause].automaton != before.boundary[bound.clause].automaton:
        moved = (b for b in bounds(after)[0] if b.side is Player.ADVERSARY and b.clause == bound.clause)
        bound = next((b for b in moved if b.value == bound.value), bound)
    assert bound.value is not None
    wider = bound.automaton(bound.value + bound.harder)
    return Clause(wider, wider.source)


def _waits(configuration: Configuration) -> bool:
    """Whether an adversary may as well do nothing as make a move that leads nowhere."""
    game = configuration.game
    idle = {action.choice for action in game.actions[Player.ADVERSARY] if not action.rules}
    if not idle:
        return False
    if any(_reads(automaton) for automaton in configuration.defender):
        return False
    own = {(Player.ADVERSARY, name) for name in idle}
    tempo = [clause.automaton for clause in configuration.system.boundary]
    return all(
        not (read := _reads(automaton)) or (is_counter(automaton) and not read & own) or automaton in tempo
        for automaton in configuration.adversary
    )


def _reads(automaton: SafetyAutomaton) -> frozenset[Move]:
    """The moves of the adversary that an automaton reads."""
    parts = (part for atom in automaton.atoms for part in walk(atom) if isinstance(part, Did))
    return frozenset(move for part in parts for move in part.moves if move[0] is Player.ADVERSARY)


def _carries_more(configuration: Configuration, links: Collection[Addition]) -> bool:
    """Whether a clause speaks of something that links change."""
    asked = {
        name for a in (*configuration.defender, *configuration.adversary) for name in used_definitions(a)
    }
    if not asked:
        return False
    before = configuration.game.definitions
    try:
        after = extended(configuration.system, links).game.definitions
    except HoldfastError:
        return True
    return any(before.get(name) != after.get(name) for name in asked)


# -- the universe ------------------------------------------------------------------------------------


def fragile_design(
    configuration: Configuration,
    scenario: Scenario | None = None,
    kinds: Collection[str] = (),
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> Fragile:
    """A design with all that could be added, or with what its file lists under ``design: additions``.

    Args:
        configuration: the design.
        scenario: its file, if it has one.
        kinds: only additions of these kinds, such as ``link``; ``assumption`` stands for all that take an
            assumption back. A kind that the file does not list is offered in full.
        engine: for what comes of them.
        budget: time.

    Raises:
        ScenarioError: for an addition in the file that there cannot be.
        InputError: for a kind that there is none of.
    """
    numbers = {b.text((b.value or 0) + b.harder): b for b in _budgets(configuration)}
    budget.tick("listing what could be added")
    labels = dict.fromkeys(clause.label for clause in configuration.boundary)
    offered = {
        each.text: each
        for each in (
            *configuration.system.additions(),
            *(Addition(BUDGET, text) for text in numbers),
            *(Addition(DROP, label) for label in labels),
        )
    }
    listed = _listed(scenario, offered)
    wanted = tuple(kind for name in kinds for kind in (CARRYING if name == ASSUMPTION else (name,)))
    _refuse_unknown(kinds, {each.kind for each in offered.values()})
    own = {each.kind for each in listed.values()}
    whole = (each for each in offered.values() if each.kind not in own)
    chosen = [*listed.values(), *(whole if wanted or not listed else ())]
    if wanted:
        chosen = [each for each in chosen if each.kind in wanted]
    return Fragile(configuration, tuple(chosen), engine, numbers)


def _budgets(configuration: Configuration) -> Iterator[Bound]:
    """The numbers of φ_A of which there could be one unit more."""
    for bound in bounds(configuration)[0]:
        hardest = bound.high if bound.harder > 0 else bound.low
        if bound.side is Player.ADVERSARY and bound.value is not None and bound.value != hardest:
            yield bound


KINDS = (
    LINK, "unfilter", "entry", "expose", "ability", "soften", "tempo", "lose", "slower", BUDGET, DROP,
)  # fmt: skip


def _refuse_unknown(kinds: Collection[str], there: Collection[str]) -> None:
    known = dict.fromkeys((*KINDS, *sorted(there), ASSUMPTION))
    for kind in kinds:
        if kind not in known:
            hint = did_you_mean(kind, known) or f"; there are {', '.join(known)}"
            raise InputError(f'no addition is of the kind "{kind}"{hint}')


def _listed(scenario: Scenario | None, offered: Mapping[str, Addition]) -> dict[str, Addition]:
    """The additions that a file lists; a later one with the same words replaces an earlier one."""
    section = design_section(scenario) if scenario is not None else None
    items = section.get("additions") if section is not None else None
    additions: dict[str, Addition] = {}
    with reported():
        for item in items.items if items is not None else ():
            words: Node = item if item.kind == "scalar" else item["add"]
            cost = item.get("cost") if item.kind == "mapping" else None
            price = cost.value if cost is not None and isinstance(cost.value, int) else None
            text = " ".join(words.text.split())
            kind, _, rest = text.partition(" ")
            named = [each for each in offered.values() if each.kind == kind and rest in (ALL, each.name)]
            if not named and kind not in KINDS:
                raise words.problem(
                    f'no addition is called "{text}"{did_you_mean(text, offered)}; expected a kind such as '
                    "link or expose, and what: link GW -> DB, or link all"
                )
            for each in named:
                additions[each.text] = each if price is None else replace(each, cost=price)
    return additions
