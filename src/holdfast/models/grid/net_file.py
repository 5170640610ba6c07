"""A net that pandapower saved as JSON, written out as a scenario.

pandapower's own reader makes whatever objects a file names. Here the file is data: its tables are taken as
lists of numbers and words, checked in size, and put into an empty net, so that a hostile file is refused
and never runs anything. What is written holds the whole grid and needs pandapower no more.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.errors import InputError, missing
from holdfast.models.grid.case_reader import NetReading, Parts, read_net

MAX_BYTES, MAX_ROWS, MAX_INDEX, MAX_COLUMNS = 20_000_000, 2_000, 100_000, 200

TABLES = ("bus", "line", "trafo", "load", "gen", "sgen", "ext_grid", "switch")
"""What is taken; of what else is in a net only shunts may be left out, as nothing reactive is modelled."""

LEFT_OUT = ("shunt", "pwl_cost", "poly_cost", "measurement", "controller", "group")

CHOSEN = (
    "a branch trips above 1.2 times its rating (tolerance)",
    "more than 2 branches out at once count as a grid that is lost (outages)",
    "specs: 80% of the load stays served, against an adversary that trips one branch",
)
"""What the scenario says whatever the net is."""

TEXT = """\
{head}
holdfast: 1
name: "{title}"

grid:
  rating: {{margin: 1.5, least: 10}}     # for branches without a rating of their own
  tolerance: 1.2
  outages: 2
  branches:
{branches}
  loads:
{loads}
  generators:
{generators}

specs:
  defender:
    - G (served >= 80)
  adversary:
    - G (times(trip) <= 1)
"""


def is_net(path: str | os.PathLike[str]) -> bool:
    """Whether a file says at its beginning that it is a net of pandapower."""
    try:
        with open(path, "rb") as file:
            return b'"pandapowerNet"' in file.read(400)
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class ImportedGrid:
    """A net as a scenario.

    Attributes:
        text: the scenario.
        n_branches: how many branches it has.
        dropped: what is in the net and not in the scenario, a sentence each.
        assumed: what the net does not say and was chosen, a sentence each.
    """

    text: str
    n_branches: int
    dropped: tuple[str, ...]
    assumed: tuple[str, ...]


def grid_from_file(path: str | os.PathLike[str]) -> ImportedGrid:
    """The scenario of a net that was saved as JSON.

    Raises:
        InputError: for a file that is no such net, and where pandapower is not installed.
    """
    name = Path(path).name
    inside = _parsed(path)
    filled, base = _tables(inside, str(path)), inside.get("sn_mva")
    tables = {table: filled[table] for table in TABLES if table in filled}
    if not isinstance(base, int | float) or not 0 < base < 1e9:
        raise InputError(f"{path}: its sn_mva is {base!r}; expected the base of its reactances, in MVA")
    try:
        net = _read(tables, float(base))
    except ImportError:
        raise InputError(missing("pandapower", "grid", f"{path}: to read a net")) from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except Exception as error:  # what a foreign net can be wrong in, pandapower tells in many ways
        reason = f"{type(error).__name__}: {error}"[:200]
        raise InputError(f"{path}: pandapower cannot make a net of these tables: {reason}") from None
    present = [table for table in LEFT_OUT if table in filled]
    dropped = (*net.dropped, *([f"the entries of {', '.join(present)}"] if present else []))
    assumed = (*net.assumed, *CHOSEN)
    return ImportedGrid(_written(net.parts, name, dropped, assumed), len(net.parts[0]), dropped, assumed)


def _parsed(path: str | os.PathLike[str]) -> dict[str, Any]:
    def absurd(text: str) -> float:
        raise InputError(f"{path}: the number {text} does not occur in a net")

    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise InputError(
                f"{path}: larger than {MAX_BYTES:,} bytes; a net of that size cannot be tabulated"
            )
        parsed = json.loads(raw.decode("utf-8"), parse_constant=absurd)
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: truncated, or not JSON") from None
    inside = parsed.get("_object") if isinstance(parsed, dict) else None
    if not isinstance(inside, dict) or parsed.get("_class") != "pandapowerNet":
        raise InputError(f"{path}: not a net that pandapower saved; expected what pandapower.to_json writes")
    return inside


def _tables(inside: dict[str, Any], path: str) -> dict[str, dict[str, Any]]:
    """The tables with something in them, by name; each has columns, index and data."""
    tables = {}
    for name, entry in inside.items():
        if (
            not isinstance(entry, dict)
            or entry.get("_class") != "DataFrame"
            or name.startswith(("res_", "_"))
        ):
            continue
        table = _table(entry.get("_object"), f"{path}: its table {name}")
        if not table["index"]:
            continue
        if name not in (*TABLES, *LEFT_OUT):
            raise InputError(f"{path}: the net has entries in {name}, which is not modelled; take them out")
        tables[name] = table
    if missing := [name for name in ("bus", "load") if name not in tables]:
        raise InputError(f"{path}: the net has no {missing[0]}")
    buses = set(tables["bus"]["index"])
    for name, table in tables.items():
        for column in _BUSES.intersection(table["columns"]):
            at = table["columns"].index(column)
            if unknown := [row[at] for row in table["data"] if row[at] not in buses]:
                raise InputError(
                    f"{path}: its table {name} names bus {unknown[0]}, which is not in its table bus"
                )
    return tables


def _table(text: Any, what: str) -> dict[str, Any]:
    """One table, whose sizes and numbers are what they may be."""
    try:
        table = json.loads(text) if isinstance(text, str) else text
        columns, index, data = (table[key] for key in ("columns", "index", "data"))
        shaped = len(index) == len(data) and all(len(row) == len(columns) for row in data)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(f"{what} is no table; expected columns, index and data") from None
    if len(index) > MAX_ROWS or len(columns) > MAX_COLUMNS:
        raise InputError(f"{what} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS} columns")
    if not shaped or not all(type(i) is int and 0 <= i < MAX_INDEX for i in index):
        raise InputError(f"{what} has rows of different lengths, or numbers of rows that are none")
    for column, name in enumerate(columns):
        for row in data:
            value = row[column]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            wild = number and (not math.isfinite(value) or abs(value) > 1e12)
            if wild or (name in _BUSES and not (type(value) is int and 0 <= value < MAX_INDEX)):
                raise InputError(f"{what} has {value!r} under {name}")
    return {"columns": columns, "index": index, "data": data}


_BUSES = frozenset(("bus", "from_bus", "to_bus", "hv_bus", "lv_bus"))


def _read(tables: dict[str, dict[str, Any]], base: float) -> NetReading:
    """What the tables say, put into an empty net."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandapower
        import pandas

        net = pandapower.create_empty_network(sn_mva=base)
        for name, table in tables.items():
            usual = net[name].dtypes
            frame = pandas.DataFrame(table["data"], index=table["index"], columns=table["columns"])
            for column in frame.columns.intersection(usual.index):
                if usual[column].kind != "O":
                    frame[column] = frame[column].astype(usual[column])
            net[name] = frame
        return read_net(net)


def _written(parts: Parts, name: str, dropped: Sequence[str], assumed: Sequence[str]) -> str:
    head = [f"# A grid imported from {_plain(name)}. Run:  holdfast check FILE"]
    for title, notes in (("Left out:", dropped), ("Assumed, because the net does not say:", assumed)):
        if notes:
            head += ["#", f"# {title}", *(f"#   - {sentence}" for sentence in notes)]
    branches, loads, sources = parts
    lines = []
    for branch in branches.values():
        rated = f", rating: {float(branch.rating):.6g}" if branch.rating else ""
        ends = f"from: {branch.source}, to: {branch.target}, x: {float(branch.reactance):.9g}"
        lines.append(f"    {branch.name}: {{{ends}{rated}}}")
    totals = {
        bus: (sum(float(s.scheduled) for s in at_bus), sum(float(s.most) for s in at_bus))
        for bus, at_bus in sources.items()
    }
    return TEXT.format(
        head="\n".join(head),
        title=_plain(Path(name).stem) or "grid",
        branches="\n".join(lines),
        loads="\n".join(f"    {bus}: {float(power):.9g}" for bus, power in loads.items() if power),
        generators="\n".join(
            f"    {bus}: {{scheduled: {now:.9g}, most: {most:.9g}}}" for bus, (now, most) in totals.items()
        ),
    )


def _plain(text: str) -> str:
    """A name without anything that YAML could take for more than words."""
    return "".join(c if c.isalnum() or c in "._-" else " " for c in text).strip()
