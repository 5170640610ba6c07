"""Claims of again and again: genuine ones are proved again, forged ones refused."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from cases import TIMES
from certificates import judged, packed, random_goal_scenario, repaired, unpacked
from holdfast.certificates.verify.checking import verify
from holdfast.certificates.writing import certify
from holdfast.errors import InputError
from holdfast.solver.engines import solve
from mutations import CLAIM_MUTATIONS, answer, loaded, mutated
from reference import Product
from reference_recovery import again

ENGINES = ("explicit", "symbolic")
MUTATED = (
    "position dropped or added",
    "rank changed",
    "action swapped",
    "plane or node rewired",
    "sections exchanged",
)


def claimed(text, engine, variant=None, goal="goal"):
    """A certificate that a goal can be visited again and again, or cannot."""
    return certify(solve(loaded(text, variant), engine), claim=f"{goal} again")


def test_random_games_with_random_goals():
    """Should be the answer of the slow twin, proved; and the other answer should be refused with any sets."""
    seen, rng = Counter(), random.Random(3)
    for seed in range(16 * TIMES):
        text = random_goal_scenario(random.Random(f"again {seed}"))
        chosen = loaded(text)
        whole = Product(chosen)
        visited = whole.initial in again(whole, chosen.goals["goal"])
        for engine in ENGINES:
            raw = claimed(text, engine)
            found = verify(raw)
            assert (found.valid, found.claim.again) == (True, visited), (seed, engine, found.reason)
            assert judged(json.loads(raw)) == ("valid", True), (seed, engine)
            if engine == "symbolic":
                seen["yes" if visited else min(3, json.loads(raw)["witness"]["visits"])] += 1
            for forged in opposites(rng, json.loads(raw), engine):
                assert answer(repaired(forged)) == judged(forged)[0] != "valid", (seed, engine)
    assert {"yes", 1, 3} <= set(seen), seen


def opposites(rng, data, engine):
    """The other answer as an evil writer would put it: with what is proved, and with all there is."""
    if engine == "symbolic":
        return
    witness = data["witness"]
    n, n_planes = len(unpacked(witness["region"])), len(witness["planes"])
    n_moves = n // n_planes * sum(plane[0] == "adversary" for plane in witness["planes"])
    common = {key: witness[key] for key in ("kind", "planes", "region")}
    known = unpacked(witness["recovery" if data["claim"]["again"] == "yes" else "visits"])
    for numbers in (known, [1] * n, [rng.randint(1, 4) for _ in range(n)], [9] * n):
        if data["claim"]["again"] == "no":
            kept = {"home": packed([min(1, number) for number in numbers]), "recovery": packed(numbers)}
        else:
            nothing = {"ranks": packed([0] * n), "moves": packed([0] * n_moves)}
            kept = {"visits": packed(numbers), **nothing}
        flipped = "yes" if data["claim"]["again"] == "no" else "no"
        yield {**data, "claim": {"goal": "goal", "again": flipped}, "witness": {**common, **kept}}


def test_mutations_are_refused_or_genuinely_valid():
    """Should agree with the judge on every one, and never call a false claim valid."""
    rng, found = random.Random(12), Counter()
    texts = [random_goal_scenario(random.Random(f"again {seed}")) for seed in range(12)]
    bases = [claimed(text, engine) for text in texts for engine in ENGINES]
    for label in MUTATED:
        mutate, n = CLAIM_MUTATIONS[label]
        for i in range(n // 4 * TIMES):
            raw = mutated(rng, bases, mutate)
            expected, true = judged(json.loads(raw))
            assert answer(raw) == expected, f"{label} {i}: the judge says {expected}"
            assert not (expected == "valid" and true is False), f"{label} {i}: a false claim was proved"
            found[expected] += 1
    assert found["refuted"] >= 15 and found["valid"] >= 3, found


LAMP = """
holdfast: 1
name: lamp
game:
  variables: {x: 0..3}
  initial: {x: 0}
  first: adversary
  defender: {back: {when: x = 1, set: {x: 0}}, stay: {}}
  adversary: {push: {when: x = 0, set: {x: 1}}, leap: {when: x = 0, set: {x: 2}}, wait: {}}
specs: {defender: [G (x < 3)], adversary: [G !leap]}
recovery: {low: x = 0}
variants: {bold: {specs: {adversary: []}}}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("variant", "visited"), [(None, True), ("bold", False)])
def test_a_lamp_by_hand(variant, visited, engine):
    """Should say what can be seen: a push can be undone, a leap cannot, and low is met at the start."""
    found = verify(claimed(LAMP, engine, variant, "low"))
    assert (found.valid, found.claim.again, found.claim.moves) == (True, visited, None), found.reason
    assert verify(certify(solve(loaded(LAMP, variant), engine), claim="low")).claim.moves == 0


def test_what_a_claim_of_it_may_say():
    """Should be refused as unreadable: another word, both claims at once, and a goal that there is not."""
    data = json.loads(claimed(LAMP, "explicit", goal="low"))
    for claim in (
        {"goal": "low", "again": "maybe"},
        {"goal": "low", "again": "yes", "moves": 0},
        {"goal": "lower", "again": "yes"},
    ):
        assert answer(repaired({**data, "claim": claim})) == "unreadable", claim
    with pytest.raises(InputError, match='no goal "lower again"'):
        claimed(LAMP, "explicit", goal="lower")
