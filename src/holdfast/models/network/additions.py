"""What a segment could get, or lose, to the adversary's gain: links, ways in, abilities, what kept it out.

- ``link A -> B``: a link that is not there; ``unfilter A -> B``: a filter that is gone.
- ``entry A``: one more host that is compromised at the start; ``expose A``: one more that can be
  compromised from outside.
- ``ability destroy``: a type of action that the adversary does not have; ``ability destroy A``: on a host
  that could not be destroyed. ``tempo adversary``: the adversary acts in every turn.
- ``soften A``: a host that could not be compromised can be.
- ``lose isolate A``: a host can no longer be isolated, or monitored, restored, fixed; ``lose block A-to-B``:
  a link can no longer be blocked; ``slower responders``: the defender needs one turn more between two acts.

Each makes the segment that a file with the change would describe.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from holdfast.game import Action, Addition, Rule
from holdfast.logic import Expression, Player, Variable, expressions as ex
from holdfast.models.network.host_groups import tallies_of
from holdfast.models.network.segment import (
    HOST_TYPES,
    MAX_TEMPO,
    NOOP,
    STATUSES,
    TYPES,
    Link,
    Segment,
)

INFECTED = ("X", "D")
SPREAD, DESTROY, BLOCK = "spread", "destroy", "block"
LOSABLE = tuple(kind for kind in HOST_TYPES[Player.DEFENDER] if kind != NOOP)
"""What the defender does to hosts."""


def possible_additions(segment: Segment) -> tuple[Addition, ...]:
    """Everything that a segment could get or lose, kind by kind.

    >>> from holdfast.models.network.segment import segment_of
    >>> [each.text for each in possible_additions(segment_of(["GW", "DB"], [("GW", "DB")], "GW"))][:4]
    ['link DB -> GW', 'entry DB', 'expose GW', 'expose DB']
    """
    return (*_ways(segment), *_abilities(segment), *_losses(segment))


def _ways(segment: Segment) -> Iterator[Addition]:
    """Links and ways in."""
    into = {host: _spreading(segment, host) for host in segment.hosts}  # one for all links to a host
    if SPREAD in segment.types(Player.ADVERSARY):
        there = set(segment.links)
        for source in segment.hosts:
            infected = _infected(segment, source)
            for target in segment.hosts:
                if source != target and (source, target) not in there:
                    opens = _opening(into[target], infected)
                    yield Addition("link", f"{source} -> {target}", opens=opens, quickens=True)
        for source, target in segment.links:
            if (source, target) in segment.filtered:
                passable = (
                    ex.Member(_gate(name), ("open",)) for name in segment.gates.get((source, target), ())
                )
                opens = _opening(into[target], ex.conjunction((_infected(segment, source), *passable)))
                yield Addition("unfilter", f"{source} -> {target}", opens=opens, quickens=True)
    for host in segment.hosts:
        if host not in segment.entries:
            yield Addition("entry", host, place=host, certain=False)
    for host in segment.hosts if SPREAD in segment.types(Player.ADVERSARY) else ():
        if host not in segment.exposed:
            opens = _opening(into[host], ex.Truth(True))
            yield Addition("expose", host, opens=opens, quickens=True)


def _abilities(segment: Segment) -> Iterator[Addition]:
    """What the adversary cannot do yet."""
    own = segment.types(Player.ADVERSARY)
    yield from (Addition("ability", kind) for kind in (SPREAD, DESTROY) if kind not in own)
    for host in segment.hosts:
        cannot = segment.cannot.get(host, frozenset())
        if DESTROY in cannot:
            yield Addition("ability", f"{DESTROY} {host}")
        if SPREAD in cannot or host in segment.hardened:
            yield Addition("soften", host, quickens=host in segment.hardened)
    if segment.tempo.get(Player.ADVERSARY, 1) > 1:
        yield Addition("tempo", "adversary")


def _losses(segment: Segment) -> Iterator[Addition]:
    """What the defender could not do any more; who cannot wait would have to do something else."""
    own = segment.types(Player.DEFENDER)
    if NOOP not in own:
        return
    for kind in (kind for kind in LOSABLE if kind in own):
        for host in segment.hosts:
            if kind not in segment.cannot.get(host, ()):
                closes = "" if host in segment.counted else f"{kind}({host})"
                yield Addition("lose", f"{kind} {host}", closes=closes)
    for name in segment.conduits:
        yield Addition("lose", f"{BLOCK} {name}")
    if segment.tempo.get(Player.DEFENDER, 1) < MAX_TEMPO:
        yield Addition("slower", "responders")


def _infected(segment: Segment, host: str) -> Expression:
    if host in segment.counted:
        return tallies_of(segment)[host].some(INFECTED)
    return ex.Member(Variable(host, STATUSES), INFECTED)


def _gate(name: str) -> Variable:
    return Variable(name, ("open", "blocked"))


def _spreading(segment: Segment, target: str) -> Action | None:
    """What ``spread`` does to a host at the most; None where there is no such move as yet."""
    if target in segment.hardened or SPREAD in segment.cannot.get(target, ()):
        return None
    if segment.missing.get(target):  # there are two such moves
        return None
    if target in segment.counted:  # there is one for each status
        return None
    status = Variable(target, STATUSES)
    rule = Rule(ex.Member(status, ("C",)), ((status, ex.Symbol("X")),))
    return Action(f"{SPREAD}({target})", (rule,))


def _opening(move: Action | None, when: Expression) -> tuple[Action, Expression] | None:
    """What an addition opens, and where."""
    return None if move is None else (move, when)


def with_additions(segment: Segment, chosen: Collection[Addition]) -> Segment:
    """The segment with some of its additions."""
    named: dict[str, list[str]] = {}
    for each in chosen:
        named.setdefault(each.kind, []).append(each.name)
    can = {tuple(name.split(" ")) for name in named.get("ability", ()) if " " in name}
    can |= {(SPREAD, host) for host in named.get("soften", ())}
    cannot = {
        host: frozenset(kind for kind in types if (kind, host) not in can)
        for host, types in segment.cannot.items()
    }
    lost = [name.split(" ", 1) for name in named.get("lose", ())]
    for kind, host in (each for each in lost if each[0] != BLOCK):
        cannot[host] = cannot.get(host, frozenset()) | {kind}
    open_now = {name for kind, name in lost if kind == BLOCK}
    turns = dict(segment.tempo)
    if "tempo" in named:
        turns[Player.ADVERSARY] = 1
    if "slower" in named:
        turns[Player.DEFENDER] = turns.get(Player.DEFENDER, 1) + 1
    unfiltered = {_link(name) for name in named.get("unfilter", ())}
    new = {_link(name) for name in named.get("link", ())}
    return replace(
        segment,
        links=(*segment.links, *(link for link in _pairs(segment) if link in new)),
        entries=_more(segment, segment.entries, named.get("entry", ())),
        exposed=_more(segment, segment.exposed, named.get("expose", ())),
        filtered=segment.filtered - unfiltered,
        conduits={name: links for name, links in segment.conduits.items() if name not in open_now},
        hardened=segment.hardened - set(named.get("soften", ())),
        cannot={host: types for host, types in cannot.items() if types},
        actions=_actions(segment, set(named.get("ability", ()))),
        tempo=turns,
    )


def _link(name: str) -> Link:
    source, _, target = name.partition(" -> ")
    return source, target


def _pairs(segment: Segment) -> Iterator[Link]:
    return ((source, target) for source in segment.hosts for target in segment.hosts)


def _more(segment: Segment, there: tuple[str, ...], new: Collection[str]) -> tuple[str, ...]:
    return (*there, *(host for host in segment.hosts if host in new and host not in there))


def _actions(segment: Segment, abilities: set[str]) -> dict[Player, tuple[str, ...]]:
    """The types of action of each side, with some more of the adversary's."""
    own, actions = Player.ADVERSARY, dict(segment.actions)
    if own in actions:
        actions[own] = tuple(kind for kind in TYPES[own] if kind in actions[own] or kind in abilities)
    return actions
