"""Where sensors are needed, in words."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.design import SensorSets
from holdfast.game import count, counted, drawn_graph, listed
from holdfast.report.blocks import Banner, Block, Column, Document, Facts, Prose, Section, Table, words
from holdfast.report.documents.fingerprint import drawn


def sensors_document(found: SensorSets, source: str = "") -> Document:
    """The answer of ``sensors``."""
    title = found.configuration.title
    return Document(title or source, (Section("Sensors", tuple(_blocks(found))),), source if title else "")


def _blocks(found: SensorSets) -> Iterator[Block]:
    yield _banner(found)
    if found.minimal and found.minimal[0]:
        yield Table(
            "The minimal sets of sensors with which the design holds, cheapest first",
            (words("sensors"), Column("cost")),
            tuple((listed(names), found.cost(names)) for names in found.minimal),
            sortable=False,
        )
        graph = drawn_graph(found.configuration)
        if graph is not None and (found.complete_to >= found.cost(found.minimal[0]) - 1):
            yield drawn("sensor_map", graph, found.minimal[0])
    if found.defensible and found.enough is not False:
        complete = f"every minimal set that costs {found.complete_to} or less is listed"
        yield Facts((("complete", complete), ("sets tried", count(found.n_solved))))
    if found.unfinished:
        yield Prose(f"The search ended early: {found.unfinished}.")


def _banner(found: SensorSets) -> Banner:
    if not found.defensible:
        lost = "The design is lost even for a defender who sees everything; holdfast explain says why."
        return Banner("bad", "NO SENSOR HELPS", lost)
    if found.enough is False:
        return Banner("bad", "NO SENSOR HELPS", "Even all sensors together are not enough.")
    if found.minimal and not found.minimal[0]:
        return Banner("good", "NO SENSOR NEEDED", "A defense exists that needs none of the sensors.")
    if not found.minimal:
        held = "The design is held by a defender who sees everything."
        return Banner("open", "NOT DECIDED", f"{held} No set of sensors that is enough has been found yet.")
    shown = [_in_words(names) for names in found.minimal[:3]]
    more = f", or one of {counted(len(found.minimal) - 3, 'more set')}" if len(found.minimal) > 3 else ""
    return Banner("good", "SENSORS NEEDED", f"You need to watch {', or '.join(shown)}{more}.")


def _in_words(names: tuple[str, ...]) -> str:
    return f"both {names[0]} and {names[1]}" if len(names) == 2 else listed(names)
