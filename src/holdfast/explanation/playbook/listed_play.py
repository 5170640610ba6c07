"""Play under a list of rules, listed: the list is learned on the positions that play reaches."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.playbook.decision_list import decision_list, length, tidied
from holdfast.explanation.playbook.losses import fallen
from holdfast.explanation.playbook.proof import ProvedRules, listed_region
from holdfast.explanation.playbook.strategies import PlaybookStrategy
from holdfast.explanation.playbook.traits import RuleList, Trait, TraitCodes, observer
from holdfast.game import Position
from holdfast.logic import Player, reader

MAX_LISTED, MAX_MOVES = 20_000, 700_000
"""Defender positions up to which play under a list is listed, and how many moves they may have in all."""


@dataclass
class Rows:
    """Listed positions as rows of bits: bit k of a set says whether it has position k."""

    traits: tuple[Trait, ...]
    observed: list[tuple[int, ...]]
    listed: bool = True
    everywhere: int = field(init=False)
    _where: dict[tuple[int, TraitCodes], int] = field(default_factory=dict, init=False)
    _values: list[dict[int, int]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Turn rows into columns."""
        self.everywhere = (1 << len(self.observed)) - 1
        for i in range(len(self.traits)):
            by_code: dict[int, list[int]] = {}
            for row, codes in enumerate(self.observed):
                by_code.setdefault(codes[i], []).append(row)
            self._values.append({code: bits(rows) for code, rows in by_code.items()})

    def where(self, trait: int, codes: TraitCodes) -> int:
        """The positions at which a trait has one of these values."""
        if (trait, codes) not in self._where:
            rows_with = 0
            for code, rows in self._values[trait].items():
                if code in codes:
                    rows_with |= rows
            self._where[trait, codes] = rows_with
        return self._where[trait, codes]

    def count(self, positions: int) -> int:
        """How many positions a set has."""
        return positions.bit_count()

    def member(self, positions: int, rng: random.Random) -> tuple[int, ...]:
        """The codes of all traits at some position of a set."""
        text = f"{positions:b}"[::-1]
        row = text.find("1", rng.randrange(len(text)))
        return self.observed[row]


def bits(rows: Iterable[int]) -> int:
    """A set of small numbers as one number."""
    packed = bytearray()
    for row in rows:
        if row // 8 >= len(packed):
            packed.extend(bytes(row // 8 + 1 - len(packed)))
        packed[row // 8] |= 1 << row % 8
    return int.from_bytes(packed, "little")


def listed_play(
    strategy: PlaybookStrategy, traits: tuple[Trait, ...], budget: Budget = UNLIMITED, most: int | None = None
) -> ProvedRules | None:
    """A list that says what the strategy does wherever play under it comes; ``traits`` may be looked at.

    The list is learned on the positions that the strategy reaches with the first of its choices; play under
    the list may reach others, which are added until none is new. None where there are too many to list.

    Raises:
        LimitError: past the budget, and past the ``most`` rules that there may be.
    """
    configuration = strategy.solution.configuration
    observers = [observer(configuration, trait) for trait in traits]
    reached = _explored(strategy, lambda v: strategy.choices(v)[0], budget)
    known: dict[Position, None] = {}
    rules = None
    while reached is not None:
        own = [v for v in reached if v.turn is Player.DEFENDER]
        if rules is not None and all(v in known for v in own):
            return _proved(*_trimmed(strategy, traits, rules, reached, budget))
        known |= dict.fromkeys(own)
        right = _right(strategy, known)
        default = _default(strategy, right)
        rows = Rows(traits, [tuple(observe(v) for observe in observers) for v in known])
        rules = RuleList(configuration, decision_list(rows, right, default, budget, most), default)
        reached = _explored(strategy, rules.answer, budget)
    return None


def n_reached(strategy: PlaybookStrategy, budget: Budget = UNLIMITED) -> int | None:
    """How many defender positions the first of a strategy's choices lead to; None: too many to list.

    Raises:
        LimitError: past the budget.
    """
    reached = _explored(strategy, lambda v: strategy.choices(v)[0], budget)
    return None if reached is None else sum(v.turn is Player.DEFENDER for v in reached)


def longest(strategy: PlaybookStrategy, rules: RuleList, goal: str, budget: Budget = UNLIMITED) -> int:
    """How many moves a play under a list takes at most until it is at a goal, each play followed.

    They are counted from v₀ or, where that is at the goal, from wherever a play leaves it.
    """
    configuration = strategy.solution.configuration
    read = reader(configuration.goals[goal], configuration.game.places)
    reached = _explored(strategy, rules.answer, budget) or {}
    there = bool(read(configuration.initial.state))
    away = {v for v in reached if not read(v.state)} if there else {configuration.initial}
    n_moves = 0
    while away:
        assert n_moves <= len(reached), "the goal is reached under the rules"
        n_moves += 1
        after: set[Position] = set()
        for here in away:
            budget.tick("following every play to the goal")
            if here.turn is Player.DEFENDER:
                after.update(strategy.targets(here, rules.answer(here)))
            else:
                after.update(strategy.stepper.outcomes(here))
        away = {v for v in after if not read(v.state)}
    return n_moves


def _proved(rules: RuleList, reached: Iterable[Position]) -> ProvedRules:
    """A list that is right at each of the positions that play under it reaches."""
    configuration, positions = rules.configuration, tuple(reached)
    counts = Counter(rules.deciding(v) for v in positions if v.turn is Player.DEFENDER)
    decides = tuple(counts[place] for place in range(len(rules.instructions) + 1))
    region, lost = partial(listed_region, configuration, positions), fallen(configuration)
    read = None if lost is None else reader(lost, configuration.game.places)
    most = None if read is None else int(max(read(v.state) for v in positions))
    return ProvedRules(rules, decides, "listed", region, most)


def _trimmed(
    strategy: PlaybookStrategy,
    traits: tuple[Trait, ...],
    rules: RuleList,
    reached: dict[Position, None],
    budget: Budget,
) -> tuple[RuleList, dict[Position, None]]:
    """A list without what only positions needed that an earlier list reached, and what play under it reaches.

    The shorter list may say something else that is right, so play under it is followed anew; it is kept if
    it is right there too.
    """
    configuration = strategy.solution.configuration
    observers = [observer(configuration, trait) for trait in traits]
    while True:
        own = [v for v in reached if v.turn is Player.DEFENDER]
        right = dict.fromkeys({rules.default, *(i.action for i in rules.instructions)}, 0)
        right |= _right(strategy, own)
        rows = Rows(traits, [tuple(observe(v) for observe in observers) for v in own])
        shorter = replace(rules, instructions=tidied(rows, right, rules.instructions))
        if length(shorter.instructions) >= length(rules.instructions):
            break
        after = _explored(strategy, shorter.answer, budget)
        if after is None or any(
            shorter.answer(v) not in strategy.choices(v) for v in after if v.turn is Player.DEFENDER
        ):
            break
        rules, reached = shorter, after
    return rules, reached


def _right(strategy: PlaybookStrategy, known: Iterable[Position]) -> dict[int, int]:
    rows: dict[int, list[int]] = {}
    for row, position in enumerate(known):
        for action in strategy.choices(position):
            rows.setdefault(action, []).append(row)
    if not rows:  # the defender never moves
        return {strategy.idle[0] if strategy.idle else 0: 0}
    return {action: bits(own) for action, own in sorted(rows.items())}


def _default(strategy: PlaybookStrategy, right: dict[int, int]) -> int:
    """The last resort: the idle action that is right most often or, without one, any such action."""
    idle = [action for action in right if action in strategy.idle]
    return max(idle or right, key=lambda action: (right[action].bit_count(), -action))


def _explored(
    strategy: PlaybookStrategy, answer: Callable[[Position], int], budget: Budget
) -> dict[Position, None] | None:
    """Every position that play reaches; one at which the answer is wrong is not followed. None: too many."""
    n_actions = len(strategy.solution.configuration.game.actions[Player.DEFENDER])
    reached = {strategy.solution.configuration.initial: None}
    queue, n_own = deque(reached), 0
    while queue:
        here = queue.popleft()
        budget.tick(f"{len(reached):,} positions reached")
        if here.turn is Player.DEFENDER:
            n_own += 1
            if n_own > min(MAX_LISTED, MAX_MOVES // n_actions):
                return None
            action = answer(here)
            right = action in strategy.choices(here)
            targets = list(strategy.targets(here, action)) if right else []
        else:
            targets = list(strategy.stepper.outcomes(here))
        for target in targets:
            if target not in reached:
                reached[target] = None
                queue.append(target)
    return reached
