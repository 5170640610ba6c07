"""Cases of pandapower as the parts of a grid.

A case is read from the tables that pandapower ships (:mod:`~holdfast.models.grid.case_tables`). pandapower
itself, whose loading takes seconds, is asked for nets of other people and for what those tables do not tell:
reactances and taps then come from its own conversion to the MATPOWER form, so that the flows here are those
of its DC power flow; loads and generators from its tables. A branch that is rated so high that it cannot
be meant (:data:`UNLIMITED_RATING`) has none.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from holdfast.errors import ModelError, did_you_mean, missing
from holdfast.models.grid.case_tables import BranchRow, CaseTables, shipped_case
from holdfast.models.grid.power_grid import GridBranch, PowerSource
from holdfast.scenario import Node, placed, shortened

CASES = {
    "ieee9": "case9",
    "ieee14": "case14",
    "ieee24": "case24_ieee_rts",
    "ieee30": "case_ieee30",
    "ieee39": "case39",
}
UNLIMITED_RATING = 5_000
"""MVA; the cases that have no ratings say 9,900 or more."""

_F_BUS, _T_BUS, _X, _RATE, _TAP, _SHIFT, _STATUS = 0, 1, 3, 5, 8, 9, 10

Parts = tuple[dict[str, GridBranch], dict[str, Fraction], dict[str, list[PowerSource]]]


def read_case(node: Node) -> Parts:
    """Branches, loads and generators of a named case.

    Raises:
        Problem: for a case that is not known, and where pandapower is not installed.
    """
    if node.text not in CASES:
        hint = did_you_mean(node.text, CASES) or f"; there are {', '.join(CASES)}"
        raise node.problem(f'there is no case "{shortened(node.text)}"{hint}')
    try:
        with placed(node):
            branches, loads, sources = _parts_of_case(node.text)
    except ImportError:
        raise node.problem(
            missing("pandapower", "grid", f"the case {node.text}")
            + "; or write the grid out under branches, loads and generators"
        ) from None
    return dict(branches), dict(loads), dict(sources)


@cache
def _parts_of_case(name: str) -> Parts:
    if (tables := shipped_case(CASES[name])) is not None:
        return _parts(tables, {number: f"B{number + 1}" for number in tables.buses})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandapower.networks
    return parts_of(getattr(pandapower.networks, CASES[name])())


def parts_of(net: Any) -> Parts:
    """Branches, loads and generators of a pandapower net, its buses called B1, B2, … by their numbers."""
    from pandapower.converter.pypower import to_ppc

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = to_ppc(net, calculate_voltage_angles=True, init="flat", mode="pf")
    place = net._pd2ppc_lookups["bus"]  # buses that a switch joins are one
    numbers = sorted(int(number) for number in net.bus.index[net.bus.in_service])
    first: dict[int, int] = {}
    for number in numbers:
        first.setdefault(int(place[number]), number)
    branches = [
        BranchRow(
            is_line=i < len(net.line),
            source=first[int(row[_F_BUS])],
            target=first[int(row[_T_BUS])],
            reactance=row[_X],
            tap=row[_TAP] or 1.0,
            shift=row[_SHIFT],
            rating=row[_RATE],
        )
        for i, row in enumerate(case["branch"].real)
        if row[_STATUS]
    ]
    tables = CaseTables(
        buses=numbers,
        branches=branches,
        loads=_used(net.load),
        generators=[*_used(net.gen), *_used(net.sgen)],
        outside=_used(net.ext_grid),
    )
    return _parts(tables, {number: f"B{first[int(place[number])] + 1}" for number in numbers})


def _used(table: Any) -> list[Any]:
    return list(table[table.in_service].itertuples())


def _parts(tables: CaseTables, at: Mapping[int, str]) -> Parts:
    """What the tables say, given the name of the bus that each number stands for."""
    branches: dict[str, GridBranch] = {}
    for row in tables.branches:
        source, target = at[row.source], at[row.target]
        name = f"{'L' if row.is_line else 'T'}{source[1:]}-{target[1:]}"
        while name in branches:
            name += "b"
        if abs(row.shift) > 1e-9:
            raise ModelError(
                f"branch {name} shifts the phase by {row.shift:g} degrees, which is not modelled"
            )
        rating = Fraction(0) if row.rating >= UNLIMITED_RATING else _exact(row.rating)
        branches[name] = GridBranch(name, source, target, _exact(row.reactance * row.tap), rating)
    loads: dict[str, Fraction] = {}
    for load in tables.loads:
        bus = at[load.bus]
        loads[bus] = loads.get(bus, Fraction(0)) + _exact(load.p_mw * load.scaling)
    return branches, loads, _sources(tables, at, sum(loads.values(), Fraction(0)))


def _sources(tables: CaseTables, at: Mapping[int, str], demand: Fraction) -> dict[str, list[PowerSource]]:
    """The generators; the connection to the grid outside gives what the others leave."""
    sources: dict[str, list[PowerSource]] = {}
    given = Fraction(0)
    for row in tables.generators:
        power = max(_exact(row.p_mw * row.scaling), Fraction(0))
        most = max(_most(row, power), power)
        sources.setdefault(at[row.bus], []).append(PowerSource(at[row.bus], power, most))
        given += power
    for row in tables.outside:
        most = _most(row, demand)
        power = min(max((demand - given) / len(tables.outside), Fraction(0)), most)
        sources.setdefault(at[row.bus], []).append(PowerSource(at[row.bus], power, most))
    return sources


def _most(row: Any, otherwise: Fraction) -> Fraction:
    """What a generator can give at the most, where the table says it."""
    most = getattr(row, "max_p_mw", None)
    return otherwise if most is None or most != most else _exact(most)


def _exact(value: float) -> Fraction:
    """A float as the number that it was written as, to the watt and finer."""
    return Fraction(f"{value:.9g}")
