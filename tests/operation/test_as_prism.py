"""The game in PRISM's language: read back by the letter, it has the probabilities that are said of it."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from holdfast.operation.holding.as_prism import prism_model
from holdfast.operation.holding.asking import hold
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_gambles

COMMAND = re.compile(r"  \[(defend|attack)\] s=(\d+) -> (.*);")
UPDATE = re.compile(r"(?:([\d/]+):)?\(s'=(\d+)\)")


def read(text):
    """The start, the number of every violation, and the commands by state."""
    start = int(re.search(r"init (\d+);", text)[1])
    unsafe = int(re.search(r'label "unsafe" = s=(\d+);', text)[1])
    commands = {}
    for who, state, updates in COMMAND.findall(text):
        drawn = [(Fraction(share or 1), int(to)) for share, to in UPDATE.findall(updates)]
        assert sum(share for share, _ in drawn) == 1
        commands.setdefault(int(state), (who, []))[1].append(drawn)
    return start, unsafe, commands


def test_the_text_is_the_game():
    """Should have the probabilities of the fractions for a few moves, and be the states of one player each."""
    for seed in range(40):
        configuration = random_gambles(random.Random(seed))
        text, oracle = prism_model(solve(configuration)), ChanceProduct(configuration)
        start, unsafe, commands = read(text)
        assert set(re.findall(r"player (\w+) ", text)) == {"defender", "adversary"}
        values = {state: Fraction(state != unsafe) for state in commands}
        curve = oracle.hold_within(6)
        for moves in range(7):
            assert values[start] == curve[moves], (seed, moves)
            values = {
                state: (max if who == "defend" else min)(
                    sum(p * values[to] for p, to in drawn) for drawn in own
                )
                for state, (who, own) in commands.items()
            }
        assert hold(solve(configuration), (6,)).moves[6].low <= curve[6]
