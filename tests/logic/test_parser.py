"""The expression language: what parses, how it prints, and how it fails."""

from __future__ import annotations

import random

import pytest

from holdfast.errors import FormulaError
from holdfast.logic.expressions import Player, Variable
from holdfast.logic.parser import MAX_DEPTH, parse_formula, parse_predicate, parse_term, parse_value
from holdfast.logic.vocabulary import Vocabulary
from strategies import random_formula, random_predicate, random_variables


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("DB in {X, D, Z}", "DB in {X, D, Z}"),
        ("DB in {Z, D, X}", "DB in {X, D, Z}"),
        ("DB not in {C}", "DB != C"),
        ("DB == C && WS != Z || !(BK = I)", "DB = C & WS != Z | BK != I"),
        ("not DB = C and BK = C or GW = X", "DB != C & BK = C | GW = X"),
        ("G !(DB in {X, D, Z} & BK in {X, D, Z})", "G !(DB in {X, D, Z} & BK in {X, D, Z})"),
        ("G active >= 3", "G (active >= 3)"),
        ("count(DB, BK in {X,D,Z}) < 2", "count(DB, BK in {X, D, Z}) < 2"),
        ("count(W* in {C}, DB in {X}) = 1", "count(W* in {C}, DB in {X}) = 1"),
        ("G times(destroy) <= 2", "G (times(destroy) <= 2)"),
        ("spread(DB) -> X fix", "spread(DB) -> X fix"),
        ("defender.noop <-> adversary.noop", "defender.noop <-> adversary.noop"),
        ("DB = X & X DB = X", "DB = X & X (DB = X)"),
        ("G a U b".replace("a", "DB = C").replace("b", "WS = C"), "G (DB = C) U WS = C"),
        ("DB = C U WS = C U GW = C", "DB = C U WS = C U GW = C"),
        ("(DB = C U WS = C) U GW = C", "(DB = C U WS = C) U GW = C"),
        ("DB = C -> WS = C -> GW = C", "DB = C -> WS = C -> GW = C"),
        ("F[<=3] DB = C | GW = X U[<=2] WS = C", "F[<=3] (DB = C) | GW = X U[<=2] WS = C"),
        ("level + 2 * level - 1 > 3 / 2", "level + 2 * level - 1 > 3 / 2"),
        ("level-1 > -2", "level - 1 > -2"),
        ("level in {3, 1}", "level in {1, 3}"),
        ("O H Y (DB = C S WS = C)", "O H Y (DB = C S WS = C)"),
        ("true | false", "true | false"),
        ("0.125 < level", "0.125 < level"),
    ],
)
def test_prints_what_it_read(text, printed, vocabulary):
    """Should read each construct and print it in its canonical spelling."""
    node = parse_formula(text, vocabulary)
    assert str(node) == printed
    assert parse_formula(printed, vocabulary) == node


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("DB in {X, Q}", 10, ["no value", '"Q"', "C, X, D, I, Z"]),
        ("Db = C", 0, ["unknown name", 'did you mean "DB"']),
        ("G (dstroy -> X fix)", 3, ["unknown name", '"destroy"']),
        ("spread(Wbe)", 7, ["no target", '"Web"']),
        ("defender.destroy", 9, ["defender has no action"]),
        ("DB", 0, ["variable", "DB = C"]),
        ("DB < C", 3, ["no order"]),
        ("active", 0, ["number", "active >= 1"]),
        ("G (DB = C", 9, ['expected ")"', "the end"]),
        ("DB = C)", 6, ["expected an operator or the end", "closes no bracket"]),
        ("DB = C &", 8, ["expected an expression", "the end"]),
        ("1 <= level <= 3", 11, ["do not chain"]),
        ("level + (DB = C) > 1", 8, ["expected a number"]),
        ("count(DB BK in {X}) < 2", 9, ['expected "in']),
        ("count(Bk in {X}) < 2", 6, ['did you mean "BK"']),
        ("count(q* in {X}) < 2", 6, ["no variable matches"]),
        ("count(* in {Q}) < 2", 12, ["no variable has the value Q"]),
        ("X[<=2] DB = C", 2, ["takes no bound"]),
        ("F[<=x] DB = C", 4, ["whole number"]),
        ("times(X DB = C) < 2", 6, ["no temporal operator"]),
        ("DB = C M BK = C", 9, ["liveness"]),
        ("DB = C # comment", 7, ["unexpected character"]),
        ("!" * 5000 + "DB = C", MAX_DEPTH, ["nested more than"]),
        ("(" * 5000 + "DB = C" + ")" * 5000, MAX_DEPTH, ["nested more than"]),
        ("level < " + "9" * 5000, 8, ["digits"]),
        ("", 0, ["expected an expression"]),
        ("G", 1, ["expected an expression"]),
    ],
)
def test_errors_point_at_the_token(text, at, words, vocabulary):
    """Should name the problem, place the caret and offer the closest name."""
    with pytest.raises(FormulaError) as caught:
        parse_formula(text, vocabulary)
    assert caught.value.at == at
    for word in words:
        assert word in caught.value.problem
    lines = str(caught.value).splitlines()
    assert "^" in lines[-1]


def test_temporal_letters_are_names_where_an_operator_cannot_stand():
    """Should let a host be called X or G and still offer the operators."""
    vocabulary = Vocabulary((Variable("X", ("C", "X")), Variable("G", ("C", "X")), Variable("U", range(3))))
    assert str(parse_formula("X = X & G != C", vocabulary)) == "X = X & G != C"
    assert str(parse_formula("G X in {X}", vocabulary)) == "G (X = X)"
    assert str(parse_formula("X X = X U U >= 1", vocabulary)) == "X (X = X) U U >= 1"
    assert str(parse_formula("G (U + 1 > 2)", vocabulary)) == "G (U + 1 > 2)"


def test_hyphenated_names_are_names_where_known():
    """Should read web-1 as a name only where it is one."""
    vocabulary = Vocabulary((Variable("web-1", ("C", "X")), Variable("n", range(5))))
    assert str(parse_formula("web-1 = C & n-1 > 0", vocabulary)) == "web-1 = C & n - 1 > 0"


def test_a_guard_has_no_temporal_operator(vocabulary):
    """Should refuse what one moment cannot decide, at its place."""
    with pytest.raises(FormulaError, match="one moment") as caught:
        parse_predicate("DB = C & X WS = C", vocabulary)
    assert caught.value.at == 9
    with pytest.raises(FormulaError, match="times"):
        parse_term("1 + times(destroy)", vocabulary)


def test_assigned_values(vocabulary):
    """Should read a value of the domain, another variable, or a number."""
    db, level = vocabulary.by_name["DB"], vocabulary.by_name["level"]
    assert str(parse_value("X", db, vocabulary)) == "X"
    assert str(parse_value("WS", db, vocabulary)) == "WS"
    assert str(parse_value("level + 1", level, vocabulary)) == "level + 1"
    with pytest.raises(FormulaError, match="not a value of DB"):
        parse_value("Q", db, vocabulary)


def test_parse_after_print_is_the_identity():
    """Should hold on thousands of random formulas."""
    for seed in range(3000):
        rng = random.Random(seed)
        variables = random_variables(rng)
        actions = {Player.DEFENDER: ("d0", "d1"), Player.ADVERSARY: ("a0", "d0", "hit(n0)", "hit(s1)")}
        vocabulary = Vocabulary(variables, actions)
        text = random_formula(rng, vocabulary, 4) if seed % 2 else random_predicate(rng, vocabulary, 4)
        node = parse_formula(text, vocabulary)
        assert parse_formula(str(node), vocabulary) == node, (seed, text)
