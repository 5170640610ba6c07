"""A forced attack as blocks: the line as a tree, the first moves that win, actions in words."""

from __future__ import annotations

from collections import Counter

from holdfast.explanation.lines import AttackStep, FirstMove, ForcedLine, Reply
from holdfast.numerals import counted, listed
from holdfast.report.blocks import Block, Branch, Cell, Facts, Phrase, Prose, Span, Table, Tree, quiet, words

MAX_STEPS = 30
MAX_NESTED = 5
"""Steps inside each other, past which the tree goes on in a new one."""

MAX_LISTED, FEW = 6, 3


def attack(line: ForcedLine | None) -> tuple[Block, ...]:
    """The steps as a tree or, where they are many, the longest resistance alone."""
    if line is None or not line.steps:
        return ()
    steps = {step.number: step for step in line.steps}
    return (_tree(line, steps),) if len(steps) <= MAX_STEPS else _longest(line, steps)


def _tree(line: ForcedLine, steps: dict[int, AttackStep]) -> Tree:
    """Every step once; one that is told already, or too deep, is referred to by its number."""
    teller, found = _Steps(steps), list[Branch]()
    if line.opening:
        found.append(Branch(quiet("the defender begins"), teller.replies(line.opening, 1)))
    else:
        teller.deferred.append(1)
    while teller.deferred:
        number = teller.deferred.pop(0)
        if number not in teller.told:
            found.append(teller.step(number, 1))
    return Tree(tuple(found))


class _Steps:
    """Steps of a line, each told once."""

    def __init__(self, steps: dict[int, AttackStep]) -> None:
        self.steps = steps
        self.told: set[int] = set()
        self.deferred: list[int] = []

    def step(self, number: int, depth: int) -> Branch:
        step = self.steps[number]
        self.told.add(number)
        line = (
            Span(f"{step.number}  ", "strong"),
            Span("adversary ", "quiet"),
            Span(step.action, "bad"),
            Span(f"  {step.change}" if step.change else "  (nothing changes)"),
        )
        if not step.violates:
            return Branch(line, self.replies(step.replies, depth))
        more = f" (one of {step.n_positions} states)" if step.n_positions > 1 else ""
        return Branch(line, (Branch(_violation(step.violates, step.after + more)),))

    def replies(self, replies: tuple[Reply, ...], depth: int) -> tuple[Branch, ...]:
        totals = Counter(kind_of(action) for reply in replies for action in reply.actions)
        found = []
        for reply in replies:
            fresh = reply.step if reply.step not in self.told else None
            if fresh is not None and depth >= MAX_NESTED:
                self.deferred.append(fresh)
                fresh = None
            line = self.reply(reply, totals, reply is replies[-1])
            after = [Branch(_violation(reply.violates, reply.state))] if reply.violates else []
            after += [self.step(fresh, depth + 1)] if fresh is not None else []
            found.append(Branch(line, tuple(after)))
        return tuple(found)

    def reply(self, reply: Reply, totals: Counter[str], last: bool) -> tuple[Span, ...]:
        actions = gathered(reply.actions, totals, last and len(totals) > 1)
        if 1 < len(reply.actions) == totals.total():
            actions = "any reply"
        line = [Span("defender ", "quiet"), Span(actions, "good")]
        if len(reply.actions) > 1:
            line.append(Span(f"  {len(reply.actions)} replies", "quiet"))
        if reply.step in self.told or reply.step in self.deferred:
            line.append(Span(f"  go to {reply.step}", "strong"))
        elif reply.step is None and not reply.violates:
            line.append(Span(f"  lost within {counted(reply.rank, 'move')}, not followed", "quiet"))
        return tuple(line)


def _violation(clauses: tuple[str, ...], state: str) -> tuple[Span, ...]:
    said = " and ".join(f"“{clause}”" for clause in clauses)
    return Span(f"violates {said}", "bad"), Span(f"  in {state}", "quiet")


def _longest(line: ForcedLine, steps: dict[int, AttackStep]) -> tuple[Block, ...]:
    """The replies that resist longest, one after the other."""
    rows: list[tuple[str | Cell, ...]] = []
    number = line.opening[-1].step if line.opening else 1
    end: Phrase = ""
    while number is not None and len(rows) < MAX_STEPS:
        step = steps[number]
        best = step.replies[-1] if step.replies else None
        rows.append((str(number), step.action, step.change, *_resistance(step)))
        if best is None:
            end = _violation(step.violates, step.after)
        elif best.violates:
            end = _violation(best.violates, best.state)
        number = best.step if best is not None else None
    if number is not None:
        end = quiet(f"… and within {counted(steps[number].rank, 'move')} more")
    head = f"The attack has {len(steps):,} steps. This is the longest resistance; --json lists all."
    columns = tuple(map(words, ("step", "adversary", "what changes", "longest reply", "any other")))
    table = Table(
        "The attack against the longest resistance, step by step", columns, tuple(rows), sortable=False
    )
    return Prose(head), table, *([Prose(end)] if end else [])


def _resistance(step: AttackStep) -> tuple[str, str]:
    """The reply that resists longest, and how soon any other loses."""
    if not step.replies:
        return "", ""
    if len(step.replies) == 1:
        return "any", ""
    totals = Counter(kind_of(action) for reply in step.replies for action in reply.actions)
    sooner = step.replies[-2].rank
    best = gathered(step.replies[-1].actions, totals)
    return best, f"lost within {counted(sooner, 'move')}" if sooner else "violates at once"


def first_moves(moves: tuple[FirstMove, ...], n_all: int) -> tuple[Block, ...]:
    """The adversary's first moves that win, the quickest first, and how many others there are."""
    if not moves:
        return ()
    shown = Facts(tuple(
        (
            (Span(gathered(move.actions), "bad"),),
            (
                Span(move.change or "nothing changes"),
                Span(f"  violation within {counted(move.rank, 'move')}", "quiet"),
            ),
        )
        for move in moves[:MAX_STEPS]
    ))  # fmt: skip
    more = len(moves) - MAX_STEPS
    rest = [Prose(quiet(f"… {more:,} more"))] if more > 0 else []
    other = n_all - sum(len(move.actions) for move in moves)
    do = "does" if other == 1 else "do"
    note = f"{counted(other, 'other first move')} {do} not win" if other else "every first move wins"
    return shown, *rest, Prose(quiet(note))


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
    parts = [f"any {listed(whole, 'or')}"] if whole else []
    for kind, own in targets.items():
        if kind not in whole:
            shown = ", ".join(own[:MAX_LISTED]) + (f", … {len(own)} in all" if len(own) > MAX_LISTED else "")
            parts.append(f"{kind}({shown})" if any(own) else kind)
    return "anything else" if last and len(parts) > 1 and len(actions) > FEW else "; ".join(parts)
