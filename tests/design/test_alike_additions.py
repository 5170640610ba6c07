"""Additions to interchangeable hosts: a few of them stand for all, and nothing is missed or counted twice."""

import importlib
import random

import pytest

from cases import TIMES
from grouped import built, grouped_network
from holdfast.design import fragility
from holdfast.design.alike_additions import Representatives
from holdfast.errors import HoldfastError

KEPT = ("held", "held", "evict")


def members_of(configuration):
    return tuple((own, len(own)) for own in configuration.system.alike())


@pytest.mark.parametrize("seed", range(6 * TIMES))
def test_breakers_are_those_of_all_hosts(seed, monkeypatch):
    monkeypatch.setattr(importlib.import_module("holdfast.game.alike"), "PAYS", 1)
    rng = random.Random(7000 + seed)
    most = 2 if seed % 10 == 9 else 1
    _, written = grouped_network(rng, 6 if most == 2 else 4, alone=True)
    keep = KEPT[seed % 3]
    try:
        whole = built(written)
        known = fragility(whole, keep, max_cost=most)
    except HoldfastError:
        pytest.skip("the boundary is not admissible")
    found = fragility(whole, keep, max_cost=most, count_alike=True)
    assert (found.holds, found.robustness, found.kinds) == (known.holds, known.robustness, known.kinds)
    if not found.counted:
        assert found.breakers == known.breakers
        return
    everybody = Representatives(whole, members_of(whole))
    images = [everybody.images(each.additions) for each in found.breakers]
    assert [len(of) for of in images] == [each.n_alike for each in found.breakers]
    assert sum(map(len, images)) == len(set().union(*images))
    assert set().union(*images) == {frozenset(each.additions) for each in known.breakers}
