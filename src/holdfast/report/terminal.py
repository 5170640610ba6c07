"""Results on the terminal: the verdict in a sentence, what was proved, what the numbers mean."""

from __future__ import annotations

import io
import shutil
import sys
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.analysis import Analysis

WIDTH = 100
BAR = 24

Gates = list[dict[str, Any]]


def analysis_text(analysis: Analysis, gates: Gates, source: str, variants: tuple[str, ...] = ()) -> str:
    """The answer of ``check`` and ``fingerprint``, styled if standard output is a terminal."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    console = Console(file=text, force_terminal=sys.stdout.isatty(), width=width, highlight=False)
    print_analysis(console, analysis, gates, source, variants)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_analysis(
    console: Console, analysis: Analysis, gates: Gates, source: str, variants: tuple[str, ...] = ()
) -> None:
    """Print an analysis for a person."""
    title = analysis.name + (f" · {analysis.variant}" if analysis.variant else "")
    where = f"({plain(source)})" if title else ""
    console.print()
    console.print(Text(plain(title or source), style="bold"), Text(where, style="dim"))
    for part in (verdict(analysis), _proved(analysis), _readings(analysis), _shells(analysis)):
        console.print()
        console.print(part)
    if analysis.ddr_exact is not None:
        console.print()
        console.print(_indented(Text(operating_point(analysis))))
    for warning in analysis.warnings:
        console.print()
        console.print(_indented(Text(f"warning: {plain(warning)}", style="yellow")))
    if analysis.undecided:
        console.print()
        console.print(_indented(Text(f"UNDECIDED  {plain(analysis.undecided)}", style="bold yellow")))
    if gates:
        console.print()
    for gate in gates:
        value = "not defined" if gate["value"] is None else f"{gate['value']:.8g}"
        met, style = ("met", "green") if gate["met"] else ("MISSED", "bold red")
        console.print(
            Text(f"  gate {gate['axis'].upper()} ≥ {gate['minimum']:g}: {met} ({value})", style=style)
        )
    console.print()
    if variants:
        console.print(
            _indented(Text(f"other variants in the file: {plain(', '.join(variants))}", style="dim"))
        )
    footer = f"{_count(analysis.positions)} positions · {analysis.engine} engine · {analysis.seconds:.2f} s"
    console.print(Text(f"  {footer}", style="dim"))


def plain(text: str) -> str:
    """Text from a file with control characters made visible, so that it cannot steer the terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)


def verdict(analysis: Analysis) -> Text:
    """The certificate in a sentence."""
    if analysis.defensible:
        return Text.assemble(
            ("  DEFENSIBLE  ", "bold black on green"),
            ("  A defense exists against every admissible adversary.", "bold"),
        )
    moves = "1 move" if analysis.initial_rank == 1 else f"{analysis.initial_rank} moves"
    how = (
        "The initial state already violates the requirement."
        if analysis.initial_rank == 0
        else f"The adversary forces a violation within {moves}, whatever the defender does."
    )
    return Text.assemble(("  NOT DEFENSIBLE  ", "bold white on red"), (f"  {how}", "bold"))


def operating_point(analysis: Analysis) -> str:
    """What DDR* and DDR say together, in a sentence for everybody."""
    assert analysis.ddr_exact is not None
    perfect = analysis.ddr_exact["value"]
    text = f"Against a perfect adversary, perfect play keeps a mean dominance of {_percent(perfect)}"
    if analysis.ddr is None:
        return f"{text}."
    learned, bracket = analysis.ddr["mean"], analysis.ddr.get("bracket")
    text += _against_the_best(bracket) if bracket else ""
    if learned > perfect + 0.005:
        easier = "it was easier to hold off than a perfect one"
        return f"{text}; the trained adversary left {_percent(learned)}: {easier}."
    if learned < perfect - 0.005:
        return f"{text}; the trained defender kept {_percent(learned)}: it gave away what perfect play holds."
    return f"{text}, and the trained players settled there too ({_percent(learned)})."


def _against_the_best(bracket: dict[str, Any]) -> str:
    """What the trained policies themselves guarantee and concede."""
    return (
        f" (the trained defender guarantees {_percent(bracket['guaranteed'])} of its own, "
        f"the trained adversary concedes up to {_percent(bracket['conceded'])})"
    )


def _indented(content: Text | Table) -> Padding:
    return Padding(content, (0, 0, 0, 2))


def _proved(analysis: Analysis) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("start", Text(plain(analysis.start)))
    word = "can always be kept" if analysis.defensible else "cannot be kept"
    for side, clauses, nothing in (
        (f"φ_D {word}", analysis.requirement, "nothing is required"),
        ("against φ_A", analysis.boundary, "no boundary: any adversary"),
    ):
        for i, clause in enumerate(clauses):
            table.add_row("" if i else side, Text(plain(clause)))
        if not clauses:
            table.add_row(side, Text(nothing, style="italic"))
    return _indented(table)


def _readings(analysis: Analysis) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    win = analysis.win
    table.add_row(
        "WIN",
        _number(win),
        "every position violates already"
        if win is None
        else f"winning fraction: the defender holds {_percent(win)} of all positions that do not violate yet",
    )
    table.add_row("STP", _number(analysis.stp), f"shell steepness: {_steepness(analysis.shells)}")
    table.add_row("SLT", _number(analysis.slt), f"shield latitude: {_latitude(analysis)}")
    if analysis.ddr is not None:
        table.add_row("DDR", _number(analysis.ddr["mean"]), f"defender dominance: {_dominance(analysis.ddr)}")
    if analysis.ddr_exact is not None:
        exact = analysis.ddr_exact
        tremble = f"{exact['tremble']:.4f} if both err in {_percent(exact['epsilon'])} of their moves"
        table.add_row("DDR*", _number(exact["value"]), f"the same, solved exactly; {tremble}")
    return _indented(table)


def _latitude(analysis: Analysis) -> str:
    if analysis.slt is not None:
        n = analysis.defender_actions
        return f"in safe play {analysis.slt * n:.1f} of the defender's {n} actions stay permitted"
    if not analysis.defensible:
        return "there is no safe play to measure"
    if analysis.reachable is None:
        return "not computed"
    return "safe play never reaches a defender position"


def _dominance(ddr: dict[str, Any]) -> str:
    n = len(ddr["per_seed"])
    runs = f"mean of {n} trained runs" if n > 1 else "one trained run"
    return runs if ddr["low"] is None else f"{runs}, 95 % interval {ddr['low']:.3f} to {ddr['high']:.3f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _steepness(shells: tuple[int, ...]) -> str:
    if not shells:
        return "no position outside the violation is lost"
    share = shells[0] / sum(shells)
    return f"{_percent(share)} of the lost positions are 1 move from violation, the last {len(shells)}"


def _shells(analysis: Analysis) -> Padding:
    n_open = analysis.positions - analysis.unsafe
    table = Table(box=None, padding=(0, 2), header_style="dim", show_edge=False)
    table.add_column("forced in")
    table.add_column("positions", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    rows = [("never (winning)", analysis.winning, "green")]
    rows += [(f"{k} move{'s' if k > 1 else ''}", size, "red") for k, size in enumerate(analysis.shells, 1)]
    if len(rows) > 14:
        hidden = rows[12:-1]
        rows[12:-1] = [(f"… {len(hidden)} more ranks", sum(size for _, size, _ in hidden), "red")]
    for name, size, style in rows:
        share = size / n_open if n_open else 0.0
        bar = "█" * max(round(share * BAR), 1 if size else 0)
        table.add_row(name, _count(size), _percent(share), Text(bar, style=style))
    unsafe = _count(analysis.unsafe)
    table.add_row(Text("violating already", style="dim"), Text(unsafe, style="dim"), "", "")
    return Padding(table, (0, 0, 0, 0))


def _count(number: int) -> str:
    """Exact up to fifteen digits, in scientific notation past that."""
    if number < 10**15:
        return f"{number:,}"
    digits = str(number)
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
