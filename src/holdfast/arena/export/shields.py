"""The shield for use without Holdfast: JSON, C or Python with the same answers as the library.

>>> import holdfast as hf
>>> game = hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW")
>>> solution = hf.solve(hf.configure(game, defender=["G (DB != Z)"]))
>>> text = render(flatten_shield(solution), "python")
>>> module = {"__name__": "shield"}
>>> exec(text, module)
>>> module["permitted"](module["INITIAL"]) == hf.safe_actions(solution, solution.configuration.initial)
True
"""

from __future__ import annotations

from holdfast.arena.export.as_c import render_c, table_bytes
from holdfast.arena.export.as_data import render_json, render_python
from holdfast.arena.export.flat_shield import FlatShield, flatten_shield
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean
from holdfast.solver import Solution

RENDERERS = {"json": render_json, "c": render_c, "python": render_python}
FORMATS = tuple(RENDERERS)

__all__ = ["FORMATS", "FlatShield", "export_shield", "flatten_shield", "render", "size"]


def export_shield(solution: Solution, form: str = "c", budget: Budget = UNLIMITED) -> str:
    """The shield of a solution as a file in one of the :data:`FORMATS`, which needs no Holdfast.

    Raises:
        InputError: for an unknown format, or a configuration that is not defensible: it has no shield.
        LimitError: when the look-up table grows too large.
    """
    if not solution.defensible:
        raise InputError("the configuration is not defensible, so there is no shield to export")
    return render(flatten_shield(solution, budget), form)


def render(shield: FlatShield, form: str) -> str:
    """The text of a file in one of the :data:`FORMATS`; ASCII, and the same for the same shield.

    Raises:
        InputError: for an unknown format.
    """
    if form not in FORMATS:
        raise InputError(
            f'unknown format "{form}"; known: {", ".join(FORMATS)}' + did_you_mean(form, FORMATS)
        )
    return RENDERERS[form](shield)


def size(shield: FlatShield) -> dict[str, int]:
    """How large the shield is: nodes, entries of the array, other tables, and bytes of them all in C."""
    return {
        "nodes": shield.n_nodes,
        "entries": len(shield.nodes),
        "blocks": len(next(iter(shield.winning.values()))),
        "actions": sum(map(len, shield.actions.values())),
        "effects": len(shield.effects),
        "readings": len(shield.steps),
        "automaton_states": len(shield.steps[0]),
        "table_bytes": table_bytes(shield),
    }
