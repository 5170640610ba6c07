"""A draft as the text of a scenario that a person goes on editing."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from holdfast.errors import InputError
from holdfast.game import distances
from holdfast.models.network.importers.choices import DEFENDER
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.names import CRITICAL
from holdfast.models.network.segment import Link
from holdfast.models.network.templates import (
    NamedFormula,
    at_most_out,
    at_most_out_of_each,
    never_lost,
    never_lost_together,
    stays_in_service,
    stays_up,
)
from holdfast.scenario import shortened

MAX_LINK_LINES = 50_000
WIDTH = 108
N_RENAMED = 40
"""Names that are listed beside the source's own; more would bury the file."""

TEMPLATE = """\
{head}

holdfast: 1
name: {name}

network:
  # Every host is C (clean), X (compromised), D (detected), I (isolated) or Z (destroyed).
{hosts}
{zones}  # Compromise spreads along links.
{links}
{flows}  # What must not be lost; count(critical in {{X, D, Z}}) counts how many of these are.
  sets:
{critical}
{origin}
  # Who defends: staffed must detect a compromise before it can isolate it, and acts in every turn; automated
  # sees every compromise at once; on-call must detect it first, too, and acts in every second turn at most.
  defender: {defender}

specs:
  # What must never happen, one clause a line. These are to start from: adapt them to what you need. More:
  # holdfast init --templates
  defender:
{requirement}
  # What the adversary cannot do: here more than two `destroy` moves in the whole play.
  adversary:
    - G (times(destroy) <= 2)

# Designs to compare with the one above: holdfast compare FILE
variants:
  automated-defense:
    description: A defender who sees every compromise at once.
    defender: automated
  on-call-defense:
    description: A defender who must detect a compromise first and acts in every second turn at most.
    defender: on-call
  stronger-attacker:
    description: Twice as many destroys.
    specs: {{adversary: [G (times(destroy) <= 4)]}}
{design}"""


def scenario_text(draft: Draft, came_from: str, renamed: Mapping[str, str]) -> str:
    """The text of the scenario of a draft whose names are valid.

    Args:
        came_from: where it was imported from, in a few words.
        renamed: the names that the source has for hosts, where they are others.

    Raises:
        InputError: for more links than a scenario holds.
    """
    zones = "".join(_listed(zone, hosts, 4) for zone, hosts in draft.zones.items())
    return TEMPLATE.format(
        head="\n".join(_head(draft, came_from, renamed)),
        name=json.dumps(shortened(draft.title.strip() or "Imported network", 200), ensure_ascii=False),
        hosts=_hosts(draft),
        zones=f"  zones:\n{zones}" if zones else "",
        links=_links(draft),
        flows=_flows(draft),
        critical=_listed(CRITICAL, draft.critical, 4).rstrip("\n"),
        origin="\n".join(_origin(draft)),
        defender=DEFENDER,
        requirement="\n".join(map(_clause, _required(draft))),
        design=_design(draft),
    )


def _required(draft: Draft) -> Iterator[NamedFormula]:
    """Critical hosts are never lost and their flows stay up; of other data stores no two are lost at a time.

    Where a critical host has no flow it stays in service. Where none has, few hosts may be out of service:
    else all that leads to a critical host could be switched off for good.
    """
    several = len(draft.critical) > 1
    yield never_lost(CRITICAL if several else draft.critical[0], several=several)
    flows = draft.critical_flows
    alone = [host for host in draft.critical if not any(host in path for _, path in flows)]
    if len(alone) == len(draft.critical):
        yield stays_in_service(CRITICAL if several else alone[0], several=several)
    else:
        yield from map(stays_in_service, alone)
        yield stays_up(*(name for name, _ in flows))
    if draft.by_zone:
        yield from map(never_lost_together, draft.stores_by_zone)
    elif draft.other_stores:
        yield never_lost_together(draft.other_stores)
    if not flows:
        yield at_most_out_of_each(draft.slack) if draft.by_zone else at_most_out("*", draft.slack)


def _clause(clause: NamedFormula) -> str:
    key = "per_zone" if clause.per_zone else "formula"
    return f"    - name: {json.dumps(clause.name, ensure_ascii=False)}\n      {key}: {clause.formula}"


def _head(draft: Draft, came_from: str, renamed: Mapping[str, str]) -> Iterator[str]:
    counts = f"{len(draft.hosts):,} hosts, {len(draft.links):,} links"
    counts += f", {len(draft.zones)} zones" if draft.zones else ""
    yield from _comment(f"Imported from {came_from}: {counts}.")
    yield from _comment("Check it with `holdfast check FILE`, and see why with `holdfast explain FILE`.")
    if draft.contradictions:
        yield from ("#", "# Where what was read contradicts itself; decide what is true:")
        yield from (line for note in draft.contradictions for line in _comment(note, "#   - "))
    if draft.unknown:
        yield from ("#", "# Not known, and not guessed; fill it in where it matters:")
        yield from (line for note in draft.unknown for line in _comment(note, "#   - "))
    if draft.dropped:
        yield from ("#", "# Left out, because a segment does not have it:")
        yield from (line for note in draft.dropped for line in _comment(note, "#   - "))
    if draft.assumed:
        yield from ("#", "# Chosen, because the source does not say it:")
        yield from (line for note in draft.assumed for line in _comment(note, "#   - "))
    if draft.stands_for:
        yield from ("#", "# Hosts that stand for several:")
        note = ", ".join(f"{host} for {n}" for host, n in draft.stands_for.items())
        yield from _comment(note, "#   ")
    if renamed:
        yield from ("#", "# Names that the specification language cannot have, or that two hosts share:")
        listed = [f"{name} = {shortened(source)}" for name, source in list(renamed.items())[:N_RENAMED]]
        more = [f"and {len(renamed) - N_RENAMED:,} more"] if len(renamed) > N_RENAMED else []
        yield from _comment(", ".join([*listed, *more]), "#   ")


def _comment(text: str, start: str = "# ") -> list[str]:
    plain = "".join(c if c.isprintable() else " " for c in text)
    rest = "#" + " " * (len(start) - 1)
    return textwrap.wrap(plain, WIDTH, initial_indent=start, subsequent_indent=rest, break_on_hyphens=False)


def _listed(key: str, names: Iterable[str], indent: int) -> str:
    """``key: [a, b, …]`` on as many lines as it takes."""
    start = f"{' ' * indent}{key}: ["
    lines = textwrap.wrap(
        ", ".join(names),
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start) if len(start) < WIDTH // 2 else " " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines or [start]) + "]\n"


def _hosts(draft: Draft) -> str:
    """The hosts; one that stands for several weighs as much in μ."""
    shown = (
        f"{{{h}: {{value: {draft.stands_for[h]}}}}}" if h in draft.stands_for else h for h in draft.hosts
    )
    return _listed("hosts", shown, 2).rstrip("\n")


def _origin(draft: Draft) -> Iterator[str]:
    if draft.exposed:
        yield "  # Hosts that can be compromised from outside at any time."
        yield _listed("exposed", draft.exposed, 2).rstrip("\n")
    if draft.entry:
        yield "  # What the adversary holds at the start; all other hosts are clean."
        if len(draft.entry) == 1:
            yield f"  entry: {draft.entry[0]}"
        else:
            yield _listed("entry", draft.entry, 2).rstrip("\n")
    yield from _chances(draft)


def _chances(draft: Draft) -> Iterator[str]:
    """How likely attempts succeed, where the source says it and some may fail."""
    links = {link: chance for link, chance in draft.link_chances.items() if link in draft.links}
    if all(chance == 1 for chance in (*draft.chances.values(), *links.values())):
        return
    attacked = {*draft.exposed, *(target for _, target in draft.links)}
    unsaid = {host: Fraction(1) for host in draft.hosts if host in attacked and host not in draft.chances}
    chances = {**draft.chances, **unsaid}
    yield "  # How likely an attempt to compromise a host succeeds; along some links less likely."
    yield "  chance:"
    if draft.chances:
        usual, _ = Counter(chances.values()).most_common(1)[0]
        yield f"    spread: {_decimal(usual)}"
        for host, chance in chances.items():
            if chance != usual:
                yield f"    spread({host}): {_decimal(chance)}"
    for (source, target), chance in links.items():
        yield f"    {source} -> {target}: {_decimal(chance)}"


def _decimal(chance: Fraction) -> str:
    return f"{float(chance):.12g}" if chance.denominator > 1 else str(chance.numerator)


# -- links ------------------------------------------------------------------------------------------


def _links(draft: Draft) -> str:
    """The links, one a line; where all hosts of a zone are linked to all of another, one line for them."""
    if not draft.links:
        return "  links: []"
    lines: list[tuple[str, tuple[str, ...]]] = []
    whole = whole_zones(draft)
    zones = draft.zone_of
    done: set[Link] = set()
    for pair in whole:
        if pair not in done:
            back = pair[::-1] in whole
            done |= {pair, pair[::-1]} if back else {pair}
            lines.append((f"{pair[0]} {'<->' if back else '->'} {pair[1]}", ()))
    for link, services in draft.links.items():
        within = (zones.get(link[0], ""), zones.get(link[1], ""))
        if link in done or within in whole:
            continue
        back_link = link[1], link[0]
        back = back_link in draft.links and (within[1], within[0]) not in whole
        if back:
            done.add(back_link)
            services = tuple(dict.fromkeys((*services, *draft.links[back_link])))
        lines.append((f"{link[0]} {'<->' if back else '->'} {link[1]}", services))
    if len(lines) > MAX_LINK_LINES:
        raise InputError(
            f"{len(lines):,} links are more than a scenario holds ({MAX_LINK_LINES:,}); "
            "try --collapse zone or --collapse group"
        )
    return "\n".join(["  links:", *(_link_line(text, services) for text, services in lines)])


def _flows(draft: Draft) -> str:
    """What the links are in use for, a line for each flow."""
    if not draft.flows:
        return ""
    head = [
        "  # What the links are in use for: flow(name) is true while every host of its path is in service,",
        "  # and flows_up counts those that are. No recommendation cuts a link that a flow needs.",
        "  flows:",
    ]
    return "\n".join([*head, *(f"    {name}: {' -> '.join(path)}" for name, path in draft.flows), ""])


def _design(draft: Draft) -> str:
    """What advice has to leave alone where no flow says it: some way to each critical host."""
    starts = [*draft.entry, *draft.exposed]
    there = distances(draft.links, starts)
    reached = [host for host in draft.critical if host in there and host not in starts]
    if draft.flows or not reached:
        return ""
    head = [
        "",
        "# The source does not say what the links are for. Advice leaves some way to each of these open:",
        "# a host that nobody can reach is safe, and of no use. Better: name the flows of the network.",
        "design:",
        "  keep_paths:",
    ]
    return "\n".join([*head, *(f"    - outside -> {host}" for host in reached), ""])


def _link_line(text: str, services: tuple[str, ...]) -> str:
    names = shortened(", ".join(services), 60).strip()
    return f"    - {text}    # {names}" if names else f"    - {text}"


def whole_zones(draft: Draft) -> dict[Link, None]:
    """The pairs of zones, each perhaps with itself, between which every link is there; three at least."""
    zones = draft.zone_of
    between = Counter(
        (zones[source], zones[target])
        for source, target in draft.links
        if source in zones and target in zones
    )
    sizes = {zone: len(hosts) for zone, hosts in draft.zones.items()}
    return {(a, b): None for (a, b), n in between.items() if n >= 3 and n == sizes[a] * (sizes[b] - (a == b))}
