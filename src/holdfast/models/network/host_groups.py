"""Groups of alike hosts that are counted: how many are clean, compromised, detected, isolated, destroyed.

Hosts with the same links, zone, abilities and value play alike, so that all that matters of them is how many
have which status (:mod:`holdfast.logic.tallies`). An action on one of them is one action for each status that
it acts on, ``isolate(ws) compromised``, and one for those on which it does nothing, ``isolate(ws) in vain``.
Each stands for as many actions as there are hosts with such a status. Where there are none it does what
another one of its kind does, so that nobody can do what no host allows: if all of them are compromised,
isolating one of them is not in vain. The player picks a host before it is known whether the action succeeds,
and how likely that is does not depend on which host is picked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from holdfast.game import Action, DrawnRule, Rule, drawn_actions
from holdfast.logic import Expression, Tally, Variable, added, at_most, expressions as ex
from holdfast.models.network.segment import NOOP, STATUS_NAMES, STATUSES, Segment

IN_VAIN = "in vain"


def tallies_of(segment: Segment) -> dict[str, Tally]:
    """The groups that are counted, by name."""
    return {
        host: Tally(
            host,
            size,
            STATUSES,
            tuple(Variable(name, range(size + 1)) for name in counter_names(host)),
            tuple(name for name, of in segment.groups.items() if host in of),
        )
        for host, size in segment.counted.items()
    }


def counter_names(host: str) -> tuple[str, ...]:
    """What the numbers of a group are called: ``ws_X``, how many of ``ws`` are compromised."""
    return tuple(f"{host}_{status}" for status in STATUSES)


def initial_codes(size: int, status: str, n: int) -> tuple[int, ...]:
    """The counters of a group in which so many hosts have a status and all others are clean."""
    numbers = dict.fromkeys(STATUSES, 0) | {"C": size}
    numbers["C"] -= n
    numbers[status] += n
    return tuple(numbers.values())


def counted_actions(
    kind: str, tally: Tally, effect: tuple[str, str] | None, ways: Mapping[Fraction, Expression]
) -> Iterator[Action]:
    """An action on one host of a group, for each status that matters, with its outcomes.

    Args:
        kind: the type of the action.
        tally: the group.
        effect: the statuses that it acts on, and the one that it gives; None if it never does anything.
        ways: when it does anything at all, by how likely it succeeds; the first that holds is taken.
    """
    name = f"{kind}({tally.name})"
    if kind == NOOP or effect is None:
        yield Action(name, members=tally.counters)
        return
    before, after = effect
    moved = {status: [_moved(tally, status, after, *way) for way in ways.items()] for status in before}
    rest = tuple(status for status in STATUSES if status not in before)
    idle = DrawnRule(tally.some(rest), ())
    for status in before:
        others = [rule for other in before if other != status for rule in moved[other]]
        rules = (*moved[status], *((idle, *others) if others else ()))
        yield from _outcomes(f"{name} {STATUS_NAMES[status]}", rules, (tally.counter(status),))
    if rest:
        members = tuple(tally.counter(status) for status in rest)
        every = (rule for rules in moved.values() for rule in rules)
        yield from _outcomes(f"{name} {IN_VAIN}", (idle, *every), members)


def _outcomes(name: str, rules: Sequence[DrawnRule], members: tuple[Variable, ...]) -> Iterator[Action]:
    """An action on so many hosts; its outcomes, where it may fail."""
    if all(rule.alternatives == () or rule.alternatives[0][0] == 1 for rule in rules):
        plain = (Rule(rule.when, rule.alternatives[0][1] if rule.alternatives else ()) for rule in rules)
        yield Action(name, tuple(plain), members=members)
        return
    yield from (replace(action, members=members) for action in drawn_actions(name, rules))


def _moved(tally: Tally, status: str, after: str, chance: Fraction, reached: Expression) -> DrawnRule:
    """One host goes from a status to another. There is room for it wherever the numbers add up."""
    source, target = tally.counter(status), tally.counter(after)
    when = ex.conjunction((tally.some(status), at_most(target, tally.size - 1), reached))
    one = ex.Number(Fraction(1))
    down, up = ex.Arithmetic("-", ex.Read(source), one), ex.Arithmetic("+", ex.Read(target), one)
    return DrawnRule(when, ((chance, ((source, down), (target, up))),))


def with_counted(plain: Expression | None, tallies: Iterable[Tally], statuses: Iterable[str]) -> Expression:
    """A count of single hosts with those of the groups added that have one of some statuses."""
    chosen = tuple(statuses)
    return added([*([] if plain is None else [plain]), *(tally.total(chosen) for tally in tallies)])


def valued_share(
    hosts: Iterable[tuple[Expression, Fraction]], groups: Iterable[tuple[Tally, Fraction]]
) -> Expression:
    """μ: the value of what is clean as a share of the value of all; hosts by whether they are clean."""
    shares: list[Expression] = []
    total = Fraction(0)
    for clean, value in hosts:
        total += value
        shares += [ex.Arithmetic("*", ex.Number(value), ex.Count((clean,)))] if value else []
    for tally, value in groups:
        total += value * tally.size
        shares += [ex.Arithmetic("*", ex.Number(value), ex.Read(tally.counter("C")))] if value else []
    return ex.Arithmetic("/", added(shares), ex.Number(total))
