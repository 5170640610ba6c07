"""Exported shields: how large, and how fast Safe(v) is in C and in Python against the library.

All are asked about the same defender positions, met in play at random under the shield, and must agree before
anything is timed. Times are processor times. The library is asked twice: by its definition
(``admissible_moves`` and ``is_winning``) and with one compiled diagram for each action (``safe_actions``).
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.families import chain
from holdfast.arena.export.flat_shield import DIGIT_BITS, FlatShield, flatten_shield, lay_out
from holdfast.arena.export.shields import FORMATS, render, size
from holdfast.budget import UNLIMITED
from holdfast.game.configuration import Configuration, Position, admissible_moves, move, preimage
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from holdfast.solver.mdd import MultiValuedDiagrams
from holdfast.solver.quotient import classify_moves
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import Solution, diagrams, is_winning

ROOT = Path(__file__).parent.parent
N_POSITIONS, REPEATS, ROUNDS_IN_C = 50, 5, 400

TIMER = """
#define _POSIX_C_SOURCE 199309L
#define HF_API static inline
#define HF_NO_NAMES
#include "shield.c"
#include <stdio.h>
#include <time.h>

static hf_position positions[] = {
%s
};

int main(void)
{
    struct timespec start, end;
    uint8_t permitted[HF_MAX_ACTIONS];
    long total = 0, round, i, n = (long)(sizeof positions / sizeof *positions);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (round = 0; round < %d; round++)
        for (i = 0; i < n; i++)
            total += hf_permitted(&positions[i], permitted);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%%ld %%.9f\\n", total,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    return 0;
}
"""


def run() -> dict[str, Any]:
    """Both games as one dict; about a minute on two cores."""
    return {
        "reference": measured(load(ROOT / "scenarios" / "paper.yaml")),
        "chain_of_40_hosts": measured(chain(40)),
    }


def measured(configuration: Configuration) -> dict[str, Any]:
    """Sizes, and microseconds for Safe(v) at one position."""
    solution = solve(configuration, "symbolic")
    started = time.perf_counter()
    shield = flatten_shield(solution)
    flattened = time.perf_counter() - started
    positions = met_in_play(solution, N_POSITIONS)
    expected = [by_definition(solution, v) for v in positions]
    module: dict[str, Any] = {"__name__": "shield"}
    exec(render(shield, "python"), module)
    assert [module["permitted"](v) for v in positions] == expected
    assert [safe_actions(solution, v) for v in positions] == expected
    n_permitted, in_c, object_bytes = compiled(shield, positions)
    assert n_permitted == sum(map(len, expected))
    seconds = {
        "library": each(lambda: [by_definition(solution, v) for v in positions]),
        "library_compiled": each(lambda: [safe_actions(solution, v) for v in positions]),
        "python": each(lambda: [module["permitted"](v) for v in positions]),
        "c": in_c,
    }
    return {
        **size(shield),
        "entries_for_w_alone": entries(solution, with_safe_sets=False),
        "entries_with_a_set_for_each_action": entries(solution, with_safe_sets=True),
        "object_bytes": object_bytes,
        "file_bytes": {form: len(render(shield, form)) for form in FORMATS},
        "flatten_seconds": flattened,
        "microseconds": {name: 1e6 * each_one for name, each_one in seconds.items()},
        "times_faster_than_the_library": {name: seconds["library"] / s for name, s in seconds.items()},
    }


def by_definition(solution: Solution, position: Position) -> tuple[int, ...]:
    """Safe(v) of a winning position, by making every move."""
    moves = admissible_moves(solution.configuration, position)
    return tuple(action for action, target in moves.items() if is_winning(solution, target))


def met_in_play(solution: Solution, n: int) -> list[Position]:
    """Defender positions of plays in which both sides choose at random from Safe(v)."""
    rng, found = random.Random(1), []
    position = solution.configuration.initial
    while len(found) < n:
        if position.turn is Player.DEFENDER:
            found.append(position)
        actions = safe_actions(solution, position)
        after = move(solution.configuration, position, rng.choice(actions)) if actions else None
        position = solution.configuration.initial if after is None or rng.random() < 0.02 else after
    return found


def each(work: Callable[[], object]) -> float:
    """Processor seconds for one position, the least of a few rounds."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) / N_POSITIONS


def compiled(shield: FlatShield, positions: Iterable[Position]) -> tuple[int, float, int]:
    """How many actions C permits in all, its seconds for one position, and the bytes of code and tables."""
    rows = ",\n".join(
        f"{{{{{_listed(v.state)}}}, {{{_listed((*v.q_defender, *v.q_adversary))}}}, HF_{v.turn.name}}}"
        for v in positions
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shield.c").write_text(render(shield, "c"), "ascii")
        (folder / "timer.c").write_text(TIMER % (rows, ROUNDS_IN_C), "ascii")
        for source, flags in (("timer.c", ["-o", "timer"]), ("shield.c", ["-c", "-DHF_NO_NAMES"])):
            subprocess.run(["cc", "-std=c99", "-O2", source, *flags], cwd=folder, check=True)
        answers = [
            subprocess.run([folder / "timer"], capture_output=True, text=True, check=True).stdout.split()
            for _ in range(REPEATS)
        ]
        sizes = subprocess.run(["size", folder / "shield.o"], capture_output=True, text=True, check=True)
    seconds = min(float(answer[1]) for answer in answers) / ROUNDS_IN_C / N_POSITIONS
    return int(answers[0][0]) // ROUNDS_IN_C, seconds, int(sizes.stdout.splitlines()[1].split()[0])


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def entries(solution: Solution, *, with_safe_sets: bool) -> int:
    """The array for W, and if asked for also for {v : Succ(v, a) ∈ W} for each defender action and block."""
    regions, game = diagrams(solution), solution.configuration.game
    product, winning = regions.product, regions.winning()
    table = MultiValuedDiagrams(product.diagrams, game.variables, UNLIMITED, digit_bits=DIGIT_BITS)
    roots = [table.decide((states,), (1, 0)) for turn in Player for states in winning[turn]]
    kinds = classify_moves(solution.configuration)[1][Player.DEFENDER]
    for block in range(product.blocks.n_blocks) if with_safe_sets else ():
        goals = {
            kind: product.goal(kind, block, winning[Player.ADVERSARY], unsafe=False) for kind in set(kinds)
        }
        for action, kind in zip(game.actions[Player.DEFENDER], kinds, strict=True):
            roots.append(table.decide((preimage(product.diagrams, action, goals[kind]),), (1, 0)))
    return len(lay_out(table, roots).nodes)


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
