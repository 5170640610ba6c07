"""Operations that need more than the text: a number of a clause, and the changes that ``recommend`` names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

from holdfast.apps.studio.bench import Bench
from holdfast.apps.studio.drawing import name_of
from holdfast.design import NAMED, Bound, design_space, knobs_of, replaced, slug
from holdfast.errors import HoldfastError, InputError, did_you_mean
from holdfast.game import Clause, Configuration, gathered
from holdfast.logic import SafetyAutomaton, Vocabulary, compile_formula, is_included, parse_predicate
from holdfast.scenario import (
    Edit,
    Node,
    Operation,
    Path,
    Scenario,
    checked,
    data,
    edited,
    editing_of,
    free_name,
    joined,
    operations_of,
    patched_clause,
    read_yaml,
    with_variant,
)

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Numbers in the names of clauses."""


MAX_BATCH = 500
"""Operations that are done as one."""


class SetNumber(Operation):
    """Another number in a clause."""

    name: str = Field(max_length=10_000, description="as a drawing calls it")
    value: int = Field(ge=-1_000_000, le=1_000_000)


class ApplyChanges(Operation):
    """Changes of the design, as recommend names them."""

    changes: list[str] = Field(min_length=1, max_length=100, examples=[["cut GW -> DB"]])


class Batch(Operation):
    """Several operations, one after the other, as one."""

    operations: list[dict[str, Any]] = Field(min_length=1, max_length=MAX_BATCH)


SHAPES: dict[str, type[Operation]] = {"set_number": SetNumber, "apply": ApplyChanges, "batch": Batch}


def shapes(scenario: Scenario) -> dict[str, type[Operation]]:
    """The operations that there are for a scenario, by kind."""
    return {**operations_of(scenario), **SHAPES}


def operated(bench: Bench, text: str, variant: str | None, operation: Mapping[str, Any]) -> Edit:
    """The text with an operation done.

    Raises:
        InputError: for an operation that is none, or cannot be done here.
    """
    scenario = bench.scenario(text)
    match operation.get("kind"):
        case "set_number":
            asked = checked(SetNumber, operation)
            assert isinstance(asked, SetNumber)
            return _with_number(bench, text, variant, asked)
        case "apply":
            wanted = checked(ApplyChanges, operation)
            assert isinstance(wanted, ApplyChanges)
            return _with_changes(bench, scenario, variant, wanted.changes)
        case "batch":
            several = checked(Batch, operation)
            assert isinstance(several, Batch)
            return _one_by_one(bench, text, variant, several.operations)
    return edited(scenario, variant, operation, bench.load)


def _one_by_one(bench: Bench, text: str, variant: str | None, operations: list[dict[str, Any]]) -> Edit:
    """Operations in turn; what the last one leaves is read to its last clause, the others only in shape."""
    edit = Edit(text, "")
    for number, operation in enumerate(operations):
        if operation.get("kind") in SHAPES:
            raise InputError(f"{operation.get('kind')} cannot be one of several operations")
        last = number == len(operations) - 1
        scenario = bench.scenario(edit.text)
        edit = edited(
            scenario, variant, operation, bench.load if last else lambda text, _: bench.scenario(text)
        )
    return edit


# -- numbers --------------------------------------------------------------------------------------------


def _with_number(bench: Bench, text: str, variant: str | None, asked: SetNumber) -> Edit:
    here = bench.configuration(text, variant)
    known = {name_of(bound): bound for bound in bench.numbers(text, variant)}
    bound = known.get(asked.name)
    if bound is None or bound.value is None:
        raise InputError(f'there is no number "{asked.name[:80]}"{did_you_mean(asked.name, known)}')
    if asked.value < bound.low or (bound.high is not None and asked.value > bound.high):
        raise InputError(f"{bound.text(asked.value)}: expected a number from {bound.low} to {bound.high}")
    new = patched_clause(text, variant, str(bound.side), bound.clause, _patches(here, bound, asked.value))
    bench.load(new, variant)
    return Edit(new, f"{bound.text()} becomes {bound.text(asked.value)}.")


def _patches(here: Configuration, bound: Bound, k: int) -> dict[Path, Any]:
    """What changes in a clause when its number becomes k, by where it stands there."""
    vocabulary = here.game.vocabulary
    clause = here.clauses(bound.side)[bound.clause]
    meant = bound.automaton(k)
    assert bound.value is not None
    if clause.formula is not None:
        printed = f"G ({bound.text(k)})" if bound.counter else meant.source
        for text in (*_respelled(clause.text, bound.value, k), printed):
            if _says(text, meant, vocabulary):
                return {("formula",): text}
    elif bound.counter:
        text = f"G ({bound.text(k)})"
        if _says(text, meant, vocabulary):
            return {(): {"name": _renamed(clause.label, bound.value, k), "formula": text}}
    else:
        return _guards(clause, bound, k, vocabulary)
    raise InputError(f"{bound.text()} cannot be changed here; edit the clause instead")


def _respelled(text: str, old: int, new: int) -> Iterator[str]:
    """The text with one of its numbers exchanged, and with all of them."""
    matches = list(re.finditer(rf"(?<![\w.]){old}(?![\w.])", text))
    for match in matches:
        yield text[: match.start()] + str(new) + text[match.end() :]
    if len(matches) > 1:
        yield re.sub(rf"(?<![\w.]){old}(?![\w.])", str(new), text)


def _says(text: str, meant: SafetyAutomaton, vocabulary: Vocabulary) -> bool:
    """Whether a formula means the same as an automaton."""
    try:
        compiled = compile_formula(text, vocabulary)
    except HoldfastError:
        return False
    return is_included(compiled, meant, vocabulary) and is_included(meant, compiled, vocabulary)


def _guards(clause: Clause, bound: Bound, k: int, vocabulary: Vocabulary) -> dict[Path, Any]:
    """The guards of an automaton with another number, spelled as they were where that is possible."""
    trees = [edge.when for edge in clause.edges if not isinstance(edge.when, str)]
    knob = next(knob for knob in knobs_of(trees)[0] if knob.template == bound.template)
    changed = knob.changed(k - knob.value)
    guards: dict[Path, Any] = {("name",): _renamed(clause.label, knob.value, k)}
    for number, edge in enumerate(clause.edges):
        if isinstance(edge.when, str) or (new := replaced(edge.when, changed)) == edge.when:
            continue
        spelled = (
            text for v in (knob.value, knob.value - 1, knob.value + 1)
            for text in _respelled(str(edge.when), v, v + k - knob.value)
            if parse_predicate(text, vocabulary) == new
        )  # fmt: skip
        guards["automaton", "edges", number, "when"] = next(spelled, str(new))
    return guards


def _renamed(name: str, old: int, new: int) -> str:
    """The name of a clause, if it tells its number, with the new one.

    >>> _renamed("at least three hosts are active", 3, 2), _renamed("enough in service", 3, 2)
    ('at least two hosts are active', 'enough in service')
    """
    for spelling in (WORDS, tuple(map(str, range(len(WORDS))))):
        if 0 <= old < len(WORDS):
            word = spelling[new] if 0 <= new < len(WORDS) else str(new)
            renamed = re.sub(rf"\b{spelling[old]}\b", word, name, count=1)
            if renamed != name:
                return renamed
    return name


# -- changes --------------------------------------------------------------------------------------------


def _with_changes(bench: Bench, scenario: Scenario, variant: str | None, changes: list[str]) -> Edit:
    """Each change done after the other; one that the file names itself makes a variant of the base.

    So do changes of which one is made for all of some interchangeable hosts.
    """
    editing = editing_of(scenario)
    edit = Edit(scenario.text, "")
    here, moved = variant, False
    grouped = _for_groups(bench, scenario, variant, changes)
    if grouped is not None:
        here, moved = _varied(scenario, variant, changes)
        edit = _as_variant(bench, scenario, edit.text, variant, here, grouped)
    for change in changes if grouped is None else ():
        scenario = bench.scenario(edit.text)
        verb, _, part = " ".join(change.split()).partition(" ")
        operation = editing.change(verb, part) if editing is not None else None
        if operation is not None:
            edit = edited(scenario, here, operation, bench.load)
            continue
        named = (
            {c.name: c for c in design_space(scenario, here, [NAMED]).changes}
            if _has_design(scenario)
            else {}
        )
        if change not in named or (written := named[change].written) is None:
            raise InputError(f'no change is called "{change[:80]}"{did_you_mean(change, named)}')
        before = here
        here, moved = _varied(scenario, before, [change]) if before is None else (before, moved)
        edit = _as_variant(bench, scenario, edit.text, before, here, written)
    sentence = f"{'; '.join(changes)}: done{f', as the variant {here}' if moved else ''}."
    return replace(edit, said=sentence, variant=here, moved=moved)


def _varied(scenario: Scenario, variant: str | None, changes: list[str]) -> tuple[str, bool]:
    """The variant in which changes are written, and whether it is a new one."""
    return (variant, False) if variant is not None else (free_name(scenario, slug(changes)), True)


def _as_variant(
    bench: Bench, scenario: Scenario, text: str, before: str | None, here: str, written: Node
) -> Edit:
    """The text with what is written in a variant, besides what that said before if there was one."""
    if before is not None:
        written = joined(scenario._root["variants"][before], written)
    edit = Edit(with_variant(text, here, data(written)), "")
    bench.load(edit.text, here)
    return edit


def _for_groups(bench: Bench, scenario: Scenario, variant: str | None, changes: list[str]) -> Node | None:
    """Changes of which one is made for all of some interchangeable hosts, as a variant says them."""
    single = bench.configuration(scenario.text, variant)
    grouped = gathered(single, budget=bench.budget).system
    known, parts = (
        {f"{part.verb} {part.name}": part for part in (*of.parts, *of.hardenable, *of.upgrades)}
        for of in (single.system, grouped)
    )
    wanted = {" ".join(change.split()) for change in changes}
    if not grouped.gathered or wanted <= set(known) or not wanted <= set(parts):
        return None
    assert grouped.written is not None, "what is gathered is of a model that writes its changes"
    taken = frozenset(parts[change] for change in wanted)
    return read_yaml(json.dumps({grouped.model: grouped.written(taken)}), "<change>")


def _has_design(scenario: Scenario) -> bool:
    from holdfast.scenario import design_section

    return design_section(scenario) is not None
