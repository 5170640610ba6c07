"""The numbers in a specification, each as a family of clauses that one whole number moves.

A *budget* is a clause whose automaton is a counter: a chain of accepting states along which one and the
same set of letters advances, and which violates past its end; ``G (times(a) <= k)`` compiles to it, and the
counter of fig:dfa-attacker written out is one too. Thresholds and deadlines are numbers in the text of a
formula or in the guards of an automaton (:mod:`holdfast.scenario.knobs`).

Which way is harder on the defender is not guessed from the sign: the automata on both sides of a number are
compared as languages. A smaller language asks more of a defender and allows less to an adversary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

from holdfast.errors import HoldfastError
from holdfast.logic.automata import SafetyAutomaton, synchronous_product
from holdfast.logic.compile import Edge, build_automaton, compile_formula
from holdfast.logic.expressions import Did, Expression, Player, walk
from holdfast.logic.parser import parse_formula, parse_predicate
from holdfast.logic.vocabulary import Vocabulary
from holdfast.product import Configuration
from holdfast.scenario.knobs import PLACE, Knob, knobs_of, one_sided, replaced
from holdfast.scenario.load import Scenario, change_of, clauses_of
from holdfast.scenario.yaml import Node

Family = Callable[[int], SafetyAutomaton]

MAX_COMPARED = 64
"""Numbers of a range whose automata are compared one by one, at most."""


@dataclass(frozen=True)
class Bound:
    """A number in a clause that can be moved.

    Attributes:
        side, clause: where it stands: whose specification, and which clause of it.
        source: the text of that clause.
        template: the bound in words, with a sign in place of its number.
        value: the number as written; None for a limit that is not there yet.
        harder: +1 if larger numbers are harder on the defender, −1 if smaller ones are.
        low, high: numbers past these change nothing more; None where there is no such end.
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
    low: int | None
    high: int | None
    counter: bool = False
    term: Expression | None = field(default=None, compare=False, repr=False)
    automaton: Family = field(kw_only=True, compare=False, repr=False)

    def text(self, k: int | str | None = None) -> str:
        """The bound with a number, its own by default."""
        return self.template.replace(PLACE, str(self.value if k is None else k))


@dataclass(frozen=True)
class Fixed:
    """A clause without a number that can be moved, and why."""

    side: Player
    clause: int
    source: str
    reason: str


def bounds(
    configuration: Configuration, scenario: Scenario | None = None
) -> tuple[tuple[Bound, ...], tuple[Fixed, ...]]:
    """The numbers of both specifications, and the clauses that have none.

    Without the scenario, clauses other than counters are read from the text they were compiled from.

    >>> from holdfast.scenario.load import configuration, scenario_from_text
    >>> from holdfast.scenario.stubs import NETWORK_STUB
    >>> scenario = scenario_from_text(NETWORK_STUB)
    >>> found, fixed = bounds(configuration(scenario), scenario)
    >>> [(b.text(), b.harder) for b in found], [clause.reason for clause in fixed]
    ([('active >= 3', 1), ('times(destroy) <= 2', 1)], ['it has no number to move'])
    """
    found: list[Bound] = []
    fixed: list[Fixed] = []
    for side, automata in (
        (Player.DEFENDER, configuration.defender),
        (Player.ADVERSARY, configuration.adversary),
    ):
        nodes = _nodes(scenario, configuration, side)
        for number, automaton in enumerate(automata):
            node = nodes[number] if number < len(nodes) else None
            own, reason = _of_clause(automaton, node, configuration.game.vocabulary, side, number)
            found += own
            if not own:
                fixed.append(Fixed(side, number, automaton.source, reason))
    return tuple(found), tuple(fixed)


def missing_limits(configuration: Configuration, found: Iterable[Bound]) -> tuple[Bound, ...]:
    """For each kind of adversary action that no budget counts, the budget that is not there."""
    vocabulary = configuration.game.vocabulary
    counted = {
        move
        for bound in found
        if bound.counter and bound.side is Player.ADVERSARY
        for move in _moves(configuration.adversary[bound.clause])
    }
    names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
    free = dict.fromkeys(name.partition("(")[0] for name in names if (Player.ADVERSARY, name) not in counted)
    return tuple(_limit(kind, len(configuration.adversary), vocabulary) for kind in free)


def _limit(kind: str, clause: int, vocabulary: Vocabulary) -> Bound:
    def family(k: int) -> SafetyAutomaton:
        return compile_formula(f"G (times(adversary.{kind}) <= {k})", vocabulary)

    template = f"times({kind}) <= {PLACE}"
    return Bound(Player.ADVERSARY, clause, "", template, None, 1, 0, None, counter=True, automaton=family)


def _moves(automaton: SafetyAutomaton) -> set[tuple[Player, str]]:
    return {
        move
        for atom in automaton.atoms
        for part in walk(atom)
        if isinstance(part, Did)
        for move in part.moves
    }


def _nodes(scenario: Scenario | None, configuration: Configuration, side: Player) -> Sequence[Node]:
    if scenario is None:
        return ()
    return clauses_of(scenario.root, change_of(scenario, configuration.variant), side)


def _of_clause(
    automaton: SafetyAutomaton, node: Node | None, vocabulary: Vocabulary, side: Player, number: int
) -> tuple[list[Bound], str]:
    chain = _counter(automaton)
    if chain is not None:
        return [_budget(automaton, chain, side, number)], ""
    text = _written(automaton, node, vocabulary)
    if text is None:
        return [], "its text is not at hand"
    guards = [text.formula] if text.formula is not None else [guard for _, _, guard in text.edges]
    return _thresholds(automaton, text, guards, vocabulary, side, number)


# -- budgets ------------------------------------------------------------------------------------------


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


def _budget(automaton: SafetyAutomaton, chain: tuple[int, ...], side: Player, number: int) -> Bound:
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

    harder = 1 if side is Player.ADVERSARY else -1
    return Bound(
        side,
        number,
        automaton.source,
        template,
        len(chain) - 1,
        harder,
        0,
        None,
        counter=True,
        automaton=family,
    )


# -- thresholds ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Written:
    """A clause as it was written: a formula, or an automaton with guarded edges."""

    formula: Expression | None = None
    states: tuple[str, ...] = ()
    initial: str = ""
    accepting: tuple[str, ...] = ()
    edges: tuple[tuple[str, str, Expression], ...] = ()


def _written(automaton: SafetyAutomaton, node: Node | None, vocabulary: Vocabulary) -> _Written | None:
    if node is None:
        try:
            if compile_formula(automaton.source, vocabulary) == automaton:
                return _Written(parse_formula(automaton.source, vocabulary))
        except HoldfastError:
            pass
        return None
    written = node.get("automaton")
    if written is None:
        text = node if node.kind == "scalar" else node["formula"]
        return _Written(parse_formula(text.text, vocabulary))
    edges = []
    for edge in written["edges"].items:
        when = edge.get("when")
        guard = parse_predicate(when.text if when is not None else "true", vocabulary)
        edges.append((edge["from"].text, edge["to"].text, guard))
    return _Written(
        None,
        tuple(state.text for state in written["states"].items),
        written["initial"].text,
        tuple(state.text for state in written["accepting"].items),
        tuple(edges),
    )


def _thresholds(
    automaton: SafetyAutomaton,
    written: _Written,
    parts: list[Expression],
    vocabulary: Vocabulary,
    side: Player,
    number: int,
) -> tuple[list[Bound], str]:
    knobs, reason = knobs_of(parts)
    if not knobs:
        return [], reason
    found = []
    for knob in knobs:
        family = _moved(automaton, written, knob, vocabulary)
        steady = (
            _keeps_order(family, knob, vocabulary)
            if written.formula is None
            else (one_sided(written.formula, knob))
        )
        harder = _direction(family, _decisive(knob), side, vocabulary) if steady else None
        if harder is not None:
            place = (side, number, automaton.source, knob.template, knob.value, harder, knob.low, knob.high)
            found.append(Bound(*place, term=knob.term, automaton=family))
    return found, "its numbers cannot be moved one at a time"


def _moved(automaton: SafetyAutomaton, written: _Written, knob: Knob, vocabulary: Vocabulary) -> Family:
    @cache
    def family(k: int) -> SafetyAutomaton:
        changed = knob.changed(k - knob.value)
        if written.formula is not None:
            return compile_formula(str(replaced(written.formula, changed)), vocabulary)
        edges = [Edge(p, q, str(replaced(guard, changed))) for p, q, guard in written.edges]
        return build_automaton(
            written.states, written.initial, written.accepting, edges, vocabulary, automaton.source
        )

    return family


def _decisive(knob: Knob) -> int:
    """The number, or the end of its range where it stands past it: out there nothing changes any more."""
    value = knob.value if knob.low is None else max(knob.value, knob.low)
    return value if knob.high is None else min(value, knob.high)


def _keeps_order(family: Family, knob: Knob, vocabulary: Vocabulary) -> bool:
    """Whether the automata of a family only shrink, or only grow, along the whole range of the number."""
    if knob.low is None or knob.high is None or knob.high - knob.low > MAX_COMPARED:
        return False
    try:
        whole = [family(k) for k in range(knob.low, knob.high + 1)]
        pairs = list(pairwise(whole))
        return all(_included(a, b, vocabulary) for a, b in pairs) or all(
            _included(b, a, vocabulary) for a, b in pairs
        )
    except HoldfastError:
        return False


def _direction(family: Family, value: int, side: Player, vocabulary: Vocabulary) -> int | None:
    """Which way the clause becomes harder on the defender; None if that cannot be told."""
    for step in (1, -1):
        try:
            here, there = family(value), family(value + step)
            shrinks, grows = _included(there, here, vocabulary), _included(here, there, vocabulary)
        except HoldfastError:
            continue
        if shrinks != grows:
            return step if shrinks == (side is Player.DEFENDER) else -step
    return None


def is_empty(automaton: SafetyAutomaton) -> bool:
    """Whether an automaton accepts no word at all: nothing can satisfy the clause.

    >>> from holdfast.models.network import network_game
    >>> vocabulary = network_game(["GW", "DB"], [], "GW").vocabulary
    >>> [is_empty(compile_formula(f"G (active >= {k})", vocabulary)) for k in (2, 3)]
    [False, True]
    """
    alive = {q for q in range(automaton.n_states) if automaton.accepting[q]}
    while doomed := {q for q in alive if alive.isdisjoint(automaton.delta[q])}:
        alive -= doomed
    return alive.isdisjoint(automaton.delta[automaton.initial])


def _included(one: SafetyAutomaton, other: SafetyAutomaton, vocabulary: Vocabulary) -> bool:
    """Whether every word that one accepts is accepted by the other."""
    both = synchronous_product((one, other), vocabulary)
    seen, waiting = {both.initial}, [both.initial]
    while waiting:
        p, q = divmod(waiting[-1], other.n_states)
        if one.accepting[p] and not other.accepting[q]:
            return False
        new = set(both.delta[waiting.pop()]) - seen
        seen |= new
        waiting += new
    return True
