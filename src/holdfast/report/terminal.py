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

from holdfast.logic.expressions import Player
from holdfast.metrics import StaticReading
from holdfast.product import Configuration, warnings
from holdfast.solution import Solution

WIDTH = 100
BAR = 24


def check_text(
    solution: Solution,
    reading: StaticReading,
    gates: list[dict[str, Any]],
    seconds: float,
    source: str,
    stopped: str | None = None,
) -> str:
    """The answer of ``check``, styled if standard output is a terminal."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    console = Console(file=text, force_terminal=sys.stdout.isatty(), width=width, highlight=False)
    print_check(console, solution, reading, gates, seconds, source, stopped)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_check(
    console: Console,
    solution: Solution,
    reading: StaticReading,
    gates: list[dict[str, Any]],
    seconds: float,
    source: str,
    stopped: str | None = None,
) -> None:
    """Print the answer of ``check``; ``stopped`` is why a reading is missing."""
    configuration = solution.configuration
    title = configuration.name + (f" · {configuration.variant}" if configuration.variant else "")
    console.print()
    where = f"({plain(source)})" if title else ""
    console.print(Text(plain(title or source), style="bold"), Text(where, style="dim"))
    console.print()
    console.print(verdict(solution))
    console.print()
    console.print(_proved(solution))
    console.print()
    console.print(_readings(solution, reading))
    console.print()
    console.print(_shells(solution))
    for warning in warnings(configuration):
        console.print()
        console.print(Padding(Text(f"warning: {plain(warning)}", style="yellow"), (0, 0, 0, 2)))
    if stopped:
        console.print()
        console.print(Text(f"  UNDECIDED  SLT is missing: {stopped}", style="bold yellow"))
    if gates:
        console.print()
    for gate in gates:
        value = "not defined" if gate["value"] is None else f"{gate['value']:.8g}"
        met = "met" if gate["met"] else "MISSED"
        style = "green" if gate["met"] else "bold red"
        console.print(
            Text(f"  gate {gate['axis'].upper()} ≥ {gate['minimum']:g}: {met} ({value})", style=style)
        )
    console.print()
    footer = f"{configuration.n_positions:,} positions · {solution.engine} engine · {seconds:.2f} s"
    console.print(Text(f"  {footer}", style="dim"))


def plain(text: str) -> str:
    """Text from a file with control characters made visible, so that it cannot steer the terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)


def verdict(solution: Solution) -> Text:
    """The certificate in a sentence."""
    if solution.defensible:
        return Text.assemble(
            ("  DEFENSIBLE  ", "bold black on green"),
            ("  A defense exists against every admissible adversary.", "bold"),
        )
    rank = solution.regions.rank(solution.configuration.initial)
    moves = "1 move" if rank == 1 else f"{rank} moves"
    how = (
        "The initial state already violates the requirement."
        if rank == 0
        else f"The adversary forces a violation within {moves}, whatever the defender does."
    )
    return Text.assemble(("  NOT DEFENSIBLE  ", "bold white on red"), (f"  {how}", "bold"))


def _proved(solution: Solution) -> Padding:
    configuration = solution.configuration
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("start", _start(configuration))
    word = "can always be kept" if solution.defensible else "cannot be kept"
    for side, automata, nothing in (
        (f"φ_D {word}", configuration.defender, "nothing is required"),
        ("against φ_A", configuration.adversary, "no boundary: any adversary"),
    ):
        for i, automaton in enumerate(automata):
            table.add_row("" if i else side, Text(plain(automaton.source)))
        if not automata:
            table.add_row(side, Text(nothing, style="italic"))
    return Padding(table, (0, 0, 0, 2))


def _start(configuration: Configuration) -> Text:
    """The initial state, values shared by many variables gathered."""
    by_value: dict[str, list[str]] = {}
    game = configuration.game
    for variable, code in zip(game.variables, game.initial, strict=True):
        by_value.setdefault(str(variable.values[code]), []).append(variable.name)
    usual = max(by_value, key=lambda value: len(by_value[value]))
    parts = [
        f"{', '.join(names)} = {value}"
        for value, names in by_value.items()
        if value != usual or len(by_value) == 1
    ]
    if len(by_value) > 1:
        names = by_value[usual]
        parts.append(f"all others = {usual}" if len(names) > 3 else f"{', '.join(names)} = {usual}")
    return Text("; ".join([*parts, f"{game.first} moves first"]))


def _readings(solution: Solution, reading: StaticReading) -> Padding:
    n_actions = len(solution.configuration.game.actions[Player.DEFENDER])
    win, slt = reading.winning_fraction, reading.shield_latitude
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    table.add_row(
        "WIN",
        _number(win),
        "every position violates already"
        if win is None
        else f"winning fraction: the defender holds {_percent(win)} of all positions that do not violate yet",
    )
    table.add_row("STP", _number(reading.shell_steepness), f"shell steepness: {_steepness(solution.shells)}")
    if slt is not None:
        menu = f"{slt * n_actions:.1f} of the defender's {n_actions} actions"
        text = f"shield latitude: in safe play {menu} stay permitted"
    elif not solution.defensible:
        text = "shield latitude: there is no safe play to measure"
    elif reading.reach is None:
        text = "shield latitude: not computed"
    else:
        text = "shield latitude: safe play never reaches a defender position"
    table.add_row("SLT", _number(slt), text)
    return Padding(table, (0, 0, 0, 2))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _steepness(shells: tuple[int, ...]) -> str:
    if not shells:
        return "no position outside the violation is lost"
    share = shells[0] / sum(shells)
    return f"{_percent(share)} of the lost positions are 1 move from violation, the last {len(shells)}"


def _shells(solution: Solution) -> Padding:
    configuration = solution.configuration
    n_open = configuration.n_positions - configuration.n_unsafe
    table = Table(box=None, padding=(0, 2), header_style="dim", show_edge=False)
    table.add_column("forced in")
    table.add_column("positions", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    rows = [("never (winning)", solution.n_winning, "green")]
    rows += [(f"{k} move{'s' if k > 1 else ''}", size, "red") for k, size in enumerate(solution.shells, 1)]
    if len(rows) > 14:
        hidden = rows[12:-1]
        rows[12:-1] = [(f"… {len(hidden)} more ranks", sum(size for _, size, _ in hidden), "red")]
    for name, size, style in rows:
        share = size / n_open if n_open else 0.0
        bar = "█" * max(round(share * BAR), 1 if size else 0)
        table.add_row(name, _count(size), _percent(share), Text(bar, style=style))
    table.add_row(
        Text("violating already", style="dim"), Text(_count(configuration.n_unsafe), style="dim"), "", ""
    )
    return Padding(table, (0, 0, 0, 0))


def _count(number: int) -> str:
    """Exact up to fifteen digits, in scientific notation past that."""
    if number < 10**15:
        return f"{number:,}"
    digits = str(number)
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
