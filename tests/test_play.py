"""Playing the solved game: rules, strategies, traces, the board and the conversation.

The golden plays in ``tests/plays`` are regenerated and compared; ``python tests/test_play.py`` writes them anew.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import namedtuple
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from holdfast.arena import shielded_arena
from holdfast.cli import main
from holdfast.engines import solve
from holdfast.errors import InputError
from holdfast.exact import exact_dominance, optimal_actions
from holdfast.game import Reset
from holdfast.learn.minimax_q import train
from holdfast.learn.policy import greedy_actions, greedy_policies
from holdfast.learn.protocol import Protocol, protocol_of
from holdfast.logic.compile import compile_formula
from holdfast.logic.evaluate import holds
from holdfast.logic.expressions import Member, Player, Symbol
from holdfast.models.network import STATUS_NAMES, Topology, network_game
from holdfast.play.menu import Standing, find, menu_of
from holdfast.play.perfect import best, perfect_play, worth
from holdfast.play.replay import Difference, match_of, replayed
from holdfast.play.session import (
    Event,
    Match,
    Session,
    Step,
    begin,
    ending,
    fatal_step,
    is_resting,
    make_move,
    make_rest,
    mean_dominance,
    undone,
    with_move,
)
from holdfast.play.setting import prepare
from holdfast.play.strategies import at_random, forced_line, forcing, learned, looking_ahead, optimal, played
from holdfast.play.trace import (
    FIRST_LINE,
    Line,
    Trace,
    parse_trace,
    print_trace,
    read_trace,
    save_trace,
    trace_of,
)
from holdfast.product import admissible_moves, configure, is_unsafe, move
from holdfast.report.board import MAX_DRAWN, STYLES, board, drawing, layout, run_together
from holdfast.report.wiring import DOWN, LEFT, LINES, RIGHT, UP
from holdfast.scenario.load import configuration, learning, read_scenario, topology
from holdfast.shield import safe_actions
from holdfast.solution import rank
from strategies import random_configuration

ROOT = Path(__file__).parent.parent
PLAYS = ROOT / "tests" / "plays"
PAPER = "scenarios/paper.yaml"
ROBOT = "scenarios/patrol-robot.yaml"
GOLDEN = {
    "reference": (PAPER, None, 40),
    "fully-connected": (PAPER, "fully-connected", 40),
    "unlimited-destroys": (PAPER, "unlimited-destroys", 40),
    "two-active": (PAPER, "two-active", 40),
    "no-bypass": (PAPER, "no-bypass", 40),
    "forced-loss": (ROBOT, None, 40),
}


@functools.cache
def chosen(file=PAPER, variant=None):
    return configuration(read_scenario(ROOT / file), variant)


@functools.cache
def solved(file=PAPER, variant=None):
    return solve(chosen(file, variant))


@functools.cache
def setting_of(file=PAPER, variant=None, n_moves=40):
    settings = learning(read_scenario(ROOT / file), variant)
    return prepare(chosen(file, variant), protocol_of(settings), n_moves)


def both(strategy):
    return dict.fromkeys(Player, strategy)


def golden_text(name):
    file, variant, n_moves = GOLDEN[name]
    setting = setting_of(file, variant, n_moves)
    match = Match(setting.solution, 1, n_moves)
    session = played(begin(match), both(optimal(setting.solution, setting.perfect)))
    scenario = read_scenario(ROOT / file)
    header = {"scenario": scenario.name} | ({"variant": variant} if variant else {})
    header |= {"sha256": hashlib.sha256(scenario.text.encode()).hexdigest()}
    header |= {"defender": "optimal", "adversary": "optimal", "seed": "1", "moves": str(n_moves)}
    return print_trace(trace_of(session, header))


# -- golden plays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_plays_come_out_the_same(name):
    """Should play perfect play the same way each time; regenerate with python tests/test_play.py."""
    assert golden_text(name) == (PLAYS / f"{name}.txt").read_text()


@pytest.mark.parametrize("path", sorted(PLAYS.glob("*.txt")), ids=lambda path: path.stem)
def test_golden_plays_replay(path):
    """Should reproduce every stored play against the model, the paper's five moves among them."""
    trace = read_trace(path)
    file = ROBOT if path.stem == "forced-loss" else PAPER
    solution = solved(file, trace.header.get("variant"))
    steps = list(replayed(trace, match_of(trace, solution)))
    assert [line for line, _ in steps] == list(trace.lines)
    assert parse_trace(print_trace(trace)) == trace
    if path.stem == "paper":
        session = steps[-1][1]
        assert session.n_moves == 5
        for before, step in zip(session.steps, session.steps[1:]):
            assert step.action in safe_actions(solution, before.position)


def test_the_forced_loss_is_as_long_as_its_rank():
    """Should lose the robot in six moves, as the scenario says by hand."""
    trace = read_trace(PLAYS / "forced-loss.txt")
    *_, (_, session) = replayed(trace, match_of(trace, solved(ROBOT)))
    assert session.n_moves == rank(solved(ROBOT), chosen(ROBOT).initial) == 6
    assert fatal_step(session) == 0
    assert trace.lines[-1].shown.startswith("violation: ")


# -- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_sessions_follow_the_product_game(seed):
    """Should take every step as product.move does, and average μ over the movers' positions exactly."""
    rng = random.Random(seed)
    c = random_configuration(rng)
    session = begin(Match(solve(c), seed, 12))
    position, earned = c.initial, []
    while ending(session) is None:
        assert session.position == position
        assert not is_unsafe(c, position)
        earned.append(c.game.mu(position.state))
        moves = admissible_moves(c, position)
        if not moves:
            assert is_resting(c, position)
            break
        action = rng.choice(sorted(moves))
        session, position = make_move(session, action), move(c, position, action)
    assert session.n_moves <= 12
    assert session.position == position
    if session.n_moves:
        assert mean_dominance(session) == sum(earned[: session.n_moves], Fraction()) / session.n_moves


def test_what_is_not_a_move_is_refused():
    """Should say why an action cannot be played."""
    session = begin(Match(solved(), 1, 40))
    names = [a.name for a in chosen().game.actions[Player.ADVERSARY]]
    with pytest.raises(InputError, match="no action 99"):
        make_move(session, 99)
    with pytest.raises(InputError, match="mover has a move"):
        make_rest(session)
    for action in ("destroy(GW)", "destroy(GW)"):
        session = with_move(session, names.index(action))
        session = with_move(session, 0)
    with pytest.raises(InputError, match=r"not admissible.*at most two destroys"):
        with_move(session, names.index("destroy(Web)"))
    over = begin(Match(solved(), 1, 1))
    with pytest.raises(InputError, match="the play is over"):
        make_move(make_move(over, 0), 0)


def all_clean(solution, seed, limit=6, turn=Player.ADVERSARY):
    start = solution.configuration.initial
    clean = start._replace(state=(0,) * len(start.state), turn=turn)
    return Session(Match(solution, seed, limit), (Step(Event.START, clean),))


@pytest.mark.parametrize(("probability", "expected"), [(0, False), (1, True)])
def test_resets_happen_with_their_probability(probability, expected):
    """Should begin a new engagement at every all-clean move, or never."""
    c = chosen()
    reset = Reset(c.game.reset.when, Fraction(probability), c.game.reset.assign)
    solution = solve(replace(c, game=replace(c.game, reset=reset)))
    after = make_move(all_clean(solution, 1), 0)
    assert (after.steps[-1].event is Event.RESET) is expected
    assert after.position.turn is Player.DEFENDER
    assert after.position.state == (solution.configuration.initial.state if expected else (0,) * 5)
    assert after.n_moves == 1


def test_chance_is_a_function_of_the_seed_and_the_move():
    """Should draw a reset in about one of ten seeds, and the same again after taking the move back."""
    hits = 0
    for seed in range(400):
        session = make_move(all_clean(solved(), seed), 0)
        hits += session.steps[-1].event is Event.RESET
        again = make_move(undone(session, Player.ADVERSARY), 0)
        assert again.steps == session.steps
    assert 20 <= hits <= 62


def test_no_reset_comes_to_the_rescue():
    """Should draw no reset outside W, where the adversary is forcing a violation."""
    c = chosen(ROBOT)
    robot, press = c.game.variables
    reset = Reset(Member(robot, ("dock", "bay")), Fraction(1), ((press, Symbol("up")),))
    resetting = replace(c, game=replace(c.game, reset=reset))
    session = begin(Match(solve(resetting), 1, 9))
    assert rank(session.match.solution, session.position) == 6
    end = played(session, both(optimal(session.match.solution, None)))
    assert {step.event for step in end.steps[1:]} == {Event.MOVE}
    assert end.n_moves == 6
    kept = begin(Match(solve(replace(resetting, adversary=(never(c, "step"),))), 1, 9))
    assert [step.event for step in kept.steps] == [Event.START, Event.RESET]


def never(c, action):
    return compile_formula(f"G !{action}", c.game.vocabulary)


def test_undo_goes_back_to_the_last_choice():
    """Should take back the player's move with everything after it, as often as there are any."""
    strategy = optimal(solved(), setting_of().perfect)
    session = begin(Match(solved(), 1, 9))
    stands = []
    while ending(session) is None:
        if session.position.turn is Player.DEFENDER:
            stands.append(session)
        session = make_move(session, strategy(session).action)
    for earlier in reversed(stands):
        session = undone(session, Player.DEFENDER)
        assert session.steps == earlier.steps
    assert undone(session, Player.DEFENDER) is None


def test_an_adversary_without_moves_ends_the_play():
    """Should rest while a reset may come, and end where none can."""
    silent = ["G !(adversary.noop | spread | destroy)"]
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW", None)
    session = begin(Match(solve(configure(game, ["G (DB != Z)"], silent)), 1, 5))
    assert ending(session) == "the adversary is out of moves"
    resetting = network_game(["GW"], [], "GW", Fraction(1, 2))
    solution = solve(configure(resetting, ["G (GW != Z)"], silent))
    session = make_rest(all_clean(solution, 3))
    assert session.n_moves == 1
    assert session.steps[1].event is Event.REST


# -- strategies -------------------------------------------------------------------------------------


def defensible_configurations(n, seed=0):
    rng = random.Random(seed)
    while n:
        c = random_configuration(rng, 1500)
        solution = solve(c)
        if solution.defensible and c.game.actions[Player.ADVERSARY]:
            n -= 1
            yield solution


@pytest.mark.parametrize(
    "variant", [None, "fully-connected", "unlimited-destroys", "two-active", "no-bypass"]
)
@pytest.mark.parametrize("name", ["optimal", "plain", "random"])
def test_the_shield_is_never_broken(variant, name):
    """Should never reach a violation, whatever an attacker who tries at random does."""
    solution, rng = solved(PAPER, variant), random.Random(7)
    defender = {
        "optimal": lambda: optimal(solution, setting_of(PAPER, variant).perfect),
        "plain": lambda: looking_ahead(solution),
        "random": lambda: at_random(solution),
    }[name]()
    for seed in range(4 if name == "random" else 2):
        session = begin(Match(solution, seed, 40))
        while ending(session) is None:
            if session.position.turn is Player.DEFENDER:
                session = make_move(session, defender(session).action)
            else:
                session = make_move(
                    session, rng.choice(sorted(admissible_moves(chosen(PAPER, variant), session.position)))
                )
            assert rank(solution, session.position) is None
        assert not is_unsafe(solution.configuration, session.position)


def test_the_shield_of_random_games_is_never_broken():
    """Should hold in games of any form, for the plain rule and for random safe play."""
    for seed, solution in enumerate(defensible_configurations(15)):
        for strategy in (looking_ahead(solution), at_random(solution)):
            end = played(begin(Match(solution, seed, 15)), {
                Player.DEFENDER: strategy, Player.ADVERSARY: at_random(solution),
            })  # fmt: skip
            assert not is_unsafe(solution.configuration, end.position)


def positions_of(c):
    """Every position that some play without restraint reaches."""
    known, todo = {c.initial}, [c.initial]
    while todo:
        for target in admissible_moves(c, todo.pop()).values():
            if target not in known:
                known.add(target)
                todo.append(target)
    return known


def check_forced(solution, position, left):
    """Follow the forcing strategy against every reply: U within ``left`` moves."""
    c = solution.configuration
    if is_unsafe(c, position):
        return
    assert left > 0, c.describe(position)
    moves = admissible_moves(c, position)
    if position.turn is Player.ADVERSARY:
        moves = {0: moves[forcing(solution, position).action]}
    for target in set(moves.values()):
        check_forced(solution, target, left - 1)


@pytest.mark.parametrize("seed", range(25))
def test_a_lost_position_is_forced_within_its_rank(seed):
    """Should reach U within rank(v) moves from every lost position, whatever the defender replies."""
    solution = solve(random_configuration(random.Random(seed), 1000))
    for position in positions_of(solution.configuration):
        k = rank(solution, position)
        if k:
            check_forced(solution, position, k)
            line = forced_line(solution, position)
            assert len(line) == k, "both doing their best takes exactly rank(v) moves"


def test_leaving_the_shield_of_the_reference_is_punished():
    """Should be forced within the announced rank after every forbidden move of a play."""
    solution, strategy = solved(), optimal(solved(), setting_of().perfect)
    session, n_checked = begin(Match(solution, 1, 30)), 0
    while ending(session) is None:
        if session.position.turn is Player.DEFENDER:
            for entry in menu_of(solution, session.position):
                if entry.standing is Standing.FORBIDDEN:
                    assert entry.rank == rank(solution, entry.target)
                    check_forced(solution, entry.target, entry.rank)
                    n_checked += 1
        session = make_move(session, strategy(session).action)
    assert n_checked > 50


def literal_value(solution, match, position, to_go, open_reset):
    """W_k(v), or U_k(v) once the reset of the move is settled; exact rationals, straight from the definition."""
    if to_go == 0:
        return Fraction()
    game = solution.configuration.game
    if open_reset and game.reset is not None and holds(game.reset.when, game.codes(position.state)):
        p, start = game.reset.probability, match.resets.target(position)
        settled = [literal_value(solution, match, v, to_go, False) for v in (position, start)]
        return (1 - p) * settled[0] + p * settled[1]
    choose = max if position.turn is Player.DEFENDER else min
    targets = {move(solution.configuration, position, a) for a in safe_actions(solution, position)} or {
        position
    }
    after = choose(literal_value(solution, match, target, to_go - 1, True) for target in targets)
    return game.mu(position.state) + after


def test_perfect_play_is_the_minimax_value():
    """Should agree with the definition written out, with optimal_actions, and with DDR* over N moves."""
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW", Fraction(1, 3))
    solution = solve(configure(game, ["G (DB != Z)"]))
    arena, n_moves = shielded_arena(solution), 5
    perfect, match = perfect_play(arena, n_moves), Match(solution, 1, n_moves)
    exact = literal_value(solution, match, solution.configuration.initial, n_moves, True)
    assert perfect.mean == pytest.approx(float(exact) / n_moves)
    assert perfect.mean == pytest.approx(exact_dominance(arena, Protocol(steps=n_moves)).value)
    rows = optimal_actions(arena, Protocol(steps=n_moves))
    for v in range(arena.n_positions):
        position = arena.position(v)
        for to_go in (1, 2, 4):
            values = worth(perfect, position, to_go)
            assert tuple(values) == safe_actions(solution, position)
            assert best(values, position.turn) == rows[n_moves - to_go, v]
            whole = literal_value(solution, match, position, to_go, False)
            choose = max if position.turn is Player.DEFENDER else min
            assert choose(values.values()) == pytest.approx(float(whole) / to_go)


def test_perfect_play_of_the_reference():
    """Should choose what optimal_actions chooses, and know nothing of positions that play does not reach."""
    perfect = setting_of().perfect
    arena = perfect.arena
    rows = optimal_actions(arena, Protocol(steps=40))
    for v in range(0, arena.n_positions, 7):
        for to_go in (40, 13, 1):
            values = worth(perfect, arena.position(v), to_go)
            assert best(values, arena.position(v).turn) == rows[40 - to_go, v]
    lost = chosen().initial._replace(state=(4,) * 5)
    assert worth(perfect, lost, 3) is None


def test_nobody_beats_perfect_play():
    """Should leave no defender more, and no adversary less, than the value; without chance, exactly."""
    c = chosen()
    still = solve(replace(c, game=replace(c.game, reset=None)))
    perfect = perfect_play(shielded_arena(still), 20)
    star, luck = optimal(still, perfect), at_random(still)
    for seed in range(3):
        match = Match(still, seed, 20)
        kept = mean_dominance(played(begin(match), {Player.DEFENDER: luck, Player.ADVERSARY: star}))
        left = mean_dominance(played(begin(match), {Player.DEFENDER: star, Player.ADVERSARY: luck}))
        assert float(kept) <= perfect.mean + 1e-12
        assert float(left) >= perfect.mean - 1e-12
    assert float(mean_dominance(played(begin(Match(still, 1, 20)), both(star)))) == pytest.approx(
        perfect.mean
    )


def literal_plain_rule(solution, position):
    """The plain rule from its description, without sharing anything."""
    c = solution.configuration

    def reading(action):
        target = move(c, position, action)
        if position.turn is Player.ADVERSARY:
            return len(safe_actions(solution, target)), c.game.mu(target.state), action
        replies = [c.game.mu(reply.state) for reply in admissible_moves(c, target).values()]
        now = c.game.mu(target.state)
        return -min(replies, default=now), -now, action

    return min(safe_actions(solution, position), key=reading)


def test_the_plain_rule_is_what_it_says():
    """Should choose as the description, on random games and along a play of the reference."""
    for seed, solution in enumerate([*defensible_configurations(8, seed=5), solved()]):
        strategy = looking_ahead(solution)
        session = begin(Match(solution, seed, 10))
        while ending(session) is None and not is_resting(solution.configuration, session.position):
            action = strategy(session).action
            assert action == literal_plain_rule(solution, session.position)
            session = make_move(session, action)


def test_the_learned_opponent_follows_the_greedy_policy():
    """Should choose at each position of the arena what the extracted policy chooses."""
    arena = setting_of().perfect.arena
    protocol = Protocol(episodes=200, window=100, seeds=(3,))
    policies = greedy_policies(train(arena, protocol), 3)
    actions, strategy = greedy_actions(arena, policies), learned(solved(), policies)
    match = Match(solved(), 1, 40)
    for v in range(0, arena.n_positions, 5):
        session = Session(match, (Step(Event.START, arena.position(v)),))
        assert strategy(session).action == actions[v]
    assert len({int(a) for a in actions}) > 5
    lost = next(p for p in positions_of_reference() if rank(solved(), p))
    session = Session(match, (Step(Event.START, lost),))
    assert strategy(session) == forcing(solved(), lost)


def positions_of_reference():
    for action in range(25):
        position = move(chosen(), chosen().initial, 6)
        yield move(chosen(), position, action)


def test_a_refused_reset_leaves_the_play_without_one():
    """Should say why, and solve the game without it."""
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    setting = prepare(configure(game, ["G (times(monitor) <= 3)"]), Protocol(), 10)
    assert setting.solution.configuration.game.reset is None
    assert "refused" in setting.notes[0]
    assert setting.perfect is not None


def test_a_large_game_falls_back_and_says_so():
    """Should play sixteen hosts by the plain rule."""
    hosts = [f"h{i}" for i in range(16)]
    c = configure(network_game(hosts, list(pairwise(hosts)), "h0"), ["G (h15 != Z)"])
    setting = prepare(c, Protocol(), 10)
    assert setting.perfect is None
    assert "plain rule" in setting.notes[0]
    end = played(begin(Match(setting.solution, 1, 10)), both(optimal(setting.solution, None)))
    assert end.n_moves == 10
    assert not is_unsafe(c, end.position)


# -- the menu ---------------------------------------------------------------------------------------


def test_the_menu_has_every_action_once_and_knows_the_shield():
    """Should list each action in one entry, permitted iff it is in Safe(v), with one target for all of an entry."""
    for solution in [solved(), *defensible_configurations(5, seed=3)]:
        c = solution.configuration
        session = begin(Match(solution, 2, 12))
        strategy = at_random(solution)
        while ending(session) is None and not is_resting(c, session.position):
            menu = menu_of(solution, session.position)
            n_actions = len(c.game.actions[session.position.turn])
            assert sorted(a for entry in menu for a in entry.actions) == list(range(n_actions))
            permitted = sorted(a for e in menu if e.standing is Standing.PERMITTED for a in e.actions)
            assert tuple(permitted) == safe_actions(solution, session.position)
            assert [entry.number for entry in menu] == list(range(1, len(menu) + 1))
            for entry in menu:
                assert {move(c, session.position, a) for a in entry.actions} == {entry.target}
            session = make_move(session, strategy(session).action)


def test_moves_are_found_by_number_name_and_beginning():
    """Should accept what a person types, and ask back where it fits several moves."""
    c = chosen()
    position = move(c, c.initial, 6)
    menu = menu_of(solved(), position)
    names = [a.name for a in c.game.actions[Player.DEFENDER]]

    def means(text):
        entry, action = find(menu, c, Player.DEFENDER, text)
        assert action in entry.actions
        return names[action]

    assert (
        means("isolate(DB)")
        == means("isolate DB")
        == means("  Isolate   db ")
        == means("is d")
        == "isolate(DB)"
    )
    assert means("noop") == "noop(GW)"
    assert means(str(menu[-1].number)) == menu[-1].name
    for text, reply in (
        ("isolate", "could be isolate.*say more"),
        ("isolat(DB", None),
        ("islate DB", "did you mean"),
        ("0", "there is no move 0"),
        ("77", "there is no move 77"),
        ("²", "no move of the defender"),
        ("((", "no move of the defender"),
        ("x" * 500, "no move of the defender"),
    ):
        if reply is None:
            assert means(text) == "isolate(DB)"
        else:
            with pytest.raises(InputError, match=reply):
                find(menu, c, Player.DEFENDER, text)


def test_an_inadmissible_move_is_not_offered():
    """Should list the adversary's exhausted destroys as impossible, with the clause."""
    c = chosen()
    position = c.initial._replace(q_adversary=(2,))
    menu = menu_of(solved(), position)
    impossible = [entry for entry in menu if entry.standing is Standing.IMPOSSIBLE]
    assert {e.name.partition("(")[0] for e in impossible} == {"destroy"}
    assert all("at most two destroys" in entry.reason for entry in impossible)


def test_the_adversary_sees_what_forces():
    """Should offer the winning moves of a lost game first."""
    solution = solved(ROBOT)
    menu = menu_of(solution, chosen(ROBOT).initial)
    assert menu[0].name == "step"
    assert menu[0].reason == "forces a violation within 5 moves"
    assert menu[1].standing is Standing.PERMITTED


# -- traces -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_traces_of_random_plays_read_back_and_replay(seed):
    """Should print, parse to the same, and reproduce, for any game and any legal play."""
    rng = random.Random(seed)
    solution = solve(random_configuration(rng))
    end = played(begin(Match(solution, seed, 10)), both(at_random(solution)))
    trace = trace_of(end, {"scenario": "any | thing: at all", "seed": str(seed), "moves": "10"})
    text = print_trace(trace)
    assert parse_trace(text) == trace
    assert print_trace(parse_trace(text)) == text
    *_, (_, session) = replayed(parse_trace(text), match_of(trace, solution))
    assert session.steps == end.steps


@pytest.mark.parametrize("seed", range(12))
def test_a_changed_line_is_noticed(seed):
    """Should name the first line that the model does not reproduce."""
    trace = read_trace(PLAYS / "no-bypass.txt")
    rng = random.Random(seed)
    n = rng.randrange(len(trace.lines))
    line = trace.lines[n]
    at = rng.randrange(len(line.shown))
    changed = replace(
        line, shown=line.shown[:at] + ("Q" if line.shown[at] != "Q" else "P") + line.shown[at + 1 :]
    )
    bad = Trace(trace.header, (*trace.lines[:n], changed, *trace.lines[n + 1 :]))
    with pytest.raises(Difference) as found:
        list(replayed(bad, match_of(bad, solved(PAPER, "no-bypass"))))
    assert found.value.line == changed
    assert found.value.line.number == n + 10


@pytest.mark.parametrize(
    ("happened", "reason"),
    [
        ("spred(WS)", 'no action "spred\\(WS\\)"; did you mean "spread\\(WS\\)"'),
        ("(reset)", "no engagement reset can happen"),
        ("(rest)", "does not rest"),
        ("isolate(DB)", "the adversary has no action"),
    ],
)
def test_a_line_that_cannot_happen_is_explained(happened, reason):
    """Should say what the model has instead."""
    trace = read_trace(PLAYS / "paper.txt")
    bad = Trace({}, (trace.lines[0], replace(trace.lines[1], happened=happened)))
    with pytest.raises(Difference, match=f"line 2: .*{reason}"):
        list(replayed(bad, match_of(bad, solved())))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("hello", ":1: expected what happened"),
        ("spread(WS) | XCXCC", ':1: expected "start | "'),
        ("start | X\n\nnoop | X", ":2: expected what happened"),
        ("start | X\n(end) | over\nnoop | X", r":2: \(end\) must be the last line"),
        ("holdfast play 2\n\nstart | X", ":1: expected .holdfast play 1"),
        (f"{FIRST_LINE}\nseed: 1\nstart | X", ":3: expected one of scenario"),
        (f"{FIRST_LINE}\nsed: 1\n\nstart | X", ':2: .*did you mean "seed"'),
        (f"{FIRST_LINE}\nseed: 1\nseed: 2\n\nstart | X", ':3: "seed" is given twice'),
        (f"{FIRST_LINE}\nseed: 1", ":2: the header has no end"),
        (f"{FIRST_LINE}\n\n", ":1: the header has no end"),
        ("start | X\nnoop |", ":2: expected what happened"),
    ],
)
def test_a_bad_trace_is_refused_with_its_line(text, message):
    """Should say where and what was expected."""
    with pytest.raises(InputError, match=f"play.txt{message}|play.txt: .*{message}"):
        parse_trace(text, "play.txt")


def test_windows_line_ends_are_read():
    """Should not mind carriage returns."""
    text = (PLAYS / "reference.txt").read_text()
    assert parse_trace(text.replace("\n", "\r\n")) == parse_trace(text)


def test_files_that_are_no_traces(tmp_path):
    """Should refuse to read and to overwrite them."""
    binary, big, other = tmp_path / "binary", tmp_path / "big", tmp_path / "notes.txt"
    binary.write_bytes(b"start | X\n\xff\xfe | X")
    big.write_bytes(b"x" * (5 * 2**20))
    other.write_text("my notes")
    for path, message in (
        (binary, "binary:2: not UTF-8"),
        (big, "larger than"),
        (tmp_path, "cannot read"),
        (tmp_path / "missing", "cannot read: No such file"),
    ):
        with pytest.raises(InputError, match=message):
            read_trace(path)
    trace = Trace({"seed": "1"}, (Line("start", "X"),))
    for path, message in (
        (other, "does not hold a play"),
        (tmp_path, "does not hold a play"),
        (Path("/"), "cannot write"),
        (tmp_path / "no" / "folder", "cannot write"),
        (Path("bad\0name"), "cannot write"),
    ):
        with pytest.raises(InputError, match=message):
            save_trace(trace, path)
    assert other.read_text() == "my notes"
    for _ in range(2):
        save_trace(trace, tmp_path / "play.txt")
    assert read_trace(tmp_path / "play.txt") == trace
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big", "binary", "notes.txt", "play.txt"]


# -- the command line -------------------------------------------------------------------------------


Done = namedtuple("Done", "returncode stdout stderr")


def holdfast(*args, script="", cwd=ROOT):
    """The command in a process of its own, its input a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "holdfast", "play", *map(str, args)],
        cwd=cwd, input=script, capture_output=True, text=True, timeout=120, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip


@pytest.fixture
def run(monkeypatch, capsys):
    """The same without a new process, which is most of the time it takes."""

    def run(*args, script=""):
        raw = script if isinstance(script, bytes) else script.encode()
        monkeypatch.chdir(ROOT)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr(sys, "argv", ["holdfast", "play", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), "utf-8"))
        with pytest.raises(SystemExit) as left:
            main()
        return Done(left.value.code, *capsys.readouterr())

    return run


def test_a_scripted_play_from_start_to_end(run, tmp_path):
    """Should play by names, numbers and hints in a pipe, without escape codes, and keep what replays."""
    trace = tmp_path / "play.txt"
    script = "help\nhint\nwhy\nwhy 1\nisolate web\nboard\nundo\nis web\n\n# a remark\nfoo\nres web\n1\nquit\n"
    done = holdfast(PAPER, "--save", trace, "--moves", "12", script=script)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if str(trace) not in line)
    assert done.stderr == ""
    for words in ("You are the defender", "║ DB", "─entry─", "═critical═", "X compromised", "permitted",
                  "forbidden by the shield", "defender> isolate web", "taken back", '"foo" is no move',
                  "isolate(Web) keeps a mean dominance", "The adversary played spread(Web)", "STOPPED",
                  "0.2520 over a whole episode (DDR*)"):  # fmt: skip
        assert words in done.stdout, words
    again = run(PAPER, "--replay", trace)
    assert again.returncode == 0, again.stdout
    assert "REPRODUCED" in again.stdout
    assert "\x1b" not in again.stdout
    kept = read_trace(trace)
    assert kept.header["defender"] == "player"
    assert [line.happened for line in kept.lines[:3]] == ["start", "spread(Web)", "isolate(Web)"]


def test_insisting_on_a_forbidden_move_shows_what_the_shield_is_for(run, tmp_path):
    """Should ask, mark the move, and end with the violation, its clause and its line."""
    script = "isolate GW\nn\nisolate GW\ny\n1\n1\n1\n1\n"
    done = run(PAPER, "--save", tmp_path / "lost.txt", script=script)
    assert done.returncode == 0
    for words in ("isolate(GW) is forbidden by the shield: the adversary then forces a violation within 3 moves",
                  "not played", "! forbidden by the shield", "every move loses", "VIOLATION",
                  "isolate(GW) left the winning region"):  # fmt: skip
        assert words in " ".join(done.stdout.split()), words
    last = read_trace(tmp_path / "lost.txt").lines[-1]
    assert last.happened == "(end)"
    assert last.shown.startswith("violation: ")
    assert run(PAPER, "--replay", tmp_path / "lost.txt").returncode == 0


def test_the_attacker_against_the_shield(run):
    """Should let the attacker play to the end, refuse what φ_A excludes, and find the design holding."""
    script = "destroy gw\ndestroy gw\nspread web\ndestroy web\n" + "destroy ws\nspread ws\n1\n" * 8
    done = run(PAPER, "--as", "adversary", "--against", "random", "--moves", "16", script=script)
    assert done.returncode == 0, done.stderr
    assert "HELD" in done.stdout
    assert "VIOLATION" not in done.stdout
    assert "cannot be played: not admissible: at most two destroys" in " ".join(done.stdout.split())


def test_a_system_of_its_own_is_played_with_a_table(run):
    """Should show variables, and let the attacker of an indefensible system win by the first entry each time."""
    done = run(ROBOT, "--as", "adversary", script="1\n" * 10)
    assert done.returncode == 0, done.stderr
    assert "not defensible: the adversary can force a violation within 6 moves" in " ".join(
        done.stdout.split()
    )
    assert "up [armed] down" in done.stdout
    assert "VIOLATION" in done.stdout
    tank = run("scenarios/water-tank.yaml", "--against", "learned", "--moves", "6", script="hint\n1\n1\n1\n")
    assert tank.returncode == 0, tank.stderr
    assert "HELD" in tank.stdout


def test_replay_exit_codes(run, tmp_path):
    """Should give 0, 1 with the first differing line, and 2 for what is unreadable."""
    assert run(PAPER, "--replay", PLAYS / "paper.txt").returncode == 0
    text = (PLAYS / "no-bypass.txt").read_text()
    bad = tmp_path / "bad.txt"
    bad.write_text(text.replace("spread(Web) | X", "spread(Web) | C", 1))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 1
    assert re.search(r"DIFFERS .*line 11: the trace has \"C.*the model gives \"X", done.stdout)
    bad.write_text(text.replace("start |", "begin |"))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 2
    assert f"{bad}:10: expected" in done.stderr
    bad.write_text(re.sub("sha256: .*", "sha256: 0", text))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 0
    assert "has changed since" in done.stdout
    assert run(PAPER, "--replay", tmp_path / "none.txt").returncode == 2
    assert run(PAPER, "--replay", bad, "--save", "x").returncode == 2


def test_odd_input_ends_politely(run, tmp_path):
    """Should end with 0 at the end of input, and refuse a file that would be overwritten before the play."""
    assert run(PAPER, script="").returncode == 0
    done = run(
        PAPER, script="why\nsave\nsave /\nsave ~nobody-there/x\nwhy 99\n\x00\x07\n" + "9" * 30_000 + "\n"
    )
    assert done.returncode == 0
    assert "\x07" not in done.stdout
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    done = run(PAPER, "--save", notes, script="1\n")
    assert done.returncode == 2
    assert "does not hold a play" in done.stderr
    assert run(PAPER, script=b"\xff\xfe\n").returncode == 0


def test_an_interruption_loses_nothing(run, monkeypatch, tmp_path):
    """Should end with 130 and the play on disk."""

    class Interrupted(io.TextIOWrapper):
        def readline(self, size=-1):
            line = super().readline(size)
            if not line:
                raise KeyboardInterrupt
            return line

    monkeypatch.setattr(io, "TextIOWrapper", Interrupted)
    done = run(PAPER, "--save", tmp_path / "play.txt", script="isolate web\n")
    assert done.returncode == 130
    assert "stopped" in done.stdout
    lines = read_trace(tmp_path / "play.txt").lines
    assert [line.happened for line in lines] == ["start", "spread(Web)", "isolate(Web)", "spread(WS)"]


# -- the board --------------------------------------------------------------------------------------

ARMS = {mark: arms for arms, mark in LINES.items()}
STEP = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
BACK = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


def links_in(text, boxes):
    """Read the links off a drawing, line by line, as an eye would."""
    grid = text.split("\n")
    border = {
        (row, x): node
        for node, box in boxes.items()
        for row in range(box.top, box.top + box.height)
        for x in (box.start, box.start + box.width - 1)
    }
    found, seen = set(), set()
    for row, line in enumerate(grid):
        for x, mark in enumerate(line):
            if mark in "▲▼↕":
                upper = next(
                    n
                    for (r, _), n in border.items()
                    if r == row - 1 and boxes[n].start <= x < boxes[n].start + boxes[n].width
                )
                lower = next(
                    n
                    for (r, _), n in border.items()
                    if r == row + 1 and boxes[n].start <= x < boxes[n].start + boxes[n].width
                )
                found |= {(upper, lower)} if mark in "▼↕" else set()
                found |= {(lower, upper)} if mark in "▲↕" else set()
            if mark in "▶◀" and (row, x) not in seen:
                ports, arrows = flood(grid, border, row, x)
                seen |= set(arrows)
                targets = [border[r, c + (1 if grid[r][c] == "▶" else -1)] for r, c in arrows]
                assert len(ports) <= 1, "a line has one source"
                if ports:
                    found |= {(ports[0], target) for target in targets}
                else:
                    one, other = targets
                    found |= {(one, other), (other, one)}
    return found


def flood(grid, border, row, x):
    """All ends of the line that an arrow head belongs to: nodes it leaves, and its arrow heads."""
    ports, arrows, todo, met = [], [(row, x)], [(row, x, LEFT if grid[row][x] == "▶" else RIGHT)], set()
    while todo:
        row, x, way = todo.pop()
        row, x = row + STEP[way][0], x + STEP[way][1]
        if (row, x, way) in met:
            continue
        met.add((row, x, way))
        mark = grid[row][x]
        if (row, x) in border:
            assert mark in ("├╟" if way == LEFT else "┤╢"), mark
            ports.append(border[row, x])
        elif mark in "▶◀":
            assert way == (RIGHT if mark == "▶" else LEFT)
            arrows.append((row, x))
        elif BACK[way] & ARMS[mark]:
            todo += [(row, x, out) for out in STEP if out & ARMS[mark] and out != BACK[way]]
        else:
            assert mark == "│", "only a line that crosses is passed"
            todo.append((row, x, way))
    return ports, arrows


@pytest.mark.parametrize("seed", range(30))
def test_a_drawing_shows_exactly_the_links(seed):
    """Should be readable: following the lines of the drawing gives the links of the segment."""
    rng = random.Random(seed)
    n_drawn = 0
    for _ in range(6):
        hosts = [f"h{i}" for i in range(rng.randint(1, MAX_DRAWN))]
        links = {(hosts[rng.randrange(i)], hosts[i]) for i in range(1, len(hosts)) if rng.random() < 0.9}
        links |= {tuple(rng.sample(hosts, 2)) for _ in range(rng.randint(0, 6)) if len(hosts) > 1}
        topology = Topology(
            tuple(hosts), tuple(sorted(links)), "h0", tuple(rng.sample(hosts, min(2, len(hosts))))
        )
        status = {host: rng.choice("CXDIZ") for host in hosts}
        room = rng.choice((79, 99, 120))
        text = drawing(topology, status, room)
        if text is None:
            continue
        n_drawn += 1
        rows = text.plain.split("\n")
        assert max(map(len, rows)) <= room
        words = "compromised" not in rows[-1]
        boxes = boxes_in(topology, room, words)
        assert links_in(text.plain, boxes) == links
        for host, box in boxes.items():
            inside = [
                row[box.start + 1 : box.start + box.width - 1].split()
                for row in rows[box.top + 1 : box.top + box.height - 1]
            ]
            assert [host] in inside
            assert [status[host], *([STATUS_NAMES[status[host]]] if words else [])] in inside
            frame = rows[box.top][box.start : box.start + box.width]
            assert ("entry" in frame) == (host == "h0")
            assert ("critical" in frame) == (frame[0] == "╔") == (host in topology.critical)
    assert n_drawn >= 3


def boxes_in(topology, room, words):
    """Where the boxes are, by the layout that was drawn."""
    return next(
        found.boxes for style in STYLES if style[0] == words
        and (found := layout(topology, room, *style)) is not None
    )  # fmt: skip


def test_the_drawing_of_the_reference():
    """Should look like this."""
    scenario = read_scenario(ROOT / PAPER)
    status = dict(zip(("GW", "Web", "WS", "DB", "BK"), "XCDIZ"))
    text = drawing(topology(scenario, chosen()), status, 79).plain
    assert "\n".join(line.rstrip() for line in text.split("\n")) == REFERENCE.strip("\n")


REFERENCE = """
                     ┌───────────────┐
                  ┌─▶│ Web           ├─┐
┌─entry─────────┐ │  │ C clean       │ │  ╔═critical══════╗   ╔═critical══════╗
│ GW            ├─┤  └───────────────┘ └─▶║ DB            ╟──▶║ BK            ║
│ X compromised │ │          ▼         ┌─▶║ I isolated    ║   ║ Z destroyed   ║
└───────────────┘ │  ┌───────────────┐ │  ╚═══════════════╝   ╚═══════════════╝
                  └─▶│ WS            ├─┘
                     │ D detected    │
                     └───────────────┘
"""


def test_large_and_narrow_boards_become_lists():
    """Should list what does not fit, with every host, and stay inside the width."""
    for n, width in ((12, 80), (16, 80), (40, 80), (5, 40)):
        hosts = tuple(f"w{i}" for i in range(n))
        segment = Topology(hosts, tuple(pairwise(hosts)), "w0", ("w3",))
        c = configure(network_game(hosts, segment.links, "w0"), ["G (w3 != Z)"])
        text = io.StringIO()
        Console(file=text, width=width).print(board(c, segment, c.initial, width, frozenset({"w1"})))
        shown = text.getvalue()
        assert max(map(len, shown.splitlines())) <= width
        assert "X compromised" in shown
        assert "w3!" in shown if n > 16 else "critical" in shown
        assert "*w1" in shown


def test_numbered_names_run_together():
    """Should shorten runs of three and more only."""
    assert run_together([]) == ""
    assert run_together(["ws1", "ws2", "db", "ws9", "ws10", "ws11", "x01"]) == "ws1, ws2, db, ws9…ws11, x01"


# -- a real terminal --------------------------------------------------------------------------------


class Terminal:
    """A tmux session of its own server, closed at the end."""

    def __init__(self, folder):
        self.tmux = ["tmux", "-S", str(folder / "socket"), "-f", "/dev/null"]

    def run(self, *args):
        return subprocess.run([*self.tmux, *args], capture_output=True, text=True, timeout=20)

    def screen(self):
        return self.run("capture-pane", "-p", "-S", "-200", "-t", "play").stdout

    def type(self, text):
        self.run("send-keys", "-t", "play", "-l", text)
        self.run("send-keys", "-t", "play", "Enter")

    def wait_for(self, words, count=1, seconds=40):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            screen = self.screen()
            if screen.count(words) >= count:
                return screen
            time.sleep(0.05)
        raise AssertionError(f"{words!r} did not appear:\n{self.screen()}")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_play_through_in_a_real_terminal(tmp_path):
    """Should go from the opening through moves, a hint and an undo to the end, and play it back step by step."""
    terminal = Terminal(tmp_path)
    trace = tmp_path / "play.txt"
    program = f"{shlex.quote(sys.executable)} -m holdfast play {PAPER}"
    shell = f"cd {shlex.quote(str(ROOT))}; PS1=; exec sh"
    assert terminal.run("new-session", "-d", "-s", "play", "-x", "80", "-y", "50", shell).returncode == 0
    try:
        terminal.type(f"{program} --variant no-bypass --moves 8 --save {trace}; echo code $?")
        terminal.wait_for("defender>")
        terminal.type("hint")
        terminal.wait_for("keeps a mean dominance of")
        terminal.type("1")
        terminal.wait_for("move 4 of 8")
        terminal.type("undo")
        terminal.wait_for("taken back")
        for _ in range(4):
            terminal.type("1")
        screen = terminal.wait_for("code 0")
        assert "HELD" in screen
        assert "╔═critical" in screen
        assert max(map(len, screen.splitlines())) <= 80
        terminal.type(f"clear; {program} --replay {trace}; echo code $?")
        terminal.wait_for("Enter: next")
        terminal.type("")
        terminal.wait_for("Enter: next", 2)
        terminal.type("a")
        screen = terminal.wait_for("REPRODUCED")
        terminal.type(f"clear; {program} --against random; echo code $?")
        terminal.wait_for("defender>")
        terminal.run("send-keys", "-t", "play", "C-c")
        terminal.wait_for("code 130")
    finally:
        terminal.run("kill-server")
    assert read_trace(trace).lines[-1].happened == "(end)"


if __name__ == "__main__":
    for title in GOLDEN:
        (PLAYS / f"{title}.txt").write_text(golden_text(title))
