"""A defense by what is seen that does the same where things look the same, as far as that is easy.

The search (:mod:`holdfast.solver.beliefs`) gives each stance the first action that nothing refutes. Others
may do as well: any action that never leaves W and leads, whatever is then seen, to beliefs inside those of
stances that there are. Among these each stance takes the one that most stances of the same look may take,
idle ones first; so that fewer stances are reached, and less has to be kept in mind. The stances are again an
inductive invariant: what each holds possible leads to what others hold possible.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import idle_actions
from holdfast.logic import Player
from holdfast.solver.beliefs import BeliefSolution, Look, SeenMoves, Stance
from holdfast.solver.solution import Solution, work_on_sets

Choices = dict[int, dict[tuple[int, Look], int]]
"""By action, where it leads: for what is seen, a stance."""


def steadied(solution: Solution, answer: BeliefSolution, budget: Budget = UNLIMITED) -> BeliefSolution:
    """A defense with actions that depend less on what was seen before; ``answer`` must have one.

    Raises:
        LimitError: past the budget.
    """
    return work_on_sets(solution, "a steadier defense", lambda: _steadied(solution, answer, budget))


def _steadied(solution: Solution, answer: BeliefSolution, budget: Budget) -> BeliefSolution:
    moves = SeenMoves(solution, answer.sight)
    alike: dict[int, list[int]] = {}
    for number, stance in enumerate(answer.stances):
        ((key, _),) = stance.belief.split(moves.seen).items()
        alike.setdefault(key, []).append(number)
    choices = [_choices(moves, stance, answer, alike, budget) for stance in answer.stances]
    actions = _chosen(choices, alike, idle_actions(solution.configuration.game, budget))
    numbers: dict[int, int] = {}
    queue = list(answer.start.values())
    for number in queue:
        if number not in numbers:
            numbers[number] = len(numbers)
            queue += choices[number][actions[number]].values()
    stances = tuple(
        Stance(
            answer.stances[old].belief,
            actions[old],
            {look: numbers[after] for look, after in choices[old][actions[old]].items()},
        )
        for old in numbers
    )
    start = {look: numbers[old] for look, old in answer.start.items()}
    return replace(answer, start=start, stances=stances)


def _choices(
    moves: SeenMoves, stance: Stance, answer: BeliefSolution, alike: dict[int, list[int]], budget: Budget
) -> Choices:
    """The actions that a stance may take, among them its own."""
    choices: Choices = {stance.action: stance.after}
    n_actions = len(answer.configuration.game.actions[Player.DEFENDER])
    for action in range(n_actions):
        budget.tick("a steadier defense")
        if action == stance.action or not stance.belief <= moves.safe(action, budget):
            continue
        after: dict[tuple[int, Look], int] = {}
        for look, belief in moves.after(stance.belief, action, budget):
            known = alike.get(look[1][0], ())
            cover = next((n for n in known if belief <= answer.stances[n].belief), None)
            if cover is None:
                break
            after[look] = cover
        else:
            choices[action] = after
    return choices


def _chosen(choices: list[Choices], alike: dict[int, list[int]], idle: tuple[int, ...]) -> dict[int, int]:
    """For each stance an action, as few different ones as are found easily where things look the same."""
    common = Counter(action for own in choices for action in own)
    chosen: dict[int, int] = {}
    for group in alike.values():
        left = list(group)
        while left:
            votes = Counter(action for number in left for action in choices[number])
            action = max(votes, key=lambda a: (votes[a], a in idle, common[a], -a))
            chosen |= {number: action for number in left if action in choices[number]}
            left = [number for number in left if number not in chosen]
    return chosen
