"""Plays on the canvas: positions, whose turn it is, what may be done there, and the optimal opponent.

A *story* is the play that says why: the attack on a lost design, or how the attacker of a held one is got out
or stays, with a sentence for each move and the replies by what comes of them.

The moves of the viewer come with the request; those of the other side are filled in by perfect play. Nothing
is left to chance: no engagement is reset while somebody plays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from holdfast.apps.play.session import Event, Match, Session, Step, ending, is_resting, with_move, with_rest
from holdfast.apps.play.strategies import Setting, optimal, prepare
from holdfast.apps.services.animation import storyboard
from holdfast.apps.studio.bench import Bench
from holdfast.errors import InputError, did_you_mean
from holdfast.explanation import changed_in_words, move_sentence
from holdfast.game import Configuration, Position, Protocol, drawn_graph, is_admissible
from holdfast.logic import Player
from holdfast.report import shut_arrows
from holdfast.solver import Solution, rank, verdicts

LEAST = 64
"""Moves for which perfect play is worked out at once; then twice as many, and so on."""

SIDES = {
    "defender": {Player.DEFENDER},
    "adversary": {Player.ADVERSARY},
    "both": set(Player),
    "none": set[Player](),
}


def line_of_play(bench: Bench, body: Mapping[str, Any]) -> dict[str, Any]:
    """The play so far with the moves of the other side filled in, and what may be done next."""
    key, length = (body["scenario"], body.get("variant")), body["length"]
    moves = max(LEAST, 1 << (len(body.get("from") or ()) + length - 1).bit_length())
    setting = bench.setting((*key, moves), lambda: _setting(bench, *key, moves))
    session = _played(setting, body, length)
    over = ending(session)
    here = session.position
    return {
        "positions": list(_positions(setting.solution, session)),
        "mover": None if over is not None else str(here.turn),
        "actions": [] if over is not None else list(_actions(setting.solution, here)),
        "over": over,
        "notes": list(setting.notes),
    }


def story(bench: Bench, body: Mapping[str, Any]) -> dict[str, Any]:
    """The play that says why, in scenes; ``told`` is null where a held design has no goal to speak of."""
    solution = bench.solution(body["scenario"], body.get("variant"))
    board = storyboard(solution, body.get("defense") == "acting", body.get("goal"), bench.budget)
    if board is None:
        return {"told": None, "positions": []}
    positions = [_position(solution, position) for position in board.positions]
    for before, after, scene in zip(positions, positions[1:], board.scenes, strict=False):
        before["replies"] = [asdict(group) for group in scene.replies]
        told = {"player": scene.player, "action": scene.action, "sentence": scene.sentence}
        after["move"] = {**told, "aside": scene.aside, "left": scene.left, "breaks": list(scene.breaks)}
    return {
        "told": board.told,
        "title": board.title,
        "ending": board.ending,
        "repeats": board.repeats,
        "positions": positions,
    }


def _setting(bench: Bench, text: str, variant: str | None, length: int) -> Setting:
    solution = bench.solution(text, variant)
    if not solution.defensible:
        return Setting(solution, None, None, ())
    return prepare(solution.configuration, Protocol(steps=1), length, bench.budget)


def _played(setting: Setting, body: Mapping[str, Any], length: int) -> Session:
    """The play: the moves that are given, those of the viewer, and the opponent's."""
    solution, given, own = setting.solution, deque(body.get("from") or ()), deque(body.get("moves") or ())
    match = Match(solution, limit=len(given) + length)
    session = Session(match, (Step(Event.START, solution.configuration.initial),))
    other, viewers = optimal(solution, setting.perfect), SIDES[body["side"]]
    while ending(session) is None:
        turn = session.position.turn
        if is_resting(solution.configuration, session.position):
            session = with_rest(session)
        elif given:
            session = with_move(session, _action(solution, turn, given.popleft()))
        elif turn not in viewers:
            session = with_move(session, other(session).action)
        elif own:
            session = with_move(session, _action(solution, turn, own.popleft()))
        else:
            break
    if given or own:
        raise InputError(f"the play is over before {(given or own)[0]}: {ending(session)}")
    return session


def _action(solution: Solution, player: Player, name: str) -> int:
    names = [action.name for action in solution.configuration.game.actions[player]]
    if name not in names:
        raise InputError(f'the {player} has no action "{name[:80]}"{did_you_mean(name, names)}')
    return names.index(name)


def _positions(solution: Solution, session: Session) -> Iterator[dict[str, Any]]:
    """Every position of the play, with the move that led to it."""
    before: Position | None = None
    for step in session.steps:
        move = None
        if before is not None:
            move = _move(solution, before, step)
        yield _position(solution, step.position) | {"move": move}
        before = step.position


def _move(solution: Solution, before: Position, step: Step) -> dict[str, Any]:
    configuration = solution.configuration
    told = {"player": str(before.turn), "action": None, "change": "out of moves"}
    if step.action is None:
        return {**told, "sentence": f"The {before.turn} is out of moves."}
    system = configuration.system
    return told | {
        "action": configuration.game.actions[before.turn][step.action].name,
        "change": changed_in_words(system, before, step.action, step.position),
        "sentence": move_sentence(system, before, step.action, step.position),
    }


def _position(solution: Solution, position: Position) -> dict[str, Any]:
    configuration = solution.configuration
    game, graph = configuration.game, drawn_graph(configuration)
    values = {v.name: str(v.values[q]) for v, q in zip(game.variables, position.state, strict=True)}
    clauses = [
        {
            "side": str(side),
            "label": clause.label,
            "state": clause.automaton.states[q],
            "accepting": bool(clause.automaton.accepting[q]),
        }
        for side, states in ((Player.DEFENDER, position.q_defender), (Player.ADVERSARY, position.q_adversary))
        for clause, q in zip(configuration.clauses(side), states, strict=True)
    ]
    return {
        "values": values,
        "clauses": clauses,
        "mover": str(position.turn),
        "rank": rank(solution, position),
        "shut": sorted(map(list, shut_arrows(graph, values))) if graph is not None else [],
    }


def _changed(configuration: Configuration, before: Position, after: Position) -> dict[str, str]:
    """The variables that a move changes, with what they become."""
    pairs = zip(configuration.game.variables, before.state, after.state, strict=True)
    return {variable.name: str(variable.values[new]) for variable, old, new in pairs if old != new}


def _actions(solution: Solution, position: Position) -> Iterator[dict[str, Any]]:
    """What the mover may do: for the defender what is safe, for the adversary what is admissible."""
    configuration = solution.configuration
    for verdict in verdicts(solution, position):
        safe, why = verdict.permitted, verdict.reason
        if position.turn is Player.ADVERSARY and verdict.target is not None:
            safe = is_admissible(configuration, verdict.target)
            why = "" if safe else why
        target = verdict.target
        yield {
            "name": configuration.game.actions[position.turn][verdict.action].name,
            "safe": safe,
            "rank": verdict.rank,
            "why": why or None,
            "after": _changed(configuration, position, target) if target is not None else {},
            "effect": changed_in_words(configuration.system, position, verdict.action, target)
            if target is not None
            else "",
        }
