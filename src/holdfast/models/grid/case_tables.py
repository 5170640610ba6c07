"""The tables of a case as pandapower ships them, read without loading pandapower.

To load pandapower and have it make a net takes seconds; the file that it reads is small. Here the file's
tables are taken as they are, and a branch becomes a row in the MATPOWER form by the textbook: reactances per
unit of V²/S at the bus that a line starts from; a transformer's from its short-circuit voltage, with its tap
as off-nominal ratio. That covers lines and transformers of two windings without losses in the iron, which is
what the cases consist of. For anything else :func:`shipped_case` gives ``None``: pandapower is to be asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = "networks/power_system_test_case_jsons"

_KNOWN = ("bus", "line", "trafo", "load", "gen", "sgen", "ext_grid")
_BESIDE = ("shunt", "poly_cost", "pwl_cost")


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch in the MATPOWER form: reactance and tap per unit, phase shift in degrees, rating in MVA."""

    is_line: bool
    source: int
    target: int
    reactance: float
    tap: float
    shift: float
    rating: float


@dataclass(frozen=True, slots=True)
class CaseTables:
    """Branches in service as rows, and the entries in service of the other tables; buses by their numbers."""

    buses: list[int]
    branches: list[BranchRow]
    loads: list[Any]
    generators: list[Any]
    outside: list[Any]


def shipped_case(name: str) -> CaseTables | None:
    """The tables of a case, or ``None`` where they are not there or hold more than is understood here.

    Raises:
        ImportError: where pandapower is not installed.
    """
    spec = find_spec("pandapower")
    if spec is None or spec.origin is None:
        raise ImportError("pandapower is not installed")
    path = Path(spec.origin).parent / FOLDER / f"{name}.json"
    try:
        inside = json.loads(path.read_text("utf-8"))["_object"]
        tables = {key: _rows(value) for key, value in inside.items() if _is_table(key, value)}
        return _case(tables, float(inside["sn_mva"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # another edition of pandapower keeps or writes its cases in another way


def _is_table(key: str, value: Any) -> bool:
    filled = isinstance(value, dict) and value.get("_class") == "DataFrame"
    return filled and not key.startswith(("res_", "_"))


def _rows(entry: dict[str, Any]) -> list[Any]:
    """The entries of one table in the order of their numbers, a field for each column."""
    table = json.loads(entry["_object"])
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    numbered = zip(table["index"], rows, strict=True)
    return sorted((SimpleNamespace(Index=i, **row) for i, row in numbered), key=lambda row: row.Index)


def _case(tables: dict[str, list[Any]], base: float) -> CaseTables | None:
    if any(rows and name not in (*_KNOWN, *_BESIDE) for name, rows in tables.items()):
        return None
    if not all(bus.in_service for bus in tables["bus"]) or not all(map(_plain, tables["trafo"])):
        return None
    volts = {bus.Index: bus.vn_kv for bus in tables["bus"]}
    lines = [_line(row, volts, base) for row in tables["line"] if row.in_service]
    transformers = [_transformer(row, volts, base) for row in tables["trafo"] if row.in_service]
    used = {name: [row for row in tables[name] if row.in_service] for name in _KNOWN}
    return CaseTables(
        sorted(volts), lines + transformers, used["load"], [*used["gen"], *used["sgen"]], used["ext_grid"]
    )


def _plain(row: Any) -> bool:
    """Whether a transformer has no losses in its iron, and at most a tap that changes its upper voltage."""
    tapped = row.tap_changer_type == "Ratio" and row.tap_side == "hv" and not row.tap_step_degree
    table = getattr(row, "tap_dependency_table", False)
    second = getattr(row, "tap2_pos", None) is not None
    losses = row.pfe_kw or row.i0_percent
    return not losses and not table and not second and (tapped or row.tap_changer_type is None)


def _line(row: Any, volts: dict[int, float], base: float) -> BranchRow:
    volt = volts[row.from_bus]
    reactance = row.x_ohm_per_km * row.length_km / (volt**2 / base) / row.parallel
    return BranchRow(True, row.from_bus, row.to_bus, reactance, 1.0, 0.0, line_rating(row, volt))


def _transformer(row: Any, volts: dict[int, float], base: float) -> BranchRow:
    upper, lower = row.vn_hv_kv, row.vn_lv_kv
    if row.tap_changer_type is not None:
        upper *= 1 + (row.tap_pos - row.tap_neutral) * row.tap_step_percent / 100
    scale = (lower / volts[row.lv_bus]) ** 2 * base / row.sn_mva / 100
    impedance, resistance = row.vk_percent * scale, row.vkr_percent * scale
    reactance = sqrt(impedance**2 - resistance**2) / row.parallel
    tap = upper / lower / (volts[row.hv_bus] / volts[row.lv_bus])
    return BranchRow(False, row.hv_bus, row.lv_bus, reactance, tap, row.shift_degree, transformer_rating(row))


def line_rating(row: Any, volt: float) -> float:
    """The MVA that a line may carry, at the voltage of the bus it starts from; 0 where it is not said."""
    return _permitted(row, _number(row, "max_i_ka", 0.0) * volt * sqrt(3))


def transformer_rating(row: Any) -> float:
    """The MVA that a transformer may carry; 0 where that is not said."""
    return _permitted(row, _number(row, "sn_mva", 0.0))


def is_limited(row: Any) -> bool:
    """Whether a net says how far a branch may be loaded; where it does not, that is 100%."""
    return _number(row, "max_loading_percent", 0.0) > 0


def _permitted(row: Any, whole: float) -> float:
    share = _number(row, "max_loading_percent", 100.0) / 100
    return share * whole * _number(row, "df", 1.0) * _number(row, "parallel", 1.0)


def _number(row: Any, column: str, otherwise: float) -> float:
    """An entry of a table, or something else where the table has no such column or nothing in it."""
    value = getattr(row, column, None)
    return otherwise if value is None or value != value else float(value)
