"""Formulas to automata: published automata, brute-force semantics on lassos, and MONA for the past."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

import reference
from cases import TIMES
from holdfast.budget import Budget
from holdfast.errors import AutomatonError, FormulaError, LivenessError
from holdfast.logic import compile as compiler
from holdfast.logic.automata import feasible_masks
from holdfast.logic.compile import Edge, build_automaton, compile_formula
from holdfast.logic.expressions import Player, Variable, walk
from holdfast.logic.inclusion import is_empty, is_included, languages
from holdfast.logic.machine import build_machine
from holdfast.logic.parser import parse_formula
from holdfast.logic.temporal import NormalForm
from holdfast.logic.vocabulary import Vocabulary
from lassos import accepts, random_words
from strategies import random_clause, random_formula, random_predicate, random_variables, synchronous_product

N_FORMULAS, N_CHUNKS = 800 * TIMES, 8


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_automaton_accepts_exactly_the_satisfying_words(chunk):
    """Should agree with the semantics of every operator on random lassos."""
    outcomes = set()
    for seed in range(chunk * N_FORMULAS // N_CHUNKS, (chunk + 1) * N_FORMULAS // N_CHUNKS):
        rng = random.Random(seed)
        vocabulary = Vocabulary(
            random_variables(rng)[:2], {Player.DEFENDER: ("d0", "d1"), Player.ADVERSARY: ("a0", "a1")}
        )
        text = random_formula(rng, vocabulary, 3)
        try:
            automaton = compile_formula(text, vocabulary)
        except (LivenessError, AutomatonError):
            continue
        node = parse_formula(text, vocabulary)
        for word, loop in random_words(rng, vocabulary, 12):
            expected = reference.satisfies(node, word, loop)
            outcomes.add(expected)
            assert accepts(automaton, word, loop) == expected, (seed, text, word, loop)
        _assert_rejects_early(automaton, vocabulary, (seed, text))
    assert outcomes == {True, False}


def _assert_rejects_early(automaton, vocabulary, note):
    """Every accepting state that a play can be in has a continuation that accepts."""
    letters = feasible_masks(automaton.atoms, vocabulary)
    for q, row in enumerate(automaton.delta):
        entered = any(t == q for row in automaton.delta for t in row)
        if automaton.accepting[q] and entered:
            later = [t for t, moved in zip(row, letters.after_moves) if moved]
            assert any(automaton.accepting[t] for t in later), note


def test_published_automata(vocabulary):
    """Should give the automata of fig:dfa-defender(b) and fig:dfa-attacker."""
    active = compile_formula("G (active >= 3)", vocabulary)
    assert (active.n_states, active.n_accepting) == (2, 1)
    counter = compile_formula("G (times(destroy) <= 2)", vocabulary)
    assert counter.states == ("q0", "q1", "q2", "viol")
    assert [[counter.states[t] for t in row] for row in counter.delta] == [
        ["q0", "q1"], ["q1", "q2"], ["q2", "viol"], ["viol", "viol"],
    ]  # fmt: skip
    for k in (0, 1, 7, 100):
        assert compile_formula(f"G (times(destroy) <= {k})", vocabulary).n_states == k + 2


@pytest.mark.parametrize(
    ("text", "n_states"),
    [
        ("G (DB = C & DB = X)", 1),
        ("X (DB = C & DB = X)", 1),
        ("X X (DB = C & DB = X)", 1),
        ("G !(DB = C & DB = X)", 2),
        ("G (DB = X -> X DB != X)", 3),
        ("G (DB = X -> F[<=3] DB != X)", 5),
        ("G F[<=500] DB = C", 502),
        ("DB = C W WS = C", 3),
        ("G (times(destroy) + times(spread) <= 3)", 5),
        ("G (2 * times(destroy) < 5)", 4),
        ("G (times(destroy) <= 1 | times(destroy) >= 3)", 3),
        ("G (destroy -> times(destroy) <= active)", 7),
    ],
)
def test_sizes_are_minimal_and_violation_is_seen_early(text, n_states, vocabulary):
    """Should prune states that must violate and merge states with the same future."""
    assert compile_formula(text, vocabulary).n_states == n_states


@pytest.mark.parametrize(
    ("text", "bounded"),
    [
        ("F DB = C", "F[<=k] p"),
        ("DB = C U WS = C", "p U[<=k] q"),
        ("!(G DB = C)", "F[<=k] !p"),
        ("!(DB = C W WS = C)", "U[<=k]"),
        ("G (DB = X -> F DB = C)", "F[<=k] p"),
    ],
)
def test_liveness_is_refused_with_the_bounded_form(text, bounded, vocabulary):
    """Should say why and what to write instead."""
    with pytest.raises(LivenessError) as caught:
        compile_formula(text, vocabulary)
    assert "liveness" in caught.value.problem
    assert bounded in caught.value.problem
    assert text[caught.value.at] in "FUGW"


@pytest.mark.parametrize("text", ["!F DB = C", "!(DB = C U WS = C)", "!(F DB = C | F WS = X)"])
def test_negated_liveness_is_safety(text, vocabulary):
    """Should compile what becomes safe in negation normal form."""
    assert compile_formula(text, vocabulary).n_accepting >= 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("G (times(destroy) <= 100000000000)", "automaton states"),
        ("F[<=100000000000] DB = C", "automaton states"),
        ("G (times(destroy) <= 50 | times(spread) <= 50)", "automaton states"),
    ],
)
def test_sizes_are_limited_before_they_are_built(text, words, vocabulary):
    """Should refuse what would not fit, saying how large it would be."""
    with pytest.raises(AutomatonError, match=words):
        compile_formula(text, vocabulary)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("G (times(destroy) - times(fix) <= 1)", "opposite directions"),
        ("G (times(destroy) * active <= 1)", "stand alone or in a sum"),
        ("O G DB = C", "looks ahead"),
    ],
)
def test_what_has_no_finite_memory_is_refused(text, words, vocabulary):
    """Should explain why the clause is outside the language."""
    with pytest.raises(FormulaError, match=words):
        compile_formula(text, vocabulary)


def test_product_accepts_iff_both_do():
    """Should be the conjunction, on random pairs of clauses and random words."""
    tried = 0
    for seed in range(150):
        rng = random.Random(seed)
        vocabulary = Vocabulary(random_variables(rng)[:2], {Player.ADVERSARY: ("a0", "a1")})
        try:
            one = compile_formula(random_formula(rng, vocabulary, 2), vocabulary)
            other = compile_formula(random_formula(rng, vocabulary, 2), vocabulary)
        except LivenessError:
            continue
        both = synchronous_product((one, other), vocabulary)
        assert both.n_states == one.n_states * other.n_states
        for word, loop in random_words(rng, vocabulary, 8):
            assert accepts(both, word, loop) == (accepts(one, word, loop) and accepts(other, word, loop))
        tried += 1
    assert tried > 60


# -- formulas that used to double ---------------------------------------------------------------------

NESTED = {
    "equal parts": " <-> ".join(["(X DB = C)"] * 20),
    "bounded parts": "G (" + " <-> ".join(f"(F[<={k}] DB = C)" for k in range(1, 21)) + ")",
    "mixed operators": "G ("
    + " <-> ".join(["X X DB = C", "F[<=2] WS = X", "(DB = C R[<=1] WS = C)"] * 7)
    + ")",
    "weak until to the right": "DB = C W (" * 25 + "WS = C" + ")" * 25,
    "negated": "!(" * 20 + "X DB = C" + " <-> X WS = C)" * 20,
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED.keys())
def test_a_normal_form_grows_with_the_formula_and_not_faster(text, vocabulary):
    """Should hold each part once, however often equivalences and weak untils need it."""
    formula = parse_formula(text, vocabulary)
    assert len(NormalForm(formula, text).parts) <= 6 * sum(1 for _ in walk(formula))


@pytest.mark.parametrize("text", [text for name, text in NESTED.items() if name != "mixed operators"])
def test_nested_equivalences_compile(text, vocabulary):
    """Should give a small automaton where there is one."""
    assert compile_formula(text, vocabulary).n_states <= 12


def test_what_still_branches_is_refused(vocabulary):
    """Should count the work, and stop before there is too much of it."""
    parts = [f"(F[<=3] {host} = {status})" for host in ("GW", "DB") for status in "CXDIZ"]
    with pytest.raises(AutomatonError, match="split it into several clauses"):
        compile_formula(" <-> ".join(parts * 2), vocabulary)


@pytest.mark.parametrize("seed", range(60))
def test_equivalences_of_future_formulas_agree_with_the_semantics(seed):
    """Should agree on random lassos, also where an equivalence holds another one."""
    rng = random.Random(f"iff {seed}")
    vocabulary = Vocabulary(random_variables(rng)[:2], {Player.ADVERSARY: ("a0", "a1")})
    one, two, three = (random_predicate(rng, vocabulary, 1) for _ in range(3))
    text = f"G ((X ({one})) <-> !((F[<={rng.randint(0, 2)}] ({two})) <-> (({three}) U[<=2] ({one}))))"
    automaton, node = compile_formula(text, vocabulary), parse_formula(text, vocabulary)
    for word, loop in random_words(rng, vocabulary, 12):
        assert accepts(automaton, word, loop) == reference.satisfies(node, word, loop), (text, word, loop)


def test_counters_beside_a_variable_are_told_apart_by_their_sum():
    """Should have an atom for each sum of the counts, and not for each pair of them."""
    vocabulary = Vocabulary((Variable("x", range(31)), Variable("a", ("n", "y")), Variable("b", ("n", "y"))))
    automaton = compile_formula("G (times(a = y) + times(b = y) <= x)", vocabulary)
    assert automaton.n_states == 32
    assert len(automaton.atoms) <= 2 * 32 + 2


# -- languages ----------------------------------------------------------------------------------------


def test_a_clause_that_is_asked_about_again_is_what_is_compiled_anew(monkeypatch):
    """Should be so, after as many steps, also where vocabularies share names, texts and actions."""
    monkeypatch.setattr(compiler, "_kept", {})
    actions = ({}, {Player.DEFENDER: ("x", "y")}, {Player.ADVERSARY: ("x",), Player.DEFENDER: ("y", "z")})
    sizes, told = set(), []
    budget = Budget(watch=lambda doing, done: told.append(doing))
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        of = dict(zip("ab", rng.sample((2, 3, 5), 2)))
        variables = tuple(Variable(name, range(size)) for name, size in of.items())
        vocabulary = Vocabulary(variables[:: rng.choice((1, -1))], rng.choice(actions))
        for text in (
            "G (a < 2)",
            "G (times(a = 1) <= 2)",
            "G (a = 1 -> b = 0)",
            random_formula(rng, vocabulary, 2),
        ):
            told.clear()
            try:
                found = compile_formula(text, vocabulary, budget)
            except (LivenessError, AutomatonError):
                continue
            steps = told.copy()
            told.clear()
            assert compile_formula(text, vocabulary, budget) == found and told == steps, (seed, text)
            node = parse_formula(text, vocabulary)
            assert found == compiler._compiled(node, vocabulary, text, Budget()), (seed, text)
            sizes.add(found.n_states)
    assert len(sizes) > 3 and len(compiler._kept) == compiler.MOST_KEPT


def test_inclusion_agrees_with_the_runs():
    """Should be right on random clauses: a product is included in its factors, and words bear a no out."""
    apart = 0
    for seed in range(120):
        rng = random.Random(f"languages {seed}")
        vocabulary = Vocabulary(random_variables(rng)[:2], {Player.ADVERSARY: ("a0", "a1")})
        one, other = random_clause(rng, vocabulary), random_clause(rng, vocabulary)
        both = synchronous_product((one, other), vocabulary)
        assert is_included(both, one, vocabulary) and is_included(both, other, vocabulary)
        assert is_included(one, one, vocabulary)
        assert is_included(one, both, vocabulary) == is_included(one, other, vocabulary)
        words = list(random_words(rng, vocabulary, 30))
        apart += not is_included(one, other, vocabulary)
        if any(accepts(one, *word) and not accepts(other, *word) for word in words):
            assert not is_included(one, other, vocabulary), seed
        if is_empty(one):
            assert not any(accepts(one, *word) for word in words)
    assert 20 < apart < 120


def test_states_with_the_same_language_are_found():
    """Should put together the states that no word tells apart."""
    vocabulary = Vocabulary((Variable("a", ("no", "yes")),))
    edges = [
        *(Edge(q, q, "a = no") for q in ("p", "q")),
        *(Edge(q, t, "a = yes") for q, t in (("p", "q"), ("q", "p"))),
        *(Edge("w", t, f"a = {v}") for t, v in (("w", "no"), ("bad", "yes"))),
        Edge("bad", "bad"),
    ]
    automaton = build_automaton(["p", "q", "w", "bad"], "p", ["p", "q", "w"], edges, vocabulary)
    p, q, w, bad = languages(automaton)
    assert p == q
    assert len({p, w, bad}) == 3


# -- automata written out -----------------------------------------------------------------------------

BAD = "count(DB, BK in {X, D, Z})"
PAPER_EDGES = [
    *(Edge(q, t, f"{BAD} = {k}") for q in ("q0", "q1") for t, k in (("q0", 0), ("q1", 1), ("viol", 2))),
    Edge("viol", "viol"),
]


def test_written_automaton_keeps_its_states(vocabulary):
    """Should build fig:dfa-defender(a) as declared, three states and all."""
    automaton = build_automaton(["q0", "q1", "viol"], "q0", ["q0", "q1"], PAPER_EDGES, vocabulary)
    assert (automaton.n_states, automaton.n_accepting) == (3, 2)
    bad = {"GW": 0, "Web": 0, "WS": 0, "DB": 1, "BK": 4, "level": 0}
    assert automaton.states[automaton.read(0, bad, None)] == "viol"
    assert "q0 -> q1" in automaton.to_dot()
    assert "viol  (violating)" in str(automaton)


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        (PAPER_EDGES[1:], ["incomplete", '"q0"', "no edge"]),
        ([*PAPER_EDGES, Edge("q0", "q1", "DB = C")], ["nondeterministic", '"q0"', "exclusive"]),
        ([*PAPER_EDGES[:-1], Edge("viol", "q0")], ["permanent"]),
        ([*PAPER_EDGES, Edge("q9", "q0")], ["unknown state", '"q9"']),
    ],
)
def test_written_automaton_is_checked(edges, words, vocabulary):
    """Should refuse what is not deterministic, complete and absorbing, with a witness letter."""
    with pytest.raises(AutomatonError) as caught:
        build_automaton(["q0", "q1", "viol"], "q0", ["q0", "q1"], edges, vocabulary)
    for word in words:
        assert word in str(caught.value)


# -- MONA as an oracle for the past -------------------------------------------------------------------

BITS = Vocabulary((Variable("b0", ("no", "yes")), Variable("b1", ("no", "yes"))))


def past_over_bits(rng, depth):
    """The text of a past formula over two independent bits."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(("b0 = yes", "b1 = yes", "b0 = no"))
    one, other = past_over_bits(rng, depth - 1), past_over_bits(rng, depth - 1)
    return rng.choice((f"Y ({one})", f"O ({one})", f"H ({one})", f"({one}) S ({other})", f"!({one})",
                       f"({one}) & ({other})", f"({one}) | ({other})"))  # fmt: skip


def in_mona(node, x, fresh):
    """A past formula at position x, in M2L on strings over the sets P0 and P1."""
    kind = type(node).__name__
    if kind == "Member":
        return f"({x} {'in' if node.values == ('yes',) else 'notin'} P{node.variable.name[-1]})"
    if kind == "Not":
        return f"~{in_mona(node.of, x, fresh)}"
    if kind in ("And", "Or"):
        return "(" + (" & " if kind == "And" else " | ").join(in_mona(a, x, fresh) for a in node.args) + ")"
    y, z = f"y{next(fresh)}", f"z{next(fresh)}"
    first = in_mona(node.args[0], y, fresh)
    if node.op == "Y":
        return f"(ex1 {y}: {x} = {y} + 1 & {first})"
    if node.op == "O":
        return f"(ex1 {y}: {y} <= {x} & {first})"
    if node.op == "H":
        return f"(all1 {y}: {y} <= {x} => {first})"
    last, held = in_mona(node.args[1], y, fresh), in_mona(node.args[0], z, fresh)
    return f"(ex1 {y}: {y} <= {x} & {last} & (all1 {z}: ({y} < {z} & {z} <= {x}) => {held}))"


def mona_program(node, atoms, masks, table, violating):
    """For all words: every position satisfies the formula iff the run never violates."""
    fresh = iter(range(100_000))
    n = len(table)

    def letter(j, x):
        parts = [("" if masks[j] >> i & 1 else "~") + in_mona(atom, x, fresh) for i, atom in enumerate(atoms)]
        return "(" + (" & ".join(parts) or "true") + ")"

    columns = range(len(masks))
    one = " | ".join(f"x in S{q}" for q in range(n))
    apart = " & ".join(f"~(x in S{p} & x in S{q})" for p in range(n) for q in range(p)) or "true"
    start = " & ".join(f"({letter(j, 'x')} => x in S{table[0][j]})" for j in columns)
    step = " & ".join(
        f"((y in S{q} & {letter(j, 'x')}) => x in S{table[q][j]})" for q in range(n) for j in columns
    )
    safe = " & ".join(f"x notin S{q}" for q in range(n) if violating[q]) or "true"
    run = (
        f"(all1 x: ({one}) & {apart}) & (all1 x: x = 0 => ({start}))"
        f" & (all1 x, y: x = y + 1 => ({step})) & (all1 x: {safe})"
    )
    sets = ", ".join(f"S{q}" for q in range(n))
    return f"m2l-str;\nvar2 P0, P1;\n(all1 x: {in_mona(node, 'x', fresh)}) <=> (ex2 {sets}: {run});\n"


@pytest.mark.skipif(shutil.which("mona") is None, reason="MONA is not installed")
def test_past_fragment_equals_mona(tmp_path):
    """Should be proved equivalent by MONA before pruning, which looks past the end of finite words."""
    for seed in range(60):
        text = past_over_bits(random.Random(seed), 3)
        node = parse_formula(text, BITS)
        form = NormalForm(parse_formula(f"G ({text})", BITS), text)
        machine = build_machine(form, text)
        letters = feasible_masks(machine.atoms, BITS)
        table, violating = compiler._explore(form, machine, letters, text)
        program = tmp_path / f"{seed}.mona"
        program.write_text(mona_program(node, machine.atoms, letters.masks, table, violating))
        answer = subprocess.run(["mona", "-q", str(program)], capture_output=True, text=True, timeout=60)
        assert "Formula is valid" in answer.stdout, (seed, text, answer.stdout, answer.stderr)
