"""A floor plan drawn as text.

::

    #######
    #..P..#
    #D.#.A#
    #######

``#`` and blanks are walls, ``.`` is floor, and every other character is floor of a named place. Outside the
drawing everything is wall. Squares are called as on a chess board, the column by a letter from the left and
the row by a number from the top: ``P`` above stands at ``d2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.errors import ModelError, did_you_mean

WALLS, FLOOR = "# ", "."
OPEN_FLOOR = "floor"
"""The place of all squares that belong to no other."""

MAX_SIDE, MAX_SQUARES = 60, 400

DIRECTIONS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

Passage = tuple[str, str]
"""Two squares that share a side, in reading order."""


@dataclass(frozen=True)
class FloorPlan:
    """The squares of a drawing.

    Attributes:
        columns, rows: its size.
        at: for each square that can be stood on, in reading order, its column and row from 0.
        places: named sets of squares, of which none are in two.
    """

    columns: int
    rows: int
    at: Mapping[str, tuple[int, int]]
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def squares(self) -> tuple[str, ...]:
        """The names of the squares, in reading order."""
        return tuple(self.at)

    @cached_property
    def _by_point(self) -> dict[tuple[int, int], str]:
        return {point: square for square, point in self.at.items()}

    @cached_property
    def place_of(self) -> dict[str, str]:
        """The place that each square belongs to."""
        return {square: place for place, squares in self.places.items() for square in squares}

    def beside(self, square: str, direction: str) -> str | None:
        """The square next to one; None for a wall."""
        (x, y), (dx, dy) = self.at[square], DIRECTIONS[direction]
        return self._by_point.get((x + dx, y + dy))

    def around(self, square: str, reach: int) -> tuple[str, ...]:
        """The squares at most so many columns and rows away, itself included; walls do not matter."""
        x, y = self.at[square]
        return tuple(n for n, (a, b) in self.at.items() if abs(a - x) <= reach and abs(b - y) <= reach)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All pairs of squares that share a side."""
        ways = ((s, self.beside(s, d)) for s in self.squares for d in ("east", "south"))
        return tuple((one, other) for one, other in ways if other is not None)

    def squares_of(self, name: str) -> tuple[str, ...]:
        """The squares that a name stands for: a place, or a square.

        Raises:
            ModelError: for a name that is neither.
        """
        if name in self.places:
            return self.places[name]
        if name in self.at:
            return (name,)
        hint = did_you_mean(name, (*self.places, *self.at))
        raise ModelError(f'"{name}" is not a place or square of the plan{hint or self._known()}')

    def between(self, one: str, other: str) -> tuple[Passage, ...]:
        """The passages from some squares to others, each named by a place or a square."""
        here, there = set(self.squares_of(one)), set(self.squares_of(other))
        return tuple(
            (a, b) for a, b in self.passages if (a in here and b in there) or (b in here and a in there)
        )

    def _known(self) -> str:
        return f"; its places are {', '.join(self.places)}"


def read_plan(text: str, characters: Mapping[str, str]) -> FloorPlan:
    r"""The plan of a drawing; ``characters`` gives each place the character that it is drawn with.

    >>> plan = read_plan("#..P\n#D#.", {"press": "P", "dock": "D"})
    >>> plan.squares, plan.places["press"], plan.beside("c1", "south")
    (('b1', 'c1', 'd1', 'b2', 'd2'), ('d1',), None)

    Raises:
        ModelError: for a drawing that cannot be read; the message names the square.
    """
    lines = [line.rstrip() for line in text.rstrip().split("\n")]
    columns = max(map(len, lines), default=0)
    if columns > MAX_SIDE or len(lines) > MAX_SIDE:
        raise ModelError(f"the plan is {columns} by {len(lines)} squares; at most {MAX_SIDE} by {MAX_SIDE}")
    names = {character: place for place, character in characters.items()}
    at: dict[str, tuple[int, int]] = {}
    places: dict[str, list[str]] = {place: [] for place in characters}
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            if character in WALLS:
                continue
            square = square_name(column, row)
            if character != FLOOR and character not in names:
                raise ModelError(
                    f'"{character}" at {square} means nothing; # is a wall, . is floor, and a place is '
                    f"declared, as in places: {{press: {character}}}"
                )
            at[square] = column, row
            places.setdefault(names.get(character, OPEN_FLOOR), []).append(square)
    for place, squares in places.items():
        if not squares:
            raise ModelError(f'the place "{place}" is drawn nowhere; its character is {characters[place]}')
    if not 1 <= len(at) <= MAX_SQUARES:
        raise ModelError(f"the plan has {len(at)} squares to stand on; expected 1 to {MAX_SQUARES}")
    return FloorPlan(columns, len(lines), at, {place: tuple(squares) for place, squares in places.items()})


def square_name(column: int, row: int) -> str:
    """The name of a square, by its column and row from 0.

    >>> square_name(0, 0), square_name(25, 9), square_name(26, 9)
    ('a1', 'z10', 'aa10')
    """
    return f"{column_name(column)}{row + 1}"


def column_name(column: int) -> str:
    """``a`` to ``z``, then ``aa`` and so on."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def in_order(plan: FloorPlan, squares: Iterable[str]) -> tuple[str, ...]:
    """Some squares in reading order, each once."""
    chosen = set(squares)
    return tuple(square for square in plan.squares if square in chosen)
