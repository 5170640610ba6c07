"""Ways to forge a certificate."""

from __future__ import annotations

import json
from functools import cache

from certificates import Nodes, packed, repaired, unpacked
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, scenario_from_text


def answer(raw) -> str:
    """What the checker says, in the judge's words."""
    try:
        return "valid" if verify(raw).valid else "refuted"
    except InputError:
        return "unreadable"


def mutated(rng, bases, mutate) -> bytes:
    """One of the certificates, changed by a mutation that does change it, its hashes made to fit."""
    base = data = None
    while data == base:
        base = json.loads(rng.choice(bases))
        data = json.loads(json.dumps(base))
        mutate(rng, data)
    return repaired(data)


@cache
def loaded(text, variant=None):
    return configuration(scenario_from_text(text), variant)


def toggle(rng, data):
    """Drop a position, or add one."""
    witness = data["witness"]
    if witness["kind"] == "arrays":
        key = rng.choice(_listed(data)) if "claim" in data else _listed(data)[0]
        numbers = unpacked(witness[key])
        i = rng.randrange(len(numbers))
        numbers[i] = 0 if numbers[i] else rng.choice((1, max(numbers, default=1)))
        witness[key] = packed(numbers)
        return
    first, n_ranks = rng.choice(_levels(data)) if "claim" in data else (0, witness.get("ranks", 1))
    if n_ranks == 0:
        return
    first += rng.randrange(len(witness["planes"])) * n_ranks
    nodes, game = Nodes(witness["dddmp"]), _game(data)
    bits = nodes.bits(game, tuple(rng.randrange(n) for n in game.shape))
    for i in range(first + rng.randrange(n_ranks), first + n_ranks):
        nodes.roots[i] = nodes.toggled(nodes.roots[i], bits)
    witness["dddmp"] = nodes.text()


def change_rank(rng, data):
    """Give one position another rank, or exchange two levels."""
    witness = data["witness"]
    ranked = next((key for key in ("ranks", "recovery") if key in witness), None)
    if ranked is None:
        toggle(rng, data)
    elif witness["kind"] == "arrays":
        numbers = unpacked(witness[ranked])
        i = rng.choice([i for i, number in enumerate(numbers) if number] or range(len(numbers)))
        numbers[i] = max(1, numbers[i] + rng.choice((-2, -1, 1, 2, 4_000_000_000 - numbers[i])))
        witness[ranked] = packed(numbers)
    else:
        nodes, game = Nodes(witness["dddmp"]), _game(data)
        i = rng.randrange(len(nodes.roots) if "claim" in data else len(witness["planes"]) * witness["ranks"])
        if rng.random() < 0.5:
            j = rng.randrange(len(nodes.roots))
            nodes.roots[i], nodes.roots[j] = nodes.roots[j], nodes.roots[i]
        else:
            bits = nodes.bits(game, tuple(rng.randrange(n) for n in game.shape))
            nodes.roots[i] = nodes.toggled(nodes.roots[i], bits)
        witness["dddmp"] = nodes.text()


def swap_actions(rng, data):
    """Name another move somewhere."""
    witness = data["witness"]
    n_actions = len(_game(data).actions[Player.ADVERSARY])
    if (
        "moves" not in witness
        or not witness["moves"]
        or not any(p[0] == "adversary" for p in witness["planes"])
    ):
        toggle(rng, data)
    elif witness["kind"] == "arrays":
        moves, ranks, n = unpacked(witness["moves"]), unpacked(witness["ranks"]), _game(data).n_valuations
        own = [i for i, plane in enumerate(witness["planes"]) if plane[0] == "adversary"]
        ranked = [k * n + j for k, i in enumerate(own) for j in range(n) if ranks[i * n + j]]
        moves[rng.choice(ranked or range(len(moves)))] = rng.randrange(n_actions + 1)
        witness["moves"] = packed(moves)
    else:
        names = [action.name for action in _game(data).actions[Player.ADVERSARY]]
        moves, nodes = witness["moves"], Nodes(witness["dddmp"])
        i = rng.randrange(len(moves))
        if rng.random() < 0.5:
            moves[i][1] = rng.choice([*names, "nobody"])
        else:
            j = len(nodes.roots) - len(moves) + i
            nodes.roots[j] = rng.choice((-nodes.roots[j], rng.choice(nodes.roots), 1, -1))
            witness["dddmp"] = nodes.text()


def edit_scenario(rng, data):
    """Change the question and keep the answer."""
    scenario = json.loads(data["scenario"]["text"])
    game, specs = scenario["game"], scenario["specs"]
    name = rng.choice(list(game["variables"]))
    player = rng.choice(("defender", "adversary"))
    action = rng.choice(list(game[player]))
    values = next(v for v in _game(data).variables if v.name == name).values
    change = rng.randrange(7)
    if change == 0:
        game["initial"][name] = rng.choice(values)
    elif change == 1:
        game["first"] = "defender" if game["first"] == "adversary" else "adversary"
    elif change == 2:
        game[player][action] = []
    elif change == 3:
        game["adversary"]["extra"] = {"set": {name: rng.choice(values)}}
    elif change == 4:
        side = rng.choice([side for side in specs if specs[side]] or ["defender"])
        specs[side] = specs[side][:-1]
    elif change == 5:
        specs["defender"][-1:] = [f"G ({name} = {game['initial'][name]})"]
    else:
        game[player] = {key: game[player][key] for key in reversed(game[player])}
    data["scenario"]["text"] = json.dumps(scenario)


def rewire(rng, data):
    """Change a plane, or a node of the diagrams."""
    witness = data["witness"]
    if witness["kind"] == "arrays" or rng.random() < 0.3:
        planes = witness["planes"]
        i, j = rng.randrange(len(planes)), rng.randrange(len(planes))
        change = rng.randrange(3)
        if change == 0:
            planes[i], planes[j] = planes[j], planes[i]
        elif change == 1:
            planes[i] = planes[j]
        else:
            planes[i] = [planes[i][0], *([rng.randrange(4) for _ in qs] for qs in planes[i][1:])]
        return
    nodes = Nodes(witness["dddmp"])
    if nodes.rows and rng.random() < 0.7:
        i = rng.randrange(len(nodes.rows))
        row = list(nodes.rows[i])
        place = rng.choice((1, 2, 2, 3, 3))
        row[place] = (
            row[place] + rng.choice((-1, 1)) if place == 1 else rng.choice((-1, 1)) * rng.randint(1, i + 2)
        )
        nodes.rows[i] = tuple(row)
    else:
        nodes.roots[rng.randrange(len(nodes.roots))] *= -1
    witness["dddmp"] = nodes.text()


def flip_verdict(rng, data):
    """Claim the opposite, with the same sets."""
    witness, defensible = data["witness"], data["verdict"] == "defensible"
    data["verdict"] = "not defensible" if defensible else "defensible"
    planes = witness["planes"]
    own = [i for i, plane in enumerate(planes) if plane[0] == "adversary"]
    if witness["kind"] == "arrays":
        numbers = unpacked(witness.pop("region" if defensible else "ranks"))
        if defensible:
            witness["ranks"] = packed([rng.randint(1, 9) if number else 0 for number in numbers])
            witness["moves"] = packed([0] * (len(numbers) // len(planes) * len(own)))
        else:
            witness.pop("moves")
            witness["region"] = packed([min(1, number) for number in numbers])
        return
    nodes = Nodes(witness["dddmp"])
    if defensible:
        names = [action.name for action in _game(data).actions[Player.ADVERSARY]]
        witness["ranks"], witness["moves"] = 1, [[i, name] for i in own for name in names[:1]]
        nodes.roots += [1] * len(witness["moves"])
    else:
        n_ranks = witness.pop("ranks")
        witness.pop("moves")
        nodes.roots = nodes.roots[n_ranks - 1 : len(planes) * n_ranks : n_ranks]
    witness["dddmp"] = nodes.text()


def change_claim(rng, data):
    """Claim another number of moves, another goal, or what the same name means elsewhere."""
    claim, scenario = data["claim"], json.loads(data["scenario"]["text"])
    goals, change = scenario["recovery"], rng.randrange(4)
    if change == 0 and claim["moves"] != "never":
        claim["moves"] += rng.choice((-1, 1, -claim["moves"]))
    elif change == 1:
        claim["goal"] = rng.choice(("goals", "evicted", ""))
    else:
        name, values = rng.choice(list(scenario["game"]["initial"].items()))
        goals["goal"] = rng.choice(
            (f"!({goals['goal']})", f"({goals['goal']}) & {name} = {values}", "true", "false")
        )
        data["scenario"]["text"] = json.dumps(scenario)


def flip_claim(rng, data):
    """Claim the opposite, with the same sets as far as they go."""
    witness, never = data["witness"], data["claim"]["moves"] == "never"
    n_planes, own = len(witness["planes"]), [p[0] for p in witness["planes"]].count("adversary")
    if witness["kind"] == "arrays":
        numbers = unpacked(witness.pop("trap" if never else "recovery"))
        if never:
            witness.pop("ranks"), witness.pop("moves")
            witness["recovery"] = packed([number * rng.randint(1, 3) for number in numbers])
        else:
            witness["trap"] = packed([min(1, number) for number in numbers])
            witness["ranks"] = packed([0] * len(numbers))
            witness["moves"] = packed([0] * (len(numbers) // n_planes * own))
    else:
        nodes = Nodes(witness["dddmp"])
        if never:
            witness.pop("ranks"), witness.pop("moves")
            nodes.roots, witness["recovery"] = nodes.roots[: 2 * n_planes], 1
        else:
            size = witness.pop("recovery")
            nodes.roots = nodes.roots[:n_planes] + nodes.roots[n_planes + size - 1 :: size]
            witness |= {"ranks": 0, "moves": []}
        witness["dddmp"] = nodes.text()
    data["claim"]["moves"] = rng.choice((0, 1, 2)) if never else "never"


def exchange(rng, data):
    """One section in place of another."""
    witness = data["witness"]
    if witness["kind"] == "arrays":
        one, other = rng.sample(_listed(data), 2)
        numbers = unpacked(witness[one])
        witness[other] = packed([min(1, k) if other in ("region", "trap", "home") else k for k in numbers])
        return
    nodes, n_planes = Nodes(witness["dddmp"]), len(witness["planes"])
    (one, width), (other, _) = rng.sample(_levels(data), 2)
    for i in range(n_planes if width else 0):
        nodes.roots[min(other + i, len(nodes.roots) - 1)] = nodes.roots[one + i * width]
    witness["dddmp"] = nodes.text()


def _listed(data):
    """The sections of arrays, by name."""
    return [
        key for key in ("region", "trap", "home", "recovery", "visits", "ranks") if key in data["witness"]
    ]


def _levels(data):
    """Where the roots of each section of diagrams begin, and how many it has for each plane."""
    witness, n_planes = data["witness"], len(data["witness"]["planes"])
    if data["claim"].get("again") == "yes":
        return [(0, 1), (n_planes, 1), (2 * n_planes, witness["recovery"])]
    if "recovery" in witness:
        return [(0, 1), (n_planes, witness["recovery"])]
    held = witness.get("visits", 1)
    return [(0, 1), (n_planes, held), ((1 + held) * n_planes, witness["ranks"])]


def _game(data):
    return loaded(data["scenario"]["text"], data["scenario"]["variant"]).game


MUTATIONS = {
    "position dropped or added": (toggle, 90),
    "rank changed": (change_rank, 80),
    "action swapped": (swap_actions, 80),
    "scenario edited": (edit_scenario, 60),
    "plane or node rewired": (rewire, 70),
    "opposite verdict": (flip_verdict, 40),
}

CLAIM_MUTATIONS = {
    "position dropped or added": (toggle, 60),
    "rank changed": (change_rank, 50),
    "action swapped": (swap_actions, 30),
    "scenario edited": (edit_scenario, 40),
    "plane or node rewired": (rewire, 50),
    "another claim": (change_claim, 40),
    "opposite claim": (flip_claim, 40),
    "sections exchanged": (exchange, 30),
}
"""The same for a claim about a goal."""
