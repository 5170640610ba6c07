"""Cases of pandapower as the parts of a grid.

A case is read from the tables that pandapower ships (:mod:`~holdfast.models.grid.case_tables`). pandapower
itself, whose loading takes seconds, is asked for nets of other people and for what those tables do not tell:
reactances and taps then come from its own conversion to the MATPOWER form, so that the flows here are those
of its DC power flow; loads, generators and ratings from its tables. A branch that is rated so high that it
cannot be meant (:data:`UNLIMITED_RATING`) has none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from holdfast.errors import ModelError, did_you_mean, missing
from holdfast.models.grid.case_tables import (
    BranchRow,
    CaseTables,
    is_limited,
    line_rating,
    shipped_case,
    transformer_rating,
)
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

_F_BUS, _T_BUS, _X, _TAP, _SHIFT = 0, 1, 3, 8, 9

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
    return read_net(net).parts


@dataclass(frozen=True)
class NetReading:
    """What was read of a net.

    Attributes:
        parts: its branches, loads and generators.
        dropped: what is in the net and not in the parts, a sentence each.
        assumed: what the net does not say and was chosen, a sentence each.
    """

    parts: Parts
    dropped: tuple[str, ...]
    assumed: tuple[str, ...]


def read_net(net: Any) -> NetReading:
    """A pandapower net, with what was left out and chosen.

    A line or transformer with an open switch carries nothing, so it is left out, as what is out of service
    is; buses that a closed switch joins are one.
    """
    from pandapower.converter.pypower import to_ppc

    dropped: list[str] = []
    whole, net = net, _connected(net, dropped)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = to_ppc(net, calculate_voltage_angles=True, check_connectivity=False, init="flat", mode="pf")
    place = net._pd2ppc_lookups["bus"]  # buses that a switch joins are one
    numbers = sorted(int(number) for number in net.bus.index[net.bus.in_service])
    first: dict[int, int] = {}
    for number in numbers:
        first.setdefault(int(place[number]), number)
    volts = {int(number): float(volt) for number, volt in net.bus.vn_kv.items()}
    lines, transformers = list(net.line.itertuples()), list(net.trafo.itertuples())
    ratings = [line_rating(row, volts[row.from_bus]) for row in lines]
    ratings += [transformer_rating(row) for row in transformers]
    branches = [
        BranchRow(
            is_line=i < len(lines),
            source=first[int(row[_F_BUS])],
            target=first[int(row[_T_BUS])],
            reactance=row[_X],
            tap=row[_TAP] or 1.0,
            shift=row[_SHIFT],
            rating=rating,
        )
        for i, (row, rating) in enumerate(zip(case["branch"].real, ratings, strict=True))
    ]
    within = [row for row in branches if row.source != row.target]
    if (n_loops := len(branches) - len(within)) > 0:
        dropped.append(f"{_counted(n_loops, 'branch', 'branches')} between buses that a closed switch joins")
    at = {number: f"B{first[int(place[number])] + 1}" for number in numbers}
    ends = {at[bus] for row in within for bus in (row.source, row.target)}

    def used(name: str) -> list[Any]:
        rows = _used(whole[name])
        there = [row for row in rows if at.get(int(row.bus)) in ends]
        if len(there) < len(rows):
            dropped.append(
                f"{_counted(len(rows) - len(there), 'entry', 'entries')} of {name} at buses without a branch"
            )
        return there

    loads, outside = used("load"), used("ext_grid")
    generators = [*used("gen"), *used("sgen")]
    tables = CaseTables(numbers, within, loads, generators, outside)
    assumed = _assumed(lines + transformers, within, generators, outside)
    return NetReading(_parts(tables, at), tuple(dropped), tuple(assumed))


def _connected(net: Any, dropped: list[str]) -> Any:
    """A copy of a net without branches that are open or out of service; a closed switch has no impedance."""
    net = deepcopy(net)
    live = set(net.bus.index[net.bus.in_service])
    for name, kind, ends in (("line", "l", ("from_bus", "to_bus")), ("trafo", "t", ("hv_bus", "lv_bus"))):
        table = net[name]
        opened = set(net.switch.element[(net.switch.et == kind) & ~net.switch.closed.astype(bool)])
        on = table.in_service.astype(bool) & ~table.index.isin(opened)
        for end in ends:
            on &= table[end].isin(live)
        if (n := int((~on).sum())) > 0:
            dropped.append(
                f"{_counted(n, name)} with an open switch, out of service, or at a bus out of service"
            )
        net[name] = table[on]
    net["switch"] = net.switch[(net.switch.et == "b")].assign(z_ohm=0.0)
    return net


def _assumed(
    rows: list[Any], branches: list[BranchRow], generators: list[Any], outside: list[Any]
) -> Iterator[str]:
    """What is not in a net and was chosen."""
    n_unrated = sum(not 0 < row.rating < UNLIMITED_RATING for row in branches)
    if n_unrated:
        yield (
            f"{_counted(n_unrated, 'branch', 'branches')} without a rating, or with one of "
            f"{UNLIMITED_RATING:,} MVA and more, which stands for none: rated by the rule (rating)"
        )
    n_open = sum(not is_limited(row) for row in rows)
    if n_open and n_unrated < len(branches):
        yield (
            f"{_counted(n_open, 'branch', 'branches')} without max_loading_percent: rated at 100% of what a "
            "line's max_i_ka or a transformer's sn_mva says"
        )
    n_gens = sum(_said(row) is None for row in generators)
    if n_gens:
        yield f"{_counted(n_gens, 'generator')} without max_p_mw: at most what is scheduled"
    if any(_said(row) is None for row in outside):
        yield "the grid outside has no max_p_mw: can supply the whole demand"


def _counted(n: int, noun: str, several: str = "") -> str:
    return f"{n:,} {noun if n == 1 else several or noun + 's'}"


def _used(table: Any) -> list[Any]:
    return list(table[table.in_service].itertuples())


def _parts(tables: CaseTables, at: Mapping[int, str]) -> Parts:
    """What the tables say, given the name of the bus that each number stands for."""
    branches: dict[str, GridBranch] = {}
    angles: dict[str, tuple[str, float]] = {}
    for row in tables.branches:
        source, target = at[row.source], at[row.target]
        name = f"{'L' if row.is_line else 'T'}{source[1:]}-{target[1:]}"
        while name in branches:
            name += "b"
        _turn(angles, name, row, source, target)
        rating = Fraction(0) if row.rating >= UNLIMITED_RATING else _exact(row.rating)
        branches[name] = GridBranch(name, source, target, _exact(row.reactance * row.tap), rating)
    loads: dict[str, Fraction] = {}
    for load in tables.loads:
        bus = at[load.bus]
        loads[bus] = loads.get(bus, Fraction(0)) + _exact(load.p_mw * load.scaling)
    return branches, loads, _sources(tables, at, sum(loads.values(), Fraction(0)))


def _turn(angles: dict[str, tuple[str, float]], name: str, row: BranchRow, source: str, target: str) -> None:
    """Take a branch's phase shift into account, which moves no power where it can be taken into the angles.

    That is so if the shifts around every loop cancel: in a radial net, and for transformers of one kind side
    by side. Each bus has another bus and its angle against that one; following them finds that of its part.
    """
    (left, before), (right, after) = _angle(angles, source), _angle(angles, target)
    if left != right:
        angles[right] = left, before - row.shift - after
    elif abs(before - row.shift - after) > 1e-6:
        raise ModelError(
            f"branch {name} closes a loop around which the phase is shifted by "
            f"{abs(before - row.shift - after):g} degrees; such a shift drives power around the loop, which "
            "is not modelled; open the loop, or give its transformers the same shift_degree"
        )


def _angle(angles: dict[str, tuple[str, float]], bus: str) -> tuple[str, float]:
    """The bus that stands for a bus's part of the net, and the angle against it."""
    angle = 0.0
    while bus in angles:
        bus, more = angles[bus]
        angle += more
    return bus, angle


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
    most = _said(row)
    return otherwise if most is None else _exact(most)


def _said(row: Any) -> float | None:
    most = getattr(row, "max_p_mw", None)
    return None if most is None or most != most else float(most)


def _exact(value: float) -> Fraction:
    """A float as the number that it was written as, to the watt and finer."""
    return Fraction(f"{value:.9g}")
