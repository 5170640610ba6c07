"""A forced attack on the terminal: the line as a tree, the first moves that win, actions in words."""

from __future__ import annotations

from collections import Counter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from holdfast.explain import Explanation
from holdfast.explain.lines import AttackStep, ForcedLine, Reply
from holdfast.report.tables import counted
from holdfast.report.terminal import plain

MAX_STEPS = 30
MAX_NESTED = 5
"""Steps inside each other, past which the tree goes on in a new one."""

MAX_LISTED, FEW = 6, 3
SAFE, LOST = "green", "red"


def attack(line: ForcedLine | None) -> RenderableType | None:
    """The steps as a tree or, where they are many, the longest resistance alone."""
    if line is None or not line.steps:
        return None
    steps = {step.number: step for step in line.steps}
    return _tree(line, steps) if len(steps) <= MAX_STEPS else _longest(line, steps)


def _tree(line: ForcedLine, steps: dict[int, AttackStep]) -> Group:
    """Every step once; one that is told already, or too deep, is referred to by its number."""
    printer, parts = _Steps(steps), list[RenderableType]()
    if line.opening:
        root = Tree(Text("the defender begins", style="dim"), guide_style="dim")
        printer.add_replies(root, line.opening, 1)
        parts.append(root)
    else:
        printer.deferred.append(1)
    while printer.deferred:
        number = printer.deferred.pop(0)
        if number not in printer.told:
            root = Tree("", hide_root=True, guide_style="dim")
            printer.add_step(root, number, 1)
            parts.append(root)
    return Group(*parts)


def _longest(line: ForcedLine, steps: dict[int, AttackStep]) -> Group:
    """The replies that resist longest, one after the other."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for heading in ("", "adversary", "", "longest reply", "any other"):
        table.add_column(heading)
    number = line.opening[-1].step if line.opening else 1
    end = Text("")
    while number is not None and table.row_count < MAX_STEPS:
        step = steps[number]
        best = step.replies[-1] if step.replies else None
        table.add_row(
            str(number), Text(plain(step.action), style=LOST), plain(step.change), *_resistance(step)
        )
        end = _violation(step.violates, step.after) if best is None else Text("")
        if best is not None and best.violates:
            end = _violation(best.violates, best.state)
        number = best.step if best is not None else None
    if number is not None:
        end = Text(f"… and within {counted(steps[number].rank, 'move')} more", style="dim")
    head = f"The attack has {len(steps):,} steps. This is the longest resistance; --json lists all."
    return Group(Text(head), table, end)


def _resistance(step: AttackStep) -> tuple[Text, Text]:
    """The reply that resists longest, and how soon any other loses."""
    if not step.replies:
        return Text(""), Text("")
    totals = Counter(kind_of(action) for reply in step.replies for action in reply.actions)
    if len(step.replies) == 1:
        return Text("any", style=SAFE), Text("")
    best = Text(plain(gathered(step.replies[-1].actions, totals)), style=SAFE)
    sooner = step.replies[-2].rank
    return best, Text(f"lost within {counted(sooner, 'move')}" if sooner else "violates at once", style="dim")


def _step(step: AttackStep) -> Text:
    return Text.assemble(
        (f"{step.number}  ", "bold"),
        ("adversary ", "dim"),
        (plain(step.action), "bold red"),
        (f"  {plain(step.change)}" if step.change else "  (nothing changes)", ""),
    )


class _Steps:
    """Steps of a line, each told once."""

    def __init__(self, steps: dict[int, AttackStep]) -> None:
        self.steps = steps
        self.told: set[int] = set()
        self.deferred: list[int] = []

    def add_step(self, parent: Tree, number: int, depth: int) -> None:
        step = self.steps[number]
        self.told.add(number)
        node = parent.add(_step(step))
        if step.violates:
            more = f" (one of {step.n_positions} states)" if step.n_positions > 1 else ""
            node.add(_violation(step.violates, step.after + more))
        self.add_replies(node, step.replies, depth)

    def add_replies(self, node: Tree, replies: tuple[Reply, ...], depth: int) -> None:
        totals = Counter(kind_of(action) for reply in replies for action in reply.actions)
        for reply in replies:
            fresh = reply.step if reply.step not in self.told else None
            if fresh is not None and depth >= MAX_NESTED:
                self.deferred.append(fresh)
                fresh = None
            child = node.add(self.reply(reply, totals, reply is replies[-1]))
            if reply.violates:
                child.add(_violation(reply.violates, reply.state))
            if fresh is not None:
                self.add_step(child, fresh, depth + 1)

    def reply(self, reply: Reply, totals: Counter[str], last: bool) -> Text:
        actions = gathered(reply.actions, totals, last and len(totals) > 1)
        if 1 < len(reply.actions) == totals.total():
            actions = "any reply"
        text = Text.assemble(("defender ", "dim"), (plain(actions), "green"))
        if len(reply.actions) > 1:
            text.append(f"  {len(reply.actions)} replies", style="dim")
        if reply.step in self.told or reply.step in self.deferred:
            text.append(f"  go to {reply.step}", style="bold")
        elif reply.step is None and not reply.violates:
            text.append(f"  lost within {counted(reply.rank, 'move')}, not followed", style="dim")
        return text


def _violation(clauses: tuple[str, ...], state: str) -> Text:
    return Text.assemble((f"violates {quoted(clauses)}", "bold red"), (f"  in {plain(state)}", "dim"))


def first_moves(found: Explanation) -> RenderableType | None:
    """The adversary's first moves that win, the quickest first."""
    if not found.first_moves:
        return None
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column()
    for move in found.first_moves[:MAX_STEPS]:
        table.add_row(
            Text(plain(gathered(move.actions)), style="red"),
            Text(plain(move.change) or "nothing changes"),
            Text(f"violation within {counted(move.rank, 'move')}", style="dim"),
        )
    n_winning = sum(len(move.actions) for move in found.first_moves)
    other = found.n_first_moves - n_winning
    do = "does" if other == 1 else "do"
    note = f"{counted(other, 'other first move')} {do} not win" if other else "every first move wins"
    more = len(found.first_moves) - MAX_STEPS
    rest = [Text(f"… {more:,} more", style="dim")] if more > 0 else []
    return Group(table, *rest, Text(note, style="dim"))


# -- words --------------------------------------------------------------------------------------------


def kind_of(action: str) -> str:
    """What stands before the bracket of an action's name."""
    return action.partition("(")[0]


def gathered(actions: tuple[str, ...], totals: Counter[str] | None = None, last: bool = False) -> str:
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
    parts = [f"any {either(whole)}"] if whole else []
    for kind, own in targets.items():
        if kind not in whole:
            shown = ", ".join(own[:MAX_LISTED]) + (f", … {len(own)} in all" if len(own) > MAX_LISTED else "")
            parts.append(f"{kind}({shown})" if any(own) else kind)
    return "anything else" if last and len(parts) > 1 and len(actions) > FEW else "; ".join(parts)


def either(words: list[str]) -> str:
    """``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def quoted(clauses: tuple[str, ...]) -> str:
    """Clauses in quotation marks."""
    return " and ".join(f"“{plain(clause)}”" for clause in clauses)
