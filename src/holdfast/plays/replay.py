"""A trace checked against the model, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.errors import InputError, did_you_mean
from holdfast.plays.session import (
    MAX_MOVES,
    Event,
    Match,
    Session,
    Step,
    ending,
    with_move,
    with_reset,
    with_rest,
)
from holdfast.plays.trace import END, Line, Trace, outcome, shown
from holdfast.solution import Solution


class Difference(Exception):  # noqa: N818  a finding, with an exit code of its own
    """The first line that the model does not reproduce.

    Attributes:
        line: of the trace.
        reason: what is there, and what the model gives.
    """

    def __init__(self, line: Line, reason: str) -> None:
        """Keep the parts."""
        self.line, self.reason = line, reason
        super().__init__(f"line {line.number}: {reason}")


def match_of(trace: Trace, solution: Solution) -> Match:
    """The match that a trace belongs to.

    Raises:
        InputError: for a header with numbers that are none.
    """
    numbers = {"seed": 1, "moves": MAX_MOVES}
    for key in numbers.keys() & trace.header.keys():
        text = trace.header[key]
        if not text.isdecimal() or len(text) > 10:
            raise InputError(f'the header of the trace has "{key}: {text[:40]}"; expected a whole number')
        numbers[key] = int(text)
    return Match(solution, numbers["seed"], numbers["moves"])


def replayed(trace: Trace, match: Match) -> Iterator[tuple[Line, Session]]:
    """The play after each line of a trace.

    What chance decided is taken from the trace; whether it could have happened is checked.

    Raises:
        Difference: at the first line that the model does not reproduce.
    """
    configuration = match.configuration
    session = Session(match, (Step(Event.START, configuration.initial),))
    for n, line in enumerate(trace.lines):
        if line.happened == END:
            expected = outcome(session) if ending(session) is not None else "a play that goes on"
        else:
            session = session if n == 0 else _after(session, line)
            expected = shown(configuration, session.position)
        if line.shown != expected:
            raise Difference(line, f'the trace has "{line.shown}"; the model gives "{expected}"')
        yield line, session


def _after(session: Session, line: Line) -> Session:
    position = session.position
    names = [action.name for action in session.match.configuration.game.actions[position.turn]]
    try:
        if line.happened == Event.RESET:
            return with_reset(session)
        if line.happened == Event.REST:
            return with_rest(session)
        if line.happened not in names:
            hint = did_you_mean(line.happened, names)
            raise InputError(f'the {position.turn} has no action "{line.happened}"{hint}')
        return with_move(session, names.index(line.happened))
    except InputError as error:
        raise Difference(line, str(error)) from None
