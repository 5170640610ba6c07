"""Terms and predicates as decision diagrams against their values, state by state; deadlines of the logic."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

import reference
from budgets import watched
from holdfast.budget import Budget
from holdfast.errors import LimitError, ModelError
from holdfast.game.actions import Action, Rule
from holdfast.game.configuration import configure
from holdfast.game.structure import GameStructure, movers, successor
from holdfast.logic.automata import feasible_masks
from holdfast.logic.compile import Edge, build_automaton, compile_formula
from holdfast.logic.diagrams import Diagrams
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import TRUE, Compare, Number, Player, Read, Symbol, Variable
from holdfast.logic.parser import parse_predicate, parse_term
from holdfast.logic.vocabulary import Vocabulary

X, Y, Z = Variable("x", range(-2, 5)), Variable("y", range(3)), Variable("z", range(1, 6))
S, T = Variable("s", ("a", "b", "c")), Variable("t", ("b", "a", "c", "d"))
SMALL = Vocabulary((X, S, Y, T, Z))


def all_states():
    """Every state as codes and as values, by name."""
    for codes in product(*(range(len(v.values)) for v in SMALL.variables)):
        by_name = dict(zip([v.name for v in SMALL.variables], codes))
        yield by_name, {v.name: v.values[by_name[v.name]] for v in SMALL.variables}


def random_term(rng: random.Random, depth: int) -> str:
    """The text of a term: sums, products, quotients, counts."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(
            ("x", "y", "z", str(rng.randint(0, 3)), "0.5", "count(s, t in {a, b})", "count(* in {1})")
        )
    one, other = random_term(rng, depth - 1), random_term(rng, depth - 1)
    return rng.choice(
        (f"({one} + {other})", f"({one} - {other})", f"({one}) * 2", f"({one}) / 3", f"({one}) * ({other})",
         f"({one}) / (z + {rng.randint(0, 2)})")
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_terms_and_comparisons_are_exact(seed):
    """Should split the states by the value that the definition gives."""
    rng = random.Random(f"diagrams {seed}")
    one, other = (parse_term(random_term(rng, 3), SMALL) for _ in range(2))
    op = rng.choice(("=", "!=", "<", "<=", ">", ">="))
    diagrams, compared = Diagrams(SMALL.variables), Compare(op, one, other)
    truth, by_value = diagrams.truth(compared), diagrams.term(one)
    for codes, values in all_states():
        point = diagrams.point(codes)
        exact = Fraction(reference.value(one, values))
        assert [value for value, states in by_value.items() if states.eval(point)] == [exact]
        assert truth.eval(point) == reference.value(compared, values)
        assert reader(compared, {name: name for name in codes})(codes) == reference.value(compared, values)
        assert reader(one, {name: name for name in codes})(codes) == exact


@pytest.mark.parametrize("seed", range(40))
def test_assignments_set_the_bits_of_the_new_code(seed):
    """Should say where an assignment leaves the domain, and give the code everywhere else."""
    rng = random.Random(f"assignments {seed}")
    variable = rng.choice((X, Y, Z))
    value = parse_term(random_term(rng, 2), SMALL)
    diagrams = Diagrams(SMALL.variables)
    outside, by_code = diagrams.outside(variable, value), diagrams.by_code(variable, value)
    substitution = diagrams.assignment(((variable, value),))
    after = {
        code: diagrams.cube(variable, code).substitute(substitution) for code in range(len(variable.values))
    }
    for codes, values in all_states():
        point, exact = diagrams.point(codes), Fraction(reference.value(value, values))
        inside = exact.denominator == 1 and int(exact) in variable.values
        expected = variable.code(int(exact)) if inside else -1
        assert outside.eval(point) == (not inside)
        assert [code for code, states in by_code.items() if states.eval(point)] == [expected]
        if inside:
            assert [code for code, states in after.items() if states.eval(point)] == [expected]


def test_symbols_are_copied_by_value_and_not_by_code():
    """Should translate the codes of one domain to those of another."""
    diagrams = Diagrams(SMALL.variables)
    assert not diagrams.outside(T, Read(S)).satisfiable()
    after = {
        code: diagrams.cube(T, code).substitute(diagrams.assignment(((T, Read(S)),))) for code in range(4)
    }
    for codes, values in all_states():
        here = [code for code, states in after.items() if states.eval(diagrams.point(codes))]
        assert here == [T.code(values["s"])]
    lost = diagrams.outside(S, Read(T))
    assert diagrams.count(lost & diagrams.cube(T, 3)) == diagrams.count(lost) > 0


def test_a_copy_out_of_the_domain_is_refused_with_a_state():
    """Should be Holdfast's error, and say where."""
    with pytest.raises(ModelError, match=r"s := t leaves the domain of s at .*t = d"):
        a_game((S, T), (Rule(TRUE, ((S, Read(T)),)),))


# -- work and deadlines -------------------------------------------------------------------------------


def a_game(variables, rules, budget=None, dominance=None):
    """A game with one action that matters."""
    return GameStructure(
        variables=variables,
        initial=(0,) * len(variables),
        first=Player.DEFENDER,
        actions={Player.DEFENDER: (Action("act", rules),), Player.ADVERSARY: (Action("wait"),)},
        dominance=dominance or Number(Fraction(1)),
        **({"budget": budget} if budget is not None else {}),
    )


def ticks(work):
    """How often a piece of work looks at its budget."""
    seen = []
    work(watched(seen.append))
    return len(seen)


def many(n, size):
    """So many variables with so many values, and their names added up."""
    variables = tuple(Variable(f"v{i}", range(size)) for i in range(n))
    return variables, " + ".join(v.name for v in variables)


def test_sums_take_as_many_steps_as_there_are_totals():
    """Should add up sixty variables with steps for totals, and not for all pairs of sets."""
    variables, text = many(60, 10)
    predicate = parse_predicate(f"{text} < 300", Vocabulary(variables))
    assert ticks(lambda budget: Diagrams(variables, budget=budget).truth(predicate)) < 60 * 540 + 1000


def test_domains_are_checked_by_bounds_where_they_suffice():
    """Should not look at ten thousand values to see that a copy stays inside the domain."""
    variables, _ = many(1000, 10_000)
    copies = tuple((one, Read(other)) for one, other in zip(variables, (*variables[1:], variables[0])))
    assert ticks(lambda budget: a_game(variables, (Rule(TRUE, copies),), budget)) < 20_000


PAST = Budget(deadline=0.0, over="the time ran out")
LEVELS, LEVEL_SUM = many(3, 201)
LARGE = Vocabulary(LEVELS, {Player.ADVERSARY: ("wait",)})

LONG = {
    "compiling": lambda budget: compile_formula(f"G ({LEVEL_SUM} < 300)", LARGE, budget),
    "compiling what branches": lambda budget: compile_formula(
        "G (X v0 < 3 <-> F[<=9] v1 < 3)", LARGE, budget
    ),
    "building": lambda budget: build_automaton(["q"], "q", ["q"], [Edge("q", "q")], LARGE, budget=budget),
    "letters": lambda budget: feasible_masks((parse_predicate("v0 < 3", LARGE),), LARGE, budget),
    "truth": lambda budget: Diagrams(LEVELS, budget=budget).truth(parse_predicate("v0 < 3", LARGE)),
    "terms": lambda budget: Diagrams(LEVELS, budget=budget).term(parse_term("v0 * v1", LARGE)),
    "assignments": lambda budget: Diagrams(LEVELS, budget=budget).assignment(
        ((LEVELS[0], parse_term("v1 + v2", LARGE)),)
    ),
    "a game": lambda budget: a_game(LEVELS, (Rule(TRUE, ((LEVELS[0], Read(LEVELS[1])),)),), budget),
    "a dominance": lambda budget: a_game(
        LEVELS, (), budget, parse_term("v0 * v1 / 40000 - v2 / 9999", LARGE)
    ),
    "a configuration": lambda budget: configure(
        a_game(LEVELS, ()), [], ["G (wait -> times(wait) <= v0 + 1)"], budget=budget
    ),
}


@pytest.mark.parametrize("work", LONG.values(), ids=LONG.keys())
def test_past_the_deadline_the_work_ends(work):
    """Should stop with LimitError, never with a wrong answer."""
    with pytest.raises(LimitError, match="the time ran out"):
        work(PAST)


@pytest.mark.parametrize("work", [LONG["compiling"], LONG["assignments"], LONG["a dominance"]])
def test_the_budget_is_asked_all_along(work):
    """Should end whenever the watcher asks for it, early or late."""
    whole = 0

    def count(doing):
        nonlocal whole
        whole += 1

    with suppress(ModelError):
        work(watched(count))
    for stop in (1, whole // 2, whole - 1):
        seen = 0

        def interrupt(doing, stop=stop):
            nonlocal seen
            seen += 1
            if seen >= stop:
                raise LimitError("interrupted")

        with pytest.raises(LimitError, match="interrupted"):
            work(watched(interrupt))
        assert stop <= seen <= stop + 1


def test_a_deadline_while_an_admissible_boundary_is_checked():
    """Should reach the check of φ_A too, and not be kept by the configuration."""
    configuration = configure(a_game(LEVELS, ()), [], ["G (wait -> times(wait) <= 2)"])
    with pytest.raises(LimitError, match="the time ran out"):
        replace(configuration, budget=PAST)
    assert replace(configuration, name="again") == replace(configuration, name="again")


def test_a_formula_is_limited_with_its_definitions_written_out():
    """Should refuse a short text that stands for a very long one."""
    definitions = {"d": parse_predicate(" & ".join(["v0 < 3"] * 5000), LARGE)}
    vocabulary = Vocabulary(LEVELS, {}, definitions)
    with pytest.raises(Exception, match="written out it has more than 200,000 parts"):
        compile_formula("G (" + " | ".join(["d"] * 100) + ")", vocabulary)


# -- moves --------------------------------------------------------------------------------------------


def test_moves_are_functions_of_the_state():
    """Should be δ of the definition, for every state and action."""
    rules = (
        Rule(parse_predicate("x < 2 & s != b", SMALL), ((X, parse_term("x + y", SMALL)), (T, Read(S)))),
        Rule(TRUE, ((S, Symbol("c")), (Y, parse_term("(4 * y) / 4", SMALL)))),
    )
    game = a_game(SMALL.variables, rules)
    for codes, values in all_states():
        state = tuple(codes.values())
        expected = reference.freeze(game, reference.delta(game, Player.DEFENDER, 0, values))
        assert movers(game, Player.DEFENDER)[0](state) == expected
        assert successor(game, Player.DEFENDER, 0, state) == expected
        assert successor(game, Player.ADVERSARY, 0, state) == state
