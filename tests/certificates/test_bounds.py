"""Certificates of how likely a design holds: what is right is accepted, and nothing else."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from cases import TIMES
from certificates import packed, repaired, unpacked
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError
from holdfast.operation.holding.proving import UNITS, certify_hold
from holdfast.scenario.reading import configuration as configuration_of, scenario_from_text
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_chase


def changed(raw, **parts):
    """The certificate with other bounds or witness, sealed again."""
    data = json.loads(raw)
    for part, entries in parts.items():
        data[part] |= entries
    return repaired(data)


def raised(raw, by):
    """The certificate with its values raised, and the claim with them."""
    data = json.loads(raw)
    values = [min(UNITS, value + by) if value else 0 for value in unpacked(data["witness"]["values"])]
    low = min(Fraction(1), Fraction(data["bounds"]["low"]) + Fraction(by, UNITS))
    return changed(
        raw, witness={"values": packed(values)}, bounds={"low": f"{low.numerator}/{low.denominator}"}
    )


def test_bounds_are_proved_and_true():
    """Should be accepted, contain what the fractions say, and be close."""
    seen = Counter()
    for seed in range(20 * TIMES):
        text = random_chase(random.Random(seed))
        configuration = configuration_of(scenario_from_text(text), None)
        oracle = ChanceProduct(configuration)
        raw = certify_hold(solve(configuration), 30)
        verdict = verify(raw)
        assert verdict.valid, (seed, verdict.reason)
        value, within = oracle.hold(), oracle.hold_within(30)[30]
        assert verdict.bounds.low <= value and within <= verdict.bounds.high, seed
        assert value - verdict.bounds.low < Fraction(1, 1000), (seed, value, verdict.bounds)
        assert verdict.bounds.high - within < Fraction(1, 10**6), seed
        seen["certain" if value in (0, 1) else "drawn"] += 1
        if 0 < value < 1:
            assert not verify(raised(raw, UNITS // 50)).valid, seed
            low, high = int(value * 1000) + 10, int(within * 1000) - 10
            assert not verify(changed(raw, bounds={"low": f"{low}/1000"})).valid, seed
            assert not verify(changed(raw, bounds={"high": f"{max(high, 0)}/1000"})).valid, seed
        assert not within or not verify(changed(raw, bounds={"high": "0/1"})).valid, seed
    assert min(seen["certain"], seen["drawn"]) > 2, seen


def test_perturbed_values_are_refused_or_still_true():
    """Should accept nothing that the fractions deny, whatever numbers a forger writes."""
    n_refused = 0
    for seed in range(20 * TIMES):
        rng = random.Random(seed)
        text = random_chase(rng)
        configuration = configuration_of(scenario_from_text(text), None)
        oracle, data = ChanceProduct(configuration), json.loads(certify_hold(solve(configuration), 10))
        values, hold = unpacked(data["witness"]["values"]), oracle.hold()
        for _ in range(rng.randint(1, 4)):
            values[rng.randrange(len(values))] = rng.choice((0, UNITS, rng.randint(0, UNITS)))
        data["witness"]["values"] = packed(values)
        for low in (data["bounds"]["low"], "1/2", "9/10", "1/1"):
            data["bounds"]["low"] = low
            verdict = verify(repaired(data))
            assert not verdict.valid or Fraction(low) <= hold, (seed, low)
            n_refused += not verdict.valid
    assert n_refused > 15


@pytest.mark.parametrize(
    "entries",
    [{"low": "0.5"}, {"low": "-1/2"}, {"high": "1/0"}, {"moves": -1}, {"moves": 10**6}, {"moves": "3"}],
)
def test_bounds_that_are_none_are_refused(entries):
    """Should not be read as a certificate at all."""
    raw = certify_hold(solve(configuration_of(scenario_from_text(random_chase(random.Random(3))), None)))
    with pytest.raises(InputError, match="not a certificate"):
        verify(changed(raw, bounds=entries))
