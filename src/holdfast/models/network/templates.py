"""Templates of requirements on a network: what people ask for, each with a name and the formula it writes.

A host is *lost* while it is compromised, detected or destroyed (X, D, Z), and *out of service* while it is
isolated or destroyed (I, Z). Wherever a template takes a host it takes a set, a group or a zone as well, and
then speaks of every host in it. A clause that comes out is written into a file as it is, and adapted there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.errors import InputError
from holdfast.game import counted, listed

LOST, OUT = "X, D, Z", "I, Z"
"""The statuses of a host that is lost, and of one that is out of service."""

MAX_NAMED = 4
"""Hosts that the name of a clause has room for."""


@dataclass(frozen=True)
class NamedFormula:
    """A clause of a requirement as a file has it: its name and its formula, perhaps one for each zone."""

    name: str
    formula: str
    per_zone: bool = False


@dataclass(frozen=True)
class RequirementTemplate:
    """A kind of clause: its name, what it asks in a sentence, and one that it writes."""

    key: str
    sentence: str
    example: NamedFormula


def never_lost(host: str, *, several: bool = False) -> NamedFormula:
    """A host, or every host of a set, is never lost.

    >>> never_lost("DB")
    NamedFormula(name='DB is never lost', formula='G (DB not in {X, D, Z})', per_zone=False)
    >>> never_lost("critical", several=True).formula
    'G (count(critical in {X, D, Z}) < 1)'
    """
    if several:
        return NamedFormula(f"no {host} host is ever lost", f"G (count({host} in {{{LOST}}}) < 1)")
    return NamedFormula(f"{host} is never lost", f"G ({host} not in {{{LOST}}})")


def never_lost_together(hosts: Sequence[str]) -> NamedFormula:
    """Of some hosts no two are lost at a time.

    >>> never_lost_together(["DB", "BK"]).formula
    'G (count(DB, BK in {X, D, Z}) < 2)'

    Raises:
        InputError: for fewer than two hosts.
    """
    if len(hosts) < 2:
        raise InputError("never lost together: name two hosts or more")
    sentence = f"{listed(hosts)} are never lost together"
    if len(hosts) > 2:
        some = listed(hosts) if len(hosts) <= MAX_NAMED else counted(len(hosts), "host")
        sentence = f"no two of {some} are lost at a time"
    return NamedFormula(sentence, f"G (count({', '.join(hosts)} in {{{LOST}}}) < 2)")


def stays_in_service(host: str, *, several: bool = False) -> NamedFormula:
    """A host, or every host of a set, is neither isolated nor destroyed.

    >>> stays_in_service("DB").formula
    'G (DB not in {I, Z})'
    """
    if several:
        return NamedFormula(f"every {host} host stays in service", f"G (count({host} in {{{OUT}}}) < 1)")
    return NamedFormula(f"{host} stays in service", f"G ({host} not in {{{OUT}}})")


def stays_up(*flows: str) -> NamedFormula:
    """A flow, or each of several, is never down.

    >>> stays_up("shop").formula, stays_up("shop", "backup").name
    ('G flow(shop)', 'shop and backup stay up')
    """
    if len(flows) == 1:
        return NamedFormula(f"{flows[0]} stays up", f"G flow({flows[0]})")
    more = [f"{len(flows) - 2} more flows"] if len(flows) > MAX_NAMED else []
    some = listed([*flows[:2], *more] if more else flows)
    return NamedFormula(f"{some} stay up", f"G ({' & '.join(f'flow({flow})' for flow in flows)})")


def down_for_at_most(flow: str, moves: int) -> NamedFormula:
    """A flow that goes down is up again within so many moves, those of both sides counted.

    >>> down_for_at_most("shop", 4).formula
    'G (!flow(shop) -> F[<=4] flow(shop))'
    """
    if moves < 1:
        raise InputError(f"down for at most {moves} moves; expected 1 or more, or that it stays up")
    name = f"{flow} is down for at most {counted(moves, 'move')}"
    return NamedFormula(name, f"G (!flow({flow}) -> F[<={moves}] flow({flow}))")


def at_most_out(zone: str, n: int) -> NamedFormula:
    """Of a zone, a set or a group, or with ``*`` of all hosts, at most a number are out of service at a time.

    >>> at_most_out("dmz", 1).formula
    'G (count(dmz in {I, Z}) <= 1)'
    """
    if n < 0:
        raise InputError(f"at most {n} of {zone} out; expected 0 or more")
    of = counted(n, "host") if zone == "*" else f"{n} of {zone}"
    return NamedFormula(f"at most {of} out of service", f"G (count({zone} in {{{OUT}}}) <= {n})")


def at_most_out_of_each(n: int) -> NamedFormula:
    """Of each zone at most a number of hosts are out of service at a time.

    >>> at_most_out_of_each(2).formula
    'G (count(zone in {I, Z}) <= 2)'
    """
    name = f"at most {counted(n, 'host')} of each zone out of service"
    return NamedFormula(name, f"G (count(zone in {{{OUT}}}) <= {n})", per_zone=True)


TEMPLATES = (
    RequirementTemplate(
        "never lost", "The host is never compromised, detected or destroyed.", never_lost("DB")
    ),
    RequirementTemplate(
        "never lost together", "No two of the hosts are lost at a time.", never_lost_together(["DB", "BK"])
    ),
    RequirementTemplate(
        "stays in service", "The host is never isolated or destroyed.", stays_in_service("DB")
    ),
    RequirementTemplate("stays up", "The flow is up at any time.", stays_up("shop")),
    RequirementTemplate(
        "down for at most k moves",
        "When the flow goes down, it is up again within k moves of both sides.",
        down_for_at_most("shop", 4),
    ),
    RequirementTemplate(
        "at most n out",
        "No more than n hosts of the zone are out of service at a time.",
        at_most_out("dmz", 1),
    ),
)
"""The catalogue, as ``holdfast init --templates`` lists it."""
