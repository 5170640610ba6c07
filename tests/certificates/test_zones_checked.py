"""Certificates of verdicts by zones: every one is valid, and none that was changed is."""

from __future__ import annotations

import json
from random import Random

import pytest

from cases import TIMES
from holdfast.certificates import verify
from holdfast.certificates.writing import sealed
from holdfast.composition import certify_composition, compose
from holdfast.errors import InputError
from holdfast.scenario import configuration, scenario_from_text
from zoned import zoned_groups, zoned_network

TEXT = """holdfast: 1
name: Sites
network:
  hosts: [a0, a1, b0, b1, c0]
  zones: {za: [a0, a1], zb: [b0, b1], zc: [c0]}
  links: [a0 -> b0, b0 -> a0, a0 -> a1, b0 -> b1]
  entry: c0
  reset: none
specs:
  defender: [G (a0 = C), G (b0 = C), "G (count(* in {Z}) <= 1)", "G !(a1 in {Z} & b1 in {Z})"]
  adversary: [G (times(destroy) <= 1)]
"""


def _loaded(text):
    return configuration(scenario_from_text(text))


def _composed(text):
    return compose(_loaded(text))


@pytest.fixture(scope="module")
def data():
    return json.loads(certify_composition(_composed(TEXT)))


def _judged(data):
    """Whether the checker believes a certificate; one that it does not even read it does not."""
    try:
        return verify(sealed(data)).valid
    except InputError:
        return False


def proved(networks):
    """How many networks are decided by zones; the certificate of each is checked."""
    n_decided = 0
    for seed, network in enumerate(networks):
        try:
            found = compose(_loaded(network), most_nodes=seed % 2 * 6)
        except InputError:
            continue
        if found.defensible is not None:
            verdict = verify(certify_composition(found))
            assert verdict.valid, (seed, verdict.reason)
            assert verdict.defensible == found.defensible
            n_decided += 1
    return n_decided


def test_certificates_of_random_networks_are_valid():
    assert proved(zoned_network(Random(seed)) for seed in range(40 * TIMES)) > 20


GROUPS = """holdfast: 1
name: Groups
network:
  hosts: [{ws: {count: 9, alike: yes}}, {pc: {count: 5, alike: yes}}, c0]
  zones: {za: [ws], zb: [pc], zc: [c0]}
  links: [ws -> pc, pc -> ws]
  entry: c0
  reset: none
specs:
  defender: ["G (count(ws in {X, D}) < 1)", "G (count(pc in {X, D}) < 1)", "G (active >= 14)"]
  adversary: [G (times(destroy) <= 1)]
"""


@pytest.fixture(scope="module")
def groups():
    return json.loads(certify_composition(_composed(GROUPS)))


def test_a_group_may_promise_how_many_of_it_there_never_are(groups):
    zones = groups["composition"]["zones"]
    assert zones[1]["relies"] == zones[0]["promises"] == [["ws_D", ">=", "1"], ["ws_X", ">=", "1"]]
    assert zones[0]["relies"] == zones[1]["promises"] == [["pc_D", ">=", "1"], ["pc_X", ">=", "1"]]
    assert [zone["shares"] for zone in zones] == [[[2, [0]]], [[2, [0]]], [[2, [1]]]]
    assert _judged(groups)


@pytest.mark.parametrize(
    "change",
    [
        lambda zones: zones[0]["promises"].clear(),
        lambda zones: [zone.update(promises=[["ws_X", ">=", "2"]]) for zone in zones[:1]],
        lambda zones: zones[1].update(relies=[["ws_X", ">=", "0"]]),
        lambda zones: zones[1].update(relies=[["ws_X", "C", "1"]]),
        lambda zones: zones[1].update(relies=[["c0", ">=", "1"]]),
        lambda zones: zones[0]["variables"].remove("ws_I") or zones[1]["variables"].append("ws_I"),
        lambda zones: zones[0]["shares"][0].__setitem__(1, [1]),
        lambda zones: zones[2]["shares"][0].__setitem__(1, [0]),
    ],
)
def test_a_certificate_with_groups_that_was_changed_is_refused(groups, change):
    assert not _judged(_changed(groups, lambda data: change(data["composition"]["zones"])))


def test_certificates_of_random_networks_with_groups_are_valid():
    assert proved(zoned_groups(Random(seed))[0] for seed in range(6 * TIMES)) > 3


def test_the_certificate_has_promises_and_shares(data):
    zones = data["composition"]["zones"]
    assert [zone["promises"] for zone in zones] == [[["a0", ["X", "D"]]], [["b0", ["X", "D"]]], []]
    assert all(zone["shares"] for zone in zones)
    assert _judged(data)


def _changed(data, change):
    copy = json.loads(json.dumps(data))
    change(copy)
    return copy


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["composition"]["zones"][0]["promises"].clear(),
        lambda d: d["composition"]["zones"][1].update(relies=[["a0", ["X", "D"]], ["c0", ["X"]]]),
        lambda d: d["composition"]["zones"][0].update(relies=[["a0", ["X", "D"]]]),
        lambda d: d["composition"]["zones"][0]["variables"].pop(),
        lambda d: d["composition"]["zones"][0]["variables"].append("b0"),
        lambda d: d["composition"]["zones"][0].update(variables=["a0", "b0"]),
        lambda d: d["composition"]["zones"].pop(),
        lambda d: d["composition"]["zones"].reverse(),
        lambda d: d["composition"]["zones"][0]["shares"].clear(),
        lambda d: d["composition"]["zones"][0]["shares"][0].__setitem__(1, [5]),
        lambda d: d["composition"]["zones"][0]["shares"][0].__setitem__(0, 99),
        lambda d: [zone["alone"].clear() for zone in d["composition"]["zones"]],
        lambda d: d["composition"]["zones"][2].update(alone=[3]),
        lambda d: d["composition"].update(lost=0),
        lambda d: d.update(verdict="not defensible"),
        lambda d: d["witness"]["zones"].pop(),
        lambda d: d["witness"]["zones"].reverse(),
        lambda d: d["witness"]["zones"].__setitem__(0, d["witness"]["zones"][1]),
        lambda d: d["witness"]["zones"].__setitem__(0, {"kind": "zones", "zones": []}),
        lambda d: d["witness"].update(kind="diagrams"),
        lambda d: d.pop("composition"),
    ],
)
def test_a_certificate_that_was_changed_is_refused(data, change):
    assert not _judged(_changed(data, change))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("b0 -> b1]", "b0 -> b1, c0 -> a0]"),
        ("entry: c0", "entry: a0"),
        ("times(destroy) <= 1", "times(destroy) <= 4"),
        ("G (a0 = C)", "G (a0 = C), G (c0 = C)"),
        ("  reset: none", "  reset: none\n  exposed: [a0]"),
    ],
)
def test_a_certificate_of_another_design_is_refused(data, old, new):
    """With a link, an entry, a budget, a clause or a way in that the proof does not know of."""
    from holdfast.running import sha256_of

    text = TEXT.replace(old, new)
    assert text != TEXT
    scenario = {"text": text, "sha256": sha256_of(text)}
    assert not _judged(_changed(data, lambda d: d["scenario"].update(scenario)))


def test_no_changed_number_or_name_is_believed_where_it_matters():
    """Random damage to random certificates: what is still valid says the truth."""
    draw, refused = Random(5), 0
    for seed in range(20 * TIMES):
        try:
            found = _composed(zoned_network(Random(seed)))
        except InputError:
            continue
        if found.defensible is None:
            continue
        data = json.loads(certify_composition(found))
        data["verdict"] = {"defensible": "not defensible", "not defensible": "defensible"}[data["verdict"]]
        data["composition"]["lost"] = draw.choice((-1, 0, 1))
        refused += not _judged(data)
        assert not _judged(data)
    assert refused > 10
