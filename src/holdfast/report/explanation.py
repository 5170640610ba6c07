"""An explanation on the terminal: the attack as a tree or the tight spots, and what would change it."""

from __future__ import annotations

from collections import Counter

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.explain import Explanation
from holdfast.explain.spots import Approach, Spot, TightSpots
from holdfast.report.attack import LOST, SAFE, attack, either, first_moves, gathered, kind_of
from holdfast.report.fingerprint import certificate
from holdfast.report.tables import count, counted
from holdfast.report.terminal import indented, plain, text_of, verdict_line
from holdfast.whatif.margins import Margin
from holdfast.whatif.repairs import Removal, Repairs
from holdfast.words import Move

KINDS = {"link": "link", "action": "adversary action", "budget": "unit of a budget", "clause": "clause"}
MAX_MOVES, MOVES_SHOWN = 16, 5
"""Moves of a play up to which all are shown, and how many of either end are shown past that."""


def explanation_text(explanation: Explanation, source: str) -> str:
    """The answer of ``explain``, styled if standard output is a terminal."""
    return text_of(lambda console: print_explanation(console, explanation, source))


def print_explanation(console: Console, explanation: Explanation, source: str) -> None:
    """Print an explanation for a person."""
    found = explanation
    title = found.name + (f" · {found.variant}" if found.variant else "")
    console.print()
    console.print(Text(plain(title), style="bold"), Text(f"({plain(source)})", style="dim"))
    console.print()
    console.print(verdict_line(certificate(found.defensible, found.rank)))
    for warning in found.warnings:
        console.print()
        console.print(indented(Text(f"warning: {plain(warning)}", style="yellow")))
    console.print()
    console.print(indented(_question(found)))
    parts: tuple[tuple[str, RenderableType | None], ...] = (
        ("How a violation is forced", attack(found.line)),
        ("First moves that win for the adversary", first_moves(found)),
        ("What the attack depends on", _repairs(found.repairs)),
        ("The tightest spots of safe play", _tight(found.tight)),
        ("How near the adversary comes", _approach(found.approach)),
        ("Margins" if found.defensible else "How far each number would have to move", _margins(found)),
        ("Not looked at, or not to the end", _partial(found.partial)),
    )
    for heading, part in parts:
        if part is not None:
            console.print()
            console.print(Text(f"  {heading}", style="bold"))
            console.print(indented(part))
    console.print()
    footer = f"{count(found.positions)} positions · {found.engine} engine · {found.seconds:.2f} s"
    console.print(Text(f"  {footer}", style="dim"))


def _question(found: Explanation) -> Table:
    """Start, specifications and what the letters mean."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("start", Text(plain(found.start)))
    for side, clauses in (("must always hold", found.requirement), ("adversary keeps to", found.boundary)):
        for i, clause in enumerate(clauses):
            violated = (
                " (violated at the start)"
                if clause in found.violated and clauses is found.requirement
                else ""
            )
            table.add_row("" if i else side, Text(plain(clause) + violated))
        if not clauses:
            nothing = "nothing" if side.startswith("must") else "no limit"
            table.add_row(side, Text(nothing, style="italic"))
    if found.legend:
        table.add_row(
            "letters", Text(", ".join(f"{value} {word}" for value, word in found.legend.items()), style="dim")
        )
    return table


# -- what it depends on -------------------------------------------------------------------------------


def _repairs(repairs: Repairs | None) -> RenderableType | None:
    if repairs is None:
        return None
    kinds = either([KINDS[kind] for kind in repairs.kinds])
    if not repairs.sets:
        tried = (
            f"no set of fewer than {repairs.size} is enough" if repairs.size > 1 else "nothing was found yet"
        )
        return Text(f"{tried}; the search was stopped")
    if repairs.size == 1:
        text = "Take away any one of these, and it is defensible."
        text += f" No other single {kinds} is enough." if repairs.complete else " Others may do too."
    else:
        these = "both of a pair" if repairs.size == 2 else f"all {repairs.size} of a set"
        text = f"No single {kinds} is enough. Take away {these}, and it is defensible."
        text += " No other set of that size is enough." if repairs.complete else " Other sets may do too."
    lines = [Text("  and  ").join(map(_piece, chosen)) for chosen in repairs.sets]
    return Group(Text(text), *(indented(line) for line in lines))


def _piece(piece: Removal) -> Text:
    text = Text.assemble((f"{piece.kind} ", "dim"), (plain(piece.name), "bold"))
    if piece.becomes:
        text.append(f" becomes {plain(piece.becomes)}")
    return text


def _margins(found: Explanation) -> RenderableType | None:
    table = Table.grid(padding=(0, 2))
    for _ in range(2):
        table.add_column()
    for margin in found.margins:
        if margin.value is None and margin.never:
            continue
        table.add_row(
            Text(plain(_bound(margin)), style="bold"), Text(plain(_reach(margin, found.defensible)))
        )
    for clause in found.unmoved if found.defensible else ():
        table.add_row(Text(plain(clause.clause), style="dim"), Text(plain(clause.reason), style="dim"))
    return table if table.row_count else None


def _bound(margin: Margin) -> str:
    return margin.bound if margin.value is not None else margin.bound.replace("<= k", "without limit")


def _reach(margin: Margin, defensible: bool) -> str:
    if margin.note and margin.holds is None and margin.fails is None:
        return f"not known: {margin.note}"
    if margin.always:
        return (
            "holds whatever the number: no limit is needed here"
            if defensible
            else "holds whatever the number"
        )
    if margin.never:
        return "no number here would be enough"
    if margin.strictest:
        verb = "holds up to" if defensible else "would hold at"
        if margin.holds == margin.bound:
            return "holds, and is as strict as it can be"
        return f"{verb} {margin.holds}, as strict as it can be"
    if margin.fails is None:
        return f"holds at least up to {margin.holds}; {margin.note}"
    if margin.holds is None:
        return f"still lost at {margin.fails}; {margin.note}"
    if defensible:
        return f"holds up to {margin.holds}; at {margin.fails} no more{_within(margin.fails_within)}"
    return f"would hold at {margin.holds}" + (
        "" if margin.fails == margin.bound else f", not yet at {margin.fails}"
    )


def _within(moves: int | None) -> str:
    if moves is None:
        return ""
    if moves == 0:
        return ": the start violates it already"
    return f": the adversary wins within {counted(moves, 'move')}"


# -- safe play ----------------------------------------------------------------------------------------


def _tight(tight: TightSpots | None) -> RenderableType | None:
    if tight is None:
        return None
    only = "only " if tight.n_permitted < tight.n_actions else ""
    verb = "is" if tight.n_permitted == 1 else "are"
    actions = f"{only}{tight.n_permitted} of {tight.n_actions} actions {verb} permitted"
    n_positions, n_searched = count(tight.n_positions), count(tight.n_searched)
    text = f"At {n_positions} of the {n_searched} defender positions of safe play {actions}."
    if tight.examples and len(tight.examples) < tight.n_positions:
        if tight.examples[0].play is None:
            text += " One of them:"
        else:
            text += " The nearest:" if len(tight.examples) == 1 else f" The {len(tight.examples)} nearest:"
    parts: list[RenderableType] = [Text(text)]
    for spot in tight.examples:
        parts += [Text(""), _spot(spot)]
    return Group(*parts)


def _spot(spot: Spot) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("state", Text(plain(spot.state)))
    table.add_row("after", Text(plain(_play(spot.play))))
    totals = Counter(kind_of(action) for f in spot.forbidden for action in f.actions)
    totals += Counter(map(kind_of, spot.permitted))
    table.add_row("permitted", Text(plain(gathered(spot.permitted, totals)), style=SAFE))
    largest = max((len(group.actions) for group in spot.forbidden), default=0)
    groups = sorted(spot.forbidden, key=lambda group: (len(group.actions) == largest, group.rank))
    for i, group in enumerate(groups):
        actions = Text(plain(gathered(group.actions, totals, group is groups[-1])), style=LOST)
        table.add_row("forbidden" if i == 0 else "", Text.assemble(actions, (f": {plain(group.reason)}", "")))
    return table


def _play(play: tuple[Move, ...] | None) -> str:
    if play is None:
        return "a play that was not looked for to the end"
    moves = [f"{move.mover} {move.action}" for move in play]
    if len(moves) > MAX_MOVES:
        left_out = f"… {len(moves) - 2 * MOVES_SHOWN} moves (--json lists them) …"
        moves = [*moves[:MOVES_SHOWN], left_out, *moves[-MOVES_SHOWN:]]
    return ", ".join(moves) or "no move: it is the start"


def _approach(approach: Approach | None) -> RenderableType | None:
    if approach is None:
        return None
    parts: list[RenderableType] = [Text(_nearness(approach))]
    if approach.threats:
        table = Table.grid(padding=(0, 2))
        for threat in approach.threats:
            table.add_row(
                Text(plain(threat.clause)), Text(f"at {count(threat.n_positions)} of them", style="dim")
            )
        parts.append(indented(table))
    if approach.example is not None:
        example = approach.example
        first = "First after" if example.play is not None else "For instance after"
        parts.append(Text(f"{first}: {plain(_play(example.play))} ({plain(example.state)})."))
    if approach.by_waiting and approach.n_waiting_loses > approach.n_positions:
        parts.append(Text(f"Doing nothing loses, sooner or later, at {count(approach.n_waiting_loses)}."))
    for extent in approach.extents:
        run = f"in safe play it runs from {extent.least} to {extent.greatest}"
        text = f"A clause speaks of {extent.bound}; {run}."
        parts.append(Text(plain(text)))
    return Group(*parts)


def _nearness(approach: Approach) -> str:
    if approach.moves is None:
        return "No single wrong move lets the adversary win."
    wrong = (
        "the defender does nothing there"
        if approach.by_waiting
        else "the defender makes one wrong move there"
    )
    then = "the very next move of the adversary violates" if approach.moves == 1 else "the adversary wins"
    later = "" if approach.moves == 1 else f" within {counted(approach.moves, 'move')}"
    where = f"At {count(approach.n_positions)} of {count(approach.n_searched)} defender positions"
    return f"{where}, if {wrong}, {then}{later}" + (":" if approach.threats else ".")


def _partial(partial: tuple[str, ...]) -> RenderableType | None:
    return Group(*(Text(plain(part), style="yellow") for part in partial)) if partial else None
