"""The exceptions of Holdfast.

::

    HoldfastError
    ├── InputError                 what was given cannot be analysed (exit code 2)
    │   ├── FormulaError           the text of an expression or formula, with a caret
    │   │   └── LivenessError      a formula outside the safety fragment
    │   ├── AutomatonError         not deterministic, complete, absorbing, or too large
    │   ├── ModelError             a game whose parts do not fit together
    │   ├── InadmissibleError      φ_A that a defender move can violate (eq:phia-defender)
    │   └── ScenarioError          a scenario file, with file, line and column
    └── LimitError                 a size or time limit stopped the work (exit code 3)

A negative certificate is a result, never an exception.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class HoldfastError(Exception):
    """Base of every error that Holdfast raises on purpose."""


class InputError(HoldfastError):
    """What was given cannot be analysed; the message says why and what to do."""


class FormulaError(InputError):
    """A mistake in the text of an expression or formula.

    Attributes:
        problem: what is wrong and what was expected, without the text itself.
        text: the whole text of the formula.
        at: offset of the offending token in ``text``.
        width: number of characters to underline.
    """

    def __init__(self, problem: str, text: str, at: int, width: int = 1) -> None:
        """Keep the parts, so that a caller who knows the file can place the caret itself."""
        self.problem, self.text, self.at, self.width = problem, text, at, max(1, width)
        super().__init__(f"{problem}\n{caret(text, at, self.width)}")


class LivenessError(FormulaError):
    """A formula that no finite play can violate: outside the safety fragment."""


class AutomatonError(InputError):
    """An automaton that is not a safety automaton, or is too large to build."""


class ModelError(InputError):
    """A game whose parts do not fit together."""


class InadmissibleError(InputError):
    """A threat boundary φ_A that a defender move can violate (eq:phia-defender).

    Attributes:
        clause: index of the clause of φ_A.
    """

    clause: int = 0


class ScenarioError(InputError):
    """A mistake in a scenario file; the message starts with ``file:line:column``.

    Attributes:
        problem: what is wrong, without its place and excerpt.
        place: its line and column, from 1, and how many characters it is wide; None for no place.
    """

    problem: str = ""
    place: tuple[int, int, int] | None = None


class LimitError(HoldfastError):
    """A size or time limit stopped the work: the question stays undecided.

    Attributes:
        known: what had been found by then, by name; for instance the shells that were complete.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.known: dict[str, object] = {}


def missing(library: str, extra: str, what: str = "this") -> str:
    """What to say where an optional library is not installed.

    >>> missing("uvicorn", "studio", "the studio")
    "the studio needs uvicorn, which is not installed; pip install 'holdfast[studio]' brings it"
    """
    return f"{what} needs {library}, which is not installed; pip install 'holdfast[{extra}]' brings it"


def caret(text: str, at: int, width: int = 1, window: int = 72) -> str:
    """The line of ``text`` around offset ``at``, with a caret underneath.

    >>> print(caret("G (DB in {Q})", 10))
      G (DB in {Q})
                ^
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    column = at - start
    left = max(0, column - window // 2)
    shown = "".join(c if c.isprintable() else "·" for c in line[left : left + window])
    before, after = ("…" if left else ""), ("…" if left + window < len(line) else "")
    marks = "^" * max(1, min(width, window - (column - left)))
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + column - left)}{marks}"


def expect(value: object, kind: type | tuple[type, ...], what: str, expected: str) -> None:
    """Refuse a value of the wrong type, as a Python program may give it; a truth value is no number.

    >>> expect("3", int, "the initial state", "the number of a state")
    Traceback (most recent call last):
    holdfast.errors.ModelError: the initial state is '3'; expected the number of a state
    """
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ModelError(f"{what} is {_short(value)}; expected {expected}")


def expect_all(values: object, kind: type | tuple[type, ...], what: str, expected: str) -> None:
    """Refuse what is not a list or tuple of things of a type; a text is not a list of its letters."""
    if not isinstance(values, list | tuple):
        raise ModelError(f"{what} are {_short(values)}; expected {expected}")
    for i, value in enumerate(values, 1):
        expect(value, kind, f"number {i} of {what}", expected)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def repeated(names: Sequence[str]) -> str | None:
    """The first name that is listed a second time, if any."""
    if len(set(names)) == len(names):
        return None
    return next(name for i, name in enumerate(names) if name in names[:i])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A short hint naming the closest known word, or the empty string.

    >>> did_you_mean("dstroy", ["destroy", "spread"])
    '; did you mean "destroy"?'
    """
    names, word = sorted(map(str, set(known))), str(word)
    close = [name for name in names if name.lower() == word.lower()][:1]
    if not close:
        close = difflib.get_close_matches(word[:80], names, n=1, cutoff=0.6 if len(word) > 3 else 0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
