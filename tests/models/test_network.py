"""The network model with every option, against the literal transcription of tests/support/segments.py."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from cases import TIMES
from engine_comparison import compare
from holdfast.errors import ScenarioError
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol
from holdfast.game.structure import after_reset, successor
from holdfast.logic.compile import compile_formula
from holdfast.logic.expressions import Player
from holdfast.logic.inclusion import is_included
from holdfast.models.conformance import check_model
from holdfast.readings.analysis import analyse
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.scenario.registry import all_models
from holdfast.solver.engines import solve
from segments import Literal, actions, after, dominance, random_design, reset, scenario, start, states

N_GAMES, N_SOLVED, N_COMPARED = 100 * TIMES, 150 * TIMES, 20 * TIMES


def built(seed, n_hosts=None):
    """A design, its text and its configuration."""
    rng = random.Random(seed)
    design = random_design(rng, n_hosts)
    text = scenario(design, rng)
    return design, text, configuration(scenario_from_text(text))


def freeze(game, state):
    return tuple(v.values.index(state[v.name]) for v in game.variables)


def test_the_game_is_what_the_words_say():
    """Should have the actions, moves, dominance, start and resets of the literal transcription."""
    seen = Counter()
    for seed in range(N_GAMES):
        design, text, found = built(seed)
        game, note = found.game, f"seed {seed}: {text}"
        assert game.initial == freeze(game, start(design)), note
        for player in Player:
            named = [f"{kind}({target})" for kind, target in actions(design, player)]
            assert [action.name for action in game.actions[player]] == named, note
        for state in states(design):
            here = freeze(game, state)
            assert game.mu(here) == dominance(design, state), note
            again = reset(design, state)
            assert after_reset(game, here) == (None if again is None else freeze(game, again)), note
            for player in Player:
                for number, (kind, target) in enumerate(actions(design, player)):
                    new = freeze(game, after(design, state, kind, target))
                    assert successor(game, player, number, here) == new, (note, state, kind, target)
        seen.update(
            key for key in ("cannot", "values", "actions", "tempo", "conduits", "exposed") if design[key]
        )
        seen["detected"] += design["isolate"] == "detected"
        seen["several entries"] += len(design["entries"]) > 1
        seen["no entry"] += not design["entries"]
        seen["reset"] += game.reset is not None
    assert all(seen[kind] > N_GAMES / 20 for kind in seen), seen
    assert len(seen) == 10


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_verdict_is_that_of_the_literal_game(engine):
    """Should find the same verdict and the same rank at the start, tempo and budgets counted by hand."""
    seen = Counter()
    for seed in range(1000, 1000 + N_SOLVED):
        design, text, found = built(seed, n_hosts=2)
        literal = Literal(design)
        solution = solve(found, engine)
        assert solution.initial_rank == literal.rank.get(literal.first), f"seed {seed}: {text}"
        seen["slow"] += bool(design["tempo"])
        seen["deep"] += (solution.initial_rank or 0) >= 2
        seen[solution.defensible] += 1
    assert all(seen[kind] > N_SOLVED / 4 for kind in (True, False, "slow")), seen
    assert seen["deep"] >= 3, seen


def test_both_engines_equal_the_oracle():
    """Should agree on counts, shells, ranks, Safe, R and readings, all options mixed."""
    n = 0
    for seed in range(2000, 4000):
        _, text, found = built(seed)
        if found.n_positions <= 6000:
            compare(found, random.Random(seed), f"seed {seed}: {text}")
            n += 1
        if n == N_COMPARED:
            return
    raise AssertionError("too few designs are small enough")


# -- files ----------------------------------------------------------------------------------------------

PLANT = """
holdfast: 1
network:
  hosts: [GW, {ws: {count: 2}}, {Files: {zone: office, cannot: [spread]}}, {DB: {value: 2}}, PLC]
  zones: {office: [ws, DB], plant: [PLC]}
  sets: {critical: [DB, PLC]}
  links: [GW -> ws, ws -> DB, DB -> PLC, {from: ws, to: Files, block: yes}]
  conduits: {wall: [office -> plant]}
  entry: GW
specs:
  defender:
    - {name: both, formula: "G (count(critical in {X, D, Z}) < 2)"}
    - G (count(office in {C, X, D}) >= 1)
  adversary: [G (times(destroy) <= 1)]
variants:
  moved: {change_hosts: [{DB: {zone: plant, value: 5}}]}
  hard: {change_hosts: [{office: {cannot: [spread, isolate]}}]}
  again: {links: [GW -> PLC]}
  smaller: {remove_hosts: [ws, Files]}
  more: {add_links: [{from: GW, to: ws, block: yes, name: door}], add_hosts: [{Cam: {zone: plant}}]}
  edited:
    specs:
      defender: {replace: {both: "G (DB != Z)"}, add: [G (PLC != Z)], remove: ["G (count(office in {C, X, D}) >= 1)"]}
      adversary: {replace: {"G (times(destroy) <= 1)": {name: three, formula: G (times(destroy) <= 3)}}}
  named:
    specs: {defender: {add: [{name: service, formula: G (active >= 2)}]}}
"""


def variant(name=None, text=PLANT):
    return configuration(scenario_from_text(text, "f.yaml"), name)


def test_zones_sets_and_conduits_of_a_file():
    """Should read zones from both sides, name blockable links, and let sets and zones count and link."""
    found = variant()
    graph, game = found.system.graph, found.game
    assert graph.zones == {"office": ("Files", "ws1", "ws2", "DB"), "plant": ("PLC",)}
    assert graph.groups == {"ws": ("ws1", "ws2")}
    assert [v.name for v in game.variables][-2:] == ["ws-to-Files", "wall"]
    assert graph.gates["DB", "PLC"] == (("wall", "blocked"),)
    assert graph.gates["ws2", "Files"] == (("ws-to-Files", "blocked"),)
    assert graph.marked("hardened") == ("Files",)
    names = [action.name for action in game.actions[Player.DEFENDER]]
    assert names[-4:] == ["block(ws-to-Files)", "block(wall)", "unblock(ws-to-Files)", "unblock(wall)"]
    assert game.mu(game.initial) == Fraction(6, 7)


def test_variants_of_hosts_links_and_zones():
    """Should change settings, zones and links, and drop what is left of nothing."""
    assert variant("moved").system.graph.zones["plant"] == ("PLC", "DB")
    assert variant("moved").game.mu(variant("moved").game.initial) == Fraction(9, 10)
    hard = [action.name for action in variant("hard").game.actions[Player.DEFENDER]]
    assert not {f"isolate({h})" for h in ("Files", "ws1", "ws2", "DB")} & set(hard) and "isolate(GW)" in hard
    assert [v.name for v in variant("again").game.variables][-1] == "PLC"
    smaller = variant("smaller")
    assert [v.name for v in smaller.game.variables] == ["GW", "DB", "PLC", "wall"]
    assert smaller.system.graph.zones == {"office": ("DB",), "plant": ("PLC",)}
    more = variant("more").system.graph
    assert more.gates["GW", "ws1"] == (("door", "blocked"),) and more.zones["plant"] == ("PLC", "Cam")


def test_variants_of_single_clauses():
    """Should replace, add and remove clauses by name or by formula, and keep all others."""
    edited = variant("edited")
    assert [c.label for c in edited.requirement] == ["G (DB != Z)", "G (PLC != Z)"]
    assert [c.label for c in edited.boundary] == ["three"]
    assert [c.label for c in variant("named").requirement] == [
        "both",
        "G (count(office in {C, X, D}) >= 1)",
        "service",
    ]
    assert [c.label for c in variant("named").boundary] == ["G (times(destroy) <= 1)"]


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("office: [ws, DB]", "office: [ws, DB], x: [DB]", "4:33", 'DB is in the zone "office" already'),
        ("plant: [PLC]", "GW: [PLC]", "4:29", 'host "GW" is listed twice'),
        ("office -> plant]", "plant -> GW]", "7:20", "no link runs here"),
        ("wall:", "GW:", "7:14", 'host "GW" is listed twice'),
        ("block: yes}", "block: yes, name: wall}", "7:14", 'conduit "wall" is listed twice'),
        ("from: ws, to: Files", "from: ws, to: File", "6:57", 'unknown host "File"; did you mean "Files"?'),
        ("from: ws, to: Files", "from: DB, to: DB", "6:57", "joins DB to itself"),
        ("entry: GW", "entry: ws", "8:10", "write [ws] for all of them"),
        ("entry: GW", "entry: GW, DB", "8:10", "for several write a list: [GW, DB]"),
        ("entry: GW", "exposed: GW\n  reset: {probability: 0.1}", "9:10", "a reset compromises the entry"),
        ("hosts: [GW,", "hosts: [block, GW,", "3:11", '"block" is already an action'),
        ("replace: {both:", "replace: {bot:", "22:28", 'no clause "bot" to change; did you mean "both"?'),
        ('remove: ["G (count(office in {C, X, D}) >= 1)"]', "remove: [G true]", "22:80", 'no clause "G true"'),
        ("change_hosts: [{office:", "change_hosts: [{offic:", "16:26", 'did you mean "office"?'),
        ("change_hosts: [{DB: {zone: plant, value: 5}}]", "change_hosts: [DB]", "15:26", "nothing is changed here"),
        ("{DB: {zone: plant, value: 5}}", "{ws: {count: 3}}", "15:39", "the size of a group stays"),
        ("entry: GW", "entry: GW\n  actions: {defender: [noop, isolate]}", "9:12", '"block" is not among'),
        ("entry: GW", "entry: GW\n  tempo: {adversary: 2}\n  actions: {adversary: [spread]}", "10:12", 'has no "noop"'),
    ],
)  # fmt: skip
def test_mistakes_in_a_section(old, new, place, words):
    """Should be told with place, reason and remedy."""
    assert PLANT.count(old) == 1
    text = PLANT.replace(old, new).lstrip()
    with pytest.raises(ScenarioError) as told:
        for name in (None, *scenario_from_text(text, "f.yaml").variants):
            variant(name, text)
    assert words in str(told.value)
    assert str(told.value).startswith(f"f.yaml:{place}: "), told.value


def test_parts_of_a_richer_segment():
    """Should cut links, close exposures and harden hosts, and keep variables and actions."""
    text = PLANT.replace("entry: GW", "entry: GW\n  exposed: [DB]")
    system = variant(None, text).system
    kinds = Counter(part.kind for part in system.parts)
    assert kinds == {"link": 7, "exposure": 1}
    weak = [part.name for part in system.hardenable if part.kind == "host"]
    assert weak == ["GW", "ws1", "ws2", "DB", "PLC"]
    filters = [part.name for part in system.hardenable if part.kind != "host"]
    assert filters == [part.name for part in system.parts if part.kind == "link"]
    less = system.without([*system.parts, *system.hardenable])
    assert not less.parts and not less.hardenable and not less.graph.arrows and less.graph.starts == ("GW",)
    assert [a.name for a in less.game.actions[Player.ADVERSARY]] == [
        a.name for a in system.game.actions[Player.ADVERSARY]
    ]
    check_model(all_models()["network"], text)


def test_a_segment_without_any_way_in_left():
    """Should be what remains when the only exposure is closed, and not what a file may say."""
    text = PLANT.replace("entry: GW", "exposed: [GW]")
    system = variant(None, text).system
    (way,) = [part for part in system.parts if part.kind == "exposure"]
    assert solve(configure(system.without([way]), ["G (DB = C)"])).defensible
    with pytest.raises(ScenarioError, match="the entry is missing"):
        variant("none", PLANT + "  none: {entry: []}\n")


def test_tempo_is_the_idiom():
    """Should be the clause that a person would write, under a name in words."""
    text = PLANT.replace("entry: GW", "entry: GW\n  tempo: {defender: 3, adversary: 2}")
    system = variant(None, text).system
    acts = "monitor | isolate | restore | fix | block | unblock"
    (own,), (other,) = system.requirement, system.boundary
    written = compile_formula(f"G ({acts} -> !(Y Y ({acts}) | Y Y Y Y ({acts})))", system.game.vocabulary)
    vocabulary = system.game.vocabulary
    assert is_included(own.automaton, written, vocabulary) and is_included(written, own.automaton, vocabulary)
    assert own.label == "the defender acts at most once in 3 turns"
    assert other.label == "the adversary acts at most once in 2 turns" and other.text
    assert system.game.reset is None


def test_resets_and_the_operating_point_with_values_and_conduits():
    """Should solve DDR* and train on a segment with values and blockable links, the reset opening them again."""
    text = PLANT.replace("G (count(office in {C, X, D}) >= 1)", "G (active >= 2)", 1)
    found = variant(None, text)
    analysis = analyse(found, Protocol(episodes=20, steps=40, seeds=1, window=5), learning=True, exact=True)
    assert analysis.undecided is None
    assert 0 < analysis.ddr_exact.value < 1 and 0 < analysis.ddr.mean < 1


def test_the_picture_without_parts_is_that_of_the_system_without_them():
    """Drawn without making the game anew, for whoever asks only what is still connected."""
    n_taken = 0
    for seed in range(30):
        system = built(seed)[-1].system
        parts = [*system.parts, *system.hardenable]
        chosen = random.Random(seed).sample(parts, min(3, len(parts)))
        n_taken += len(chosen)
        assert system.drawn_without(chosen) == system.without(chosen).graph, seed
    assert n_taken > 30
