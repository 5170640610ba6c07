"""Environments: the same game as the library's own, step by step; the conventions of PettingZoo and Gymnasium."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

from env_games import RESTING, solution_of
from holdfast import env
from holdfast.apps.play.session import Match, begin
from holdfast.apps.play.strategies import looking_ahead
from holdfast.arena.compiled_rules import play_rules
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.env import constructors, extras
from holdfast.env.many_games import canonical
from holdfast.env.observations import encoding
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.configuration import admissible_moves, is_unsafe
from holdfast.game.protocol import Protocol
from holdfast.logic.expressions import Player
from holdfast.operation.dominance import exact_dominance
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.scenario.reading import configuration as configured, load, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.resets import Resets
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning
from paths import SCENARIOS
from reference_learning import assert_same_run
from stakes import with_stakes
from strategies import random_configuration

with (
    warnings.catch_warnings()
):  # where pygame is installed, its tests import a game in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY
AGENTS = {DEFENDER: "defender_0", ADVERSARY: "adversary_0"}
UNSEEN = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent"
)


PLAYED = ("paper", "water-tank", "twenty hosts")

# -- the twin: the library's own functions, one position at a time ----------------------------------------


def expected_mask(solution, position, kind):
    n = len(solution.configuration.game.actions[position.turn])
    legal = tuple(admissible_moves(solution.configuration, position))
    return {"shield": safe_actions(solution, position), "legal": legal, "none": tuple(range(n))}[kind]


def follow(solution, kind, seed, n_moves):
    """Play at random and compare all there is with the library's own answers; how many moves, resets and ends."""
    subject, rng = solution.configuration, random.Random(seed)
    games = env.games(solution, 1, mask=kind, horizon=n_moves, seed=seed)
    seen, resets, tally = encoding(subject), Resets(solution), np.zeros(3, dtype=int)
    total, done = float(subject.game.mu(games.position().state)), 0
    while True:
        position, flat = games.position(), games.mask[0].tolist()
        assert tuple(a for a, kept in enumerate(flat) if kept) == expected_mask(solution, position, kind)
        legal = admissible_moves(subject, position)
        assert bool(games.resting[0]) == (not legal)
        ones = {seen.names[i] for i in np.flatnonzero(seen.observed(games.table)[0])}
        assert {f"{v.name} = {v.values[c]}" for v, c in zip(subject.game.variables, position.state)} <= ones
        assert len(ones) == len(subject.game.variables) + len(subject.defender) + len(subject.adversary)
        options = [a for a, kept in enumerate(flat) if kept] or [0]
        action = rng.choice(options) if rng.random() < 0.97 else rng.randrange(games.mask.shape[1])
        came, done = games.step([action]), done + 1
        allowed = not legal or (action in legal and (kind != "shield" or flat[action]))
        assert bool(came.forfeited[0]) == (not allowed)
        if not allowed:
            assert games.position() == position and came.terminated[0]
            assert came.reward[0] == (1 if position.turn is ADVERSARY else -1) * (n_moves - done + 1)
            break
        landed = legal[action] if legal else position
        assert (
            games.book.position(games.landed.codes[0], games.landed.automata[0], games.landed.turn[0])
            == landed
        )
        assert bool(came.violated[0]) == is_unsafe(subject, landed)
        if came.violated[0]:
            assert came.reward[0] == -(n_moves - done + 1) and games.dominance()[0] == total / n_moves
            break
        assert came.reward[0] == float(2 * subject.game.mu(landed.state) - 1)
        if came.reset[0]:
            assert is_winning(solution, landed) and games.position() == resets.target(landed)
        else:
            assert games.position() == landed
        tally[:2] += 1, came.reset[0]
        assert bool(came.truncated[0]) == (done == n_moves)
        if done == n_moves:
            assert games.dominance()[0] == total / n_moves
            break
        total += float(subject.game.mu(games.position().state))
        assert games.dominance()[0] == total / (done + 1)
    tally[2] += came.terminated[0]
    return tally


def played_at_random(n, first=0):
    """Games of all kinds, with every mask; how many were played, and their moves, resets and ends."""
    tally, n_games = np.zeros(3, dtype=int), 0
    for seed in range(first, first + n):
        rng = random.Random(seed)
        subject = (
            random_configuration(rng) if seed % 3 == 0 else with_stakes(random_configuration(rng, 600), rng)
        )
        solution = solve(subject)
        for kind in ("shield", "legal", "none"):
            try:
                tally += follow(solution, kind, seed, 25)
                n_games += 1
            except InputError as told:
                words = ("not defensible", "violated at the start", "no action at all", "reset is refused")
                assert any(word in str(told) for word in words), (seed, told)
    return n_games, *tally.tolist()


def test_random_games_are_played_as_the_library_plays_them():
    """Should agree in masks, moves, rests, resets, rewards and ends."""
    n_games, n_moves, n_resets, n_ends = played_at_random(24)
    assert n_games > 30 and n_moves > 400 and n_resets > 5 and n_ends > 1


@pytest.mark.parametrize("name", [*PLAYED, "resting", "patrol-robot"])
def test_scenarios_are_played_as_the_library_plays_them(name):
    solution = solution_of(name)
    for kind in ("shield", "legal", "none") if solution.defensible else ("legal", "none"):
        assert sum(follow(solution, kind, seed, 40)[0] for seed in range(2)) > 4


def test_positions_have_their_canonical_numbers():
    """Should be the order in which an arena lists them."""
    solution = solution_of("paper")
    arena, book = shielded_arena(solution), play_rules(solution)
    games = env.games(solution, arena.n_positions)
    for v in range(arena.n_positions):
        position = arena.position(v)
        games.table.codes[v] = position.state
        games.table.automata[v] = [*position.q_defender, *position.q_adversary]
        games.table.turn[v] = arena.mover[v]
    assert (np.diff(canonical(book, games.table)) > 0).all()


def test_many_games_are_many_single_games():
    """Should go the same way, a game that ended waiting for the others."""
    solution, rng = solution_of("paper"), np.random.default_rng(3)
    together = env.games(solution, 7, mask="legal", horizon=30, reset=0.0)
    alone = [env.games(solution, 1, mask="legal", horizon=30, reset=0.0) for _ in range(7)]
    going = np.full(7, True)
    for _ in range(30):
        actions = (rng.random(together.mask.shape) * together.mask).argmax(axis=1)
        came = together.step(actions, going)
        for i in np.flatnonzero(going):
            own = alone[i].step([actions[i]])
            assert (own.reward[0], own.over[0]) == (came.reward[i], came.over[i])
            assert alone[i].position() == together.position(i)
            assert alone[i].dominance()[0] == together.dominance()[i]
            assert (alone[i].mask[0] == together.mask[i]).all()
        going &= ~came.over
    assert not going.any()


# -- the paper's protocol through the environment ---------------------------------------------------------


class TableLearner:
    """Minimax Q-learning as the paper has it, on nothing but what the environment gives."""

    def __init__(self, game, protocol, seed):
        self.game, self.protocol, self.rng = game, protocol, np.random.RandomState(seed)
        self.tables = {player: {} for player in Player}

    def q(self, player, seen):
        """The row of Q of what is seen."""
        key = seen["observation"].tobytes()
        if key not in self.tables[player]:
            self.tables[player][key] = np.full(len(seen["action_mask"]), self.protocol.q_initial)
        return self.tables[player][key]

    def run(self):
        protocol, game, means, epsilon = self.protocol, self.game, [], self.protocol.epsilon
        for _ in range(protocol.episodes):
            game.unwrapped.np_random = self.rng
            game.reset()
            while not game.truncations["defender_0"]:
                self.move(epsilon)
            means.append(game.infos["defender_0"]["dominance"])
            epsilon = max(epsilon - protocol.decay, protocol.epsilon_min)
        return means

    def move(self, epsilon):
        game, protocol = self.game, self.protocol
        agent = game.agent_selection
        i = DEFENDER if agent == "defender_0" else ADVERSARY
        seen = game.observe(agent)
        row, safe = self.q(i, seen), np.flatnonzero(seen["action_mask"])
        if self.rng.random_sample() < epsilon:
            action = int(self.rng.choice(safe))
        else:
            action = int(safe[row[safe].argmax()])
        game.step(action)
        after = game.infos[game.agent_selection].get("landed") or game.observe(AGENTS[i.opponent])
        # At the end of an episode the environment shows no mask any more, but the paper still looks ahead.
        mask = game.unwrapped.games.landed_mask() if game.truncations[agent] else after["action_mask"]
        best, old = float(self.q(i.opponent, after)[mask == 1].max()), float(row[action])
        row[action] = old + protocol.alpha * (game.rewards[agent] + protocol.gamma * (-best) - old)


def assert_as_compiled(protocol, seed):
    solution = solution_of("paper")
    training = train(solution, replace(protocol, seeds=(seed,)))
    game = env.aec(solution, observe="state", horizon=protocol.steps)
    learner = TableLearner(game, protocol, seed)
    means = learner.run()
    codes = {}
    for row in training.arena.codes:
        ones = np.zeros(25, dtype=np.int8)
        ones[np.arange(5) * 5 + row] = 1
        codes[ones.tobytes()] = tuple(row.tolist())
    tables = {
        p: {(codes[s], a): q for s, row in own.items() for a, q in enumerate(row) if q != protocol.q_initial}
        for p, own in learner.tables.items()
    }
    assert_same_run(training, seed, means, tables)


def test_the_protocol_through_the_environment_is_the_compiled_learner():
    """Should learn the same tables and the same means, to the last bit, on the paper's own stream."""
    assert_as_compiled(Protocol(episodes=8, steps=250, window=1), 7)


# -- conventions -----------------------------------------------------------------------------------------


@UNSEEN
@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("mask", ["shield", "legal"])
def test_pettingzoo_accepts_the_environment(name, mask, capsys):
    solution = solution_of(name)
    api_test(env.aec(solution, mask=mask, horizon=40), num_cycles=60)
    seed_test(lambda: env.aec(solution, mask=mask, horizon=40), num_cycles=60)
    game = env.aec(solution, horizon=9)
    game.reset(seed=4)
    names = game.metadata["action_names"]
    assert names["defender_0"] == [a.name for a in solution.configuration.game.actions[DEFENDER]]
    assert game.action_space("defender_0") == game.action_space("adversary_0")
    assert game.state_space.contains(game.state())
    for made, agent in enumerate(game.agent_iter()):
        seen, _, terminated, truncated, info = game.last()
        assert (terminated, truncated) == (False, made >= 9) and info["moves"] == min(made, 9)
        assert (
            not game.observe(AGENTS[DEFENDER if agent == "adversary_0" else ADVERSARY])["action_mask"].any()
            or truncated
        )
        game.step(None if truncated else int(seen["action_mask"].argmax()))


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("role", ["defender", "adversary"])
def test_gymnasium_accepts_the_environment(name, role):
    opponent = "greedy" if role == "defender" else "random"
    made = env.gym(solution_of(name), role=role, opponent=opponent, horizon=40, render_mode="ansi")
    check_env(made, skip_render_check=True)
    assert made.reset(seed=1)[0].shape == made.observation_space.shape and "to move" in made.render()


def test_rewards_are_opposite_and_add_up():
    """Should pay the defender 2μ(s') − 1 a move, and the single role the sum of its exchange."""
    solution = solution_of("paper")
    game = env.aec(solution, horizon=60, reset=0.0)
    game.reset(seed=2)
    total = 0.0
    while not any(game.truncations.values()):
        game.step(int(game.observe(game.agent_selection)["action_mask"].argmax()))
        assert game.rewards["defender_0"] == -game.rewards["adversary_0"]
        total += game.rewards["defender_0"]

    def first(_, masks):
        return masks.argmax(axis=1)

    for role, sign in (("defender", 1), ("adversary", -1)):
        single = env.gym(solution, role=role, opponent=first, horizon=60, reset=0.0)
        single.reset(seed=2)
        paid, truncated = 0.0, False
        while not truncated:
            _, reward, terminated, truncated, info = single.step(int(single.action_masks().argmax()))
            paid += reward
            assert not terminated
        assert paid == pytest.approx(sign * total) and info["moves"] == 60
        assert info["dominance"] == game.infos["defender_0"]["dominance"]


def test_an_action_outside_the_mask_forfeits_the_game():
    """Should end it as PettingZoo's own games do, lost by the offender, with the state as it was."""
    game = env.aec(solution_of("paper"), horizon=50)
    game.reset(seed=1)
    names = game.metadata["action_names"]
    game.step(names["adversary_0"].index("spread(Web)"))
    before = game.unwrapped.position
    wrong = int(np.flatnonzero(game.observe("defender_0")["action_mask"] == 0)[0])
    game.step(wrong)
    assert game.unwrapped.position == before
    assert game.terminations == {"adversary_0": True, "defender_0": True}
    assert game.rewards == {"adversary_0": 49.0, "defender_0": -49.0}
    assert game.infos["defender_0"]["forfeit"] and not game.infos["defender_0"]["violation"]
    with pytest.raises(AssertionError):
        game.reset()
        game.step(99)


def test_without_the_shield_the_requirement_can_be_violated():
    """Should end in a violation that costs all the moves left; the optimal attacker needs rank moves for it."""
    single = env.gym(solution_of("paper"), mask="none", opponent="optimal", horizon=200)
    single.reset(seed=1)
    terminated = False
    while not terminated:
        _, reward, terminated, truncated, info = single.step(0)
        assert not truncated
    assert info["violation"] and is_unsafe(single.games.book.configuration, single.position)
    assert reward <= -(200 - info["moves"]) and info["dominance"] < 0.2
    lost = env.gym(load(SCENARIOS / "indefensible.yaml"), mask="legal", horizon=200)
    lost.reset(seed=1)
    rank = lost.games.book.solution.initial_rank
    terminated = False
    while not terminated:
        _, _, terminated, _, info = lost.step(0)
    assert info["moves"] <= rank


def test_a_player_without_moves_is_not_asked():
    """Should let play rest until a reset, never with an empty mask, every rest a move."""
    game = env.aec(solution_of("resting"), horizon=300)
    game.reset(seed=5)
    n_asked = 0
    while not any(game.truncations.values()):
        mask = game.observe(game.agent_selection)["action_mask"]
        assert mask.any()
        n_asked += 1
        game.step(int(mask.argmax()))
    assert 20 < n_asked < 300 and game.infos["defender_0"]["moves"] == 300
    single = env.gym(solution_of("resting"), opponent="random", horizon=300)
    single.reset(seed=5)
    truncated = False
    while not truncated:
        assert single.action_masks().any()
        _, _, _, truncated, info = single.step(0)
    assert info["moves"] == 300


# -- opponents -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("horizon", [1, 60])
def test_two_optimal_players_come_to_the_exact_value(horizon):
    solution = solution_of("paper")
    exact = exact_dominance(shielded_arena(solution), Protocol(steps=horizon, reset_probability=0.0)).value
    games = env.games(solution, 2, horizon=horizon, reset=0.0)
    play = constructors.mover("optimal", DEFENDER, games.book, games.terms, encoding(solution.configuration))
    actions = np.zeros(2, dtype=np.int32)
    for _ in range(horizon):
        play(games, np.full(2, True), actions)
        came = games.step(actions)
    assert came.truncated.all() and games.dominance() == pytest.approx([exact, exact], abs=1e-12)


def test_the_greedy_attacker_is_the_one_that_people_play_against():
    """Should choose what the plain rule of plays chooses."""
    for name in ("paper", "twenty hosts"):
        solution = solution_of(name)
        rule = looking_ahead(solution)
        games, rng = env.games(solution, 1, horizon=100, seed=1), random.Random(2)
        play = constructors.mover(
            "greedy", ADVERSARY, games.book, games.terms, encoding(solution.configuration)
        )
        for _ in range(60 if name == "paper" else 14):
            options = np.flatnonzero(games.mask[0]).tolist()
            action = np.array([rng.choice(options)], dtype=np.int32)
            if games.table.turn[0] == 1:
                session = replace(
                    begin(Match(solution)),
                    steps=(replace(begin(Match(solution)).steps[0], position=games.position()),),
                )
                play(games, np.array([True]), action)
                assert action[0] == rule(session).action
            games.step(action)


def test_learned_tables_play_their_greedy_policy():
    solution = solution_of("paper")
    training = train(solution, Protocol(episodes=30, steps=200, window=1, seeds=1))
    policies, arena = greedy_policies(training, 1), training.arena
    chosen = greedy_actions(arena, policies)
    single = env.gym(solution, role="adversary", opponent=policies, horizon=80)
    single.reset(seed=1)
    asked = []
    inner = single._exchange.replies

    def spying(games, rows, out):
        inner(games, rows, out)
        asked.append((games.position(), int(out[0])))

    single._exchange.replies = spying
    truncated = False
    while not truncated:
        truncated = single.step(int(np.flatnonzero(single.action_masks())[-1]))[3]
    assert len(asked) > 30
    assert all(chosen[arena.number(position)] == action for position, action in asked)


def test_the_vector_environment_is_many_single_ones():
    """Should go as single ones go where nothing is left to chance, and begin again in the step that ends."""
    solution = solution_of("paper")

    def last(_, masks):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    many = env.vector(solution, 3, opponent=last, horizon=20, reset=0.0)
    single = env.gym(solution, opponent=last, horizon=20, reset=0.0)
    seen, _ = many.reset(seed=1)
    one, _ = single.reset(seed=1)
    assert many.observation_space.contains(seen)
    rng, n_ended = np.random.default_rng(1), 0
    for _ in range(25):
        assert (seen[0] == one).all() and (many.action_masks()[0] == single.action_masks()).all()
        actions = (rng.random((3, 25)) * many.action_masks()).argmax(axis=1)
        seen, rewards, _, truncated, info = many.step(actions)
        one, reward, _, over, told = single.step(actions[0])
        assert rewards[0] == reward and truncated[0] == over
        if over:
            n_ended += 1
            assert (info["final_obs"][0] == one).all()
            assert info["final_info"]["dominance"][0] == told["dominance"]
            one, _ = single.reset()
    assert n_ended == 2


# -- made in other ways, and mistakes -------------------------------------------------------------------


def test_pictures_are_of_one_size_and_show_the_state():
    for name in ("paper", "water-tank", "twenty hosts"):
        game = env.aec(solution_of(name), horizon=5, render_mode="rgb_array")
        game.reset(seed=1)
        before = game.render()
        for _ in range(3):
            options = np.flatnonzero(game.observe(game.agent_selection)["action_mask"])
            game.step(int(options[len(options) // 2]))
        after = game.render()
        assert before.shape == after.shape == (450, 800, 3) and before.dtype == np.uint8
        assert (before != after).any() and (before != 255).any()
    game = env.aec(solution_of("paper"), render_mode="ansi")
    game.reset()
    assert "GW    X compromised" in game.render() and "move 0 of 1000, adversary to move" in game.render()


def test_its_names_are_listed():
    """Should show a shell and an editor what there is, although it is imported late."""
    import holdfast.env

    assert set(holdfast.env.__all__) <= set(dir(holdfast.env))


def test_it_is_registered_by_id():
    made = gymnasium.make("Holdfast-v0", scenario="paper", opponent="random", horizon=10)
    seen, _ = made.reset(seed=1)
    assert made.observation_space.contains(seen) and made.unwrapped.role is DEFENDER
    both = pettingzoo.make("aec", "Holdfast-v0", scenario="water-tank", horizon=10)
    both.reset(seed=1)
    assert both.agents == ["adversary_0", "defender_0"]
    file = str(SCENARIOS / "paper.yaml")
    many = gymnasium.make_vec("Holdfast-v0", num_envs=2, vectorization_mode="vector_entry_point",
                              scenario=file, variant="no-bypass", opponent="random")  # fmt: skip
    assert many.num_envs == 2 and many.reset(seed=1)[0].shape[0] == 2


MISTAKES = {
    "mask": (lambda: env.aec(solution_of("paper"), mask="sheild"), 'did you mean "shield"'),
    "observe": (lambda: env.aec(solution_of("paper"), observe="all"), '"all" cannot be observed'),
    "horizon": (lambda: env.aec(solution_of("paper"), horizon=0), "steps is 0"),
    "reset": (lambda: env.aec(solution_of("paper"), reset=2), "reset_probability is 2"),
    "render": (lambda: env.aec(solution_of("paper"), render_mode="text"), 'no render mode "text"'),
    "role": (lambda: env.gym(solution_of("paper"), role="attacker"), 'there is no role "attacker"'),
    "opponent": (lambda: env.gym(solution_of("paper"), opponent="best"), "there is no opponent 'best'"),
    "greedy": (lambda: env.gym(solution_of("paper"), role="adversary", opponent="greedy"), "greedy is an attacker"),
    "games": (lambda: env.games(solution_of("paper"), 0), "the number of games is 0"),
    "nothing": (lambda: env.aec("paper.yaml"), "what is to be played is 'paper.yaml'"),
    "lost": (lambda: env.aec(load(SCENARIOS / "indefensible.yaml")), "not defensible"),
    "actions": (lambda: env.games(solution_of("paper"), 2).step([1]), "a whole number for each of 2 games"),
    "scenario": (lambda: gymnasium.make("Holdfast-v0", scenario="papr"), 'did you mean "paper"'),
}  # fmt: skip


@pytest.mark.parametrize("label", MISTAKES)
def test_mistakes_are_told(label):
    mistake, words = MISTAKES[label]
    with pytest.raises(InputError) as told:
        mistake()
    assert words in str(told.value)


def test_an_opponent_that_does_not_play_by_the_rules_is_told():
    with pytest.raises(InputError, match="the opponent chose action 24, which the mask forbids, at GW = "):
        env.gym(solution_of("paper"), opponent=lambda seen, masks: np.full(len(seen), 24)).reset()
    with pytest.raises(InputError, match=r"in each of 1 games and returned int8 of shape \(25,\)"):
        env.gym(solution_of("paper"), opponent=lambda seen, masks: masks[0]).reset()
    with pytest.raises(LimitError, match="play against greedy"):
        env.gym(solution_of("twenty hosts"), opponent="optimal")


def test_a_refused_reset_is_told():
    text = RESTING.replace("specs:", 'specs:\n  defender: ["G (times(reset) <= 9)"]')
    games = env.games(configured(scenario_from_text(text)), 1, seed=1, horizon=200)
    with pytest.raises(ModelError, match="it would erase what defender clause 1"):
        for _ in range(200):
            games.step([1 if games.position().turn is DEFENDER and games.mask[0, 1] else 0])


@pytest.mark.parametrize("make", ["aec", "gym", "vector"])
def test_without_the_extra_its_name_is_told(make, monkeypatch):
    """Should name the extra that brings the library, and leave the compiled games alone."""
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    arguments = (2,) if make == "vector" else ()
    with pytest.raises(
        InputError, match=r"needs gymnasium, which is not installed; pip install 'holdfast\[rl\]'"
    ):
        getattr(env, make)(solution_of("paper"), *arguments)
    assert env.games(solution_of("paper"), 1).mask.any()
