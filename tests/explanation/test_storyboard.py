"""Plays as one sees them: each is replayed on the literal game, and every reply stands in one group."""

from __future__ import annotations

import random
from collections import Counter

from cases import TIMES
from holdfast.explanation.storyboard import attack_storyboard, recovery_storyboard
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration as configuration_of, read_scenario
from holdfast.solver.engines import solve
from paths import SCENARIOS
from reference import Product
from strategies import random_configuration, with_chance, with_random_goal

N_GAMES = 60 * TIMES


def test_an_attack_is_forced_and_its_replies_are_all_told():
    """Should end in a violation after as many moves as the rank says, and give each reply the rank that it has."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(f"storyboard {seed}")
        change = with_chance if seed % 4 == 3 else lambda rng, game: game
        configuration = random_configuration(rng, 60, change)
        solution = solve(configuration)
        if solution.defensible:
            continue
        oracle, game = Product(configuration), configuration.game
        names = {player: [action.name for action in game.actions[player]] for player in Player}
        for acting in (False, True):
            board = attack_storyboard(solution, acting)
            here = oracle.initial
            for scene in board.scenes:
                moves = oracle.admissible(here)
                target = moves[names[here[1]].index(scene.action)]
                assert (scene.player, scene.left) == (str(here[1]), oracle.rank[target])
                assert oracle.rank[target] < oracle.rank[here]
                if here[1] is Player.DEFENDER:
                    told = [name for group in scene.replies for name in group.actions]
                    assert len(told) == len(set(told)) and scene.action in told
                    assert sum(group.taken for group in scene.replies) == 1
                    ranks = {name: oracle.rank[moves[names[Player.DEFENDER].index(name)]] for name in told}
                    for group in scene.replies:
                        assert group.rank == max(ranks[name] for name in group.actions)
                    assert acting or ranks[scene.action] == max(ranks.values())
                    seen["replies"] += 1
                here = target
            assert oracle.rank[here] == 0
            assert acting or len(board.scenes) == oracle.rank[oracle.initial]
            seen["acting" if acting else "slowest"] += bool(board.scenes)
    assert seen["replies"] and seen["slowest"] and seen["acting"], seen


def test_the_way_to_a_goal_is_the_one_that_is_explained():
    """Should have the positions of the play, in order, and say never where there is none."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(f"storyboard of a goal {seed}")
        configuration = with_random_goal(rng, random_configuration(rng, 60))
        solution = solve(configuration)
        if not solution.defensible:
            continue
        board, oracle = recovery_storyboard(solution, "goal"), Product(configuration)
        here = oracle.initial
        for scene in board.scenes:
            names = [action.name for action in configuration.game.actions[here[1]]]
            here = oracle.admissible(here)[names.index(scene.action)]
            assert scene.position.state == here[0] and not scene.breaks
        assert board.ending
        seen[board.told] += bool(board.scenes)
    assert seen["trap"] and seen["eviction"], seen


def test_the_library_is_told_in_words():
    """Should speak of hosts in the words of the model, never in its letters, and group what comes to the same."""
    plant = solve(configuration_of(read_scenario(SCENARIOS / "plant.yaml")))
    board = attack_storyboard(plant)
    assert board.title == "The attack succeeds within 9 moves, whatever the defender does."
    assert board.scenes[1].sentence == "The defender isolates Jump: Jump is now isolated."
    assert board.scenes[1].aside == "Anything else loses sooner."
    told = [f"{group.words}: {group.outcome}" for group in board.scenes[1].replies]
    assert told == [
        "isolate Jump: lost within 7 moves",
        "do nothing: lost within 5 moves",
        "monitor VPN, or isolate 9 of 12: lost within 5 moves",
        "isolate Eng or SCADA: breaks the requirement at once",
    ]
    assert board.ending == "That breaks “the safety system is never compromised”."
    paper = read_scenario(SCENARIOS / "paper.yaml")
    trap = recovery_storyboard(solve(configuration_of(paper)), "evicted")
    assert (trap.told, trap.title) == ("trap", "The attacker can stay for ever.")
    assert trap.ending == "This continues for ever: DB isolated; BK clean; all others compromised."
    way = recovery_storyboard(solve(configuration_of(paper, "no-bypass")), "evicted")
    assert way.title == "The attacker is driven out within 4 moves, whatever the attacker does."
    assert [scene.left for scene in way.scenes] == [3, 2, 1, 0]
    grid = attack_storyboard(solve(configuration_of(read_scenario(SCENARIOS / "fourteen-bus.yaml"))))
    assert "T4-7, T4-9, T5-6 and T7-9 change from up to tripped; " in grid.scenes[0].sentence
    assert ": L1-2, L1-5 and 15 more change from up to tripped; B1, B2 and" in grid.scenes[2].sentence
