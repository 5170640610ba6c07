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

from holdfast.arena.export.as_c import table_bytes
from holdfast.arena.export.flat_shield import FlatShield, flatten_shield
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean
from holdfast.running import load_plugin, plugins_of
from holdfast.solver import Solution

GROUP = "exporters"

__all__ = ["FlatShield", "export_shield", "flatten_shield", "render", "shield_formats", "size"]


def shield_formats() -> tuple[str, ...]:
    """The formats in which a shield can be written, those that Holdfast ships first.

    Each is a function of a :class:`FlatShield` that gives the text of a file, named by an entry point of the
    group ``holdfast.exporters``.
    """
    return tuple(plugins_of(GROUP))


def export_shield(solution: Solution, form: str = "c", budget: Budget = UNLIMITED) -> str:
    """The shield of a solution as a file in one of the :func:`shield_formats`, which needs no Holdfast.

    Raises:
        InputError: for an unknown format, or a configuration that is not defensible: it has no shield.
        LimitError: when the look-up table grows too large.
    """
    if not solution.defensible:
        raise InputError("the configuration is not defensible, so there is no shield to export")
    return render(flatten_shield(solution, budget), form)


def render(shield: FlatShield, form: str) -> str:
    """The text of a file in one of the :func:`shield_formats`; what Holdfast ships writes ASCII, and the same
    for the same shield.

    Raises:
        InputError: for an unknown format, or one whose plug-in does not work.
    """
    formats = shield_formats()
    if form not in formats:
        raise InputError(
            f'unknown format "{form}"; known: {", ".join(formats)}' + did_you_mean(form, formats)
        )
    written = load_plugin(GROUP, form)
    if not callable(written):
        raise InputError(
            f'the entry point "{form}" of the group holdfast.{GROUP} is no function: {written!r:.80}'
        )
    return str(written(shield))


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
