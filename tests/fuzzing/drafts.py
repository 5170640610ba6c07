"""Random scenario files in the public format: every model, with every option that it has."""

from __future__ import annotations

import json
from fractions import Fraction

import yaml

import certificates
import reference_cell
import reference_plant
import segments
import strategies
from holdfast.logic.expressions import Player
from holdfast.logic.vocabulary import Vocabulary

FACTORED = 400
"""The most positions of a random game, so that the oracle can list them."""


def written(data, style) -> str:
    """Data as the text of a file, in one of three ways in which people and programs write it."""
    if style == 0:
        return json.dumps(data, indent=1)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=style == 1, width=100)


def random_draft(rng) -> dict:
    """A scenario of any model, as data."""
    makers = (network_draft, game_draft, game_draft, cell_draft, plant_draft, grid_draft)
    return rng.choice(makers)(rng)


def random_text(rng) -> str:
    """A scenario of any model, as text."""
    return written(random_draft(rng), rng.randrange(3))


# -- networks -----------------------------------------------------------------------------------------


def network_draft(rng, n_hosts=None) -> dict:
    """A segment with any of its options, clauses of any kind, and variants."""
    design = segments.random_design(rng, n_hosts or rng.choice((2, 2, 2, 3)))
    data = json.loads(segments.scenario(design, rng))
    network, hosts = data["network"], design["hosts"]
    if rng.random() < 0.3:
        network["zones"] = {"left": hosts[:1], "right": hosts[1:]}
    if rng.random() < 0.3:
        network["sets"] = {"some": rng.sample(hosts, rng.randint(1, len(hosts)))}
    data["specs"]["defender"] += [_about_hosts(rng, hosts) for _ in range(rng.choice((0, 0, 1)))]
    if rng.random() < 0.3:
        data["effort"] = {
            kind: rng.randint(0, 3) for kind in segments.types(design, Player.DEFENDER) if kind != "noop"
        }
    if rng.random() < 0.3:
        kinds = rng.sample(["cut all", "harden all", "block all"], rng.randint(1, 3))
        data["design"] = {"changes": [{"change": kind, "cost": rng.randint(1, 3)} for kind in kinds]}
    return _finished(data, rng, _network_variants(design, rng))


def _about_hosts(rng, hosts):
    """A clause about hosts, with operators of past, future and counting."""
    one, other = rng.choice(hosts), rng.choice(hosts)
    return rng.choice((
        f"G ({one} = Z -> O {other} in {{X, D}})", f"G ({one} = X -> F[<=3] {other} != X)",
        f"G (times({one} = Z) <= {rng.randint(0, 2)})", f"G (active + clean >= {rng.randint(0, 3)})",
        f"({one} != Z) W ({other} = I)", f"G !(Y {one} = I & {other} = Z)", f"G (H {one} != Z | {other} = C)",
        f"G (count(* in {{I, Z}}) <= {rng.randint(0, 2)})", "G (times(isolate) <= 2)" if hosts else "",
        f"G (({one} != Z) S ({other} != D) | {one} = C)", f"({one} = C) R ({other} != Z)",
    ))  # fmt: skip


def _network_variants(design, rng):
    hosts, links = design["hosts"], design["links"]
    found = {"waits": {"isolate": rng.choice(["any", "detected"])}, "moved": {"entry": rng.choice(hosts)}}
    if links and not design["conduits"]:
        found["cut"] = {"remove_links": [" -> ".join(rng.choice(links))]}
    found["hard"] = {"change_hosts": [{rng.choice(hosts): {"cannot": ["spread"]}}]}
    found["safer"] = {"specs": {"adversary": {"add": ["G !destroy"]}}}
    return {name: found[name] for name in rng.sample(sorted(found), rng.choice((0, 0, 1, 2)))}


# -- games --------------------------------------------------------------------------------------------


def game_draft(rng) -> dict:
    """A game in the framework's own language, with clauses of every kind."""
    while True:
        change = strategies.with_idle_action if rng.random() < 0.5 else lambda rng, game: game
        found = strategies.random_configuration(rng, FACTORED, change)
        if found.game.tables is None:
            break
    data = json.loads(certificates.scenario_text(found))
    game, vocabulary = data["game"], found.game.vocabulary
    plain = Vocabulary(vocabulary.variables, {})
    if rng.random() < 0.3:
        game["define"] = {"often": strategies.random_predicate(rng, plain, 1, moves=False)}
        data["specs"]["defender"].append(f"G (often | {strategies.random_predicate(rng, vocabulary, 1)})")
    numeric = [v for v in vocabulary.variables if v.numeric and len(v.values) > 1]
    if numeric and rng.random() < 0.5:
        chosen = rng.choice(numeric)
        span = chosen.values[-1] - chosen.values[0]
        game["dominance"] = f"({chosen.name} - {chosen.values[0]}) / {span}".replace("- -", "+ ")
    else:
        chosen = rng.choice(vocabulary.variables)
        game["dominance"] = f"count({chosen.name} in {{{rng.choice(chosen.values)}}})"
    if rng.random() < 0.3:
        chosen = rng.choice(vocabulary.variables)
        game["reset"] = {
            "when": strategies.random_predicate(rng, plain, 0, moves=False),
            "probability": rng.choice((0, 0.25, 0.5, 1)),
            "set": {chosen.name: rng.choice(chosen.values)},
        }
    if rng.random() < 0.3:
        data["effort"] = {name: rng.randint(0, 3) for name in game["defender"] if rng.random() < 0.6}
    return _finished(data, rng, _game_variants(found, rng))


def _game_variants(found, rng):
    chosen = rng.choice(found.game.variables)
    own = strategies.random_predicate(rng, found.game.vocabulary, 1)
    options = {
        "turned": {"game": {"first": rng.choice(["defender", "adversary"])}},
        "elsewhere": {"game": {"initial": {chosen.name: rng.choice(chosen.values)}}},
        "more": {"game": {"adversary": {"extra": {"set": {chosen.name: rng.choice(chosen.values)}}}}},
        "asked": {"specs": {"defender": [f"G ({own})"]}},
    }
    return {name: options[name] for name in rng.sample(sorted(options), rng.choice((0, 0, 1, 2)))}


# -- floor plans, plants, grids -----------------------------------------------------------------------


def cell_draft(rng) -> dict:
    """A small floor plan with people, machines and doors on it."""
    while True:
        section = reference_cell.random_section(rng)
        if len(section["plan"].replace("#", "")) <= 8 and len(section["people"]) < 2:
            break
    asked = [f"G !{word}" for word, key in (("hit", "people"), ("struck", "hazards")) if section[key]]
    asked += [f"G F[<={rng.randint(1, 4)}] at-{name}" for name in section["places"] if rng.random() < 0.2]
    limits = [f"G (times(walk) <= {rng.randint(0, 2)})"] if section["people"] and rng.random() < 0.5 else []
    data = {"holdfast": 1, "cell": section, "specs": {"defender": asked, "adversary": limits}}
    return _finished(data, rng, {"alone": {"cell": {"rails": []}}} if rng.random() < 0.2 else {})


def plant_draft(rng) -> dict:
    """A small plant with tanks, lines and sensors."""
    section = reference_plant.random_plant(rng)
    asked = rng.choice((["G !overflow"], ["G !dry"], ["G !overflow", "G !dry"]))
    ways = {"flip", "jam", "blind"} & {
        way
        for part in (*section["lines"].values(), *section["sensors"].values())
        for way in part.get("sabotage", ())
    }
    limits = [f"G (times({' | '.join(sorted(ways))}) <= {rng.randint(0, 2)})"] if ways else []
    if rng.random() < 0.3:
        section["dominance"] = f"T1 / {section['tanks']['T1']['holds']}"
    data = {"holdfast": 1, "plant": section, "specs": {"defender": asked, "adversary": limits}}
    return _finished(data, rng, {})


def grid_draft(rng) -> dict:
    """A grid of a few buses and branches, written out."""
    asked = [f"G (served >= {rng.choice((20, 50, 80, 100))})"]
    asked += rng.sample(["G (N0 != dark)", "G (islands <= 2)", "G (overloaded <= 1)"], rng.choice((0, 1)))
    limits = [f"G (times(trip) <= {rng.randint(0, 2)})"] if rng.random() < 0.7 else []
    data = {"holdfast": 1, "grid": grid_section(rng), "specs": {"defender": asked, "adversary": limits}}
    return _finished(
        data, rng, {"idle": {"grid": {"actions": {"defender": []}}}} if rng.random() < 0.3 else {}
    )


def grid_section(rng) -> dict:
    """Branches, loads and generators."""
    buses = [f"N{i}" for i in range(rng.randint(2, 3))]
    ends = [(buses[i], buses[rng.randrange(i)]) for i in range(1, len(buses))]
    ends += [tuple(rng.sample(buses, 2)) for _ in range(rng.randint(0, 2))]
    branches = {
        f"L{i}": {"from": a, "to": b, "x": rng.randint(1, 9) / 10, "rating": rng.randint(8, 90)}
        for i, (a, b) in enumerate(ends)
    }
    loads = {bus: rng.randint(1, 60) for bus in buses if rng.random() < 0.7} or {"N0": 9}
    generators = {}
    for bus in rng.sample(buses, rng.randint(1, 2)):
        most = rng.randint(20, 150)
        generators[bus] = {"scheduled": most * rng.randint(0, 4) / 4, "most": most}
    section = {"branches": branches, "loads": loads, "generators": generators}
    section |= {"tolerance": rng.choice((1, 1.2, 1.5)), "outages": rng.randint(1, 2)}
    if rng.random() < 0.4:
        section["shed"] = rng.sample(sorted(loads), 1)
    if rng.random() < 0.4:
        section["protected"] = rng.sample(sorted(branches), 1)
    if rng.random() < 0.4:
        section["actions"] = {"adversary": ["trip", "damage"]}
    return section


def exact(number) -> Fraction:
    """A number of a file as the fraction that its digits say."""
    return Fraction(str(number))


# -- all of them --------------------------------------------------------------------------------------


def _finished(data, rng, variants) -> dict:
    """With a name, settings of learning, and variants."""
    data = {**data, "name": rng.choice(["random", "Zufällig · 中文", "a [b] {c}", "true"])}
    if rng.random() < 0.7:
        data["learning"] = {"episodes": 5, "steps": rng.randint(1, 6), "seeds": 2, "window": 3}
    return data | ({"variants": variants} if variants else {})
