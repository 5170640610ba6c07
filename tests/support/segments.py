"""Segments with every option, at random, and what they mean: a literal transcription that shares nothing.

A *design* is a plain dictionary. ``scenario`` writes it as a file; everything below ``-- meaning --`` says
by hand what the game of the design is, from the words of docs/network.md, with dictionaries from names to
letters as states. Nothing of the package is used but the two players.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, product

from holdfast.logic.expressions import Player

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY
ORDER = {
    DEFENDER: ["noop", "monitor", "isolate", "restore", "fix", "block", "unblock"],
    ADVERSARY: ["noop", "spread", "destroy"],
}
REQUIREMENTS = {
    "G (h0 != Z)": lambda s: s["h0"] != "Z",
    "G (h1 != Z)": lambda s: s["h1"] != "Z",
    "G !(h0 = Z & h1 = Z)": lambda s: s["h0"] + s["h1"] != "ZZ",
    "G (h1 in {C, I})": lambda s: s["h1"] in "CI",
    "G (count(* in {X, D, Z}) < 2)": lambda s: sum(s[h] in "XDZ" for h in s if h.startswith("h")) < 2,
    "G (active >= 1)": lambda s: any(s[h] in "CXD" for h in s if h.startswith("h")),
    "G (clean >= 1)": lambda s: any(s[h] == "C" for h in s if h.startswith("h")),
}


def random_design(rng, n_hosts=None):
    """A design; each option is there now and then."""
    names = [f"h{i}" for i in range(n_hosts or rng.choice((2, 2, 2, 3)))]
    design = {"hosts": names, "cannot": {}, "values": {}, "actions": {}, "tempo": {}}
    kinds = ["monitor", "isolate", "restore", "fix", "spread", "destroy"]
    for host in names:
        if rng.random() < 0.3:
            design["cannot"][host] = rng.sample(kinds, rng.randint(1, 3))
        if rng.random() < 0.3:
            design["values"][host] = rng.choice((2, 3, 0.5, 0.25, 7))
    design["links"] = [[a, b] for a in names for b in names if a != b and rng.random() < 0.6]
    design["entries"] = rng.sample(names, rng.choice((0, 1, 1, 1, 2)))
    design["exposed"] = [h for h in names if rng.random() < 0.2]
    if not design["entries"] and not design["exposed"]:
        design["entries"] = [names[0]]
    design["isolate"] = rng.choice(("any", "any", "detected"))
    design["conduits"] = {}
    for number in range(rng.choice((0, 0, 1, 1, 2))):
        through = [link for link in design["links"] if rng.random() < 0.5]
        if through:
            design["conduits"][f"wall{number}"] = through
    # Those that are written beside their link come first in a file, and so do their actions.
    design["beside"] = [n for n, of in design["conduits"].items() if len(of) == 1 and rng.random() < 0.5]
    ordered = [*design["beside"], *(n for n in design["conduits"] if n not in design["beside"])]
    design["conduits"] = {name: design["conduits"][name] for name in ordered}
    for player in Player:
        if rng.random() < 0.25:
            own = [kind for kind in ORDER[player][1:] if rng.random() < 0.7]
            design["actions"][player] = [
                "noop",
                *dict.fromkeys([*own, *(["block"] if player is DEFENDER else [])]),
            ]
        if rng.random() < 0.2:
            design["tempo"][player] = rng.choice((2, 2, 3))
    design["requirement"] = rng.sample(list(REQUIREMENTS), rng.choice((1, 1, 2)))
    design["budget"] = rng.choice((None, None, 0, 1, 2))
    design["reset"] = rng.choice((None, "none", 0.25)) if design["entries"] and not design["tempo"] else None
    return design


FLOW_REQUIREMENTS = (
    "G flow({0})",
    "G (flow({0}) | {1} = I)",
    "G (flows_up >= 1)",
    "G (flow({0}) -> {1} != Z)",
)


def with_flows(design, rng, clauses=True):
    """The design with flows, filtered links, and now and then a requirement about flows.

    A flow is a dictionary: ``paths``, lists of hosts, or ``ends`` for any path; and what it is worth.
    """
    links, names = design["links"], design["hosts"]
    design["filtered"] = [link for link in links if rng.random() < 0.2]
    design["serves"] = rng.random() < 0.7
    design["flows"] = {}
    for number in range(rng.randint(1, 3)):
        flow = {"value": rng.choice((1, 1, 2, 0.5))}
        if rng.random() < 0.4:
            a, b = rng.sample(names, 2)
            if not any(p[-1] == b for p in walks(links, [a])):
                continue
            flow["ends"] = [a, b]
        else:
            every = [p for a in names for p in walks(links, [a])]
            flow["paths"] = rng.sample(every, min(len(every), rng.choice((1, 1, 2))))
        design["flows"][f"f{number}"] = flow
    design["by_flows"] = bool(design["flows"]) and rng.random() < 0.5
    if design["flows"] and clauses:
        texts = rng.sample(FLOW_REQUIREMENTS, rng.choice((1, 1, 2)))
        named = [t.format(rng.choice(list(design["flows"])), rng.choice(names)) for t in texts]
        design["requirement"] = [*named, *design["requirement"][: rng.choice((0, 1))]]
    return design


def walks(links, path):
    """Every path of links that goes on from one without coming to a host twice, that one included."""
    yield path
    for a, b in links:
        if a == path[-1] and b not in path:
            yield from walks(links, [*path, b])


def written_flows(design, rng):
    """The flows as a file has them, each in one of the ways in which it can be written."""
    flows = {}
    for name, flow in design["flows"].items():
        own = {} if flow["value"] == 1 else {"value": flow["value"]}
        if "ends" in flow:
            a, b = flow["ends"]
            short = not own and [a, b] not in design["links"] and rng.random() < 0.5
            flows[name] = f"{a} -> {b}" if short else {"from": a, "to": b, **own}
            continue
        paths = [" -> ".join(path) if rng.random() < 0.6 else path for path in flow["paths"]]
        if len(paths) == 1 and isinstance(paths[0], str) and not own and rng.random() < 0.6:
            flows[name] = paths[0]
        elif len(paths) == 1 and rng.random() < 0.6:
            flows[name] = {"path": paths[0], **own}
        else:
            flows[name] = {"paths": paths, **own}
    return flows


def scenario(design, rng):
    """The design as a file, each part in one of the ways in which it can be written."""
    hosts = []
    for host in design["hosts"]:
        own = {key: design[key][host] for key in ("cannot",) if host in design[key]}
        own |= {"value": design["values"][host]} if host in design["values"] else {}
        hosts.append({host: own} if own or rng.random() < 0.2 else host)
    links, conduits = [], dict(design["conduits"])
    for name in design["beside"]:
        ((source, target),) = conduits.pop(name)
        links.append({"from": source, "to": target, "block": rng.choice(("yes", True)), "name": name})
    links += [f"{a} -> {b}" if rng.random() < 0.7 else {"from": a, "to": b} for a, b in design["links"]]
    links += [{"from": a, "to": b, "filter": "yes"} for a, b in design.get("filtered", ())]
    network = {"hosts": hosts, "links": links, "isolate": design["isolate"]}
    if design.get("flows"):
        network |= {"flows": written_flows(design, rng)} | (
            {"dominance": "flows"} if design["by_flows"] else {}
        )
        network |= {} if design["serves"] else {"compromised_serves": "no"}
    network |= (
        {"conduits": {n: [f"{a} -> {b}" for a, b in of] for n, of in conduits.items()}} if conduits else {}
    )
    for key, names in (("entry", design["entries"]), ("exposed", design["exposed"])):
        network |= {key: names[0] if len(names) == 1 and rng.random() < 0.5 else names} if names else {}
    for key in ("actions", "tempo"):
        network |= {key: {str(p): of for p, of in design[key].items()}} if design[key] else {}
    if design["reset"] is not None:
        network["reset"] = design["reset"] if design["reset"] == "none" else {"probability": design["reset"]}
    specs = {"defender": design["requirement"], "adversary": []}
    if design["budget"] is not None and "destroy" in types(design, ADVERSARY):
        specs["adversary"] = [f"G (times(destroy) <= {design['budget']})"]
    return json.dumps({"holdfast": 1, "network": network, "specs": specs})


# -- meaning ------------------------------------------------------------------------------------------


def types(design, player):
    """The types of action that a side has somewhere."""
    own = design["actions"].get(player, ORDER[player])
    there = {kind for h in design["hosts"] for kind in own if kind not in design["cannot"].get(h, ())}
    return [kind for kind in ORDER[player] if kind in there]


def actions(design, player):
    """All actions of a side, by their numbers."""
    own = design["actions"].get(player, ORDER[player])
    found = []
    for kind in ORDER[player]:
        if kind not in own:
            continue
        for target in design["conduits"] if kind in ("block", "unblock") else design["hosts"]:
            if kind not in design["cannot"].get(target, ()):
                found.append((kind, target))
    return found


def after(design, state, kind, target):
    """The state after an action."""
    new = dict(state)
    here = state[target]
    if kind == "monitor" and here == "X":
        new[target] = "D"
    if kind == "isolate" and (here in ("C", "D") or (here == "X" and design["isolate"] == "any")):
        new[target] = "I"
    if kind == "restore" and here == "I":
        new[target] = "C"
    if kind == "fix" and here == "Z":
        new[target] = "C"
    if kind == "destroy" and here in ("X", "D"):
        new[target] = "Z"
    if kind == "block" and here == "open":
        new[target] = "blocked"
    if kind == "unblock" and here == "blocked":
        new[target] = "open"
    if kind == "spread" and here == "C":
        reached = target in design["exposed"]
        for source, other in design["links"]:
            if [source, other] in design.get("filtered", ()):
                continue
            if other == target and state[source] in ("X", "D"):
                shut = False
                for name, through in design["conduits"].items():
                    if [source, other] in through and state[name] == "blocked":
                        shut = True
                if not shut:
                    reached = True
        if reached:
            new[target] = "X"
    return new


def start(design):
    state = {host: "X" if host in design["entries"] else "C" for host in design["hosts"]}
    return state | dict.fromkeys(design["conduits"], "open")


def states(design):
    names = [*design["hosts"], *design["conduits"]]
    domains = ["CXDIZ" if name in design["hosts"] else ("open", "blocked") for name in names]
    for values in product(*domains):
        yield dict(zip(names, values))


def passable(design, state, path):
    """Whether every host of a path serves and every link of it is there and open."""
    serving = ("C", "X", "D") if design["serves"] else ("C",)
    for host in path:
        if host not in design["hosts"] or state[host] not in serving:
            return False
    for a, b in pairwise(path):
        if [a, b] not in design["links"]:
            return False
        for name, through in design["conduits"].items():
            if [a, b] in through and state[name] == "blocked":
                return False
    return True


def is_up(design, state, flow):
    """Whether a flow is up: by one of its paths, or by any path between its ends."""
    if "ends" in flow:
        a, b = flow["ends"]
        paths = [path for path in walks(design["links"], [a]) if path[-1] == b]
    else:
        paths = flow["paths"]
    return any(passable(design, state, path) for path in paths)


def up(design, state):
    """The names of the flows that are up."""
    return [name for name, flow in design["flows"].items() if is_up(design, state, flow)]


def holds(design, text, state):
    """Whether what a requirement says of every state is so of one."""
    if text in REQUIREMENTS:
        return REQUIREMENTS[text](state)
    if text == "G (flows_up >= 1)":
        return bool(up(design, state))
    name = text.partition("flow(")[2].partition(")")[0]
    running = name in up(design, state)
    if " | " in text:
        return running or state[text.partition(" | ")[2].partition(" ")[0]] == "I"
    if " -> " in text:
        return not running or state[text.partition(" -> ")[2].partition(" ")[0]] != "Z"
    return running


def dominance(design, state):
    if design.get("by_flows"):
        worth = {name: Fraction(str(flow["value"])) for name, flow in design["flows"].items()}
        return sum((worth[name] for name in up(design, state)), Fraction(0)) / sum(worth.values())
    worth = {host: Fraction(str(design["values"].get(host, 1))) for host in design["hosts"]}
    return sum((worth[h] for h in worth if state[h] == "C"), Fraction(0)) / sum(worth.values())


def reset(design, state):
    """The state after a reset; None where there is none."""
    if not design["entries"] or design["reset"] == "none" or DEFENDER in design["tempo"]:
        return None
    return start(design) if all(state[host] == "C" for host in design["hosts"]) else None


class Literal:
    """The game of a design, its turns counted by hand; ``rank`` of a position is as the paper defines it.

    A position is (state, turn, destroys so far, turns since the last action of either side).
    """

    def __init__(self, design):
        self.design = design
        names = [*design["hosts"], *design["conduits"]]
        self.freeze = lambda state: tuple(state[name] for name in names)
        self.thaw = lambda state: dict(zip(names, state))
        most = {p: design["tempo"].get(p, 1) - 1 for p in Player}
        self.first = (self.freeze(start(design)), ADVERSARY, 0, most[DEFENDER], most[ADVERSARY])
        self.most = most
        self.budget = design["budget"] if "destroy" in types(design, ADVERSARY) else None
        self.onward = {}
        stack = [self.first]
        while stack:
            v = stack.pop()
            if v not in self.onward:
                self.onward[v] = list(self.moves(v))
                stack += [t for t in self.onward[v] if t is not None]
        self.rank = self.ranks()

    def bad(self, v):
        return not all(holds(self.design, text, self.thaw(v[0])) for text in self.design["requirement"])

    def moves(self, v):
        """The positions after each admissible move; None for a defender who acts too soon."""
        state, turn, destroys, *waited = v
        for kind, target in actions(self.design, turn):
            spent = destroys + (kind == "destroy" and self.budget is not None)
            if self.budget is not None and spent > self.budget:
                continue
            rested = dict(zip((DEFENDER, ADVERSARY), waited))
            if kind == "noop":
                rested[turn] = min(rested[turn] + 1, self.most[turn])
            elif rested[turn] < self.most[turn]:
                if turn is DEFENDER:
                    yield None
                continue
            else:
                rested[turn] = 0
            new = self.freeze(after(self.design, self.thaw(state), kind, target))
            yield (new, turn.opponent, spent, rested[DEFENDER], rested[ADVERSARY])

    def ranks(self):
        rank = {v: 0 for v in self.onward if self.bad(v)}
        rank[None] = 0
        for k in range(1, len(self.onward) + 2):
            fallen = []
            for v, targets in self.onward.items():
                if v not in rank:
                    lost = [t in rank for t in targets]
                    if any(lost) if v[1] is ADVERSARY else all(lost):
                        fallen.append(v)
            if not fallen:
                return rank
            rank |= dict.fromkeys(fallen, k)
        raise AssertionError("the attractor did not end")
