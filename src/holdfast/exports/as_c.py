"""The shield as one C99 file: names, constant tables, and the look-up of ``lookup.c`` word for word.

Compiled as it stands it defines the functions; with ``HF_DECLARATIONS`` it only declares them, with
``HF_API`` as ``static inline`` it is header-only, with ``HF_NO_NAMES`` it leaves the names out, and with
``HF_MAIN`` it is a program that answers on standard output. Nothing is allocated, and ``<stdint.h>`` is all
that is included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import accumulate, chain
from typing import NamedTuple

from holdfast.engines.product_tables import TURNS
from holdfast.exports.as_data import header, wrapped
from holdfast.exports.flat_shield import UNAVAILABLE, FlatShield
from holdfast.logic.expressions import Player

BYTES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int32_t": 4}
SWITCHES = ("HF_API", "HF_DECLARATIONS", "HF_MAIN", "HF_NO_NAMES")
MAX_IDENTIFIER = 48

USE = """
   Keep one hf_position. Start it with hf_initial, advance it on every move of either player with
   hf_observe (the state that the move led to in reality) or hf_move (the state that the model expects),
   and choose the defender's moves among those that hf_permitted sets. A code is the index of a
   variable's value in its domain.

   HF_DECLARATIONS  only declare the functions     HF_API   their linkage, such as static inline
   HF_NO_NAMES      leave the names out            HF_MAIN  a main that answers on standard output
"""

PROTOTYPES = """
/* Of what is not a position hf_is_unsafe says 1 and all others 0, as they do of what is not an action of
   whoever moves. Nothing outside the tables is ever read. */
HF_API int hf_is_position(const hf_position *p);
HF_API void hf_initial(hf_position *p);

/* Whether the defender can hold out from here for ever. */
HF_API int hf_is_winning(const hf_position *p);

/* Whether a requirement has been violated; whether the adversary has kept to what is assumed of it. */
HF_API int hf_is_unsafe(const hf_position *p);
HF_API int hf_is_admissible(const hf_position *p);

/* Set permitted[a], of HF_MAX_ACTIONS entries, to 1 for each action a of whoever moves that stays
   winning, to 0 for all others; returns how many there are. For the adversary these are the moves that
   what is assumed of it admits. */
HF_API int hf_permitted(const hf_position *p, uint8_t *permitted);
HF_API int hf_is_permitted(const hf_position *p, int action);

/* Advance the position; 0, and it stays as it was, if that cannot be. */
HF_API int hf_move(hf_position *p, int action);
HF_API int hf_observe(hf_position *p, int action, const hf_code *value);

#ifndef HF_NO_NAMES
/* In UTF-8; a null pointer for what has no name. */
HF_API const char *hf_variable_name(int variable);
HF_API const char *hf_value_name(int variable, int code);
HF_API const char *hf_action_name(int player, int action);
#endif
"""


class _Table(NamedTuple):
    """A constant array, of the narrowest type unless that is given; C has no empty arrays."""

    name: str
    values: Sequence[int]
    type: str = ""

    @property
    def kind(self) -> str:
        return self.type or _type(max(self.values, default=0))

    @property
    def text(self) -> str:
        rows = "\n".join(f"    {line}" for line in wrapped(list(map(str, self.values or [0]))))
        return f"static const {self.kind} {self.name}[{len(self.values) or 1}] = {{\n{rows}\n}};\n"


def render_c(shield: FlatShield) -> str:
    """The text of the C file, in ASCII."""
    code = files("holdfast.exports").joinpath("lookup.c").read_text("ascii")
    parts = (
        _comment([*header(shield), *USE.rstrip().replace("\n   ", "\n").split("\n")]),
        "#ifndef HF_API\n#define HF_API\n#endif\n\n#include <stdint.h>\n",
        _types(shield),
        "\n".join(_enumerators(shield)),
        PROTOTYPES,
        "#ifndef HF_DECLARATIONS\n",
        "\n".join(table.text for table in _tables(shield)),
        _start(shield),
        "#ifndef HF_NO_NAMES\n\n" + "\n".join(_names(shield)) + "\n#endif\n",
        code,
        "#endif\n",
    )
    return "\n".join(parts)


def table_bytes(shield: FlatShield) -> int:
    """What the constant tables of the C file take, names left out."""
    return sum(BYTES[table.kind] * (len(table.values) or 1) for table in _tables(shield))


def _type(largest: int) -> str:
    return next(f"uint{n}_t" for n in (8, 16, 32) if largest < 1 << n)


def _definitions(shield: FlatShield) -> dict[str, object]:
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


def _types(shield: FlatShield) -> str:
    """The narrowest types, and how a node's test is read."""
    n_states = [len(c.states) for turn in TURNS for c in shield.clauses[turn]]
    largest = max(len(v.values) for v in shield.variables)
    cut = "((value)[hf_test_variable[test]] >> hf_test_shift[test] & 15)"
    lines = [f"#define HF_{name} {value}" for name, value in _definitions(shield).items()]
    lines += [
        f"#define HF_DIGIT(value, test) {cut if _is_cut(shield) else '((value)[test])'}",
        "",
        "enum { HF_DEFENDER, HF_ADVERSARY };",
        "",
        f"typedef {_type(shield.n_answers + len(shield.nodes))} hf_reference;",
        f"typedef {_type(largest - 1)} hf_code;",
        f"typedef {_type(largest)} hf_size;",
        f"typedef {_type(max(n_states, default=1))} hf_automaton;",
        "",
        "/* The state, the automata (the requirements' first, then the assumptions'), and who moves. */",
        "typedef struct {",
        "    hf_code value[HF_VARIABLES];",
        f"    hf_automaton q[{max(len(n_states), 1)}];",
        "    uint8_t turn;",
        "} hf_position;",
        "",
    ]
    return "\n".join(lines)


def _is_cut(shield: FlatShield) -> bool:
    """Whether some variable is tested digit by digit; otherwise a test is a variable."""
    return len(shield.tests) > len(shield.variables)


def _tables(shield: FlatShield) -> Iterator[_Table]:
    clauses = [c for turn in TURNS for c in shield.clauses[turn]]
    n_states = [len(c.states) for c in clauses]
    assigns = list(chain.from_iterable(shield.effects))
    root = _type(shield.n_answers + len(shield.nodes))
    n_values = [len(v.values) for v in shield.variables]
    yield _Table("hf_nodes", shield.nodes, root)
    if _is_cut(shield):
        yield _Table("hf_test_variable", [test.variable for test in shield.tests])
        yield _Table("hf_test_shift", [test.divisor.bit_length() - 1 for test in shield.tests])
    yield _Table("hf_n_values", n_values)
    yield _Table("hf_n_states", n_states)
    yield _Table("hf_first_state", list(accumulate(n_states, initial=0))[:-1])
    yield _Table("hf_winning", [r for turn in TURNS for r in shield.winning[turn]], root)
    yield _Table("hf_moves", [r for turn in TURNS for r in shield.moves[turn]], root)
    yield _Table("hf_readings", [r for turn in TURNS for r in shield.readings[turn]])
    yield _Table("hf_effect_first", list(accumulate(map(len, shield.effects), initial=0)))
    yield _Table("hf_effect_variable", [variable for variable, _ in assigns])
    yield _Table("hf_effect_root", [reference for _, reference in assigns], root)
    yield _Table("hf_steps", [r for row in shield.steps for r in row], root)
    yield _Table("hf_offset", [offset for c in clauses for offset in c.offset], "int32_t")


def _start(shield: FlatShield) -> str:
    v = shield.initial
    values, qs = ", ".join(map(str, v.state)), ", ".join(map(str, (*v.q_defender, *v.q_adversary))) or "0"
    return f"static const hf_position hf_start = {{{{{values}}}, {{{qs}}}, {TURNS.index(v.turn)}}};\n"


# -- names ------------------------------------------------------------------------------------------


def _names(shield: FlatShield) -> Iterator[str]:
    """The names as strings; variables with the same values share them."""
    yield _strings("hf_variable_names", [v.name for v in shield.variables])
    first: dict[tuple[str, ...], int] = {}
    values: list[str] = []
    for variable in shield.variables:
        own = tuple(map(str, variable.values))
        if own not in first:
            first[own] = len(values)
            values += own
    yield _strings("hf_value_names", values)
    yield _Table("hf_domain", [first[tuple(map(str, v.values))] for v in shield.variables]).text
    yield _strings("hf_action_names", [name for turn in TURNS for name in shield.actions[turn]])


def _strings(name: str, texts: Sequence[str]) -> str:
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
    taken = {"HF_DEFENDER", "HF_ADVERSARY", *(f"HF_{name}" for name in _definitions(shield)), *SWITCHES}
    groups = [("HF_VARIABLE", [v.name for v in shield.variables])]
    groups += [(f"HF_{turn.name}", list(shield.actions[turn])) for turn in TURNS]
    for prefix, names in groups:
        yield from _enumeration([_identifier(f"{prefix}_{name}", taken) for name in names])
    for variable in shield.variables:
        if not variable.numeric:
            prefix = f"HF_VALUE_{variable.name}"
            yield from _enumeration([_identifier(f"{prefix}_{value}", taken) for value in variable.values])


def _enumeration(names: list[str]) -> Iterator[str]:
    if names:
        yield "enum {\n" + "\n".join(f"    {line}" for line in wrapped(names)) + "\n};\n"


def _identifier(text: str, taken: set[str]) -> str:
    """A name that no other text gets: what is not ASCII becomes ``_``, and a number tells equals apart."""
    base = re.sub("[^A-Za-z0-9]+", "_", text)[:MAX_IDENTIFIER].rstrip("_")
    name, n = base, 1
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    taken.add(name)
    return name


def _comment(lines: Sequence[str]) -> str:
    """A comment that nothing in the lines can end, nest or splice."""
    body = "\n".join(f"   {line}".rstrip() for line in lines).strip()
    for mark in ("*/", "/*", "??"):
        while mark in body:
            body = body.replace(mark, f"{mark[0]} {mark[1]}")
    return f"/* {body}\n*/\n"
