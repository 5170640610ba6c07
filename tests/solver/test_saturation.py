"""Saturation: the literal closure of random moves, and R and the response of random games by way of it."""

import itertools
import random
from collections import Counter

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagrams, Variable
from holdfast.solver import events, response_counts, response_profile, saturation, solve
from holdfast.solver.events import LocalEvent
from holdfast.solver.saturation import Saturation
from holdfast.solver.shield import reachable
from strategies import random_budgeted, random_configuration, with_idle_action

N_CLOSURES, N_GAMES = 100 * TIMES, 60 * TIMES


def set_of(diagrams, states):
    found = diagrams.false
    for state in states:
        found |= diagrams.state({v.name: code for v, code in state.items()})
    return found


def literal_closure(states, within, events):
    """Every state that is reached by moving, one move at a time."""
    reached, queue = set(states), list(states)
    for state in queue:
        for place, targets, guard in events:
            target = targets.get(state[place])
            if target is not None and (guard is None or state in guard):
                after = (*state[:place], target, *state[place + 1 :])
                if after in within and after not in reached:
                    reached.add(after)
                    queue.append(after)
    return reached


@pytest.mark.parametrize("small", [False, True], ids=["at once", "in small steps"])
def test_closures_are_those_of_single_moves(small, monkeypatch):
    """Should find what single moves reach within a set, also when nodes or steps run out on the way."""
    monkeypatch.setattr(saturation, "FIRST_NODES", 8 if small else 1 << 10)
    if small:
        monkeypatch.setattr(saturation, "STEPS", 3)
    rng, seen = random.Random(f"closures {small}"), Counter()
    for _ in range(N_CLOSURES):
        sizes = [rng.randint(2, 5) for _ in range(rng.randint(1, 5))]
        variables = [Variable(f"v{i}", range(size)) for i, size in enumerate(sizes)]
        diagrams = Diagrams(variables)
        all_states = list(itertools.product(*map(range, sizes)))
        named = {state: dict(zip(variables, state, strict=True)) for state in all_states}

        def as_set(states, diagrams=diagrams, named=named):
            return set_of(diagrams, (named[state] for state in states))

        within = set(rng.sample(all_states, rng.randint(1, len(all_states))))
        if rng.random() < 0.3:
            within = set(all_states)
        start = set(rng.sample(sorted(within), rng.randint(0, min(3, len(within)))))
        events = []
        for _ in range(rng.randint(1, 8)):
            place = rng.randrange(len(sizes))
            codes = rng.sample(range(sizes[place]), rng.randint(1, sizes[place]))
            targets = {code: rng.randrange(sizes[place]) for code in codes}
            guard = None
            if rng.random() < 0.6:
                read = rng.randrange(len(sizes))
                wanted = rng.randrange(sizes[read])
                guard = {s for s in all_states if s[read] == wanted or (rng.random() < 0.1)}
            events.append((place, targets, guard))
        machine = Saturation(
            diagrams,
            [LocalEvent(place, to, None if g is None else as_set(g)) for place, to, g in events],
            UNLIMITED.memory,
        )
        found = machine.closed(as_set(start), as_set(within), UNLIMITED)
        expected = literal_closure(start, within, events)
        assert found == as_set(expected)
        again = machine.closed(as_set(start), as_set(within), UNLIMITED)
        assert again == found, "a second question should get the same answer"
        seen["grown"] += len(expected) > len(start)
        seen["guarded"] += any(g is not None for _, _, g in events)
        seen["all"] += expected == set(all_states)
    assert min(seen["grown"], seen["guarded"]) > N_CLOSURES // 4, seen
    assert seen["all"], seen


def test_games_by_saturation_have_the_answers_of_the_explicit_engine(monkeypatch):
    """Should find the R and the response profile of random games that arrays find."""
    monkeypatch.setattr(events, "MANY_BITS", 0)
    monkeypatch.setattr(saturation, "FIRST_NODES", 1 << 10)
    rng, used, asked, honest = random.Random(33), Counter(), set(), Saturation.closed

    def closed(self, *args):
        used["closed"] += 1
        found = honest(self, *args)
        used["grown"] += found is not None and found != args[0]
        return found

    monkeypatch.setattr(Saturation, "closed", closed)
    for number in range(N_GAMES):
        other = random_configuration(rng, 72, with_idle_action)
        configuration = random_budgeted(rng) if number % 3 else other
        if configuration.game.tables is not None:
            continue
        expected, found = solve(configuration, "explicit"), solve(configuration, "symbolic")
        assert reachable(found) == reachable(expected), number
        used["held"] += found.defensible
        if found.defensible:
            asked.add(response_profile(found))
            assert response_profile(found) == response_profile(expected), number
            assert response_counts(found) == response_counts(expected), number
    assert used["held"] > N_GAMES // 10, used
    assert used["grown"] > N_GAMES // 4, used
    assert len(asked) > 1, asked


def test_what_takes_too_many_nodes_is_left_to_others(monkeypatch):
    """Should say None, not go on for ever."""
    monkeypatch.setattr(saturation, "MOST_NODES", 0)
    variables = [Variable(f"v{i}", range(3)) for i in range(6)]
    diagrams = Diagrams(variables)
    guard = diagrams.cube(variables[5], 0) | diagrams.cube(variables[3], 1)
    events = [LocalEvent(0, {0: 1}, guard), *(LocalEvent(i, {0: 1, 1: 2}) for i in range(1, 5))]
    start = diagrams.state({variable.name: 0 for variable in variables})
    machine = Saturation(diagrams, events, UNLIMITED.memory)
    assert machine.closed(start, diagrams.valid, UNLIMITED) is None


def test_limits_hold(monkeypatch):
    """Should stop where the time is over."""
    monkeypatch.setattr(saturation, "STEPS", 1)
    variables = [Variable(f"v{i}", range(3)) for i in range(6)]
    diagrams = Diagrams(variables)
    events = [LocalEvent(i, {0: 1, 1: 2}) for i in range(6)]
    start = diagrams.state({variable.name: 0 for variable in variables})
    with pytest.raises(LimitError):
        Saturation(diagrams, events, 1 << 20).closed(start, diagrams.valid, Budget.lasting(0.0))
