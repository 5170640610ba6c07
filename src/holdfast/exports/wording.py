"""What every exported file says of itself, and how text from a scenario gets into source code unharmed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from holdfast.exports.flat_shield import FlatShield
from holdfast.logic.expressions import Player

WIDTH = 100
MAX_CLAUSE = 300

GUARANTEE = (
    "From a winning position on, as long as every defender move is a permitted one, moves have the effects "
    "of the model, and the adversary keeps to what is assumed of it, no requirement is ever violated and "
    "there always is a permitted move. An action that is not permitted would let the adversary force a "
    "violation."
)


def header(shield: FlatShield) -> list[str]:
    """Lines of plain ASCII: what this is the shield of, by whom, and what it guarantees."""
    variant = f", variant {_quoted(shield.variant)}" if shield.variant else ""
    lines = [
        f"Shield of {_quoted(shield.name)}{variant}.",
        f"Written by Holdfast {version('holdfast')}; not to be edited.",
    ]
    if shield.sha256:
        lines.append(f"Scenario: sha256 {shield.sha256}")
    lines += ["", *wrapped(GUARANTEE.split(" "), " ")]
    for title, player in (("Required", Player.DEFENDER), ("Assumed of the adversary", Player.ADVERSARY)):
        clauses = [_quoted(clause.formula)[1:-1] for clause in shield.clauses[player]]
        lines += ["", f"{title}: {'' if clauses else 'nothing'}".strip()]
        lines += [f"  {c if len(c) <= MAX_CLAUSE else c[:MAX_CLAUSE] + ' ...'}" for c in clauses]
    return lines


def _quoted(text: str) -> str:
    """The text in printable ASCII and double quotes."""
    return '"' + text.encode("unicode_escape").decode("ascii").replace('"', "'") + '"'


def wrapped(words: Sequence[str], separator: str = ", ", width: int = WIDTH) -> list[str]:
    """The words joined, in lines of at most this width where words allow."""
    lines: list[str] = []
    line: list[str] = []
    length = 0
    for word in words:
        if line and length + len(word) > width:
            lines.append((separator.join(line) + separator).rstrip())
            line, length = [], 0
        line.append(word)
        length += len(word) + len(separator)
    return [*lines, separator.join(line)] if line else lines
