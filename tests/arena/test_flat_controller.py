"""Exported controllers: executed against every play of small games, in every format."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from cases import TIMES
from commands import holdfast
from hidden_games import random_hidden_game, random_sight
from holdfast.arena.export.flat_controller import bits_of, flatten_controller, render_controller
from holdfast.arena.export.stepping import SeenMachine
from holdfast.errors import InputError
from holdfast.game.configuration import configure
from holdfast.logic.expressions import Player
from holdfast.models.network import network_system
from holdfast.solver import solve, solve_beliefs
from seen_plays import every_play
from shield_readers import STRICT

N_GAMES = 30 * TIMES

WATCHED = """
holdfast: 1
name: 'Watched "doors" é'
network:
  hosts: [GW, Web, WS]
  links: [GW -> Web, GW -> WS, Web -> WS]
  entry: GW
  isolate: detected
  sensors: [GW, Web]
  seen: [destroy]
specs:
  defender: ["G (count(GW, Web, WS in {X, D, Z}) <= 2)", "G (count(GW, Web, WS in {C, X, D}) >= 1)"]
  adversary: ["G (times(destroy) <= 1)"]
"""


def held(n_games):
    """Random games that are held with what is seen, and one segment with a late sensor."""
    system = network_system(
        ["GW", "DB"], [("GW", "DB")], "GW", sensors=("DB",), late={"DB": 1}, noticed=("destroy",)
    )
    solution = solve(configure(system, ["G (DB != Z)"]))
    yield solution.configuration, solve_beliefs(solution, system.sight)
    for seed in range(n_games):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng)
        answer = solve_beliefs(solve(configuration), random_sight(rng, configuration))
        if answer.defensible:
            yield configuration, answer


def played(configuration, answer, flat, ask):
    """Every play under ``ask(phase, between, now, noticed)``, with looks as bits and the move by its name."""
    names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]

    def go_on(phase, between, look):
        now, noticed = look
        return ask(phase, between, now, None if noticed < 0 else names[noticed])

    start = flat.looks[flat.start]
    return every_play(configuration, answer.sight, lambda look: go_on(0, start, look), go_on)


def in_python(text, n_seen):
    """The exported module, asked as the others are."""
    module = {"__name__": "controller"}
    exec(compile(text, "controller.py", "exec"), module)

    def ask(phase, between, now, noticed):
        looks = ([bool(key >> n & 1) for n in range(n_seen)] for key in (between, now))
        return module["step"](phase, *looks, noticed)

    return ask


def test_python_against_every_play():
    """Should hold random games, whatever the adversary does."""
    n_held = 0
    for configuration, answer in held(N_GAMES):
        flat = flatten_controller(answer)
        text = render_controller(flat, "python")
        assert text.isascii()
        played(configuration, answer, flat, in_python(text, len(flat.seen)))
        n_held += 1
    assert n_held > 10


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_against_every_play(tmp_path):
    """Should answer every round as the tables say, and refuse what cannot come up; compiled strictly."""
    for number, (configuration, answer) in enumerate(held(6)):
        flat = flatten_controller(answer)
        source, program = tmp_path / f"{number}.c", tmp_path / f"{number}"
        source.write_text(render_controller(flat, "c"), "ascii")
        for flags in (["-DHF_MAIN", "-DHF_NO_NAMES"], ["-DHF_MAIN"]):
            subprocess.run(["cc", *STRICT, *flags, str(source), "-o", str(program)], check=True)
        asked: dict[tuple, str] = {}

        def ask(phase, between, now, noticed, flat=flat, asked=asked):
            notice = -1 if noticed is None else flat.noticed.index(noticed)
            rows = {row[:4]: row[4:] for row in flat.rounds}
            decision = rows[phase, flat.looks.index(between), flat.looks.index(now), notice]
            bits = [bits_of(flat, look) or "-" for look in (between, now)]
            asked[phase, *bits, notice] = f"{decision[0]} {decision[1]}"
            return decision

        played(configuration, answer, flat, ask)
        impossible = (flat.n_phases, *next(iter(asked))[1:])
        lines = [" ".join(map(str, row)) for row in (*asked, impossible)]
        done = subprocess.run(
            [str(program)], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.splitlines() == [*asked.values(), "?"]


def test_the_command(tmp_path):
    """Should write every format, tell its size, and refuse a design that is lost or sees everything."""
    scenario = tmp_path / "doors.yaml"
    scenario.write_text(WATCHED)
    out = tmp_path / "controller.json"
    done = holdfast("export-shield", scenario, "--sight", "-f", "json", "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    size, table = json.loads(done.stdout), json.loads(out.read_text())
    assert size["phases"] >= 1 and size["rounds"] == len(table["rounds"])
    machine = SeenMachine(table)
    look = machine.look({"GW = X": True, "GW in {C, X}": True, "Web in {C, X}": True, "WS in {C, X}": True})
    action, phase = machine.begin(look)
    assert table["actions"][action] == "isolate(Web)"
    with pytest.raises(LookupError):
        machine.step(phase, look, [True] * len(machine.seen))
    scenario.write_text(WATCHED.replace("[GW, Web]", "none"))
    lost = holdfast("export-shield", scenario, "--sight", "-f", "c")
    assert lost.returncode == 1 and "not defensible with what the sensors show" in lost.stderr
    scenario.write_text(WATCHED.replace("  sensors: [GW, Web]\n", ""))
    assert "sees everything" in holdfast("export-shield", scenario, "--sight", "-f", "c").stderr


def test_unknown_formats():
    """Should name those that there are."""
    _, answer = next(iter(held(0)))
    with pytest.raises(InputError, match="known: "):
        render_controller(flatten_controller(answer), "cobol")
