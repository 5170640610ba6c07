"""Plays as plain text, one step a line, and a text checked against the model.

::

    holdfast play 1
    scenario: Reference segment
    variant: no-bypass
    sha256: 1c0f…
    defender: player
    adversary: optimal
    seed: 1
    moves: 40

    start | XCCCC adv q0 safe q0
    spread(Web) | XXCCC def q0 safe q0
    …
    (end) | 40 moves without a violation; mean dominance 0.5150

The header says what was played; it ends with an empty line and may be left out as a whole. In the body each
line has what happened, ``" | "``, and the position after it: the values of the variables (run together where
all are single letters), whose turn it is, and the states of the clauses of φ_D and φ_A. What happened is
``start`` on the first line, and then the name of an action, ``(reset)`` for a new engagement, ``(rest)`` for
an adversary out of moves, or ``(end)`` with the outcome, on the last line of a play that is over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.apps.play import session as rules
from holdfast.apps.play.session import MAX_MOVES, Event, Match, Session, Step, ending, mean_dominance
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Configuration, Position
from holdfast.report import plain
from holdfast.running import write_whole
from holdfast.solver import Solution

FIRST_LINE = "holdfast play 1"
KEYS = ("scenario", "variant", "sha256", "defender", "adversary", "seed", "moves")
END = "(end)"
BAR = " | "
MAX_BYTES = 4 * 2**20


@dataclass(frozen=True)
class TraceLine:
    """What happened and what was shown; ``number`` is the line in the file, for messages."""

    happened: str
    shown: str
    number: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.happened}{BAR}{self.shown}"


@dataclass(frozen=True)
class Trace:
    """A play as text; the header, by the names of :data:`KEYS`, may be empty."""

    header: dict[str, str]
    lines: tuple[TraceLine, ...]


def trace_of(session: Session, header: dict[str, str]) -> Trace:
    """The text of a play, with its outcome if it is over."""
    configuration = session.match.configuration
    before = [session.steps[0].position, *(step.position for step in session.steps)]
    lines = [
        TraceLine(happened(configuration, step, earlier), shown(configuration, step.position))
        for step, earlier in zip(session.steps, before, strict=False)
    ]
    if ending(session) is not None:
        lines.append(TraceLine(END, outcome(session)))
    return Trace({key: plain(value) for key, value in header.items()}, tuple(lines))


def happened(configuration: Configuration, step: Step, before: Position) -> str:
    """The first part of a line."""
    if step.action is None:
        return str(step.event)
    return configuration.game.actions[before.turn][step.action].name


def shown(configuration: Configuration, position: Position) -> str:
    """A position in one line, as in the paper's table of a short play.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> pair = configure(network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])
    >>> shown(pair, pair.initial)
    'XC adv q0'
    """
    variables = configuration.game.variables
    values = [str(v.values[code]) for v, code in zip(variables, position.state, strict=True)]
    letters = all(not v.numeric and all(len(str(value)) == 1 for value in v.values) for v in variables)
    named = (f"{v.name}={value}" for v, value in zip(variables, values, strict=True))
    sides = (configuration.defender, position.q_defender), (configuration.adversary, position.q_adversary)
    automata = (a.states[q] for side, qs in sides for a, q in zip(side, qs, strict=True))
    return plain(" ".join(["".join(values) if letters else ",".join(named), position.turn[:3], *automata]))


def outcome(session: Session) -> str:
    """Why the play is over, and what was kept."""
    mean = mean_dominance(session)
    kept = "" if mean is None else f"; mean dominance {float(mean):.4f}"
    return plain(f"{ending(session)}{kept}")


# -- text -------------------------------------------------------------------------------------------


def print_trace(trace: Trace) -> str:
    """The text of a trace; :func:`parse_trace` reads it back."""
    lines = (
        [FIRST_LINE, *(f"{key}: {value}" for key, value in trace.header.items()), ""] if trace.header else []
    )
    return "".join(f"{line}\n" for line in [*lines, *map(str, trace.lines)])


def parse_trace(text: str, source: str = "trace") -> Trace:
    """Read a trace.

    Raises:
        InputError: starting ``source:line``, for a text that is none.
    """
    rows = [row.removesuffix("\r") for row in text.split("\n")]
    while rows and not rows[-1].strip():
        rows.pop()
    if not rows:
        raise InputError(f'{source}: the file is empty; expected a play, its first line "{FIRST_LINE}"')
    header, first = _header(rows, source) if rows[0].startswith("holdfast") else ({}, 0)
    lines = tuple(_line(row, n, source) for n, row in enumerate(rows[first:], first + 1))
    if not lines or lines[0].happened != Event.START:
        raise InputError(f'{source}:{first + 1}: expected "{Event.START}{BAR}" and the first position')
    early = next((line for line in lines[:-1] if line.happened == END), None)
    if early is not None:
        raise InputError(f"{source}:{early.number}: {END} must be the last line; remove what follows it")
    return Trace(header, lines)


def _header(rows: list[str], source: str) -> tuple[dict[str, str], int]:
    """The header, and the index of the row after it."""
    if rows[0] != FIRST_LINE:
        raise InputError(f'{source}:1: expected "{FIRST_LINE}", the only version that can be read')
    header: dict[str, str] = {}
    for n, row in enumerate(rows[1:], 2):
        if not row:
            return header, n
        key, colon, value = row.partition(": ")
        if not colon or key not in KEYS:
            hint = did_you_mean(key, KEYS)
            raise InputError(
                f'{source}:{n}: expected one of {", ".join(KEYS)} with ": " and a value, or the empty line '
                f'that ends the header; found "{plain(row[:60])}"{hint}'
            )
        if key in header:
            raise InputError(f'{source}:{n}: "{key}" is given twice')
        header[key] = value
    raise InputError(f"{source}:{len(rows)}: the header has no end; expected an empty line and then the play")


def _line(row: str, number: int, source: str) -> TraceLine:
    what, bar, where = row.partition(BAR)
    if not bar or not what or not where:
        raise InputError(
            f'{source}:{number}: expected what happened, "{BAR}", and the position after it; '
            f'found "{plain(row[:60])}"'
        )
    return TraceLine(what, where, number)


# -- files ------------------------------------------------------------------------------------------


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a trace from a file.

    Raises:
        InputError: for a file that cannot be read or is no trace.
    """
    name = Path(path)
    try:
        with name.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise InputError(f"{name}: larger than {MAX_BYTES:,} bytes; no play is that long")
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(f"{name}:{line}: not UTF-8 text; a trace is plain text") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot read: {getattr(error, 'strerror', None) or error}") from None
    return parse_trace(text, str(name))


def save_trace(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a trace, whole or not at all; an earlier trace is replaced, any other file is not.

    Raises:
        InputError: where it cannot be written.
    """
    name = Path(path)
    try:
        spoils = name.exists() and not _holds_a_trace(name)
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot write: {getattr(error, 'strerror', None) or error}") from None
    if spoils:
        raise InputError(f"{name}: cannot write: it exists and is not a play; choose another name")
    write_whole(name, print_trace(trace))


def _holds_a_trace(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(FIRST_LINE)) in (b"", FIRST_LINE.encode())


# -- checked against the model ----------------------------------------------------------------------


class Difference(Exception):  # noqa: N818  a finding, with an exit code of its own
    """The first line of a trace that the model does not reproduce, and why."""

    def __init__(self, line: TraceLine, reason: str) -> None:
        """Keep the line."""
        self.line = line
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


def replayed(trace: Trace, match: Match) -> Iterator[tuple[TraceLine, Session]]:
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


def _after(session: Session, line: TraceLine) -> Session:
    position = session.position
    names = [action.name for action in session.match.configuration.game.actions[position.turn]]
    try:
        if line.happened == Event.RESET:
            return rules.with_reset(session)
        if line.happened == Event.REST:
            return rules.with_rest(session)
        if line.happened not in names:
            hint = did_you_mean(line.happened, names)
            raise InputError(f'the {position.turn} has no action "{line.happened}"{hint}')
        return rules.with_move(session, names.index(line.happened))
    except InputError as error:
        raise Difference(line, str(error)) from None
