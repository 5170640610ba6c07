"""An explanation on the terminal: the attack as a tree or the tight spots, and what would change it."""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from holdfast.explain import Explanation
from holdfast.explain.lines import Line, Reply, Step
from holdfast.explain.margins import Margin
from holdfast.explain.repairs import Piece, Repairs
from holdfast.explain.spots import Approach, Spot, TightSpots
from holdfast.explain.words import Move
from holdfast.report.terminal import WIDTH, plain

MAX_STEPS = 30
MAX_NESTED = 5
"""Steps inside each other, past which the tree goes on in a new one."""

MAX_LISTED, FEW = 6, 3
SAFE, LOST = "green", "red"
KINDS = {"link": "link", "action": "adversary action", "budget": "unit of a budget", "clause": "clause"}


def explanation_text(explanation: Explanation, source: str) -> str:
    """The answer of ``explain``, styled if standard output is a terminal."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    console = Console(file=text, force_terminal=sys.stdout.isatty(), width=width, highlight=False)
    print_explanation(console, explanation, source)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_explanation(console: Console, explanation: Explanation, source: str) -> None:
    """Print an explanation for a person."""
    found = explanation
    title = found.name + (f" · {found.variant}" if found.variant else "")
    console.print()
    console.print(Text(plain(title), style="bold"), Text(f"({plain(source)})", style="dim"))
    console.print()
    console.print(_verdict(found))
    console.print()
    console.print(_indented(_question(found)))
    parts: tuple[tuple[str, RenderableType | None], ...] = (
        ("How a violation is forced", _line(found.line)),
        ("First moves that win for the adversary", _first_moves(found)),
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
            console.print(_indented(part))
    console.print()
    footer = f"{_count(found.positions)} positions · {found.engine} engine · {found.seconds:.2f} s"
    console.print(Text(f"  {footer}", style="dim"))


def _indented(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2))


def _verdict(found: Explanation) -> Text:
    if found.defensible:
        how = "A defense exists against every admissible adversary."
        return Text.assemble(("  DEFENSIBLE  ", "bold black on green"), (f"  {how}", "bold"))
    how = (
        "The initial state already violates the requirement."
        if found.rank == 0
        else f"The adversary forces a violation within {_moves(found.rank)}, whatever the defender does."
    )
    return Text.assemble(("  NOT DEFENSIBLE  ", "bold white on red"), (f"  {how}", "bold"))


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


# -- the line -----------------------------------------------------------------------------------------


def _line(line: Line | None) -> Group | None:
    """The steps as a tree; a step that is told already, or too deep, is referred to by its number."""
    if line is None or not line.steps:
        return None
    steps = {step.number: step for step in line.steps}
    printer = _Steps(steps)
    parts: list[RenderableType] = []
    if line.opening:
        root = Tree(Text("the defender begins", style="dim"), guide_style="dim")
        printer.add_replies(root, line.opening, 1)
        parts.append(root)
    waiting = [] if line.opening else [1]
    while waiting or printer.deferred:
        waiting += [number for number in printer.deferred if number not in printer.told]
        printer.deferred.clear()
        if not waiting:
            break
        number = waiting.pop(0)
        if number in printer.told:
            continue
        if len(printer.told) >= MAX_STEPS:
            break
        root = Tree("", hide_root=True, guide_style="dim")
        printer.add_step(root, number, 1)
        parts.append(root)
    left = len(steps) - len(printer.told)
    if left:
        parts.append(Text(f"… {left} more step{'s' if left > 1 else ''}; --json lists them all", style="dim"))
    return Group(*parts)


class _Steps:
    """Steps of a line, each told once."""

    def __init__(self, steps: dict[int, Step]) -> None:
        self.steps = steps
        self.told: set[int] = set()
        self.deferred: list[int] = []

    def add_step(self, parent: Tree, number: int, depth: int) -> None:
        step = self.steps[number]
        self.told.add(number)
        text = Text.assemble(
            (f"{number}  ", "bold"),
            ("adversary ", "dim"),
            (plain(step.action), "bold red"),
            (f"  {plain(step.change)}" if step.change else "  (nothing changes)", ""),
        )
        node = parent.add(text)
        if step.violates:
            more = f" (one of {step.n_positions} states)" if step.n_positions > 1 else ""
            node.add(_violation(step.violates, step.after + more))
        self.add_replies(node, step.replies, depth)

    def add_replies(self, node: Tree, replies: tuple[Reply, ...], depth: int) -> None:
        totals = Counter(_kind(action) for reply in replies for action in reply.actions)
        for reply in replies:
            fresh = reply.step if reply.step not in self.told else None
            if fresh is not None and (depth >= MAX_NESTED or len(self.told) >= MAX_STEPS):
                self.deferred.append(fresh)
                fresh = None
            child = node.add(self.reply(reply, totals, reply is replies[-1]))
            if reply.violates:
                child.add(_violation(reply.violates, reply.state))
            if fresh is not None:
                self.add_step(child, fresh, depth + 1)

    def reply(self, reply: Reply, totals: Counter[str], last: bool) -> Text:
        actions = _gathered(reply.actions, totals, last and len(totals) > 1)
        text = Text.assemble(("defender ", "dim"), (plain(actions), "green"))
        if len(reply.actions) > 1:
            text.append(f"  {len(reply.actions)} replies", style="dim")
        if reply.step in self.told or reply.step in self.deferred:
            text.append(f"  go to {reply.step}", style="bold")
        elif reply.step is None and not reply.violates:
            text.append(f"  lost within {_moves(reply.rank)}, not followed", style="dim")
        return text


def _violation(clauses: tuple[str, ...], state: str) -> Text:
    return Text.assemble((f"violates {_quoted(clauses)}", "bold red"), (f"  in {plain(state)}", "dim"))


def _first_moves(found: Explanation) -> RenderableType | None:
    if not found.first_moves:
        return None
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column()
    for move in found.first_moves[:MAX_STEPS]:
        table.add_row(
            Text(plain(_gathered(move.actions)), style="red"),
            Text(plain(move.change) or "nothing changes"),
            Text(f"violation within {_moves(move.rank)}", style="dim"),
        )
    n_winning = sum(len(move.actions) for move in found.first_moves)
    other = found.n_first_moves - n_winning
    note = f"{other} other first moves do not win" if other else "every first move wins"
    return Group(table, Text(note, style="dim"))


# -- what it depends on -------------------------------------------------------------------------------


def _repairs(repairs: Repairs | None) -> RenderableType | None:
    if repairs is None:
        return None
    kinds = _either([KINDS[kind] for kind in repairs.kinds])
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
    lines = [Text("  and  ", style="dim").join(map(_piece, chosen)) for chosen in repairs.sets]
    return Group(Text(text), *(Padding(line, (0, 0, 0, 2)) for line in lines))


def _piece(piece: Piece) -> Text:
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
    within = (
        f": the adversary wins within {_moves(margin.fails_within)}"
        if margin.fails_within is not None
        else ""
    )
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
    if margin.fails is None:
        return f"holds at least up to {margin.holds}; {margin.note}"
    if margin.holds is None:
        return f"still lost at {margin.fails}; {margin.note}"
    if defensible:
        return f"holds up to {margin.holds}; at {margin.fails} no more{within}"
    return f"would hold at {margin.holds}" + (
        "" if margin.fails == margin.bound else f", not yet at {margin.fails}"
    )


# -- safe play ----------------------------------------------------------------------------------------


def _tight(tight: TightSpots | None) -> RenderableType | None:
    if tight is None:
        return None
    only = "only " if tight.n_permitted < tight.n_actions else ""
    verb = "is" if tight.n_permitted == 1 else "are"
    where = "defender positions of safe play" if tight.whole else "defender positions that were looked at"
    text = (
        f"At {tight.n_positions:,} of the {tight.n_searched:,} {where} {only}{tight.n_permitted} of "
        f"{tight.n_actions} actions {verb} permitted."
    )
    if len(tight.examples) < tight.n_positions:
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
    totals = Counter(_kind(action) for f in spot.forbidden for action in f.actions)
    totals += Counter(map(_kind, spot.permitted))
    table.add_row("permitted", Text(plain(_gathered(spot.permitted, totals)), style=SAFE))
    largest = max((len(group.actions) for group in spot.forbidden), default=0)
    groups = sorted(spot.forbidden, key=lambda group: (len(group.actions) == largest, group.rank))
    for i, group in enumerate(groups):
        actions = Text(plain(_gathered(group.actions, totals, group is groups[-1])), style=LOST)
        table.add_row("forbidden" if i == 0 else "", Text.assemble(actions, (f": {plain(group.reason)}", "")))
    return table


def _play(play: tuple[Move, ...]) -> str:
    return ", ".join(f"{move.mover} {move.action}" for move in play) or "no move: it is the start"


def _approach(approach: Approach | None) -> RenderableType | None:
    if approach is None:
        return None
    parts: list[RenderableType] = [Text(_nearness(approach))]
    if approach.threats:
        table = Table.grid(padding=(0, 2))
        for threat in approach.threats:
            table.add_row(Text(plain(threat.clause)), Text(f"at {threat.n_positions:,} of them", style="dim"))
        parts.append(Padding(table, (0, 0, 0, 2)))
    if approach.example is not None:
        example = approach.example
        parts.append(Text(f"First after: {plain(_play(example.play))} ({plain(example.state)})."))
    if approach.by_waiting and approach.n_waiting_loses > approach.n_positions:
        parts.append(Text(f"Doing nothing loses, sooner or later, at {approach.n_waiting_loses:,}."))
    for extent in approach.extents:
        text = f"Required is {extent.bound}; in safe play it runs from {extent.least} to {extent.greatest}."
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
    later = "" if approach.moves == 1 else f" within {_moves(approach.moves)}"
    where = f"At {approach.n_positions:,} of {approach.n_searched:,} defender positions"
    return f"{where}, if {wrong}, {then}{later}" + (":" if approach.threats else ".")


def _partial(partial: tuple[str, ...]) -> RenderableType | None:
    return Group(*(Text(plain(part), style="yellow") for part in partial)) if partial else None


# -- words --------------------------------------------------------------------------------------------


def _kind(action: str) -> str:
    return action.partition("(")[0]


def _gathered(actions: tuple[str, ...], totals: Counter[str] | None = None, last: bool = False) -> str:
    """``any noop or monitor; isolate(DB, BK)``: actions of a kind together.

    Args:
        actions: the names.
        totals: how many actions of each kind there are in all.
        last: whether these are what is left after others have been told.
    """
    targets: dict[str, list[str]] = {}
    for action in actions:
        kind, _, target = action.partition("(")
        targets.setdefault(kind, []).append(target.removesuffix(")"))
    whole = [k for k, own in targets.items() if totals is not None and 1 < len(own) == totals[k]]
    parts = [f"any {_either(whole)}"] if whole else []
    for kind, own in targets.items():
        if kind not in whole:
            shown = ", ".join(own[:MAX_LISTED]) + (f", … {len(own)} in all" if len(own) > MAX_LISTED else "")
            parts.append(f"{kind}({shown})" if any(own) else kind)
    return "anything else" if last and len(parts) > 1 and len(actions) > FEW else "; ".join(parts)


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _quoted(clauses: tuple[str, ...]) -> str:
    return " and ".join(f"“{plain(clause)}”" for clause in clauses)


def _moves(n: int | None) -> str:
    return "1 move" if n == 1 else f"{n} moves"


def _count(number: int) -> str:
    if number < 10**15:
        return f"{number:,}"
    digits = str(number)
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
