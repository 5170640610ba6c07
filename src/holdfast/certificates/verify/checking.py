"""The checker: it distrusts the solver, and proves a certificate again in a few hundred lines of its own.

What is proved. A *valid* certificate shows, of the scenario whose text it carries (or of that scenario under
one clause more, which the certificate names and the checker makes itself: :mod:`.added_clause`),

- "defensible": a set W of positions with v₀ ∈ W and W ∩ U = ∅, such that every admissible adversary move
  from W leads into W, and at each defender position of W some move does. So the defender can stay in W for
  ever and φ_D is never violated (def:defensibility). W is the shield: any move that stays in it is permitted.
- "not defensible": v₀ ∈ U, or ranks 1, 2, … for some positions, v₀ among them, such that each move named at
  an adversary position (one at least) is admissible and leads into U or to a lower rank, and every defender
  move leads there too. So the adversary forces a violation from v₀ within as many moves as its rank.
- "playbook": a set as for "defensible", where it is not some move of the defender that stays inside but the
  one that the given rules name. So whoever follows the rules from v₀ on never violates φ_D, whatever an
  admissible adversary does; and wherever that leads, the rules have an answer (:mod:`.rules`).

- a claim that a goal G can be forced within k moves: "defensible" as above; and recovery ranks 0, 1, … for
  some positions of W, k for v₀, such that at each position outside G that has one, every admissible adversary
  move (there is one) leads to a lower rank, and some defender move does. So from v₀ the defender forces the
  play into G within k moves; and being in W then, it never violates φ_D after that.
- a claim that it never can: "defensible"; ranks as for "not defensible", but not of v₀; and a set T with
  v₀ ∈ T, T ∩ U = T ∩ G = ∅, such that at each adversary position of T some admissible move leads into T, or
  there is none and the play rests, and every defender move leads into T, into U or to a position with a rank.
  So the adversary keeps the play out of G for ever, unless the defender lets φ_D be violated for it.
- a claim that G can be visited again and again: "defensible"; and a set H of positions of W, v₀ among them,
  with recovery ranks, such that outside G ranks fall as above, and at each position of H in G every
  admissible adversary move leads into H, and some defender move does. So the play never leaves H, and from
  wherever it is it comes to G again, or rests there.
- a claim that it cannot: "defensible"; ranks as for "not defensible", but not of v₀; and numbers 1, 2, … for
  some positions outside U, v₀ among them, such that at each adversary position some admissible move leads to
  a number that is no larger, in G to a smaller one, or outside G there is none and the play rests; and every
  defender move does so too, or leads into U or to a position with a rank. So the play visits G at most as
  often as the number of v₀ says, unless the defender lets φ_D be violated for it.
- "defensible" of a defender who sees only what some sensors show: *beliefs*, sets of positions outside U at
  the defender's turn, with an action each. No move leads into U; and for all that may be seen before the
  first move, or after an action and an admissible answer to it, a next belief is named that contains every
  position in which play may then be. So whoever acts by them never violates φ_D. The scenario has these
  sensors, or more.
- "not defensible" of such a defender: ranks as above, but not of v₀; and beliefs in an order. Each action
  leads from some position of a belief into U or to a rank; or something may be seen after it and an
  admissible answer so that all positions of an earlier belief are possible. All positions of one of them are
  possible at the start. So whatever the defender does by what it sees, some play violates φ_D. The
  scenario has these sensors, or fewer.

- either verdict by *zones*: a game for each zone, which the checker makes itself, with a witness of it; and
  that these verdicts together mean that of the whole (:mod:`.zones`).

- "likely": bounds of the probability that φ_D is kept, where outcomes are drawn (:mod:`.bounds`).

What is trusted: the reader of scenario files and the compiler of formulas, which say what the question is
(the rules of the game, the table of each clause's automaton, that φ_A is admissible, and the expression of
each goal); this package;
Python, NumPy for arrays, oxidd's Boolean algebra for diagrams. What is not trusted: the engines, the shield,
the writer of certificates, any word of the file. What is not claimed: that W is the largest such set or a
rank the least, nor any count or reading (WIN, STP, SLT).

How. A *plane* is a turn with a state of each automaton; a witness has, section by section, a set of
valuations for each plane that it lists. For a move and a plane, the successor valuations s' are split by
where the letter (move, s') takes the automata (:mod:`.planes`). So "leads into" becomes a set of s', and the
rules of the action carry it back to s (:mod:`.proofs`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from oxidd.util import DDMemoryError

from holdfast.budget import UNLIMITED, Budget
from holdfast.certificates.verify.added_clause import AddedClause, read_clause
from holdfast.certificates.verify.bounds import LikelyBounds, read_bounds, wrong_bounds
from holdfast.certificates.verify.container import (
    DEFENSIBLE,
    FORCED,
    HELD,
    HOME,
    LIKELY,
    LOST,
    NEVER,
    NOT_DEFENSIBLE,
    PLAYBOOK,
    RECOVERY,
    REGION,
    SECTIONS,
    TRAP,
    VISITS,
    proved_by,
    read,
    refuse,
)
from holdfast.certificates.verify.planes import Plane, PlaneGame
from holdfast.certificates.verify.proofs import Proofs
from holdfast.certificates.verify.rules import CheckedRule, read_rules
from holdfast.certificates.verify.sets import Goal, States, Transition, WitnessNumbers
from holdfast.certificates.verify.sight_proofs import (
    BeliefSets,
    Members,
    SeenGame,
    held,
    lost,
    read_sight_witness,
)
from holdfast.certificates.verify.zones import wrong_zones
from holdfast.errors import LimitError
from holdfast.game.configuration import Configuration
from holdfast.game.display import Displayed
from holdfast.game.sight import Sight, with_sensors
from holdfast.logic.expressions import Expression, Player
from holdfast.scenario.reading import configuration, scenario_from_text


@dataclass(frozen=True)
class RecoveryClaim:
    """What a certificate claims of a goal of its scenario.

    Attributes:
        goal: its name.
        moves: within how many it can be forced; None where that is not claimed.
        again: whether it can be visited again and again; None where that is not claimed.
    """

    goal: str
    moves: int | Literal["never"] | None
    again: bool | None = None


@dataclass(frozen=True)
class SightClaim:
    """That the verdict of a certificate is that of a defender who sees what these sensors show, no more."""

    sensors: tuple[str, ...]


@dataclass(frozen=True)
class Verdict(Displayed):
    """What the checker found.

    Attributes:
        valid: whether the certificate proves what it says.
        defensible: what it says; a playbook says that it is.
        reason: the first thing that is wrong, in the words of the model; empty where nothing is.
        rank: the number of moves within which a violation is forced; None unless that is proved.
        name, variant, text: of the scenario that it is about.
        n_rules: of a playbook, how many rules it has besides its last resort; None for a certificate without
            rules.
        restriction: the clause that was added to the defender's side of the scenario; None where the
            certificate is about the scenario as it is written.
        claim: what it says of a goal besides, or of what the defender sees; None where it says nothing.
        bounds: how likely it says that the requirement is kept; None where it says nothing. It then says of a
            design that may be lost no more than that.
        n_zones: by how many zones it proves its verdict; None where it proves that of the whole at once.
    """

    valid: bool
    defensible: bool
    reason: str
    rank: int | None
    name: str
    variant: str | None
    text: str = field(repr=False)
    n_rules: int | None = None
    restriction: AddedClause | None = None
    claim: RecoveryClaim | SightClaim | None = None
    bounds: LikelyBounds | None = None
    n_zones: int | None = None


def verify(source: str | os.PathLike[str] | bytes, budget: Budget = UNLIMITED) -> Verdict:
    """Check a certificate, given as a file or as its bytes.

    Raises:
        InputError: for what is not a whole, unaltered certificate.
        LimitError: where it is too large to be checked.
    """
    data = read(source)
    text, proved = data["scenario"]["text"], proved_by(data)
    scenario = scenario_from_text(text, "the scenario of the certificate", budget)
    chosen, added = configuration(scenario, data["scenario"]["variant"], budget), read_clause(data)
    if "composition" in data:
        return _composed(data, scenario.name, chosen, text, budget)
    claim, rules = _read_claim(data, chosen), list[CheckedRule]()
    bounds = read_bounds(data)
    try:
        planes = _planes(data["witness"]["planes"], chosen, added)
        if proved == PLAYBOOK:
            rules = read_rules(data["witness"], chosen, budget)
        if bounds is not None:
            reason, rank = wrong_bounds(chosen, data["witness"], planes, bounds, budget), None
        else:
            reason, rank = _checked(chosen, added, data["witness"], planes, proved, claim, rules, budget)
    except (DDMemoryError, MemoryError):
        raise LimitError("the certificate outgrew the memory for checking it") from None
    return Verdict(
        valid=not reason,
        defensible=proved not in (NOT_DEFENSIBLE, LOST, LIKELY),
        reason=reason,
        rank=rank,
        name=scenario.name,
        variant=chosen.variant,
        text=text,
        n_rules=len(rules) - 1 if rules else None,
        restriction=added,
        claim=claim,
        bounds=bounds,
    )


def _composed(data: dict[str, Any], name: str, chosen: Configuration, text: str, budget: Budget) -> Verdict:
    """What the checker found about a verdict that is proved by zones."""
    proved = proved_by(data)
    if proved not in (DEFENSIBLE, NOT_DEFENSIBLE):
        refuse("zones prove that its scenario is defensible, or that it is not, and nothing else")

    def check(game: Configuration, witness: dict[str, Any]) -> str:
        planes = _planes(witness["planes"], game, None)
        return _checked(game, None, witness, planes, proved, None, [], budget)[0]

    try:
        reason, n_zones = wrong_zones(chosen, data, check, budget)
    except (DDMemoryError, MemoryError):
        raise LimitError("the certificate outgrew the memory for checking it") from None
    held = proved == DEFENSIBLE
    return Verdict(not reason, held, reason, None, name, chosen.variant, text, n_zones=n_zones)


def _read_claim(data: dict[str, Any], chosen: Configuration) -> RecoveryClaim | SightClaim | None:
    """What a certificate claims of a goal of its scenario, or of what is seen; None where nothing is."""
    if "claim" not in data:
        return None
    if "sensors" in data["claim"]:
        names, sight = data["claim"]["sensors"], chosen.system.sight
        drawn = {turn for turn in Player for action in chosen.game.actions[turn] if action.outcome_of}
        if Player.DEFENDER in drawn or (drawn and sight is not None and sight.noticed):
            refuse("what is seen is not checked together with what is drawn, or noticed, of the same moves")
        _seen_by(chosen, names, fewer=data["verdict"] == DEFENSIBLE)
        return SightClaim(tuple(names))
    goal, again = data["claim"]["goal"], data["claim"].get("again")
    if goal not in chosen.goals:
        refuse(f'its claim is about the goal "{goal[:60]}", which its scenario does not have')
    return RecoveryClaim(goal, data["claim"].get("moves"), None if again is None else again == "yes")


def _seen_by(chosen: Configuration, entries: list[Any], fewer: bool) -> None:
    """Refuse sensors from which nothing follows for those that a scenario has.

    What holds with ``fewer`` sensors holds, and what is lost with more is lost.
    """
    sight = chosen.system.sight
    if sight is None or sight.placed is None:
        refuse("its claim is about what is seen, and the defender of its scenario sees everything")
    names = [name for name in sight.sensors if name in entries]
    if entries != names:
        refuse("its claim is about sensors that its scenario does not know, or they are out of order")
    if fewer:
        for name in names:
            if name not in sight.placed:
                refuse(f'its claim counts on the sensor "{name}", which its scenario does not have')
        return
    for name in sight.placed:
        if name not in names:
            refuse(f'its claim leaves out the sensor "{name}", which its scenario has')


def _planes(entries: list[Any], chosen: Configuration, added: AddedClause | None) -> dict[Plane, int]:
    """The planes of a witness, and their numbers."""
    sizes = [[automaton.n_states for automaton in side] for side in (chosen.defender, chosen.adversary)]
    if added is not None:
        sizes[0].insert(len(chosen.requirement), added.n_states)
    planes = {_plane(entry, *sizes): i for i, entry in enumerate(entries)}
    return planes if len(planes) == len(entries) else refuse("a plane stands twice")


def _plane(entry: Any, n_defender: list[int], n_adversary: list[int]) -> Plane:
    """An entry of the list of planes, given how many states each automaton of a side has."""
    match entry:
        case ["defender" | "adversary" as turn, [*ones], [*others]] if len(ones) == len(n_defender):
            states, sizes = (*ones, *others), (*n_defender, *n_adversary)
            if len(states) == len(sizes) and all(
                type(q) is int and 0 <= q < n for q, n in zip(states, sizes, strict=True)
            ):
                return Player(turn), states
    refuse("a plane is not a turn with a state of each automaton of φ_D and of φ_A")


def _checked(
    chosen: Configuration,
    added: AddedClause | None,
    witness: dict[str, Any],
    planes: dict[Plane, int],
    proved: str,
    claim: RecoveryClaim | SightClaim | None,
    rules: list[CheckedRule],
    budget: Budget,
) -> tuple[str, int | None]:
    """Why the witness does not prove what it says, over the kind of sets it is written in; and v₀'s rank."""
    turns, names = [turn for turn, _ in planes], SECTIONS[proved]
    recovers = claim if isinstance(claim, RecoveryClaim) else None
    goal = None if recovers is None else chosen.goals[recovers.goal]
    moves = None if recovers is None or recovers.moves in (None, NEVER) else int(recovers.moves)
    sight = chosen.system.sight
    if isinstance(claim, SightClaim) and sight is not None:
        sight = with_sensors(sight, claim.sensors)
    if witness["kind"] == "arrays":
        from holdfast.certificates.verify.array_space import ArrayBeliefs, array_beliefs, array_sections

        arrays, numbers = array_sections(chosen.game, witness, turns, names, budget)
        array_game = PlaneGame(chosen, added, planes, arrays, budget)
        if proved in (HELD, LOST) and sight is not None:
            listed = array_beliefs(witness, turns, chosen.game.n_valuations)
            return _seen(array_game, ArrayBeliefs(arrays), sight, witness, listed, numbers), None
        return _answer(array_game, numbers, rules, goal, moves)
    from holdfast.certificates.verify.diagram_space import DiagramBeliefs, diagram_sections

    diagrams, levels, drawn = diagram_sections(chosen.game, witness, turns, names, budget)
    diagram_game = PlaneGame(chosen, added, planes, diagrams, budget)
    if proved in (HELD, LOST) and sight is not None:
        return _seen(diagram_game, DiagramBeliefs(diagrams), sight, witness, drawn, levels), None
    return _answer(diagram_game, levels, rules, goal, moves)


def _seen(
    game: PlaneGame[States, Transition],
    sets: BeliefSets[States, Members],
    sight: Sight,
    witness: dict[str, Any],
    listed: list[dict[int, Members]],
    sections: Mapping[str, WitnessNumbers[States, Goal, Transition]],
) -> str:
    """Why a witness about a defender who does not see everything proves nothing."""
    planes, says = list(game.planes), read_sight_witness(witness)
    beliefs = [{planes[i]: members for i, members in own.items() if sets.some(members)} for own in listed]
    seen = SeenGame[States, Members, Transition](game, sets, sight)
    if FORCED not in sections:
        return held(seen, beliefs, says)
    return lost(seen, beliefs, says, sections[FORCED])


def _answer(
    game: PlaneGame[States, Transition],
    sections: Mapping[str, WitnessNumbers[States, Goal, Transition]],
    rules: list[CheckedRule],
    goal: Expression | None,
    moves: int | None,
) -> tuple[str, int | None]:
    proofs = Proofs[States, Goal, Transition](game)
    if REGION not in sections:
        ranks = sections[FORCED]
        reason, unsafe = proofs.forced(ranks, start=True), game.is_unsafe(game.initial)
        rank = 0 if unsafe or reason else ranks.rank(game.planes[game.initial], game.structure.initial)
        return reason, None if reason else rank
    reason = proofs.region(sections[REGION], rules)
    if not reason and goal is not None and moves is not None:
        reason = proofs.reached(sections[REGION], sections[RECOVERY], goal, moves)
    elif not reason and goal is not None and HOME in sections:
        reason = proofs.again(sections[REGION], sections[HOME], sections[RECOVERY], goal)
    elif not reason and goal is not None:
        lost = sections[FORCED]
        reason = proofs.forced(lost, start=False) or (
            proofs.left_in_the_end(sections[VISITS], lost, goal)
            if VISITS in sections
            else proofs.trapped(sections[TRAP], lost, goal)
        )
    return reason, None
