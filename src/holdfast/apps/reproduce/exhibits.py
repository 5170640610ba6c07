"""The comparison and the paper's tables as tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from holdfast.apps.reproduce.claims import READINGS, CaseTable, Published
from holdfast.apps.reproduce.corpus import Corpus, Correlation
from holdfast.apps.reproduce.evidence import REFERENCE, Evidence
from holdfast.apps.reproduce.rounding import Printed, as_number, printed_number
from holdfast.apps.reproduce.verdicts import Assessment, Status
from holdfast.game import signed
from holdfast.readings import label_of
from holdfast.report import Cell, CellValue, Column, Table, words

SHORT = {**READINGS, "winning_share": "W%", "ddr_low": "CI low", "ddr_high": "CI high"}
MARKS = {Status.DIFFERS: "differs", Status.KNOWN: "differs"}
NOISE = 1e-12
"""A difference below this is that of a double from the decimal it stands for, and shown as 0."""

RELATIONS = {"is": "", "below": "under ", "above": "over "}


def published_text(one: Assessment) -> str:
    """What the paper prints, a bound in digits with its direction."""
    claim = one.claim
    return f"“{claim.printed}”" if claim.numeral else RELATIONS[claim.relation] + minus(claim.printed)


def minus(text: str) -> str:
    """A printed number with the sign for minus."""
    return f"−{text[1:]}" if text.startswith("-") else text


def numbers_table(assessments: Sequence[Assessment], caption: str, note: str = "") -> Table:
    """Published numbers beside ours, each with its places below."""
    columns = (
        words("number"),
        Column("paper"),
        Column("ours", hint="with the paper's digits"),
        Column("unrounded"),
        Column("difference", hint="ours less the paper's, in the unit that is printed"),
        words("status"),
    )
    chosen = [one for one in assessments if not isinstance(one.ours, str)]
    marks = tuple(MARKS.get(one.status, "") for one in chosen)
    return Table(caption, columns, tuple(map(_number_row, chosen)), marks, note)


def _number_row(one: Assessment) -> tuple[CellValue, ...]:
    value = None if one.ours is None or isinstance(one.ours, str) else as_number(one.ours)
    return (
        Cell(one.claim.what, note=", ".join(one.claim.where)),
        Cell(published_text(one)),
        Cell(minus(one.rounded), value),
        Cell(minus(short(value)), value),
        _difference(one),
        Cell(one.status, note=_remark(one)),
    )


def _difference(one: Assessment) -> Cell:
    """With two digits more than are printed."""
    gap, printed = one.difference, printed_number(one.claim.stated)
    if gap is None or printed is None:
        return Cell("")
    return Cell(signed(0.0 if abs(gap) < NOISE else gap, printed.digits + 2), gap)


def _remark(one: Assessment) -> str:
    if one.status is Status.FROM_PRINTED:
        return f"{minus(one.rounded_from_printed)} from the tables' rounded readings"
    return one.reason


def words_table(assessments: Sequence[Assessment], caption: str) -> Table:
    """What the paper says in letters rather than numbers, beside ours."""
    chosen = [one for one in assessments if isinstance(one.ours, str)]
    columns = (words("statement"), Column("paper", "code"), Column("ours", "code"), words("status"))
    rows = tuple(
        (
            Cell(one.claim.what, note=", ".join(one.claim.where)),
            one.claim.printed,
            one.rounded,
            str(one.status),
        )
        for one in chosen
    )
    return Table(caption, columns, rows, tuple(MARKS.get(one.status, "") for one in chosen))


def short(value: int | float | None) -> str:
    """A number with up to seven digits.

    >>> short(0.538672899999999), short(150000.0), short(None)
    ('0.5386729', '150,000', '')
    """
    return "" if value is None else f"{value:,.7g}"


def case_table(table: CaseTable, paper: Published, assessments: Sequence[Assessment]) -> Table:
    """A table of the paper with our numbers, the paper's below where they are not the same."""
    by_place = _cells(table, assessments)
    rows: list[tuple[CellValue, ...]] = []
    for case in table.rows:
        cells = [_case_cell(by_place[case, column]) for column in table.columns]
        rows.append((f"{case} · {paper.cases[case].name}", *cells))
    differing = {case for (case, _), one in by_place.items() if one.status is Status.DIFFERS}
    marks = tuple("differs" if case in differing else "" for case in table.rows)
    columns = (words("case"), *(Column(SHORT[column]) for column in table.columns))
    return Table(f"{table.title} ({table.label})", columns, tuple(rows), marks)


def _cells(table: CaseTable, assessments: Sequence[Assessment]) -> dict[tuple[int, str], Assessment]:
    """The assessments of a table by case and column."""
    return {
        (one.claim.arguments["case"], one.claim.arguments["of"]): one
        for one in assessments
        if one.claim.where == (table.label,) and one.claim.quantity == "reading"
    }


def _case_cell(one: Assessment) -> Cell:
    if one.ours is None or isinstance(one.ours, str):
        return Cell("not run")
    note = "" if one.rounded == one.claim.printed else f"paper: {one.claim.printed}"
    return Cell(one.rounded, as_number(one.ours), note)


def certificate_table(evidence: Evidence) -> Table:
    """The attractor of the reference, iteration by iteration (sec:instance-certificate)."""
    case = evidence.analyses[REFERENCE]
    sizes = accumulate(case.shells, initial=case.unsafe)
    rows = [(f"Attr_{k}", size, case.shells[k - 1] if k else None) for k, size in enumerate(sizes)]
    rows.append(("winning region", case.winning, None))
    columns = (words("iteration"), Column("positions"), Column("shell"))
    caption = "The attractor of the reference configuration (sec:instance-certificate)"
    return Table(caption, columns, tuple(rows), sortable=False)


def seeds_table(paper: Published, evidence: Evidence) -> Table | None:
    """DDR of every seed; None without training."""
    training = {n: a.ddr for n, a in evidence.analyses.items() if a.ddr is not None}
    if not training:
        return None
    seeds = next(iter(training.values())).seeds
    columns = (words("case"), *(Column(f"seed {seed}") for seed in seeds))
    rows: tuple[tuple[CellValue, ...], ...] = tuple(
        (f"{n} · {paper.cases[n].name}", *ddr.per_seed) for n, ddr in training.items()
    )
    return Table("DDR of every seed: the mean of μ over its last 200 episodes", columns, rows)


def published_rho(paper: Published, of: str) -> Printed:
    """The paper's correlation of density with WIN or SLT."""
    claims = (c for c in paper.claims if c.quantity == "corpus_correlation" and c.arguments["of"] == of)
    printed = printed_number(next(claims).printed)
    assert printed is not None  # it is a number in claims.toml
    return printed


def corpus_table(corpus: Corpus, paper: Published) -> Table:
    """Our arenas beside the paper's."""
    published = [published_rho(paper, axis) for axis in ("win", "slt")]
    win, slt = (Cell(minus(printed.text), float(printed.value)) for printed in published)
    columns = (
        words("arenas"),
        Column("number"),
        Column("defensible"),
        Column("cutting off a host"),
        Column("ρ of WIN"),
        Column("95% interval"),
        Column("ρ of SLT"),
        Column("95% interval"),
    )
    counts = (len(corpus.readings), corpus.n_defensible, corpus.n_disconnecting)
    rows: tuple[tuple[CellValue, ...], ...] = (
        ("the paper's", 90, 90, Cell("“routinely”"), win, None, slt, None),
        ("ours", *counts, *_rho(corpus.win), *_rho(corpus.slt)),
    )
    caption = "Spearman's ρ of edge density with WIN and SLT, ties corrected"
    return Table(caption, columns, rows, sortable=False)


def companions_table(corpus: Corpus) -> Table:
    """How each exact reading goes with DDR*, on our arenas."""
    rows: list[tuple[CellValue, ...]] = []
    for companion in corpus.with_dominance:
        text = (
            (None, Cell("it never varies")) if companion.correlation is None else _rho(companion.correlation)
        )
        rows.append((label_of(companion.reading), companion.n_arenas, *text))
    columns = (words("reading"), Column("arenas"), Column("ρ with DDR*"), Column("95% interval"))
    caption = "Spearman's ρ of each exact reading with DDR*, ties corrected; what is unbounded ranks highest"
    return Table(caption, columns, tuple(rows), sortable=False)


def _rho(found: Correlation) -> tuple[Cell, Cell]:
    rho, low, high = (minus(f"{x:.3f}") for x in (found.rho, found.low, found.high))
    return Cell(rho, found.rho), Cell(f"{low} … {high}")


def times_table(paper: Published, seconds: Mapping[str, float | None]) -> Table:
    """The paper's durations, which were another machine's, beside those of ours that were measured."""
    ours = {name: "" if duration is None else f"{duration:.1f} s" for name, duration in seconds.items()}
    rows = tuple((time.what, time.printed, ours.get(time.ours, "")) for time in paper.times)
    columns = (words("what"), words("paper"), words("ours"))
    return Table("Durations, not compared", columns, rows, sortable=False)
