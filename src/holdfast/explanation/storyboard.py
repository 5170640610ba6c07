"""A play as one sees it: the attack that cannot be stopped, how the attacker is got out, or how it stays.

Each *scene* is a move: who makes it, a sentence that says it, and the position after it. Where the defender
moves in an attack, its replies stand together by what comes of them, so that one reads at a glance that
nothing helps: "do nothing: lost within 7 moves; isolate any of 8: lost sooner".

Two attacks are told. Against the *slowest* defense every reply is one that lasts longest, and among those
one that does something about what has just happened. The *acting* defense does something at each turn, as
well as it can: it shows what becomes of those who do not sit still.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.getting_out import GettingOut, RecoveryMove, getting_out
from holdfast.game import NEVER, Position, System, counted, listed
from holdfast.logic import Player, action_target, action_type
from holdfast.solver import Solution, SolvedGame, change_in_words

StoryKind = Literal["attack", "acting", "eviction", "trap"]
"""An attack against the slowest or the acting defense, the way to a goal, or why there is none."""

NAMED = 3
"""Targets of an action that a group of replies names; more are counted."""

NAMED_TOGETHER = 4
"""Things that change alike and are named; of more the first two are, and the rest is counted."""

TO = {"spread": "spreads to", "walk": "walks", "go": "goes"}
"""Verbs that want another word before what they are about, or none of the usual endings."""


@dataclass(frozen=True)
class ReplyGroup:
    """Replies of the defender of which the same comes.

    Attributes:
        words: what they are, such as ``isolate any of 8``.
        outcome: what comes of them.
        actions: their names.
        rank: within how many moves the violation is forced at the latest after one of them.
        taken: whether the reply of the play is among them.
    """

    words: str
    outcome: str
    actions: tuple[str, ...]
    rank: int
    taken: bool = False


@dataclass(frozen=True)
class Scene:
    """A move of the play.

    Attributes:
        player, action: who moves, and the name of the move.
        sentence: the move, and what it changes.
        aside: why this move and no other; may be empty.
        position: after the move.
        breaks: the clauses of the requirement that are broken there.
        left: within how many moves the play is over after it; None where it never is.
        replies: at a move of the defender in an attack, all that it could do, by what comes of it.
    """

    player: str
    action: str
    sentence: str
    aside: str
    position: Position
    breaks: tuple[str, ...] = ()
    left: int | None = None
    replies: tuple[ReplyGroup, ...] = ()


@dataclass(frozen=True)
class Storyboard:
    """A play in scenes.

    Attributes:
        title: what is seen, as a sentence.
        start: the position before the first scene.
        ending: what has come of it in the end.
        repeats: from which scene on the play goes round, from 0; None where it does not.
    """

    told: StoryKind
    title: str
    start: Position
    scenes: tuple[Scene, ...]
    ending: str
    repeats: int | None = None

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions of the play, the start first."""
        return (self.start, *(scene.position for scene in self.scenes))


def attack_storyboard(solution: Solution, acting: bool = False, budget: Budget = UNLIMITED) -> Storyboard:
    """The attack on a lost design, against the slowest defense or the acting one.

    >>> from holdfast.game.configuration import configure
    >>> from holdfast.models.network import network_game
    >>> from holdfast.solver import solve
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> board = attack_storyboard(solve(configure(game, ["G (DB = C)"])))
    >>> [scene.sentence for scene in board.scenes], board.ending
    (['The adversary spreads to DB: DB changes from C to X.'], 'That breaks “G (DB = C)”.')
    """
    solved, scenes = SolvedGame(solution), list[Scene]()
    here, system = solved.initial, solution.configuration.system
    before: Position | None = None
    while solved.rank(here):
        budget.tick("the attack, move by move")
        if here.turn is Player.ADVERSARY:
            action, target = min(solved.options(here).items(), key=lambda one: one[0])
            scenes.append(_scene(system, solved, here, action, target))
        else:
            action, target = _reply(solved, here, before, acting)
            groups = tuple(_groups(solved, here, action))
            aside = _why(solved, here, target, groups)
            scenes.append(_scene(system, solved, here, action, target, aside, groups))
        before, here = here, target
    broken = solution.configuration.broken(here)
    moves = counted(len(scenes), "move")
    title = f"The attack succeeds within {moves}, whatever the defender does."
    if acting:
        title = f"Against a defender who acts at every turn, the attack takes {moves}."
    ending = f"That breaks {_quoted(broken)}." if scenes else f"The start breaks {_quoted(broken)} already."
    return Storyboard("acting" if acting else "attack", title, solved.initial, tuple(scenes), ending)


def recovery_storyboard(solution: Solution, goal: str, budget: Budget = UNLIMITED) -> Storyboard:
    """How a goal of a defensible design is reached against all resistance, or why it never is.

    Raises:
        LimitError: past the budget.
    """
    way_out = getting_out(solution, goal, budget)
    solved, system = SolvedGame(solution), solution.configuration.system
    here, scenes = solved.initial, list[Scene]()
    for move in way_out.play:
        action, target = _played(solved, here, move.move.action)
        scene = _scene(system, solved, here, action, target, _refused(move))
        scenes.append(scene if move.left is None else _left(scene, move.left))
        here = target
    never = way_out.moves == NEVER or way_out.again is False
    title, ending = _recovery_words(way_out, goal, never, system)
    return Storyboard(
        "trap" if never else "eviction", title, solved.initial, tuple(scenes), ending, way_out.repeats
    )


# -- the moves ----------------------------------------------------------------------------------------


def _reply(solved: SolvedGame, here: Position, before: Position | None, acting: bool) -> tuple[int, Position]:
    """The defender's move: of those that last longest one that answers what has just changed."""
    changed = _changed(solved, before, here) if before is not None else frozenset[str]()
    names = solved.game.actions[Player.DEFENDER]

    def worth(choice: tuple[int, Position]) -> tuple[bool, int, bool, int, bool, int]:
        action, target = choice
        acts = target.state != here.state
        answers = action_target(names[action].name) in changed
        return acting and acts, solved.rank(target) or 0, acts, -_trouble(solved, target), answers, -action

    moves = [(action, target) for target, actions in solved.replies(here).items() for action in actions]
    return max(moves, key=worth)


def _trouble(solved: SolvedGame, position: Position) -> int:
    """At how many places trouble could spread from."""
    graph = solved.configuration.system.graph
    if graph is None or not graph.spreads:
        return 0
    values = zip(solved.game.variables, position.state, strict=True)
    return sum(str(variable.values[code]) in graph.spreads for variable, code in values)


def _changed(solved: SolvedGame, before: Position, after: Position) -> frozenset[str]:
    variables = zip(solved.game.variables, before.state, after.state, strict=True)
    return frozenset(variable.name for variable, old, new in variables if old != new)


def _played(solved: SolvedGame, here: Position, name: str) -> tuple[int, Position]:
    """The move of that name, and where it leads."""
    names = solved.game.actions[here.turn]
    return next(
        (action, target)
        for target, actions in solved.moves(here).items()
        for action in actions
        if names[action].name == name
    )


# -- replies by what comes of them --------------------------------------------------------------------


def _groups(solved: SolvedGame, here: Position, taken: int) -> Iterator[ReplyGroup]:
    """All replies at a lost position by their outcome, what lasts longest first."""
    moves = [(action, target) for target, actions in solved.replies(here).items() for action in actions]
    names = solved.game.actions[Player.DEFENDER]
    idle = max((solved.rank(t) or 0 for _, t in moves if t.state == here.state), default=-1)
    by_outcome: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for action, target in moves:
        rank = solved.rank(target) or 0
        sooner = min(rank, 1) if rank < idle else rank  # all that lose sooner than idling stand together
        by_outcome[sooner, target.state == here.state].append(action)
    totals: dict[str, int] = defaultdict(int)
    for action, target in moves:
        totals[action_type(names[action].name)] += target.state != here.state
    ranks = {action: solved.rank(target) or 0 for action, target in moves}
    for (rank, still), actions in sorted(by_outcome.items(), key=lambda one: (-one[0][0], not one[0][1])):
        named = tuple(names[action].name for action in sorted(actions))
        worst, best = min(ranks[a] for a in actions), max(ranks[a] for a in actions)
        words = "do nothing" if still else _gathered(named, totals)
        yield ReplyGroup(words, _outcome(rank, worst, best, idle, still), named, best, taken in actions)


def _outcome(rank: int, worst: int, best: int, idle: int, still: bool) -> str:
    if not best:
        return "breaks the requirement at once"
    span = counted(best, "move") if worst == best else f"{worst} to {counted(best, 'move')}"
    if rank < idle and not still:
        return f"lost within {span}, sooner than by doing nothing"
    return f"lost within {span}"


def _gathered(names: Sequence[str], totals: dict[str, int]) -> str:
    """``isolate any of 8, or fix GW``: actions of a kind together."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in names:
        kinds[action_type(name)].append(action_target(name))
    return ", or ".join(_kind(kind, targets, totals[kind]) for kind, targets in kinds.items())


def _kind(kind: str, targets: list[str], total: int) -> str:
    if len(targets) <= NAMED:
        return f"{kind} {listed([t for t in targets if t], 'or')}".strip()
    return f"{kind} any of {len(targets)}" if len(targets) >= total else f"{kind} {len(targets)} of {total}"


def _why(solved: SolvedGame, here: Position, target: Position, groups: Sequence[ReplyGroup]) -> str:
    """Why the defender does this and nothing else."""
    rank, ranks = solved.rank(target) or 0, [group.rank for group in groups]
    better = max(ranks) > rank
    if len(groups) == 1:
        return "Nothing else would make a difference."
    if better:
        return "Doing nothing would take longer and also lose."
    if sum(one == rank for one in ranks) == 1:
        return "Anything else loses sooner."
    return "Nothing lasts longer."


# -- words --------------------------------------------------------------------------------------------


def _scene(
    system: System,
    solved: SolvedGame,
    here: Position,
    action: int,
    target: Position,
    aside: str = "",
    replies: tuple[ReplyGroup, ...] = (),
) -> Scene:
    name = system.game.actions[here.turn][action].name
    return Scene(
        player=str(here.turn),
        action=name,
        sentence=move_sentence(system, here, action, target),
        aside=aside,
        position=target,
        breaks=solved.configuration.broken(target),
        left=solved.rank(target),
        replies=replies,
    )


def _left(scene: Scene, left: int) -> Scene:
    return Scene(scene.player, scene.action, scene.sentence, scene.aside, scene.position, scene.breaks, left)


def mover_in_words(system: System, player: Player) -> str:
    """Who moves: attackers are among hosts, adversaries everywhere."""
    if player is Player.DEFENDER:
        return "The defender"
    return "The attacker" if system.graph is not None and system.graph.noun == "host" else "The adversary"


def move_sentence(system: System, before: Position, action: int, after: Position) -> str:
    """A move as a sentence: ``The attacker spreads to DB: DB is now compromised.``"""
    name, who = system.game.actions[before.turn][action].name, mover_in_words(system, before.turn)
    changed = changed_in_words(system, before, action, after)
    if not changed:
        return f"{who} {'does nothing' if before.turn is Player.DEFENDER else 'waits'}."
    return f"{who} {act_in_words(name)}: {changed}."


def changed_in_words(system: System, before: Position, action: int, after: Position) -> str:
    """``DB is now compromised``; empty where a move changes nothing."""
    follows = "" if system.aftermath is None else system.aftermath(before.state, before.turn, action)
    told = [*_changes(system, before, after), *([follows] if follows else [])]
    return "; ".join(told) if any("," in part for part in told) else listed(told)


def act_in_words(name: str) -> str:
    """``isolate(DB)`` as ``isolates DB``."""
    kind = action_type(name)
    ending = "es" if kind.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"
    verb = TO.get(kind) or f"{kind}{ending}"
    return f"{verb} {action_target(name)}".strip()


def _changes(system: System, before: Position, after: Position) -> Iterator[str]:
    """What a move changes, in the words that the model has for its values; what changes alike together."""
    game, tones = system.game, system.graph.tones if system.graph is not None else {}
    changed: dict[tuple[str, str], list[str]] = {}
    for variable in game.vocabulary.plain:
        place = game.places[variable.name]
        old, new = (str(variable.values[position.state[place]]) for position in (before, after))
        if old != new and new in tones and new in system.legend:
            words = f"is now {system.legend[new]}", f"are now {system.legend[new]}"
            changed.setdefault(words, []).append(variable.name)
        elif old != new:
            words = f"changes from {old} to {new}", f"change from {old} to {new}"
            changed.setdefault(words, []).append(variable.name)
    for (alone, together), names in changed.items():
        few = names if len(names) <= NAMED_TOGETHER else [*names[:2], f"{len(names) - 2} more"]
        yield f"{listed(few)} {alone if len(names) == 1 else together}"
    if game.tallies:
        single = {f"{variable.name}:" for variable in game.vocabulary.plain}
        told = change_in_words(game, before.state, after.state).split(", ")
        yield from (_counted(part, system) for part in told if part and part.split(" ")[0] not in single)


def _counted(change: str, system: System) -> str:
    """``one of 500 ws: C → X`` as ``one of 500 ws changes from clean to compromised``."""
    what, colon, how = change.partition(": ")
    old, arrow, new = how.partition(" → ")
    if not (colon and arrow):
        return change
    return f"{what} changes from {system.legend.get(old, old)} to {system.legend.get(new, new)}"


def _quoted(clauses: Sequence[str]) -> str:
    return listed([f"“{clause}”" for clause in clauses])


def _refused(move: RecoveryMove) -> str:
    """Why the defender does nothing that would bring it nearer."""
    parts = []
    for refused in move.refused:
        names = listed([_plainly(action) for action in refused.actions[:NAMED]], "or")
        more = len(refused.actions) - NAMED
        parts.append(f"{names}{f', or {more} more,' if more > 0 else ''} {refused.reason}")
    return f"Nothing else works: to {'; to '.join(parts)}." if parts else ""


def _plainly(name: str) -> str:
    return f"{action_type(name)} {action_target(name)}".strip()


GOALS = {
    "evicted": ("The attacker is driven out", "The attacker is out.", "The attacker can stay for ever."),
    "recovered": (
        "Everything is made clean again",
        "Everything is clean again.",
        "It never gets clean again.",
    ),
}
"""What is said of the goals that networks have: how it begins, how it ends, and if it never does."""


def _recovery_words(found: GettingOut, goal: str, never: bool, system: System) -> tuple[str, str]:
    doing, done, not_ever = GOALS.get(
        goal, (f"“{goal}” is reached", f"“{goal}” is reached.", f"“{goal}” is never reached.")
    )
    if never:
        stay = re.sub(r" = (\w+)", lambda one: f" {system.legend.get(one[1], one[1])}", found.stay)
        return not_ever, f"This continues for ever{f': {stay}' if stay else ''}."
    if not found.play:
        return done, done
    return f"{doing} within {counted(len(found.play), 'move')}, whatever the attacker does.", done
