"""The paper's numbers and statements, read from ``claims.toml``; nothing in it is ours."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

Relation = str
"""``is``, or ``below`` and ``above`` where the paper gives a bound."""

READINGS = {
    "win": "WIN",
    "stp": "STP",
    "slt": "SLT",
    "ddr": "DDR",
    "winning": "|W|",
    "winning_share": "|W| as a share of |V|",
    "ddr_low": "lower end of the 95% interval of DDR",
    "ddr_high": "upper end of the 95% interval of DDR",
    "attractor": "|Attr*|",
    **{f"shell_{k}": f"|Sh_{k}|" for k in range(1, 5)},
}
"""The columns of the tables by case, in words."""


@dataclass(frozen=True)
class Claim:
    """One published number or statement.

    Attributes:
        where: labels of the places that print it.
        what: what it is, in words.
        printed: as printed.
        numeral: the number that it stands for where it is printed in words, else empty.
        quantity, arguments: what computes ours (:mod:`holdfast.apps.reproduce.quantities`).
        relation: see :data:`Relation`.
        in_table: whether it stands in a table of the paper.
        given: whether Holdfast was told it, as a setting is, and computes nothing.
        known: what comes out instead, for a number that is known not to.
        because: why.
        incomparable: why it is shown without being compared, else empty.
    """

    where: tuple[str, ...]
    what: str
    printed: str
    quantity: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    numeral: str = ""
    relation: Relation = "is"
    in_table: bool = False
    given: bool = False
    known: str = ""
    because: str = ""
    incomparable: str = ""

    @property
    def stated(self) -> str:
        """What ours is compared with: the number in digits, or the words of a statement."""
        return self.numeral or self.printed


CLAIM_FIELDS = tuple(one.name for one in fields(Claim))


@dataclass(frozen=True)
class CaseTable:
    """A table of the paper with a row for each case; cells are as printed."""

    label: str
    title: str
    columns: tuple[str, ...]
    rows: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True)
class CaseName:
    """A case of tab:cases: the variant of ``paper.yaml`` that declares it, and its name."""

    variant: str
    name: str


@dataclass(frozen=True)
class Time:
    """A duration that the paper gives, for another machine; ``ours`` names the one beside it, if any."""

    where: Sequence[str]
    what: str
    printed: str
    ours: str = ""


@dataclass(frozen=True)
class Published:
    """All that the paper prints and Holdfast can compute."""

    title: str
    authors: str
    cases: Mapping[int, CaseName]
    tables: tuple[CaseTable, ...]
    claims: tuple[Claim, ...]
    times: tuple[Time, ...]


@cache
def published() -> Published:
    """The numbers and statements of the paper; those of the tables come first, row by row."""
    data = tomllib.loads(paper_resource("claims.toml"))
    tables = tuple(map(_table, data["table"]))
    return Published(
        title=data["title"],
        authors=data["authors"],
        cases={int(number): CaseName(**case) for number, case in data["cases"].items()},
        tables=tables,
        claims=(*(claim for table in tables for claim in _cells(table)), *map(_claim, data["claim"])),
        times=tuple(Time(**time) for time in data["time"]),
    )


def paper_resource(name: str) -> str:
    """The text of a file of this package: ``claims.toml``, or the scenario ``paper.yaml``."""
    return (files("holdfast.apps.reproduce") / name).read_text("utf-8")


def _table(data: Mapping[str, Any]) -> CaseTable:
    rows = {int(key): tuple(cells) for key, cells in data.items() if key.isdigit()}
    return CaseTable(data["label"], data["title"], tuple(data["columns"]), rows)


def _cells(table: CaseTable) -> Iterator[Claim]:
    for case, cells in table.rows.items():
        for column, printed in zip(table.columns, cells, strict=True):
            what = f"{READINGS[column]} of Case {case}"
            arguments = {"of": column, "case": case}
            yield Claim((table.label,), what, printed, "reading", arguments, in_table=True)


def _claim(data: Mapping[str, Any]) -> Claim:
    """A claim; what is no field of one is an argument of its quantity."""
    own = {key: data[key] for key in CLAIM_FIELDS if key in data} | {"where": tuple(data["where"])}
    arguments = {key: value for key, value in data.items() if key not in own and key != "table"}
    return Claim(**own, arguments=arguments, in_table=data.get("table", False))
