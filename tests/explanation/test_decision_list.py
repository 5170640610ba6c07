"""Decision lists: exact on random positions, and tidied as the literal twin does it, word for word."""

import random
from collections import Counter

from cases import TIMES
from holdfast.budget import UNLIMITED
from holdfast.explanation.playbook.decision_list import MAX_RULES, _List, decision_list, length, meets, tidied
from holdfast.explanation.playbook.listed_play import Rows
from holdfast.explanation.playbook.traits import Condition, Instruction, Trait

DEFAULT = 0


def ground(rng):
    """Positions with traits of every kind, where one trait often decides that nothing need be done."""
    traits = tuple(
        Trait(
            f"t{i}", tuple("abcde"[: rng.randint(2, 5)]), rng.choice(["now", "between"]), rng.random() < 0.5
        )
        for i in range(rng.randint(3, 6))
    )
    n = rng.randint(5, 60)
    observed = sorted({tuple(rng.randrange(trait.n_values) for trait in traits) for _ in range(n)})
    n_actions = rng.randint(2, 5)
    right = dict.fromkeys(range(n_actions), 0)
    for row, codes in enumerate(observed):
        usual = DEFAULT if codes[0] == 0 else sum(codes) % n_actions
        for action in {usual, *(a for a in range(n_actions) if rng.random() < 0.25)}:
            right[action] |= 1 << row
    return Rows(traits, observed), right


def literally_tidied(rows, right, instructions):
    """Every condition and every set of values tried on the whole instruction, from the first to the last."""
    left, kept = rows.everywhere, []
    for instruction in instructions:
        action, conditions = instruction.action, list(instruction.conditions)
        wrong = left & ~right[action]
        for condition in sorted(conditions, key=lambda c: not c.trait.is_memory):
            others = tuple(c for c in conditions if c != condition)
            if others and not meets(rows, Instruction(others, action)) & wrong:
                conditions = list(others)
        here = meets(rows, Instruction(tuple(conditions), action)) & left
        for place, condition in enumerate(conditions):
            for codes in (*condition.trait.plain, condition.codes):
                conditions[place] = Condition(condition.trait, codes)
                if meets(rows, Instruction(tuple(conditions), action)) & left == here:
                    break
        if here:
            kept.append(Instruction(tuple(conditions), action))
            left &= ~here
    return tuple(kept)


def literally_paused(rows, right, instructions):
    """Every pause put at every place of the whole list."""
    shared = Counter(c.trait for instruction in instructions for c in instruction.conditions)
    best, left = instructions, rows.everywhere
    for place, after in enumerate(instructions):
        for trait in (trait for trait, n in shared.items() if n > 2):
            for codes in trait.plain:
                pause = Instruction((Condition(trait, codes),), DEFAULT)
                if not meets(rows, pause) & left & ~right[DEFAULT]:
                    whole = [*instructions[:place], pause, *instructions[place:]]
                    best = min(best, literally_tidied(rows, right, whole), key=length)
        left &= ~meets(rows, after)
    return best


def test_lists_should_be_exact_and_tidied_as_the_twin_does_it():
    """Should say what is right at every position, in the very words of the twin, with and without pauses."""
    n_paused = 0
    for seed in range(40 * TIMES):
        rows, right = ground(random.Random(seed))
        grown = _List(rows, right, DEFAULT, UNLIMITED, MAX_RULES).grown()
        tidy = tidied(rows, right, grown)
        assert tidy == literally_tidied(rows, right, grown)
        found, left = decision_list(rows, right, DEFAULT), rows.everywhere
        assert found == literally_paused(rows, right, tidy)
        for instruction in found:
            here = meets(rows, instruction) & left
            assert here and not here & ~right[instruction.action]
            left &= ~here
        assert not left & ~right[DEFAULT]
        n_paused += found != tidy
    assert n_paused, "some lists pause"
