"""The shield as one JSON object, or as one Python module around the same table; and what every file says.

``docs/how-to/export-shield.md`` documents the keys. The module has :mod:`holdfast.arena.export.lookup` word
for word, and the table below it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.resources import files
from typing import Any

from holdfast import __version__
from holdfast.arena.export.flat_shield import FlatShield, ShieldClause
from holdfast.game import Position
from holdfast.logic import Player, Variable

FORMAT, DRAWN_FORMAT = 1, 2
"""The version of the format, and where what comes of the defender's choices is drawn."""
LINE_WIDTH = 100
MAX_CLAUSE = 300

GUARANTEE = (
    "From a winning position on, as long as every defender move is a permitted one, moves have the effects "
    "of the model, and the adversary keeps to what is assumed of it, no requirement is ever violated and "
    "there always is a permitted move. An action that is not permitted would let the adversary force a "
    "violation."
)

QUESTIONS = (
    "state", "action", "is_winning", "is_unsafe", "is_admissible",
    "permitted", "is_permitted", "move", "observe",
)  # fmt: skip


def to_object(shield: FlatShield) -> dict[str, Any]:
    """The shield in lists, strings and numbers."""
    parts = {part.name: getattr(shield, part.name) for part in fields(shield)}
    del parts["n_nodes"]
    version = DRAWN_FORMAT if shield.choices else FORMAT
    if not shield.choices:
        del parts["choices"]
    nodes = list(parts.pop("nodes"))
    origin = {name: parts.pop(name) for name in ("name", "variant", "sha256")}
    return {"holdfast_shield": version, **origin, "guarantee": GUARANTEE, **_plain(parts), "nodes": nodes}


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {str(key): _plain(own) for key, own in value.items()}
        case Variable() | ShieldClause():
            return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
        case Position():
            return _plain(value._asdict())
        case tuple() | range():
            return list(map(_plain, value))
        case Player():
            return str(value)
    return value


def render_json(shield: FlatShield) -> str:
    """The text of the JSON file: ASCII, a line for each key, the nodes in lines of their own."""
    data = to_object(shield)
    nodes = "\n".join(f"  {line}" for line in wrapped(list(map(str, data.pop("nodes")))))
    lines = [f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in data.items()]
    return "{\n" + "".join(lines) + f' "nodes": [\n{nodes}\n ]\n}}\n'


def render_python(shield: FlatShield) -> str:
    """The text of the module: ASCII, the standard library only.

    Its names are :class:`~holdfast.arena.export.lookup.Shield` and ``Position``, the ``SHIELD`` itself, its
    questions as functions, and the ``INITIAL`` position.
    """
    table = {key: value for key, value in to_object(shield).items() if key != "guarantee"}
    nodes = "\n".join(f"    {line}" for line in wrapped(list(map(str, table.pop("nodes"))), " "))
    comment = "".join(f"# {line}".rstrip() + "\n" for line in header(shield))
    code = files("holdfast.arena.export").joinpath("lookup.py").read_text("ascii")
    entries = "".join(f"        {key!r}: {value!a},\n" for key, value in table.items())
    # Numbers in a string are read ten times faster than the same numbers in the source of a tuple.
    return (
        f"{comment}{code}\n\n_NODES = '''\n{nodes}\n'''\n\n"
        f"SHIELD = Shield(\n    {{\n{entries}        'nodes': list(map(int, _NODES.split())),\n    }}\n)\n"
        "INITIAL = SHIELD.initial\n" + "".join(f"{name} = SHIELD.{name}\n" for name in QUESTIONS)
    )


def header(shield: FlatShield) -> list[str]:
    """Lines of plain ASCII: what this is the shield of, by whom, and what it guarantees."""
    variant = f", variant {quoted(shield.variant)}" if shield.variant else ""
    lines = [
        f"Shield of {quoted(shield.name)}{variant}.",
        f"Written by Holdfast {__version__}; not to be edited.",
    ]
    if shield.sha256:
        lines.append(f"Scenario: sha256 {shield.sha256}")
    lines += ["", *wrapped(GUARANTEE.split(" "), " ")]
    for title, player in (("Required", Player.DEFENDER), ("Assumed of the adversary", Player.ADVERSARY)):
        clauses = [quoted(clause.formula)[1:-1] for clause in shield.clauses[player]]
        lines += ["", f"{title}: {'' if clauses else 'nothing'}".strip()]
        lines += [f"  {c if len(c) <= MAX_CLAUSE else c[:MAX_CLAUSE] + ' ...'}" for c in clauses]
    return lines


def quoted(text: str) -> str:
    """The text in printable ASCII and double quotes."""
    return '"' + text.encode("unicode_escape").decode("ascii").replace('"', "'") + '"'


def wrapped(words: Sequence[str], separator: str = ", ", width: int = LINE_WIDTH) -> list[str]:
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
