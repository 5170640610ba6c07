"""Effort, tempo and grace: the paper's cases, both engines against the slow twin, and the laws they obey."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cases import TIMES
from holdfast.apps.cli import main
from holdfast.budget import UNLIMITED
from holdfast.certificates.verify.checking import verify
from holdfast.errors import LimitError, ScenarioError
from holdfast.explanation.demands import demands
from holdfast.explanation.explaining import explain
from holdfast.game.configuration import Position, admissible_moves, configure
from holdfast.game.interventions import LayerCounts, idle_actions, interventions_of
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.readings.analysis import analyse
from holdfast.readings.gates import gates_of
from holdfast.readings.results import analysis_object
from holdfast.readings.table import reading_of
from holdfast.report.documents.explanation import explanation_document
from holdfast.report.rendering import rendered
from holdfast.scenario.reading import configuration as configuration_of, read_scenario, scenario_from_text
from holdfast.solver import layers as layering
from holdfast.solver.answers import WaitingAnswers
from holdfast.solver.engines import solve
from holdfast.solver.layers import RegionLayers
from holdfast.solver.response import (
    ResponseProfile,
    as_number,
    extent,
    no_response,
    response_counts,
    response_layers,
    response_profile,
)
from holdfast.solver.restrictions import Restriction, restricted
from holdfast.solver.shield import reachable
from reference import Product
from reference_response import Response, idle_moves
from strategies import random_budgeted, random_configuration, with_idle_action

N_GAMES, N_CHUNKS = 150 * TIMES, 1


def counted(values):
    finite = Counter(v for v in values if v < math.inf)
    return LayerCounts(tuple(sorted(finite.items())), sum(v == math.inf for v in values))


def random_costs(rng, game):
    names = [action.name for action in game.actions[Player.DEFENDER]]
    return {name: rng.choice((0, 1, 2, 3, 5)) for name in names if rng.random() < 0.6}


def compare(configuration, rng, note):
    """Both engines against the twin, in every count and every position; what was seen."""
    oracle = Product(configuration)
    costs = [configuration.costs.get(a.name, 1) for a in configuration.game.actions[Player.DEFENDER]]
    twin = Response(oracle, costs)
    efforts, graces = twin.efforts(), twin.graces()
    tempo = twin.tempo() if oracle.defensible else None
    reach = oracle.reachable()
    for engine in ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]:
        at = f"{note}, engine {engine}"
        solution = solve(configuration, engine)
        layers = response_layers(solution)
        if layers is None:
            assert not twin.idle, at
            continue
        if rng.random() < 0.5:  # the answers do not depend on what was asked first
            assert layers.efforts() == counted(efforts.values()), at
        for v in oracle.positions[:: max(1, len(oracle.positions) // 25)]:
            assert layers.effort(Position(*v)) == efforts.get(v), (at, v)
            assert layers.grace(Position(*v)) == graces.get(v), (at, v)
        counts = response_counts(solution, reachable=oracle.initial[3] in oracle.accepting_adversary)
        assert (counts.efforts, counts.graces) == (counted(efforts.values()), counted(graces.values())), at
        profile = response_profile(solution)
        assert profile.tempo == extent(tempo), at
        if reach is None:
            assert (profile.effort, profile.grace) == (None, None), at
            continue
        assert profile.effort == extent(efforts[oracle.initial]), at
        assert profile.grace == extent(graces[oracle.initial]), at
        if oracle.initial[3] in oracle.accepting_adversary:
            expected = tuple(counted([values[v] for v in reach]) for values in (efforts, graces))
            assert (counts.reachable_efforts, counts.reachable_graces) == expected, at
    return oracle, efforts, graces, tempo


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_layers_equal_the_slow_twin_on_random_games(chunk, monkeypatch):
    """Should agree on every count, on the positions asked, over R, and on tempo; with costs and without."""
    seen = Counter()
    for seed in range(chunk * N_GAMES // N_CHUNKS, (chunk + 1) * N_GAMES // N_CHUNKS):
        rng = random.Random(f"response {seed}")
        monkeypatch.setattr(layering, "MOST_TURNS", (8, 1, 0)[seed % 3])
        monkeypatch.setattr(layering, "LARGE", seed % 2 * 20_000)
        configuration = random_configuration(rng, 72, with_idle_action)
        if rng.random() < 0.5:
            configuration = replace(configuration, costs=random_costs(rng, configuration.game))
        _, efforts, graces, tempo = compare(configuration, rng, f"seed {seed}")
        seen["effort 2 or more"] += any(1 < value < math.inf for value in efforts.values())
        seen["effort unbounded"] += math.inf in efforts.values()
        seen["grace 1 or more"] += any(0 < value < math.inf for value in graces.values())
        seen["costs"] += bool(configuration.costs)
        seen["tabulated"] += configuration.game.tables is not None
        seen["tempo 1"] += tempo == 1
        seen["tempo unbounded"] += tempo == math.inf
        seen["not defensible"] += tempo is None
    assert min(seen[kind] for kind in seen) > 0 and len(seen) == 8, seen


def test_a_remedy_is_what_the_layers_say(monkeypatch):
    """Should find one intervention only where one is enough, from every position of small networks."""
    seen = Counter()
    answer_all = WaitingAnswers.answer_all

    def counted_answer(answers, here):
        found = answer_all(answers, here)
        seen["found" if found else "left to the layers"] += 1
        return found

    monkeypatch.setattr(WaitingAnswers, "answer_all", counted_answer)
    for seed in range(8 * TIMES):
        rng = random.Random(f"remedy {seed}")
        solution = solve(random_budgeted(rng), ("explicit", "symbolic")[seed % 2])
        actions = interventions_of(solution.configuration)
        expected = RegionLayers(solution.regions, solution.configuration, actions)
        expected.efforts()
        positions = map(Position._make, Product(solution.configuration).winning)
        for v in rng.sample(sorted(positions), min(12, solution.n_winning)):
            with monkeypatch.context() as patched:
                patched.setattr(layering, "LARGE", 0)
                alone = RegionLayers(solution.regions, solution.configuration, actions)
                assert alone.effort(v) == expected.effort(v), (seed, v)
    assert len(seen) == 2, seen


PAPER = {
    None: (2, 1, 1),
    "fully-connected": (2, 1, 0),
    "unlimited-destroys": ("unbounded", 1, 1),
    "two-active": (1, "unbounded", 1),
    "no-bypass": (1, "unbounded", 1),
}


@pytest.mark.parametrize("variant", PAPER)
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_five_cases_of_the_paper(variant, engine):
    """Should separate the cases as two other programs have found them."""
    solution = solve(configuration_of(read_scenario("scenarios/paper.yaml"), variant), engine)
    found = response_profile(solution)
    assert (found.effort, found.tempo, found.grace) == PAPER[variant]
    counts = response_counts(solution, reachable=True)
    for by_value, total in (
        (counts.efforts, solution.n_winning),
        (counts.graces, solution.n_winning),
        (counts.reachable_efforts, reachable(solution).n_positions),
        (counts.reachable_graces, reachable(solution).n_positions),
    ):
        assert sum(n for _, n in by_value.finite) + by_value.unbounded == total


def test_an_idle_action_is_found_on_the_game():
    """Should look at what an action does and not at what it is called."""
    for seed in range(80):
        rng = random.Random(f"idle {seed}")
        game = random_configuration(rng, 400, with_idle_action if rng.random() < 0.5 else lambda r, g: g).game
        assert idle_actions(game) == tuple(sorted(idle_moves(game))), seed


def test_a_larger_tempo_is_found_where_there_is_one():
    """Should count the turns between two interventions on a tank that fills up slowly."""
    for depth in range(1, 7):
        text = f"""
holdfast: 1
game:
  variables: {{level: 0..{depth}}}
  initial: {{level: 0}}
  defender: {{empty: {{set: {{level: 0}}}}, wait: {{}}}}
  adversary: {{rain: [{{when: level < {depth}, set: {{level: level + 1}}}}], wait: {{}}}}
specs: {{defender: [G (level < {depth})]}}
"""
        for engine in ("explicit", "symbolic"):
            found = response_profile(solve(configuration_of(scenario_from_text(text)), engine))
            expected = ("unbounded", depth - 1, depth - 2) if depth > 1 else (None, None, None)
            assert (found.effort, found.tempo, found.grace) == expected, depth


def test_effort_and_grace_satisfy_their_one_step_equations():
    """Should spend, at each position, what its best move costs and what is needed after it."""
    checked = 0
    for seed in range(60):
        rng = random.Random(f"equation {seed}")
        configuration = random_configuration(rng, 400, with_idle_action)
        configuration = replace(configuration, costs=random_costs(rng, configuration.game))
        layers, actions = response_layers(solve(configuration)), interventions_of(configuration)
        for v in map(Position._make, Product(configuration).winning):
            moves = admissible_moves(configuration, v)
            after = {a: (layers.effort(t), layers.grace(t)) for a, t in moves.items()}
            if v.turn is Player.DEFENDER:
                kept = {a: pair for a, pair in after.items() if pair[0] is not None}
                effort = min(actions.costs[a] + pair[0] for a, pair in kept.items())
                grace = max((1 + pair[1] for a, pair in kept.items() if a in actions.idle), default=0)
            else:
                effort = max((pair[0] for pair in after.values()), default=layers.effort(v))
                grace = min((pair[1] for pair in after.values()), default=math.inf)
                assert after or layers.effort(v) == 0
            assert (layers.effort(v), layers.grace(v)) == (effort, grace), (seed, v)
            checked += 1
    assert checked > 1000


NO_IDLE = """
holdfast: 1
game:
  variables: {level: 0..1}
  initial: {level: 0}
  defender: {lower: {set: {level: 0}}, raise: {set: {level: 1}}}
  adversary: {wait: {}}
specs: {defender: [G (level < 2)]}
"""


def test_a_game_without_an_idle_action_has_no_profile():
    """Should say so instead of a number."""
    configuration = configuration_of(scenario_from_text(NO_IDLE))
    for engine in ("explicit", "symbolic"):
        solution = solve(configuration, engine)
        assert response_profile(solution) == ResponseProfile(None, None, None)
        assert response_counts(solution) is None
        assert "no idle action" in no_response(solution)
    found = analyse(configuration)
    assert analysis_object(found)["response"] == {"effort": None, "tempo": None, "grace": None}
    assert "no idle action" in reading_of("effort").described(found) and found.undecided is None
    (gate,) = gates_of(found, {"effort": 3})
    assert not gate.met and not gate.undecided


# -- laws ---------------------------------------------------------------------------------------------


def at_most(one, other):
    """effort, tempo and grace, each no worse in the first; a design that is lost is the worst."""
    if other.effort is None:
        return True
    pairs = [tuple(map(as_number, pair)) for pair in zip(vars(one).values(), vars(other).values())]
    (effort, tempo, grace) = pairs
    return None not in effort and effort[0] <= effort[1] and tempo[0] >= tempo[1] and grace[0] >= grace[1]


def segment_with(links, n_hosts, budget, active):
    hosts = [f"h{i}" for i in range(n_hosts)]
    both = f"G !({hosts[-2]} in {{X, D, Z}} & {hosts[-1]} in {{X, D, Z}})"
    game = network_game(hosts, links, hosts[0])
    return configure(game, [both, f"G (active >= {active})"], [f"G (times(destroy) <= {budget})"])


def test_a_change_that_helps_the_defender_never_raises_effort_nor_lowers_tempo_or_grace():
    """Should hold for a link that is cut, and for a budget of the adversary that is lowered."""
    seen = Counter()
    for seed in range(24):
        rng = random.Random(f"law {seed}")
        n = rng.choice((3, 4))
        links = [(f"h{a}", f"h{b}") for a in range(n) for b in range(n) if a != b and rng.random() < 0.5]
        budget, active = rng.randint(1, 3), rng.randint(1, 2)
        before = response_profile(solve(segment_with(links, n, budget, active)))
        lower = response_profile(solve(segment_with(links, n, budget - 1, active)))
        assert at_most(lower, before), seed
        seen["budget helps"] += lower != before
        if links:
            cut = response_profile(solve(segment_with(rng.sample(links, len(links) - 1), n, budget, active)))
            assert at_most(cut, before), seed
            seen["cut helps"] += cut != before
        seen["lost"] += before.effort is None
    assert min(seen.values()) > 0 and len(seen) == 3, seen


def test_tempo_is_unbounded_where_one_intervention_is_enough_and_bounded_by_grace_elsewhere():
    """Should obey the theorem of docs/theory.md on the slow twin, which knows nothing of it."""
    bounded = 0
    for seed in range(150):
        configuration = random_configuration(random.Random(f"theorem {seed}"), 48, with_idle_action)
        oracle = Product(configuration)
        if not oracle.defensible:
            continue
        twin = Response(oracle, [1] * len(configuration.game.actions[Player.DEFENDER]))
        effort, tempo, graces = twin.efforts()[oracle.initial], twin.tempo(), twin.graces().values()
        assert (tempo == math.inf) == (effort <= 1), seed
        if effort > 1:
            assert tempo <= 1 + max(d for d in graces if d < math.inf), seed
            bounded += 1
    assert bounded >= 2


def test_the_tempo_of_a_network_is_the_reading():
    """Should be defensible at the pace that was read, written into the network, and not at a slower one."""
    for variant, profile in PAPER.items():
        for turns, holds in (
            (profile[1], True),
            (1 if profile[1] == "unbounded" else profile[1] + 1, profile[1] == "unbounded"),
        ):
            turns = 9 if turns == "unbounded" else turns
            text = (
                Path("scenarios/paper.yaml")
                .read_text()
                .replace("  entry: GW", f"  entry: GW\n  tempo: {{defender: {turns}}}", 1)
            )
            slow = configuration_of(scenario_from_text(text), variant)
            assert solve(slow).defensible == holds, (variant, turns)


def test_a_reading_is_a_verdict_under_one_clause_more():
    """Should be defensible under every restriction up to the reading, and under none past it."""
    seen = Counter()
    for seed in range(30):
        rng = random.Random(f"clause {seed}")
        configuration = random_configuration(rng, 600, with_idle_action)
        if seed % 3 == 0:
            pairs = [(f"h{a}", f"h{b}") for a in range(4) for b in range(4) if a != b and rng.random() < 0.6]
            configuration = segment_with(pairs, 4, rng.randint(1, 2), 2)
        if rng.random() < 0.5:
            configuration = replace(configuration, costs=random_costs(rng, configuration.game))
        solution = solve(configuration)
        if no_response(solution):
            continue
        profile = response_profile(solution)
        for kind, least in (("effort", 0), ("tempo", 1), ("grace", 0)):
            value = as_number(getattr(profile, kind))
            for n in range(least, 5):
                borne = solve(restricted(configuration, Restriction(kind, n))).defensible
                assert borne == (n >= value if kind == "effort" else n <= value), (seed, kind, n, value)
                seen[kind, borne] += 1
    assert len(seen) == 6, seen


def test_certificates_of_the_response_are_checked_without_the_solver(tmp_path, capsys):
    """Should prove each number and the step past it, of the scenario as it is written."""
    for variant, names in {
        None: {"effort-2-holds", "effort-1-fails", "tempo-2-fails", "grace-1-holds", "grace-2-fails"},
        "no-bypass": {"effort-1-holds", "effort-0-fails", "grace-1-holds", "grace-2-fails"},
    }.items():
        folder = tmp_path / str(variant)
        chosen = () if variant is None else ("-v", variant)
        assert (
            run(capsys, "check", "scenarios/paper.yaml", *chosen, "--response-certificates", str(folder))[0]
            == 0
        )
        assert {path.stem for path in folder.iterdir()} == names
        for path in folder.iterdir():
            verdict = verify(path)
            assert verdict.valid and verdict.defensible == path.stem.endswith("holds"), path
            assert verdict.variant == variant
            assert verdict.text == Path("scenarios/paper.yaml").read_text("utf-8")
            assert path.stem.startswith(f"{verdict.restriction.kind}-{verdict.restriction.number}-")
    where = str(tmp_path / "none")
    code, shown = run(capsys, "check", "scenarios/indefensible.yaml", "--response-certificates", where)
    assert code == 1 and "no response certificates" in shown.err


def test_explain_shows_what_breaks_and_a_play_that_holds():
    """Should spend exactly the effort, and be lost one step past each reading."""
    for variant, (effort, tempo, grace) in PAPER.items():
        solution = solve(configuration_of(read_scenario("scenarios/paper.yaml"), variant))
        found = demands(solution, "auto")
        assert (found.profile.effort, found.profile.tempo, found.profile.grace) == (effort, tempo, grace)
        broken = {breach.reading: breach for breach in found.breaches}
        assert set(broken) == {k for k, v in vars(found.profile).items() if v != "unbounded"}
        assert all(breach.rank > 0 and breach.line.complete for breach in broken.values())
        spent, needed = 0, effort
        for step in found.play:
            spent += step.cost
            assert step.cost == 0 or step.move.mover == "defender"
            if effort != "unbounded":
                assert spent + step.needed <= effort
                needed = step.needed
        if effort != "unbounded":
            assert spent + needed == effort
    text = rendered(explanation_document(explain(solution)), "text")
    assert "What it takes to hold" in text and "still needed" in text and "One turn later" in text


# -- everywhere a reading is --------------------------------------------------------------------------


def run(capsys, *args):
    with pytest.MonkeyPatch.context() as patched, pytest.raises(SystemExit) as stopped:
        patched.setattr(sys, "argv", ["holdfast", *args])
        main()
    return stopped.value.code, capsys.readouterr()


def test_check_reads_and_gates_the_response(capsys):
    """Should give three numbers or words, and fail where a bound is missed."""
    paper = "scenarios/paper.yaml"
    code, shown = run(
        capsys, "check", paper, "--json", "--max-effort", "2", "--min-tempo", "1", "--min-grace", "1"
    )
    assert code == 0 and json.loads(shown.out)["response"] == {"effort": 2, "tempo": 1, "grace": 1}
    assert json.loads(shown.out)["gates"][0]["maximum"] == 2
    assert run(capsys, "check", paper, "--max-effort", "1")[0] == 1
    assert run(capsys, "check", paper, "--min-tempo", "2")[0] == 1
    code, shown = run(capsys, "check", paper, "-v", "no-bypass", "--json", "--min-tempo", "99")
    assert code == 0 and json.loads(shown.out)["response"]["tempo"] == "unbounded"
    assert json.loads(shown.out)["gates"][0]["value"] == "unbounded"
    code, shown = run(capsys, "check", paper, "--no-response", "--max-effort", "1")
    assert code == 2 and "--no-response skips" in " ".join(shown.err.split())
    code, shown = run(capsys, "check", paper, "--no-response", "--json")
    assert json.loads(shown.out)["response"] == {"effort": None, "tempo": None, "grace": None}


def test_compare_tells_moves_and_inversions_of_the_response(capsys):
    """Should have them in JSON and in CSV, without a number that JSON does not know."""
    args = ("compare", "scenarios/paper.yaml", "--no-learning")
    found = json.loads(run(capsys, *args, "--json")[1].out, parse_constant=pytest.fail)
    assert [entry["effort"] for entry in found["entries"]] == [2, 2, "unbounded", 1, 1]
    moves = {delta["label"]: delta["movements"] for delta in found["deltas"]}
    assert moves["unlimited-destroys"]["effort"]["absolute"] == "unbounded"
    assert moves["fully-connected"]["grace"]["absolute"] == -1
    opposed = {(i["formal"], i["operational"], i["axis"], i["point"]) for i in found["response_inversions"]}
    assert ("fully-connected", "base", "stp", "grace") in opposed
    assert ("fully-connected", "unlimited-destroys", "effort", "ddr_exact") in opposed
    rows = run(capsys, *args, "--csv")[1].out.splitlines()
    place = rows[0].split(",").index("tempo")
    assert [row.split(",")[place] for row in rows[1:]] == ["1", "1", "1", "unbounded", "unbounded"]


def test_costs_are_read_from_the_file():
    """Should take the action's own entry before that of its type, the variant's before the base's."""
    text = Path("scenarios/paper.yaml").read_text() + "effort: {isolate: 2, fix: 5, isolate(DB): 7}\n"
    text = text.replace(
        "variants:\n", "variants:\n  cheap: {effort: {fix: 1}}\n  wrong: {effort: {fixx: 1}}\n"
    )
    scenario = scenario_from_text(text)
    base, cheap = (analyse(configuration_of(scenario, name)) for name in (None, "cheap"))
    assert base.costs == {"isolate": 2, "fix": 5, "isolate(DB)": 7}
    assert (base.response.effort, cheap.response.effort) == (7, 3)
    assert (base.response.tempo, base.response.grace) == (1, 1)
    with pytest.raises(ScenarioError, match='no action "fixx"; did you mean "fix"'):
        configuration_of(scenario, "wrong")


def test_costs_of_actions_that_a_variant_has_lost_are_left_out():
    """Should read the variant that takes the only switch away; what the base does not know is a mistake there too."""
    text = """
holdfast: 1
network: {hosts: [GW, DB], links: [{from: GW, to: DB, block: yes}], entry: GW}
specs: {defender: [G (DB != Z)]}
effort: {block: 3, isolate(DB): 2, fix: 4}
variants: {cut: {remove_links: [GW -> DB]}, alone: {remove_hosts: [DB], specs: {defender: [G (GW != Z)]}}}
"""
    scenario = scenario_from_text(text)
    assert configuration_of(scenario, "cut").costs == {"isolate(DB)": 2, "fix": 4}
    assert configuration_of(scenario, "alone").costs == {"fix": 4}
    for wrong in ("bloc: 3", "isolate(DX): 3"):
        with pytest.raises(ScenarioError, match="the defender has no action"):
            configuration_of(scenario_from_text(text.replace("block: 3", wrong)), "cut")


def test_a_limit_leaves_the_response_open():
    """Should keep the certificate, name what is missing, and go on from there when asked again."""
    solution = solve(configuration_of(read_scenario("scenarios/paper.yaml")))
    undecided = []
    assert response_profile(solution, stopping_at("effort 1"), undecided) == ResponseProfile(None, None, 1)
    assert [said.partition(":")[0] for said in undecided] == ["effort", "tempo"]
    with pytest.raises(LimitError):
        response_profile(solution, stopping_at("effort 1"))
    assert response_profile(solution) == ResponseProfile(2, 1, 1)


def stopping_at(word):
    """A budget whose time is over when some work begins."""

    def watch(doing, done):
        if word in doing:
            raise LimitError("the time ran out")

    return replace(UNLIMITED, watch=watch)
