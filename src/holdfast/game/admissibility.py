"""Whether a threat boundary binds the adversary's choices alone, checked exactly over all positions.

φ_A is *admissible* iff no defender move takes it from F_A out of F_A (eq:phia-defender). Where the outcome of
a choice is drawn it must also treat all outcomes alike, since the adversary chooses before.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.budget import Budget
from holdfast.errors import InadmissibleError
from holdfast.game.actions import NO_SUCCESSOR, Action, State
from holdfast.game.structure import GameStructure, choices, valuation_grid
from holdfast.logic import (
    FALSE,
    Diagram,
    Diagrams,
    Expression,
    Player,
    SafetyAutomaton,
    after_move,
    is_static,
)

if TYPE_CHECKING:
    from holdfast.arrays import Bools
    from holdfast.game.configuration import Configuration


def preimage(diagrams: Diagrams, action: Action, target: Diagram) -> Diagram:
    """The states from which a factored action leads into ``target``: first matching rule wins."""
    result = target
    for rule in reversed(action.rules):
        applied = target.substitute(diagrams.assignment(rule.assign)) if rule.assign else target
        result = diagrams.truth(rule.when).ite(applied, result)
    return result


def check_admissible(configuration: Configuration, budget: Budget) -> None:
    """Clause by clause: no defender move takes an accepting state out of F.

    Checking each clause alone is exact: the others can sit in any of their accepting states.
    """
    if any(a.n_accepting == 0 for a in configuration.adversary):
        return
    game = configuration.game
    diagrams = None
    for number, automaton in enumerate(configuration.adversary):
        rejecting = _rejecting_guards(automaton, budget)
        if not rejecting:
            continue
        static = all(is_static(atom) for atom in automaton.atoms)
        decided: dict[tuple[Expression, ...], list[tuple[int, Expression]]] = {}
        for action_index, action in enumerate(game.actions[Player.DEFENDER]):
            budget.tick("checking the threat boundary")
            letter = (Player.DEFENDER, action.choice)
            key = () if static else tuple(after_move(atom, letter) for atom in automaton.atoms)
            if key not in decided:
                decided[key] = [(q, after_move(guard, letter)) for q, guard in rejecting]
            for q, guard in decided[key]:
                if guard == FALSE:
                    continue
                if game.tables is not None:
                    witness = _tabulated_witness(game, action_index, guard)
                else:
                    diagrams = diagrams or Diagrams(game.variables, budget=budget, tallies=game.tallies)
                    codes = diagrams.pick(preimage(diagrams, action, diagrams.truth(guard)))
                    witness = None if codes is None else tuple(codes[v.name] for v in game.variables)
                if witness is not None:
                    raise _inadmissible(configuration, number, q, witness, action.name)


def check_drawn(configuration: Configuration, budget: Budget) -> None:
    """Refuse a φ_A that lets some outcomes of one choice of the adversary happen and forbids others.

    The adversary chooses before the outcome is drawn, so its boundary has to bind the choice.
    """
    game, own = configuration.game, Player.ADVERSARY
    drawn = [outcomes for outcomes in choices(game, own) if len(outcomes) > 1]
    if not drawn or any(a.n_accepting == 0 for a in configuration.adversary):
        return
    diagrams = None if game.tables is not None else Diagrams(game.variables, budget=budget)
    for number, automaton in enumerate(configuration.adversary):
        for outcomes in drawn:
            budget.tick("checking the threat boundary")
            letter = (own, game.actions[own][outcomes[0]].choice)
            for q, guard in _rejecting_guards(automaton, budget):
                read = after_move(guard, letter)
                if read == FALSE:
                    continue
                state = _divided(game, outcomes, read, diagrams)
                if state is not None:
                    raise _dividing(configuration, number, q, state, letter[1])


def _divided(
    game: GameStructure, outcomes: tuple[int, ...], guard: Expression, diagrams: Diagrams | None
) -> State | None:
    """A state from which a guard holds after some outcomes of an adversary's choice, and not after others."""
    if diagrams is None:
        import numpy as np

        truth, tables = _truth(game, guard), game.tables
        assert tables is not None
        after = truth[tables[Player.ADVERSARY][:, list(outcomes)]]
        bad = np.flatnonzero(after.any(axis=1) & ~after.all(axis=1))
        return game.state(int(bad[0])) if len(bad) else None
    actions = game.actions[Player.ADVERSARY]
    sets = [preimage(diagrams, actions[number], diagrams.truth(guard)) for number in outcomes]
    for one, other in pairwise(sets):
        codes = diagrams.pick((one & ~other | other & ~one) & diagrams.valid)
        if codes is not None:
            return tuple(codes[v.name] for v in game.variables)
    return None


def _dividing(
    configuration: Configuration, clause: int, q: int, state: State, choice: str
) -> InadmissibleError:
    broken = configuration.clauses(Player.ADVERSARY)[clause]
    error = InadmissibleError(
        f'adversary clause {clause + 1}, "{broken.label}", allows some outcomes of {choice} and forbids '
        f"others: at {configuration.game.describe(state)}; automaton in {broken.automaton.states[q]}. "
        "The adversary chooses before the outcome is drawn; let the clause speak of the action, as in "
        f"G ({choice} -> …)"
    )
    error.clause = clause
    return error


def _rejecting_guards(automaton: SafetyAutomaton, budget: Budget) -> list[tuple[int, Expression]]:
    """For each accepting state, the condition under which a letter makes it reject."""
    guards = []
    for q, row in enumerate(automaton.delta):
        if automaton.accepting[q]:
            rejecting = [target for target in sorted(set(row)) if not automaton.accepting[target]]
            guards += [(q, automaton.guard(q, target, budget)) for target in rejecting]
    return guards


def _tabulated_witness(game: GameStructure, action: int, guard: Expression) -> State | None:
    import numpy as np

    assert game.tables is not None
    truth = _truth(game, guard)
    targets = game.tables[Player.DEFENDER][:, action]
    bad = np.flatnonzero((targets != NO_SUCCESSOR) & truth[targets])
    return game.state(int(bad[0])) if len(bad) else None


def _truth(game: GameStructure, guard: Expression) -> Bools:
    """Where a static predicate holds, by state."""
    import numpy as np

    from holdfast.logic import holds_array

    return np.broadcast_to(holds_array(guard, valuation_grid(game)), game.extents).reshape(-1)


def _inadmissible(
    configuration: Configuration, clause: int, q: int, state: State, action: str
) -> InadmissibleError:
    broken = configuration.clauses(Player.ADVERSARY)[clause]
    automaton = broken.automaton
    error = InadmissibleError(
        f'adversary clause {clause + 1}, "{broken.label}", can be violated by the defender: at '
        f"{configuration.game.describe(state)}; defender to move; automaton in {automaton.states[q]}, "
        f"the action {action} makes it reject. φ_A may bind the adversary only (eq:phia-defender): "
        "let the clause speak of adversary moves, as in G (destroy -> …)"
    )
    error.clause = clause
    return error
