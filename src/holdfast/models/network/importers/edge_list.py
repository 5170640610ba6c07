"""Lists of links: CSV with a source, a target and, if there is one, a service in each line.

The separator is a comma, semicolon, tab or blank, whichever the first line has. A first line that names its
columns may put them in any order; a line that starts with # is a comment. Without such a line, every line
must be two or three names: prose and scripts, which have words in lines too, are no lists of links.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from holdfast.models.network.importers.contract import ANYTHING, Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.scenario import Problem

SOURCES = ("source", "src", "from", "source_host", "src_host", "src_ip", "source_ip", "u")
TARGETS = ("target", "dst", "to", "dest", "destination", "target_host", "dst_host", "dst_ip", "dest_ip", "v")
SERVICES = ("service", "port", "dst_port", "dport", "protocol", "conn", "label")
MAX_FIELD, MAX_SEEN = 1_000, 50_000
N_LOOKED_AT = 200
"""Lines that are looked at to tell whether a file is a list of links."""

_NAME = re.compile(r"[\w@*(\[](?:[\w.:/@+*()\[\]#&'-]|(?P<blank> )(?=\S)){0,63}(?<![.!?:,])")
"""A name of a host or of a service; one with blanks in it needs another separator."""

NumberedRow = tuple[int, list[str]]


def rows(file: ForeignFile) -> Iterator[NumberedRow]:
    """The lines that say something new, with their numbers, taken apart.

    Flows repeat the same few lines over and over; the first :data:`MAX_SEEN` different ones are read once.

    Raises:
        Problem: for a line that is no line of a table.
    """
    separator = _separator(file.start.split("\n", 1)[0])
    reader = csv.reader(
        io.StringIO(file.text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    seen: set[tuple[str, ...]] = set()
    try:
        for fields in reader:
            key = tuple(fields)
            if key in seen:
                continue
            if len(seen) < MAX_SEEN:
                seen.add(key)
            row = [field.strip() for field in fields]
            if separator == " ":
                row = [field for field in row if field]
            if not any(row) or row[0].startswith("#"):
                continue
            if any(len(field) > MAX_FIELD for field in row):
                raise file.problem(f"a field of more than {MAX_FIELD:,} characters", reader.line_num)
            yield reader.line_num, row
    except csv.Error as error:
        raise file.problem(f"not a table: {error}; is a quote left open?", reader.line_num) from None


def _separator(line: str) -> str:
    return max((",", ";", "\t"), key=line.count) if any(c in line for c in ",;\t") else " "


def _recognise(file: ForeignFile) -> bool:
    if file.is_tree or file.start[:1] in ("<", "") or "[" in file.start.split("\n", 1)[0]:
        return False
    first = file.start.split("\n", 1)[0]
    if len([field for field in first.split(_separator(first)) if field.strip()]) < 2:
        return False
    if file.path.suffix.lower() in (".csv", ".tsv"):
        return True  # what is wrong with it is told with its line
    try:
        lines = [fields for _, fields in islice(rows(file), N_LOOKED_AT)]
    except Problem:
        return False
    return _columns(lines[0]) is not None or _are_links(lines, _separator(first) == " ")


def _are_links(lines: list[list[str]], blanks: bool) -> bool:
    """Whether lines without a heading are links: as many names in each; one line of two words is no list."""
    names = all(_NAME.fullmatch(field) for fields in lines for field in fields)
    return names and len({*map(len, lines)}) == 1 and len(lines[0]) <= 3 and len(lines) > blanks


def _read(file: ForeignFile) -> Draft:
    sketch = Sketch(file.path.stem, file.budget)
    columns: tuple[int, int, int | None] | None = None
    extra = named = False
    for line, fields in rows(file):
        if columns is None:
            columns = _columns(fields)
            if columns is not None:
                named = True
                extra = len(fields) > len([c for c in columns if c is not None])
                continue
            columns = (0, 1, 2)
        if len(fields) > 3 and not named:
            raise file.problem(
                f"{len(fields)} fields, and no first line that names the columns; expected a source, a "
                "target and, if there is one, a service, or a first line such as source,target,service",
                line,
            )
        at_source, at_target, at_service = columns
        if max(at_source, at_target) >= len(fields) or not (fields[at_source] and fields[at_target]):
            raise file.problem(
                f"expected a source and a target, found {len([f for f in fields if f])} field", line
            )
        source, target = fields[at_source], fields[at_target]
        service = fields[at_service] if at_service is not None and at_service < len(fields) else ""
        sketch.add_host(source)
        sketch.add_host(target)
        sketch.add_link(source, target, service)
    if not sketch.hosts:
        raise file.problem("no link in this file; expected lines such as GW,Web,https")
    if extra:
        sketch.drop("columns other than source, target and service")
    return sketch.draft()


def _columns(fields: list[str]) -> tuple[int, int, int | None] | None:
    """Where source, target and service stand, if this line names the columns."""
    names = [field.lower().replace(" ", "_") for field in fields]
    places = [next((names.index(n) for n in of if n in names), None) for of in (SOURCES, TARGETS, SERVICES)]
    if places[0] is None or places[1] is None:
        return None
    return places[0], places[1], places[2]


IMPORTER = Importer("edges", "a list of links (CSV)", _recognise, _read, ANYTHING)
