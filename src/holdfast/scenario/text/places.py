"""Where a mistake stands in a scenario file, and how it is told.

Inside this package a mistake travels as a :class:`Problem`; :func:`reported` turns it into the
:class:`~holdfast.errors.ScenarioError` that leaves it, ``file:line:column: what is wrong``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.errors import FormulaError, HoldfastError, LimitError, ScenarioError, caret
from holdfast.logic import OutOfNodes

if TYPE_CHECKING:
    from holdfast.scenario.text.yaml import Node

MAX_MESSAGE = 700
_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Source:
    """The name and the text of a file."""

    filename: str
    text: str = field(repr=False)

    @cached_property
    def starts(self) -> list[int]:
        """Index of the first character of each line."""
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def place(self, index: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self.starts, index)
        return line, index - self.starts[line - 1] + 1

    def excerpt(self, index: int, width: int) -> str:
        """The line around ``index`` with a caret under it."""
        line, column = self.place(index)
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        shown = self.text[self.starts[line - 1] : end].rstrip("\r\n")
        return caret(shown, column - 1, max(1, min(width, len(shown) - column + 1)))


class Problem(Exception):  # noqa: N818 - it never leaves the package
    """A mistake at one place of a file.

    Args:
        index: of the offending character; None when the file could not be read at all.
        text: what was found, what was expected, what to do.
        width: characters to underline; 0 for no excerpt.
        undecided: a limit was met rather than a mistake.
    """

    def __init__(
        self, source: Source, index: int | None, text: str, width: int = 0, *, undecided: bool = False
    ) -> None:
        super().__init__(text)
        self.source, self.index, self.text, self.width, self.undecided = source, index, text, width, undecided
        self.more: tuple[Problem, ...] = ()

    def message(self, variant: str | None = None) -> str:
        """The message, place first."""
        where = "".join(c if c.isprintable() else "?" for c in self.source.filename)
        if self.index is not None:
            line, column = self.source.place(self.index)
            where = f"{where}:{line}:{column}"
        within = f'variant "{shortened(variant)}": ' if variant is not None else ""
        lines = [f"{where}: {within}{shortened(self.text, MAX_MESSAGE)}"]
        if self.width and self.index is not None:
            lines.append(self.source.excerpt(self.index, self.width))
        return "\n".join([*lines, *(problem.message(variant) for problem in self.more)])


def several(problems: list[Problem]) -> Problem:
    """The first problems in the order of the file, as one."""
    ordered = sorted(problems, key=lambda problem: problem.index or 0)
    ordered[0].more = tuple(ordered[1:4])
    return ordered[0]


@contextmanager
def reported(variant: str | None = None) -> Iterator[None]:
    """Let a :class:`Problem` leave as a ScenarioError, or as a LimitError where a limit was met."""
    try:
        yield
    except Problem as problem:
        if problem.undecided:
            raise LimitError(problem.message(variant)) from None
        error = ScenarioError(problem.message(variant))
        error.problem = shortened(problem.text, MAX_MESSAGE)
        if problem.index is not None:
            error.place = (*problem.source.place(problem.index), problem.width)
        raise error from None


@contextmanager
def placed(node: Node) -> Iterator[None]:
    """Give an error of the core the place of ``node``, or of the token of its text that is to blame."""
    try:
        yield
    except FormulaError as error:
        raise node.problem(error.problem, error.at, error.width) from None
    except LimitError as error:
        raise Problem(node.source, node.start, str(error), undecided=True) from None
    except OutOfNodes:
        text = "too intricate for the decision diagrams; split it into smaller parts"
        raise Problem(node.source, node.start, text, undecided=True) from None
    except ZeroDivisionError:
        raise node.problem("divides by zero in some state; guard the divisor, or multiply instead") from None
    except RecursionError:
        raise node.problem(
            "nested too deeply; split the expression with define, or into several clauses"
        ) from None
    except HoldfastError as error:
        raise node.problem(str(error)) from None


def shortened(text: str, limit: int = 60) -> str:
    """The text on one line, cut to ``limit`` characters."""
    text = "".join(c if c.isprintable() else " " for c in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def is_one_line(text: str) -> bool:
    r"""Whether a text has no line break; what follows it in a name could pass for a line of the answer.

    Other control characters are no mistake of a file: whatever is shown of them is a mark.

    >>> is_one_line("Segment A"), is_one_line("A\nVALID"), is_one_line("A\u2028VALID")
    (True, False, False)
    """
    return not set(text) & set("\n\v\f\r\u2028\u2029")
