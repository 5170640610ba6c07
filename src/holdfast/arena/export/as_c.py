"""The shield as one C99 file, ``shield.c.j2``: names, constant tables, and ``lookup.c``.

Compiled as it stands it defines the functions; with ``HF_DECLARATIONS`` it only declares them, with
``HF_API`` as ``static inline`` it is header-only, with ``HF_NO_NAMES`` it leaves the names out, and with
``HF_MAIN`` it is a program that answers on standard output. Nothing is allocated, and ``<stdint.h>`` is all
that is included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from holdfast.arena.export.as_data import header, wrapped
from holdfast.arena.export.flat_shield import UNAVAILABLE, FlatShield
from holdfast.logic import Player
from holdfast.solver import TURNS

BYTES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int32_t": 4}
SWITCHES = ("HF_API", "HF_DECLARATIONS", "HF_MAIN", "HF_NO_NAMES")
MAX_IDENTIFIER = 48
TEMPLATE_OPTIONS: dict[str, Any] = {
    "trim_blocks": True,
    "keep_trailing_newline": True,
    "undefined": StrictUndefined,
}

USE = """
Keep one hf_position. Start it with hf_initial, advance it on every move of either player with
hf_observe (the state that the move led to in reality) or hf_move (the state that the model expects),
and choose the defender's moves among those that hf_permitted sets. A code is the index of a
variable's value in its domain.

HF_DECLARATIONS  only declare the functions     HF_API   their linkage, such as static inline
HF_NO_NAMES      leave the names out            HF_MAIN  a main that answers on standard output
"""


class ConstantTable(NamedTuple):
    """A constant array, of the narrowest type unless that is given; C has no empty arrays."""

    name: str
    values: Sequence[int]
    type: str = ""

    @property
    def kind(self) -> str:
        """The type of its entries."""
        return self.type or _type(max(self.values, default=0))

    @property
    def text(self) -> str:
        """The array in C."""
        rows = "\n".join(f"    {line}" for line in wrapped(list(map(str, self.values or [0]))))
        return f"static const {self.kind} {self.name}[{len(self.values) or 1}] = {{\n{rows}\n}};\n"


def render_c(shield: FlatShield) -> str:
    """The text of the C file, in ASCII."""
    n_states = [len(clause.states) for turn in TURNS for clause in shield.clauses[turn]]
    largest = max(len(variable.values) for variable in shield.variables)
    v = shield.initial
    qs = ", ".join(map(str, (*v.q_defender, *v.q_adversary))) or "0"
    template = Environment(loader=PackageLoader("holdfast.arena", "export"), **TEMPLATE_OPTIONS).get_template(
        "shield.c.j2"
    )
    return template.render(
        comment=comment([*header(shield), *USE.rstrip().split("\n")]),
        numbers=_numbers(shield),
        is_cut=_is_cut(shield),
        types={
            "reference": _reference(shield),
            "code": _type(largest - 1),
            "size": _type(largest),
            "automaton": _type(max(n_states, default=1)),
        },
        n_automata=len(n_states),
        is_drawn=bool(shield.choices),
        enumerations="\n".join(_enumerators(shield)),
        tables="\n".join(table.text for table in _tables(shield)),
        start=f"{{{{{', '.join(map(str, v.state))}}}, {{{qs}}}, {TURNS.index(v.turn)}}}",
        names="\n".join(_names(shield)),
    )


def table_bytes(shield: FlatShield) -> int:
    """What the constant tables of the C file take, names left out."""
    return sum(BYTES[table.kind] * (len(table.values) or 1) for table in _tables(shield))


def _reference(shield: FlatShield) -> str:
    return _type(shield.n_answers + len(shield.nodes))


def _type(largest: int) -> str:
    return next(f"uint{n}_t" for n in (8, 16, 32) if largest < 1 << n)


def _numbers(shield: FlatShield) -> dict[str, object]:
    """The numbers that the look-up is written in terms of."""
    n_clauses = [len(shield.clauses[turn]) for turn in TURNS]
    n_actions = [len(shield.actions[turn]) for turn in TURNS]
    return {
        "VARIABLES": len(shield.variables),
        "DEFENDER_ACTIONS": n_actions[0],
        "ADVERSARY_ACTIONS": n_actions[1],
        "MAX_ACTIONS": max(n_actions),
        "DEFENDER_CLAUSES": n_clauses[0],
        "CLAUSES": sum(n_clauses),
        "BLOCKS": len(shield.winning[Player.DEFENDER]),
        "SINK": shield.sink,
        "READINGS": len(shield.steps),
        "STEPS": f"{len(shield.steps[0])}u",
        "ANSWERS": f"{shield.n_answers}u",
        "UNAVAILABLE": f"{UNAVAILABLE}u",
    }


def _is_cut(shield: FlatShield) -> bool:
    """Whether some variable is tested digit by digit; otherwise a test is a variable."""
    return len(shield.tests) > len(shield.variables)


def _tables(shield: FlatShield) -> Iterator[ConstantTable]:
    clauses = [c for turn in TURNS for c in shield.clauses[turn]]
    n_states = [len(c.states) for c in clauses]
    assigns = list(chain.from_iterable(shield.effects))
    root = _reference(shield)
    n_values = [len(v.values) for v in shield.variables]
    yield ConstantTable("hf_nodes", shield.nodes, root)
    if _is_cut(shield):
        yield ConstantTable("hf_test_variable", [test.variable for test in shield.tests])
        yield ConstantTable("hf_test_shift", [test.divisor.bit_length() - 1 for test in shield.tests])
    yield ConstantTable("hf_n_values", n_values)
    yield ConstantTable("hf_n_states", n_states)
    yield ConstantTable("hf_first_state", list(accumulate(n_states, initial=0))[:-1])
    yield ConstantTable("hf_winning", [r for turn in TURNS for r in shield.winning[turn]], root)
    yield ConstantTable("hf_moves", [r for turn in TURNS for r in shield.moves[turn]], root)
    if shield.choices:
        yield ConstantTable("hf_choice", shield.choices)
    yield ConstantTable("hf_readings", [r for turn in TURNS for r in shield.readings[turn]])
    yield ConstantTable("hf_effect_first", list(accumulate(map(len, shield.effects), initial=0)))
    yield ConstantTable("hf_effect_variable", [variable for variable, _ in assigns])
    yield ConstantTable("hf_effect_root", [reference for _, reference in assigns], root)
    yield ConstantTable("hf_steps", [r for row in shield.steps for r in row], root)
    yield ConstantTable("hf_offset", [offset for c in clauses for offset in c.offset], "int32_t")


# -- names ------------------------------------------------------------------------------------------


def _names(shield: FlatShield) -> Iterator[str]:
    """The names as strings; variables with the same values share them."""
    yield strings("hf_variable_names", [v.name for v in shield.variables])
    first: dict[tuple[str, ...], int] = {}
    values: list[str] = []
    for variable in shield.variables:
        own = tuple(map(str, variable.values))
        if own not in first:
            first[own] = len(values)
            values += own
    yield strings("hf_value_names", values)
    yield ConstantTable("hf_domain", [first[tuple(map(str, v.values))] for v in shield.variables]).text
    yield strings("hf_action_names", [name for turn in TURNS for name in shield.actions[turn]])


def strings(name: str, texts: Sequence[str]) -> str:
    """A constant array of texts."""
    rows = "".join(f"    {_string(text)},\n" for text in texts)
    return f"static const char *const {name}[{len(texts)}] = {{\n{rows}}};\n"


def _string(text: str) -> str:
    r"""A string literal whose bytes are the text's UTF-8; ``?`` is escaped, so no trigraph can form.

    >>> print(_string('é "??/'))
    "\303\251 \"\?\?/"
    """
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    raw = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(chr(b) if b in plain else _escaped(b) for b in raw) + '"'


def _escaped(byte: int) -> str:
    return f"\\{chr(byte)}" if byte in b'"\\?' else f"\\{byte:03o}"


def _enumerators(shield: FlatShield) -> Iterator[str]:
    """Constants for variables, symbols and actions, made of letters, digits and _ alone."""
    taken = {"HF_DEFENDER", "HF_ADVERSARY", *(f"HF_{name}" for name in _numbers(shield)), *SWITCHES}
    groups = [("HF_VARIABLE", [v.name for v in shield.variables])]
    groups += [(f"HF_{turn.name}", list(shield.actions[turn])) for turn in TURNS]
    for prefix, names in groups:
        yield from enumeration([identifier(f"{prefix}_{name}", taken) for name in names])
    for variable in shield.variables:
        if not variable.numeric:
            prefix = f"HF_VALUE_{variable.name}"
            yield from enumeration([identifier(f"{prefix}_{value}", taken) for value in variable.values])


def enumeration(names: list[str]) -> Iterator[str]:
    """Constants from 0; nothing where there are none."""
    if names:
        yield "enum {\n" + "\n".join(f"    {line}" for line in wrapped(names)) + "\n};\n"


def identifier(text: str, taken: set[str]) -> str:
    """A name that no other text gets: what is not ASCII becomes ``_``, and a number tells equals apart."""
    base = re.sub("[^A-Za-z0-9]+", "_", text)[:MAX_IDENTIFIER].rstrip("_")
    name, n = base, 1
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    taken.add(name)
    return name


def comment(lines: Sequence[str]) -> str:
    """A comment that nothing in the lines can end, nest or splice."""
    body = "\n".join(f"   {line}".rstrip() for line in lines).strip()
    for mark in ("*/", "/*", "??"):
        while mark in body:
            body = body.replace(mark, f"{mark[0]} {mark[1]}")
    return f"/* {body}\n*/\n"
