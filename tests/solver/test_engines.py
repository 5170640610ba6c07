"""Both engines against each other and against the literal oracle, on thousands of random games."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from cases import TIMES
from engine_comparison import compare
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game.actions import Action, Rule
from holdfast.game.configuration import Position, configure
from holdfast.game.structure import GameStructure
from holdfast.logic.diagrams import OutOfNodes
from holdfast.logic.expressions import Arithmetic, Compare, Number, Player, Read, Variable
from holdfast.scenario.reading import configuration as configuration_of, scenario_from_text
from holdfast.solver import chaining, explicit, product_tables
from holdfast.solver.chaining import components
from holdfast.solver.engines import solve
from holdfast.solver.ordering import variable_orders
from holdfast.solver.product_tables import TURNS, ProductTables
from holdfast.solver.shield import reachable
from reference import Product
from strategies import random_configuration

N_GAMES, N_CHUNKS = 600 * TIMES, 6
N_RANKED = 300 * TIMES


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_engines_equal_the_oracle_on_random_games(chunk):
    """Should agree on counts, shells, ranks, Safe, R and all static readings."""
    seen = Counter()
    for seed in range(chunk * N_GAMES // N_CHUNKS, (chunk + 1) * N_GAMES // N_CHUNKS):
        rng = random.Random(seed)
        configuration = random_configuration(rng)
        oracle = compare(configuration, rng, f"seed {seed}")
        seen["defensible" if oracle.defensible else "indefensible"] += 1
        seen["initial violation"] += oracle.initial in oracle.unsafe
        seen["empty attractor"] += not oracle.shells()
        seen["deep"] += len(oracle.shells()) >= 3
        seen["adversary dead end"] += any(
            v[1] is Player.ADVERSARY and v not in oracle.unsafe and not oracle.admissible(v)
            and v[3] in oracle.accepting_adversary
            for v in oracle.positions
        )  # fmt: skip
        seen["several clauses"] += len(configuration.defender) > 1 or len(configuration.adversary) > 1
        seen["tabulated"] += configuration.game.tables is not None
    kinds = (
        "defensible",
        "indefensible",
        "initial violation",
        "empty attractor",
        "deep",
        "several clauses",
        "tabulated",
    )
    assert all(seen[kind] for kind in kinds), seen


WAYS = (explicit.swept_shells, explicit.compiled_shells)


def ranks_of(tables, way):
    ranks = np.full((2, tables.blocks.n_blocks, tables.n), -1, np.int32)
    return list(way(tables, ranks, UNLIMITED)), ranks


@pytest.mark.parametrize("chunk", range(2))
def test_both_ways_of_the_explicit_engine_give_the_ranks_of_the_oracle(chunk):
    """Should rank every position alike: swept, compiled and by definition, whatever is unsafe or a dead end."""
    seen = Counter()
    for seed in range(40_000 + chunk * N_RANKED // 2, 40_000 + (chunk + 1) * N_RANKED // 2):
        rng = random.Random(seed)
        configuration = random_configuration(rng, max_positions=1000)
        if seed % 10 == 0:
            configuration = configure(configuration.system, [rng.choice(("G false", "G true"))])
        tables = ProductTables.build(configuration)
        (absorbed, ranks), (others, compiled) = (ranks_of(tables, way) for way in WAYS)
        assert absorbed == others, seed
        assert (ranks == compiled).all(), seed
        oracle = Product(configuration)
        for v in oracle.positions:
            block = tables.blocks.number(Position(*v))
            if block is None:
                assert oracle.rank[v] == 0, (seed, v)
            else:
                rank = compiled[TURNS.index(v[1]), block, configuration.game.index(v[0])]
                assert rank == oracle.rank.get(v, -1), (seed, v)
        seen["no unsafe"] += not oracle.unsafe
        seen["all lost"] += not oracle.winning
        seen["deep"] += len(absorbed) >= 3
        seen["dead end"] += any(
            v[1] is Player.ADVERSARY and not oracle.successors[v] for v in oracle.positions
        )
    assert all(seen[kind] for kind in ("no unsafe", "all lost", "deep", "dead end")), seen


def test_moves_of_random_games_looked_at_together_and_one_by_one_are_the_same(monkeypatch):
    """Should give the same Λ, ranks and successors, where those mean something, for any rows of any block."""
    n_moves = 0
    for seed in range(70_000, 70_000 + N_RANKED // 5):
        rng = random.Random(seed)
        tables = ProductTables.build(random_configuration(rng, max_positions=1000))
        _, ranks = ranks_of(tables, WAYS[0])
        rows = np.array(rng.sample(range(tables.n), rng.randint(1, tables.n)))
        for turn in TURNS:
            for block in range(tables.blocks.n_blocks):
                with monkeypatch.context() as one_by_one:
                    one_by_one.setattr(product_tables, "AT_ONCE", 0)
                    expected = list(tables.outcomes(ranks, turn, block, rows))
                found = list(tables.outcomes(ranks, turn, block, rows))
                assert len(found) == len(expected), seed
                for one, other in zip(found, expected):
                    assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(one, other)), seed
                    n_moves += int(one[0].sum())
    assert n_moves > 3_000


@pytest.mark.parametrize("way", WAYS)
def test_an_explicit_solve_that_is_stopped_tells_its_complete_shells(way, monkeypatch):
    """Should know the shells before the stop, and nothing half done."""
    configuration = random_configuration(random.Random(90132))
    whole = solve(configuration, "explicit")
    assert len(whole.shells) >= 3
    monkeypatch.setattr(explicit, "SWEPT", 0 if way is explicit.compiled_shells else 1 << 60)
    monkeypatch.setattr(explicit, "sys", type("none", (), {"modules": {}}))

    def watch(doing, done):
        if "rank 2:" in doing:
            raise LimitError("enough")

    with pytest.raises(LimitError) as stop:
        solve(configuration, "explicit", Budget(watch=watch))
    assert stop.value.known["shells"] == list(whole.shells[:2])


def test_clauses_with_many_atoms():
    """Should not run out of bits: more atoms than a machine word has, on every engine."""
    level = Variable("level", range(100))
    up = Action("up", (Rule(Compare("<", Read(level), Number(Fraction(99))), ((level, _plus(level)),)),))
    game = GameStructure((level,), (0,), Player.ADVERSARY,
                         {Player.DEFENDER: (Action("wait"),), Player.ADVERSARY: (up,)}, Number(Fraction(1)))  # fmt: skip
    configuration = configure(game, ["G (times(up) <= level + 1)"])
    one, other = solve(configuration, "explicit"), solve(configuration, "symbolic")
    assert one.shells == other.shells
    assert one.defensible == other.defensible


def _plus(variable):
    return Arithmetic("+", Read(variable), Number(Fraction(1)))


def test_large_numbers_stay_exact():
    """Should not wrap around: a product past a machine word, on every engine."""
    level = Variable("level", range(10))
    down = Action("down", (Rule(Compare(">", Read(level), Number(Fraction(0))), ((level, _minus(level)),)),))
    game = GameStructure((level,), (5,), Player.ADVERSARY,
                         {Player.DEFENDER: (Action("wait"),), Player.ADVERSARY: (down,)}, Number(Fraction(1)))  # fmt: skip
    plain = solve(configure(game, ["G (level > 0)"]), "explicit")
    for engine in ("explicit", "symbolic"):
        scaled = solve(configure(game, ["G (level * 4000000000000000000 > 0)"]), engine)
        assert scaled.shells == plain.shells


def _minus(variable):
    return Arithmetic("-", Read(variable), Number(Fraction(1)))


def test_running_out_of_nodes_once_does_not_shrink_the_reachable_set(monkeypatch):
    """Should find the same R when an operation has to be repeated after a collection."""
    rng = random.Random(77)
    while True:
        configuration = random_configuration(rng)
        reach = reachable(solve(configuration, "explicit"))
        if configuration.game.tables is None and reach is not None and reach.n_positions > 12:
            break
    honest = chaining.image
    for failing in range(6):
        calls = []

        def image(piece, start, failing=failing, calls=calls):
            calls.append(1)
            if len(calls) == failing + 1:
                raise OutOfNodes
            return honest(piece, start)

        monkeypatch.setattr(chaining, "image", image)
        assert reachable(solve(configuration, "symbolic")) == reach


def test_a_rule_without_guard_and_effect_matches(tmp_path):
    """Should let an empty effect win where it stands first."""
    text = """
holdfast: 1
game:
  variables: {level: 0..9}
  initial: {level: 7}
  defender: {wait: {}}
  adversary: {up: [{}, {when: level < 9, set: {level: level + 1}}]}
specs: {defender: [G (level < 8)]}
"""
    assert solve(configuration_of(scenario_from_text(text))).defensible


def test_orders_are_distinct():
    """Should never try the same order of the variables twice."""
    for seed in range(20):
        configuration = random_configuration(random.Random(seed))
        orders = list(variable_orders(configuration.game, configuration.defender))
        assert len({tuple(v.name for v in order) for order in orders}) == len(orders)


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
@pytest.mark.parametrize("low", [2**63 - 2, -(2**63) - 2, 10**24])
def test_numbers_past_a_machine_word(engine, low):
    """Should neither wrap nor overflow where a domain lies beyond 64 bits."""
    text = f"""
holdfast: 1
game:
  variables: {{x: {low}..{low + 3}, y: [a, b]}}
  initial: {{x: {low}, y: a}}
  defender: {{wait: {{}}}}
  adversary:
    up: [{{when: "x < {low + 3}", set: {{x: x + 1}}}}]
    flip: {{set: {{y: b}}}}
specs: {{defender: ["G (y = a | x <= {low + 1})"]}}
"""
    solution = solve(configuration_of(scenario_from_text(text)), engine)
    assert solution.regions.rank(solution.configuration.initial) == 5  # up, wait, up, wait, flip
    assert list(solution.shells) == list(Product(solution.configuration).shells())


def test_components_of_random_graphs():
    """Should be the classes of mutual reachability, none before one that leads to it."""
    rng = random.Random(7)
    for _ in range(300):
        n = rng.randint(1, 9)
        graph = {v: rng.sample(range(n), rng.randint(0, min(3, n))) for v in range(n)}
        reach = {v: {v} for v in graph}
        for _ in graph:
            reach = {v: own.union(*(reach[t] for u in own for t in graph[u])) for v, own in reach.items()}
        found = components(graph)
        assert sorted(v for part in found for v in part) == list(range(n))
        for i, part in enumerate(found):
            assert all(set(part) == {u for u in reach[v] if v in reach[u]} for v in part)
            assert not any(set(part) & reach[v] for later in found[i + 1 :] for v in later)
