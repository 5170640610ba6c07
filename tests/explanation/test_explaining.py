"""Explanations: each line is replayed, each named assumption and margin is solved again by the oracle."""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import holdfast.budget as budget_module
import holdfast.explanation.explaining as explanation
import reference
import strategies
from budgets import watched
from cases import TIMES
from commands import holdfast
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.design.assumption import assumptions, without
from holdfast.design.bound import bounds, missing_limits
from holdfast.design.margin import margins
from holdfast.design.repairs import smallest_repairs
from holdfast.design.trials import Trials
from holdfast.errors import LimitError
from holdfast.explanation import best_play
from holdfast.explanation.best_play import BestPlay
from holdfast.explanation.explaining import AWAITED, explain, explanation_object, iter_explanation
from holdfast.explanation.lines import forced_line
from holdfast.explanation.safe_play import diagram_safe_play, listed_safe_play
from holdfast.explanation.spots import closest_approach, tight_spots
from holdfast.game.clauses import Clause
from holdfast.game.configuration import Configuration, admissible_moves, configure, is_unsafe, move
from holdfast.game.protocol import Protocol
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.operation.dominance import exact_dominance
from holdfast.readings.vacuity import warnings
from holdfast.report.blocks import Table, Tree
from holdfast.report.documents.attack_tree import attack
from holdfast.report.documents.background import Background
from holdfast.report.documents.explanation import explanation_document
from holdfast.report.renderers.terminal import print_document, terminal
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import rank
from holdfast.solver.solved_game import SolvedGame
from paths import ROOT
from reference_chance import ChanceProduct

FLAT = ROOT / "scenarios" / "indefensible.yaml"
ASSETS = "G !(DB in {X, D, Z} & BK in {X, D, Z})"

LINKS = ("GW -> DB", "GW -> BK", "DB -> BK")

FLAT_TEXT = """
holdfast: 1
network: {{hosts: [GW, DB, BK], links: [{links}], entry: GW}}
specs:
  defender: [{defender}]
  adversary: [{adversary}]
"""


def explanation_text(explanation, source):
    """What explain prints."""
    return terminal(explanation_document(explanation, Background(source)))


def flat(links=LINKS, defender=(ASSETS, "G (active >= 2)"), destroys=1):
    """The flat segment written again, with other parts: an edit that shares no code with the package's."""
    quoted = ", ".join(f'"{clause}"' for clause in defender)
    adversary = "" if destroys is None else f"G (times(destroy) <= {destroys})"
    text = FLAT_TEXT.format(links=", ".join(links), defender=quoted, adversary=adversary)
    return configuration(scenario_from_text(text))


def oracle(changed: Configuration) -> bool:
    """The verdict of the literal oracle."""
    return reference.Product(changed).defensible


@cache
def oracle_flat(links=LINKS, defender=(ASSETS, "G (active >= 2)"), destroys=1) -> bool:
    """The oracle's verdict on the flat segment with other parts."""
    return oracle(flat(links, defender, destroys))


# -- the line -----------------------------------------------------------------------------------------


def replay(c, line, ranks):
    """Follow a line against every reply with ``product.move`` alone; returns the longest play.

    Checks that each move is admissible, that ``ranks`` decrease with every move, that every defender action
    stands in exactly one reply, and that each end violates exactly the clauses that are named.
    """
    steps = {step.number: step for step in line.steps}
    names = {player: [a.name for a in c.game.actions[player]] for player in Player}
    longest, seen, stack = 0, set(), []

    def violated(v):
        return tuple(a.source for a, q in zip(c.defender, v.q_defender) if not a.accepting[q])

    def reply(v, replies, depth):
        nonlocal longest
        available = [i for i in range(len(names["defender"])) if move(c, v, i) is not None]
        listed = [name for r in replies for name in r.actions]
        assert sorted(listed) == sorted(names["defender"][i] for i in available)
        for r in replies:
            for name in r.actions:
                after = move(c, v, names["defender"].index(name))
                assert ranks(after) < ranks(v)
                assert ranks(after) == r.rank
                assert r.violates == violated(after)
                assert (r.step is None) == bool(r.violates)
                assert not r.sooner or r.rank < max(other.rank for other in replies)
                longest = max(longest, depth + 1)
                if r.step is not None:
                    stack.append((after, r.step, depth + 1))

    if c.initial.turn is Player.DEFENDER:
        reply(c.initial, line.opening, 0)
    else:
        assert line.opening == ()
        stack.append((c.initial, 1, 0))
    while stack:
        v, number, depth = stack.pop()
        step = steps[number]
        assert v.turn is Player.ADVERSARY
        assert ranks(v) == step.rank
        after = admissible_moves(c, v)[names["adversary"].index(step.action)]
        assert ranks(after) == ranks(v) - 1
        assert step.violates == violated(after)
        longest = max(longest, depth + 1)
        if step.violates:
            assert is_unsafe(c, after)
            assert step.replies == ()
        elif (after, number) not in seen:
            seen.add((after, number))
            reply(after, step.replies, depth + 1)
    return longest


@pytest.mark.parametrize(
    ("design", "variant"), [(FLAT, None), (FLAT, "both-clean"), (ROOT / "scenarios/paper.yaml", "no-bypass")]
)
def test_what_people_need_first_is_told_first(design, variant):
    """Should grow part by part, in the order of the document, to what explain tells at once."""
    solution = solve(configuration(read_scenario(design), variant))
    parts = list(iter_explanation(solution))
    waiting = [part.awaited for part in parts]
    assert waiting == sorted(waiting, key=len, reverse=True)
    assert [*waiting[0]] == [part for part in AWAITED if part in waiting[0]]
    texts = [explanation_text(part, "x.yaml") for part in parts if part.awaited]
    texts = [text for text in texts if len(text.splitlines()) > 2]  # more than a title
    whole, at_once = (replace(one, seconds=1.0) for one in (parts[-1], explain(solution)))
    assert (whole, whole.awaited) == (at_once, ())
    texts.append(explanation_text(whole, "x.yaml"))
    assert all(more.startswith(text) for text, more in itertools.pairwise(texts))
    if not solution.defensible:
        first = next(part for part in parts if part.line is not None)
        assert first.repairs is None and "1. The attacker" in texts[0]
        assert next(part for part in parts if part.repairs is not None).repairs.sets[:1]
        assert "margins" in next(part for part in parts if part.repairs is not None).awaited


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
@pytest.mark.parametrize(("variant", "expected"), [(None, 3), ("both-clean", 1)])
def test_the_line_wins_against_every_reply_in_rank_moves(engine, variant, expected):
    """Should reach the violation in no more moves than the oracle's rank, and in no fewer at best play."""
    c = configuration(read_scenario(FLAT), variant)
    product = reference.Product(c)
    found = explain(solve(c, engine))
    assert found.rank == expected == product.rank[product.initial]
    assert replay(c, found.line, product.rank.__getitem__) == expected


def test_the_line_of_the_reference_segment_with_four_hosts_required():
    """Should be the five moves of the scenario's header, told in five steps."""
    c = configuration(read_scenario(FLAT), "four-of-five")
    other = solve(c, "explicit")
    found = explain(solve(c, "symbolic"))
    assert replay(c, found.line, lambda v: rank(other, v)) == found.rank == 5
    assert len(found.line.steps) == 5
    assert {move.actions for move in found.first_moves} == {("spread(Web)",), ("spread(WS)",)}
    assert found.n_first_moves == 15


def idles(c, v, ranks):
    """Within how many moves v is lost by the longest of the replies that change nothing; 0 without one."""
    after = [move(c, v, i) for i in range(len(c.game.actions[Player.DEFENDER]))]
    return max((ranks(w) for w in after if w is not None and w.state == v.state), default=0)


def shown(branches):
    """The lines that are seen without opening what is folded."""
    for branch in branches:
        yield "".join(span.text for span in branch.line)
        yield from () if branch.folded else shown(branch.branches)


def check_folded(c, line, ranks):
    """Replies that lose sooner than doing nothing, and no others, are folded; what is seen refers to what is seen.

    Says whether the first step has any.
    """
    (tree,) = (block for block in attack(line) if isinstance(block, Tree | Table))
    told = list(shown(tree.branches)) if isinstance(tree, Tree) else []
    steps = [int(text.split()[0]) for text in told if text[0].isdigit()]
    assert sorted(steps) == list(range(1, len(steps) + 1))
    assert {int(n) for text in told for n in re.findall(r"go to (\d+)", text)} <= {*steps}
    first = line.steps[0]
    if first.violates or c.initial.turn is Player.DEFENDER:
        return False
    names = [action.name for action in c.game.actions[Player.ADVERSARY]]
    idle = idles(c, admissible_moves(c, c.initial)[names.index(first.action)], ranks)
    assert all(reply.sooner == (reply.rank < idle) for reply in first.replies)
    return any(reply.sooner for reply in first.replies)


def test_lines_of_random_games():
    """Should hold for every lost random game: covered replies, falling ranks, violated ends."""
    n_lost = 0
    for seed in range(100):
        c = strategies.random_configuration(random.Random(seed), max_positions=400)
        product = reference.Product(c)
        if product.defensible:
            continue
        n_lost += 1
        solution = solve(c, "explicit" if c.game.tables is not None or seed % 2 else "symbolic")
        line, strategy = forced_line(SolvedGame(solution))
        assert line.complete, seed
        expected = product.rank[product.initial]
        if expected:
            assert replay(c, line, product.rank.__getitem__) == expected, seed
        else:
            assert line.steps == (), seed
        assert not strategy.cut
    assert n_lost > 25


def test_replies_that_hurt_the_defender_alone_are_folded():
    """Should fold them, on random segments with a host more required than can be held."""
    n_folded = 0
    for seed in range(30 * TIMES):
        rng = random.Random(seed)
        hosts = [f"h{i}" for i in range(rng.choice((4, 5)))]
        links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.5]
        last = " & ".join(f"{host} in {{X, D, Z}}" for host in hosts[-2:])
        clauses = [f"G !({last})", f"G (active >= {len(hosts) - 1})"]
        solution = solve(configure(network_game(hosts, links, "h0"), clauses))
        if not solution.defensible:
            line, _ = forced_line(SolvedGame(solution))
            n_folded += check_folded(solution.configuration, line, partial(rank, solution))
    assert n_folded > 5 * TIMES


def test_what_is_folded_tells_nothing_that_the_open_part_leaves_out():
    """Should tell, in the open, every step that the open part refers to."""
    c = configuration(read_scenario(Path("scenarios/office.yaml")), "slow-team")
    solution = solve(c)
    line, _ = forced_line(SolvedGame(solution))
    assert check_folded(c, line, partial(rank, solution))


def test_a_line_that_is_cut_says_so():
    """Should follow the longest resistance first and mark the replies that were left."""
    c = configuration(read_scenario(FLAT), "four-of-five")
    line, strategy = forced_line(SolvedGame(solve(c)), max_followed=6)
    assert not line.complete
    assert strategy.cut
    left = [r for step in line.steps for r in step.replies if r.step is None and not r.violates]
    assert left
    assert all(r.rank > 0 for r in left)
    assert line.steps[0].rank == 5


def test_first_moves_are_all_that_win():
    """Should list exactly the adversary's first moves into the oracle's attractor, with their ranks."""
    for seed in range(60):
        c = strategies.random_configuration(random.Random(seed), max_positions=400)
        product = reference.Product(c)
        if product.defensible or c.game.first is Player.DEFENDER or not product.rank[product.initial]:
            continue
        found = explain(solve(c, "explicit"))
        expected = {
            (c.game.actions[Player.ADVERSARY][a].name, 1 + product.rank[t])
            for a, t in product.admissible(product.initial).items()
            if t in product.rank
        }
        assert {(name, m.rank) for m in found.first_moves for name in m.actions} == expected
        assert found.n_first_moves == len(product.admissible(product.initial))


# -- what it depends on -------------------------------------------------------------------------------


def edited(piece, links, defender, destroys):
    """The parts of the flat segment without one piece."""
    links = tuple(link for link in links if not (piece.kind == "link" and link == piece.name))
    defender = tuple(c for c in defender if not (piece.kind == "clause" and c == piece.name))
    return links, defender, destroys - 1 if piece.kind == "budget" else destroys


def test_single_assumptions_by_the_oracle():
    """Should name exactly those whose absence makes the oracle call the segment defensible."""
    scenario = read_scenario(FLAT)
    c = configuration(scenario)
    found = explain(solve(c)).repairs
    candidates = assumptions(c, bounds(c)[0])
    whole = (LINKS, (ASSETS, "G (active >= 2)"), 1)
    assert {a.name for a in candidates} == {*whole[0], *whole[1], "times(destroy) <= 1"}
    assert not oracle_flat(*whole)
    alone = {piece.name for (piece,) in found.sets}
    for candidate in candidates:
        assert oracle_flat(*edited(candidate, *whole)) == (candidate.name in alone), candidate.name
    assert (found.size, found.complete) == (1, True)
    assert alone == {"GW -> DB", "times(destroy) <= 1", ASSETS, "G (active >= 2)"}


def test_pairs_by_the_oracle():
    """Should name exactly the pairs that work where no single assumption does."""
    scenario = read_scenario(FLAT)
    c = configuration(scenario, "both-clean")
    found = explain(solve(c)).repairs
    candidates = assumptions(c, bounds(c)[0])
    whole = (LINKS, ("G (DB in {C, I})", "G (BK in {C, I})"), None)
    named = {frozenset(piece.name for piece in chosen) for chosen in found.sets}
    for candidate in candidates:
        assert not oracle_flat(*edited(candidate, *whole))
    for one, other in itertools.combinations(candidates, 2):
        changed = edited(other, *edited(one, *whole))
        assert oracle_flat(*changed) == ({one.name, other.name} in named), (one.name, other.name)
    assert (found.size, found.complete, len(named)) == (2, True, 4)


def test_repairs_of_random_segments_are_those_of_brute_force():
    """Should agree, set for set, with solving every single assumption and, failing that, every pair."""
    sizes = []
    for seed in range(10):
        rng = random.Random(seed)
        n = rng.choice((3, 3, 3, 4))
        hosts = [f"h{i}" for i in range(n)]
        links = [f"{a} -> {b}" for a in hosts for b in hosts if a != b and rng.random() < 0.6]
        pool = [f"G ({h} in {{C, I}})" for h in hosts[1:]] + [f"G ({h} != Z)" for h in hosts[1:]]
        pool += [
            f"G !({a} in {{X, D, Z}} & {b} in {{X, D, Z}})" for a, b in itertools.combinations(hosts[1:], 2)
        ]
        clauses = [*rng.sample(pool, rng.choice((1, 2))), f"G (active >= {n - 1})"]
        budgets = rng.choice(
            ([], ["G (times(destroy) <= 1)"], ["G (times(destroy) <= 2)", "G (times(spread) <= 1)"])
        )
        text = json.dumps(
            {
                "holdfast": 1,
                "network": {"hosts": hosts, "links": links, "entry": "h0"},
                "specs": {"defender": clauses, "adversary": budgets},
            }
        )
        scenario = scenario_from_text(text)
        c = configuration(scenario)
        solution = solve(c)
        if solution.defensible:
            continue
        candidates = assumptions(c, bounds(c)[0])
        board = SolvedGame(solution)
        *_, found = smallest_repairs(board, forced_line(board)[1], candidates, Trials())
        named = {frozenset(piece.name for piece in chosen) for chosen in found.sets}
        for size in (1, 2):
            brute = {
                frozenset(a.name for a in chosen)
                for chosen in itertools.combinations(candidates, size)
                if solve(without(c, chosen), "explicit").defensible
            }
            if brute:
                break
        assert found.complete
        if brute:
            assert (found.size, named) == (size, brute), seed
        else:
            assert found.size > 2, seed
        sizes.append(found.size)
    assert len(sizes) > 5
    assert {1, 2} <= set(sizes)


def test_an_adversary_action_stands_in_for_links():
    """Should take single actions away in a game without links, as the scenario's header says."""
    scenario = read_scenario(ROOT / "scenarios" / "patrol-robot.yaml")
    found = explain(solve(configuration(scenario)))
    assert {(p.kind, p.name) for (p,) in found.repairs.sets} >= {("action", "hold"), ("clause", "G !crushed")}
    assert oracle(configuration(scenario, "no-hold"))
    tank = read_scenario(ROOT / "scenarios" / "water-tank.yaml")
    found = explain(solve(configuration(tank, "no-drain")))
    assert [p.name for (p,) in found.repairs.sets] == ["fill", "G (level in {1, 2, 3})"]


# -- margins ------------------------------------------------------------------------------------------


def margin(found, bound):
    return next(m for m in found.margins if m.bound == bound)


def test_margins_by_the_oracle_on_both_sides():
    """Should be defensible at the number it names and not at the next one."""
    scenario = read_scenario(FLAT)
    safe = explain(solve(configuration(scenario, "no-destroy")))
    active, destroys = margin(safe, "active >= 2"), margin(safe, "times(destroy) <= 0")
    assert (active.holds, active.fails) == ("active >= 2", "active >= 3")
    assert oracle_flat(destroys=0)
    assert not oracle_flat(defender=(ASSETS, "G (active >= 3)"), destroys=0)
    assert (destroys.holds, destroys.fails, destroys.fails_within) == (
        "times(destroy) <= 0", "times(destroy) <= 1", 3,
    )  # fmt: skip
    assert not oracle_flat(destroys=1)
    lost = explain(solve(configuration(scenario)))
    active, destroys = margin(lost, "active >= 2"), margin(lost, "times(destroy) <= 1")
    assert (active.holds, active.fails) == ("active >= 1", "active >= 2")
    assert oracle_flat(defender=(ASSETS, "G (active >= 1)"))
    assert (destroys.holds, destroys.fails) == ("times(destroy) <= 0", "times(destroy) <= 1")
    spreads = margin(lost, "times(spread) <= k")
    assert (spreads.value, spreads.holds, spreads.fails) == (None, "times(spread) <= 1", "times(spread) <= 2")


@pytest.mark.parametrize(
    "variant", [None, "fully-connected", "unlimited-destroys", "two-active", "no-bypass"]
)
def test_margins_of_the_papers_automata_are_those_of_its_formulas(variant):
    """Should find the counter and the threshold inside the automata of the paper's own file."""
    found = {}
    for name in ("paper", "paper-formulas"):
        scenario = read_scenario(ROOT / "scenarios" / f"{name}.yaml")
        c = configuration(scenario, variant)
        numbers, fixed = bounds(c)
        found[name] = [
            (m.bound, m.holds, m.fails, m.fails_within, m.always, m.note)
            for m in margins(solve(c), numbers, Trials())
        ]
        free = variant == "unlimited-destroys"
        assert [b.text() for b in numbers][1:] == ([] if free else ["times(destroy) <= 2"])
        assert len(fixed) == 1 + free
    assert found["paper"] == found["paper-formulas"]
    bound, holds, fails, *_ = found["paper"][0]
    assert bound == ("active >= 2" if variant == "two-active" else "active >= 3")
    assert (holds, fails) == ("active >= 3", "active >= 4")


def test_the_papers_margins_on_both_sides():
    """Should hold without any destroy budget and at three active hosts, and fail at four."""
    text = (ROOT / "scenarios" / "paper-formulas.yaml").read_text()
    for change, expected in (("active >= 3", True), ("active >= 4", False)):
        c = configuration(scenario_from_text(text.replace("active >= 3", change)))
        assert solve(c, "explicit").defensible is expected
    assert solve(configuration(scenario_from_text(text), "no-boundary"), "explicit").defensible
    scenario = read_scenario(ROOT / "scenarios" / "paper.yaml")
    found = explain(solve(configuration(scenario)))
    assert margin(found, "times(destroy) <= 2").always
    assert found.unmoved[0].clause == "DB and BK are never bad together"


CLAUSES = [
    ("defender", "G (active >= 2)", [("active >= 2", 1)]),
    ("defender", "G (2 <= active)", [("active >= 2", 1)]),
    ("defender", "G !(active < 2)", [("active < 2", 1)]),
    ("defender", "G (count(DB, BK in {X, D, Z}) <= 1)", [("count(DB, BK in {X, D, Z}) <= 1", -1)]),
    ("defender", "G (clean >= 1 -> active >= 2)", [("clean >= 1", -1), ("active >= 2", 1)]),
    ("defender", "G F[<=3] (DB = C)", [("F[<=3] (DB = C)", -1)]),
    ("defender", "G (times(spread) <= 3)", [("times(spread) <= 3", -1)]),
    ("defender", "G (active = 3)", []),
    ("defender", "G (clean / 3 >= 0)", []),
    ("adversary", "G (times(destroy) <= 1)", [("times(destroy) <= 1", 1)]),
    ("adversary", "G !destroy", [("times(destroy) <= 0", 1)]),
    ("adversary", "G (destroy -> active >= 1)", [("active >= 1", -1)]),
    ("adversary", "G (destroy -> times(spread) >= 2)", [("times(spread) >= 2", -1)]),
]


@pytest.mark.parametrize(("side", "clause", "expected"), CLAUSES)
def test_numbers_and_which_way_they_are_harder(side, clause, expected):
    """Should find the numbers of a clause and tell by language which way presses the defender."""
    specs = {"defender": [ASSETS], "adversary": []} | {side: [clause]}
    network = {"hosts": ["GW", "DB", "BK"], "links": ["GW -> DB"], "entry": "GW"}
    scenario = scenario_from_text(json.dumps({"holdfast": 1, "network": network, "specs": specs}))
    c = configuration(scenario)
    found, fixed = bounds(c)
    assert [(b.text(), b.harder) for b in found if b.side == side] == expected
    assert bounds(c)[0] == found, "the text of a formula is enough"
    assert any(f.clause == clause for f in fixed) == (not expected)
    for bound in found:
        at = [solve(_with(c, bound, k), "explicit").defensible for k in range(bound.low, bound.low + 5)]
        assert at == sorted(at, reverse=bound.harder > 0), "the verdict changes at most once"
        here = _with(c, bound, bound.value)
        assert solve(here).shells == solve(c).shells


def _with(c, bound, k):
    side = "requirement" if bound.side is Player.DEFENDER else "boundary"
    clauses = list(getattr(c, side))
    clauses[bound.clause] = Clause(bound.automaton(k), clauses[bound.clause].label)
    return replace(c, **{side: tuple(clauses)})


def test_a_limit_that_is_not_there():
    """Should offer a budget for every kind of adversary action that none counts."""
    scenario = read_scenario(FLAT)
    c = configuration(scenario)
    assert [b.text(2) for b in missing_limits(c, bounds(c)[0])] == [
        "times(noop) <= 2", "times(spread) <= 2",
    ]  # fmt: skip


# -- safe play ----------------------------------------------------------------------------------------


NEVER = 2**31 - 1


def literal_costs(product, v):
    """|Safe(v)|, the least rank of 1 or more of a forbidden successor, and that of doing nothing."""
    moves = product.admissible(v)
    ranks = [product.rank[t] for t in moves.values() if product.rank.get(t)]
    idle = [product.rank.get(t) for t in moves.values() if t[0] == v[0]]
    waiting = [r for r in idle if r]
    return (
        len(product.safe(v)),
        min(ranks, default=NEVER),
        min(waiting, default=NEVER) if None not in idle else NEVER,
    )


def plain_moves(play):
    return [(move.mover, move.action) for move in play]


def walk(c, play):
    """The position after a play given by names."""
    v = c.initial
    for mover, action in plain_moves(play):
        assert v.turn == mover
        v = move(c, v, [a.name for a in c.game.actions[v.turn]].index(action))
    return v


def test_safe_play_of_random_games():
    """Should list R ∩ V_D of the oracle with its menus and what wrong moves concede, and replayable plays."""
    n_safe = 0
    for seed in range(60):
        c = strategies.random_configuration(random.Random(seed), max_positions=300)
        product = reference.Product(c)
        if not product.defensible:
            continue
        n_safe += 1
        solution = solve(c, "explicit" if c.game.tables is not None or seed % 2 else "symbolic")
        mine = {v for v in product.reachable() if v[1] is Player.DEFENDER}
        costs = {v: literal_costs(product, v) for v in mine}
        factored = c.game.tables is None
        for safe in (listed_safe_play, diagram_safe_play) if factored else (listed_safe_play,):
            found = safe(solution)
            assert found.n == len(mine), seed
            assert sorted(_costs(found)) == sorted(costs.values()), seed
            if found.n:
                _check_spots(solution, found, costs)
        found = listed_safe_play(solution)
        plays = found.plays(found.mine, found.n)
        ends = [walk(c, play) for _, play in plays]
        assert ends == [position for position, _ in plays]
        assert {(v.state, v.turn, v.q_defender) for v in ends} == {v[:3] for v in mine}
        depth = _distances(product)
        assert all(len(play) in depth[v.state, v.turn, v.q_defender] for v, play in plays)
        n_states = len({v.state for v in ends})
        lengths = [len(play) for _, play in plays]
        assert lengths[:n_states] == sorted(lengths[:n_states])
    assert n_safe > 20


def _distances(product):
    """How many safe moves away from v₀ positions are at least, by state, turn and memory of φ_D."""
    depth, level, frontier = {}, 0, {product.initial}
    while frontier:
        depth |= dict.fromkeys(frontier, level)
        level += 1
        moves = ((product.admissible(v), product.safe(v)) for v in frontier)
        frontier = {targets[a] for targets, safe in moves for a in safe} - depth.keys()
    distances = {}
    for v, n in depth.items():
        distances.setdefault(v[:3], set()).add(n)
    return distances


def _costs(found):
    """What :func:`literal_costs` says of each defender position, read off sets, one set after the other."""
    regions, winning, left = found.regions, found.regions.winning(), found.mine
    must_act = found.mine - winning.pre(found.mine, by=regions.waiting)
    permitted = {}
    while left:
        n, where = winning.narrowest(left)
        assert n not in permitted
        permitted[n], left = where, left - where
    ways = {"any": (None, found.mine), "waiting": (regions.waiting, must_act)}
    for n, where in permitted.items():
        parts = [(where, ())]
        for by, among in ways.values():
            split = []
            for part, known in parts:
                rest = part
                for k in range(1, len(found.solution.shells) + 1):
                    here = regions.lost(k).pre(rest & among, by=by)
                    split, rest = [*split, (here, (*known, k))], rest - here
                split.append((rest, (*known, NEVER)))
            parts = split
        for part, known in parts:
            yield from [(n, *known)] * found.count(part)


def _check_spots(solution, found, costs):
    tight, near = tight_spots(found), closest_approach(found)
    least = min(cost[0] for cost in costs.values())
    assert tight.n_permitted == least
    assert tight.n_positions == sum(cost[0] == least for cost in costs.values())
    for spot in tight.examples:
        assert len(spot.permitted) == least
        n_forbidden = sum(len(f.actions) for f in spot.forbidden)
        here = walk(solution.configuration, spot.play)
        assert n_forbidden + least == len(admissible_moves(solution.configuration, here))
    waiting = [cost[2] for cost in costs.values() if cost[2] < NEVER]
    others = [cost[1] for cost in costs.values() if cost[1] < NEVER]
    assert near.moves == min(waiting or others, default=None)
    assert near.n_waiting_loses == len(waiting)


def random_segments(n):
    """Small segments with clauses of every kind: on states, on moves of either side, with memory."""
    for seed in range(n):
        rng = random.Random(seed)
        hosts = ["h0", "h1", "h2", "h3"][: rng.choice((3, 3, 3, 4))]
        links = [f"{a} -> {b}" for a in hosts for b in hosts if a != b and rng.random() < 0.4]
        pool = ["G (h1 in {C, I})", "G (h2 != Z)", "G (count(h1, h2 in {X, D, Z}) < 2)"]
        pool += ["G (isolate(h1) -> h2 in {C, D})", "G (defender.noop -> h1 != X)", "G (times(isolate) <= 2)"]
        pool += ["G (h1 = X -> F[<=2] h1 != X)", "G (h1 = D -> O h1 = X)", "G (spread(h2) -> h1 = X)"]
        clauses = [*rng.sample(pool, rng.choice((1, 2))), f"G (active >= {rng.choice((0, 1, 1, 2))})"]
        budgets = rng.choice(([], ["G (times(destroy) <= 1)"], ["G (times(spread) <= 2)", "G !destroy"]))
        yield (
            seed,
            configuration(
                scenario_from_text(
                    json.dumps(
                        {
                            "holdfast": 1,
                            "network": {"hosts": hosts, "links": links, "entry": "h0"},
                            "specs": {"defender": clauses, "adversary": budgets},
                        }
                    )
                )
            ),
        )


def random_games(n):
    for seed in range(n):
        c = strategies.random_configuration(random.Random(seed), max_positions=2000)
        if c.game.tables is None:
            yield seed, c


def agreement(c, seed):
    """Compare the answers of diagrams with those of the list; returns the latter."""
    solution = solve(c, "symbolic")
    if not solution.defensible:
        return None
    found, whole = listed_safe_play(solution), diagram_safe_play(solution)
    numbers = [b for b in bounds(c)[0] if b.side is Player.DEFENDER]
    tight, exact = tight_spots(found), tight_spots(whole)
    near, exactly = closest_approach(found, numbers), closest_approach(whole, numbers)
    assert (tight is None) == (exact is None), seed
    if tight is not None:
        assert replace(exact, examples=()) == replace(tight, examples=()), seed
        assert len(exact.examples[0].play) == len(tight.examples[0].play), seed
        for spot in exact.examples:
            assert len(measured_safe(solution, spot.play)) == exact.n_permitted == len(spot.permitted)
    assert replace(exactly, example=None) == replace(near, example=None), seed
    if near.example is not None:
        assert len(exactly.example.play) == len(near.example.play), seed
    return near


def test_the_closest_approach_counts_on_no_outcome():
    """Should be what the worst outcome of a wrong choice comes to, on lists and on diagrams."""
    seen = Counter()
    for seed in range(120 * TIMES):
        rng = random.Random(seed)
        c = drawn_game(rng) if seed % 8 == 0 else (strategies.random_gambles, drawn_chase)[seed % 2](rng)
        if c.game.tables is not None or not has_chance(c.game, Player.DEFENDER):
            continue
        near, oracle = agreement(c, seed), ChanceProduct(c)
        if near is None:
            continue
        mine = [v for v in oracle.reachable() if v[1] is Player.DEFENDER]
        sure = {v: [own[0][1] for own in oracle.groups(v) if len(own) == 1] for v in mine}
        still = {v: [t for t in own if t[0] == v[0]] for v, own in sure.items()}
        idle = [v for v in mine if not any(t in oracle.winning for t in still[v])]
        losing = [v for v in idle if any(t in oracle.rank for t in still[v])]
        assert near.n_waiting_loses == len(losing), seed
        targets = {v: still[v] for v in losing}
        if not losing:
            targets = {v: [t for own in oracle.groups(v) for _, t, _ in own] for v in mine}
        ranks = {v: [oracle.rank[t] for t in own if oracle.rank.get(t)] for v, own in targets.items()}
        least = min((k for own in ranks.values() for k in own), default=None)
        assert near.moves == least, seed
        assert near.n_positions == sum(least in own for own in ranks.values()), seed
        seen[near.by_waiting, near.moves is None] += 1
    assert len(seen) > 2, seen


def drawn_chase(rng):
    """A walk on numbers most of whose steps are drawn, on which the defender may stay."""
    return configuration(scenario_from_text(strategies.random_chase(rng)))


def drawn_game(rng):
    """A random game in which the defender may idle, and outcomes are drawn."""
    change = lambda rng, game: strategies.with_chance(rng, strategies.with_idle_action(rng, game))  # noqa: E731
    return strategies.random_configuration(rng, 400, change)


def test_diagrams_answer_as_the_list_does_on_random_games():
    """Should count the same spots and extents, and find plays as short, as listing all of R does."""
    found = [near for seed, c in random_games(70) if (near := agreement(c, seed)) is not None]
    assert len(found) > 25


def test_diagrams_answer_as_the_list_does_on_random_segments():
    """Should also agree on what waiting and any wrong move concede, and on the clauses that are threatened."""
    found = [near for seed, c in random_segments(36) if (near := agreement(c, seed)) is not None]
    assert sum(near.by_waiting for near in found) > 5
    assert sum(near.moves is not None and not near.by_waiting for near in found) > 5
    assert any(len(near.threats) > 1 for near in found)


GATE = """
holdfast: 1
game:
  variables: {{x: 0..3, gate: [open, shut], beat: 0..1}}
  initial: {{x: 0, gate: open, beat: 0}}
  first: defender
  defender:
    shut: [{{when: x = 0, set: {{gate: shut{beat}}}}}, {{set: {{x: x{beat}}}}}]
    wait: {{set: {{x: x{beat}}}}}
  adversary: {{push: [{{when: gate = open & x < 3, set: {{x: x + 1}}}}]}}
specs: {{defender: [G (x < 3)]}}
"""


@pytest.mark.parametrize(("beat", "by_waiting"), [("", True), (", beat: 1 - beat", False)])
def test_a_wrong_move_that_loses_later(beat, by_waiting):
    """Should find how late, where assigning what is there already is waiting, and where nothing is."""
    near = agreement(configuration(scenario_from_text(GATE.format(beat=beat))), beat)
    assert (near.moves, near.by_waiting, near.n_positions, near.threats) == (5, by_waiting, 1, ())


def measured_safe(solution, play):
    return safe_actions(solution, walk(solution.configuration, play))


@pytest.mark.parametrize("name", ["paper", "water-tank"])
def test_diagrams_answer_as_the_list_does_on_shipped_scenarios(name):
    """Should agree on the paper's segment, automata and all, and on a game with resets."""
    scenario = read_scenario(ROOT / "scenarios" / f"{name}.yaml")
    for variant in (None, *scenario.variants):
        agreement(configuration(scenario, variant), variant)


CAMPUS = """
holdfast: 1
network:
  hosts: [FW, {{ws: {{count: {n}}}}}, {{srv: {{count: 3}}}}, AD, DB, BK]
  links: [FW -> ws, ws -> srv, srv -> AD, AD -> DB, DB -> BK]
  entry: FW
specs:
  defender: ["G (count(DB, BK in {{X, D, Z}}) < 2)", "G (count(srv in {{C, X, D}}) >= 1)", "G (active >= {k})"]
  adversary: [G (times(destroy) <= 3)]
"""


def random_safe_positions(solution, n, seed):
    """Defender positions met by random safe plays in which both mostly do something."""
    rng, c, found = random.Random(seed), solution.configuration, set()
    board = SolvedGame(solution)
    while len(found) < n:
        v = c.initial
        for _ in range(60):
            targets = [t for t in board.moves(v) if board.rank(t) is None]
            if v.turn is Player.DEFENDER:
                found.add(v)
            v = rng.choice([t for t in targets if t.state != v.state] or targets)
    return found


def test_no_random_play_is_tighter_than_what_is_told():
    """Should tell of spots as tight, and extents as wide, as 400 random safe positions show."""
    scenario = scenario_from_text(CAMPUS.format(n=8, k=10))
    solution = solve(configuration(scenario), "symbolic")
    positions = random_safe_positions(solution, 400, seed=3)
    least = min(len(safe_actions(solution, v)) for v in positions)
    n_active = [sum(code in (0, 1, 2) for code in v.state) for v in positions]
    found = explain(solution)
    assert (found.tight.n_permitted, found.partial) == (2, ())
    assert found.tight.n_permitted <= least
    extents = {e.bound: (e.least, e.greatest) for e in found.approach.extents}
    assert extents == {
        "count(DB, BK in {X, D, Z}) < 2": (0, 1),
        "count(srv in {C, X, D}) >= 1": (1, 3),
        "active >= 10": (10, 15),
    }
    assert min(n_active) >= 10
    for spot in found.tight.examples:
        assert len(measured_safe(solution, spot.play)) == found.tight.n_permitted


def test_one_state_is_told_in_one_way():
    """Should call the start at its head what the attack calls it at its first step."""
    game = network_game(["GW", "A", "B", "DB"], [("GW", "A"), ("A", "DB"), ("GW", "DB")], "GW")
    found = explain(solve(configure(game, ["G (DB = C)"])))
    assert (
        found.start
        == f"{found.line.steps[0].state}; adversary moves first"
        == ("GW = X; all others = C; adversary moves first")
    )


def test_safe_play_that_is_out_of_reach_is_left_out():
    """Should name safe play as missing where neither a list nor diagrams have the time, and tell the rest."""
    scenario = scenario_from_text(CAMPUS.format(n=5, k=8))
    solution = solve(configuration(scenario), "symbolic")

    def progress(doing):
        if doing.startswith("safe play"):
            raise LimitError("no time for diagrams")

    found = explain(solution, budget=watched(progress))
    assert found.tight is None and found.approach is None
    assert found.partial == ("safe play: no time for diagrams",)
    assert found.margins[0].holds
    text = " ".join(explanation_text(found, "x.yaml").split())
    assert "safe play: no time for diagrams" in text
    assert "of safe play only" not in text


def test_a_play_that_is_not_found_in_time():
    """Should keep the exact figures, show some position that has them, and name what is missing."""
    solution = solve(configuration(scenario_from_text(CAMPUS.format(n=5, k=8))), "symbolic")
    whole = diagram_safe_play(solution)
    tight, near = tight_spots(whole), closest_approach(whole)

    def rest(n):
        calls = itertools.count()

        def progress(doing):
            if next(calls) >= n:
                raise LimitError("no time for plays")

        return replace(whole, budget=watched(progress))

    needed = next(n for n in itertools.count(0, 20) if _survives(tight_spots, rest(n)))
    cut = tight_spots(rest(needed))
    assert replace(cut, examples=()) == replace(tight, examples=())
    (spot,) = cut.examples
    assert spot.play is None
    assert len(spot.permitted) == tight.n_permitted
    needed = next(n for n in itertools.count(0, 20) if _survives(closest_approach, rest(n)))
    cut = closest_approach(rest(needed))
    assert cut.example.play is None
    assert replace(cut, example=None) == replace(near, example=None)


def _survives(ask, charted):
    try:
        ask(charted)
    except LimitError:
        return False
    return True


def test_time_is_shared(monkeypatch):
    """Should leave time for every part: what uses up its own share is named, the rest is told."""
    scenario = scenario_from_text(CAMPUS.format(n=8, k=10))
    solution = solve(configuration(scenario), "symbolic")
    clock = [0.0]
    monkeypatch.setattr(budget_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def watch(doing, done):
        """A clock that runs while diagrams of safe play are asked for the tightest spots, and then stands."""
        clock[0] += 0.02 if doing == "safe play as decision diagrams" and clock[0] < 0.8 else 0.0

    found = explain(solution, budget=Budget(deadline=2.0, watch=watch))
    assert found.partial == ("the tightest spots: its 0.8 s ran out",)
    assert found.tight is None
    assert found.margins[0].holds
    assert found.approach.n_searched > 0


def test_the_reference_segment_is_explained():
    """Should count the tightest spots and the nearest approach of case 1, and read active off safe play."""
    scenario = read_scenario(ROOT / "scenarios" / "paper.yaml")
    solution = solve(configuration(scenario))
    found = explain(solution)
    assert (found.tight.n_permitted, found.tight.n_actions, found.tight.n_searched) == (1, 25, 1065)
    assert solution.regions.reach().n_defender == 1065
    assert (found.approach.moves, found.approach.by_waiting) == (1, True)
    assert [(e.bound, e.least, e.greatest) for e in found.approach.extents] == [("active >= 3", 3, 5)]
    assert sum(t.n_positions for t in found.approach.threats) >= found.approach.n_positions


def test_the_board_is_the_product_game():
    """Should give Λ(v) of the definition at random positions, compiled moves and letters or not."""
    for seed in range(60):
        rng = random.Random(seed)
        c = strategies.random_configuration(rng, max_positions=2000)
        board = SolvedGame(solve(c, "explicit"))
        v = c.initial
        for _ in range(12):
            moves = admissible_moves(c, v)
            flat_moves = {a: t for t, actions in board.moves(v).items() for a in actions}
            assert flat_moves == moves, seed
            if not moves:
                break
            v = moves[rng.choice(sorted(moves))]


# -- limits, JSON and the command ---------------------------------------------------------------------


def test_no_time_leaves_the_verdict():
    """Should keep the verdict and the first moves, and name what was not tried."""
    scenario = read_scenario(FLAT)
    found = explain(solve(configuration(scenario)), budget=Budget.lasting(-1.0))
    assert found.rank == 3
    assert found.first_moves
    assert not found.line.complete
    assert not found.repairs.complete
    assert found.repairs.sets == ()
    assert len(found.partial) == 3
    assert "stopped" in explanation_text(found, "x.yaml")


def test_no_time_to_try_changes_leaves_the_line():
    """Should tell what was followed of the attack where only trying changes is refused."""

    def progress(doing):
        if doing.startswith("what if"):
            raise LimitError("no time for changes")

    scenario = read_scenario(FLAT)
    found = explain(solve(configuration(scenario)), budget=watched(progress))
    assert found.line.complete
    assert found.repairs.sets == ()
    assert len(found.partial) == 2


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_an_attack_that_is_cut_tells_moves_with_their_replies(patience):
    """Should keep what was followed when time ends, and leave no move without its replies."""
    scenario = read_scenario(FLAT)
    calls = itertools.count()

    def progress(doing):
        if doing.startswith("following") and next(calls) >= patience:
            raise LimitError("out of patience")

    found = explain(solve(configuration(scenario, "four-of-five")), budget=watched(progress))
    assert not found.line.complete
    assert found.line.steps
    assert all(step.violates or step.replies for step in found.line.steps)
    assert any("out of patience" in part for part in found.partial)
    assert found.margins and found.repairs.sets


def test_a_limit_met_anywhere_is_named():
    """Should survive a progress callback that gives up at any moment, and say what is missing."""
    scenario = read_scenario(FLAT)
    for variant in (None, "no-destroy"):
        solution = solve(configuration(scenario, variant))
        for patience in (0, 1, 5, 20):
            calls = itertools.count()

            def progress(doing, calls=calls, patience=patience):
                if next(calls) >= patience:
                    raise LimitError("out of patience")

            found = explain(solution, budget=watched(progress))
            assert found.defensible is solution.defensible
            assert any("out of patience" in part for part in found.partial)
            assert explanation_text(found, "x.yaml")


def test_the_text_has_no_markup_or_control_from_the_file():
    """Should print names as they are: brackets of a formula are no markup, control characters are shown."""
    scenario = scenario_from_text(json.dumps({
        "holdfast": 1,
        "name": "a\u202ename [bold]",
        "game": {
            "variables": {"x": "0..1"},
            "initial": {"x": 0},
            "defender": {"wait": {}},
            "adversary": {"go": {"set": {"x": "1"}}},
        },
        "specs": {"defender": [{"name": "[red]never\u0085 one", "formula": "G (x = 0)"}]},
    }))  # fmt: skip
    text = explanation_text(explain(solve(configuration(scenario))), "file\x1b[31m.yaml")
    assert "[bold]" in text and "[red]never" in text
    assert not {"\x1b", "\u202e", "\u0085"} & set(text)


def test_a_start_that_violates_already():
    """Should say which clause, and name it as what it depends on."""
    scenario = scenario_from_text(FLAT_TEXT.format(links="", defender='"G (GW = C)"', adversary=""))
    found = explain(solve(configuration(scenario)))
    assert (found.rank, found.violated, found.line.steps) == (0, ("G (GW = C)",), ())
    assert [[p.name for p in chosen] for chosen in found.repairs.sets] == [["G (GW = C)"]]
    assert "violated at the start" in explanation_text(found, "x.yaml")


def network_scenario(defender, adversary=(), hosts=("h0", "h1", "h2")):
    links = [f"{a} -> {b}" for a, b in itertools.pairwise(hosts)]
    network = {"hosts": list(hosts), "links": links, "entry": hosts[0]}
    specs = {"defender": list(defender), "adversary": list(adversary)}
    return scenario_from_text(json.dumps({"holdfast": 1, "network": network, "specs": specs}))


def test_a_number_that_is_out_of_reach_is_moved_all_the_same():
    """Should say at which number a requirement would hold that no state satisfies."""
    scenario = network_scenario(["G (active >= 99)"])
    found = explain(solve(configuration(scenario)))
    told = margin(found, "active >= 99")
    assert (told.holds, told.fails) == ("active >= 2", "active >= 3")
    assert oracle(configuration(network_scenario(["G (active >= 2)"])))
    assert not oracle(configuration(network_scenario(["G (active >= 3)"])))
    assert "active >= 99 would hold at active >= 2" in " ".join(explanation_text(found, "x.yaml").split())


def test_a_requirement_that_cannot_be_stricter():
    """Should not call a number that nothing satisfies a margin, and tell a start that violates from a loss."""
    for clause, holds in (
        ("G (count(h1, h2 in {Z}) < 2)", "count(h1, h2 in {Z}) < 1"),
        ("G !(count(h1, h2 in {Z}) >= 2)", "count(h1, h2 in {Z}) >= 1"),
    ):
        scenario = network_scenario([clause], ["G !destroy"])
        found = explain(solve(configuration(scenario)))
        told = found.margins[0]
        assert (told.holds, told.fails, told.fails_within, told.strictest) == (holds, None, None, True)
        text = " ".join(explanation_text(found, "x.yaml").split())
        assert f"holds up to {holds}, as strict as it can be" in text
        assert "0 moves" not in text
    scenario = network_scenario(["G (clean <= 2)"], ["G !spread", "G !destroy"])
    text = " ".join(explanation_text(explain(solve(configuration(scenario))), "x.yaml").split())
    assert "holds up to clean <= 2; not at clean <= 1: the start violates it already" in text


@pytest.mark.parametrize(
    ("defender", "adversary", "words"),
    [
        ([], [], "nothing is required"),
        (["G (DB = C)"], ["G false"], "the limits on the adversary forbid every first move"),
        (["DB = C"], [], "constrains only the first moment"),
    ],
)
def test_warnings_of_check_are_given(defender, adversary, words):
    """Should warn, in text and data, of a question that is emptier than it looks."""
    scenario = network_scenario(defender, adversary, hosts=("GW", "DB"))
    c = configuration(scenario)
    found = explain(solve(c))
    assert list(found.warnings) == warnings(c)
    assert explanation_object(found)["warnings"] == found.warnings
    assert any(words in warning for warning in found.warnings)
    head, _, _ = explanation_text(found, "x.yaml").partition("must always hold")
    assert words in " ".join(head.split())


def test_shipped_scenarios_are_explained(capsys):
    """Should print every variant on a narrow screen, and leave nothing out but a margin without end."""
    for path in (
        ROOT / "scenarios" / name for name in ("indefensible.yaml", "patrol-robot.yaml", "water-tank.yaml")
    ):
        scenario = read_scenario(path)
        for variant in (None, *scenario.variants):
            found = explain(solve(configuration(scenario, variant)))
            assert not [part for part in found.partial if "margin" not in part]
            console = Console(width=60, file=sys.stdout, highlight=False)
            print_document(console, explanation_document(found, Background(path.name)))
    assert "DEFENSIBLE" in capsys.readouterr().out


def test_the_command():
    """Should exit with the verdict, print one JSON object, and refuse what is no scenario."""
    done = holdfast("explain", "scenarios/indefensible.yaml")
    assert done.returncode == 1
    assert done.stderr == ""
    for words in (
        "NOT DEFENSIBLE",
        "spread(DB)",
        "violates “G (active >= 2)”",
        "link GW -> DB",
        "any one of these",
    ):
        assert words in done.stdout
    done = holdfast(
        "explain", "scenarios/indefensible.yaml", "-v", "no-destroy", "--json", "--engine", "explicit"
    )
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["defensible"] is True
    assert found["tight"]["n_permitted"] == 2
    assert found["margins"][1]["fails"] == "times(destroy) <= 1"
    done = holdfast("explain", "scenarios/paper.yaml", "--timeout", "0")
    assert done.returncode == 3
    assert "--timeout" in done.stderr


def test_a_long_attack_is_told_by_its_longest_resistance():
    """Should print one reply a step where the tree would be too large, and nest no deeper than fits."""
    deep = """
holdfast: 1
game:
  variables: {{level: 0..{top}, brake: 0..{brakes}, mood: [calm, cross]}}
  initial: {{level: 0, brake: {brakes}, mood: calm}}
  defender:
    hold: [{{when: brake > 0 & level > 0, set: {{brake: brake - 1, level: level - 1}}}}]
    shout: {{set: {{mood: cross}}}}
    wait: {{}}
  adversary: {{push: [{{when: level < {top}, set: {{level: level + 1}}}}]}}
specs: {{defender: [G (level < {top})]}}
"""
    for top, brakes, words in (
        (9, 0, "any reply 3 replies go to 6"),
        (9, 4, "This is the longest resistance"),
    ):
        scenario = scenario_from_text(deep.format(top=top, brakes=brakes))
        c = configuration(scenario)
        product = reference.Product(c)
        found = explain(solve(c))
        assert replay(c, found.line, product.rank.__getitem__) == found.rank
        text = explanation_text(found, "deep.yaml")
        said = " ".join(text.split())
        assert words in said
        assert said.count("violates “G (level < 9)”") == 2, "in the first line, and at the end of the attack"
        assert max(map(len, text.splitlines())) <= 100


def test_an_attack_is_told_in_sentences_with_their_numbers():
    """Should say what each move does and what the best answers come to; of a long one the ends, numbered."""
    text = explanation_text(explain(solve(configuration(read_scenario(FLAT)))), "flat.yaml")
    told = " ".join(text.split())
    assert "1. The attacker spreads to DB: DB is now compromised. Even the best 13 of 15 answers" in told
    assert "2. The attacker spreads to BK: BK is now compromised. This violates “G !(DB in" in told
    cell = read_scenario(ROOT / "scenarios/robot-cell.yaml")
    found = explain(solve(configuration(cell, "small-battery")))
    text = explanation_text(found, "robot-cell.yaml")
    numbers = [int(number) for number in re.findall(r"^  (\d+)\. The", text, re.MULTILINE)]
    last = numbers[-1]
    assert numbers == [1, 2, 3, 4, 5, *range(last - 4, last + 1)] and last > 16
    assert f"… {last - 10} moves" in text and "Even the best answer, go(east), only delays it" in text


def test_the_object_is_plain_data():
    """Should survive JSON unchanged but for tuples."""
    scenario = read_scenario(FLAT)
    found = explanation_object(explain(solve(configuration(scenario))))
    again = json.loads(json.dumps(found))
    assert again["line"]["steps"][0]["action"] == "spread(DB)"
    assert again["repairs"]["sets"][1][0] == {
        "kind": "budget", "name": "times(destroy) <= 1", "becomes": "times(destroy) <= 0",
    }  # fmt: skip


@pytest.mark.parametrize(
    "clause, start, up",
    [
        ("G ((x >= 7 -> x != 7) & (x < 7 -> x != 4))", 3, 4),
        ("G ((x >= 7 -> x != 5) & (x < 7 -> x != 7))", 5, 7),
    ],
)
def test_a_number_that_pushes_both_ways_has_no_margin(clause, start, up):
    """Should say nothing of a family of clauses that neither only shrinks nor only grows."""
    scenario = scenario_from_text(f"""
holdfast: 1
game:
  variables: {{x: 0..9}}
  initial: {{x: {start}}}
  defender: {{wait: {{}}}}
  adversary: {{up: [{{when: x < {up}, set: {{x: x + 1}}}}]}}
specs: {{defender: ["{clause}"]}}
""")
    c = configuration(scenario)
    found, fixed = bounds(c)
    assert not [bound for bound in found if bound.template.startswith("x ")]
    assert any("one at a time" in unmoved.reason for unmoved in fixed)


# -- perfect play ---------------------------------------------------------------------------------------


def test_best_play(capsys):
    """Should tell the opening of backward induction, and what is as good, only where that is asked for."""
    solution = solve(configuration(read_scenario("scenarios/paper.yaml"), "no-bypass"))
    assert explain(solution).best_play is None
    found, protocol = explain(solution, best_play=Protocol()), Protocol()
    exact = exact_dominance(shielded_arena(solution), protocol)
    first, *rest = found.best_play.moves
    assert (
        found.best_play.steps == protocol.steps and first.low == first.high == exact.value and len(rest) == 11
    )
    actions = solution.configuration.game.actions[Player.ADVERSARY]
    assert (first.move.action, first.others) == (actions[exact.opening].name, ())
    print_document(Console(width=120, file=sys.stdout, highlight=False), explanation_document(found))
    shown = capsys.readouterr().out
    assert "perfect players is 0.8855 (DDR*)" in shown and "destroy(Web)" in shown
    assert explanation_object(found)["best_play"]["moves"][0]["move"]["action"] == "spread(Web)"


def test_best_play_has_its_share_of_the_time(monkeypatch):
    """Should hold the other reasons to a quarter of the time where it is asked for, and use what they leave."""
    solution, seen = solve(configuration(read_scenario("scenarios/paper.yaml"))), {}

    def some_margins(solution, numbers, trials):
        seen["reasons"] = trials.budget.seconds / explanation.SHARE
        return ()

    def quick_play(solution, protocol, budget):
        seen["play"] = budget.seconds
        return BestPlay(protocol.steps, ())

    monkeypatch.setattr(explanation, "margins", some_margins)
    monkeypatch.setattr(best_play, "best_play", quick_play)
    for asked, most in ((Protocol(), 25.0), (None, 90.0)):
        explain(solution, best_play=asked, budget=Budget.lasting(100.0))
        assert 0.9 * most < seen["reasons"] <= most
    assert 70.0 < seen["play"] <= 100.0
    explain(solution, best_play=Protocol())
    assert seen["play"] <= explanation.SECONDS_OF_PLAY and seen["reasons"] <= explanation.SECONDS


def test_best_play_that_is_not_there():
    """Should name what a limit kept from being found, and say nothing where nobody is to move or all is lost."""
    scenario = read_scenario("scenarios/paper.yaml")
    late = explain(solve(configuration(scenario)), best_play=Protocol(), budget=Budget.lasting(0.0))
    assert late.best_play is None and any(part.startswith("perfect play: ") for part in late.partial)
    lost = solve(configuration(read_scenario("scenarios/indefensible.yaml")))
    assert explain(lost, best_play=Protocol()).best_play is None
    still = configure(
        network_game(["GW", "DB"], [], "GW"), ["G (DB != Z)"], ["G !(adversary.noop | spread | destroy)"]
    )
    assert explain(solve(still), best_play=Protocol()).best_play.moves == ()
