"""Claims about recovery: genuine ones are proved again, forged ones refused, each with its reason."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from functools import cache

import pytest

from cases import TIMES
from certificates import (
    judged,
    packed,
    random_goal_scenario,
    random_scenario,
    repaired,
    segment_text,
    unpacked,
)
from holdfast.apps.cli import main
from holdfast.certificates.verify.checking import verify
from holdfast.certificates.writing import certify
from holdfast.errors import InputError
from holdfast.game.configuration import is_admissible
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, read_scenario
from holdfast.solver.engines import solve
from mutations import CLAIM_MUTATIONS, answer, loaded, mutated
from paths import ROOT
from reference import Product
from reference_recovery import goal_positions, ranks

SCENARIOS = ROOT / "scenarios"
ENGINES = ("explicit", "symbolic")

PAPER = {
    None: ("never", "never"),
    "fully-connected": ("never", "never"),
    "unlimited-destroys": ("never", "never"),
    "two-active": (6, 12),
    "no-bypass": (4, 8),
}
"""Within how many moves each case of the paper can be evicted and recovered."""


@cache
def claimed(text, goal="goal", variant=None, engine="symbolic"):
    """The certificate of a claim about a scenario."""
    return certify(solve(loaded(text, variant), engine), claim=goal)


# -- what is right is accepted ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("variant", PAPER)
def test_the_five_cases_of_the_paper(variant, engine):
    """Should be proved again, from the file alone: evicted and recovered, or never."""
    for goal, moves in zip(("evicted", "recovered"), PAPER[variant]):
        found = verify(claimed((SCENARIOS / "paper.yaml").read_text("utf-8"), goal, variant, engine))
        assert (found.valid, found.defensible, found.reason) == (True, True, "")
        assert (found.claim.goal, found.claim.moves) == (goal, moves)


def test_the_goals_of_the_library():
    """Should be proved whatever the model: networks, grids whose moves are tables, plants and cells."""
    seen = Counter()
    for path in sorted(SCENARIOS.glob("*.yaml")):
        scenario = read_scenario(path)
        for variant in (None, *scenario.variants):
            chosen = configuration(scenario, variant)
            solution = solve(chosen) if chosen.goals and chosen.game.n_valuations < 10**9 else None
            for goal in chosen.goals if solution is not None and solution.defensible else ():
                found = verify(certify(solution, claim=goal))
                assert found.valid, (path, variant, goal, found.reason)
                seen[solution.engine, goal] += 1
    assert len(seen) >= 5 and sum(seen.values()) > 30, seen


def test_random_games_with_random_goals():
    """Should be the answer of the slow twin, proved; and of the two certificates exactly one should exist."""
    seen = Counter()
    for seed in range(32 * TIMES):
        text = random_goal_scenario(random.Random(f"claim {seed}"))
        chosen = loaded(text)
        whole, goal = Product(chosen), chosen.goals["goal"]
        rank = ranks(whole, goal)
        moves = rank.get(whole.initial, "never")
        for engine in ENGINES:
            raw = claimed(text, engine=engine)
            found = verify(raw)
            assert (found.valid, found.claim.moves) == (True, moves), (seed, engine, found.reason)
            assert judged(json.loads(raw)) == ("valid", True), (seed, engine)
            for forged in opposites(json.loads(raw), whole, goal, rank):
                assert answer(repaired(forged)) == judged(forged)[0] != "valid", (seed, engine)
        assert (whole.initial in largest_trap(whole, goal)) == (moves == "never"), seed
        seen["never" if moves == "never" else min(moves, 2)] += 1
        seen["resting"] += any(not whole.admissible(v) for v in whole.winning)
        seen["defender first"] += chosen.game.first is Player.DEFENDER
    assert len(seen) == 6 and min(seen.values()) >= 2, seen


def largest_trap(whole, goal):
    """All of W outside the goal in which the adversary holds the play: taken away until nothing changes."""
    trap = whole.winning - goal_positions(whole, goal)
    while True:
        kept = {v for v in trap if _held(whole, trap, v)}
        if kept == trap:
            return trap
        trap = kept


def _held(whole, trap, v):
    moves = whole.admissible(v).values()
    if v[1] is Player.ADVERSARY:
        return not moves or any(t in trap for t in moves)
    return all(t in trap or t not in whole.winning for t in moves)


def opposites(data, whole, goal, rank):
    """The other answer as an evil writer would put it, with the best sets there are; and fewer moves."""
    if data["witness"]["kind"] != "arrays":
        return
    chosen, states = whole.configuration, whole.configuration.game.n_valuations
    planes = [(Player(turn), tuple(ones), tuple(others)) for turn, ones, others in data["witness"]["planes"]]
    places = [(chosen.game.state(i), *plane) for plane in planes for i in range(states)]
    own = [plane for plane in planes if plane[0] is Player.ADVERSARY]
    common = {"kind": "arrays", "planes": data["witness"]["planes"], "region": data["witness"]["region"]}
    there = goal_positions(whole, goal)
    if data["claim"]["moves"] == "never":
        for most in (1, 3, 9):
            numbers = [rank.get(v, most) + 1 if v in whole.winning else 0 for v in places]
            start = numbers[places.index(whole.initial)] - 1
            yield {
                **data,
                "claim": {"goal": "goal", "moves": start},
                "witness": {**common, "recovery": packed(numbers)},
            }
        return
    for trap in (whole.winning - there, whole.winning):
        inside = packed([int(v in trap) for v in places])
        for lost in (0, 1):
            yield {
                **data,
                "claim": {"goal": "goal", "moves": "never"},
                "witness": {
                    **common,
                    "trap": inside,
                    "ranks": packed([lost * (whole.rank.get(v) or 0) for v in places]),
                    "moves": packed([0] * (states * len(own))),
                },
            }
    moves = data["claim"]["moves"]
    if moves:
        lower = [max(1, k - 1) if k else 0 for k in unpacked(data["witness"]["recovery"])]
        yield {
            **data,
            "claim": {"goal": "goal", "moves": moves - 1},
            "witness": {**common, "recovery": packed(lower)},
        }


@pytest.mark.parametrize(("slack", "moves"), [(3, 6), (2, "never")])
def test_a_segment_of_forty_hosts(slack, moves):
    """Should be valid for both answers, and small."""
    raw = claimed(segment_text(40, slack), "evicted")
    found = verify(raw)
    assert (found.valid, found.reason, found.claim.moves) == (True, "", moves)
    assert len(raw) < 1_000_000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("first", "goal", "moves"),
    [
        ("defender", "x = 0", 0),
        ("defender", "x = 1", 1),
        ("defender", "x = 2", "never"),
        ("adversary", "x = 0", 0),
        ("adversary", "x = 1", "never"),
    ],
)
def test_a_start_that_violates_the_threat_boundary(first, goal, moves, engine):
    """Should be settled by at most one defender move: the adversary never has an admissible one."""
    text = f"""
holdfast: 1
game:
  variables: {{x: 0..3}}
  initial: {{x: 0}}
  first: {first}
  defender: {{up: {{set: {{x: 1}}}}, stay: {{}}, over: {{set: {{x: 3}}}}}}
  adversary: {{end: {{set: {{x: 3}}}}, wait: {{}}}}
specs: {{defender: [G (x < 3)], adversary: [x = 1 | up | stay | over]}}
recovery: {{goal: {goal}}}
"""
    assert not is_admissible(loaded(text), loaded(text).initial)
    raw = claimed(text, engine=engine)
    assert (verify(raw).valid, verify(raw).claim.moves) == (True, moves), verify(raw).reason
    assert judged(json.loads(raw)) == ("valid", True)


# -- what is forged is refused ------------------------------------------------------------------------------


def pool():
    """Claims about small games, of both answers and by both engines."""
    wanted, seed = {(never, e): 6 for never in (True, False) for e in ENGINES}, 0
    while any(wanted.values()):
        text = random_goal_scenario(random.Random(f"pool {seed}"))
        seed += 1
        for engine in ENGINES:
            raw = claimed(text, engine=engine)
            moves = json.loads(raw)["claim"]["moves"]
            if moves and wanted[moves == "never", engine]:
                wanted[moves == "never", engine] -= 1
                yield raw


def test_mutations_are_refused_or_genuinely_valid():
    """Should agree with the judge on every one, and never call a false claim valid."""
    rng, found, bases = random.Random(11), Counter(), list(pool())
    for label, (mutate, n) in CLAIM_MUTATIONS.items():
        for i in range(n // 2 * TIMES):
            raw = mutated(rng, bases, mutate)
            expected, true = judged(json.loads(raw))
            assert answer(raw) == expected, f"{label} {i}: the judge says {expected}"
            assert not (expected == "valid" and true is False), f"{label} {i}: a false claim was proved"
            found[label, expected] += 1
    for i in range(40):
        raw = bytearray(rng.choice(bases))
        if i % 2:
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        else:
            del raw[rng.randrange(len(raw) - 2) :]
        assert answer(bytes(raw)) == "unreadable"
    totals = Counter(verdict for (_, verdict), n in found.items() for _ in range(n))
    assert totals["refuted"] >= 50, "the mutations are meant to reach the checker"
    assert totals["valid"] >= 10, "some mutations leave a proof, and the checker must see that too"


def test_every_false_claim_is_refused_whatever_the_witness():
    """Should never prove the opposite of the truth: writers that try whole and random sets of every plane."""
    rng = random.Random(5)
    for seed in range(20 * TIMES):
        text = random_goal_scenario(random.Random(f"evil {seed}"))
        data = json.loads(claimed(text, engine="explicit"))
        n = len(unpacked(data["witness"]["region"]))
        n_own = sum(plane[0] == "adversary" for plane in data["witness"]["planes"])
        never = data["claim"]["moves"] == "never"
        for density in (0.5, 0.9, 1.0):
            inside = [int(rng.random() < density) for _ in range(n)]
            kept = {key: data["witness"][key] for key in ("kind", "planes", "region")}
            if never:
                wrong = {"recovery": packed([rng.randint(1, 5) * one for one in inside])}
            else:
                lost = [rng.randint(1, 5) * (rng.random() < density) for _ in range(n)]
                moves = packed([0] * (n // len(data["witness"]["planes"]) * n_own))
                wrong = {"trap": packed(inside), "ranks": packed(lost), "moves": moves}
            for claim in range(5) if never else ["never"]:
                forged = {
                    **data,
                    "claim": {"goal": "goal", "moves": claim},
                    "witness": {**kept, **wrong},
                }
                assert not verify(repaired(forged)).valid, seed


SMALL = """
holdfast: 1
name: small
game:
  variables: {x: 0..3}
  initial: {x: 1}
  first: defender
  defender: {down: [{when: x > 0, set: {x: x - 1}}], stay: {}, up: [{when: x < 3, set: {x: x + 1}}]}
  adversary: {push: [{when: x < 3, set: {x: x + 1}}], wait: {}}
specs: {defender: [G (x < 3)], adversary: [G (times(push) <= 1)]}
recovery: {empty: x = 0, full: x = 3, two: x = 2}
variants: {bold: {specs: {adversary: []}}, still: {specs: {adversary: [G (times(push | wait) <= 0)]}}}
"""


def small(goal="empty", engine="explicit", variant=None):
    return json.loads(claimed(SMALL, goal, variant, engine))


def test_small_claims():
    """Should hold before they are broken, in numbers that can be checked by hand."""
    expected = {
        ("empty", None): 1,
        ("full", None): "never",
        ("two", None): "never",
        ("full", "bold"): "never",
        ("two", "still"): 1,
    }
    for (goal, variant), moves in expected.items():
        for engine in ENGINES:
            data = small(goal, engine, variant)
            assert data["claim"] == {"goal": goal, "moves": moves}
            assert verify(repaired(data)).valid


def refutation(data) -> str:
    found = verify(repaired(data))
    assert not found.valid and judged(json.loads(repaired(data)))[0] == "refuted"
    return found.reason


def test_the_reason_of_forged_ranks():
    """Should name the position: outside the region, not v₀'s, no nearer, or where the play rests."""
    data = small()
    data["claim"]["moves"] = 0
    assert "claims 0 moves, and the recovery rank of the initial position is 1" in refutation(data)
    data = small()
    numbers = unpacked(data["witness"]["recovery"])
    data["witness"]["recovery"] = packed([0] * len(numbers))
    assert "the initial position is outside: x = 1" in refutation(data)
    data["witness"]["recovery"] = packed([k or 7 for k in numbers])
    assert "a position with a recovery rank is outside the region: x = 3" in refutation(data)
    data = small()
    turns = [plane[0] for plane in data["witness"]["planes"] for _ in range(4)]
    data["witness"]["recovery"] = packed([k * (turn == "defender") for k, turn in zip(numbers, turns)])
    assert "no defender move leads nearer to the goal at: x = 1" in refutation(data)
    data = small("two", variant="still")  # the adversary cannot move, and x = 0 is not the goal
    inside = unpacked(data["witness"]["region"])
    n = len(inside) // len(data["witness"]["planes"])
    numbers = [0] * len(inside)
    for i, (turn, *_) in enumerate(data["witness"]["planes"]):
        numbers[i * n : i * n + n] = [3 * inside[i * n + x] if turn == "defender" else 1 for x in range(n)]
    data["witness"]["recovery"] = packed([k * one for k, one in zip(numbers, inside)])
    data["claim"]["moves"] = 2
    assert "the adversary has no move, and rests for ever, at: " in refutation(data)
    data = small("empty", variant="bold")
    grown = unpacked(data["witness"]["recovery"])
    region = unpacked(data["witness"]["region"])
    data["witness"]["recovery"] = packed([k or 5 * one for k, one in zip(grown, region)])
    assert "the adversary move " in (why := refutation(data)) and "leads no nearer to the goal at: " in why


def test_the_reason_of_forged_traps():
    """Should name the position: at the goal, where the defender gets away, or where the adversary lets it."""
    data = small("full", variant="bold")
    data["claim"]["goal"] = "two"
    assert "the trap contains a position at the goal: x = 2" in refutation(data)
    data = small("full", variant="bold")
    data["witness"]["ranks"] = packed([0] * len(unpacked(data["witness"]["ranks"])))
    assert "leaves the trap and is not shown to lose at: x = 2" in refutation(data)
    for change in range(len(unpacked(data["witness"]["trap"]))):
        data = small("full", variant="bold")
        trap = unpacked(data["witness"]["trap"])
        if trap[change]:
            data["witness"]["trap"] = packed([k * (i != change) for i, k in enumerate(trap)])
            expected, _ = judged(data)
            assert answer(repaired(data)) == expected
    data = small("full")
    trap = unpacked(data["witness"]["trap"])
    data["witness"]["trap"] = packed([0] * len(trap))
    assert "the initial position is outside" in refutation(data)
    data = small("full", variant="bold")
    moves = unpacked(data["witness"]["moves"])
    data["witness"]["moves"] = packed([1 - move for move in moves])
    assert "the adversary move wait is inadmissible or lowers no rank" in refutation(data)


def test_an_adversary_that_must_let_go():
    """Should not call a set a trap whose adversary has a move, but none that stays inside."""
    text = """
holdfast: 1
game:
  variables: {x: 0..1}
  initial: {x: 0}
  defender: {stay: {}}
  adversary: {on: {set: {x: 1}}}
specs: {defender: [G (x < 2)], adversary: []}
recovery: {goal: x = 1, other: x > 4}
"""
    data = json.loads(claimed(text, "other", engine="explicit"))
    data["claim"]["goal"] = "goal"
    trap = unpacked(data["witness"]["trap"])
    data["witness"]["trap"] = packed([k * (i % 2 == 0) for i, k in enumerate(trap)])
    assert "no adversary move stays in the trap at: x = 0" in refutation(data)


MALFORMED = {
    "moves below nothing": lambda d: d["claim"].update(moves=-1),
    "moves a word": lambda d: d["claim"].update(moves="soon"),
    "moves true": lambda d: d["claim"].update(moves=True),
    "moves missing": lambda d: d["claim"].pop("moves"),
    "goal a number": lambda d: d["claim"].update(goal=3),
    "goal unknown": lambda d: d["claim"].update(goal="home"),
    "claim a text": lambda d: d.update(claim="empty"),
    "one entry more": lambda d: d["claim"].update(sure="yes"),
    "a claim and a restriction": lambda d: d.update(restriction={"kind": "effort", "number": 1}),
    "no claim": lambda d: d.pop("claim"),
    "a lost design": lambda d: d.update(verdict="not defensible"),
    "a playbook": lambda d: d.update(verdict="playbook"),
    "an unheard-of verdict": lambda d: (d.pop("claim"), d.update(verdict="reached")),
    "the other answer": lambda d: d["claim"].update(moves="never"),
    "ranks missing": lambda d: d["witness"].pop("recovery"),
    "a scenario without the goal": lambda d: d["scenario"].update(text=SMALL.replace("empty:", "void:")),
}


@pytest.mark.parametrize("label", MALFORMED)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_malformed_claim_is_refused_with_the_reason(engine, label):
    """Should be an InputError whatever is broken, hashes that fit notwithstanding."""
    data = small(engine=engine)
    MALFORMED[label](data)
    with pytest.raises(InputError, match="not a certificate that can be checked"):
        verify(repaired(data))


@pytest.mark.parametrize("ranks", [-1, 10**10, 0, 99])
def test_diagrams_with_another_number_of_ranks(ranks):
    """Should be refused: the roots are those of so many ranks."""
    data = small(engine="symbolic")
    data["witness"]["recovery"] = ranks
    with pytest.raises(InputError):
        verify(repaired(data))


# -- when there is none, and the commands -------------------------------------------------------------------------


def test_claims_that_cannot_be_made():
    """Should say that there is no such goal, or that the design is lost."""
    with pytest.raises(InputError, match='no goal "emty"; did you mean "empty"'):
        certify(solve(loaded(SMALL)), claim="emty")
    with pytest.raises(InputError, match="it has none"):
        certify(solve(loaded(random_scenario(random.Random(1)))), claim="evicted")
    with pytest.raises(InputError, match="cannot be defended"):
        certify(solve(loaded(SMALL.replace("x < 3)]", "x < 1)]"))), claim="empty")


def test_without_a_claim_nothing_changes():
    """Should be the certificate of the verdict, whatever was asked before."""
    solution = solve(loaded(SMALL))
    before = certify(solution)
    certify(solution, claim="empty")
    assert certify(solution) == before and b"claim" not in before


def run(capsys, monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, args)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, *capsys.readouterr()


def test_the_commands(tmp_path, capsys, monkeypatch):
    """Should write and check a claim, bind it to its scenario, and tell what cannot be claimed."""
    place, other, paper = tmp_path / "proof.json", tmp_path / "other.yaml", SCENARIOS / "paper.yaml"
    quick = ("--no-response", "--no-ladder", "--certificate", place)
    said = {
        ("no-bypass", "evicted"): "it is DEFENSIBLE, and the attacker can be evicted within 4 moves",
        ("unlimited-destroys", "evicted"): "it is DEFENSIBLE, but the attacker can stay for ever",
    }
    for (variant, goal), sentence in said.items():
        asked = (paper, "--variant", variant)
        assert run(capsys, monkeypatch, "check", *asked, *quick, "--claim", goal)[0] == 0
        code, out, _ = run(capsys, monkeypatch, "verify", place, "--scenario", *asked)
        assert (code, out.splitlines()[1]) == (0, f"VALID: {sentence}")
        found = json.loads(run(capsys, monkeypatch, "verify", place, "--json")[1])
        moves = 4 if variant == "no-bypass" else "never"
        assert found["claim"] == {"goal": goal, "moves": moves}
    assert run(capsys, monkeypatch, "verify", place, "--scenario", paper)[0] == 2
    data = json.loads(place.read_bytes())
    data["scenario"]["variant"] = None
    place.write_bytes(repaired(data))
    code, out, _ = run(capsys, monkeypatch, "verify", place)
    assert code == 1
    assert "does not prove that it is defensible, and that the attacker can stay for ever" in out
    other.write_text(SMALL.replace("x < 3)]", "x < 1)]"), "utf-8")
    place.unlink()
    code, _, err = run(capsys, monkeypatch, "check", other, *quick, "--claim", "empty")
    assert code == 1 and "cannot be defended" in err and not place.exists()
    code, _, err = run(capsys, monkeypatch, "check", other, *quick, "--claim", "emty")
    assert code == 2 and 'did you mean "empty"' in err
    code, _, err = run(capsys, monkeypatch, "check", other, "--claim", "empty")
    assert code == 2 and "say where with --certificate" in err


def test_a_goal_means_what_the_scenario_says(tmp_path, capsys, monkeypatch):
    """Should prove nothing about another meaning of the name: the text is compared, and the goal evaluated."""
    place, own, other = tmp_path / "proof.json", tmp_path / "own.yaml", tmp_path / "other.yaml"
    own.write_text(SMALL, "utf-8")
    other.write_text(SMALL.replace("empty: x = 0", "empty: x = 2"), "utf-8")
    place.write_bytes(claimed(SMALL, "empty"))
    assert run(capsys, monkeypatch, "verify", place, "--scenario", own)[0] == 0
    assert run(capsys, monkeypatch, "verify", place, "--scenario", other)[0] == 2
    data = json.loads(place.read_bytes())
    data["scenario"]["text"] = SMALL.replace("empty: x = 0", "empty: x = 3")
    assert "the adversary move push leads no nearer to the goal at: x = 0" in refutation(data)
