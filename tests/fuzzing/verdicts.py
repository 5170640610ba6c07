"""Scenario files through the public format, both engines and the command line, against the literal oracle."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import yaml

import holdfast as hf
from engine_comparison import compare, engines_for
from fuzzing import drafts
from fuzzing.processes import ended_inside, scratch
from holdfast.arena.export.flat_shield import flatten_shield
from holdfast.arena.export.shields import render as rendered_shield
from holdfast.game.protocol import reset_chance
from holdfast.logic.expressions import Player
from holdfast.solver.response import extent
from lassos import accepts, random_words
from reference import Product, satisfies
from reference_learning import OraclePlay
from reference_minimax import Minimax
from reference_playbook import assert_early_everywhere, assert_lazy_everywhere
from reference_response import Response
from shield_readers import InJson, InPython, arbitrary, compare as compare_shields, played

MOST, FEW = 1500, 120
"""The most positions that the oracle lists, and that the slowest twins can bear."""

SECONDS = 30.0
"""For one question, where nothing smaller is asked for."""


def make(rng) -> dict:
    """A scenario file of any model."""
    return {"data": drafts.random_draft(rng), "style": rng.randrange(3), "seed": rng.randrange(10**6)}


def judge(case) -> list[str]:
    """Hold every design of a file to the oracle; says what was looked at."""
    text = drafts.written(case["data"], case["style"])
    try:
        scenario = hf.scenario_from_text(text, "f.yaml")
        designs = {name: hf.configuration(scenario, name) for name in (None, *scenario.variants)}
    except hf.HoldfastError:
        return ["refused"]
    rng = random.Random(case["seed"])
    seen = []
    for name, chosen in designs.items():
        if chosen.n_positions <= MOST:
            seen += judged_design(text, name, chosen, rng)
    if len(designs) > 1 and rng.random() < 0.3:
        seen += _compared(text)
    return seen or ["large"]


def judged_design(text, variant, chosen, rng) -> list[str]:
    """One design: all that is said of it, in every way in which it can be asked."""
    oracle = compare(chosen, rng, "")
    words(chosen, rng)
    seen = ["defensible" if oracle.defensible else "lost"]
    with scratch() as folder:
        file = folder / "f.yaml"
        file.write_text(text, "utf-8")
        design = [str(file), *(["--variant", variant] if variant else [])]
        _checked(design, variant, rng.choice(engines_for(chosen)), oracle, folder)
        seen += [name for name, ask in FURTHER.items() if rng.random() < 0.25 and ask(design, oracle, rng)]
    return seen


def words(chosen, rng):
    """The automaton of each formula accepts exactly the lassos that satisfy it."""
    for clause in (*chosen.requirement, *chosen.boundary):
        if clause.formula is not None and chosen.game.tables is None:
            for word, loop in random_words(rng, chosen.game.vocabulary, 6):
                wanted = satisfies(clause.formula, word, loop)
                assert accepts(clause.automaton, word, loop) == wanted, (clause.label, word, loop)


def _checked(design, variant, engine, oracle, folder):
    """``check --json`` says what the oracle says, and its certificate is accepted."""
    proof = folder / f"{engine}.cert"
    args = ["check", *design, "--json", "--engine", engine, "--certificate", str(proof)]
    told = object_of(args, 0 if oracle.defensible else 1)
    win, slt = oracle.win(), oracle.slt()
    expected = {
        "variant": variant, "defensible": oracle.defensible, "positions": len(oracle.positions),
        "unsafe": len(oracle.unsafe), "winning": len(oracle.winning), "shells": list(oracle.shells()),
        "initial_rank": oracle.rank.get(oracle.initial),
    }  # fmt: skip
    assert {key: told[key] for key in expected} == expected, (engine, told, expected)
    for key, wanted in (("win", win), ("stp", oracle.stp()), ("slt", slt)):
        same = told[key] is None if wanted is None else abs(told[key] - wanted) < 1e-12
        assert same, (engine, key, told[key], wanted)
    if oracle.configuration.game.tables is None and len(oracle.winning) <= FEW:
        _response(told, oracle)
    if proof.exists():
        verdict = object_of(["verify", str(proof), "--scenario", *design, "--json"], 0)
        assert (verdict["valid"], verdict["defensible"]) == (True, oracle.defensible), verdict


def _response(told, oracle):
    """Effort, tempo and grace by counters that are added to the game."""
    chosen = oracle.configuration
    costs = [
        chosen.costs.get(a.name, chosen.costs.get(a.name.partition("(")[0], 1))
        for a in chosen.game.actions[Player.DEFENDER]
    ]
    twin = Response(oracle, costs)
    if not oracle.defensible or not twin.idle:
        return
    efforts, graces = twin.efforts(), twin.graces()
    wanted = {
        "effort": extent(efforts[oracle.initial]),
        "tempo": extent(twin.tempo()),
        "grace": extent(graces[oracle.initial]),
    }
    assert told["response"] == wanted, (told["response"], wanted)


# -- what else can be asked -----------------------------------------------------------------------------


def _explained(design, oracle, rng) -> bool:
    form = rng.choice(["--json", "--json", "--markdown", "--html"])
    given = [form, str(Path(design[0]).parent / "page.html")] if form == "--html" else [form]
    code, out, err = ended_inside(["explain", *design, *given])
    assert code == (0 if oracle.defensible else 1), (code, out, err)
    if form == "--json":
        assert json.loads(out)["defensible"] == oracle.defensible
    return True


def _ruled(design, oracle, rng) -> bool:
    """Playbooks of both styles are right wherever play under them comes, and their certificates are accepted."""
    if len(oracle.positions) > 600:
        return False
    assert_lazy_everywhere(oracle.configuration)
    assert_early_everywhere(oracle.configuration)
    proof, style = Path(design[0]).parent / "rules.cert", rng.choice(["early", "late"])
    code, out, err = ended_inside(
        ["playbook", *design, "--style", style, "--json", "--certificate", str(proof)]
    )
    assert code == (0 if oracle.defensible else 1), (code, out, err)
    if proof.exists():
        verdict = object_of(["verify", str(proof), "--json"], 0)
        assert verdict["valid"] and oracle.defensible
    return oracle.defensible


def _shielded(design, oracle, rng) -> bool:
    """The exported shield answers as the library does, on any positions and along plays."""
    if not oracle.defensible or oracle.configuration.game.listed is not None:
        return False
    solution = hf.solve(oracle.configuration)
    shield = flatten_shield(solution)
    readers = [InPython(rendered_shield(shield, "python")), InJson(rendered_shield(shield, "json"))]
    positions = [*(arbitrary(oracle.configuration, rng) for _ in range(20)), *played(solution, rng, 20)]
    compare_shields(readers, solution, positions, rng)
    return True


def _operated(design, oracle, rng) -> bool:
    """DDR* is the value of the episode by plain recursion on the literal game."""
    if not oracle.defensible or len(oracle.reachable()) > FEW:
        return False
    chosen = oracle.configuration
    scenario = hf.read_scenario(design[0])
    protocol = hf.learning(scenario, chosen.variant)
    if protocol.steps > 6:
        return False
    code, out, err = ended_inside(["fingerprint", *design, "--json", "--no-learning"])
    assert code in (0, 2), (code, out, err)  # 2 where the reset is refused
    told = json.loads(out)
    if code == 2 or told["ddr_exact"] is None:
        return False
    play, p, tremble = OraclePlay(oracle), reset_chance(protocol, chosen.game), told["ddr_exact"]["epsilon"]
    for key, epsilon in (("value", 0), ("tremble", Fraction(str(tremble)))):
        wanted = Minimax(play, p, epsilon).before_reset(oracle.initial, protocol.steps) / protocol.steps
        assert abs(told["ddr_exact"][key] - wanted) < 1e-9, (key, told["ddr_exact"], float(wanted))
    return True


def _recommended(design, oracle, rng) -> bool:
    """What is said to hold does so by the oracle."""
    if oracle.configuration.game.n_valuations > 300:
        return False
    better = Path(design[0]).parent / "better.yaml"
    args = ["recommend", *design, "--json", "--jobs", "1", "--timeout", "20", "--write", str(better)]
    code, out, err = ended_inside(args)
    told = json.loads(out)
    if code in (0, 1):
        assert code == (0 if oracle.defensible or told["repairs"] else 1), (code, out, err)
    if code == 2 or not better.exists():
        return False
    before = hf.read_scenario(design[0]).variants
    scenario = hf.read_scenario(better)
    for name in scenario.variants:
        changed = hf.configuration(scenario, name)
        if name not in before and changed.n_positions <= MOST and code == 0:
            assert Product(changed).defensible, (name, better.read_text("utf-8"))
    return True


def _entered(design, oracle, rng) -> bool:
    """``--any-entry`` says what the oracle says of the file with each host as its entry."""
    data = yaml.safe_load(Path(design[0]).read_text("utf-8"))
    if "network" not in data or len(design) > 1:
        return False
    told = object_of(["check", *design, "--any-entry", "--no-response", "--json"], 0, 1)
    for entry in told["any_entry"]:
        changed = {**data, "network": {**data["network"], "entry": entry["entry"]}, "variants": {}}
        found = Product(hf.configuration(hf.scenario_from_text(json.dumps(changed))))
        expected = (found.defensible, found.rank.get(found.initial))
        assert (entry["defensible"], entry["rank"]) == expected, (entry, expected)
    return True


def _edged(design, oracle, rng) -> bool:
    """The frontier of a budget is what the oracle says for each number."""
    text = Path(design[0]).read_text("utf-8")
    budget = re.findall(
        r"G \(times\((\w+)\) <= \d\)", json.dumps(yaml.safe_load(text)["specs"].get("adversary", []))
    )
    if len(design) > 1 or len(budget) != 1 or text.count(f"times({budget[0]})") != 1:
        return False
    told = object_of(["frontier", *design, "--over", f"times({budget[0]})=0..2", "--json", "--jobs", "1"], 0)
    base = told["designs"][0]
    expected = []
    for k in range(3):
        other = re.sub(rf"(times\({budget[0]}\) <= )\d", rf"\g<1>{k}", text)
        expected.append(Product(hf.configuration(hf.scenario_from_text(other))).defensible)
    held = max((k for k in range(3) if expected[k]), default=None)
    assert [limit["holds"] for limit in base["limits"]] == [held], (told, expected)
    return True


def _proved(design, oracle, rng) -> bool:
    """Proofs of effort, tempo and grace are accepted."""
    folder = Path(design[0]).parent / "proofs"
    code, out, err = ended_inside(["check", *design, "--json", "--response-certificates", str(folder)])
    assert code in (0, 1), (code, out, err)
    for proof in folder.glob("*") if folder.exists() else ():
        assert object_of(["verify", str(proof), "--json"], 0)["valid"], proof.name
    return oracle.defensible


FURTHER = {
    "any entry": _entered,
    "frontier": _edged,
    "response certificates": _proved,
    "explain": _explained,
    "playbook": _ruled,
    "shield": _shielded,
    "DDR*": _operated,
    "recommend": _recommended,
}


def _compared(text) -> list[str]:
    with scratch() as folder:
        file = folder / "f.yaml"
        file.write_text(text, "utf-8")
        code, out, err = ended_inside(["compare", str(file), "--json", "--no-learning", "--jobs", "1"])
    assert code in (0, 1, 2), (code, out, err)  # 2 where a reset is refused
    told, scenario = json.loads(out), hf.scenario_from_text(text)
    for entry in told.get("entries", ()):
        variant = None if entry["label"] == "base" else entry["label"]
        found = hf.solve(hf.configuration(scenario, variant))
        expected = (found.defensible, found.n_winning, list(found.shells))
        assert (entry["defensible"], entry["winning"], entry["shells"]) == expected, entry
    return ["compare"]


def object_of(args, *codes):
    """The object that a command prints; it ends with one of these codes."""
    code, out, err = ended_inside(args)
    assert code in codes, (args[0], code, out, err)
    return json.loads(out)
