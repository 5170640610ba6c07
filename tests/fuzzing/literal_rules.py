"""Formulas, segments and other models, against their words: semantics on lassos, rules played out by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import holdfast as hf
import reference_grid
import segments
from fuzzing import drafts
from holdfast.errors import AutomatonError, FormulaError, HoldfastError, LivenessError
from holdfast.game.structure import after_reset, successor
from holdfast.logic.compile import compile_formula
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import Player, Variable, is_static
from holdfast.logic.parser import parse_formula
from holdfast.logic.vocabulary import Vocabulary
from holdfast.models.grid.power_grid import GridBranch, PowerGrid, PowerSource
from holdfast.solver.engines import solve
from lassos import accepts, random_words
from reference import satisfies
from reference_cell import SlowCell, point, random_section
from reference_plant import SlowPlant, random_plant
from strategies import random_formula, random_predicate, random_variables

# -- formulas -----------------------------------------------------------------------------------------


def make_formula(rng) -> dict:
    """A vocabulary and a formula over the whole language."""
    variables = random_variables(rng)[:2]
    vocabulary = Vocabulary(variables, {Player.DEFENDER: ("d0",), Player.ADVERSARY: ("a0", "a1")})
    text = random_formula(rng, vocabulary, rng.randint(1, 4))
    if rng.random() < 0.25:
        one, other = (random_predicate(rng, vocabulary, 0) for _ in range(2))
        sums = f"times({one}) {rng.choice('+++-')} {rng.randint(1, 2)} * times({other})"
        text = f"G ({sums} <= {rng.randint(0, 2)}) & ({text})"
    domains = {v.name: list(v.values) for v in variables}
    return {"domains": domains, "formula": text, "seed": rng.randrange(10**6)}


def judge_formula(case) -> list[str]:
    """The automaton accepts what satisfies the formula; what is printed is read as the same."""
    variables = tuple(
        Variable(name, range(values[0], values[-1] + 1) if isinstance(values[0], int) else tuple(values))
        for name, values in case["domains"].items()
    )
    vocabulary = Vocabulary(variables, {Player.DEFENDER: ("d0",), Player.ADVERSARY: ("a0", "a1")})
    try:
        node = parse_formula(case["formula"], vocabulary)
    except HoldfastError:
        return ["refused"]
    assert parse_formula(str(node), vocabulary) == node, str(node)
    try:
        automaton = compile_formula(case["formula"], vocabulary)
    except LivenessError:
        return ["liveness"]
    except (AutomatonError, FormulaError):
        return ["too large"]  # or counters without a bound
    for word, loop in random_words(random.Random(case["seed"]), vocabulary, 12):
        assert accepts(automaton, word, loop) == satisfies(node, word, loop), (word, loop)
    return ["compiled"]


# -- segments -----------------------------------------------------------------------------------------


def make_segment(rng) -> dict:
    """A network with any of its options, of which one may be a group of hosts that are alike."""
    design = segments.random_design(rng)
    if rng.random() < 0.4:
        design = segments.with_flows(design, rng)
    return {"design": design, "seed": rng.randrange(10**6)}


def judge_segment(case) -> list[str]:
    """The game is what the words say, and so are verdict and rank, budgets and tempo counted by hand."""
    design, rng = case["design"], random.Random(case["seed"])
    text = segments.scenario(design, rng)
    found = hf.configuration(hf.scenario_from_text(text))
    game = found.game

    def freeze(state):
        return tuple(v.values.index(state[v.name]) for v in game.variables)

    assert game.initial == freeze(segments.start(design))
    for player in Player:
        named = [f"{kind}({target})" for kind, target in segments.actions(design, player)]
        assert [action.name for action in game.actions[player]] == named
    every = list(segments.states(design))
    for state in rng.sample(every, min(len(every), 40)):
        here, again = freeze(state), segments.reset(design, state)
        assert game.mu(here) == segments.dominance(design, state)
        assert after_reset(game, here) == (None if again is None else freeze(again))
        for player in Player:
            for number, (kind, target) in enumerate(segments.actions(design, player)):
                new = freeze(segments.after(design, state, kind, target))
                assert successor(game, player, number, here) == new, (state, kind, target)
    if len(design["hosts"]) > 2:
        return ["rules"]
    literal = segments.Literal(design)
    for engine in ("explicit", "symbolic"):
        assert solve(found, engine).initial_rank == literal.rank.get(literal.first), (engine, text)
    return ["rules", "verdict"]


# -- other models -------------------------------------------------------------------------------------


def make_model(rng) -> dict:
    """A cell, a plant or a grid."""
    makers = {"cell": random_section, "plant": random_plant, "grid": drafts.grid_section}
    model = rng.choice(sorted(makers))
    return {"model": model, "section": makers[model](rng), "seed": rng.randrange(10**6)}


def judge_model(case) -> list[str]:
    """From any state every action leads where the literal rules say."""
    data = {"holdfast": 1, case["model"]: case["section"], "specs": {"defender": [], "adversary": []}}
    rng = random.Random(case["seed"])
    try:
        system = hf.configuration(hf.scenario_from_text(drafts.written(data, rng.randrange(3)))).system
    except hf.HoldfastError:
        return ["refused"]
    {"cell": _cell, "plant": _plant, "grid": _grid}[case["model"]](case["section"], system, rng)
    return [case["model"]]


def _some_states(game, rng):
    every = list(product(*map(range, game.shape))) if game.n_valuations <= 20_000 else None
    if every is None:
        return [tuple(rng.randrange(size) for size in game.shape) for _ in range(60)]
    return rng.sample(every, min(len(every), 60))


def _cell(section, system, rng):
    game, slow = system.game, SlowCell(section)
    movers = {"robot", *slow.people}

    def literal(state):
        values = {v.name: v.values[code] for v, code in zip(game.variables, state)}
        return {name: point(value) if name in movers else value for name, value in values.items()}

    assert literal(game.initial) == slow.start()
    words = {n: reader(e, game.places) for n, e in game.definitions.items() if is_static(e)}
    for state in _some_states(game, rng):
        before = literal(state)
        asked = slow.asked(before)
        assert {name: bool(words[name](state)) for name in asked} == asked, before
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                after = literal(successor(game, player, number, state))
                assert after == slow.after(player, before, action.name), (before, action.name)


def _plant(section, system, rng):
    game, slow = system.game, SlowPlant(section)

    def literal(state):
        return {v.name: v.values[code] for v, code in zip(game.variables, state)}

    assert literal(game.initial) == slow.start()
    for state in _some_states(game, rng):
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                after = literal(successor(game, player, number, state))
                assert after == slow.after(player, literal(state), action.name), (state, action.name)


def _grid(section, system, rng):
    """Every situation that can be reached, from the whole grid on."""
    grid, game = _power_grid(section), system.game
    known, queue = {reference_grid.whole(): game.initial}, [reference_grid.whole()]
    while queue:
        here = queue.pop()
        values = {v.name: v.values[code] for v, code in zip(game.variables, known[here])}
        assert values == reference_grid.seen(grid, here), here
        for player in Player:
            for number, action in enumerate(game.actions[player]):
                target = successor(game, player, number, known[here])
                after = reference_grid.after(grid, here, action.name)
                if after not in known:
                    known[after] = target
                    queue.append(after)
                assert known[after] == target, (here, action.name)


def _power_grid(section):
    branches = tuple(
        GridBranch(name, own["from"], own["to"], drafts.exact(own["x"]), Fraction(own["rating"]))
        for name, own in section["branches"].items()
    )
    sources = tuple(
        PowerSource(bus, drafts.exact(own["scheduled"]), drafts.exact(own["most"]))
        for bus, own in section["generators"].items()
    )
    loads = {bus: drafts.exact(load) for bus, load in section["loads"].items()}
    kinds = tuple(section.get("actions", {}).get("adversary", ["trip"]))
    return PowerGrid(
        branches, loads, sources, drafts.exact(section["tolerance"]), section["outages"],
        frozenset(section.get("protected", ())), tuple(section.get("shed", ())),
        {Player.ADVERSARY: kinds, Player.DEFENDER: ("reclose", "repair", "shed", "restore")},
    )  # fmt: skip
