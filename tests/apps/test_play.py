"""Playing the solved game: rules, strategies, traces, the board and the conversation.

The golden plays in ``tests/plays`` are regenerated and compared; ``PYTHONPATH=tests/support python tests/apps/test_play.py``
writes them anew.
"""

from __future__ import annotations

import functools
import hashlib
import random
import re
import threading
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from budgets import watched
from holdfast.apps.play import dialogue, perfect, strategies
from holdfast.apps.play.dialogue import Sitting
from holdfast.apps.play.effort import effort_at, getting_out, raised, still_needed
from holdfast.apps.play.menu import Standing, find, menu_of
from holdfast.apps.play.perfect import best, bounded_play, mean_in_words, perfect_play, worth
from holdfast.apps.play.screen import opening, rendered, turn
from holdfast.apps.play.session import (
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
from holdfast.apps.play.strategies import (
    Choice,
    at_random,
    forced_line,
    forcing,
    learned,
    looking_ahead,
    optimal,
    played,
    prepare,
    ready,
)
from holdfast.apps.play.trace import (
    FIRST_LINE,
    Difference,
    Trace,
    TraceLine,
    match_of,
    parse_trace,
    print_trace,
    read_trace,
    replayed,
    save_trace,
    trace_of,
)
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.actions import Reset
from holdfast.game.configuration import admissible_moves, configure, is_unsafe, move
from holdfast.game.protocol import Protocol
from holdfast.logic.compile import compile_formula
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import Member, Player, Symbol
from holdfast.models.network.game import network_game
from holdfast.operation.brackets.value_plays import ValuePlay
from holdfast.operation.dominance import exact_dominance, optimal_actions
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.scenario.reading import configuration, learning, load, read_scenario
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import rank
from paths import ROOT
from strategies import random_configuration
from variations import with_boundary, with_game

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
    return prepare(chosen(file, variant), settings, n_moves)


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
    """Should play perfect play the same way each time; this file, run as a program, writes them anew."""
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
    solution = solve(with_game(c, replace(c.game, reset=reset)))
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
    resetting = with_game(c, replace(c.game, reset=reset))
    session = begin(Match(solve(resetting), 1, 9))
    assert rank(session.match.solution, session.position) == 6
    end = played(session, both(optimal(session.match.solution, None)))
    assert {step.event for step in end.steps[1:]} == {Event.MOVE}
    assert end.n_moves == 6
    kept = begin(Match(solve(with_boundary(resetting, (never(c, "step"),))), 1, 9))
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
    assert ending(session) == "the adversary has no moves left"
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
    for seed in range(2 if name == "random" else 1):
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
    """Should hold in games of any form, for the simple rule and for random safe play."""
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
    if open_reset and game.reset is not None and reader(game.reset.when, game.places)(position.state):
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
    still = solve(with_game(c, replace(c.game, reset=None)))
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
    """The simple rule from its description, without sharing anything."""
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


def large_configuration():
    """Sixteen hosts in a chain: too many positions to list."""
    hosts = [f"h{i}" for i in range(16)]
    return configure(network_game(hosts, list(pairwise(hosts)), "h0", Fraction(0)), ["G (h15 != Z)"])


def test_a_large_game_is_played_by_value_brackets():
    """Should play sixteen hosts as well as the bracket says, and tell what its moves are sure of."""
    setting = prepare(large_configuration(), Protocol(), 10)
    assert isinstance(setting.perfect, ValuePlay) and setting.perfect.is_closed and not setting.notes
    strategy = optimal(setting.solution, setting.perfect)
    session = begin(Match(setting.solution, 1, 10))
    assert re.search(
        r"at most 0\.\d{3} over the 10 moves left, whatever the defender does", strategy(session).why
    )
    end = played(session, both(strategy))
    assert float(mean_dominance(end)) == pytest.approx(sum(setting.perfect.mean) / 2, abs=1e-5)
    shown = rendered(opening("Sixteen", setting, Player.DEFENDER, "optimal", 10))
    assert f"dominance {mean_in_words(setting.perfect)} over 10 moves" in " ".join(shown.split())
    advised = why(setting, make_move(session, strategy(session).action))
    assert "The defender is then sure of a mean of at least 0." in advised


def why(setting, session):
    """What a defender is told who asks about the best move."""
    adviser = optimal(setting.solution, setting.perfect)
    sitting = Sitting(Player.DEFENDER, adviser, adviser, setting, str, str, lambda session: None)
    return dialogue._worth(sitting, session, adviser(session).action)


def test_a_large_game_falls_back_and_says_so():
    """Should play by the simple rule where value diagrams have no time."""

    def impatient(doing):
        if doing.startswith("value diagrams"):
            raise LimitError("the time ran out")

    c = large_configuration()
    setting = prepare(c, Protocol(), 10, watched(impatient))
    assert setting.perfect is None
    assert "simple rule" in setting.notes[0]
    end = played(begin(Match(setting.solution, 1, 10)), both(optimal(setting.solution, None)))
    assert end.n_moves == 10
    assert not is_unsafe(c, end.position)


# -- perfect play beside the play -------------------------------------------------------------------


def begun_early(monkeypatch, outcome):
    """A setting whose perfect play is pending, and what lets it end; ``outcome`` gives what it then comes to."""
    release, begun = threading.Event(), threading.Event()

    def slow(solution, n_moves, budget):
        begun.set()
        while not release.wait(0.001):
            budget.tick("bounds of DDR*")
        return outcome(solution, n_moves, budget)

    monkeypatch.setattr(strategies, "is_listable", lambda solution: False)
    monkeypatch.setattr(perfect, "bounded_play", slow)
    setting = prepare(chosen(variant="no-bypass"), Protocol(), 8, Budget(memory=1 << 24), patience=0.0)
    assert begun.wait(20) and setting.perfect is None and "still being computed" in setting.notes[0]
    return setting, release


def talk(setting, lines):
    """What a defender who types these lines against the optimal adversary is told; a callable is called."""
    told, waiting = [], iter(lines)

    def ask(prompt):
        for line in waiting:
            if isinstance(line, str):
                return line
            line()
        raise EOFError

    adviser = optimal(setting.solution, setting.perfect)
    keep = lambda session: None  # noqa: E731
    sitting = Sitting(Player.DEFENDER, adviser, adviser, setting, told.append, ask, keep)
    dialogue.converse(sitting, begin(Match(setting.solution, 1, 8)))
    return " ".join("".join(told).split())


def test_a_play_begins_before_perfect_play_is_known(monkeypatch):
    """Should say of a hint that it is not the last word, and play and advise perfectly once it can."""
    exact = setting_of(variant="no-bypass", n_moves=8).perfect
    setting, release = begun_early(monkeypatch, bounded_play)

    def found():
        release.set()
        assert setting.pending.awaited(60)

    shown = talk(setting, ["hint", found, "hint", "isolate Web", "why", "quit"])
    before, _, after = shown.partition("Perfect play has been computed")
    assert "looks only one move ahead" in before and "whatever the adversary does" not in before
    mean = f"the mean dominance is {exact.mean:.4f}"
    assert after.startswith(f": between perfect players {mean}. Hints and the adversary go by it")
    assert (
        "looks only one move ahead" not in after
        and "isolate(Web) keeps a mean dominance of at least" in after
    )
    assert re.search(r"The adversary played \S+: it leaves the defender a mean dominance of at most", after)
    assert after.count("Between perfect players it is") == 1


def test_a_move_is_explained_by_what_was_known_then(monkeypatch):
    """Should give the reason of the simple rule for a move that perfect play would not have made."""
    setting, release = begun_early(monkeypatch, bounded_play)
    release.set()
    assert setting.pending.awaited(60)
    known = optimal(setting.solution, ready(setting).perfect)
    session = begin(Match(setting.solution, 1, 8))
    other = next(a for a in safe_actions(setting.solution, session.position) if a != known(session).action)

    def former(session):
        return Choice(other, "was the first that came to mind")

    sitting = Sitting(Player.DEFENDER, known, known, setting, str, str, lambda session: None, former=former)
    told = dialogue._why_last(sitting, make_move(session, other))
    assert told.endswith("it was the first that came to mind.")
    best_move = make_move(session, known(session).action)
    assert "a mean dominance of at most" in dialogue._why_last(sitting, best_move)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (lambda solution, n_moves, budget: None, "could not be computed in time"),
        (lambda *args: Budget.lasting(0.0).tick(), "could not be computed in time"),
        (lambda *args: refuse(ModelError("the reset is odd")), "was not computed: the reset is odd."),
    ],
)
def test_perfect_play_that_does_not_come(monkeypatch, outcome, told):
    """Should go on by the simple rule and say why, once."""
    setting, release = begun_early(monkeypatch, outcome)
    release.set()
    assert setting.pending.awaited(60)
    shown = talk(setting, ["hint", "isolate Web", "hint", "quit"])
    assert shown.count(told) == 1 and shown.count("after the adversary's best reply") == 2
    assert "still being computed" not in shown


def refuse(error):
    raise error


def test_a_fault_beside_the_play_is_not_hidden(monkeypatch):
    """Should end the play with what went wrong in the thread."""
    setting, release = begun_early(monkeypatch, lambda *args: refuse(ZeroDivisionError("a fault")))
    release.set()
    assert setting.pending.awaited(60)
    with pytest.raises(ZeroDivisionError, match="a fault"):
        talk(setting, ["hint"])


def test_who_waits_is_answered_and_who_leaves_ends_the_work(monkeypatch):
    """Should wait for perfect play that comes in time, and stop when the player is gone."""
    exact = setting_of(variant="no-bypass", n_moves=8).perfect
    setting, _ = begun_early(monkeypatch, bounded_play)
    setting.pending.leave()
    assert setting.pending.is_over and ready(setting).perfect is None
    monkeypatch.setattr(perfect, "bounded_play", bounded_play)
    whole = prepare(chosen(variant="no-bypass"), Protocol(), 8, Budget(memory=1 << 24), patience=60.0)
    assert whole.pending is None and whole.perfect.is_closed and not whole.notes
    assert whole.perfect.mean.low - 1e-12 <= exact.mean <= whole.perfect.mean.high + 1e-12
    refusals = iter([ModelError("the reset is odd")])

    def refusing(solution, n_moves, budget):
        for error in refusals:
            raise error
        return bounded_play(solution, n_moves, budget)

    monkeypatch.setattr(perfect, "bounded_play", refusing)
    without = prepare(chosen(variant="no-bypass"), Protocol(), 8, Budget(memory=1 << 24), patience=60.0)
    assert without.solution.configuration.game.reset is None and without.perfect is not None
    assert without.notes == ("the reset is odd. This play goes without it",)


def test_what_value_brackets_promise_is_kept():
    """Should promise each side no more than perfect play gives, wherever play comes to, and often as much."""
    n_promised = n_kept = 0
    for solution in defensible_configurations(12, seed=11):
        if solution.configuration.game.tables is not None:
            continue
        perfect = perfect_play(shielded_arena(solution), 6)
        known = bounded_play(solution, 6, Budget(memory=1 << 24))
        for v in range(perfect.arena.n_positions):
            position = perfect.arena.position(v)
            sign = 1 if position.turn is Player.DEFENDER else -1
            for to_go in (6, 3, 1):
                exact = worth(perfect, position, to_go)
                for action, value in (worth(known, position, to_go) or {}).items():
                    assert sign * value <= sign * exact[action] + 1e-9
                    n_promised, n_kept = n_promised + 1, n_kept + (abs(value - exact[action]) < 1e-4)
    assert n_kept > 0.5 * n_promised > 100


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
    hosts = ["w1", "w10", "w11"]
    wide = configure(network_game(hosts, [], "w1"), [])
    offered = menu_of(solve(wide), wide.initial._replace(turn=Player.DEFENDER))
    assert find(offered, wide, Player.DEFENDER, "is w1")[0].name == "isolate(w1)"
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
        ("(rest)", "does not pause"),
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
    trace = Trace({"seed": "1"}, (TraceLine("start", "X"),))
    for path, message in (
        (other, "is not a play"),
        (tmp_path, "is not a play"),
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


def test_the_effort_still_needed_is_shown_and_a_move_that_raises_it_is_marked():
    """Should tell a defender what is left to do, and what makes it more."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    start, names = solution.configuration.initial, solution.configuration.game.vocabulary.actions
    after = move(solution.configuration, start, names[Player.ADVERSARY].index("spread(Web)"))
    assert effort_at(solution, after) == 2
    menu = menu_of(solution, after)
    warned = {entry.name: entry.warning for entry in menu}
    assert warned["isolate(Web)"] == "raises the effort to 3"
    assert warned["isolate(DB)"] == warned["noop(GW)"] == ""
    assert raised(solution, start, after) == ""  # the adversary's moves are not the defender's to blame
    text = rendered(turn(Session(Match(solution, 1, 40), (Step(Event.START, after),)), menu))
    assert "2 interventions still needed" in text and "raises the effort to 3" in text
    solution.cached("effort takes long", lambda: True)
    assert still_needed(solution, after) == "" and effort_at(solution, after) is None


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        (None, "the attacker cannot be evicted from here"),
        ("no-bypass", "the attacker can be evicted within 3 moves"),
    ],
)
def test_whether_the_attacker_can_be_got_out_is_shown(variant, said):
    """Should tell the recovery rank of the position, once in the game, and not where it takes long."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", variant))
    start, names = solution.configuration.initial, solution.configuration.game.vocabulary.actions
    after = move(solution.configuration, start, names[Player.ADVERSARY].index("spread(Web)"))
    assert getting_out(solution, after) == said
    session = Session(Match(solution, 1, 40), (Step(Event.START, after),))
    assert said in rendered(turn(session, menu_of(solution, after)))
    clean = start._replace(state=tuple(0 for _ in start.state))
    assert getting_out(solution, clean) == "no attacker is inside"
    solution.cached("recovery takes long", lambda: True)
    assert getting_out(solution, after) == ""


def test_outcomes_are_drawn_and_a_trace_has_them():
    """Should come to each outcome with some seed, by the seed and the move alone, and replay from its trace."""
    chance = {"spread": "0.5", "isolate": "0.5"}
    game = network_game(["GW", "Web", "DB"], [("GW", "Web"), ("Web", "DB")], "GW", chance=chance)
    solution = solve(configure(game, ["G (active >= 1)"]))
    names = [action.name for action in game.actions[Player.DEFENDER]]
    isolate = names.index("isolate(GW)")
    entry, action = find(menu_of(solution, solution.configuration.initial._replace(turn=Player.DEFENDER)),
                         solution.configuration, Player.DEFENDER, "isolate GW")  # fmt: skip
    assert action == isolate and entry.effect == "GW X → I with probability 0.5"
    assert not any("fails" in entry.name for entry in menu_of(solution, solution.configuration.initial))
    came = set()
    for seed in range(12):
        session = begin(Match(solution, seed, 12))
        plays = played(session, {player: at_random(solution) for player in Player})
        again = [line for line, _ in replayed(parse_trace(print_trace(trace_of(plays, {}))), plays.match)]
        assert len(again) == len(plays.steps) + 1
        moved = [s for s in plays.steps if s.action is not None]
        came |= {names[s.action] for s, b in zip(moved, plays.steps) if b.position.turn is Player.DEFENDER}
        first = make_move(make_move(session, 0), isolate)
        assert first == make_move(make_move(session, 0), isolate + 1), "the choice is what is made"
    assert {"isolate(GW)", "isolate(GW) fails"} <= came


if __name__ == "__main__":
    for title in GOLDEN:
        (PLAYS / f"{title}.txt").write_text(golden_text(title))
