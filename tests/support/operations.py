"""The studio's operations drawn at random, and what they must leave alone."""

from collections import Counter

from holdfast.apps.studio.drawing import name_of
from holdfast.design.bound import bounds
from holdfast.scenario.text.spans import comments


def remarks(text):
    return Counter(text[start:end].rstrip() for start, end in comments(text))


def random_operation(rng, bench, text, variant):
    """An operation that may well make sense here."""
    here, scenario = bench.configuration(text, variant), bench.scenario(text)
    found = [{"kind": "add_variant", "name": f"v{rng.randrange(99)}", "from": variant}]
    if here.system.model == "network":
        names, arrows = here.system.graph.names, here.system.graph.arrows
        a, b = rng.choice(names), rng.choice(names)
        link = dict(zip(("from", "to"), rng.choice(arrows))) if arrows else {"from": a, "to": b}
        mark = rng.choice(["entry", "exposed", "critical", "hardened", "watched"])
        found += [
            {"kind": "cut_link", **link},
            {"kind": "add_link", "from": a, "to": b},
            {"kind": "blockable", **link, "on": rng.random() < 0.5},
            {"kind": "filter", **link, "on": rng.random() < 0.5},
            {"kind": "add_host", "name": f"New{rng.randrange(99)}"},
            {"kind": "remove_host", "name": a},
            {"kind": "rename_host", "name": a, "to": f"Ren{rng.randrange(99)}"},
            {"kind": "mark", "name": a, "mark": mark, "on": rng.random() < 0.5},
        ]
    found += [
        {"kind": "set_number", "name": name_of(bound), "value": bound.value + rng.choice((1, -1))}
        for bound in bounds(here)[0]
    ]
    for side, clauses in (("defender", here.requirement), ("adversary", here.boundary)):
        index = rng.randrange(len(clauses) + 1)
        found += [
            {"kind": "set_clause", "side": side, "index": index, "text": "G true"},
            {"kind": "remove_clause", "side": side, "index": index},
            {"kind": "add_clause", "side": side, "text": "G true", "name": rng.choice(["", "a: name # x"])},
        ]
    for name in rng.sample(scenario.variants, min(1, len(scenario.variants))):
        found += [
            {"kind": "rename_variant", "name": name, "to": "another"},
            {"kind": "remove_variant", "name": name},
        ]
    return rng.choice(found)
