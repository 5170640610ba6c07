"""Power grids, slowly and literally: one set of outages at a time, islands by search, exact fractions.

Flows come from a function that is given the branches in service and what is injected at each bus: Gaussian
elimination on fractions, or pandapower's own DC power flow on a net that is built for the purpose.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import cache

BLACKOUT = "blackout"


def islands(grid, up):
    """The islands as lists of buses."""
    left, found = list(grid.buses), []
    while left:
        island, queue = [], [left[0]]
        while queue:
            bus = queue.pop()
            if bus in island:
                continue
            island.append(bus)
            for b in up:
                if bus in (b.source, b.target):
                    queue.append(b.target if bus == b.source else b.source)
        found.append([bus for bus in grid.buses if bus in island])
        left = [bus for bus in left if bus not in island]
    return found


def balance(grid, up, shed):
    """What is injected at each bus, what is served of its load, and its status."""
    injected, served, status = {}, {}, {}
    for island in islands(grid, up):
        wanted = {bus: Fraction(0) if bus in shed else grid.loads.get(bus, Fraction(0)) for bus in island}
        own = [s for s in grid.sources if s.bus in island]
        load, most = sum(wanted.values()), sum(s.most for s in own)
        scheduled = sum(s.scheduled for s in own)
        got = min(load, most)
        for bus in island:
            served[bus] = wanted[bus] * got / load if load else Fraction(0)
            injected[bus] = -served[bus]
            status[bus] = (
                "shed" if bus in shed else "dark" if most == 0 else "short" if got < load else "live"
            )
        for s in own:
            if got > scheduled:
                injected[s.bus] += s.scheduled + (s.most - s.scheduled) * (got - scheduled) / (
                    most - scheduled
                )
            elif scheduled:
                injected[s.bus] += s.scheduled * got / scheduled
    return injected, served, status


def flows_by_fractions(grid, up, injected):
    """B θ = P island by island, by elimination."""
    angle = {}
    for island in islands(grid, up):
        rest = island[1:]
        angle[island[0]] = Fraction(0)
        rows = []
        for bus in rest:
            row = dict.fromkeys(rest, Fraction(0))
            for b in up:
                if bus in (b.source, b.target):
                    other = b.target if bus == b.source else b.source
                    row[bus] += 1 / b.reactance
                    if other in row:
                        row[other] -= 1 / b.reactance
            rows.append([*row.values(), injected[bus]])
        angle |= dict(zip(rest, solved(rows)))
    return {b.name: (angle[b.source] - angle[b.target]) / b.reactance for b in up}


def solved(rows):
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[n] for row in rows]


@cache
def net_of(buses, branches):
    """A pandapower net; every bus has a load, and may hold the angle of its island."""
    import pandapower as pp

    net = pp.create_empty_network(sn_mva=1.0)
    number = {bus: pp.create_bus(net, vn_kv=1.0, name=bus) for bus in buses}
    for b in branches:
        pp.create_line_from_parameters(
            net, number[b.source], number[b.target], 1.0, r_ohm_per_km=0.0, x_ohm_per_km=float(b.reactance),
            c_nf_per_km=0.0, max_i_ka=1e6, name=b.name,
        )  # fmt: skip
    for bus in buses:
        pp.create_load(net, number[bus], p_mw=0.0)
        pp.create_ext_grid(net, number[bus])
    return net


def flows_by_pandapower(grid, up, injected):
    """A full DC power flow by pandapower; in each island the first bus holds the angle."""
    import pandapower as pp

    net = net_of(grid.buses, grid.branches)
    first = {island[0] for island in islands(grid, up)}
    net.line["in_service"] = [b in up for b in grid.branches]
    net.load["p_mw"] = [0.0 if bus in first else -float(injected[bus]) for bus in grid.buses]
    net.ext_grid["in_service"] = [bus in first for bus in grid.buses]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pp.rundcpp(net, numba=False)
    # What the buses that hold the angle give is what is left to them: a check of the balance.
    for bus, given in zip(grid.buses, net.res_ext_grid.p_mw):
        assert bus not in first or abs((given if given == given else 0.0) - float(injected[bus])) < 1e-6
    return {b.name: flow for b, flow in zip(grid.branches, net.res_line.p_from_mw) if b in up}


def settle(grid, tripped, damaged, shed, flows=flows_by_fractions):
    """The branches that are tripped at last, with the rounds that they trip in; or a blackout."""
    tripped, rounds = set(tripped), []
    while True:
        if len(tripped | damaged) > grid.outages:
            return BLACKOUT, rounds
        up = [b for b in grid.branches if b.name not in tripped | damaged]
        injected, _, _ = balance(grid, up, shed)
        found = flows(grid, up, injected)
        over = {b.name for b in up if abs(found[b.name]) > b.rating * grid.tolerance + Fraction(1, 10**6)}
        if not over:
            return frozenset(tripped), rounds
        rounds.append(over)
        tripped |= over


def seen(grid, state, flows=flows_by_fractions):
    """A situation as the values of all variables, by name."""
    if state == BLACKOUT:
        return {
            **{b.name: "tripped" for b in grid.branches},
            **dict.fromkeys(grid.buses, "dark"),
            "served": 0, "overloaded": 0, "islands": len(grid.buses),
        }  # fmt: skip
    tripped, damaged, shed = state
    up = [b for b in grid.branches if b.name not in tripped | damaged]
    injected, served, status = balance(grid, up, shed)
    found = flows(grid, up, injected)
    return {
        **{b.name: "tripped" if b.name in tripped else "damaged" if b.name in damaged else "up" for b in grid.branches},
        **status,
        "served": int(100 * sum(served.values()) / grid.demand),
        "overloaded": sum(abs(found[b.name]) > b.rating + Fraction(1, 10**6) for b in up),
        "islands": len(islands(grid, up)),
    }  # fmt: skip


def after(grid, state, action, flows=flows_by_fractions):
    """The situation after an action."""
    kind, _, name = action.partition("(")
    name = name.removesuffix(")")
    if state == BLACKOUT or kind == "wait" or (kind in ("trip", "damage") and name in grid.protected):
        return state
    tripped, damaged, shed = state
    if kind == "trip" and name not in damaged:
        tripped = tripped | {name}
    elif kind == "damage":
        tripped, damaged = tripped - {name}, damaged | {name}
    elif kind == "reclose":
        tripped = tripped - {name}
    elif kind == "repair" and name in damaged:
        tripped, damaged = tripped | {name}, damaged - {name}
    elif kind == "shed":
        shed = shed | {name}
    elif kind == "restore":
        shed = shed - {name}
    if (tripped, damaged, shed) == state:
        return state
    settled, _ = settle(grid, tripped, damaged, shed, flows)
    return BLACKOUT if settled == BLACKOUT else (settled, damaged, shed)


def whole():
    return frozenset(), frozenset(), frozenset()
