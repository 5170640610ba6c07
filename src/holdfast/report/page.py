"""A report as one HTML file: nothing is fetched, nothing is sent, and nothing in a scenario can act.

Every text is escaped by the template engine, control and direction marks are made visible first, and a
content security policy allows only the style in the file and the one script, by its hash. Figures are drawn
by Holdfast and stand in the page as SVG, so that they follow its colours.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from holdfast.compare import Comparison, Delta, Subject
from holdfast.compare.numbers import entry
from holdfast.report import comparison as compared
from holdfast.report import pictures
from holdfast.report.blocks import Block, Facts, Points, Prose, Row, Section, Verdict, Warnings
from holdfast.report.figures.style import DARK_SERIES, SERIES
from holdfast.report.fingerprint import (
    Gates,
    axes_explained,
    certificate_numbers,
    contract,
    gate_table,
    meaning,
    operating_point,
    readings,
    shell_sizes,
    title_of,
    verdict_of,
    verdicts,
)
from holdfast.report.provenance import facts_of, runs, shared
from holdfast.report.reading import MAX_ROWS, certificates, refinement, sentences
from holdfast.report.tables import Table, counted
from holdfast.results import Analysis
from holdfast.system import Graph

SMALL = 320.0
"""Points of width up to which a figure is still read when it is scaled to a narrow window."""

LONG_WORD, LONGEST_WORD = 24, 160
"""Characters of a word past which it may break, and past which it is cut."""

MAX_TEXT = 4_000
"""Characters of any one text; a report is for reading."""


def document(*, title: str, lead: str, sections: Sequence[Section], provenance: Mapping[str, str]) -> str:
    """A whole page, self-contained, light and dark, fit for print.

    Args:
        title: the heading.
        lead: one or two sentences below it.
        sections: in order; each gets an entry in the table of contents.
        provenance: where the numbers come from, shown at the end.
    """
    script = _resource("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _environment().get_template("page.html.j2").render(
        title=title,
        lead=lead,
        sections=sections,
        provenance=provenance,
        style=Markup(f"{_figure_colours()}\n{_resource('page.css')}"),
        script=Markup(script),
        digest=digest,
        version=version("holdfast"),
    ).strip() + "\n"  # fmt: skip


# -- one analysis -----------------------------------------------------------------------------------


def analysis_page(analysis: Analysis, graph: Graph | None = None, gates: Gates = (), about: str = "") -> str:
    """The page of one analysis: verdict, meaning, fingerprint, depth, segment, contract, provenance.

    Args:
        analysis: what to show.
        graph: the picture of the system, if it has one.
        gates: the minima that were asked for.
        about: what the design is, below the title.
    """
    said = list(filter(None, (meaning(analysis), operating_point(analysis))))
    undecided = [Verdict("open", "UNDECIDED", analysis.undecided)] if analysis.undecided else []
    own = entry(title_of(analysis), analysis, analysis)
    verdict = verdict_of(analysis)
    sections = [
        Section("Verdict", (verdict, *undecided, Warnings(analysis.warnings), *map(Prose, said))),
        *([Section("Gates", (gate_table(gates),))] if gates else []),
        Section("Fingerprint", (Row((readings(analysis), pictures.radar(own))),)),
        Section("Certificate", (certificate_numbers(analysis),)),
        Section("Depth", (shell_sizes(analysis), pictures.decomposition([own]))),
        *([Section("Segment", (pictures.segment(graph),))] if graph is not None else []),
        Section("Requirement and boundary", (contract(analysis),)),
    ]
    return document(
        title=title_of(analysis),
        lead=about or verdict.sentence,
        sections=sections,
        provenance=facts_of(analysis),
    )


# -- a comparison -----------------------------------------------------------------------------------


def comparison_page(
    comparison: Comparison,
    subjects: Sequence[Subject],
    graphs: pictures.Graphs | None = None,
    title: str = "",
    about: str = "",
) -> str:
    """The page of a comparison: verdicts and reading first, then what they rest on.

    Args:
        comparison: what to show.
        subjects: those compared, for verdicts, trained runs and provenance.
        graphs: by label, for designs that are networks.
        title: of the page; says how many designs are compared by default.
        about: what the designs are, below the title.
    """
    designs = f"{len(comparison.entries)} designs against {comparison.base}"
    lead = f"{designs}. {certificates(comparison)}" if title else certificates(comparison)
    return document(
        title=title or designs,
        lead=f"{about}\n\n{lead}",
        sections=[s for s in _sections(comparison, subjects, graphs or {}) if s.blocks],
        provenance=shared(subjects),
    )


def _sections(comparison: Comparison, subjects: Sequence[Subject], graphs: pictures.Graphs) -> list[Section]:
    base, some = comparison.base, bool(comparison.deltas)
    checks = Points(tuple(map(refinement, comparison.refinements)))
    return [
        Section("Verdicts", (*verdicts(comparison, subjects), Warnings(comparison.warnings))),
        Section("What it comes to", (Points(tuple(sentences(comparison))),)),
        Section("Fingerprints", tuple(_fingerprints(comparison))),
        Section(f"Change against {base}", (compared.movements(comparison),) if some else ()),
        Section(
            "Depth",
            (compared.shells(comparison), pictures.shares(comparison), pictures.profile(comparison)),
        ),
        Section("Positions that changed rank", tuple(_ranks(comparison)) if some else ()),
        Section("Inversions", (compared.inversions(comparison),) if comparison.inversions else ()),
        Section("Operation", tuple(pictures.operation(comparison))),
        Section("What moved SLT", tuple(compared.channels(comparison))),
        Section("Uniform dominance", (compared.dominances(comparison),) if comparison.dominances else ()),
        Section("Monotonicity in φ_A", (checks,) if comparison.refinements else ()),
        Section("Segments", tuple(pictures.segments(base, graphs))),
        Section("Requirement and boundary", tuple(_contracts(subjects))),
        Section("Runs", (runs(subjects),) if subjects else ()),
    ]


def _fingerprints(comparison: Comparison) -> Iterator[Block]:
    yield compared.fingerprints(comparison)
    yield axes_explained(comparison)
    yield pictures.radars(comparison)
    yield pictures.overlay(comparison)


def _ranks(comparison: Comparison) -> Iterator[Block]:
    yield Row(tuple(map(_rank_changes, comparison.deltas[:MAX_ROWS])))
    if len(comparison.deltas) > MAX_ROWS:
        yield Prose(f"… {counted(len(comparison.deltas) - MAX_ROWS, 'more design')}")


def _rank_changes(delta: Delta) -> Block:
    """A matrix of ranks, with what it comes to as its caption; or the sentence alone."""
    *said, last = compared.rank_changes(delta)
    if isinstance(last, Table) and said and isinstance(said[0], Prose):
        return replace(last, caption=said[0].text)
    return last


def _contracts(subjects: Sequence[Subject]) -> list[Facts]:
    """Start, requirement and boundary of each design, designs with the same ones together."""
    together: dict[Facts, list[str]] = {}
    for subject in subjects:
        together.setdefault(contract(subject.analysis), []).append(subject.label)
    return [Facts((("design", ", ".join(labels)), *facts.items)) for facts, labels in together.items()]


# -- the template -----------------------------------------------------------------------------------


def _resource(name: str) -> str:
    return (files("holdfast.report") / "templates" / name).read_text("utf-8").strip()


@cache
def _environment() -> Environment:
    """The templates, with escaping on and no silent gaps."""
    environment = Environment(
        loader=PackageLoader("holdfast.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": shown,
        "written": written,
        "paragraphs": paragraphs,
        "grouped": lambda facts: [
            (name, [v for _, v in own]) for name, own in groupby(facts, lambda f: f[0])
        ],
        "kind": lambda block: type(block).__name__,
        "drawing": drawing,
        "small": lambda svg: _width(svg) < SMALL,
        "share": lambda value: f"{100 * min(max(value, 0), 1):.2f}%",
    }
    return environment


def shown(text: str, limit: int = MAX_TEXT) -> str:
    r"""Text for the page: control and direction marks made visible, and not longer than a reader reads.

    >>> shown("a\u202eb"), shown("abcdef", 4)
    ('a·b', 'abc…')
    """
    words = re.sub(rf"(\S{{{LONGEST_WORD - 1}}})\S{{2,}}", r"\1…", text)
    whole = words if len(words) <= limit else f"{words[: limit - 1]}…"
    return "".join(c if c.isprintable() or c == "\n" else "·" for c in whole)


def written(text: str, limit: int = MAX_TEXT) -> Markup:
    """The same as an element's content.

    Subscripts of the notation are lowered, a number stays with its percent sign, and a word that is longer
    than a narrow column may break.

    >>> written("φ_D of <b>")
    Markup('φ<sub>D</sub> of &lt;b&gt;')
    """
    parts = re.split(rf"(\S{{{LONG_WORD},}})", shown(text, limit))
    safe = "".join(_breakable(part) if i % 2 else str(escape(part)) for i, part in enumerate(parts))
    lowered = re.sub(r"φ_([DA])\b", r"φ<sub>\1</sub>", safe)
    return Markup(re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", lowered))


def _breakable(word: str) -> str:
    parts = (word[i : i + LONG_WORD] for i in range(0, len(word), LONG_WORD))
    return "<wbr>".join(str(escape(part)) for part in parts)


def paragraphs(text: str) -> list[str]:
    """Text parted at empty lines."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def drawing(svg: str) -> Markup:
    """A figure as an element of the page, without what only a file of its own needs."""
    return Markup(svg[svg.index("<svg") :])


def _width(svg: str) -> float:
    found = re.search(r'<svg[^>]*? width="([\d.]+)', svg)
    return float(found[1]) if found else 0.0


def _figure_colours() -> str:
    pairs = zip(SERIES, DARK_SERIES, strict=True)
    colours = " ".join(f"--figure-{i}: light-dark({a}, {b});" for i, (a, b) in enumerate(pairs, 1))
    return f":root {{ {colours} }}"
