"""The published figures: every static number of the paper's five configurations."""

from __future__ import annotations

import tomllib

import pytest

from holdfast.game.configuration import move
from holdfast.logic.expressions import Player
from holdfast.readings.metrics import static_reading
from holdfast.scenario.reading import configuration, load, read_scenario
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from paths import ROOT

GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
CASES = [pytest.param(case, id=case["variant"]) for case in GOLDEN.values()]


def variant_of(case):
    return None if case["variant"] == "reference" else case["variant"]


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
@pytest.mark.parametrize("case", CASES)
def test_static_figures_of_the_paper(case, engine):
    """Should give the counts exactly and the readings to the published digits."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", variant_of(case)), engine)
    reading = static_reading(solution)
    assert solution.defensible
    assert solution.configuration.n_positions == case["positions"]
    assert solution.configuration.n_unsafe == case["unsafe"]
    assert solution.n_winning == case["winning"]
    assert list(solution.shells) == case["shells"]
    assert round(reading.winning_fraction, 4) == case["win"]
    assert round(reading.shell_steepness, 4) == case["stp"]
    assert round(reading.shield_latitude, 4) == case["slt"]


@pytest.mark.parametrize("case", CASES)
def test_formulas_give_the_same_readings_with_other_counts(case):
    """Should not matter to WIN, STP and SLT whether a requirement is an automaton or a formula."""
    automata = solve(load(ROOT / "scenarios" / "paper.yaml", variant_of(case)))
    formulas = solve(load(ROOT / "scenarios" / "paper-formulas.yaml", variant_of(case)))
    assert formulas.configuration.n_positions < automata.configuration.n_positions
    one, other = static_reading(automata), static_reading(formulas)
    assert one.winning_fraction == other.winning_fraction
    assert one.shell_steepness == pytest.approx(other.shell_steepness, abs=1e-15)
    assert one.shield_latitude == other.shield_latitude


def test_attractor_of_the_reference():
    """Should converge in four iterations to the table of sec:instance-certificate."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    sizes = [solution.configuration.n_unsafe]
    for shell in solution.shells:
        sizes.append(sizes[-1] + shell)
    assert sizes == [100_000, 119_238, 125_630, 125_886, 126_270]
    assert solution.n_attractor == 126_270


def trace(position, configuration):
    """A position as a row of the paper's table: statuses, turn, automaton states."""
    statuses = "".join(v.values[c] for v, c in zip(configuration.game.variables, position.state))
    names = [a.states[q] for a, q in zip(configuration.defender, position.q_defender)]
    names += [a.states[q] for a, q in zip(configuration.adversary, position.q_adversary)]
    return " ".join([statuses, position.turn[:3], *names])


def test_a_short_play():
    """Should replay the paper's five moves line by line."""
    lines = (ROOT / "tests" / "plays" / "paper.txt").read_text().splitlines()
    c = configuration(read_scenario(ROOT / "scenarios" / "paper.yaml"))
    solution = solve(c)
    position, shown = c.initial, []
    for line in lines:
        action = line.split(" | ")[0]
        if action != "start":
            number = [a.name for a in c.game.actions[position.turn]].index(action)
            assert number in safe_actions(solution, position)
            position = move(c, position, number)
        shown.append(f"{action} | {trace(position, c)}")
    assert shown == lines


def test_action_numbers():
    """Should number actions type · n + host, as the protocol of the adaptive layer relies on."""
    game = load(ROOT / "scenarios" / "paper.yaml").game
    names = [a.name for a in game.actions[Player.DEFENDER]]
    assert len(names) == 25
    assert names[0] == "noop(GW)"
    assert names[2 * 5 + 3] == "isolate(DB)"
    assert [a.name for a in game.actions[Player.ADVERSARY]][1 * 5 + 2] == "spread(WS)"
