"""The public names, used as a newcomer uses them: what is wrong is told in Holdfast's own words."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import ModelError
from holdfast.game.actions import Reset
from holdfast.logic.expressions import Number

X = hf.Variable("x", range(3))
ONE = Number(Fraction(1))
DEFENDER, ADVERSARY = hf.Player.DEFENDER, hf.Player.ADVERSARY


def game(**changes):
    """A structure of one variable and one action, and what a test changes in it."""
    parts = {
        "variables": (X,),
        "initial": (0,),
        "first": DEFENDER,
        "actions": {DEFENDER: (hf.Action("wait"),), ADVERSARY: ()},
        "dominance": ONE,
    }
    return hf.GameStructure(**{**parts, **changes})


def network(hosts=("a", "b"), links=(), entry="a", **changes):
    return hf.network_game(hosts, links, entry, **changes)


def arrays(defender=((0,),), adversary=((0,),), **changes):
    return hf.from_arrays(defender, adversary, **changes)


def functions(variables=(X,), initial=None, defender=None, **changes):
    act = {"wait": lambda state: {}} if defender is None else defender
    return hf.from_functions(variables, {"x": 0} if initial is None else initial, act, {}, **changes)


def pair():
    return hf.configure(hf.network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])


def automaton(states=("a",), initial=0, accepting=(True,), masks=(0,), delta=((0,),)):
    return hf.SafetyAutomaton("mine", states, initial, accepting, (), masks, delta)


def both(**given):
    """Actions of the players; the defender waits and the adversary has none, unless they are given."""
    return {DEFENDER: (hf.Action("wait"),), ADVERSARY: (), **{hf.Player(k): v for k, v in given.items()}}


nan, inf = float("nan"), float("inf")

MISTAKES = {
    # networks
    "hosts: none": (lambda: network(None), "the hosts are None; expected a list of names"),
    "hosts: a text": (lambda: network("ab"), "the hosts are 'ab'"),
    "hosts: numbers": (lambda: network([1, 2]), "number 1 of the hosts is 1"),
    "hosts: lists": (lambda: network([["a"]]), "number 1 of the hosts is ['a']"),
    "hosts: empty": (lambda: network([]), "at least one host"),
    "links: none": (lambda: network(links=None), "links is None; expected a list of pairs"),
    "links: texts": (lambda: network(links=["a -> b"]), "number 1 of the links is 'a -> b'"),
    "links: short texts": (lambda: network(links=["ab"]), "number 1 of the links is 'ab'"),
    "links: numbers": (lambda: network(links=[3]), "number 1 of the links is 3"),
    "links: three hosts": (lambda: network(links=[("a", "b", "a")]), "joins 3 hosts; expected two"),
    "links: one host": (lambda: network(links=[("a",)]), "joins 1 hosts"),
    "links: number for a host": (lambda: network(links=[("a", 1)]), "the hosts of a link is 1"),
    "links: unknown": (lambda: network(links=[("a", "c")]), 'unknown host "c"'),
    "entry: none": (lambda: network(entry=None), "the entry is None; expected the name of a host"),
    "entry: a mapping": (lambda: network(entry={"a": 1}), "the entry is {'a': 1}"),
    "entry: a list of numbers": (lambda: network(entry=["a", 1]), "number 2 of the entries is 1"),
    "entry: an empty list": (lambda: network(entry=[]), "the entry is missing"),
    "exposed: a text": (lambda: network(exposed="b"), "the exposed hosts are 'b'"),
    "exposed: unknown": (lambda: network(exposed=["c"]), 'the exposed host "c" is not a host'),
    "cannot: unknown": (lambda: network(cannot={"a": ["isolat"]}), 'did you mean "isolate"?'),
    "values: negative": (lambda: network(values={"a": -1}), "the value of a is -1"),
    "values: nothing": (lambda: network(values={"a": 0, "b": 0}), "one of them must count"),
    "actions: unknown": (lambda: network(actions={"adversary": ["fix"]}), 'the adversary has no action "fix"'),
    "tempo: none": (lambda: network(tempo={"defender": 0}), "the tempo of the defender is 0"),
    "conduits: unknown": (lambda: network(conduits={"w": [("a", "c")]}), 'conduit "w": unknown host "c"'),
    "reset: a text": (lambda: network(reset_probability="0.1"), "the probability of a reset is '0.1'"),
    "reset: too likely": (lambda: network(reset_probability=2), "not between 0 and 1"),
    "reset: no number": (lambda: network(reset_probability=nan), "not between 0 and 1"),
    "groups: a list": (lambda: network(groups=["a"]), "groups is ['a']"),
    "groups: unknown": (lambda: network(groups={"g": ["c"]}), 'group "g": unknown host "c"'),
    "groups: nothing": (lambda: network(groups={"g": None}), 'the hosts of the group "g" are None'),
    # variables, rules, actions
    "variable: no name": (lambda: hf.Variable(None, range(3)), "the name of a variable is None"),
    "variable: a number": (lambda: hf.Variable("x", 3), 'the values of "x" are 3; expected a range'),
    "variable: nothing": (lambda: hf.Variable("x", None), 'the values of "x" are None'),
    "variable: a text": (lambda: hf.Variable("x", "abc"), "the values of \"x\" are 'abc'"),
    "variable: twice": (lambda: hf.Variable("x", ("a", "a")), "listed twice: a, a"),
    "variable: mixed": (lambda: hf.Variable("x", ("a", 1)), 'number 2 of the values of "x" is 1'),
    "code: outside": (lambda: X.code(7), "7 is no value of x; its values are 0, 1, 2"),
    "code: a list": (lambda: X.code([]), "[] is no value of x"),
    "player": (lambda: hf.Player("nobody"), "'nobody' is no player"),
    "action: no name": (lambda: hf.Action(None), "the name of an action is None"),
    "action: a text": (lambda: hf.Action("a", "b"), 'the rules of the action "a" are \'b\''),
    "action: a number": (lambda: hf.Action("a", [1]), 'number 1 of the rules of the action "a" is 1'),
    "rule: text": (lambda: hf.Rule("x = 1", ()), "the guard of a rule is 'x = 1'; expected a predicate"),
    "rule: a mapping": (lambda: hf.Rule(ONE, {X: ONE}), "the assignments of a rule are {"),
    "rule: a number": (lambda: hf.Rule(ONE, ((X, 1),)), "expected a pair of a Variable and an expression"),
    "rule: one thing": (lambda: hf.Rule(ONE, ((X,),)), "expected a pair of a Variable and an expression"),
    "reset: nothing": (lambda: Reset(None, Fraction(1), ()), "the guard of a reset is None"),
    # structures
    "variables: none": (lambda: game(variables=None), "the variables are None"),
    "variables: one": (lambda: game(variables=X), "expected a tuple of Variables"),
    "variables: texts": (lambda: game(variables=("x",)), "number 1 of the variables is 'x'"),
    "initial: none": (lambda: game(initial=None), "the codes of the initial state are None"),
    "initial: a text": (lambda: game(initial=("a",)), "number 1 of the codes of the initial state is 'a'"),
    "initial: by name": (lambda: game(initial={"x": 0}), "the codes of the initial state are {"),
    "initial: half": (lambda: game(initial=(0.5,)), "the codes of the initial state is 0.5"),
    "initial: outside": (lambda: game(initial=(9,)), "the initial state"),
    "initial: too long": (lambda: game(initial=(0, 1)), "the initial state"),
    "first": (lambda: game(first="me"), "'me' is no player"),
    "first: none": (lambda: game(first=None), "None is no player"),
    "actions: none": (lambda: game(actions=None), "the actions is None"),
    "actions: of one": (lambda: game(actions={DEFENDER: ()}), "the adversary's actions are None"),
    "actions: texts": (lambda: game(actions=both(defender=("wait",))), "actions is 'wait'"),
    "dominance: a number": (lambda: game(dominance=1), "dominance is 1; expected an expression"),
    "dominance: text": (lambda: game(dominance="x / 2"), "dominance is 'x / 2'"),
    "definitions": (lambda: game(definitions={"a": "b"}), '"a" of the definitions is \'b\''),
    "reset: a number": (lambda: game(reset=0.1), "the reset is 0.1; expected a Reset or None"),
    "groups: texts": (lambda: game(groups={"g": ("x",)}), 'the variables of the group "g" is \'x\''),
    "tables: a list": (lambda: game(tables=[[0]]), "tables is [[0]]"),
    "tables: lists": (lambda: game(tables={DEFENDER: [[0]]}), "the defender's table is not an array"),
    # tables and functions
    "arrays: none": (lambda: arrays(None), "must be a 2-d array of integers"),
    "arrays: a text": (lambda: arrays("a"), "must be a 2-d array of integers"),
    "arrays: ragged": (lambda: arrays([[0], [1, 2]]), "has rows of different lengths"),
    "arrays: empty": (lambda: arrays([], []), "must be a 2-d array of integers"),
    "arrays: other sizes": (lambda: arrays([[0], [0]]), "has shape"),
    "arrays: initial text": (lambda: arrays(initial="a"), "the initial state is 'a'; expected the number"),
    "arrays: initial outside": (lambda: arrays(initial=4), "the initial state"),
    "arrays: initial below": (lambda: arrays(initial=-1), "the initial state"),
    "arrays: first": (lambda: arrays(first="nobody"), "'nobody' is no player"),
    "arrays: list of labels": (lambda: arrays(labels=["a"]), "labels is ['a']"),
    "arrays: ragged label": (lambda: arrays(labels={"a": [[1], [1, 2]]}), 'label "a" has rows of different'),
    "arrays: label of text": (lambda: arrays(labels={"a": "b"}), 'label "a" has shape ()'),
    "arrays: label without name": (lambda: arrays(labels={1: [True]}), "the name of a label is 1"),
    "arrays: dominance of texts": (lambda: arrays(dominance=["a"]), "numbers from 0 to 1"),
    "arrays: dominance of nan": (lambda: arrays(dominance=[nan]), "numbers from 0 to 1"),
    "arrays: dominance of inf": (lambda: arrays(dominance=[inf]), "numbers from 0 to 1"),
    "arrays: dominance of none": (lambda: arrays(dominance=[None]), "numbers from 0 to 1"),
    "arrays: dominance too large": (lambda: arrays(dominance=[2]), "must stay between 0 and 1"),
    "arrays: list of actions": (lambda: arrays(actions=["a"]), "actions is ['a']"),
    "arrays: actions of one": (lambda: arrays(actions={DEFENDER: ["a"]}), "the adversary's table has shape"),
    "functions: variables": (lambda: functions(None), "the variables are None"),
    "functions: texts": (lambda: functions(["x"]), "number 1 of the variables is 'x'"),
    "functions: initial": (lambda: functions(initial=[0]), "the initial state is [0]"),
    "functions: missing": (lambda: functions(initial={}), 'no value for "x"'),
    "functions: outside": (lambda: functions(initial={"x": 7}), "7 is no value of x"),
    "functions: no function": (lambda: functions(defender={"w": 3}), 'the action "w" is 3'),
    "functions: a list": (lambda: functions(defender=[3]), "the defender's actions is [3]"),
    "functions: result": (lambda: functions(defender={"w": lambda s: 3}), 'the action "w" returns at'),
    "functions: leaves": (lambda: functions(defender={"w": lambda s: {"x": 9}}), "outside its domain"),
    # configurations
    "configure: nothing": (lambda: hf.configure(None), "what is to be configured is None"),
    "configure: one text": (lambda: hf.configure(game(), "G (x = 0)"), "the defender's clauses are 'G (x = 0)'"),
    "configure: a number": (lambda: hf.configure(game(), [3]), "number 1 of the defender's clauses is 3"),
    "configure: none": (lambda: hf.configure(game(), [], None), "the adversary's clauses are None"),
    "Configuration": (lambda: hf.Configuration(game(), (), ()), "the system of a configuration is"),
    "formula: none": (lambda: hf.compile_formula(None, game().vocabulary), "a formula is None"),
    "formula: a game": (lambda: hf.compile_formula("G (x = 0)", game()), "expected game.vocabulary"),
    "automaton: no table": (lambda: automaton(delta=None), "the rows of mine are None"),
    "automaton: accepting": (lambda: automaton(accepting=()), "does not match states and letters"),
    "automaton: initial": (lambda: automaton(initial=5), "does not match states and letters"),
    "automaton: target": (lambda: automaton(delta=((7,),)), "does not match states and letters"),
    "automaton: letters": (lambda: hf.configure(game(), [automaton(masks=(), delta=((),))]).initial, "no letter"),
    # solving, reading, moving
    "solve: a game": (lambda: hf.solve(game()), "what is to be solved is GameStructure"),
    "solve: nothing": (lambda: hf.solve(None), "expected a configuration"),
    "solve: engine": (lambda: hf.solve(pair(), 3), 'unknown engine "3"'),
    "solve: budget": (lambda: hf.solve(pair(), budget=3), "the budget is 3; expected a Budget"),
    "analyse: a game": (lambda: hf.analyse(game()), "what is to be solved is GameStructure"),
    "load: nothing": (lambda: hf.load(None), "the path of a scenario is None"),
    "load: bytes": (lambda: hf.load(b"paper.yaml"), "the path of a scenario is b'paper.yaml'"),
    "read: a mapping": (lambda: hf.read_scenario({}), "the path of a scenario is {}"),
    "load: variant": (lambda: hf.load("scenarios/paper.yaml", 3), "the variant is 3"),
    "move: by name": (lambda: hf.move(pair(), pair().initial, "fix(DB)"), "no move 'fix(DB)'"),
    "move: outside": (lambda: hf.move(pair(), pair().initial, 99), "expected the number of an action"),
    "move: below": (lambda: hf.move(pair(), pair().initial, -1), "expected the number of an action"),
    "move: nowhere": (lambda: hf.move(pair(), None, 0), "no move 0 at None"),
    "moves: nowhere": (lambda: hf.admissible_moves(pair(), None), "expected a Position"),
    "moves: short": (lambda: hf.admissible_moves(pair(), hf.Position((0,), DEFENDER, (0,), ())), "no move 0 at"),
    "moves: turn": (lambda: hf.admissible_moves(pair(), hf.Position((0, 0), "x", (0,), ())), "expected a Player"),
    # protocols
    "alpha: text": (lambda: hf.Protocol(alpha="a"), "alpha is 'a'; expected a number"),
    "gamma: none": (lambda: hf.Protocol(gamma=None), "gamma is None; expected a number"),
    "reset probability": (lambda: hf.Protocol(reset_probability="x"), "reset_probability is 'x'"),
    "seeds: half": (lambda: hf.Protocol(seeds=1.5), "seeds is 1.5; expected how many runs"),
    "seeds: a set": (lambda: hf.Protocol(seeds={1, 2}), "seeds is {1, 2}"),
    "steps": (lambda: hf.Protocol(steps="a"), "steps is 'a'; expected a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("label", MISTAKES)
def test_mistakes_of_a_program_are_told(label):
    """Should be an InputError that says what was given and what is expected."""
    mistake, words = MISTAKES[label]
    with pytest.raises(hf.InputError) as told:
        mistake()
    assert words in str(told.value)


def test_a_list_of_values_is_as_good_as_a_tuple():
    """Should keep a variable hashable and equal to the one with a tuple."""
    assert hf.Variable("x", ["a", "b"]) == hf.Variable("x", ("a", "b"))


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_first_player_given_as_text_is_that_player(engine):
    """Should give the answer of the game that was meant."""
    assert game(first="adversary") == game(first=ADVERSARY)
    assert hf.solve(hf.configure(game(first="defender"), ["G (x = 0)"]), engine).defensible


def test_a_truth_value_is_no_number():
    with pytest.raises(ModelError, match="the probability of a reset is True"):
        network(reset_probability=True)


# -- the whole tool from Python -----------------------------------------------------------------------


def test_the_public_names_are_these():
    """Should be importable, listed for type checkers in the stub, and few enough to hold in mind."""
    stub = Path(hf.__file__).with_suffix(".pyi").read_text()
    for name in hf.__all__:
        assert getattr(hf, name) is not None
        assert re.search(rf"\b{name} as {name}\b", stub), name
    assert stub.count(" as ") == len(hf.__all__)
    assert hf.__all__ == sorted(hf.__all__) and set(hf.__all__) <= set(dir(hf))
    with pytest.raises(AttributeError, match="attribute nonsense"):
        hf.nonsense  # noqa: B018


def test_everything_a_command_does_is_a_function(tmp_path):
    """Should analyse, compare, explain, certify, verify, export, play and report without the command line."""
    scenario = hf.read_scenario("scenarios/paper.yaml")
    base, cut = (hf.configuration(scenario, name) for name in (None, "no-bypass"))
    solution = hf.solve(base)
    proof = hf.certify(solution, tmp_path / "proof.json")
    assert hf.verify(proof).valid and (tmp_path / "proof.json").read_bytes() == proof
    compared = hf.compare({"base": base, "cut": cut})
    assert [entry.label for entry in compared.entries] == ["base", "cut"]
    explained = hf.explain(solution)
    analysis = hf.analyse(base, exact=True)
    assert analysis.defensible and explained.defensible
    for found in (analysis, compared, explained):
        assert hf.to_object(found)
        assert hf.render(found).strip() and hf.render(found, "markdown").startswith("#")
        assert hf.render(found, "html").startswith("<!DOCTYPE html>")
        assert hf.document(found).title
    assert "hf_is_permitted" in hf.export_shield(solution, "c")
    assert hf.play(base, adversary="random", moves=8).n_moves == 8
    for wrong, word in ((lambda: hf.render(analysis, "htm"), 'did you mean "html"'),
                        (lambda: hf.document(3), "int is no result"),
                        (lambda: hf.play(base, defender="optimum"), 'did you mean "optimal"'),
                        (lambda: hf.certify(hf.solve(pair())), "no scenario file")):  # fmt: skip
        with pytest.raises(hf.InputError, match=word):
            wrong()


def test_a_game_written_with_the_public_names_alone():
    """Should take guards and values as text, and be explained by its actions."""
    system = hf.game_system(
        variables={"door": ["shut", "open"], "guard": range(3)},
        define={"near": "guard <= 1"},
        initial={"door": "shut", "guard": 0},
        defender={"wait": {}, "shut": {"set": {"door": "shut"}}},
        adversary={
            "force": [{"when": "guard >= 1", "set": {"door": "open"}}],
            "lure": {"when": "guard < 2", "set": {"guard": "guard + 1"}},
        },
        dominance="1 - guard / 2",
    )
    found = hf.explain(hf.solve(hf.configure(system, ["G !(door = open & guard = 2)"])))
    assert not found.defensible
    assert {piece.name for pieces in found.repairs.sets for piece in pieces} >= {"force", "lure"}
    for change, word in (({"variables": {"x": range(0, 9, 2)}}, "consecutive"),
                         ({"dominance": "guard +"}, "<game>:"),
                         ({"initial": {"door": object()}}, "no text, number")):  # fmt: skip
        given = {"variables": {"x": range(3)}, "initial": {"x": 0}, "defender": {"wait": {}}, "adversary": {}}
        with pytest.raises(hf.InputError, match=word):
            hf.game_system(**{**given, **change})


def test_actions_have_a_type_and_a_target():
    """Should be told by the name: what stands before the bracket, and what is in it."""
    actions = network().actions[ADVERSARY]
    assert {(action.type, action.target) for action in actions} >= {("spread", "a"), ("destroy", "b")}
    assert (hf.Action("wait").type, hf.Action("wait").target) == ("wait", "")
