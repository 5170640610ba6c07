"""What a reproduction leaves in a directory, written beside its place and moved into it when complete."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.report.figures import save, svg_text
from holdfast.report.markdown import markdown_table
from holdfast.report.tables import Table
from holdfast.reproduce import Reproduction
from holdfast.reproduce.drawn import STEMS, drawings
from holdfast.reproduce.page import page
from holdfast.reproduce.printed import Number, as_number
from holdfast.reproduce.tables import (
    case_table,
    certificate_table,
    corpus_csv,
    corpus_table,
    numbers_csv,
    numbers_table,
    seeds_table,
    table_csv,
    words_table,
)
from holdfast.reproduce.verdicts import Line

FORMAT = 1
PAGE, DATA = "reproduction.html", "reproduction.json"

TABLES = ("tab-results", "tab-shells", "certificate", "seeds", "corpus")
OWN = frozenset(
    [PAGE, DATA, "tables/numbers.csv", "tables/numbers.md", "tables/arenas.csv"]
    + [f"tables/{name}.{ending}" for name in TABLES for ending in ("csv", "md")]
    + [f"figures/{stem}.{ending}" for stem in STEMS for ending in ("svg", "png")]
)
"""Every file that a run may write; no other is touched."""


def prepare(directory: Path) -> None:
    """Make the directory, so that a run cannot fail for want of it at the end.

    Raises:
        InputError: where it is a file, or cannot be made or written to.
    """
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory} is a file; name a directory for the report with --output")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise InputError(f"{directory}: cannot write there: {error.strerror or error}") from None


def write(reproduction: Reproduction, directory: Path, budget: Budget = UNLIMITED) -> Path:
    """Write everything and give the path of the page; own files of an earlier run that have no successor go.

    Raises:
        InputError: when the directory cannot be written to.
    """
    prepare(directory)
    try:
        with _staged(directory) as part:
            _tables(reproduction, part / "tables")
            drawn = list(drawings(reproduction.paper, reproduction.evidence))
            pictures = {}
            for drawing in drawn:
                budget.tick(f"drawing {drawing.stem}")
                figure = drawing.draw()
                save(figure, part / "figures" / drawing.stem)
                pictures[drawing.stem] = svg_text(figure, f"{drawing.stem}-")
            budget.tick("writing the report")
            (part / PAGE).write_text(page(reproduction, pictures, drawn), "utf-8")
            (part / DATA).write_text(json.dumps(to_object(reproduction), indent=1) + "\n", "utf-8")
    except OSError as error:
        raise InputError(f"{directory}: cannot write: {error.strerror or error}") from None
    return directory / PAGE


@contextmanager
def _staged(directory: Path) -> Iterator[Path]:
    """A directory to write into, whose files move to their places at the end, or vanish."""
    part = Path(tempfile.mkdtemp(prefix=".reproduction-", dir=directory))
    try:
        yield part
        staged = {file.relative_to(part).as_posix(): file for file in part.rglob("*") if file.is_file()}
        for name in OWN - staged.keys():
            (directory / name).unlink(missing_ok=True)
        # The page goes last: whoever finds it finds everything it speaks of.
        for name in sorted(staged, key=lambda name: (name == PAGE, name)):
            place = directory / name
            place.parent.mkdir(exist_ok=True)
            staged[name].replace(place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _tables(reproduction: Reproduction, folder: Path) -> None:
    folder.mkdir()
    paper, evidence, lines = reproduction.paper, reproduction.evidence, reproduction.lines
    found: dict[str, Table | None] = {
        table.label.replace(":", "-"): case_table(table, paper, lines) for table in paper.tables
    }
    found["certificate"] = certificate_table(evidence)
    found["seeds"] = seeds_table(paper, evidence)
    if evidence.corpus is not None:
        found["corpus"] = corpus_table(evidence.corpus, paper)
        (folder / "arenas.csv").write_text(corpus_csv(evidence.corpus), "utf-8", newline="")
    for name, table in found.items():
        if table is not None:
            (folder / f"{name}.csv").write_text(table_csv(table), "utf-8", newline="")
            (folder / f"{name}.md").write_text(f"{markdown_table(table)}\n", "utf-8")
    (folder / "numbers.csv").write_text(numbers_csv(lines), "utf-8", newline="")
    both = (numbers_table(lines, ""), words_table(lines, ""))
    (folder / "numbers.md").write_text("\n\n".join(map(markdown_table, both)) + "\n", "utf-8")


# -- reproduction.json ------------------------------------------------------------------------------


def to_object(reproduction: Reproduction) -> dict[str, Any]:
    """The reproduction as plain data; docs/how-to/reproduce.md says what each field is."""
    found, corpus = reproduction.summary, reproduction.evidence.corpus
    return {
        "holdfast_reproduction": FORMAT,
        "paper": {"title": reproduction.paper.title, "authors": reproduction.paper.authors},
        "quick": reproduction.quick,
        "reproduced": found.reproduced,
        "summary": {
            "compared": found.n_compared,
            "in_tables": found.n_table,
            "in_tables_agreeing": found.n_table_agreeing,
            "status": {str(status): n for status, n in found.counts.items()},
        },
        "numbers": [_number(line) for line in reproduction.lines],
        "corpus": None if corpus is None else {"main": asdict(corpus.main), "second": asdict(corpus.second)},
        "durations": reproduction.durations,
        "not_compared": [asdict(t) for t in reproduction.paper.times],
        "provenance": reproduction.provenance,
    }


def _number(line: Line) -> dict[str, Any]:
    figure = line.figure
    return {
        "where": list(figure.where),
        "what": figure.what,
        "in_table": figure.in_table,
        "relation": figure.relation,
        "published": figure.printed,
        "numeral": figure.numeral,
        "ours": _plain(line.ours),
        "rounded": line.rounded,
        "difference": line.difference,
        "from_printed": _plain(line.from_printed),
        "rounded_from_printed": line.rounded_from_printed,
        "status": str(line.status),
        "reason": line.reason,
    }


def _plain(value: Number | str | None) -> int | float | str | None:
    return value if value is None or isinstance(value, str) else as_number(value)
