"""Drawings of draw.io (diagrams.net): shapes are hosts, containers are zones, lines and arrows are links.

A shape that holds others is a zone: it is their parent, or, without any line of its own, stands behind them.
An arrow leads one way, a line without arrow heads both; one that ends at a zone ends at all its hosts. An
arrow with a label says what it is for: a flow. A shape that is called internet is no host: what it leads to
is exposed.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from holdfast.errors import did_you_mean
from holdfast.game import counted
from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import MAX_TABLE_BYTES, ForeignFile
from holdfast.models.network.importers.xml_text import is_xml, xml_root
from holdfast.scenario import shortened

MAX_CELLS = 20_000
OUTSIDE = re.compile(r"\b(internet|outside|www|world wide web|extern(al)?( networks?)?)\b", re.IGNORECASE)
"""What the outside is called."""

STORE = re.compile(r"database|datastore|cylinder|storage|disk", re.IGNORECASE)
"""Shapes of what keeps data."""

_BREAK = re.compile(r"<(?:br|/?div|/?p|/?li)\b[^>]{0,200}>", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_MARKUP = re.compile(r"<[^>]{0,2000}>")


@dataclass
class _Cell:
    """A shape or a line of a drawing."""

    id: str
    label: str
    style: Mapping[str, str]
    parent: str
    is_line: bool
    source: str = ""
    target: str = ""
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, top, width and height, where it stands on the page."""
    inside: list[str] = field(default_factory=list)
    addresses: tuple[str, ...] = ()

    @property
    def shape(self) -> str:
        """What kind of shape it is, in the last word of what draw.io calls it."""
        return self.style.get("shape", "").rsplit(".", 1)[-1]


def _recognise(file: ForeignFile) -> bool:
    return is_xml(file, "mxfile") or is_xml(file, "mxGraphModel")


def _read(file: ForeignFile) -> Draft:
    root = xml_root(file)
    title, page = _chosen(file, root) if root.tag == "mxfile" else (file.path.stem, root)
    cells = _cells(file, page)
    if not any(not cell.is_line for cell in cells.values()):
        raise file.problem("no shape in this drawing")
    return _drafted(cells, Sketch(title, file.budget))


# -- pages --------------------------------------------------------------------------------------------


def _chosen(file: ForeignFile, root: Element) -> tuple[str, Element]:
    """The page that is asked for; the only one, where there is but one."""
    pages = {page.get("name", f"Page-{i}"): page for i, page in enumerate(root.iter("diagram"), 1)}
    if not pages:
        raise file.problem("no page in this drawing (<diagram>)")
    listed = ", ".join(f'"{shortened(name)}"' for name in list(pages)[:12])
    if file.part is None and len(pages) > 1:
        raise file.problem(f"the drawing has {len(pages)} pages; take one with --network: {listed}")
    if file.part is not None and file.part not in pages:
        hint = did_you_mean(file.part, pages) or f"; there are {listed}"
        raise file.problem(f'there is no page "{shortened(file.part)}"{hint}')
    name = file.part if file.part is not None else next(iter(pages))
    model = pages[name].find("mxGraphModel")
    title = file.path.stem if len(pages) == 1 else f"{file.path.stem}: {name}"
    return title, model if model is not None else _inflated(file, pages[name].text or "")


def _inflated(file: ForeignFile, text: str) -> Element:
    """A page that is compressed, within bounds."""
    try:
        raw = base64.b64decode("".join(text.split()), validate=True)
        unpacker = zlib.decompressobj(-15)
        page = unpacker.decompress(raw, MAX_TABLE_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise file.problem(f"a page that is neither XML nor compressed as draw.io does it: {error}") from None
    if unpacker.unconsumed_tail:
        raise file.problem(f"a page of more than {MAX_TABLE_BYTES:,} bytes; import a smaller drawing")
    inner = unquote(page.decode("utf-8", errors="replace"))
    return xml_root(ForeignFile(file.path, inner, file.budget))


def _cells(file: ForeignFile, page: Element) -> dict[str, _Cell]:
    """The shapes and lines of a page, those in groups where they stand on the page."""
    cells: dict[str, _Cell] = {}
    for element, label, name, data in _elements(page):
        file.budget.tick("reading the drawing")
        if len(cells) >= MAX_CELLS:
            raise file.problem(f"more than {MAX_CELLS:,} shapes and lines; import a smaller drawing")
        line = element.get("edge") == "1"
        if not name or not (line or element.get("vertex") == "1"):
            continue
        cells[name] = _Cell(
            name,
            _plain(label),
            dict(_style(element.get("style", ""))),
            element.get("parent", ""),
            line,
            element.get("source", ""),
            element.get("target", ""),
            _box(element),
            addresses=tuple(dict.fromkeys(_ADDRESS.findall(f"{label[:4_000]} {data[:4_000]}"))),
        )
    for cell in cells.values():
        if cell.parent in cells and not cell.is_line and cell.parent != cell.id:
            cells[cell.parent].inside.append(cell.id)
    return {name: _on_page(cell, cells) for name, cell in cells.items()}


def _elements(page: Element) -> Iterator[tuple[Element, str, str, str]]:
    """The cells with their labels, names and data; what has data of its own is wrapped."""
    root = page.find("root")
    for element in root if root is not None else ():
        if element.tag == "mxCell":
            yield element, element.get("value", ""), element.get("id", ""), ""
        elif (cell := element.find("mxCell")) is not None:
            yield cell, element.get("label", ""), element.get("id", ""), " ".join(element.attrib.values())


def _style(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(";"):
        key, _, value = part.partition("=")
        if key:
            yield key.strip(), value.strip()


def _plain(label: str) -> str:
    """A label without its markup, on one line."""
    text = _MARKUP.sub("", _BREAK.sub(" ", label[:4_000]))
    return " ".join(html.unescape(text).split())


def _box(element: Element) -> tuple[float, float, float, float]:
    geometry = element.find("mxGeometry")
    given = [geometry.get(key, "0") if geometry is not None else "0" for key in ("x", "y", "width", "height")]
    try:
        x, y, width, height = map(float, given)
    except ValueError:
        return 0.0, 0.0, 0.0, 0.0
    return x, y, width, height


def _on_page(cell: _Cell, cells: dict[str, _Cell]) -> _Cell:
    """The cell with its box in the coordinates of the page rather than of its parents."""
    x, y, width, height = cell.box
    above, seen = cells.get(cell.parent), {cell.id}
    while above is not None and above.id not in seen:
        seen.add(above.id)
        x, y = x + above.box[0], y + above.box[1]
        above = cells.get(above.parent)
    placed = _Cell(**{**vars(cell), "box": (x, y, width, height)})
    return placed


# -- what it means --------------------------------------------------------------------------------------


def _drafted(cells: dict[str, _Cell], sketch: Sketch) -> Draft:
    joined = {end for cell in cells.values() if cell.is_line for end in (cell.source, cell.target)}
    shapes = {
        name: cell
        for name, cell in cells.items()
        if not cell.is_line and not (cell.parent in cells and cells[cell.parent].is_line)
    }
    zones = _zones(shapes, joined)
    hosts: dict[str, _Cell] = {}
    outside: set[str] = set()
    decoration = texts = 0
    for name, cell in shapes.items():
        if name in zones or cell.inside:
            continue
        if name not in joined and ("text" in cell.style or not cell.label):
            texts, decoration = texts + bool(cell.label), decoration + (not cell.label)
        elif OUTSIDE.search(cell.label) and name in joined:
            outside.add(name)
        else:
            hosts[name] = cell
    members: dict[str, list[str]] = {}
    for name, cell in hosts.items():
        zone = _zone_of(cell, zones, shapes)
        sketch.add_host(name, cell.label or cell.shape or "shape", zones[zone] if zone else "")
        sketch.call(name, *cell.addresses)
        if zone:
            members.setdefault(zone, []).append(name)
            if OUTSIDE.search(zones[zone]):
                sketch.mark("exposed", name)
        if STORE.search(cell.shape) or any(STORE.search(key) for key in cell.style):
            sketch.mark("stores", name)
    _link(cells, sketch, members, outside)
    if not sketch.hosts:
        sketch.drop("everything: no shape is a host")
    _tell(sketch, outside, zones, decoration, texts, hosts)
    return sketch.draft()


def _zones(shapes: dict[str, _Cell], joined: set[str]) -> dict[str, str]:
    """The shapes that hold others, with their labels: as parents, or behind them and without a line."""
    zones = {}
    for name, cell in shapes.items():
        if not cell.label or "text" in cell.style:
            continue
        holds = bool(cell.inside) or (
            name not in joined
            and any(
                _holds(cell, other)
                for key, other in shapes.items()
                if key != name and "text" not in other.style
            )
        )
        if holds:
            zones[name] = cell.label
    return zones


def _holds(cell: _Cell, other: _Cell) -> bool:
    """Whether a shape lies wholly within another on the page."""
    (x, y, width, height), (left, top, wide, high) = cell.box, other.box
    if wide * high <= 0 or wide * high >= width * height:
        return False
    return x <= left + wide / 2 <= x + width and y <= top + high / 2 <= y + height


def _zone_of(cell: _Cell, zones: dict[str, str], shapes: dict[str, _Cell]) -> str:
    """The innermost zone of a shape: of its parents, or else the smallest behind it."""
    above, seen = shapes.get(cell.parent), {cell.id}
    while above is not None and above.id not in seen:
        if above.id in zones:
            return above.id
        seen.add(above.id)
        above = shapes.get(above.parent)
    behind = [name for name in zones if _holds(shapes[name], cell)]
    return min(behind, key=lambda name: shapes[name].box[2] * shapes[name].box[3], default="")


def _link(cells: dict[str, _Cell], sketch: Sketch, members: dict[str, list[str]], outside: set[str]) -> None:
    """The lines, from shapes or zones to shapes or zones."""
    loose = 0
    labels = {cell.parent: cell.label for cell in cells.values() if not cell.is_line and cell.label}
    for name, cell in cells.items():
        if not cell.is_line:
            continue
        ends = [_ends(end, cells, sketch, members, outside) for end in (cell.source, cell.target)]
        if not ends[0] or not ends[1]:
            loose += 1
            continue
        label = cell.label or labels.get(name, "")
        there = cell.style.get("endArrow", "classic") not in ("none", "")
        back = cell.style.get("startArrow", "none") not in ("none", "")
        one_way = there != back
        ways = ([tuple(ends)] if there or not back else []) + (
            [tuple(reversed(ends))] if back or not there else []
        )
        for sources, targets in ways:
            _join(sketch, sources, targets, outside, label, one_way)
    if loose:
        sketch.drop(f"{counted(loose, 'line')} that end at no shape: attach them to shapes")


def _ends(
    name: str, cells: dict[str, _Cell], sketch: Sketch, members: dict[str, list[str]], outside: set[str]
) -> list[str]:
    """The hosts that a line ends at; the parts of a group stand for it."""
    if name in sketch.hosts or name in outside:
        return [name]
    if name in members:
        return members[name]
    parts = [part for part in (cells[name].inside if name in cells else ()) if part in sketch.hosts]
    parent = cells[name].parent if name in cells else ""
    return parts or ([parent] if parent in sketch.hosts else [])


def _join(
    sketch: Sketch, sources: list[str], targets: list[str], outside: set[str], label: str, one_way: bool
) -> None:
    for source in sources:
        for target in targets:
            if source in outside and target not in outside:
                sketch.mark("exposed", target)
                if label and one_way:
                    sketch.use(label, target)
            elif source not in outside and target not in outside:
                sketch.add_link(source, target, label)
                if label and one_way and len(sources) == len(targets) == 1:
                    sketch.use(label, source, target)


def _tell(
    sketch: Sketch,
    outside: set[str],
    zones: dict[str, str],
    decoration: int,
    texts: int,
    hosts: dict[str, _Cell],
) -> None:
    if outside:
        sketch.assume("exposed: what the internet of the drawing leads to")
    named = [label for label in zones.values() if OUTSIDE.search(label)]
    if named and sketch.marks["exposed"]:
        sketch.assume(f"exposed: what stands in {', '.join(dict.fromkeys(named[:6]))}")
    often = Counter(cell.label.lower() for cell in hosts.values() if cell.label)
    twice = [label for label, n in often.items() if n > 1]
    if twice:
        sketch.ask(f"whether shapes of one name are one host ({', '.join(twice[:6])}): they are kept apart")
    if not sketch.marks["exposed"]:
        sketch.ask("what can be reached from outside: no shape is called internet")
    if texts or decoration:
        sketch.drop(f"{counted(texts, 'text')} and {counted(decoration, 'shape')} without a name or a line")
    sketch.drop("positions, colours and kinds of shapes; what lines mean beyond a connection")


IMPORTER = Importer("drawio", "a drawing of draw.io", _recognise, _read)
