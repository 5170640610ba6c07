"""The drift gate: what must never be added to a design, kept as data, and held against a later design.

A *guard* has the scenario that was proved, what it is to keep, the universe and the minimal breakers up to a
cost. A later design is compared with it without solving as far as that goes:

- it is the guarded design, in what counts for the game: it passes;
- it is the guarded design with additions of the universe, and nothing else: it fails if they contain a
  breaker, with the breaker and its attack; it passes if they contain none and cost no more than the guard
  knows all breakers of; otherwise it is solved;
- anything else is solved.

Where the requirement asks less than before, the adversary is assumed to be able to do less or to begin
elsewhere, or the defender to be faster, a design may pass because less is claimed. That is told as such, and
fails unless it is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

from holdfast.arena import is_renamed
from holdfast.budget import UNLIMITED, Budget
from holdfast.design.additions import Fragile, fragile_design
from holdfast.design.fragility import Breaker, Fragility, attack_on
from holdfast.design.properties import kept_named
from holdfast.errors import HoldfastError, InputError
from holdfast.game import ENTRY, EXPOSED, Clause, Configuration, listed, without_reset
from holdfast.logic import Number, Player, is_included
from holdfast.running import sha256_of
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve

VERSION = 1


@dataclass(frozen=True)
class DriftGuard:
    """What must never be added to a design, as data.

    Attributes:
        text, variant: the scenario that was proved.
        keep: what it is to keep.
        kinds: of the additions that were looked at.
        complete_to: up to which cost all minimal breakers are known.
        breakers: the breakers.
        proof: the hash of the certificate of the design; empty where none was written.
        monotone: whether more additions never bring back what is kept.
    """

    text: str
    variant: str | None
    keep: str
    kinds: tuple[str, ...]
    complete_to: int
    breakers: tuple[Breaker, ...]
    proof: str = ""
    monotone: bool = True


@dataclass(frozen=True)
class Drift:
    """What a guard says of a later design.

    Attributes:
        passes: whether it may go on.
        rule: the additions that must not come, if these are why it fails.
        attack: what the adversary does then.
        added: the additions that make the difference, as far as they are known.
        weaker: what the later design claims less.
        solved: whether it had to be solved.
        words: the answer in a sentence.
    """

    passes: bool
    words: str
    rule: tuple[str, ...] = ()
    attack: str = ""
    added: tuple[str, ...] = ()
    weaker: tuple[str, ...] = ()
    solved: bool = False


def guard_of(found: Fragility, kinds: tuple[str, ...] = (), proof: str = "") -> DriftGuard:
    """The guard of a design whose breakers are known.

    Raises:
        InputError: for a design that lacks what it is to keep, or that comes from no file.
    """
    here = found.configuration
    if not found.holds:
        raise InputError(f"there is nothing to guard: {found.keep} does not hold of the design as it is")
    if not here.text:
        raise InputError("a guard needs the scenario file of the design; this one comes from none")
    return DriftGuard(
        here.text, here.variant, found.keep, kinds, found.complete_to, found.breakers, proof, found.monotone
    )


def guard_text(guard: DriftGuard) -> str:
    """A guard as the text of a file."""
    data = {
        "holdfast_guard": VERSION,
        "keep": guard.keep,
        "complete_to": guard.complete_to,
        "kinds": list(guard.kinds),
        "monotone": guard.monotone,
        "breakers": [asdict(each) for each in guard.breakers],
        "variant": guard.variant,
        "scenario_sha256": sha256_of(guard.text),
        "proof_sha256": guard.proof or None,
        "scenario": guard.text,
    }
    return json.dumps(data, indent=1) + "\n"


def read_guard(path: Path) -> DriftGuard:
    """The guard in a file.

    Raises:
        InputError: for a file that is none, or whose scenario was changed since.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["holdfast_guard"] != VERSION:
            raise InputError(
                f"{path}: version {data['holdfast_guard']}; this Holdfast reads version {VERSION}"
            )
        breakers = tuple(
            Breaker(tuple(b["additions"]), int(b["cost"]), b["breaks"], b["attack"], tuple(b["moves"]))
            for b in data["breakers"]
        )
        guard = DriftGuard(
            data["scenario"],
            data["variant"],
            data["keep"],
            tuple(data["kinds"]),
            int(data["complete_to"]),
            breakers,
            data["proof_sha256"] or "",
            bool(data["monotone"]),
        )
        if sha256_of(guard.text) != data["scenario_sha256"]:
            raise InputError(f"{path}: its scenario is not the one that was proved; write the guard again")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path} is not a guard; holdfast fragile --write GUARD writes one") from None
    return guard


def held_against(
    guard: DriftGuard,
    later: Configuration,
    *,
    allow_weaker: bool = False,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> Drift:
    """What a guard says of a later design; it is solved only where the guard does not cover it.

    Raises:
        InputError: for a later design that cannot be asked for what is guarded.
        LimitError: when a limit leaves it undecided.
    """
    scenario = scenario_from_text(guard.text, budget=budget)
    before = configuration(scenario, guard.variant, budget)
    design = fragile_design(before, scenario, guard.kinds, engine, budget)
    weaker = tuple(_weaker(before, later, budget))
    if weaker and not allow_weaker:
        less = f"it claims less than what was proved: {'; '.join(weaker)} (--allow-weaker, if that is meant)"
        return Drift(False, less, weaker=weaker)
    added = None if weaker else _difference(design, later)
    if added is not None:
        names = design.names(added)
        inside = [breaker for breaker in guard.breakers if set(breaker.additions) <= set(names)]
        doubtful = {design.additions[i].text for i in design.uncertain} if guard.monotone else set(names)
        for breaker in inside:
            # A part that breaks says so of the whole only if the rest cannot help.
            if not (set(names) - set(breaker.additions)) & doubtful:
                rule = " and ".join(breaker.additions)
                words = f"{rule} must never be added: {breaker.breaks}. The attack: {breaker.attack}"
                return Drift(False, words, breaker.additions, breaker.attack, names)
        if not inside and design.cost(added) <= guard.complete_to:
            told = (
                f"{', '.join(names)}: the guarded property still holds"
                if names
                else "it is the design that was proved"
            )
            return Drift(True, told, added=names)
    return _solved(guard, design, later, added, weaker, engine, budget)


def _solved(
    guard: DriftGuard,
    design: Fragile,
    later: Configuration,
    added: frozenset[int] | None,
    weaker: tuple[str, ...],
    engine: str,
    budget: Budget,
) -> Drift:
    solution = solve(later, engine, budget)
    kept = kept_named(solution, guard.keep, budget)
    names = design.names(added or ())
    if kept.holds(solution, budget):
        return Drift(True, f"solved: {kept.words}", added=names, weaker=weaker, solved=True)
    told = attack_on(kept, solution, (), budget)
    words = f"solved: {told['breaks']}. The attack: {told['attack']}"
    return Drift(False, words, names, told["attack"], names, weaker, True)


# -- the difference ----------------------------------------------------------------------------------


def _difference(design: Fragile, later: Configuration) -> frozenset[int] | None:
    """The additions that make the guarded design the later one, in what counts; None where none do."""
    present = _presence(design.configuration, later)
    chosen = frozenset(i for i, each in enumerate(design.additions) if present(each.kind, each.name))
    try:
        there = design.extended(chosen)
    except InputError:
        return None
    pairs = list(zip(there.boundary, later.boundary, strict=False))
    if len(there.boundary) == len(later.boundary) and all(_is_same(*pair, later) for pair in pairs):
        later = replace(later, boundary=there.boundary)
    return chosen if is_renamed(_bare(there), _bare(later), {}) and there.goals == later.goals else None


def _is_same(one: Clause, other: Clause, later: Configuration) -> bool:
    """Whether two clauses say the same; of clauses that are equal nothing has to be asked."""
    return one.automaton == other.automaton or (
        _implies(one, other, later, UNLIMITED) and _implies(other, one, later, UNLIMITED)
    )


def _bare(configuration: Configuration) -> Configuration:
    """The configuration without what its verdict does not depend on."""
    bare = without_reset(configuration)
    game = replace(bare.system.game, dominance=Number(Fraction(1)))
    return replace(bare, system=replace(bare.system, game=game))


def _presence(before: Configuration, later: Configuration) -> Callable[[str, str], bool]:
    """Whether a later design has an addition."""
    graph, game = later.system.graph, later.game
    arrows = {" -> ".join(arrow) for arrow in graph.arrows} if graph is not None else set()
    filtered = {" -> ".join(arrow) for arrow in graph.filtered} if graph is not None else set()
    entries, exposed = (set(graph.marked(mark)) if graph is not None else set() for mark in (ENTRY, EXPOSED))
    own = {player: {action.name for action in game.actions[player]} for player in Player}
    types = {action.type for action in game.actions[Player.ADVERSARY]}
    slower = later.system.defender_tempo > before.system.defender_tempo
    fewer = len(later.boundary) < len(before.boundary)
    labels = {clause.label for clause in later.boundary} | {
        clause.automaton.source for clause in later.boundary
    }

    def is_there(kind: str, name: str) -> bool:
        match kind:
            case "link":
                return name in arrows
            case "unfilter":
                return name in arrows - filtered
            case "entry":
                return name in entries
            case "expose":
                return name in exposed
            case "soften":
                return f"spread({name})" in own[Player.ADVERSARY]
            case "lose":
                ability, _, host = name.partition(" ")
                return f"{ability}({host})" not in own[Player.DEFENDER]
            case "ability":
                ability, _, host = name.partition(" ")
                return f"{ability}({host})" in own[Player.ADVERSARY] if host else ability in types
            case "tempo":
                return not later.system.boundary
            case "slower":
                return slower
            case "budget":
                return name in labels or f"G ({name})" in labels
            case "drop":
                return fewer and name not in labels
        return False

    return is_there


def _weaker(before: Configuration, later: Configuration, budget: Budget) -> Iterator[str]:
    """What a later design claims less: what it need not keep, and what the adversary may no longer do."""
    other = before.game.variables != later.game.variables

    def implies(one: Clause, two: Clause) -> bool:
        return (other and _written(one) == _written(two)) or _implies(one, two, later, budget)

    for own in before.requirement:
        if not any(implies(new, own) for new in later.requirement):
            yield f'the requirement no longer asks "{own.label}"'
    for new in later.clauses(Player.ADVERSARY):
        if not any(implies(own, new) for own in before.clauses(Player.ADVERSARY)):
            yield f'the adversary is assumed to keep "{new.label}"'
    for name, states in before.goals.items():
        if name in before.recovery and later.goals.get(name) != states:
            yield f'the goal "{name}" is another one'
    yield from _weaker_players(before, later)


def _weaker_players(before: Configuration, later: Configuration) -> Iterator[str]:
    """What the players are assumed to be: an adversary that can do less, a defender that is faster."""
    types = [{action.type for action in c.game.actions[Player.ADVERSARY]} for c in (before, later)]
    for kind in sorted(types[0] - types[1]):
        yield f"the adversary is assumed not to {kind}"
    if before.system.graph is not None and later.system.graph is not None:
        begins = [set(c.system.graph.marked(ENTRY)) for c in (before, later) if c.system.graph is not None]
        if gone := sorted(begins[0] - begins[1]):
            yield f"the adversary is assumed not to begin at {listed(gone)}"
    if later.system.defender_tempo < before.system.defender_tempo:
        yield "the defender is assumed to act more often"


def _implies(one: Clause, other: Clause, later: Configuration, budget: Budget) -> bool:
    """Whether every play that keeps one clause keeps the other."""
    if one.automaton == other.automaton:
        return True
    try:
        return is_included(one.automaton, other.automaton, later.game.vocabulary, budget)
    except HoldfastError:
        return False


def _written(clause: Clause) -> object:
    """What a clause says, as it is written; on a system with other places it may mean others."""
    return clause.text or tuple((edge.source, edge.target, str(edge.when)) for edge in clause.edges)
