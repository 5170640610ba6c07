"""The conversation at the board: a person types, the session goes on, the other side answers.

Everything that touches the world comes in as a function: ``say`` shows text, ``ask`` gives the next line and
raises EOFError when there is none, ``keep`` is called with the play after each change, and with a path where
the person names one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Group, RenderableType

from holdfast.apps.play.fog import (
    PlayInFog,
    fog_cases,
    fog_hint,
    fog_lines,
    fog_menu,
    fog_turn,
    really,
)
from holdfast.apps.play.menu import MenuEntry, Standing, find, is_move_name, menu_of
from holdfast.apps.play.screen import closing, paragraph, rendered, steps_since, turn
from holdfast.apps.play.session import Session, ending, make_move, undone
from holdfast.apps.play.strategies import (
    NOTICEABLE,
    PlayStrategy,
    Setting,
    forced_line,
    optimal,
    played,
    ready,
)
from holdfast.errors import InputError, ModelError
from holdfast.game import Position, is_unsafe
from holdfast.logic import Player
from holdfast.report import plain
from holdfast.solver import is_winning

HELP = """\
  a move      its number, its name (isolate(DB) or isolate DB), or the
              beginnings of its words (is d)
  a move !    the same, without a question if the shield forbids it
  why 3       what the solved game says of a move; with no number: why the other
              side made its last one
  hint        what perfect play would do here, and what for
  undo        take your last move back, and the answer to it
  board       draw everything again
  save FILE   write the play so far as text; holdfast play … --replay FILE
              plays it back
  quit        stop; so do Ctrl-D and Ctrl-C
  Write /save, /quit … where a move has the name of a command.
"""
HINT_SO_FAR = "That looks only one move ahead: perfect play is still being computed. Ask again later."
NOT_FOUND = "Perfect play could not be computed in time; the simple rule stays in use."
HELP_IN_FOG = """\
  cases       what may be true, given everything you have seen
"""
CASES = "cases"
COMMANDS = ("help", "board", "hint", "why", "undo", "save", "quit")
SHORT = {"?": "help", "q": "quit", "exit": "quit"}


@dataclass(frozen=True)
class Sitting:
    """Who plays whom, and how they talk.

    Attributes:
        opponent: plays the other side.
        adviser: plays perfectly, and gives the hints; the opponent itself where that is to play perfectly.
        setting: what they play, and what is known of it.
        say, ask, keep: see above.
        former: the opponent as it was before perfect play was known, where that took longer.
        fog: what a defender is shown who does not see everything; None for who does.
    """

    human: Player
    opponent: PlayStrategy
    adviser: PlayStrategy
    setting: Setting
    say: Callable[[str], None]
    ask: Callable[[str], str]
    keep: Callable[..., None]
    former: PlayStrategy | None = None
    fog: PlayInFog | None = None


class Left(Exception):  # noqa: N818  not a mistake
    """The person has left the board."""


def converse(sitting: Sitting, session: Session) -> Session:
    """Play until the end, or until the person leaves; the play as it then stands.

    Raises:
        KeyboardInterrupt: when interrupted; the play up to then has been kept.
    """
    said = 0
    while True:
        sitting = _informed(sitting)
        session = played(session, {sitting.human.opponent: sitting.opponent})
        _kept(sitting, session)
        fog = sitting.fog
        happened = steps_since(session, said) if fog is None else fog_lines(fog, session, said)
        if happened:
            sitting.say(rendered(*([""] if said else []), *happened))
        over = ending(session) is not None
        menu = () if over else _menu(sitting, session)
        sitting.say(rendered(_end(sitting, session) if over else _turn(sitting, session, menu)))
        if over and not is_unsafe(session.match.configuration, session.position):
            return session
        try:
            sitting, after = _next(sitting, session, menu)
        except Left:
            if not over:
                sitting.say(rendered(_end(_informed(sitting), session)))
            return session
        session, said = after, min(len(session.steps), len(after.steps))


def _menu(sitting: Sitting, session: Session) -> tuple[MenuEntry, ...]:
    if sitting.fog is not None:
        return fog_menu(sitting.fog, session)
    return menu_of(session.match.solution, session.position)


def _turn(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...]) -> RenderableType:
    return turn(session, menu) if sitting.fog is None else fog_turn(sitting.fog, session, menu)


def _end(sitting: Sitting, session: Session) -> RenderableType:
    """How the play ended; then the fog lifts."""
    end = closing(session, sitting.setting)
    return end if sitting.fog is None else Group(end, really(session))


def _informed(sitting: Sitting) -> Sitting:
    """The sitting with what has been found out about perfect play in the meantime, which is then told."""
    pending = sitting.setting.pending
    if pending is None or not pending.is_over:
        return sitting
    try:
        setting = ready(sitting.setting)
    except ModelError as error:
        setting = replace(sitting.setting, pending=None)
        _tell(sitting, f"Perfect play was not computed: {error}.")
        return replace(sitting, setting=setting)
    if setting.perfect is None:
        _tell(sitting, NOT_FOUND)
        return replace(sitting, setting=setting)
    from holdfast.apps.play.perfect import mean_in_words

    adviser = optimal(setting.solution, setting.perfect)
    perfect = sitting.opponent is sitting.adviser
    who = f"Hints and the {sitting.human.opponent} go" if perfect else "Hints go"
    if sitting.fog is not None:
        who = f"The {sitting.human.opponent} goes" if perfect else "Nobody goes"
    mean = f"between perfect players the mean dominance {mean_in_words(setting.perfect)}"
    _tell(sitting, f"Perfect play has been computed: {mean}. {who} by it from now on.")
    opponent = adviser if perfect else sitting.opponent
    return replace(sitting, setting=setting, adviser=adviser, opponent=opponent, former=sitting.opponent)


def _kept(sitting: Sitting, session: Session) -> None:
    """Keep the play; a full disk is no reason to end it."""
    try:
        sitting.keep(session)
    except InputError as error:
        sitting.say(f"  the play goes on, but was not saved: {plain(str(error))}\n")


def _next(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...]) -> tuple[Sitting, Session]:
    """The play after the person's next move or undo; after a violation only an undo goes on.

    Raises:
        Left: when the person leaves.
    """
    over = ending(session) is not None
    while True:
        line = _answer(sitting, "undo, save FILE or quit> " if over else f"{sitting.human}> ")
        if over and _command(line)[0] not in ("undo", "save", "quit"):
            sitting.say("  the play is over; type undo to take your last move back\n")
            continue
        if not line or line.startswith("#"):
            continue
        sitting = _informed(sitting)
        try:
            obeyed = _obeyed(sitting, session, menu, line)
        except InputError as error:
            _tell(sitting, str(error))
            continue
        if obeyed is not None:
            return sitting, obeyed


def _answer(sitting: Sitting, prompt: str) -> str:
    try:
        return sitting.ask(prompt).strip()
    except EOFError:
        raise Left from None


def _tell(sitting: Sitting, *texts: str) -> None:
    sitting.say(rendered(*(paragraph(plain(text)) for text in texts)))


def _command(line: str) -> tuple[str, str]:
    """The first word of a line, as the command it is short for, and the rest."""
    word, _, rest = line.removeprefix("/").partition(" ")
    return SHORT.get(word.casefold(), word.casefold()), rest.strip()


def _obeyed(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...], line: str) -> Session | None:
    """Do what a line says; None if the play stands as it did."""
    configuration, player = session.match.configuration, session.position.turn
    word, rest = _command(line)
    named = line.removesuffix("!").strip()
    known = COMMANDS if sitting.fog is None else (*COMMANDS, CASES)
    if word not in known or (not line.startswith("/") and is_move_name(configuration, player, named)):
        entry, action = find(menu, configuration, player, named)
        return _moved(sitting, session, entry, action, insisting=line.endswith("!"))
    if word == "quit":
        raise Left
    if word == "undo":
        back = undone(session, sitting.human)
        if back is None:
            raise InputError("there is nothing to take back yet")
        sitting.say("  taken back\n")
        return back
    if word == "save":
        if not rest:
            raise InputError("save needs a file name, as in: save play.txt")
        try:
            sitting.keep(session, Path(rest).expanduser())
        except RuntimeError:
            raise InputError(f"{rest}: there is no such home folder; write the full path") from None
        sitting.say(f"  saved {plain(rest)}\n")
    elif word == "help":
        sitting.say(HELP if sitting.fog is None else HELP + HELP_IN_FOG)
    elif word == "board":
        sitting.say(rendered(_turn(sitting, session, menu)))
    elif sitting.fog is not None:
        _tell(sitting, *_asked_in_fog(sitting.fog, session, menu, word, rest))
    elif word == "hint":
        choice = sitting.adviser(session)
        name = configuration.game.actions[player][choice.action].name
        _tell(sitting, f"{name} {choice.why}.", *([HINT_SO_FAR] if sitting.setting.pending else []))
    else:
        _tell(sitting, *_why(sitting, session, menu, rest))
    return None


def _moved(
    sitting: Sitting, session: Session, entry: MenuEntry, action: int, insisting: bool
) -> Session | None:
    name = session.match.configuration.game.actions[session.position.turn][action].name
    if entry.standing is Standing.IMPOSSIBLE:
        raise InputError(f"{name} cannot be played: {entry.reason}")
    lost = sitting.fog is None and not is_winning(session.match.solution, session.position)
    if entry.standing is Standing.FORBIDDEN and not insisting and not lost:
        _tell(sitting, f"{name} is forbidden by the shield: {entry.reason}.")
        if _answer(sitting, "  play it anyway? [y/N] ").casefold() not in ("y", "yes"):
            sitting.say("  not played\n")
            return None
    return make_move(session, action)


def _asked_in_fog(
    fog: PlayInFog, session: Session, menu: tuple[MenuEntry, ...], word: str, which: str
) -> list[str]:
    """What may be the case, a hint, or why a move is not permitted."""
    if word == CASES:
        return fog_cases(fog, session)
    if word == "hint":
        return [fog_hint(fog, session)]
    if not which:
        raise InputError("in fog you cannot see why the other side moved; why 3 asks about a move")
    entry, action = find(menu, fog.match.configuration, session.position.turn, which)
    name = fog.match.configuration.game.actions[session.position.turn][action].name
    return [
        f"{name} ({entry.effect or 'no effect that is seen'}): {entry.reason or 'loses in no case at once'}."
    ]


# -- explanations -----------------------------------------------------------------------------------


def _why(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...], which: str) -> list[str]:
    """What the solved game says of a move, or of the other side's last one."""
    configuration, player = session.match.configuration, session.position.turn
    if not which:
        return [_why_last(sitting, session)]
    entry, action = find(menu, configuration, player, which)
    name = configuration.game.actions[player][action].name
    if entry.target is None or entry.standing is Standing.IMPOSSIBLE:
        return [f"{name} cannot be played: {entry.reason}."]
    head = f"{name} ({entry.effect or 'no effect'}):"
    if entry.rank is None:
        return [f"{head} {_worth(sitting, session, action)}"]
    return [f"{head} {entry.reason}.", *([_line_text(session, entry.target)] if entry.rank else ())]


def _why_last(sitting: Sitting, session: Session) -> str:
    """Why the other side made its last move: what its strategy says when asked again."""
    for n in range(len(session.steps) - 1, 0, -1):
        before, action = session.steps[n - 1].position, session.steps[n].action
        if action is not None and before.turn is not sitting.human:
            name = session.match.configuration.game.actions[before.turn][action].name
            earlier = replace(session, steps=session.steps[:n])
            choice = sitting.opponent(earlier)
            if choice.action != action and sitting.former is not None:
                choice = sitting.former(earlier)
            return f"The {before.turn} played {name}: it {choice.why}."
    raise InputError("the other side has not moved yet; why 3 asks about a move in the menu")


def _worth(sitting: Sitting, session: Session, action: int) -> str:
    """What a move that stays in W is worth."""
    from holdfast.apps.play.perfect import Perfect, best, worth

    perfect, player = sitting.setting.perfect, session.position.turn
    values = None if perfect is None else worth(perfect, session.position, session.to_go)
    if values is None or action not in values:
        return "it stays in the winning region."
    top = best(values, player)
    name = session.match.configuration.game.actions[player][top].name
    gives, bound, best_known = "Perfect play of both then gives", "", "does better"
    if not isinstance(perfect, Perfect):
        gives = f"The {player} is then sure of"
        bound, best_known = "at least " if player is Player.DEFENDER else "at most ", "is sure of more"
    text = f"it stays in the winning region. {gives} a mean of {bound}{values[action]:.3f}"
    if abs(values[top] - values[action]) < NOTICEABLE:
        return f"{text}, and no move {best_known}."
    return f"{text}; {name} would give {values[top]:.3f}."


def _line_text(session: Session, position: Position) -> str:
    """How the violation then comes about, if both do their best."""
    actions, solution = session.match.configuration.game.actions, session.match.solution
    line = [actions[player][action].name for player, action in forced_line(solution, position)]
    return f"If both then do their best: {', '.join(line)}, and φ_D is violated."
