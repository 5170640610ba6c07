"""The attacks by name, what is wrong with a case in words, and smaller cases of which the same is true."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fuzzing import command_lines, damaged_files, edited_files, literal_rules, verdicts
from fuzzing.complaints import Complaint, complaint_of

Case = dict[str, Any]


@dataclass(frozen=True)
class Attack:
    """One kind of case.

    Attributes:
        make: a case from a stream of random numbers.
        judge: raises what is wrong with a case; says in a few words what it was.
        share: how much of the time it gets, beside the others.
    """

    make: Callable[[random.Random], Case]
    judge: Callable[[Case], list[str]]
    share: float = 1.0


ATTACKS = {
    "formulas": Attack(literal_rules.make_formula, literal_rules.judge_formula, 0.5),
    "segments": Attack(literal_rules.make_segment, literal_rules.judge_segment),
    "models": Attack(literal_rules.make_model, literal_rules.judge_model, 0.5),
    "verdicts": Attack(verdicts.make, verdicts.judge, 3.0),
    "mutants": Attack(damaged_files.make_mutant, damaged_files.judge_mutant, 1.5),
    "imports": Attack(damaged_files.make_import, damaged_files.judge_import, 0.5),
    "forgeries": Attack(damaged_files.make_forgery, damaged_files.judge_forgery),
    "archives": Attack(damaged_files.make_archive, damaged_files.judge_archive, 0.5),
    "edits": Attack(edited_files.make, edited_files.judge, 0.5),
    "commands": Attack(command_lines.make, command_lines.judge, 2.0),
}


def case_of(attack: str, seed: int, number: int) -> Case:
    """The case of that number; the same for the same seed."""
    return ATTACKS[attack].make(random.Random(f"{seed} {attack} {number}"))


def judged(attack: str, case: Case) -> tuple[list[str], Complaint | None]:
    """What a case was, and what is wrong with it."""
    try:
        return ATTACKS[attack].judge(case), None
    except Exception as error:
        return [], complaint_of(error)


# -- smaller cases ------------------------------------------------------------------------------------


def smaller(attack: str, case: Case, mark: str, seconds: float) -> Case:
    """The case with as much taken away as can be, one piece after the other, while the same is wrong with it."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in reductions(case):
            if time.monotonic() > end:
                return case
            complaint = judged(attack, candidate)[1]
            if complaint is not None and complaint.mark == mark:
                case, progress = candidate, True
                break
    return case


def reductions(value: Any) -> Iterator[Any]:
    """Smaller values: large pieces are taken away first, then what is inside is made smaller."""
    if isinstance(value, str):
        pieces = value.splitlines(keepends=True)
        if len(pieces) > 1:
            yield from ("".join(rest) for rest in _without_pieces(pieces))
        yield from ("".join(rest) for rest in _without_pieces(list(value)))
    elif isinstance(value, list):
        yield from _without_pieces(value)
        for i, item in enumerate(value):
            yield from ([*value[:i], less, *value[i + 1 :]] for less in reductions(item))
    elif isinstance(value, dict):
        largest = sorted(value, key=lambda key: -len(json.dumps(value[key])))
        for key in largest:
            yield {k: v for k, v in value.items() if k != key}
        for key, item in sorted(value.items(), key=lambda entry: largest.index(entry[0])):
            yield from ({**value, key: less} for less in reductions(item))


def _without_pieces(items: list[Any]) -> Iterator[list[Any]]:
    """The list without a half of it, a quarter, …, a single item."""
    size = len(items) // 2
    while size >= 1:
        for start in range(0, len(items), size):
            if size < len(items):
                yield items[:start] + items[start + size :]
        size //= 2
    if len(items) == 1:
        yield []
