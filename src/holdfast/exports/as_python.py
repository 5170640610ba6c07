"""The shield as one Python module: :mod:`holdfast.exports.lookup` word for word, and the table below it."""

from __future__ import annotations

from importlib.resources import files

from holdfast.exports.as_json import to_object
from holdfast.exports.flat_shield import FlatShield
from holdfast.exports.wording import header, wrapped

QUESTIONS = (
    "state", "action", "is_winning", "is_unsafe", "is_admissible",
    "permitted", "is_permitted", "move", "observe",
)  # fmt: skip


def render(shield: FlatShield) -> str:
    """The text of the module: ASCII, the standard library only.

    Its names are :class:`~holdfast.exports.lookup.Shield` and ``Position``, the ``SHIELD`` itself, its
    questions as functions, and the ``INITIAL`` position.
    """
    table = {key: value for key, value in to_object(shield).items() if key != "guarantee"}
    nodes = "\n".join(f"    {line}" for line in wrapped(list(map(str, table.pop("nodes"))), " "))
    comment = "".join(f"# {line}".rstrip() + "\n" for line in header(shield))
    code = files("holdfast.exports").joinpath("lookup.py").read_text("ascii")
    entries = "".join(f"        {key!r}: {value!a},\n" for key, value in table.items())
    # Numbers in a string are read ten times faster than the same numbers in the source of a tuple.
    return (
        f"{comment}{code}\n\n_NODES = '''\n{nodes}\n'''\n\n"
        f"SHIELD = Shield(\n    {{\n{entries}        'nodes': list(map(int, _NODES.split())),\n    }}\n)\n"
        "INITIAL = SHIELD.initial\n" + "".join(f"{name} = SHIELD.{name}\n" for name in QUESTIONS)
    )
