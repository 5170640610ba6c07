"""The comparison and the paper's tables as tables of a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from holdfast.report.tables import Cell, Column, Table, Value, signed, words
from holdfast.reproduce.corpus import Corpus, Correlation, Sample
from holdfast.reproduce.evidence import Evidence
from holdfast.reproduce.printed import Printed, as_number, printed_number
from holdfast.reproduce.published import READINGS, CaseTable, Published
from holdfast.reproduce.verdicts import Line, Status, number_text

SHORT = {**READINGS, "winning_share": "W%", "ddr_low": "CI low", "ddr_high": "CI high"}
MARKS = {Status.DIFFERS: "differs", Status.KNOWN: "differs"}
NOISE = 1e-12
"""A difference below this is that of a double from the decimal it stands for, and shown as 0."""

RELATIONS = {"is": "", "below": "under ", "above": "over "}


def published_text(line: Line) -> str:
    """What the paper prints, a bound in digits with its direction."""
    figure = line.figure
    return f"“{figure.printed}”" if figure.numeral else RELATIONS[figure.relation] + minus(figure.printed)


def minus(text: str) -> str:
    """A printed number with the sign for minus."""
    return f"−{text[1:]}" if text.startswith("-") else text


def numbers_table(lines: Sequence[Line], caption: str, note: str = "") -> Table:
    """Published numbers beside ours, each with its places below."""
    columns = (
        words("number"),
        Column("paper"),
        Column("ours", hint="with the paper's digits"),
        Column("unrounded"),
        Column("difference", hint="ours less the paper's, in the unit that is printed"),
        words("status"),
    )
    chosen = [line for line in lines if not isinstance(line.ours, str)]
    marks = tuple(MARKS.get(line.status, "") for line in chosen)
    return Table(caption, columns, tuple(map(_number_row, chosen)), marks, note)


def _number_row(line: Line) -> tuple[Value, ...]:
    value = None if line.ours is None or isinstance(line.ours, str) else as_number(line.ours)
    return (
        Cell(line.figure.what, note=", ".join(line.figure.where)),
        Cell(published_text(line)),
        Cell(minus(line.rounded), value),
        Cell(minus(short(value)), value),
        _difference(line),
        Cell(line.status, note=_remark(line)),
    )


def _difference(line: Line) -> Cell:
    """With two digits more than are printed."""
    gap, printed = line.difference, printed_number(line.figure.stated)
    if gap is None or printed is None:
        return Cell("")
    return Cell(signed(0.0 if abs(gap) < NOISE else gap, printed.digits + 2), gap)


def _remark(line: Line) -> str:
    if line.status is Status.FROM_PRINTED:
        return f"{minus(line.rounded_from_printed)} from the tables' rounded readings"
    return line.reason


def words_table(lines: Sequence[Line], caption: str) -> Table:
    """What the paper says in letters rather than numbers, beside ours."""
    chosen = [line for line in lines if isinstance(line.ours, str)]
    columns = (words("statement"), Column("paper", "code"), Column("ours", "code"), words("status"))
    rows = tuple(
        (
            Cell(line.figure.what, note=", ".join(line.figure.where)),
            line.figure.printed,
            line.rounded,
            str(line.status),
        )
        for line in chosen
    )
    return Table(caption, columns, rows, tuple(MARKS.get(line.status, "") for line in chosen))


def short(value: int | float | None) -> str:
    """A number with up to seven digits.

    >>> short(0.538672899999999), short(150000.0), short(None)
    ('0.5386729', '150,000', '')
    """
    return "" if value is None else f"{value:,.7g}"


def case_table(table: CaseTable, paper: Published, lines: Sequence[Line]) -> Table:
    """A table of the paper with our numbers, the paper's below where they are not the same."""
    found = _cells(table, lines)
    rows: list[tuple[Value, ...]] = []
    for case in table.rows:
        cells = [_case_cell(found[case, column]) for column in table.columns]
        rows.append((f"{case} · {paper.cases[case].name}", *cells))
    differing = {case for (case, _), line in found.items() if line.status is Status.DIFFERS}
    marks = tuple("differs" if case in differing else "" for case in table.rows)
    columns = (words("case"), *(Column(SHORT[column]) for column in table.columns))
    return Table(f"{table.title} ({table.label})", columns, tuple(rows), marks)


def _cells(table: CaseTable, lines: Sequence[Line]) -> dict[tuple[int, str], Line]:
    """The lines of a table by case and column."""
    return {
        (line.figure.arguments["case"], line.figure.arguments["of"]): line
        for line in lines
        if line.figure.where == (table.label,) and line.figure.quantity == "reading"
    }


def _case_cell(line: Line) -> Cell:
    if line.ours is None or isinstance(line.ours, str):
        return Cell("not run")
    note = "" if line.rounded == line.figure.printed else f"paper: {line.figure.printed}"
    return Cell(line.rounded, as_number(line.ours), note)


def certificate_table(evidence: Evidence) -> Table:
    """The attractor of the reference, iteration by iteration (sec:instance-certificate)."""
    case = evidence.cases[1]
    sizes = [case.unsafe]
    for shell in case.shells:
        sizes.append(sizes[-1] + shell)
    rows = [(f"Attr_{k}", size, case.shells[k - 1] if k else None) for k, size in enumerate(sizes)]
    rows.append(("winning region", case.winning, None))
    columns = (words("iteration"), Column("positions"), Column("shell"))
    caption = "The attractor of the reference configuration (sec:instance-certificate)"
    return Table(caption, columns, tuple(rows), sortable=False)


def seeds_table(paper: Published, evidence: Evidence) -> Table | None:
    """DDR of every seed; None without training."""
    found = {n: a.ddr for n, a in (evidence.analyses or {}).items() if a.ddr is not None}
    if not found:
        return None
    seeds = next(iter(found.values())).seeds
    columns = (words("case"), *(Column(f"seed {seed}") for seed in seeds))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (f"{n} · {paper.cases[n].name}", *ddr.per_seed) for n, ddr in found.items()
    )
    return Table("DDR of every seed: the mean of μ over its last 200 episodes", columns, rows)


def published_rho(paper: Published, of: str) -> Printed:
    """The paper's correlation of density with WIN or SLT."""
    figures = (f for f in paper.figures if f.quantity == "corpus_correlation" and f.arguments["of"] == of)
    printed = printed_number(next(figures).printed)
    assert printed is not None  # it is a number in published.toml
    return printed


def corpus_table(corpus: Corpus, paper: Published) -> Table:
    """Both generators beside the paper."""
    published = [published_rho(paper, axis) for axis in ("win", "slt")]
    win, slt = (Cell(minus(printed.text), float(printed.value)) for printed in published)
    columns = (
        words("arenas"),
        Column("number"),
        Column("defensible"),
        Column("cutting off a host"),
        Column("ρ of WIN"),
        Column("95 % interval"),
        Column("ρ of SLT"),
        Column("95 % interval"),
    )
    rows: tuple[tuple[Value, ...], ...] = (
        ("the paper's", 90, 90, Cell("“routinely”"), win, None, slt, None),
        _sample_row(corpus.main),
        _sample_row(corpus.second),
    )
    caption = "Spearman's ρ of edge density with WIN and SLT, ties corrected"
    return Table(caption, columns, rows, sortable=False)


def _sample_row(sample: Sample) -> tuple[Value, ...]:
    counts = (len(sample.readings), sample.n_defensible, sample.n_disconnecting)
    return (f"ours, {sample.generator} links", *counts, *_rho(sample.win), *_rho(sample.slt))


def _rho(found: Correlation) -> tuple[Cell, Cell]:
    rho, low, high = (minus(f"{x:.3f}") for x in (found.rho, found.low, found.high))
    return Cell(rho, found.rho), Cell(f"{low} … {high}")


def times_table(paper: Published, seconds: Mapping[str, float | None]) -> Table:
    """The paper's durations, which were another machine's, beside those of ours that were measured."""
    ours = {name: "" if duration is None else f"{duration:.1f} s" for name, duration in seconds.items()}
    rows = tuple((time.what, time.printed, ours.get(time.ours, "")) for time in paper.times)
    columns = (words("what"), words("paper"), words("ours"))
    return Table("Durations, not compared", columns, rows, sortable=False)


# -- as files ---------------------------------------------------------------------------------------


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV (RFC 4180)."""
    text = io.StringIO()
    sheet = csv.writer(text)
    sheet.writerow(header)
    sheet.writerows(rows)
    return text.getvalue()


def numbers_csv(lines: Sequence[Line]) -> str:
    """Every published number beside ours, unrounded and rounded."""
    header = (
        "place",
        "number",
        "relation",
        "paper",
        "ours",
        "rounded",
        "difference",
        "from_printed",
        "status",
    )
    rows = (
        (
            " ".join(line.figure.where),
            line.figure.what,
            line.figure.relation,
            line.figure.printed,
            number_text(line.ours),
            line.rounded,
            "" if line.difference is None else line.difference,
            number_text(line.from_printed),
            line.status,
        )
        for line in lines
    )
    return csv_text(header, rows)


def table_csv(table: Table) -> str:
    """A table's numbers whole, and its words where it has no number."""
    rows = ([c.text if c.value is None else c.value for c in row] for row, _ in table.marked())
    return csv_text([column.title for column in table.columns], rows)


def corpus_csv(corpus: Corpus) -> str:
    """Every arena with its links and readings."""
    header = ("generator", "links", "density", "defensible", "hosts_cut_off", "win", "slt")
    rows = (
        (
            sample.generator,
            " ".join(f"{source}->{target}" for source, target in r.links),
            r.density,
            "yes" if r.defensible else "no",
            r.n_cut_off,
            r.win,
            "" if r.slt is None else r.slt,
        )
        for sample in (corpus.main, corpus.second)
        for r in sample.readings
    )
    return csv_text(header, rows)
