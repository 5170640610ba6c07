"""Claims about sight: genuine ones are proved again, forged ones refused, each with its reason."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from functools import cache

import pytest

from cases import TIMES
from certificates import packed, repaired, unpacked
from holdfast.apps.cli import main
from holdfast.certificates.verify.checking import verify
from holdfast.certificates.writing import certify
from holdfast.errors import InputError, LimitError
from holdfast.game.sight import with_sensors
from holdfast.logic.expressions import Player
from holdfast.solver import belief_witnesses
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve
from mutations import answer, loaded
from sights import SIGHT_MUTATIONS, holds, judged_sight, random_seen_scenario, whole_game

ENGINES = ("explicit", "symbolic")


@cache
def claimed(text, engine="symbolic", variant=None):
    """The certificate of a claim about sight."""
    return certify(solve(loaded(text, variant), engine), claim="sight")


@cache
def pool():
    """Claims about small games, of both verdicts and by both engines."""
    texts = [random_seen_scenario(random.Random(f"seen {seed}")) for seed in range(16 * TIMES)]
    return [(text, engine, claimed(text, engine)) for text in texts for engine in ENGINES]


# -- what is right is accepted ----------------------------------------------------------------------------


def test_random_games():
    """Should be proved again, with the verdict of the slow twin, and by the judge's lights too."""
    seen = Counter()
    for text, engine, raw in pool():
        found, truth = verify(raw), holds(whole_game(text))
        assert (found.valid, found.reason) == (True, ""), (text, engine)
        assert truth in (None, found.defensible), (text, engine)
        assert judged_sight(json.loads(raw))[0] == "valid"
        seen[engine, found.defensible] += 1
    assert min(seen[engine, held] for engine in ENGINES for held in (True, False)) >= 2, seen


FORK = """
holdfast: 1
name: fork
network:
  hosts: [GW, Web, DB]
  links: [GW -> Web, GW -> DB, Web -> DB, DB -> GW, DB -> Web]
  entry: GW
  isolate: detected
  sensors: none
specs: {defender: ["G !(DB in {X, D, Z} & Web in {X, D, Z})", G (active >= 1)], adversary: [G (times(destroy) <= 1)]}
variants:
  watched: {network: {sensors: [DB]}}
  all: {network: {sensors: all}}
  each: {network: {sensors: [GW, Web, DB]}}
  late: {network: {sensors: {DB: {delay: 1}}}}
  later: {network: {sensors: {Web: {delay: 2}}}}
  missing: {network: {sensors: {DB: {may_miss: 1}}}}
  both: {network: {sensors: {DB: {may_miss: 1}, Web: {delay: 1}}}}
  noticed: {network: {sensors: none, seen: [spread]}}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "variant", [None, "watched", "all", "each", "late", "later", "missing", "both", "noticed"]
)
def test_sensors_of_a_network(variant, engine):
    """Should be proved for sensors that are late, that miss something, and for moves that are noticed."""
    solution = solve(loaded(FORK, variant), engine)
    expected = solve_beliefs(solution, solution.configuration.system.sight)
    found = verify(claimed(FORK, engine, variant))
    assert (found.valid, found.reason, found.defensible) == (True, "", expected.defensible)
    assert found.claim.sensors == expected.sight.placed
    assert found.defensible == (variant in ("watched", "all", "each", "noticed"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", ["defender", "adversary"])
def test_a_start_that_violates_the_threat_boundary(first, engine):
    """Should be settled by at most one move: the adversary never has an admissible one."""
    text = f"""
holdfast: 1
game:
  variables: {{x: 0..3}}
  initial: {{x: 0}}
  first: {first}
  defender: {{over: {{set: {{x: 3}}}}, up: {{set: {{x: 1}}}}}}
  adversary: {{end: {{set: {{x: 3}}}}, wait: {{}}}}
  observes: []
specs: {{defender: [G (x < 3)], adversary: [x = 1 | up | over]}}
"""
    found = verify(claimed(text, engine))
    assert (found.valid, found.reason, found.defensible) == (True, "", True)


def test_the_same_solution_gives_the_same_bytes():
    """Should not depend on when, or how often, it is written."""
    for engine in ENGINES:
        again = certify(solve(loaded(FORK, "watched"), engine), claim="sight")
        assert again == claimed(FORK, engine, "watched")


# -- what is forged is refused ------------------------------------------------------------------------------


def test_mutations_are_refused_or_genuinely_valid():
    """Should agree with the judge on every one, and never call a false claim valid."""
    rng, found = random.Random(3), Counter()
    for label, (mutate, n) in SIGHT_MUTATIONS.items():
        for i in range(n * TIMES):
            base = data = None
            while data == base:
                base = json.loads(rng.choice(pool())[2])
                data = json.loads(json.dumps(base))
                mutate(rng, data)
            raw = repaired(data)
            expected, true = judged_sight(json.loads(raw))
            assert answer(raw) == expected, f"{label} {i}: the judge says {expected}"
            assert not (expected == "valid" and true is False), f"{label} {i}: a false claim was proved"
            found[expected] += 1
    assert found["refuted"] >= 60, "the mutations are meant to reach the checker"
    assert found["valid"] >= 5, "some mutations leave a proof, and the checker must see that too"


def test_no_set_of_beliefs_proves_what_is_false():
    """Should refuse the largest beliefs there are with every action, where the design is lost."""
    for text, engine, raw in pool():
        data = json.loads(raw)
        if data["verdict"] == "defensible" or engine != "explicit":
            continue
        witness, game = data["witness"], loaded(text).game
        planes = [plane for plane in witness["planes"] if plane[0] == "defender"]
        n = len(planes) * game.n_valuations
        for action in game.actions[Player.DEFENDER]:
            everything = {
                "kind": "arrays",
                "planes": planes,
                "beliefs": [n],
                "positions": packed(list(range(n))),
                "start": [[f"{bits:x}", None, 0] for bits in range(16)],
                "stances": [
                    [action.name, [[f"{m:x}", f"{b:x}", None, 0] for m in range(16) for b in range(16)]]
                ],
            }
            forged = {**data, "verdict": "defensible", "witness": everything}
            assert answer(repaired(forged)) == "refuted"


def refutation(data) -> str:
    found = verify(repaired(data))
    assert not found.valid
    return found.reason


def refusal(data) -> str:
    with pytest.raises(InputError) as error:
        verify(repaired(data))
    return str(error.value)


def held(engine="explicit"):
    return json.loads(claimed(FORK, engine, "watched"))


def lost(engine="explicit"):
    return json.loads(claimed(FORK, engine))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_reason_of_a_forged_controller(engine):
    """Should say in which belief what is wrong."""
    data = held(engine)
    data["witness"]["stances"][0][1] = []
    assert "it does not say what comes next" in refutation(data)
    data = held(engine)
    data["witness"]["start"] = []
    assert "before the first move, where what is seen is " in refutation(data)
    data = held(engine)
    data["witness"]["stances"][0][0] = "fly"
    assert 'in belief 0 it says "fly", which the defender cannot do' in refutation(data)
    data = held(engine)
    for stance in data["witness"]["stances"]:
        stance[0] = "restore(GW)"
    assert "after restore(GW) in belief" in refutation(data)
    if engine == "explicit":
        data = held()
        sizes, numbers = data["witness"]["beliefs"], unpacked(data["witness"]["positions"])
        data["witness"]["positions"] = packed(numbers[1:])
        sizes[0] -= 1
        assert "does not have a position that may be the case: " in refutation(data)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_reason_of_a_forged_refutation(engine):
    """Should say which action of which belief is not refuted."""
    data = lost(engine)
    number = data["witness"]["start"][0][-1]
    names = [action.name for action in loaded(FORK).game.actions[loaded(FORK).game.first.opponent]]
    data["witness"]["refuted"][number][0] = ["0", "0", None, number]
    assert f"in belief {number} {names[0]} is not refuted: belief {number} does not stand before it" in (
        refutation(data)
    )
    data = lost(engine)
    data["witness"]["refuted"][number] = data["witness"]["refuted"][number][1:]
    assert "it does not say of each action what refutes it" in refutation(data)
    data = lost(engine)
    data["witness"]["start"] *= 2
    assert "once of each belief" in refusal(data)
    data["witness"]["start"] = []
    assert "it does not say what is seen before the first move that is lost" in refutation(data)
    data = lost(engine)
    data["witness"]["start"][0][0] = "7fffffffffffffffffffffff"
    assert "this is not possible: " in refutation(data)
    if engine == "explicit":
        data = lost()
        data["witness"]["ranks"] = packed([0] * len(unpacked(data["witness"]["ranks"])))
        assert "is not refuted" in refutation(data)


def test_other_sensors_than_those_of_the_file():
    """Should be refused where nothing follows from them, and accepted where something does."""
    data = held()
    data["claim"]["sensors"] = ["DB", "Web"]
    assert 'counts on the sensor "Web", which its scenario does not have' in refusal(data) or (
        "out of order" in refusal(data)
    )
    data["claim"]["sensors"] = ["Webb"]
    assert "sensors that its scenario does not know" in refusal(data)
    data = held()
    data["scenario"]["variant"] = "each"
    assert verify(repaired(data)).valid, "what holds with fewer sensors holds"
    data["scenario"]["variant"] = None
    assert 'counts on the sensor "DB"' in refusal(data)
    solution = solve(loaded(FORK, "late"), "explicit")
    sight = solution.configuration.system.sight
    assert not solve_beliefs(solution, with_sensors(sight, ["DB"])).defensible
    data = json.loads(claimed(FORK, "explicit", "late"))
    assert data["claim"]["sensors"] == ["DB"]
    data["claim"]["sensors"] = []
    assert 'leaves out the sensor "DB", which its scenario has' in refusal(data)
    data = lost()
    data["scenario"]["text"] = data["scenario"]["text"].replace("  sensors: none\n", "")
    assert "the defender of its scenario sees everything" in refusal(data)


@pytest.mark.parametrize("engine", ENGINES)
def test_shapes(engine):
    """Should refuse what is no witness of beliefs, before anything is computed."""

    def broken(change, base=held):
        data = base(engine)
        change(data, data["witness"])
        return refusal(data)

    assert "expected the entries" in broken(lambda d, w: w.pop("start"))
    assert "expected the entries" in broken(lambda d, w: d["claim"].update(goal="evicted"))
    assert "wrong type" in broken(lambda d, w: d["claim"].update(sensors="DB"))
    assert "and nothing else" in broken(lambda d, w: d.update(verdict="playbook"))
    assert "once of each belief" in broken(lambda d, w: w["stances"].pop())
    assert "is none" in broken(lambda d, w: w["stances"].append(3))
    assert "not an action" in broken(lambda d, w: w["stances"].append([None, []]))
    assert "says twice" in broken(lambda d, w: w["stances"][0][1].append(w["stances"][0][1][0]))
    for wrong in (
        ["x", "0", None, 0],
        ["0", "0", 1, 0],
        ["0", "0", None, 10**6],
        ["00", "0", None, 0],
        [],
        1,
    ):
        assert "what is seen does not stand there" in broken(
            lambda d, w, e=wrong: w["stances"][0][1].append(e)
        )
    assert "no list of what refutes" in broken(lambda d, w: w["refuted"].append(1), lost)
    beliefs = [-1, "x", None] if engine == "explicit" else [[5, 4], ["x"], 3, [10**6]]
    for wrong in beliefs:
        assert "its beliefs are not" in broken(lambda d, w, e=wrong: w["beliefs"].append(e))
    if engine == "explicit":
        numbers = unpacked(held()["witness"]["positions"])
        for wrong in ([10**6, *numbers[1:]], numbers[:1] * len(numbers)):
            forged = packed(wrong)
            assert "do not ascend, or are of no plane" in broken(lambda d, w, e=forged: w.update(positions=e))
        assert "does not have" in broken(lambda d, w: w.update(positions=packed(numbers[1:])))


# -- what is asked for and cannot be had ------------------------------------------------------------------


def test_claims_that_cannot_be_proved():
    """Should be refused with what to do instead; a goal of that name keeps its meaning."""
    everything = FORK.replace("  sensors: none\n", "")
    with pytest.raises(InputError, match="sees everything, so there is no claim about sight"):
        claimed(everything)
    indefensible = FORK.replace("G (active >= 1)", "G (active >= 3)")
    with pytest.raises(InputError, match="cannot be defended"):
        claimed(indefensible)
    named = everything + "recovery: {sight: GW = C}\n"
    assert json.loads(claimed(named))["claim"]["goal"] == "sight"


def test_too_much_to_say(monkeypatch):
    """Should be a limit that says what there would be, and how much can be checked."""
    monkeypatch.setattr(belief_witnesses, "MAX_LOOKS", 3)
    with pytest.raises(LimitError, match=r"would say \d+ times what may be seen; at most 3 can be checked"):
        certify(solve(loaded(FORK, "watched"), "explicit"), claim="sight")


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    """Should be written by check and read by verify, in words and as JSON."""
    file, out = tmp_path / "fork.yaml", tmp_path / "sight.cert"
    file.write_text(FORK, "utf-8")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, capsys.readouterr()

    for variant, verdict in (([], "NOT DEFENSIBLE"), (["--variant", "watched"], "DEFENSIBLE")):
        quick = ("--no-ladder", "--no-response", "--no-recovery", "--no-latitude")
        run("check", file, *variant, "--certificate", out, "--claim", "sight", *quick)
        code, said = run("verify", out, "--scenario", file, *variant)
        assert code == 0 and f", it is {verdict}; " in said.out
        assert ("without sensors" if verdict.startswith("NOT") else "with the sensor DB") in said.out
        code, said = run("verify", out, "--json")
        found = json.loads(said.out)
        assert found["claim"] == {"sensors": ["DB"] if variant else []}
        assert found["defensible"] is (verdict == "DEFENSIBLE")
