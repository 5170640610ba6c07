"""A controller as one C99 file: names, constant tables, and ``stepping.c`` word for word.

It is used as the shield's file is (:mod:`holdfast.arena.export.as_c`), with the same switches.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from holdfast.arena.export.as_c import ConstantTable, comment, enumeration, identifier, strings
from holdfast.arena.export.flat_controller import FlatController, controller_header

USE = """
Keep one hf_controller. Start it with hf_begin. After every move of the adversary call hf_step with the
look after your own move and the look now; it says what to do. A look is the truth of what is seen, 0 or 1
for each of HF_SEEN things in the order above, and hf_look gives its number.

HF_DECLARATIONS  only declare the functions     HF_API   their linkage, such as static inline
HF_NO_NAMES      leave the names out            HF_MAIN  a main that answers on standard output
"""

DECLARATIONS = """
typedef struct {
    int phase;
} hf_controller;

/* The number of a look, given HF_SEEN truth values; -1 for one that never comes up. */
HF_API int hf_look(const uint8_t *seen);

/* Before the first move: the look that comes before it is HF_START. */
HF_API void hf_begin(hf_controller *c);

/* What to do, by the look after the own move, the look now, and the number of the move that was noticed, or
   -1; -1, and all stays as it was, for what cannot come up under the model. */
HF_API int hf_step(hf_controller *c, int between, int now, int noticed);

#ifndef HF_NO_NAMES
/* In UTF-8; a null pointer for what has no name. */
HF_API const char *hf_seen_name(int number);
HF_API const char *hf_action_name(int action);
#endif
"""


def render_controller_c(flat: FlatController) -> str:
    """The text of the C file, in ASCII."""
    numbers = {
        "SEEN": len(flat.seen),
        "LOOKS": len(flat.looks),
        "START": flat.start,
        "ROUNDS": len(flat.rounds),
        "PHASES": flat.n_phases,
        "ACTIONS": len(flat.actions),
    }
    names = [strings("hf_seen_names", flat.seen or ("",)), strings("hf_action_names", flat.actions)]
    taken = {f"HF_{name}" for name in numbers} | {"HF_API", "HF_DECLARATIONS", "HF_MAIN", "HF_NO_NAMES"}
    constants = [identifier(f"HF_DO_{name}", taken) for name in flat.actions]
    notices = [identifier(f"HF_NOTICED_{name}", taken) for name in flat.noticed]
    parts = [
        comment([*controller_header(flat), *USE.rstrip().split("\n")]),
        "#ifndef HF_API\n#define HF_API\n#endif\n\n#include <stdint.h>\n",
        "".join(f"#define HF_{name} {value}\n" for name, value in numbers.items()),
        *enumeration(constants),
        *enumeration(notices),
        DECLARATIONS,
        "#ifndef HF_DECLARATIONS\n",
        *(table.text for table in _tables(flat)),
        "#ifndef HF_NO_NAMES\n",
        *names,
        "#endif\n",
        files("holdfast.arena.export").joinpath("stepping.c").read_text("ascii"),
        "#endif\n",
    ]
    return "\n".join(parts)


def _tables(flat: FlatController) -> Iterator[ConstantTable]:
    yield ConstantTable("hf_looks", [look >> n & 1 for look in flat.looks for n in range(len(flat.seen))])
    yield ConstantTable("hf_phase", [row.phase for row in flat.rounds])
    yield ConstantTable("hf_between", [row.between for row in flat.rounds])
    yield ConstantTable("hf_now", [row.now for row in flat.rounds])
    yield ConstantTable("hf_noticed", [row.noticed for row in flat.rounds], "int32_t")
    yield ConstantTable("hf_action", [row.action for row in flat.rounds])
    yield ConstantTable("hf_next", [row.next_phase for row in flat.rounds])
