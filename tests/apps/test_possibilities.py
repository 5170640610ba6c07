"""What may be the case in a play: all positions of all plays that look like it, from the definitions."""

from __future__ import annotations

import random

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.apps.play.possibilities import Possibilities
from holdfast.apps.play.session import Match, begin, ending, undone, with_move
from holdfast.game import admissible_moves, is_unsafe
from holdfast.logic.expressions import Player
from holdfast.solver import solve
from seen_plays import look_of

N_GAMES = 40 * TIMES


def alike(session, sight):
    """Where any play ends that shows the defender what this one does; every such play is followed."""
    configuration = session.match.configuration
    look = look_of(configuration, sight)
    names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
    ends = {session.steps[0].position}
    for before, step in zip(session.steps, session.steps[1:], strict=False):
        own = before.position.turn is Player.DEFENDER
        noticed = not own and names[step.action] in sight.noticed
        after = set()
        for position in ends:
            for action, target in admissible_moves(configuration, position).items():
                fits = action == step.action if own or noticed else names[action] not in sight.noticed
                same = is_unsafe(configuration, target) == is_unsafe(configuration, step.position)
                if fits and same and look(target) == look(step.position):
                    after.add(target)
        ends = after
    return ends


def test_possibilities_are_all_that_looks_alike():
    """Should be the same sets after every move, and after moves that were taken back."""
    n_unsure = 0
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        sight = random_sight(rng, configuration)
        match = Match(solve(configuration), limit=12)
        possible, session = Possibilities(match, sight), begin(match)
        while ending(session) is None:
            moves = admissible_moves(configuration, session.position)
            session = with_move(session, rng.choice(list(moves)))
            if rng.random() < 0.2:
                session = undone(session, Player.DEFENDER) or session
            cases = possible.after(session)
            assert session.position in cases
            assert cases == alike(session, sight), seed
            n_unsure += len(cases) > 1
            if rng.random() < 0.1:
                break
    assert n_unsure > 20
