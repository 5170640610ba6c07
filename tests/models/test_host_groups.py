"""Hosts that are counted: every reading equals that of the network with all hosts written out."""

import importlib
import itertools
import json
import random

import pytest

from cases import TIMES
from grouped import built, grouped_network, readings
from holdfast.certificates import certify, verify
from holdfast.certificates.writing import sealed
from holdfast.design import fragility
from holdfast.errors import FormulaError, HoldfastError, InputError, ScenarioError
from holdfast.explanation import playbook
from holdfast.explanation.lines import first_moves
from holdfast.game import drawn_graph, gathered, move, n_choices, written_out
from holdfast.logic import Diagrams, Player, Tally, Variable, Vocabulary, parse_predicate, variables_of
from holdfast.operation import held_for
from holdfast.readings import analyse, warnings
from holdfast.solver import SolvedGame, move_in_words, solve

N_TWINS, N_WIDE, N_CERTIFIED = 22 * TIMES, 6 * TIMES, 8 * TIMES


@pytest.mark.parametrize("seed", range(N_TWINS))
def test_counted_is_written_out(seed, monkeypatch):
    """Verdict, positions, shells, WIN, STP, SLT, response with its layers, recovery with its layers, DDR*."""
    monkeypatch.setattr(importlib.import_module("holdfast.readings.analysis"), "MOST_PLAYED", 0)
    counted, written_out = grouped_network(
        random.Random(seed), 3 if TIMES == 1 else random.Random(seed).randint(2, 4)
    )
    assert readings(counted) == readings(written_out)


@pytest.mark.parametrize("option", ["flows"])
@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_counted_is_written_out_with_other_options(seed, option, monkeypatch):
    monkeypatch.setattr(importlib.import_module("holdfast.readings.analysis"), "MOST_PLAYED", 0)
    counted, written_out = grouped_network(random.Random(3000 + seed), 3, **{option: True})
    assert readings(counted) == readings(written_out)


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_counted_is_written_out_where_actions_may_fail(seed):
    """All readings, and how likely it holds by numbers, too."""
    counted, written = grouped_network(random.Random(4000 + seed), 3, chance=True)
    assert readings(counted) == readings(written)
    try:
        likely = [held_for(solve(built(text)), 10) for text in (counted, written)]
    except HoldfastError:
        return
    assert likely[0].low <= likely[1].high and likely[1].low <= likely[0].high
    assert likely[0].width < 1e-9


def test_chances_are_those_of_each_host():
    chosen = built(
        OFFICE.replace("COUNT", "3")
        .replace("LEFT", "2")
        .replace("entry: GW", "entry: GW\n  chance: {destroy(ws): 0.25, GW -> ws: 0.1, fix: 1}")
    )
    written = built(
        OFFICE.replace("COUNT, alike: yes", "3")
        .replace("LEFT", "2")
        .replace("entry: GW", "entry: GW\n  chance: {destroy(ws): 0.25, GW -> ws: 0.1, fix: 1}")
    )
    assert written_out(chosen, "a test").game.actions == written.game.actions
    outcomes = [a for a in chosen.game.actions[Player.ADVERSARY] if a.choice == "spread(ws) clean"]
    assert [str(a.probability) for a in outcomes] == ["1/10", "9/10"]
    assert {a.members for a in outcomes} == {(chosen.game.tallies[0].counter("C"),)}


def test_a_path_through_a_group_is_one_through_each_of_its_hosts():
    """Counted or not, and where the entry is one of them."""
    paths = []
    for alike in (", alike: yes", ""):
        for entry in ("GW", "ws" if alike else "ws1"):
            text = OFFICE.replace("COUNT, alike: yes", f"3{alike}").replace("LEFT", "2")
            chosen = built(text.replace("entry: GW", f"entry: {entry}\n  flows: {{work: GW -> ws -> Files}}"))
            paths.append([route for flow in chosen.system.graph.flows for route in flow.routes])
            up = chosen.game.definitions["flow(work)"]
            written = written_out(chosen, "a test").game.definitions["flow(work)"]
            assert {v.name for v in variables_of(written)} == {"GW", "ws1", "ws2", "ws3", "Files"}
            counters = {"ws_C", "ws_X", "ws_D"} if alike else set()
            assert counters <= {v.name for v in variables_of(up)}
    each = [("GW", f"ws{i}", "Files") for i in (1, 2, 3)]
    assert paths == [[("GW", "ws", "Files")], [each[0], ("GW", "ws", "Files")], each, each]


def test_listed_hosts_on_a_path_are_counted_where_every_one_of_them_is_on_one():
    text = OFFICE.replace("COUNT, alike: yes", "14").replace("LEFT", "2")
    for path, counted in (("GW -> ws -> Files", "14 ws"), ("GW -> ws3 -> Files", "13 other_ws")):
        chosen = gathered(built(text.replace("entry: GW", f"entry: GW\n  flows: {{work: {path}}}")))
        assert chosen.system.gathered == (counted,)


@pytest.mark.parametrize("seed", range(N_WIDE))
def test_bit_by_bit_is_value_by_value(seed, monkeypatch):
    counted, _ = grouped_network(random.Random(1000 + seed), 4)
    plainly = readings(counted)
    narrow_down(monkeypatch)
    assert readings(counted) == plainly


def narrow_down(monkeypatch):
    """Treat every counter as a large one."""
    for module, name in (
        ("holdfast.logic.diagrams", "WIDE"),
        ("holdfast.solver.pieces", "FEW_OUTCOMES"),
        ("holdfast.certificates.verify.diagram_space", "WIDE"),
    ):
        monkeypatch.setattr(importlib.import_module(module), name, 1)


@pytest.mark.parametrize("seed", range(N_CERTIFIED))
def test_certificates_are_checked(seed, monkeypatch):
    if seed % 2:
        narrow_down(monkeypatch)
    counted, _ = grouped_network(random.Random(2000 + seed), 3)
    try:
        solution = solve(built(counted))
    except HoldfastError:
        pytest.skip("the boundary is not admissible")
    for claim in (None, "evicted", "recovered again") if solution.defensible else (None,):
        verdict = verify(certify(solution, claim=claim))
        assert verdict.valid, verdict.reason
        assert verdict.defensible == solution.defensible
        assert claim is not None or verdict.rank == solution.initial_rank


@pytest.mark.parametrize("seed", range(12 * TIMES))
def test_states_are_counted_back(seed):
    """Sets of counters of two groups, counted as sets of statuses: by listing all of them."""
    rng = random.Random(seed)
    sizes = rng.choice(((4,), (3, 2), (5,)))
    tallies = [
        Tally(name, size, tuple("abc"), tuple(Variable(f"{name}_{v}", range(size + 1)) for v in "abc"))
        for name, size in zip("xy", sizes, strict=False)
    ]
    single = Variable("single", ("p", "q", "r"))
    variables = [single, *(c for tally in tallies for c in tally.counters)]
    rng.shuffle(variables)
    diagrams = Diagrams(variables, tallies=tallies)
    states, predicates = diagrams.valid, []
    for _ in range(3):
        chosen = rng.sample([c for tally in tallies for c in tally.counters], 2)
        text = " + ".join(f"{rng.randint(1, 2)} * {c.name}" for c in chosen)
        predicates.append(f"{text} {rng.choice(('<=', '>=', '!='))} {rng.randint(0, 5)} | single = p")
    vocabulary = Vocabulary(tuple(variables))
    for text in predicates:
        states &= diagrams.truth(parse_predicate(text, vocabulary))
    by_value = dict.fromkeys([None, *(c.name for c in variables if c.numeric)], 0)
    for statuses in itertools.product(*(itertools.product("abc", repeat=t.size) for t in tallies)):
        codes = {
            c.name: own.count(v)
            for t, own in zip(tallies, statuses, strict=True)
            for v, c in zip(t.values, t.counters, strict=True)
        }
        for code in range(3):
            if states.eval(diagrams.point({**codes, "single": code})):
                by_value[None] += 1
                for name, number in codes.items():
                    by_value[name] += number
    assert diagrams.count(states) == by_value[None]
    for counter in (c for c in variables if c.numeric):
        assert diagrams.counts(counter).of(states) == by_value[counter.name]
    picked = diagrams.pick(states)
    assert (picked is None) == (by_value[None] == 0)
    for tally in tallies if picked else ():
        assert sum(picked[c.name] for c in tally.counters) == tally.size


# -- many ---------------------------------------------------------------------------------------------

OFFICE = """\
holdfast: 1
name: office
network:
  hosts: [GW, {ws: {count: COUNT, alike: yes}}, Files, DB]
  links: [GW -> ws, ws -> Files, Files -> DB]
  entry: GW
specs:
  defender:
    - G (DB not in {X, D, Z})
    - G (count(ws in {X, D}) <= 3)
    - G (active >= LEFT)
  adversary:
    - G (times(destroy) <= 2)
"""


def office(count, alike=True):
    text = OFFICE.replace("COUNT", str(count)).replace("LEFT", str(count - 5))
    return text if alike else text.replace(", alike: yes", "")


def test_ten_thousand_workstations():
    """The attack does not ask how many there are, so that what it comes to is the same from a few on."""
    few, many = (analyse(built(office(n)), learning=False) for n in (40, 10_000))
    for reading in ("defensible", "initial_rank", "response"):
        assert getattr(few, reading) == getattr(many, reading)
    assert {name: own.moves for name, own in few.recovery.items()} == {
        name: own.moves for name, own in many.recovery.items()
    }
    assert many.positions == 2 * 5**10_003 * 2 * 2 * 2 * 4
    assert many.defender_actions == 5 * 10_003
    assert sum(many.shells) + many.winning + many.unsafe == many.positions
    assert json.loads(json.dumps(many.positions)) == many.positions
    assert 0 < many.slt < 1


def test_a_box_says_how_many_it_stands_for():
    """Unless the file has words of its own for it."""
    assert drawn_graph(built(office(10_000))).captions == {"ws": "10,000 × ws"}
    assert drawn_graph(built(office(40) + "labels: {ws: desks}\n")).captions == {"ws": "desks"}


def test_the_certificate_of_ten_thousand():
    solution = solve(built(office(10_000)))
    raw = certify(solution)
    verdict = verify(raw)
    assert verdict.valid and verdict.defensible
    assert len(raw) < 100_000


def test_a_certificate_of_another_number_of_hosts_is_refused():
    raw = json.loads(certify(solve(built(office(1_000)))))
    other = json.loads(certify(solve(built(office(900)))))
    assert not verify(sealed({**raw, "witness": other["witness"]})).valid


def test_shells_of_a_small_group_by_hand():
    """Nothing spreads among three hosts without links: lost is where one Z and an infected host are."""
    text = (
        "holdfast: 1\nname: few\nnetwork:\n  hosts: [GW, {ws: {count: 3, alike: yes}}]\n  links: []\n"
        "  entry: GW\n  actions: {defender: [noop]}\nspecs:\n  defender: ['G (count(ws in {Z}) < 2)']\n"
    )
    solution = solve(built(text))
    assert solution.configuration.n_positions == 2 * 5**4 * 2
    assert n_choices(solution.configuration.game, Player.DEFENDER) == 4
    two_destroyed = 3 * 4 + 1  # of 125 states of the group, those with two Z or three
    one_destroyed = 3 * (4 * 4 - 2 * 2)  # one Z, and of the other two one at least is X or D
    # With two Z every move violates, also one that does nothing; with one Z the adversary has to move.
    assert solution.shells[0] == 5 * (2 * two_destroyed + one_destroyed)


# -- words --------------------------------------------------------------------------------------------


def test_explanations_speak_of_one_of_many():
    lost = solve(built(office(500).replace("<= 3", "<= 0")))
    before = lost.configuration.initial
    (action,) = (
        n for n, a in enumerate(lost.configuration.game.actions[before.turn]) if a.name == "spread(ws) clean"
    )
    after = move(lost.configuration, before, action)
    words = move_in_words(lost.configuration.system, before, action, after)
    assert (lost.defensible, words.change) == (False, "one of 500 ws: C → X")


def test_a_start_in_a_group_stands_apart():
    chosen = built(office(20).replace("entry: GW", "entry: ws"))
    assert [v.name for v in chosen.game.vocabulary.plain] == ["GW", "ws1", "Files", "DB"]
    assert chosen.game.tallies[0].size == 19
    assert "19 ws = C" in chosen.game.describe(chosen.game.initial)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("G (ws != X)", "count(ws in {C}) >= 1"),
        ("G (ws7 != X)", "none has a name"),
        ("G (count(ws7 in {X}) < 1)", "none has a name"),
        ("G (times(spread(ws7)) < 2)", "none has a name"),
        ("G (count(ws in {Q}) < 1)", 'no value "Q"'),
    ],
)
def test_single_members_cannot_be_named(formula, words):
    with pytest.raises(ScenarioError) as caught:
        built(office(500).replace("G (DB not in {X, D, Z})", formula))
    assert words in str(caught.value)


def test_what_is_done_to_a_group():
    chosen = built(office(30).replace("G (times(destroy) <= 2)", "G (times(destroy(ws)) <= 2)"))
    (atom,) = (a for automaton in chosen.adversary for a in automaton.atoms)
    assert {name for _, name in atom.moves} == {
        "destroy(ws) compromised",
        "destroy(ws) detected",
        "destroy(ws) in vain",
    }


def test_counts_mean_everybody():
    vocabulary = built(office(30)).system.vocabulary
    everybody = parse_predicate("count(* in {X, D}) <= 2", vocabulary)
    assert {v.name for v in variables_of(everybody)} == {"GW", "Files", "DB", "ws_X", "ws_D"}
    assert str(parse_predicate(str(everybody), vocabulary)) == str(everybody)
    assert str(parse_predicate("count(ws in {C, X, D}) >= 28", vocabulary)) == "ws_I + ws_Z <= 2"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("count: COUNT, alike: yes", "alike: yes"), "add count"),
        (("count: COUNT, alike: yes", "count: 600"), "alike: yes"),
        (("GW -> ws", "GW -> ws3"), "none of them has a name"),
        (("entry: GW", "entry: GW\n  chance: {spread(ws3): 0.5}"), "none of them has a name"),
        (("entry: GW", "entry: GW\n  sensors: [DB]"), "no sensor"),
        (("entry: GW", "entry: GW\n  flows: {work: {from: ws, to: DB}}"), "stands for several hosts"),
        (("entry: GW", "entry: GW\n  flows: {work: GW -> ws -> DB}"), "there is no link ws -> DB"),
        (("Files, DB]", "Files, DB, ws_X]"), "rename the one or the other"),
    ],
)
def test_refusals_of_files_say_what_to_do(change, words):
    text = OFFICE.replace(*change).replace("COUNT", "500").replace("LEFT", "490")
    with pytest.raises(ScenarioError) as caught:
        built(text)
    assert words in str(caught.value)


def test_refusals_of_questions_about_members():
    solution = solve(built(office(40)))
    with pytest.raises(InputError, match="Leave out alike: yes"):
        playbook(solution)
    with pytest.raises(FormulaError):
        parse_predicate("count(wsx in {C}) > 1", solution.configuration.system.vocabulary)


def test_numbers_are_told_as_they_are_written():
    """Comparisons are spelled short for the diagrams only; people read count(…) and active."""
    chosen = built(office(40))
    assert [str(clause.formula) for clause in chosen.requirement[1:]] == [
        "G (count(ws in {X, D}) <= 3)",
        "G (active >= 35)",
    ]
    assert str(chosen.requirement[2].automaton.atoms[0]).startswith("ws_I + ws_Z - ")


def test_first_moves_are_those_of_somebody():
    lost = SolvedGame(solve(built(office(500).replace("<= 3", "<= 0"))))
    moves, n_all = first_moves(lost)
    assert [move.actions for move in moves] == [("spread(ws) clean",)]
    assert n_all == 3 * 4  # noop, spread and destroy of each, none of which is of a ws that is not clean


def test_what_must_not_be_added_to_many_hosts():
    """What opens a move to or from one of many is judged by solving, and told as of one of them."""
    found = fragility(built(office(30)), kinds=["expose"])
    broken = {breaker.additions[0]: breaker.attack for breaker in found.breakers}
    assert "one of 30 ws is compromised" in broken["expose ws"]


def test_many_hosts_that_nothing_reaches():
    text = office(30).replace("{ws:", "{lab: {count: 9, alike: yes}}, {ws:")
    text = text.replace(
        "G (count(ws in {X, D}) <= 3)", "G (count(ws, lab in {X, D}) <= 3 & count(lab in {X}) < 1)"
    )
    assert any("the 9 lab, but nothing bad can ever happen there" in text for text in warnings(built(text)))
    reached = text.replace("GW -> ws,", "GW -> ws, ws -> lab,")
    assert not any("nothing bad can ever happen" in text for text in warnings(built(reached)))
