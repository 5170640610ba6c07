"""Damaged scenarios, imports, certificates, analyses and plays: read as they stand, or refused in words."""

from __future__ import annotations

import hashlib
import json
import random
import re
import warnings
from functools import cache

import certificates
import holdfast as hf
import mutations
import reference_playbook
import reference_recovery
import sights
from engine_comparison import compare, engines_for
from fuzzing import drafts
from fuzzing.damage import damaged_data, damaged_text, damaged_yaml, without_comments
from fuzzing.processes import ended_inside, scratch
from fuzzing.verdicts import MOST
from holdfast.certificates.verify.checking import RecoveryClaim, SightClaim
from holdfast.explanation.playbook.proof import certify_playbook
from holdfast.readings.archive import load_analysis, save_analysis
from paths import ROOT
from reference import Product

SECONDS = 10.0
"""For reading and for solving a damaged file; what takes longer is undecided."""

# -- scenarios ----------------------------------------------------------------------------------------

SHIPPED = ("paper", "paper-formulas", "water-tank", "patrol-robot", "two-lines", "office", "indefensible")
SHIPPED += ("plant", "robot-cell", "water-works", "nine-bus", "three-sites")


@cache
def _shipped() -> tuple[str, ...]:
    files = [ROOT / "scenarios" / f"{name}.yaml" for name in SHIPPED]
    files += sorted((ROOT / "src" / "holdfast" / "models").glob("*/stub.yaml"))
    return tuple(without_comments(file.read_text("utf-8")) for file in files)


def make_mutant(rng) -> dict:
    """A scenario of ours or a random one, damaged."""
    text = drafts.random_text(rng) if rng.random() < 0.5 else rng.choice(_shipped())
    return {"text": damaged_yaml(text, rng), "seed": rng.randrange(10**6)}


def judge_mutant(case) -> list[str]:
    """Refused with its place; or read, and then solved as the oracle or the other engine does."""
    budget = hf.Budget.lasting(SECONDS)
    try:
        scenario = hf.scenario_from_text(case["text"], "f.yaml", budget)
        designs = [hf.configuration(scenario, name, budget) for name in (None, *scenario.variants[:3])]
        hf.learning(scenario)
    except hf.HoldfastError as error:
        assert isinstance(error, hf.LimitError) or re.match(r"f\.yaml:\d+:\d+: \S", str(error)), str(error)
        return ["undecided" if isinstance(error, hf.LimitError) else "refused"]
    seen = ["read"]
    for chosen in designs:
        if chosen.n_positions <= MOST // 3:
            compare(chosen, random.Random(case["seed"]), "")
            seen.append("oracle")
        elif chosen.n_positions <= 200_000:
            seen += _alike(chosen, hf.Budget.lasting(SECONDS, memory=2**30))
    return seen


def _alike(chosen, budget) -> list[str]:
    """Both engines give the same shells."""
    try:
        found = [hf.solve(chosen, engine, budget) for engine in engines_for(chosen)]
    except hf.LimitError:
        return ["undecided"]
    assert len({(one.shells, one.n_winning, one.defensible) for one in found}) == 1
    return ["engines"]


# -- imports ------------------------------------------------------------------------------------------


def make_import(rng) -> dict:
    """A file of another program, damaged."""
    file = rng.choice(sorted((ROOT / "tests" / "imports").iterdir()))
    text = file.read_text("utf-8")
    yaml_like = file.suffix in (".yaml", ".yml", ".json")
    asked = {"both_ways": rng.random() < 0.2, "collapse": rng.choice((None, None, "zone", "group"))}
    return {
        "name": file.name,
        "text": (damaged_yaml if yaml_like else damaged_text)(text, rng),
        "asked": asked,
    }


def judge_import(case) -> list[str]:
    """Refused in words; or a scenario that Holdfast reads."""
    with scratch() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        file = folder / case["name"]
        file.write_text(case["text"], "utf-8", errors="surrogatepass")
        try:
            found = hf.import_network(file, **case["asked"], budget=hf.Budget.lasting(SECONDS))
        except hf.HoldfastError as error:
            assert str(error).strip()
            return ["undecided" if isinstance(error, hf.LimitError) else "refused"]
    try:
        hf.configuration(hf.scenario_from_text(found.text, "f.yaml"), None, hf.Budget.lasting(SECONDS))
    except hf.LimitError:
        return ["large"]
    return [found.format]


# -- certificates -------------------------------------------------------------------------------------


def make_forgery(rng) -> dict:
    """The certificate of a small game, of either verdict, either engine, a playbook, a goal or sight, changed."""
    kind = rng.random()
    if kind > 0.8:
        solution = hf.solve(
            mutations.loaded(sights.random_seen_scenario(rng)), rng.choice(("explicit", "symbolic"))
        )
        data = json.loads(hf.certify(solution, claim="sight"))
        return {"data": _forged(rng, data), "repaired": rng.random() < 0.95}
    rules, claim = kind < 0.25, kind > 0.6
    while True:
        text = (certificates.random_goal_scenario if claim else certificates.random_scenario)(rng)
        chosen = hf.configuration(hf.scenario_from_text(text))
        solution = hf.solve(chosen, rng.choice(("explicit", "symbolic")))
        if not rules:
            data = json.loads(hf.certify(solution, claim="goal" if claim else None))
            break
        if solution.defensible:
            data = json.loads(certify_playbook(hf.playbook(chosen)))
            break
    return {"data": _forged(rng, data), "repaired": rng.random() < 0.95}


def _forged(rng, data):
    kind = rng.random()
    if kind < 0.05:
        return data
    if data["verdict"] == "playbook" and kind < 0.5:
        names = list(json.loads(data["scenario"]["text"])["game"]["defender"])
        return reference_playbook.forged(rng, data | {"names": names})
    if data["verdict"] != "playbook" and kind < 0.5 and data["witness"]["planes"]:
        data = json.loads(json.dumps(data))
        known = mutations.CLAIM_MUTATIONS if "claim" in data else mutations.MUTATIONS
        known = sights.SIGHT_MUTATIONS if "sensors" in data.get("claim", ()) else known
        change, _ = rng.choice(list(known.values()))
        change(rng, data)
        return data
    if kind < 0.6:  # another question, with structure damaged, and the old answer
        text = json.dumps(damaged_data(json.loads(data["scenario"]["text"]), rng))
        return data | {"scenario": data["scenario"] | {"text": text}}
    verdicts = ("defensible", "not defensible", "playbook")
    return damaged_data(data, rng, (*verdicts, "arrays", "diagrams", "defender", "adversary", "never"))


def judge_forgery(case) -> list[str]:
    """Valid only with a true verdict; and exactly where the literal judge says so, if it can read it."""
    data = case["data"]
    try:
        raw = certificates.repaired(data) if case["repaired"] else json.dumps(data).encode()
    except (AttributeError, KeyError, TypeError, UnicodeError):
        raw = json.dumps(data).encode()
    try:
        verdict = hf.verify(raw, hf.Budget.lasting(SECONDS))
    except hf.HoldfastError as error:
        return ["undecided" if isinstance(error, hf.LimitError) else "refused"]
    if verdict.valid:
        chosen = hf.configuration(hf.scenario_from_text(verdict.text), verdict.variant)
        if isinstance(verdict.claim, SightClaim):
            held = sights.holds(Product(chosen)) if chosen.n_positions <= MOST else None
            assert held in (None, verdict.defensible), "a false verdict was called valid"
        elif chosen.n_positions <= MOST:
            assert Product(chosen).defensible is verdict.defensible, "a false verdict was called valid"
        else:
            assert hf.solve(chosen).defensible is verdict.defensible, "a false verdict was called valid"
        if isinstance(verdict.claim, RecoveryClaim) and chosen.n_positions <= MOST:
            assert _is_true(chosen, verdict.claim), "a false claim was called valid"
    expected = _expected(data)
    assert expected in (None, verdict.valid), (expected, verdict.reason)
    return ["valid" if verdict.valid else "refuted"]


def _is_true(chosen, claim) -> bool:
    """What is claimed of a goal, by the slow twin of recovery."""
    whole = Product(chosen)
    rank = reference_recovery.ranks(whole, chosen.goals[claim.goal]).get(whole.initial)
    return rank is None if claim.moves == "never" else rank is not None and rank <= claim.moves


def _expected(data) -> bool | None:
    """What the literal judge says; None where it cannot read the certificate, which it does not look at closely."""
    try:
        if data["verdict"] == "playbook":
            return bool(reference_playbook.judged(data))
        said, _ = (sights.judged_sight if "sensors" in data.get("claim", ()) else certificates.judged)(data)
    except Exception:
        return None
    return None if said == "unreadable" else said == "valid"


# -- analyses and plays -------------------------------------------------------------------------------

PLAYS = {
    "forced-loss": None, "paper": None, "reference": None, "no-bypass": "no-bypass", "two-active": "two-active",
    "fully-connected": "fully-connected", "unlimited-destroys": "unlimited-destroys",
}  # fmt: skip


def make_archive(rng) -> dict:
    """A play, or an analysis with a seal made to fit, changed."""
    if rng.random() < 0.5:
        name = rng.choice(sorted(PLAYS))
        text = (ROOT / "tests" / "plays" / f"{name}.txt").read_text("utf-8")
        return {"play": name, "text": damaged_text(text, rng)}
    data = damaged_data(_analysis(), rng)
    if isinstance(data, dict) and rng.random() < 0.9:
        data.pop("seal", None)
        data["seal"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return {"play": "", "text": json.dumps(data)}


@cache
def _analysis():
    with scratch() as folder:
        save_analysis(hf.analyse(hf.load(ROOT / "scenarios" / "paper.yaml")), folder / "a.json")
        return json.loads((folder / "a.json").read_text("utf-8"))


def judge_archive(case) -> list[str]:
    """Refused in words; or read as it stands, and good for what it is read for."""
    paper = str(ROOT / "scenarios" / "paper.yaml")
    with scratch() as folder:
        file = folder / "a.json"
        file.write_text(case["text"], "utf-8", errors="surrogatepass")
        if case["play"]:
            variant = PLAYS[case["play"]]
            args = ["play", paper, *(["--variant", variant] if variant else []), "--replay", str(file)]
            code, out, err = ended_inside(args)
            assert err or out
            return ["replayed" if code == 0 else "another play" if code == 1 else "refused"]
        try:
            found = load_analysis(file)
        except hf.InputError:
            return ["refused"]
        hf.render(found, "text"), hf.render(found, "markdown"), json.dumps(hf.to_object(found))
        code, _, _ = ended_inside(["compare", paper, "--against", str(file), "--json", "--no-learning",
                                   "--variant", "base"])  # fmt: skip
        return ["read", f"compared: {code}"]
