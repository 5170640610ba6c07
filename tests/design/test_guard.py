"""A guard against solving, on random changes of random segments: it never lets a change pass that breaks."""

import random

import pytest

from additions import CLAUSES, random_segment, scenario_text, with_additions
from cases import TIMES
from holdfast.design.additions import fragile_design
from holdfast.design.fragility import fragility
from holdfast.design.guard import guard_of, guard_text, held_against, read_guard
from holdfast.design.properties import property_named
from holdfast.errors import InputError
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve


def design(segment):
    """What the file of a segment means."""
    scenario = scenario_from_text(scenario_text(segment))
    return scenario, configuration(scenario)


def has(c, keep):
    """Whether a design has what is guarded."""
    return property_named(c, keep).holds(solve(c, "explicit"))


def changed(rng, segment, universe):
    """The segment with some additions and, now and then, something else."""
    chosen = dict.fromkeys(rng.sample(universe, min(len(universe), rng.choice((0, 1, 1, 2, 3)))))
    later = with_additions(segment, chosen)
    if rng.random() < 0.25 and later["links"]:
        link = rng.choice(later["links"])
        later["links"].remove(link)
        later["filtered"] = [other for other in later["filtered"] if other != link]
    if rng.random() < 0.15:
        later["clauses"] = rng.sample(CLAUSES, rng.choice((1, 2)))
    if rng.random() < 0.1:
        later["limits"] = {"spread": 1}
    return later


@pytest.mark.parametrize("keep", ["held", "evict"])
@pytest.mark.parametrize("seed", range(5 * TIMES))
def test_never_a_pass_where_the_change_breaks_what_is_guarded(seed, keep):
    rng = random.Random(seed)
    while True:
        segment = random_segment(rng)
        _, c = design(segment)
        if has(c, keep):
            break
    every = sorted({each.kind for each in fragile_design(c).additions})
    kinds = tuple(rng.sample(every, min(len(every), 5)))
    guard = guard_of(fragility(c, keep, kinds=kinds, max_cost=rng.choice((1, 2))), kinds)
    universe = [each.text for each in fragile_design(c, None, kinds).additions]
    universe += rng.sample([each.text for each in fragile_design(c).additions], 2)
    n_unsolved = 0
    for _ in range(16):
        later = changed(rng, segment, universe)
        _, new = design(later)
        drift = held_against(guard, new)
        n_unsolved += not drift.solved and not drift.weaker
        if not drift.weaker:
            assert drift.passes == has(new, keep), (drift, segment, later)
        else:
            assert not drift.passes
            allowed = held_against(guard, new, allow_weaker=True)
            assert allowed.solved and allowed.passes == has(new, keep)
    assert n_unsolved


SEGMENT = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web], entry: GW}
specs: {defender: [G (DB = C)], adversary: [G (times(destroy) <= 1)]}
"""


@pytest.fixture
def guard(tmp_path):
    """A guard that was written and read."""
    c = configuration(scenario_from_text(SEGMENT))
    path = tmp_path / "guard.json"
    path.write_text(guard_text(guard_of(fragility(c, kinds=["link", "budget"]), ("link", "budget"))))
    return path


@pytest.mark.parametrize(
    ("old", "new", "passes", "words", "solved"),
    [
        ("Web, DB", "Web, DB", True, "the design that was proved", False),
        ("[GW -> Web]", "[GW -> Web, GW -> DB]", False, "link GW -> DB must never be added", False),
        (
            "[GW -> Web]",
            "[GW -> Web, Web -> GW]",
            True,
            "link Web -> GW: the guarded property still holds",
            False,
        ),
        ("<= 1", "<= 2", True, "budget times", False),
        ("<= 1", "<= 7", True, "solved", True),
        ("<= 1", "<= 0", False, "the adversary is assumed to keep", False),
        ("G (DB = C)", "G (DB != Z)", False, "no longer asks", False),
        ("Web, DB]", "Web, DB, New]", True, "solved", True),
        ("[GW -> Web]", "[GW -> DB, Web -> DB]", False, "solved: it no longer holds", True),
    ],
)
def test_what_a_guard_says(guard, old, new, passes, words, solved):
    assert old in SEGMENT
    later = configuration(scenario_from_text(SEGMENT.replace(old, new)))
    drift = held_against(read_guard(guard), later)
    assert drift.passes is passes and words in drift.words and drift.solved is solved


def test_a_guard_that_was_changed_is_refused(guard):
    guard.write_text(guard.read_text().replace("GW, Web", "GW, Wob"))
    with pytest.raises(InputError, match="not the one that was proved"):
        read_guard(guard)
    guard.write_text("{}")
    with pytest.raises(InputError, match="is not a guard"):
        read_guard(guard)


WATCHED = """
holdfast: 1
network:
  hosts: [GW, A, B, DB]
  links: [GW -> A, GW -> B, A -> DB, B -> DB]
  entry: GW
  sensors: [GW, A, B]
specs: {defender: [G (DB = C), G (active >= 2)], adversary: [G (times(destroy) <= 0)]}
"""


@pytest.mark.parametrize(
    ("keep", "old", "new", "passes"),
    [
        ("sight", "[GW, A, B]", "[B, A, GW]", True),
        ("sight", "[GW, A, B]", "[GW]", False),
        ("held", "entry: GW", "entry: GW\n  chance: {isolate(A): 0.5}", False),
    ],
)
def test_less_is_seen_or_something_may_fail(keep, old, new, passes):
    """Should not take a design for the guarded one whose defender sees less, or whose actions may fail."""
    guard = guard_of(fragility(configuration(scenario_from_text(WATCHED)), keep, kinds=["link"]), ("link",))
    later = configuration(scenario_from_text(WATCHED.replace(old, new)))
    drift = held_against(guard, later)
    assert has(later, keep) is passes, "so that the test tells something"
    assert drift.passes is passes and drift.solved is not passes
