"""Why a design is lost with what is seen: what it looks like, what may be the case, what fails then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from holdfast.explanation import FailedActions, Fog, FogStep
from holdfast.game import counted, listed
from holdfast.logic import action_type
from holdfast.report.blocks import Block, Facts, Phrase, Prose, Span, quiet
from holdfast.report.documents.attack_tree import gathered

MAX_TOLD = 8
"""Steps that are shown."""
ALL_SEEN = "Everything below is about a defender who sees everything."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def fog_blocks(fog: Fog | None) -> tuple[Block, ...]:
    """The steps, each with what is seen, the cases, and why every action fails for one of them."""
    return () if fog is None else tuple(_told(fog))


def _told(fog: Fog) -> Iterator[Block]:
    there = f"With sensors at {listed(fog.sensors)} alone" if fog.sensors else "Without any sensor"
    yield Prose(
        f"{there} the defender cannot distinguish cases that call for different actions. Whatever it "
        f"does is wrong in one of them."
    )
    if fog.opening:
        yield Prose(f"The adversary may begin with {listed(list(fog.opening), 'or')}.")
    for step in fog.steps[:MAX_TOLD]:
        yield _step(step, alone=len(fog.steps) == 1)
    left = len(fog.steps) - MAX_TOLD
    if left > 0 or not fog.complete:
        more = counted(left, "step") if left > 0 else "steps"
        others = "; --json has them" if fog.complete else ", and others that were not shown"
        yield Prose(quiet(f"… {more} more{others}"))
    yield Prose(quiet(ALL_SEEN))


def _step(step: FogStep, alone: bool) -> Facts:
    totals = Counter(action_type(action) for group in step.failing for action in group.actions)
    items: list[tuple[Phrase, Phrase]] = [
        ("it looks like this" if alone else f"step {step.number}: it looks", step.seen)
    ]
    for letter, case in zip(_letters(step), step.cases, strict=True):
        items.append((f"case {letter}" if letter else "what is really true", case))
    if step.common:
        items.append(("in every case", step.common))
    groups = sorted(step.failing, key=lambda group: (len(group.actions), group.case or 0))
    for group in groups:
        last = group is groups[-1] and len(groups) > 1
        actions = gathered(group.actions, totals, last)
        items.append(((Span(actions, "strong"),), _why(step, group)))
    return Facts(tuple(items))


def _letters(step: FogStep) -> list[str]:
    """What the cases are called; nothing where there is only one."""
    if len(step.cases) == 1:
        return [""]
    return [LETTERS[n] if n < len(LETTERS) else str(n + 1) for n in range(len(step.cases))]


def _why(step: FogStep, group: FailedActions) -> str:
    if group.case is not None:
        letter = _letters(step)[group.case - 1]
        return f"fails in case {letter}: {group.reason}" if letter else f"fails: {group.reason}"
    may = f"the adversary may have played {listed(list(group.unseen), 'or')}" if group.unseen else ""
    return f"leads to step {group.step}: {group.seen}" + (f"; {may}" if may else "")
