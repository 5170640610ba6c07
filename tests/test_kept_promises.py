"""What has to stay stays in every recommended design: named changes, and cuts beside them, against brute force."""

import itertools
import random

import pytest
from cases import TIMES
from typer.testing import CliRunner

from holdfast.budget import Budget
from holdfast.cli import app
from holdfast.engines import solve
from holdfast.errors import InputError
from holdfast.executor import Workplace
from holdfast.recommendation import recommend
from holdfast.recommendation.remedies import MOST_NAMED, remedies
from holdfast.recommendation.space import design_space
from holdfast.scenario.load import scenario_from_text

SERIAL = Budget(jobs=1)
HOSTS = ("a", "b", "c")

# -- the slow twin ----------------------------------------------------------------------------------------


def is_kept(configuration, keep, paths):
    """Whether a design has every link and unhardened host of ``keep``, and a way for each of ``paths``."""
    graph = configuration.system.graph
    links = {" -> ".join(arrow) for arrow in graph.arrows}
    open_hosts = {part.name for part in configuration.system.hardenable}
    return all(name in (links if "->" in name else open_hosts) for name in keep) and all(
        reaches(graph, *way.split(" -> ")) for way in paths
    )


def reaches(graph, start, end):
    seen, before = set(graph.starts) if start == "outside" else {start}, None
    while seen != before:
        before, seen = seen, seen | {target for source, target in graph.arrows if source in seen}
    return {start, end} <= {*graph.names, "outside"} and end in seen


def brute(space, keep, paths):
    """Every minimal set of changes, of all subsets, whose design is defensible and keeps what has to stay."""
    found, numbers = [], range(len(space.changes))
    for size in range(1, len(space.changes) + 1):
        for chosen in map(frozenset, itertools.combinations(numbers, size)):
            hurting = sum(not space.changes[i].helps for i in chosen)
            if hurting > MOST_NAMED or any(smaller <= chosen for smaller in found):
                continue
            try:
                changed = space.changed(chosen)
            except InputError:  # they do not go together
                continue
            if is_kept(changed, keep, paths) and solve(changed).defensible:
                found.append(chosen)
    return {(space.names(chosen), space.cost(chosen)) for chosen in found}


def named_changes(rng, links):
    """Named changes that take links and hosts away, harden, and give ways back; some can only help."""
    missing = [f"{x} -> {y}" for x, y in itertools.permutations(HOSTS, 2) if f"{x} -> {y}" not in links]
    gone, new = rng.choice(links), rng.choice(missing or links)
    return [
        ("unplug", f"{{network: {{remove_links: [{gone}]}}}}", True),
        ("rewire", f"{{network: {{remove_links: [{gone}], add_links: [{new}]}}}}", False),
        ("bypass", f"{{network: {{add_links: [{new}]}}}}", False),
        ("proxy", "{network: {add_hosts: [p: {cannot: [spread]}], add_links: [a -> p, p -> c]}}", True),
        ("relay", "{network: {add_hosts: [d], add_links: [a -> d, d -> c]}}", False),
        ("second half", "{network: {add_links: [p -> b]}}", True),  # of a way that needs the proxy
        ("retire", "{network: {remove_hosts: [b]}}", False),
        ("patch", f"{{network: {{change_hosts: [{{{rng.choice('bbc')}: {{cannot: [spread]}}}}]}}}}", True),
        ("over", f"{{network: {{links: [{', '.join(rng.sample(links, len(links) - 1))}]}}}}", False),
        ("again", f"{{network: {{links: [{', '.join(links)}]}}}}", False),
    ]


def lost_design(rng):
    """A lost design whose file says what has to stay: the space, and what stays."""
    while True:
        links = [f"{x} -> {y}" for x, y in itertools.permutations(HOSTS, 2) if rng.random() < 0.65]
        if len(links) < 2:
            continue
        changes = [f"{{change: cut {link}, cost: {rng.randint(1, 3)}}}" for link in links[:4]]
        changes += rng.sample(["harden b", f"block {links[-1]}", "close b"], 1)
        for name, variant, helps in rng.sample(named_changes(rng, links), rng.randint(1, 3)):
            told = f", helps: {str(helps).lower()}, cost: {rng.randint(1, 3)}"
            changes.append(f"{{name: {name}, variant: {variant}{told}}}")
        rng.shuffle(changes)
        ways = ["a -> b", "a -> c", "b -> c", "outside -> c", "outside -> b"]
        keep = rng.sample([*links, "b", "c"], rng.choice((0, 0, 1)))
        paths = rng.sample(ways, rng.choice((0, 1, 1, 2)))
        clause = rng.choice(("G (c = C)", "G !(b in {X, D, Z} & c in {X, D, Z})", "G (c != Z)"))
        text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: [{", ".join(links)}], entry: a, exposed: [b]}}
specs: {{defender: ["{clause}"]}}
design: {{changes: [{", ".join(changes)}], keep: [{", ".join(keep)}], keep_paths: [{", ".join(paths)}]}}
"""
        if rng.random() < 0.7:
            text = text.replace(", exposed: [b]", "")
        try:
            space = design_space(scenario_from_text(text))
        except InputError:  # a path that is not there, or a change
            continue
        if (keep or paths) and not solve(space.configuration).defensible:
            return space, keep, paths


@pytest.mark.parametrize("seed", range(20 * TIMES))
def test_what_is_recommended_is_what_brute_force_finds(seed):
    """Should find every minimal set that works and keeps what has to stay, and no other, ten times a seed."""
    rng = random.Random(seed)
    for _ in range(10):
        space, keep, paths = lost_design(rng)
        total, expected = space.cost(range(len(space.changes))), brute(space, keep, paths)
        found = remedies(space, total, budget=SERIAL)
        assert {(r.changes, r.cost) for r in found.sets} == expected, space.scenario.text
        assert not found.unfinished and (found.complete_to == total or found.remark)
        cheapest, least = remedies(space, budget=SERIAL), min((cost for _, cost in expected), default=None)
        assert {r.changes for r in cheapest.sets} == {s for s, cost in expected if cost == least}
        assert cheapest.complete_to == (total if least is None else least) or cheapest.remark
