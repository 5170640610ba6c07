"""The checker of certificates: what is right is accepted, whatever is not is refused."""

from __future__ import annotations

import ast
import base64
import json
import random
import subprocess
import sys
import tracemalloc
import zlib
from collections import Counter
from functools import cache
from itertools import product

import pytest

from budgets import watched
from certificates import (
    Nodes,
    judged,
    packed,
    random_scenario,
    repaired,
    scenario_text,
    segment_text,
    unpacked,
)
from holdfast.apps.cli import main
from holdfast.apps.cli.verify import _sentence
from holdfast.certificates.verify.checking import Verdict, verify
from holdfast.certificates.writing import certify
from holdfast.errors import InputError, LimitError
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import read_scenario
from holdfast.solver.engines import solve
from holdfast.solver.restrictions import Restriction, restricted
from holdfast.solver.solution import rank
from mutations import MUTATIONS, answer, loaded
from paths import ROOT
from strategies import random_configuration, with_idle_action

PAPER = ROOT / "scenarios" / "paper.yaml"
ENGINES = ("explicit", "symbolic")


@cache
def certified(text, variant=None, engine="symbolic"):
    """The solution of a scenario and its certificate."""
    solution = solve(loaded(text, variant), engine)
    return solution, certify(solution)


# -- what is right is accepted ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("variant", [None, *read_scenario(PAPER).variants])
def test_the_five_cases_of_the_paper(variant, engine):
    """Should be proved defensible again, from the file alone."""
    _, raw = certified(PAPER.read_text("utf-8"), variant, engine)
    found = verify(raw)
    assert (found.valid, found.defensible, found.reason, found.rank) == (True, True, "", None)
    assert (found.name, found.variant, found.text) == ("Reference segment", variant, PAPER.read_text("utf-8"))


def test_two_hundred_random_games_of_both_verdicts():
    """Should be valid, the engines taking turns, with the rank of v0 that the engine found."""
    seen = Counter()
    for seed in range(200):
        engine = ENGINES[seed % 2]
        solution, raw = certified(random_scenario(random.Random(seed)), None, engine)
        found = verify(raw)
        assert found.valid, f"seed {seed}, {engine}: {found.reason}"
        assert found.defensible is solution.defensible, f"seed {seed}"
        assert found.rank == rank(solution, solution.configuration.initial), f"seed {seed}"
        seen[found.defensible, engine] += 1
    assert len(seen) == 4 and min(seen.values()) >= 25, seen


@pytest.mark.parametrize(("slack", "expected"), [(3, None), (1, 5)])
def test_a_segment_of_forty_hosts(slack, expected):
    """Should be valid for both verdicts, and small."""
    solution, raw = certified(segment_text(40, slack))
    found = verify(raw)
    assert (found.valid, found.reason, found.rank) == (True, "", expected)
    assert found.defensible is solution.defensible is (expected is None)
    assert len(raw) < 400_000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", ["defender", "adversary"])
@pytest.mark.parametrize(("goal", "unsafe"), [("x < 2", False), ("x < 1", True), ("x < 0", True)])
def test_a_start_that_violates_the_threat_boundary(first, goal, unsafe, engine):
    """Should be settled by at most one defender move: the adversary never has an admissible one."""
    text = f"""
holdfast: 1
game:
  variables: {{x: 0..3}}
  initial: {{x: 0}}
  first: {first}
  defender: {{up: {{set: {{x: 1}}}}}}
  adversary: {{end: {{set: {{x: 3}}}}, wait: {{}}}}
specs: {{defender: ["G ({goal})"], adversary: ["x = 1"]}}
"""
    solution, raw = certified(text, None, engine)
    found = verify(raw)
    assert found.valid, found.reason
    lost = goal == "x < 0" or (unsafe and first == "defender")
    assert solution.defensible is found.defensible is not lost
    assert judged(json.loads(raw)) == ("valid", True)


# -- five hundred mutations ---------------------------------------------------------------------------------


def pool():
    """Certificates of small games, of both verdicts and both engines."""
    wanted, seed = {(verdict, e): 6 for verdict in (True, False) for e in ENGINES}, 1000
    while any(wanted.values()):
        text = random_scenario(random.Random(seed))
        seed += 1
        for engine in ENGINES:
            solution, raw = certified(text, None, engine)
            data = json.loads(raw)
            if wanted[solution.defensible, engine] and data["witness"]["planes"]:
                wanted[solution.defensible, engine] -= 1
                yield raw


def test_five_hundred_mutations_are_refused_or_genuinely_valid(capsys):
    """Should agree with the judge on every one, and never call a false verdict valid."""
    rng, found = random.Random(7), Counter()
    bases = list(pool())
    for label, (mutate, n) in MUTATIONS.items():
        for i in range(n):
            data = json.loads(rng.choice(bases))
            before = json.dumps(data)
            while json.dumps(data) == before:
                mutate(rng, data)
            raw = repaired(data)
            expected, true = judged(json.loads(raw))
            assert answer(raw) == expected, f"{label} {i}: the judge says {expected}"
            assert not (expected == "valid" and true is False), f"{label} {i}: a false verdict was proved"
            found[label, expected] += 1
    for i in range(80):
        raw = bytearray(rng.choice(bases))
        flip = i % 2 == 0
        if flip:
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        else:
            del raw[rng.randrange(len(raw) - 2) :]
        assert answer(bytes(raw)) == "unreadable"
        found["byte flipped" if flip else "truncated", "unreadable"] += 1
    with capsys.disabled():
        print(f"\n{sum(found.values())} mutations of {len(bases)} certificates:")
        for (label, verdict), n in sorted(found.items()):
            print(f"  {label}: {n} {verdict}")
    totals = Counter(verdict for (_, verdict), n in found.items() for _ in range(n))
    assert sum(totals.values()) == 500
    assert totals["refuted"] >= 200, "the mutations are meant to reach the checker"
    assert totals["valid"] >= 20, "some mutations leave a proof, and the checker must see that too"
    assert found["opposite verdict", "valid"] == 0


# -- hostile files --------------------------------------------------------------------------------------------

SMALL = """
holdfast: 1
name: small
game:
  variables: {x: 0..2, lamp: [off, on]}
  initial: {x: 0, lamp: off}
  defender: {down: [{when: x > 0, set: {x: x - 1}}], light: {set: {lamp: on}}}
  adversary: {up: [{when: "x < 2 & lamp = off", set: {x: x + 1}}], wait: {}}
specs: {defender: [G (x < 2)]}
variants: {lost: {specs: {defender: [G (x < 1)]}}}
"""


def small(engine, variant=None):
    return json.loads(certified(SMALL, variant, engine)[1])


def test_small_certificates_are_valid():
    """Should hold before they are broken."""
    for engine in ENGINES:
        for variant in (None, "lost"):
            assert verify(repaired(small(engine, variant))).valid


def with_text(text):
    return lambda data: data["scenario"].update(text=text)


def with_nodes(change):
    def apply(data):
        data["witness"]["dddmp"] = change(data["witness"]["dddmp"])

    return apply


def bomb(data):
    data["witness"]["region"] = base64.b64encode(zlib.compress(bytes(300_000_000), 1)).decode()


CONTAINERS = {
    "other format": lambda d: d.update(format="tar"),
    "later version": lambda d: d.update(version=2),
    "version true": lambda d: d.update(version=True),
    "missing entry": lambda d: d.pop("written_by"),
    "extra entry": lambda d: d.update(trust="me"),
    "unknown verdict": lambda d: d.update(verdict="perhaps"),
    "verdict of the other shape": lambda d: d.update(verdict="not defensible"),
    "verdict a list": lambda d: d.update(verdict=[]),
    "kind a list": lambda d: d["witness"].update(kind=[]),
    "unknown kind": lambda d: d["witness"].update(kind="pickle"),
    "witness a text": lambda d: d.update(witness="yes"),
    "no planes": lambda d: d["witness"].pop("planes"),
    "planes a number": lambda d: d["witness"].update(planes=3),
    "plane a number": lambda d: d["witness"].update(planes=[3]),
    "plane of nobody": lambda d: d["witness"]["planes"][0].__setitem__(0, "nobody"),
    "plane with a truth value": lambda d: d["witness"]["planes"][0].__setitem__(1, [True]),
    "plane with a list": lambda d: d["witness"]["planes"][0].__setitem__(1, [[0]]),
    "plane with a negative state": lambda d: d["witness"]["planes"][0].__setitem__(1, [-1]),
    "plane with too many states": lambda d: d["witness"]["planes"][0].__setitem__(1, [0, 0]),
    "plane twice": lambda d: d["witness"]["planes"].__setitem__(1, d["witness"]["planes"][0]),
    "variant a number": lambda d: d["scenario"].update(variant=1),
    "unknown variant": lambda d: d["scenario"].update(variant="ghost"),
    "scenario not YAML": with_text("{"),
    "scenario empty": with_text(""),
    "scenario with one more value": with_text(SMALL.replace("0..2", "0..4")),
}
ARRAYS = {
    "zip bomb": bomb,
    "not base64": lambda d: d["witness"].update(region="?"),
    "not zlib": lambda d: d["witness"].update(region="AAAA"),
    "too short": lambda d: d["witness"].update(region=packed([1])),
    "too long": lambda d: d["witness"].update(region=packed([*unpacked(d["witness"]["region"]), 0])),
    "cut off": lambda d: d["witness"].update(
        region=base64.b64encode(base64.b64decode(d["witness"]["region"])[:-3]).decode()
    ),
    "more behind the end": lambda d: d["witness"].update(
        region=base64.b64encode(base64.b64decode(d["witness"]["region"]) + b"xyz").decode()
    ),
    "a two": lambda d: d["witness"].update(region=packed([2] * len(unpacked(d["witness"]["region"])))),
    "ranks instead of a region": lambda d: d["witness"].update(ranks=d["witness"].pop("region")),
}
DIAGRAMS = {
    "empty": with_nodes(lambda t: ""),
    "no nodes": with_nodes(lambda t: t.partition(".nodes")[0]),
    "no end": with_nodes(lambda t: t.replace(".end\n", "")),
    "no roots": with_nodes(lambda t: "\n".join(line for line in t.split("\n") if ".rootids" not in line)),
    "too many roots": with_nodes(lambda t: t.replace(".rootids ", ".rootids 1 ")),
    "root that is no node": with_nodes(lambda t: t.replace(".rootids ", ".rootids 99999 ", 1)),
    "node missing": with_nodes(lambda t: "\n".join(line for line in t.split("\n") if line[:2] != "2 ")),
    "forward reference": with_nodes(lambda t: t.replace("\n2 ", "\n2 0 9 9\n2 ")),
    "its own child": with_nodes(lambda t: t.replace("\n.end", f"\n{t.count(chr(10)) - 13} 0 {t.count(chr(10)) - 13} 1\n.end")),
    "child zero": with_nodes(lambda t: t.replace(" -1\n", " 0\n", 1)),
    "level below its children": with_nodes(lambda t: t.replace("\n.end", f"\n{t.count(chr(10)) - 13} 2 {t.count(chr(10)) - 14} 1\n.end")),
    "absurd bit": with_nodes(lambda t: t.replace("\n2 ", "\n2 " + "9" * 5000, 1)),
    "negative bit": with_nodes(lambda t: t.replace("\n2 ", "\n2 -", 1)),
    "words for numbers": with_nodes(lambda t: t.replace("\n2 ", "\ntwo ", 1)),
    "three fields": with_nodes(lambda t: t.replace("\n2 ", "\n2", 1)),
    "claims a trillion nodes": with_nodes(lambda t: t.replace(".nnodes ", ".nnodes 1000000000000")),
    "scenario with other variables": with_text(SMALL.replace("lamp", "light1")),
    "other names": with_nodes(lambda t: t.replace("lamp.0", "lamp.7")),
    "a name twice": with_nodes(lambda t: t.replace("lamp.0", "x.0")),
    "a bit missing": with_nodes(lambda t: t.replace(" lamp.0", "")),
}  # fmt: skip
RANKED = {
    "negative ranks": lambda d: d["witness"].update(ranks=-1),
    "many ranks": lambda d: d["witness"].update(ranks=10**10),
    "no ranks": lambda d: d["witness"].update(ranks=None),
    "move of no plane": lambda d: d["witness"]["moves"][0].__setitem__(0, 99),
    "move of the defender's plane": lambda d: d["witness"]["moves"][0].__setitem__(
        0, [plane[0] for plane in d["witness"]["planes"]].index("defender")
    ),
    "move twice": lambda d: d["witness"]["moves"].append(d["witness"]["moves"][0]),
    "move a text": lambda d: d["witness"].update(moves=["up"]),
    "move with a list": lambda d: d["witness"].update(moves=[[[], []]]),
}


@pytest.mark.parametrize(
    ("engine", "variant", "label"),
    [(e, None, label) for e in ENGINES for label in CONTAINERS]
    + [("explicit", None, label) for label in ARRAYS]
    + [("symbolic", None, label) for label in DIAGRAMS]
    + [("symbolic", "lost", label) for label in RANKED],
)
def test_a_malformed_certificate_is_refused_with_the_reason(engine, variant, label):
    """Should be an InputError whatever is broken, hashes that fit notwithstanding."""
    data = small(engine, variant)
    {**CONTAINERS, **ARRAYS, **DIAGRAMS, **RANKED}[label](data)
    raw = repaired(data)
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        verify(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000 + 8 * len(raw)
    assert 20 < len(str(caught.value)) < 1000


RAW = {
    "nothing": b"",
    "not UTF-8": b"\xff\xfe{}",
    "a list": b"[]",
    "a number": b"1",
    "deep": b"[" * 900_000,
    "deep objects": b'{"a":' * 200_000,
    "too many values": b"[" + b"0," * 1_000_001 + b"0]",
    "too long": b" " * ((64 << 20) + 1),
    "NaN": b'{"format": NaN}',
    "a fraction": b'{"format": 1.5}',
    "an absurd number": b'{"version": ' + b"9" * 100_000 + b"}",
    "an entry twice": b'{"format": "holdfast-certificate", "format": "holdfast-certificate"}',
    "a lone surrogate": b'{"format": "\\ud800"}',
    "a scenario file": SMALL.encode(),
}


@pytest.mark.parametrize("label", RAW)
def test_what_is_no_certificate_at_all(label):
    """Should be refused before anything is built from it."""
    with pytest.raises(InputError, match="not a certificate that can be checked"):
        verify(RAW[label])


def test_places_that_cannot_be_read(tmp_path):
    """Should name the place."""
    for place in (tmp_path / "nowhere", tmp_path, "a\0b"):
        with pytest.raises(InputError, match="cannot read"):
            verify(place)


def test_what_is_too_large_to_check_is_undecided():
    """Should be a LimitError, never a verdict: arrays and diagrams past the limit, terms with many values."""
    data = small("explicit")
    more = {"0..2": "0..2, y: 0..9999, z: 0..9999", "x: 0, lamp": "x: 0, y: 0, z: 0, lamp"}
    for old, new in more.items():
        data["scenario"]["text"] = data["scenario"]["text"].replace(old, new)
    with pytest.raises(LimitError, match="not checked"):
        verify(repaired(data))
    data = small("symbolic")
    data["witness"]["dddmp"] += "\n" * ((1 << 21) + 20)
    with pytest.raises(LimitError, match="too many to be checked"):
        verify(repaired(data))
    text = """
holdfast: 1
game:
  variables: {a: 0..1999, b: 0..1999}
  initial: {a: 0, b: 0}
  defender: {wait: {}}
  adversary: {up: [{when: a < b, set: {a: a + 1}}]}
specs: {defender: [G (b = 0)]}
"""
    with pytest.raises(LimitError, match="pairs of values"):
        verify(certified(text)[1])


def test_many_automata_cost_what_their_listed_planes_cost():
    """Should not build the product of all automata to find the one plane that the file lists."""
    n = 40
    clauses = ", ".join(f'"G (x{i} = b -> G (x{i} = b))"' for i in range(n))
    text = f"""
holdfast: 1
game:
  variables: {{{", ".join(f"x{i}: [a, b]" for i in range(n))}}}
  initial: {{{", ".join(f"x{i}: a" for i in range(n))}}}
  defender: {{wait: {{}}}}
  adversary: {{wait: {{}}}}
specs: {{defender: [{clauses}]}}
"""
    states = [[0] * n, []]
    names = " ".join(f"x{i}.0" for i in range(n))
    dddmp = (
        f".ver DDDMP-2.0\n.mode A\n.nnodes 1\n.orderedvarnames {names}\n.rootids 1 1\n.nodes\n1 T 0 0\n.end\n"
    )
    planes = [["adversary", *states], ["defender", *states]]
    scenario = {"variant": None, "sha256": "", "text": text}
    witness = {"kind": "diagrams", "planes": planes, "dddmp": dddmp}
    data = {"format": "holdfast-certificate", "version": 1, "sha256": "", "written_by": "a sceptic",
            "scenario": scenario, "verdict": "defensible", "witness": witness}  # fmt: skip
    found = verify(repaired(data))
    assert not found.valid and "leads outside at" in found.reason


def test_ranks_below_nothing_are_refused():
    """Should be unreadable, never a crash."""
    data = small("symbolic", "lost")
    data["witness"]["ranks"] = -1
    with pytest.raises(InputError, match="-1 ranks"):
        verify(repaired(data))


def test_an_exception_of_the_progress_callback_ends_the_work():
    """Should leave as it came."""

    def stop(doing):
        if doing.startswith("following"):
            raise LimitError(doing)

    with pytest.raises(LimitError, match="following the adversary's"):
        verify(repaired(small("symbolic")), watched(stop))


# -- witnesses in the words of the model -----------------------------------------------------------------------


def refutation(data):
    found = verify(repaired(data))
    assert not found.valid
    return found.reason


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_witness_is_named(engine):
    """Should name position and action as the model does."""
    outside, everything = small(engine), small(engine)
    if engine == "explicit":
        n = len(unpacked(outside["witness"]["region"]))
        outside["witness"]["region"], everything["witness"]["region"] = packed([0] * n), packed([1] * n)
    else:
        for data, root in ((outside, -1), (everything, 1)):
            nodes = Nodes(data["witness"]["dddmp"])
            nodes.roots = [root] * len(nodes.roots)
            data["witness"]["dddmp"] = nodes.text()
    assert (
        refutation(outside) == "the initial position is outside: x = 0, lamp = off; adversary to move; φ_D q0"
    )
    assert "the adversary move up leads outside at: x = 1, lamp = off; adversary to move" in refutation(
        everything
    )
    unsafe = small(engine)
    unsafe["witness"]["planes"] = [[turn, [1], []] for turn, *_ in unsafe["witness"]["planes"]]
    assert "an unsafe position is inside: " in refutation(unsafe)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_defender_with_no_move_inside_is_named(engine):
    """Should be refuted at the position where every move leads outside."""
    text = SMALL.replace("down: [{when: x > 0, set: {x: x - 1}}], light: {set: {lamp: on}}", "sleep: {}")
    data = json.loads(certified(text, None, engine)[1])
    planes = [["adversary", [0], []], ["defender", [0], []]]
    if engine == "explicit":
        witness = {"kind": "arrays", "region": packed([1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0])}
    else:
        nodes = Nodes(data["witness"]["dddmp"])
        start, up = (nodes.bits(loaded(text).game, state) for state in ((0, 0), (1, 0)))
        nodes.roots = [nodes.toggled(-1, start), nodes.toggled(nodes.toggled(-1, start), up)]
        witness = {"kind": "diagrams", "dddmp": nodes.text()}
    data |= {"verdict": "defensible", "witness": {**witness, "planes": planes}}
    assert refutation(data) == (
        "no defender move stays inside at: x = 1, lamp = off; defender to move; φ_D q0"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_forcing_move_is_named(engine):
    """Should name the move that lowers no rank, or say that none is given."""
    swapped, silent = small(engine, "lost"), small(engine, "lost")
    if engine == "explicit":
        moves = unpacked(swapped["witness"]["moves"])
        swapped["witness"]["moves"] = packed([1 - move for move in moves])
        silent["witness"]["moves"] = packed([7] * len(moves))
    else:
        for entry in swapped["witness"]["moves"]:
            entry[1] = "wait"
        n = len(silent["witness"]["moves"])
        nodes = Nodes(silent["witness"]["dddmp"])
        nodes.roots = nodes.roots[: len(nodes.roots) - n]
        silent["witness"] |= {"moves": [], "dddmp": nodes.text()}
    assert "the adversary move wait is inadmissible or lowers no rank at: x = 0" in refutation(swapped)
    assert "no adversary move is named at: x = 0" in refutation(silent)


def test_every_false_verdict_is_refused_whatever_the_witness():
    """Should never prove the opposite of the truth: evil writers that try whole, random and honest sets."""
    rng, tried = random.Random(3), 0
    for seed in range(2000, 2030):
        text = random_scenario(random.Random(seed))
        solution, raw = certified(text, None, "explicit")
        chosen, game = solution.configuration, solution.configuration.game
        lie = "not defensible" if solution.defensible else "defensible"
        sides = [
            list(product(*(range(a.n_states) for a in side))) for side in (chosen.defender, chosen.adversary)
        ]
        planes = [
            [turn, list(a), list(b)] for turn in ("defender", "adversary") for a in sides[0] for b in sides[1]
        ]
        n, n_own = len(planes) * game.n_valuations, len(planes) // 2 * game.n_valuations
        n_actions = len(game.actions[Player.ADVERSARY])
        for _ in range(3):
            data, density = json.loads(raw), rng.choice((0.5, 0.9, 1.0))
            inside = [int(rng.random() < density) for _ in range(n)]
            if lie == "defensible":
                witness = {"region": packed(inside)}
            else:
                moves = (
                    packed([rng.randrange(n_actions) for _ in range(n_own)])
                    if n_actions
                    else packed([0] * n_own)
                )
                witness = {"ranks": packed([rng.randint(1, 5) * one for one in inside]), "moves": moves}
            data |= {"verdict": lie, "witness": {"kind": "arrays", "planes": planes, **witness}}
            assert not verify(repaired(data)).valid, f"seed {seed}"
            tried += 1
    assert tried == 90


# -- certificates of the response ---------------------------------------------------------------------------------

IDLE = """
holdfast: 1
name: tank
game:
  variables: {x: 0..3}
  initial: {x: 0}
  defender: {drain: [{when: x > 0, set: {x: x - 1}}], empty: {set: {x: "0"}}, rest: {set: {x: x}}, wait: {}}
  adversary: {fill: [{when: x < 3, set: {x: x + 1}}], pause: {}}
specs: {defender: [G (x < 3)], adversary: [G (times(fill) <= 6)]}
effort: {empty: 3}
variants: {slow: {specs: {adversary: [G (times(fill) <= 3)]}}}
"""


def restricted_to(kind, number, engine="symbolic", text=IDLE, variant=None):
    """Whether a scenario holds under one clause more, and the certificate of that."""
    restriction = Restriction(kind, number)
    solution = solve(restricted(loaded(text, variant), restriction), engine)
    return solution.defensible, certify(solution, restriction=restriction)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_added_clause_is_the_one_that_the_solver_meant(engine):
    """Should be made by the checker as the solver made it: idle moves, interventions and what they cost."""
    seen = Counter()
    for variant in (None, "slow"):
        for kind, least in (("effort", 0), ("tempo", 1), ("grace", 0)):
            for number in range(least, 5):
                defensible, raw = restricted_to(kind, number, engine, variant=variant)
                verdict, data = verify(raw), json.loads(raw)
                assert (verdict.valid, verdict.defensible) == (True, defensible), (kind, number, verdict)
                assert (verdict.restriction.kind, verdict.restriction.number) == (kind, number)
                assert (verdict.variant, verdict.text, data["scenario"]["text"]) == (variant, IDLE, IDLE)
                assert judged(data) == ("valid", True)
                seen[kind, defensible] += 1
    assert len(seen) == 6, seen


def test_added_clauses_of_random_games():
    """Should agree with the solver and with the judge, whatever the moves do and cost; forged ones too."""
    found, seed = Counter(), 0
    while seed < 40:
        rng = random.Random(f"added {seed}")
        seed += 1
        chosen = random_configuration(rng, 300, with_idle_action)
        if chosen.game.tables is not None:
            continue
        names = [action.name for action in chosen.game.actions[Player.DEFENDER]]
        costs = {name: rng.choice((0, 1, 2, 3)) for name in names if rng.random() < 0.5}
        text = json.dumps({**json.loads(scenario_text(chosen)), "effort": costs})
        kind = rng.choice(("effort", "tempo", "grace"))
        defensible, raw = restricted_to(kind, rng.randint(1, 3), rng.choice(ENGINES), text)
        assert (verify(raw).valid, verify(raw).defensible) == (True, defensible), seed
        found.update(renamed(json.loads(raw)))
    assert found["valid"] and found["refuted"], found
    for kind, number in (
        ("effort", 3),
        ("effort", 2),
        ("tempo", 3),
        ("tempo", 2),
        ("grace", 1),
        ("grace", 2),
    ):
        for engine in ENGINES:
            found.update(renamed(json.loads(restricted_to(kind, number, engine)[1])))
    assert found["refuted"] > 15, found


def renamed(data):
    """What the checker says where a certificate names another clause whose automaton has as many states."""
    kind, number, longer = *data["restriction"].values(), {"tempo": 1}
    for other in {"effort", "tempo", "grace"} - {kind}:
        claimed = {"kind": other, "number": number + longer.get(other, 0) - longer.get(kind, 0)}
        forged = repaired({**data, "restriction": claimed})
        expected, true = judged(json.loads(forged))
        assert answer(forged) == expected, (kind, number, claimed)
        assert not (expected == "valid" and true is False), (kind, number, claimed)
        yield expected


def test_a_claim_that_is_not_what_is_proved_is_refused():
    """Should not take a proof of one clause for that of another, of no clause, or of the plain scenario."""
    defensible, raw = restricted_to("effort", 4)
    assert defensible and not restricted_to("effort", 3)[0]
    data, plain = json.loads(raw), json.loads(certified(IDLE)[1])
    for forged in (
        {**data, "restriction": {"kind": "effort", "number": 3}},
        {**data, "restriction": {"kind": "tempo", "number": 5}},
        {**plain, "restriction": {"kind": "effort", "number": 3}},
        {key: value for key, value in data.items() if key != "restriction"},
    ):
        assert answer(repaired(forged)) in ("refuted", "unreadable"), forged.get("restriction")
    for kind, number, said in (
        ("speed", 1, "known are effort, tempo, grace"),
        ("tempo", 0, "expected 1 to 1,000"),
        ("effort", -1, "expected 0 to 1,000"),
        ("grace", 100_000, "expected 0 to 1,000"),
        ("effort", "2", "wrong type"),
        ("effort", True, "wrong type"),
    ):
        with pytest.raises(InputError, match=said):
            verify(repaired({**data, "restriction": {"kind": kind, "number": number}}))
    with pytest.raises(InputError, match="expected the entries kind, number"):
        verify(repaired({**data, "restriction": {"kind": "effort", "number": 2, "name": "x"}}))
    with pytest.raises(InputError, match="no idle action"):
        verify(repaired({**small("explicit"), "restriction": {"kind": "effort", "number": 0},
                         "witness": {"kind": "arrays", "planes": [], "region": packed([])}}))  # fmt: skip


def test_the_command_binds_a_response_certificate_to_its_file(tmp_path, holdfast):
    """Should accept a genuine one for its file and variant, say what was added, and refuse all others."""
    scenario, other, folder = tmp_path / "tank.yaml", tmp_path / "other.yaml", tmp_path / "proofs"
    scenario.write_text(IDLE, "utf-8")
    other.write_text(IDLE.replace("x < 3)]", "x < 4)]"), "utf-8")
    assert holdfast("check", scenario, "-v", "slow", "--response-certificates", folder)[0] == 0
    proofs = sorted(folder.iterdir())
    assert proofs
    for proof in proofs:
        code, out, err = holdfast("verify", proof, "--scenario", scenario, "--variant", "slow")
        assert (code, err) == (0, "")
        not_ = "" if proof.stem.endswith("holds") else "NOT "
        title, said, _ = out.splitlines()
        assert title == "tank · slow"
        assert said.startswith("VALID: with the added clause that ") and f", it is {not_}DEFENSIBLE; " in said
        found = json.loads(holdfast("verify", proof, "--json")[1])
        assert proof.stem.startswith(f"{found['restriction']['kind']}-{found['restriction']['number']}-")
        for wrong in ((other, "--variant", "slow"), (scenario,)):
            assert holdfast("verify", proof, "--scenario", *wrong)[0] == 2


# -- independence -------------------------------------------------------------------------------------------------


def test_the_checker_knows_nothing_of_the_solver():
    """Should load no engine, no solution, no shield, no writer, and evaluate with its own code only."""
    program = (
        "import sys, holdfast.certificates.verify.array_space, holdfast.certificates.verify.diagram_space\n"
        "print(*(name for name in sys.modules if name.startswith('holdfast.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    forbidden = ("solver", "certificates.writing", "arena", "operation", "readings", "design", "explanation",
                 "report", "logic.arrays")  # fmt: skip
    assert "holdfast.certificates.verify" in done.stdout.split()
    assert not [
        name for name in done.stdout.split() if name.startswith(tuple(f"holdfast.{f}" for f in forbidden))
    ]
    imported = set()
    for file in (ROOT / "src" / "holdfast" / "certificates" / "verify").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("holdfast"):
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    assert imported
    assert not imported & {"holdfast.logic.diagrams", "holdfast.logic.evaluate", "holdfast.logic.arrays"}
    assert not imported & {
        "holdfast.game.configuration.move",
        "holdfast.game.configuration.preimage",
        "holdfast.game.structure.successor",
    }


# -- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def holdfast(capsys, monkeypatch):
    """Run a command inside this process: exit code, standard output, standard error."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, args)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, *capsys.readouterr()

    return run


def test_the_command_tells_valid_from_refuted_from_unreadable(tmp_path, holdfast):
    """Should exit with 0, 1 and 2, say why, and insist on the scenario where it is asked to."""
    scenario, place = tmp_path / "small.yaml", tmp_path / "small.cert"
    scenario.write_text(SMALL, "utf-8")
    data = small("symbolic", "lost")
    place.write_bytes(repaired(data))
    code, out, err = holdfast("verify", place, "--scenario", scenario, "--variant", "lost")
    assert (code, err) == (0, "")
    assert "VALID: it is NOT DEFENSIBLE; the given moves force a violation within 1 move\n" in out
    code, _, err = holdfast("verify", place, "--scenario", scenario)
    assert code == 2
    assert 'about the variant "lost" of the scenario, not about the base' in err
    data["witness"]["moves"][0][1] = "wait"
    place.write_bytes(repaired(data))
    code, out, _ = holdfast("verify", place, "--json")
    assert code == 1
    found = json.loads(out)
    assert (found["valid"], found["defensible"], found["variant"]) == (False, False, "lost")
    assert "the adversary move wait" in found["reason"]
    place.write_bytes(place.read_bytes()[:-9])
    code, out, _ = holdfast("verify", place, "--json")
    assert code == 2
    assert "truncated" in json.loads(out)["error"]


FORGED = "VALID: it is DEFENSIBLE; inside the given region the defender is safe for ever"


def test_no_text_of_a_certificate_starts_a_line(tmp_path, holdfast, capsys):
    """Should show line breaks of names, rules and reasons as marks, or refuse them, in whatever it prints."""
    place, text = tmp_path / "small.cert", SMALL.replace("name: small", f'name: "small\\n{FORGED}"')
    data = small("explicit", "lost")
    scenario = {**data["scenario"], "text": text}
    place.write_bytes(repaired({**data, "scenario": scenario}))
    code, out, err = holdfast("verify", place)
    assert (code, out) == (2, "") and "one line" in err
    assert not any(line.startswith("VALID") for line in err.splitlines())
    for forged in (
        {**data, "restriction": {"kind": f"x\n{FORGED}", "number": 1}},
        {**data, f"x\n{FORGED}": 1},
        {**data, "scenario": {**data["scenario"], "variant": f"x\n{FORGED}"}},
    ):
        place.write_bytes(repaired(forged))
        code, out, err = holdfast("verify", place)
        assert (code, out) == (2, ""), out
        assert not any(line.startswith("VALID") for line in err.splitlines()), err
    name, variant, reason = (f"{word}\n{FORGED}\x1b[2J\u2028" for word in ("name", "variant", "reason"))
    shown = _sentence(Verdict(False, True, reason, None, name, variant, ""))
    assert [line.split()[0] for line in shown.splitlines()] == [f"name·{FORGED.split()[0]}", "REFUTED:",
                                                               f"reason·{FORGED.split()[0]}", "scenario"]  # fmt: skip
    assert all(line.isprintable() for line in shown.splitlines())


def test_the_command_refuses_another_scenario_and_gives_up_on_time(tmp_path, holdfast):
    """Should compare letter for letter, and exit with 3 when patience ends."""
    other, place = tmp_path / "other.yaml", tmp_path / "small.cert"
    other.write_text(SMALL + "# one remark\n", "utf-8")
    place.write_bytes(repaired(small("explicit")))
    code, _, err = holdfast("verify", place, "--scenario", other)
    assert code == 2
    assert "about another scenario" in err
    assert holdfast("verify", place, "--timeout", "0")[0] == 3
    assert holdfast("verify", place, "--variant", "lost")[0] == 2
