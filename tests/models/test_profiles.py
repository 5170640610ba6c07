"""Profiles of a defender: another spelling of isolate, tempo and cannot, against the spelling that was there."""

import json
import random

import pytest

from cases import TIMES
from holdfast.errors import ScenarioError
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, scenario_from_text
from segments import random_design, scenario

N_DESIGNS = 40 * TIMES

ORDINALS = {1: "every turn", 2: "every 2nd turn", 3: "every 3rd turn"}
NAMED = {("any", 1): "automated", ("detected", 1): "staffed", ("detected", 2): "on-call"}


def read(data, variant=None):
    found = configuration(scenario_from_text(json.dumps(data)), variant)
    return found.system.game, found.system.requirement, found.system.boundary


def respelt(network, rng):
    """A network with a profile in place of its options, by name where there is one."""
    network = dict(network)
    cannot = [next(iter(h)) for h in network["hosts"] if isinstance(h, dict) and "isolate" in _cannot(h)]
    if cannot and rng.random() < 0.5:
        network["hosts"] = [_without(h) if isinstance(h, dict) else h for h in network["hosts"]]
    else:
        cannot = []
    isolate, tempo = network.pop("isolate"), dict(network.pop("tempo", {}))
    pace = tempo.pop("defender", 1)
    if tempo:
        network["tempo"] = tempo
    name = NAMED.get((isolate, pace))
    if name is not None and not cannot and rng.random() < 0.7:
        return {**network, "defender": name}
    detects = "first" if isolate == "detected" else "at once"
    parts = {"detects": detects, "acts": ORDINALS[pace], "cannot_isolate": cannot}
    return {**network, "defender": parts}


def _cannot(host):
    return next(iter(host.values())).get("cannot", ())


def _without(host):
    ((name, own),) = host.items()
    kept = [kind for kind in own.get("cannot", ()) if kind != "isolate"]
    return {name: {**{k: v for k, v in own.items() if k != "cannot"}, **({"cannot": kept} if kept else {})}}


def test_a_profile_is_what_its_options_say():
    """Should give the very game and clauses, in the base and in a variant that takes a profile back."""
    seen = set()
    for seed in range(N_DESIGNS):
        rng = random.Random(seed)
        plain = json.loads(scenario(random_design(rng), rng))
        other = {**plain, "network": respelt(plain["network"], rng)}
        assert read(other) == read(plain), seed
        defender = other["network"]["defender"]
        changed = {**plain, "variants": {"v": {"network": {"defender": defender}}}}
        if not (isinstance(defender, dict) and defender["cannot_isolate"]):
            for name, isolate, pace in (("staffed", "detected", 1), ("on-call", "detected", 2)):
                changed["network"] = {**other["network"], "defender": name}
                assert read(changed, "v") == read(plain), (seed, name)
                rest = {k: v for k, v in plain["network"].items() if k not in ("isolate", "tempo")}
                back = {"isolate": isolate, "tempo": {**plain["network"].get("tempo", {}), "defender": pace}}
                written = {**changed, "network": {**rest, **back}}
                assert read(changed) == read(written), (seed, name)
        seen.add(defender if isinstance(defender, str) else defender["acts"])
    assert seen >= {"automated", "staffed", "on-call", "every 3rd turn"}


TEXT = """
holdfast: 1
name: one
network:
  hosts: [GW, DB, {ws: {count: 2}}]
  links: [GW -> DB, DB -> ws]
  entry: GW
  OPTIONS
specs: {defender: [G (DB != Z)], adversary: [G (times(destroy) <= 2)]}
variants:
  v: {CHANGE}
"""


def segment_in(options, change="remove_links: [GW -> DB]", variant=None):
    return configuration(
        scenario_from_text(TEXT.replace("OPTIONS", options).replace("CHANGE", change)), variant
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("defender: staffed\n  isolate: any", "contradicts isolate in line 9"),
        ("isolate: detected\n  defender: automated", "contradicts isolate in line 8"),
        ("defender: on-call\n  tempo: {defender: 3}", "contradicts tempo in line 9"),
        ("defender: {acts: every 2nd turn}\n  tempo: {defender: 1}", "contradicts tempo"),
        ("defender: stafed", 'did you mean "staffed"'),
        ("defender: [staffed]", "expected automated, staffed, on-call, or {detects"),
        ("defender: {acts: sometimes}", "expected every turn, every 2nd turn"),
        ("defender: {acts: every 51st turn}", "expected every turn"),
        ("defender: {detects: last}", "expected first or at once"),
        ("defender: {cannot_isolate: [BD]}", 'unknown host "BD"'),
    ],
)
def test_mistakes_in_a_profile(options, words):
    """Should say what was expected, and which two lines contradict each other."""
    with pytest.raises(ScenarioError) as raised:
        segment_in(options)
    assert words in str(raised.value)


def test_agreeing_spellings_and_variants():
    """Should take both spellings where they agree; the variant's word goes before the base's."""
    assert segment_in("defender: on-call\n  isolate: detected\n  tempo: {defender: 2}").requirement
    assert (
        segment_in("isolate: any\n  tempo: {defender: 2}", "defender: staffed", "v").system.requirement == ()
    )
    slow = segment_in("defender: on-call", "isolate: any", "v").system
    assert len(slow.requirement) == 1 and "seen" in slow.premises[0].assumption
    # A variant's tempo stands in place of the base's tempo, not of the base's profile.
    assert segment_in("tempo: {defender: 2}", "tempo: {adversary: 2}", "v").system.requirement == ()
    assert len(segment_in("defender: on-call", "tempo: {adversary: 2}", "v").system.requirement) == 1
    assert segment_in("defender: on-call", "defender: null", "v").system.requirement == ()


def test_hosts_that_cannot_be_isolated():
    """Should take the action from a host, from each of a group, and not mind hosts that a variant removes."""
    options = "defender: {cannot_isolate: [DB, ws]}"
    names = {a.name for a in segment_in(options).game.actions[Player.DEFENDER] if a.type == "isolate"}
    assert names == {"isolate(GW)"}
    left = segment_in(options, "remove_hosts: [ws]", "v").game.actions[Player.DEFENDER]
    assert {a.name for a in left if a.type == "isolate"} == {"isolate(GW)"}


@pytest.mark.parametrize(
    ("options", "assumed", "option"),
    [
        ("isolate: any", "every compromise is seen", "network.defender: staffed"),
        ("defender: staffed", "monitoring a host always reveals", "network.defender"),
        ("defender: on-call", "the defender acts once in 2 turns", "network.tempo"),
        ("isolate: any", "the two sides take turns, one move each", "network.tempo"),
        ("isolate: any", "the attacker can get in only at the entry", "network.exposed"),
        ("isolate: any", "exploits always succeed", "network.chance"),
    ],
)
def test_premises_of_a_segment(options, assumed, option):
    """Should say what is taken for granted about this very file, and what changes it."""
    assert [p.option for p in segment_in(options).system.premises if assumed in p.assumption] == [option]


def test_premises_that_are_not_true_are_not_said():
    """Should not say that nobody comes in where hosts are exposed, nor that all is seen where it is not."""
    told = " ".join(p.assumption for p in segment_in("defender: staffed\n  exposed: [DB]").system.premises)
    assert "can get in only at the entry" not in told and "every compromise is seen" not in told
    withheld = segment_in("actions: {defender: [noop, monitor]}").system.premises
    assert not any("isolat" in p.assumption for p in withheld)
