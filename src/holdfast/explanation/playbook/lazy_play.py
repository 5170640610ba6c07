"""The lazy strategy, position by position, and play under it, listed."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.playbook.decision_list import decision_list
from holdfast.explanation.playbook.proof import ProvedRules, listed_region
from holdfast.explanation.playbook.traits import RuleList, Trait, TraitCodes, observer, traits_of
from holdfast.game import Position, idle_actions
from holdfast.logic import Player
from holdfast.solver import Solution, Stepper, safe_actions

MAX_LISTED, MAX_MOVES = 20_000, 700_000
"""Defender positions up to which play under a list is listed, and how many moves they may have in all."""


class LazyStrategy:
    """What a lazy defender may do at a position of W; see :mod:`holdfast.explanation.playbook`."""

    def __init__(self, solution: Solution, budget: Budget = UNLIMITED) -> None:
        """Nothing is asked yet."""
        self.solution, self.stepper = solution, Stepper(solution.configuration)
        self.idle = idle_actions(solution.configuration.game, budget)
        self._safe: dict[Position, tuple[int, ...]] = {}
        self._choices: dict[Position, tuple[int, ...]] = {}

    @property
    def idle_alike(self) -> tuple[int, ...]:
        """The idle actions, if no clause tells one from another; else none."""
        kinds = self.stepper.kinds(Player.DEFENDER)
        return self.idle if len({kinds[action] for action in self.idle}) == 1 else ()

    def safe(self, position: Position) -> tuple[int, ...]:
        """Safe(v)."""
        if position not in self._safe:
            self._safe[position] = safe_actions(self.solution, position)
        return self._safe[position]

    def choices(self, position: Position) -> tuple[int, ...]:
        """The idle actions that are safe or, where none is, the safe actions that keep most freedom."""
        if position not in self._choices:
            safe = self.safe(position)
            idle = tuple(action for action in safe if action in self.idle)
            self._choices[position] = idle or self._freest(position, safe)
        return self._choices[position]

    def _freest(self, position: Position, safe: tuple[int, ...]) -> tuple[int, ...]:
        freedom: dict[int, int] = {}
        for target, actions in self.stepper.groups(position, safe):
            n = len(self.safe(target._replace(turn=Player.DEFENDER)))
            freedom |= dict.fromkeys(actions, n)
        most = max(freedom.values())
        return tuple(action for action in safe if freedom[action] == most)


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
            found = 0
            for code, rows in self._values[trait].items():
                if code in codes:
                    found |= rows
            self._where[trait, codes] = found
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
    found = bytearray()
    for row in rows:
        if row // 8 >= len(found):
            found.extend(bytes(row // 8 + 1 - len(found)))
        found[row // 8] |= 1 << row % 8
    return int.from_bytes(found, "little")


def listed_play(strategy: LazyStrategy, budget: Budget = UNLIMITED) -> ProvedRules | None:
    """A list that is lazy wherever play under it comes.

    The list is learned on the positions that the strategy reaches with the first of its choices; play under
    the list may reach others, which are added until none is new. None where there are too many to list.

    Raises:
        LimitError: past the budget.
    """
    configuration = strategy.solution.configuration
    traits = traits_of(configuration)
    observers = [observer(configuration, trait) for trait in traits]
    reached = _explored(strategy, lambda v: strategy.choices(v)[0], budget)
    known: dict[Position, None] = {}
    rules = None
    while reached is not None:
        own = [v for v in reached if v.turn is Player.DEFENDER]
        if rules is not None and all(v in known for v in own):
            counts = Counter(map(rules.deciding, own))
            decides = tuple(counts[place] for place in range(len(rules.instructions) + 1))
            return ProvedRules(
                rules, decides, "listed", partial(listed_region, configuration, tuple(reached))
            )
        known |= dict.fromkeys(own)
        right = _right(strategy, known)
        default = _default(strategy, right)
        rows = Rows(traits, [tuple(observe(v) for observe in observers) for v in known])
        rules = RuleList(configuration, decision_list(rows, right, default, budget), default)
        reached = _explored(strategy, rules.answer, budget)
    return None


def _right(strategy: LazyStrategy, known: Iterable[Position]) -> dict[int, int]:
    rows: dict[int, list[int]] = {}
    for row, position in enumerate(known):
        for action in strategy.choices(position):
            rows.setdefault(action, []).append(row)
    if not rows:  # the defender never moves
        return {strategy.idle[0] if strategy.idle else 0: 0}
    return {action: bits(own) for action, own in sorted(rows.items())}


def _default(strategy: LazyStrategy, right: dict[int, int]) -> int:
    """The last resort: the idle action that is right most often or, without one, any such action."""
    idle = [action for action in right if action in strategy.idle]
    return max(idle or right, key=lambda action: (right[action].bit_count(), -action))


def _explored(
    strategy: LazyStrategy, answer: Callable[[Position], int], budget: Budget
) -> dict[Position, None] | None:
    """Every position that play reaches; one at which the answer is wrong is not followed. None: too many."""
    n_actions = len(strategy.solution.configuration.game.actions[Player.DEFENDER])
    found = {strategy.solution.configuration.initial: None}
    queue, n_own = deque(found), 0
    while queue:
        here = queue.popleft()
        budget.tick(f"{len(found):,} positions reached")
        if here.turn is Player.DEFENDER:
            n_own += 1
            if n_own > min(MAX_LISTED, MAX_MOVES // n_actions):
                return None
            action = answer(here)
            right = action in strategy.choices(here)
            target = strategy.stepper.target(here, action) if right else None
            targets = [target] if target is not None else []
        else:
            targets = list(strategy.stepper.outcomes(here))
        for target in targets:
            if target not in found:
                found[target] = None
                queue.append(target)
    return found
