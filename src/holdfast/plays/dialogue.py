"""The conversation at the board: a person types, the session goes on, the other side answers.

Everything that touches the world comes in as a function: ``say`` shows text, ``ask`` gives the next line and
raises EOFError when there is none, ``keep`` is called with the play after each change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.errors import InputError
from holdfast.logic.expressions import Player
from holdfast.plays.menu import MenuEntry, Standing, find, is_move_name, menu_of
from holdfast.plays.screen import closing, paragraph, rendered, steps_since, turn
from holdfast.plays.session import Session, ending, is_resting, make_move, make_rest, undone
from holdfast.plays.setting import Setting
from holdfast.plays.strategies import NOTICEABLE, Strategy, forced_line
from holdfast.product import Position, is_unsafe
from holdfast.report.terminal import plain
from holdfast.solution import is_winning

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
COMMANDS = ("help", "board", "hint", "why", "undo", "save", "quit")
SHORT = {"?": "help", "q": "quit", "exit": "quit"}


@dataclass(frozen=True)
class Sitting:
    """What does not change while a play is going on.

    Attributes:
        human: the side a person plays.
        opponent: the other side.
        adviser: perfect play, for hints.
        setting: the solved game.
        say, ask, keep: see the module's head.
        save: writes the play to a file of the person's choice.
    """

    human: Player
    opponent: Strategy
    adviser: Strategy
    setting: Setting
    say: Callable[[str], None]
    ask: Callable[[str], str]
    keep: Callable[[Session], None]
    save: Callable[[Session, Path], None]


class Left(Exception):  # noqa: N818  not a mistake
    """The person has left the board; ``session`` is the play so far."""

    def __init__(self, session: Session) -> None:
        """Keep the play."""
        super().__init__()
        self.session = session


def converse(sitting: Sitting, session: Session) -> Session:
    """Play until the end, or until the person leaves; the play as it then stands.

    Raises:
        KeyboardInterrupt: when interrupted; the play up to then has been kept.
    """
    said = 0
    while True:
        session = _answered(sitting, session)
        _kept(sitting, session)
        happened = steps_since(session, said)
        if happened:
            sitting.say(rendered(*([""] if said else []), *happened))
        if ending(session) is not None:
            sitting.say(rendered(closing(session, sitting.setting)))
            back = _taken_back(sitting, session)
            if back is None:
                return session
            session, said = back, len(back.steps)
            continue
        menu = menu_of(session.match.solution, session.position)
        sitting.say(rendered(turn(session, menu)))
        try:
            session, said = _next(sitting, session, menu)
        except Left:
            sitting.say(rendered(closing(session, sitting.setting)))
            return session


def _taken_back(sitting: Sitting, session: Session) -> Session | None:
    """After a violation, the play from before the person's last move, if it is asked for."""
    while is_unsafe(session.match.configuration, session.position):
        try:
            line = sitting.ask("undo, save FILE or quit> ").strip()
            word = SHORT.get(line.partition(" ")[0].casefold(), line.partition(" ")[0].casefold())
            if word not in ("undo", "save", "quit"):
                sitting.say("  the play is over: undo takes your last move back\n")
                continue
            back = _obeyed(sitting, session, (), line)
        except (EOFError, Left):
            return None
        except InputError as error:
            sitting.say(rendered(paragraph(plain(str(error)))))
            continue
        if back is not None:
            return back
    return None


def _kept(sitting: Sitting, session: Session) -> None:
    """Keep the play; a full disk is no reason to end it."""
    try:
        sitting.keep(session)
    except InputError as error:
        sitting.say(f"  the play goes on, but was not kept: {plain(str(error))}\n")


def _answered(sitting: Sitting, session: Session) -> Session:
    """The play up to the person's next choice, or its end."""
    while ending(session) is None:
        if is_resting(session.match.configuration, session.position):
            session = make_rest(session)
        elif session.position.turn is sitting.human:
            break
        else:
            session = make_move(session, sitting.opponent(session).action)
    return session


def _next(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...]) -> tuple[Session, int]:
    """The play after the person's next move or undo, and from which step on to tell what happened."""
    while True:
        try:
            line = sitting.ask(f"{sitting.human}> ").strip()
        except EOFError:
            raise Left(session) from None
        if not line or line.startswith("#"):
            continue
        try:
            found = _obeyed(sitting, session, menu, line)
        except InputError as error:
            sitting.say(rendered(paragraph(plain(str(error)))))
            continue
        if found is not None:
            return found, len(session.steps) if len(found.steps) > len(session.steps) else len(found.steps)


def _obeyed(sitting: Sitting, session: Session, menu: tuple[MenuEntry, ...], line: str) -> Session | None:
    """Do what a line says; None if the play stands as it did."""
    configuration, player = session.match.configuration, session.position.turn
    word, _, rest = line.removeprefix("/").partition(" ")
    word, rest = SHORT.get(word.casefold(), word.casefold()), rest.strip()
    insisting = line.endswith("!")
    named = line.removesuffix("!").strip()
    if word not in COMMANDS or (not line.startswith("/") and is_move_name(configuration, player, named)):
        entry, action = find(menu, configuration, player, named)
        return _moved(sitting, session, entry, action, insisting)
    if word == "quit":
        raise Left(session)
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
            sitting.save(session, Path(rest).expanduser())
        except RuntimeError:
            raise InputError(f"{rest}: there is no such home; write the whole path") from None
        sitting.say(f"  saved {plain(rest)}\n")
    elif word == "help":
        sitting.say(HELP)
    elif word == "board":
        sitting.say(rendered(turn(session, menu)))
    elif word == "hint":
        choice = sitting.adviser(session)
        name = configuration.game.actions[player][choice.action].name
        sitting.say(rendered(paragraph(plain(f"{name} {choice.why}."))))
    else:
        sitting.say(rendered(*(paragraph(plain(text)) for text in _why(sitting, session, menu, rest))))
    return None


def _moved(
    sitting: Sitting, session: Session, entry: MenuEntry, action: int, insisting: bool
) -> Session | None:
    name = session.match.configuration.game.actions[session.position.turn][action].name
    if entry.standing is Standing.IMPOSSIBLE:
        raise InputError(f"{name} cannot be played: {entry.reason}")
    lost = not is_winning(session.match.solution, session.position)
    if entry.standing is Standing.FORBIDDEN and not insisting and not lost:
        told = f"{name} is forbidden by the shield: {plain(entry.reason)}."
        sitting.say(rendered(paragraph(told)))
        try:
            answer = sitting.ask("  play it all the same? [y/N] ")
        except EOFError:
            raise Left(session) from None
        if answer.strip().casefold() not in ("y", "yes"):
            sitting.say("  not played\n")
            return None
    return make_move(session, action)


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
    told = f"{name} ({entry.effect or 'no effect'}):"
    if entry.rank is None:
        return [f"{told} {_worth(sitting, session, action)}"]
    return [f"{told} {entry.reason}.", *([_line_text(session, entry.target)] if entry.rank else ())]


def _why_last(sitting: Sitting, session: Session) -> str:
    """Why the other side made its last move: what its strategy says when asked again."""
    for n in range(len(session.steps) - 1, 0, -1):
        before, action = session.steps[n - 1].position, session.steps[n].action
        if action is not None and before.turn is not sitting.human:
            name = session.match.configuration.game.actions[before.turn][action].name
            earlier = replace(session, steps=session.steps[:n])
            return f"The {before.turn} played {name}: it {sitting.opponent(earlier).why}."
    raise InputError("the other side has not moved yet; why 3 asks about a move of the menu")


def _worth(sitting: Sitting, session: Session, action: int) -> str:
    """What a move that stays in W is worth."""
    from holdfast.plays.perfect import best, worth

    perfect, player = sitting.setting.perfect, session.position.turn
    values = None if perfect is None else worth(perfect, session.position, session.to_go)
    if values is None or action not in values:
        return "it stays in the winning region."
    top = best(values, player)
    name = session.match.configuration.game.actions[player][top].name
    text = f"it stays in the winning region. Perfect play of both then gives a mean of {values[action]:.3f}"
    if abs(values[top] - values[action]) < NOTICEABLE:
        return f"{text}, and no move does better."
    return f"{text}; {name} would give {values[top]:.3f}."


def _line_text(session: Session, position: Position) -> str:
    """How the violation then comes about, if both do their best."""
    actions, solution = session.match.configuration.game.actions, session.match.solution
    line = [actions[player][action].name for player, action in forced_line(solution, position)]
    return f"If both then do their best: {', '.join(line)}, and φ_D is violated."
