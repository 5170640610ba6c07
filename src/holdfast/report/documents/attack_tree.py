"""A forced line as a line of text, and as a tree of moves and replies.

A reply that loses sooner than doing nothing hurts the defender alone, and is *folded*: an attack has nothing
to teach by it. Terminal and Markdown keep such a branch closed, a page can open it, ``--json`` has all steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from holdfast.explanation import AttackStep, FirstMove, ForcedLine, Reply
from holdfast.game import counted, listed
from holdfast.logic import action_target, action_type
from holdfast.report import blocks
from holdfast.report.blocks import Block, Branch, Facts, Phrase, Points, Prose, Span, quiet

MAX_MOVES, MOVES_SHOWN = 16, 5
"""Moves of a play up to which all are shown, and how many of either end are shown past that."""

MAX_STEPS, MAX_NESTED = 30, 5
"""Steps of a tree, and steps inside each other, past which the tree goes on in a new one."""

MAX_LISTED, FEW = 6, 3


def attack_line(line: ForcedLine | None) -> tuple[Span, ...]:
    """What the adversary does against the longest resistance, and what that violates; empty without steps."""
    if line is None or not line.steps:
        return ()
    moves, violates = abridged([step.action for step in _resisted(line)]), violated_by(line)
    end = Span(": " + _violated(violates)) if violates else Span(", and on")
    return Span(", ".join(moves), "bad"), end


def attack_told(line: ForcedLine | None) -> tuple[Block, ...]:
    """The attack against the longest resistance, a sentence for each step; of a long one not the middle."""
    if line is None or not line.steps:
        return ()
    told, violates = [step.sentence + _answered(step) for step in _resisted(line)], violated_by(line)
    end = f"This {_violated(violates)}." if violates else "And so on."
    moves = numbered(told, MAX_MOVES, MOVES_SHOWN, MOVES_SHOWN, _left_out(told))
    return *moves, Prose((Span(end, "bad"),))


def numbered(moves: Sequence[Phrase], most: int, begin: int, end: int, left_out: str) -> tuple[Block, ...]:
    """Moves with their numbers; of more than ``most`` those at either end, and what says how many are not."""
    if len(moves) <= most:
        return (Points(tuple(moves), first=1),)
    last = Points(tuple(moves[-end:]), first=len(moves) - end + 1)
    return Points(tuple(moves[:begin]), first=1), Prose(quiet(left_out)), last


def _answered(step: AttackStep) -> str:
    """What comes of the best that the defender can do now, as a sentence after another one."""
    if not step.replies:
        return ""
    *others, best = (reply.actions for reply in step.replies)
    if not others:
        return " No answer stops it."
    if len(best) == 1:
        return f" Even the best answer, {best[0]}, only delays it."
    n_all = len(best) + sum(map(len, others))
    return f" Even the best {len(best)} of {n_all} answers only delay it."


def violated_by(line: ForcedLine | None) -> tuple[str, ...]:
    """The clauses that an attack violates in the end, against the longest resistance; empty if it is cut."""
    if line is None or not line.steps:
        return ()
    *_, last = _resisted(line)
    return last.replies[-1].violates if last.replies else last.violates


def abridged(moves: list[str]) -> list[str]:
    """A play, its middle left out where it is long."""
    if len(moves) <= MAX_MOVES:
        return moves
    return [*moves[:MOVES_SHOWN], _left_out(moves), *moves[-MOVES_SHOWN:]]


def _left_out(moves: Sequence[str]) -> str:
    return f"… {len(moves) - 2 * MOVES_SHOWN} moves (--json lists them) …"


def attack(line: ForcedLine | None) -> tuple[Block, ...]:
    """The steps as a tree; where they are many, the longest resistance alone."""
    if line is None or not line.steps:
        return ()
    tree = _Steps(line)
    return _longest(line) if len(tree.visible) > MAX_STEPS else (blocks.Tree(tree.branches()),)


def folded_attack(line: ForcedLine, lead: str) -> blocks.Tree:
    """An attack as an aside: its line, and the tree below it where that can be opened."""
    tree = _Steps(line)
    below = tree.branches() if line.steps and len(tree.visible) <= MAX_STEPS else ()
    return blocks.Tree((Branch((Span(lead), *attack_line(line)), below, folded=True),))


def _resisted(line: ForcedLine) -> Iterator[AttackStep]:
    """The steps against the replies that resist longest."""
    steps = {step.number: step for step in line.steps}
    number = line.opening[-1].step if line.opening else 1
    while number is not None:
        yield (step := steps[number])
        number = step.replies[-1].step if step.replies else None


class _Steps:
    """Steps of a line, each told once; one that is told already, or too deep, is named by its number.

    What is folded tells no step that is told in the open as well.
    """

    def __init__(self, line: ForcedLine) -> None:
        self.opening = line.opening
        self.steps = {step.number: step for step in line.steps}
        self.visible = self.unfolded()
        self.whole = len(self.steps) <= MAX_STEPS
        self.told: set[int] = set()
        self.deferred: list[int] = [] if line.opening else [1]

    def unfolded(self) -> set[int]:
        """The steps that are met without opening what is folded."""
        open_steps: set[int] = set()
        replies = list(self.opening) or [Reply((), 0, step=1)]
        while replies:
            reply = replies.pop()
            if reply.step in self.steps and reply.step not in open_steps and not reply.sooner:
                open_steps.add(reply.step)
                replies += self.steps[reply.step].replies
        return open_steps

    def branches(self) -> tuple[Branch, ...]:
        begins = quiet("the defender begins")
        branches = [Branch(begins, self.replies(self.opening, 1, False))] if self.opening else []
        while self.deferred:
            number = self.deferred.pop(0)
            if number not in self.told:
                branches.append(self.step(number, 1, False))
        return tuple(branches)

    def step(self, number: int, depth: int, hidden: bool) -> Branch:
        step = self.steps[number]
        self.told.add(number)
        line = (
            Span(f"{step.number}  ", "strong"),
            Span("adversary ", "quiet"),
            Span(step.action, "bad"),
            Span(f"  {step.change}" if step.change else "  (nothing changes)"),
        )
        if not step.violates:
            return Branch(line, self.replies(step.replies, depth, hidden))
        more = f" (one of {step.n_positions} states)" if step.n_positions > 1 else ""
        return Branch(line, (Branch(_violation(step.violates, step.after + more)),))

    def replies(self, replies: tuple[Reply, ...], depth: int, hidden: bool) -> tuple[Branch, ...]:
        """A branch for each reply; what loses sooner than doing nothing is folded, by rank."""
        totals = Counter(action_type(action) for reply in replies for action in reply.actions)
        branches = []
        for (rank, sooner), same in groupby(replies, lambda reply: (reply.rank, reply.sooner)):
            alike = list(same)
            if not sooner:
                branches += [
                    self.reply(reply, totals, depth, hidden, reply is replies[-1]) for reply in alike
                ]
                continue
            actions = [action for reply in alike for action in reply.actions]
            line = (*_answer(actions, totals), Span(f"  {_loss(rank, alike)}", "quiet"))
            below = [self.reply(reply, totals, depth, True) for reply in alike] if self.whole else []
            branches.append(Branch(line, below[0].branches if len(below) == 1 else tuple(below), folded=True))
        return tuple(branches)

    def reply(
        self, reply: Reply, totals: Counter[str], depth: int, hidden: bool, last: bool = False
    ) -> Branch:
        fresh = reply.step if reply.step not in self.told else None
        if hidden and fresh in self.visible:
            fresh = None
        elif not hidden and fresh is not None and depth >= MAX_NESTED:
            self.deferred.append(fresh)
            fresh = None
        line = [*_answer(reply.actions, totals, last)]
        if reply.step is not None and fresh is None:
            line.append(Span(f"  go to {reply.step}", "strong"))
        elif reply.step is None and not reply.violates:
            line.append(Span(f"  lost within {counted(reply.rank, 'move')}, not shown", "quiet"))
        after = [Branch(_violation(reply.violates, reply.state))] if reply.violates else []
        after += [self.step(fresh, depth + 1, hidden)] if fresh is not None else []
        return Branch(tuple(line), tuple(after))


def _answer(actions: Sequence[str], totals: Counter[str], last: bool = False) -> Iterator[Span]:
    """Replies in words, and how many they are; ``last`` are all that were not told yet."""
    names = gathered(actions, totals, last and len(totals) > 1)
    yield Span("defender ", "quiet")
    yield Span("any reply" if 1 < len(actions) == totals.total() else names, "good")
    if len(actions) > 1:
        yield Span(f"  {len(actions)} replies", "quiet")


def _loss(rank: int, replies: list[Reply]) -> str:
    """How replies that lose sooner than doing nothing lose."""
    if rank:
        return f"lost within {counted(rank, 'move')}, sooner than by doing nothing"
    clauses = {reply.violates for reply in replies}
    return _violated(clauses.pop()) if len(clauses) == 1 else "violates at once"


def _violated(clauses: tuple[str, ...]) -> str:
    return "violates " + " and ".join(f"“{clause}”" for clause in clauses)


def _violation(clauses: tuple[str, ...], state: str) -> tuple[Span, ...]:
    return Span(_violated(clauses), "bad"), Span(f"  in {state}", "quiet")


def _longest(line: ForcedLine) -> tuple[Block, ...]:
    """The replies that resist longest, one after the other."""
    steps = list(_resisted(line))
    shown, rest = steps[:MAX_STEPS], steps[MAX_STEPS:]
    rows = tuple((str(step.number), step.action, step.change, *_resistance(step)) for step in shown)
    last = shown[-1].replies[-1] if shown[-1].replies else None
    end: Phrase = ""
    if rest:
        end = quiet(f"… and within {counted(rest[0].rank, 'move')} more")
    elif last is None:
        end = _violation(shown[-1].violates, shown[-1].after)
    elif last.violates:
        end = _violation(last.violates, last.state)
    head = f"The attack has {len(line.steps):,} steps. This is the longest resistance; --json lists all."
    columns = tuple(map(blocks.words, ("step", "adversary", "what changes", "longest reply", "any other")))
    title = "The attack against the longest resistance, step by step"
    return (
        Prose(head),
        blocks.Table(title, columns, rows, sortable=False),
        *([Prose(end)] if end else []),
    )


def _resistance(step: AttackStep) -> tuple[str, str]:
    """The reply that resists longest, and how soon any other loses."""
    if not step.replies:
        return "", ""
    if len(step.replies) == 1:
        return "any", ""
    totals = Counter(action_type(action) for reply in step.replies for action in reply.actions)
    sooner = step.replies[-2].rank
    best = gathered(step.replies[-1].actions, totals)
    return best, f"lost within {counted(sooner, 'move')}" if sooner else "violates at once"


def first_moves(moves: tuple[FirstMove, ...], n_all: int) -> tuple[Block, ...]:
    """The adversary's first moves that win, the quickest first, and how many do not."""
    if not moves:
        return ()
    items: list[tuple[Phrase, Phrase]] = []
    for rank, same in groupby(moves, lambda move: move.rank):
        alike = list(same)
        actions = [action for move in alike for action in move.actions]
        change = [Span(f"{alike[0].change or 'nothing changes'}  ")] if len(alike) == 1 else []
        soon = Span(f"violation within {counted(rank, 'move')}", "quiet")
        items.append(((Span(gathered(actions), "bad"),), (*change, soon)))
    other = n_all - sum(len(move.actions) for move in moves)
    do = "does" if other == 1 else "do"
    note = f"{counted(other, 'other first move')} {do} not win" if other else "every first move wins"
    return Facts(tuple(items)), Prose(quiet(note))


def gathered(actions: Sequence[str], totals: Counter[str] | None = None, last: bool = False) -> str:
    """``any noop or monitor; isolate(DB, BK)``: actions of a kind together.

    ``totals`` says how many of each kind there are in all; ``last`` are what is left after others were told.
    """
    targets: dict[str, list[str]] = {}
    for action in actions:
        targets.setdefault(action_type(action), []).append(action_target(action))
    whole = [k for k, own in targets.items() if totals is not None and 1 < len(own) == totals[k]]
    parts = [f"any {listed(whole, 'or')}"] if whole else []
    for kind, own in targets.items():
        if kind not in whole:
            shown = ", ".join(own[:MAX_LISTED]) + (f", … {len(own)} in all" if len(own) > MAX_LISTED else "")
            parts.append(f"{kind}({shown})" if any(own) else kind)
    if last and len(parts) > 1 and len(actions) > FEW:
        return "anything else"
    more = [f"… {len(actions)} in all"] if len(parts) > MAX_LISTED else []
    return "; ".join([*parts[:MAX_LISTED], *more])
