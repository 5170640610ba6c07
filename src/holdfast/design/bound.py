"""The numbers in a specification, each as a family of clauses that one whole number moves.

A *budget* is a clause whose automaton is a counter: a chain of accepting states along which one and the
same set of letters advances, and which violates past its end; ``G (times(a) <= k)`` compiles to it, and the
counter of fig:dfa-attacker written out is one too. Thresholds and deadlines are numbers in the text of a
formula or in the guards of an automaton (:mod:`holdfast.design.knobs`).

Which way is harder on the defender is not guessed from the sign: the automata on both sides of a number are
compared as languages. A smaller language asks more of a defender and allows less to an adversary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

from holdfast.design.knobs import PLACE, Knob, knobs_of, one_sided, replaced
from holdfast.errors import HoldfastError
from holdfast.game import Clause, Configuration
from holdfast.logic import (
    Did,
    Expression,
    Player,
    SafetyAutomaton,
    Vocabulary,
    action_type,
    build_automaton,
    compile_formula,
    compile_tree,
    is_included,
    walk,
)

Family = Callable[[int], SafetyAutomaton]

MAX_COMPARED = 64
"""Numbers of a range whose automata are compared one by one, at most."""


@dataclass(frozen=True)
class Bound:
    """A number in a clause that can be moved.

    Attributes:
        side, clause: where it stands: whose specification, and which clause of it.
        source: the label of that clause.
        template: the bound in words, with a sign in place of its number.
        value: the number as written; None for a limit that is not there yet.
        harder: +1 if larger numbers are harder on the defender, −1 if smaller ones are.
        low, high: numbers past these change nothing more; None for a range without an upper end.
        counter: whether the clause says this and nothing else, so that without the clause it is unlimited.
        term: of a threshold on states, what is compared.
        automaton: the clause with another number.
    """

    side: Player
    clause: int
    source: str
    template: str
    value: int | None
    harder: int
    low: int
    high: int | None
    counter: bool = False
    term: Expression | None = field(default=None, compare=False, repr=False)
    automaton: Family = field(kw_only=True, compare=False, repr=False)

    def text(self, k: int | str | None = None) -> str:
        """The bound with a number, its own by default."""
        return self.template.replace(PLACE, str(self.value if k is None else k))

    def eased(self) -> SafetyAutomaton:
        """The clause with the next number that is easier on the defender."""
        assert self.value is not None
        return self.automaton(self.value - self.harder)


@dataclass(frozen=True)
class Unmoved:
    """A clause without a number that can be moved, and why."""

    side: Player
    clause: str
    reason: str


def bounds(configuration: Configuration) -> tuple[tuple[Bound, ...], tuple[Unmoved, ...]]:
    """The numbers of both specifications, and the clauses that have none.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.reading import configuration, scenario_from_text
    >>> found, fixed = bounds(configuration(scenario_from_text(STUB)))
    >>> [(b.text(), b.harder) for b in found], [clause.reason for clause in fixed]
    ([('active >= 3', 1), ('times(destroy) <= 2', 1)], ['it has no number to vary'])
    """
    movable: list[Bound] = []
    fixed: list[Unmoved] = []
    sides = {Player.DEFENDER: configuration.requirement, Player.ADVERSARY: configuration.boundary}
    for side, clauses in sides.items():
        for number, clause in enumerate(clauses):
            movable_here, reason = _of_clause(clause, configuration.game.vocabulary, side, number)
            movable += movable_here
            if not movable_here:
                fixed.append(Unmoved(side, clause.label, reason))
    return tuple(movable), tuple(fixed)


def missing_limits(configuration: Configuration, bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """For each kind of adversary action that no budget counts, the budget that is not there."""
    vocabulary = configuration.game.vocabulary
    counted = {
        move
        for bound in bounds
        if bound.counter and bound.side is Player.ADVERSARY
        for move in _moves(configuration.adversary[bound.clause])
    }
    actions = configuration.game.actions[Player.ADVERSARY]
    free = dict.fromkeys(action.type for action in actions if (Player.ADVERSARY, action.name) not in counted)
    return tuple(_limit(kind, len(configuration.boundary), vocabulary) for kind in free)


def adversary_budgets(configuration: Configuration) -> tuple[tuple[str, Bound], ...]:
    """The budgets of φ_A that count actions of one type, each with that type.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.reading import configuration, scenario_from_text
    >>> [(kind, b.text()) for kind, b in adversary_budgets(configuration(scenario_from_text(STUB)))]
    [('destroy', 'times(destroy) <= 2')]
    """
    readable = []
    for number, clause in enumerate(configuration.boundary):
        kinds = {(player, action_type(name)) for player, name in _moves(clause.automaton)}
        chain = _counter(clause.automaton) if len(kinds) == 1 else None
        ((player, kind),) = kinds if chain is not None else ((None, ""),)
        if chain is not None and player is Player.ADVERSARY:
            readable.append((kind, _budget(clause, chain, Player.ADVERSARY, number)))
    return tuple(readable)


def _limit(kind: str, clause: int, vocabulary: Vocabulary) -> Bound:
    def family(k: int) -> SafetyAutomaton:
        return compile_formula(f"G (times(adversary.{kind}) <= {k})", vocabulary)

    template = f"times({kind}) <= {PLACE}"
    return Bound(Player.ADVERSARY, clause, "", template, None, 1, 0, None, counter=True, automaton=family)


def _moves(automaton: SafetyAutomaton) -> set[tuple[Player, str]]:
    parts = (part for atom in automaton.atoms for part in walk(atom))
    return {move for part in parts if isinstance(part, Did) for move in part.moves}


def _of_clause(clause: Clause, vocabulary: Vocabulary, side: Player, number: int) -> tuple[list[Bound], str]:
    chain = _counter(clause.automaton)
    if chain is not None:
        return [_budget(clause, chain, side, number)], ""
    parts = [clause.formula] if clause.formula is not None else [edge.when for edge in clause.edges]
    trees = [part for part in parts if not isinstance(part, str)]
    if not trees:
        return [], "its text is not at hand"
    knobs, reason = knobs_of(trees, vocabulary.tallies)
    thresholds = [_threshold(clause, knob, vocabulary, side, number) for knob in knobs]
    moved = [bound for bound in thresholds if bound is not None]
    return moved, "its numbers cannot be moved one at a time" if knobs else reason


# -- budgets ------------------------------------------------------------------------------------------


def is_counter(automaton: SafetyAutomaton) -> bool:
    """Whether an automaton only counts some letters, and rejects when there are too many of them."""
    return _counter(automaton) is not None


def _counter(automaton: SafetyAutomaton) -> tuple[int, ...] | None:
    """The chain of accepting states of a counter, from its start; None for any other automaton."""
    q, chain = automaton.initial, [automaton.initial]
    advancing: frozenset[int] | None = None
    while True:
        row = automaton.delta[q]
        onward = {t for t in row if t != q}
        letters = frozenset(j for j, t in enumerate(row) if t != q)
        if not automaton.accepting[q] or len(onward) != 1 or (advancing or letters) != letters:
            return None
        advancing, (after,) = letters, onward
        if not automaton.accepting[after]:
            # "never" is a counter of 0 only where it is moves that are counted
            counts = len(chain) > 1 or isinstance(automaton.guard(q, after), Did)
            return tuple(chain) if counts else None
        q = after
        if q in chain:
            return None
        chain.append(q)


def _budget(clause: Clause, chain: tuple[int, ...], side: Player, number: int) -> Bound:
    automaton = clause.automaton
    advancing = [t != chain[0] for t in automaton.delta[chain[0]]]
    after = chain[1] if len(chain) > 1 else next(t for t in automaton.delta[chain[0]] if t != chain[0])
    template = f"times({automaton.guard(chain[0], after)}) <= {PLACE}"

    def family(k: int) -> SafetyAutomaton:
        rows = [tuple(q + step for step in advancing) for q in range(k + 1)]
        return replace(
            automaton,
            source=template.replace(PLACE, str(k)),
            states=(*(f"q{i}" for i in range(k + 1)), "viol"),
            initial=0,
            accepting=(*(True for _ in rows), False),
            delta=(*rows, (k + 1,) * len(advancing)),
        )

    place = (side, number, clause.label, template, len(chain) - 1, 1 if side is Player.ADVERSARY else -1)
    return Bound(*place, 0, None, counter=True, automaton=family)


# -- thresholds ---------------------------------------------------------------------------------------


def _threshold(clause: Clause, knob: Knob, vocabulary: Vocabulary, side: Player, number: int) -> Bound | None:
    """The number as a bound; None where moving it does not push the clause one way."""
    family = _moved(clause, knob, vocabulary)
    if clause.formula is not None:
        steady = one_sided(clause.formula, knob)
    else:
        steady = _keeps_order(family, knob, vocabulary)
    # Past an end of its range the number changes nothing any more: it is asked at the end.
    value = max(knob.value, knob.low)
    value = value if knob.high is None else min(value, knob.high)
    harder = _direction(family, value, side, vocabulary) if steady else None
    if harder is None:
        return None
    place = (side, number, clause.label, knob.template, knob.value, harder, knob.low, knob.high)
    return Bound(*place, term=knob.term, automaton=family)


def _moved(clause: Clause, knob: Knob, vocabulary: Vocabulary) -> Family:
    """The automata of a clause with other numbers in the knob's place."""
    automaton = clause.automaton

    @cache
    def family(k: int) -> SafetyAutomaton:
        changed = knob.changed(k - knob.value)
        if clause.formula is not None:
            return compile_tree(replaced(clause.formula, changed), vocabulary)
        edges = [
            replace(edge, when=replaced(edge.when, changed))
            for edge in clause.edges
            if not isinstance(edge.when, str)
        ]
        accepting = [name for name, kept in zip(automaton.states, automaton.accepting, strict=True) if kept]
        initial = automaton.states[automaton.initial]
        return build_automaton(automaton.states, initial, accepting, edges, vocabulary, clause.label)

    return family


def _keeps_order(family: Family, knob: Knob, vocabulary: Vocabulary) -> bool:
    """Whether the automata of a family only shrink, or only grow, along the whole range of the number."""
    if knob.high is None or knob.high - knob.low > MAX_COMPARED:
        return False
    try:
        whole = [family(k) for k in range(knob.low, knob.high + 1)]
        pairs = list(pairwise(whole))
        return all(is_included(a, b, vocabulary) for a, b in pairs) or all(
            is_included(b, a, vocabulary) for a, b in pairs
        )
    except HoldfastError:
        return False


def _direction(family: Family, value: int, side: Player, vocabulary: Vocabulary) -> int | None:
    """Which way the clause becomes harder on the defender; None if that cannot be told."""
    for step in (1, -1):
        try:
            here, there = family(value), family(value + step)
            shrinks, grows = is_included(there, here, vocabulary), is_included(here, there, vocabulary)
        except HoldfastError:
            continue
        if shrinks != grows:
            return step if shrinks == (side is Player.DEFENDER) else -step
    return None
