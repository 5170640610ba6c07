"""Random segments as plain data, and what an addition makes of one: a literal twin that writes the file anew."""

from __future__ import annotations

import copy
import itertools
import json

CLAUSES = [
    "G (b in {C, I})",
    "G (c in {C, I})",
    "G (c != Z)",
    "G !(b in {X, D, Z} & c in {X, D, Z})",
    "G (active >= 1)",
    "G (count(* in {X, D, Z}) < 3)",
]
LIMITS = [
    {},
    {"destroy": 0},
    {"destroy": 1},
    {"spread": 1},
    {"destroy": 1, "spread": 2},
]


def random_segment(rng):
    """A segment of three hosts; each option is there now and then."""
    hosts = ["a", "b", "c"]
    links = [[x, y] for x, y in itertools.permutations(hosts, 2) if rng.random() < 0.35]
    segment = {
        "hosts": hosts,
        "links": links,
        "filtered": [link for link in links if rng.random() < 0.25],
        "blockable": [],
        "entries": ["a"] if rng.random() < 0.8 else [],
        "exposed": [host for host in hosts if rng.random() < 0.15],
        "cannot": {host: ["spread"] for host in hosts[1:] if rng.random() < 0.2},
        "actions": ["noop", "spread"] if rng.random() < 0.25 else None,
        "tempo": {"adversary": 2} if rng.random() < 0.2 else {},
        "isolate": rng.choice(("any", "any", "detected")),
        "clauses": rng.sample(CLAUSES, rng.choice((1, 1, 2))),
        "limits": dict(rng.choice(LIMITS)),
    }
    if rng.random() < 0.2:  # an adversary that cannot wait: what is added may even help
        segment["actions"] = ["spread", "destroy"]
        segment["tempo"] = {}
    if segment["actions"] is not None and "destroy" not in segment["actions"]:
        segment["limits"].pop("destroy", None)
    if rng.random() < 0.25:
        segment["blockable"] = [link for link in links if rng.random() < 0.4]
    if not segment["entries"] and not segment["exposed"]:
        segment["entries"] = ["a"]
    return segment


def scenario_text(segment, additions=()):
    """The segment as a file; additions, each with its cost, as those that are listed."""
    options = {"filter": segment["filtered"], "block": segment["blockable"]}
    network = {
        "hosts": [
            {host: {"cannot": types}} if (types := segment["cannot"].get(host)) else host
            for host in segment["hosts"]
        ],
        "links": [
            {"from": x, "to": y, **given}
            if (given := {name: "yes" for name, own in options.items() if [x, y] in own})
            else f"{x} -> {y}"
            for x, y in segment["links"]
        ],
        "isolate": segment["isolate"],
        "reset": "none",
    }
    for key, hosts in (("entry", segment["entries"]), ("exposed", segment["exposed"])):
        if hosts:
            network[key] = hosts
    if segment["actions"] is not None:
        network["actions"] = {"adversary": segment["actions"]}
    for key in ("tempo", "chance"):
        if segment.get(key):
            network[key] = segment[key]
    limits = [f"G (times({kind}) <= {number})" for kind, number in segment["limits"].items()]
    file = {
        "holdfast": 1,
        "network": network,
        "specs": {"defender": segment["clauses"], "adversary": limits},
    }
    if additions:
        file["design"] = {"additions": [{"add": text, "cost": cost} for text, cost in additions.items()]}
    return json.dumps(file)


def with_addition(segment, text):
    """The segment with one more addition, from its words."""
    segment = copy.deepcopy(segment)
    kind, _, name = text.partition(" ")
    if kind == "link":
        segment["links"].append(name.split(" -> "))
    elif kind == "unfilter":
        segment["filtered"].remove(name.split(" -> "))
    elif kind in ("entry", "expose"):
        segment[{"entry": "entries", "expose": "exposed"}[kind]].append(name)
    elif kind == "soften":
        segment["cannot"][name].remove("spread")
    elif kind == "lose":
        ability, _, place = name.partition(" ")
        if ability == "block":
            segment["blockable"].remove(place.split("-to-"))
        else:
            segment["cannot"].setdefault(place, []).append(ability)
    elif kind == "ability":
        segment["actions"].append(name)
    elif kind == "tempo":
        segment["tempo"].pop("adversary")
    elif kind == "slower":
        segment["tempo"]["defender"] = segment["tempo"].get("defender", 1) + 1
    elif kind == "budget":
        counted = name.removeprefix("times(").partition(")")[0].removeprefix("adversary.")
        segment["limits"][counted] = segment["limits"].get(counted, -9) + 1
    else:
        counted = name.removeprefix("G (times(").partition(")")[0]
        segment["limits"].pop(counted)
    return segment


def with_additions(segment, texts):
    """The segment with several; what is dropped is not raised."""
    segment = copy.deepcopy(segment)
    gone = {text.partition("times(")[2].partition(")")[0] for text in texts if text.startswith("drop")}
    for text in texts:
        counted = text.partition("times(")[2].partition(")")[0]
        if not (text.startswith("budget") and counted in gone):
            segment = with_addition(segment, text)
    return segment
