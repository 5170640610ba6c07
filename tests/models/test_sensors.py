"""Sensors of a network: files, and verdicts against a literal game on everything that may be the case."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from cases import TIMES
from holdfast.errors import ScenarioError
from holdfast.game.sight import with_sensors
from holdfast.logic.expressions import Player
from holdfast.readings.analysis import analyse
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve
from segments import REQUIREMENTS, actions, after, random_design, scenario, start

N_DESIGNS = 40 * TIMES
MOST = 1500
DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY

COPIES_LEFT = {
    "G (h1 in {C, I} | h2 in {C, I})": lambda s: s["h1"] in "CI" or s["h2"] in "CI",
    "G (h1 != I | h2 != I)": lambda s: s["h1"] + s["h2"] != "II",
}


class Fog:
    """What may be the case, literally: a case is a state, what each sensor remembers, and the destroys so far."""

    def __init__(self, design, sensors, late, missing, noticed):
        self.design, self.sensors, self.late, self.missing, self.noticed = (
            design,
            sensors,
            late,
            missing,
            noticed,
        )

    def shown(self, state, missed, host):
        return state[host] == "X" and not missed.get(host, (False, 0))[0]

    def remember(self, state, missed, before):
        """For each late sensor, for how many moments in a row it could have shown something."""
        return {
            h: min(before.get(h, 0) + 1, d + 1) if self.shown(state, missed, h) else 0
            for h, d in self.late.items()
        }

    def freeze(self, state, missed, lasting, n):
        return (
            tuple(sorted(state.items())),
            tuple(sorted(missed.items())),
            tuple(sorted(lasting.items())),
            n,
        )

    def look(self, case):
        state, missed, lasting = dict(case[0]), dict(case[1]), dict(case[2])
        seen = {}
        for name, status in state.items():
            if status not in ("C", "X"):
                seen[name] = status
            elif name in self.sensors and self.late.get(name):
                seen[name] = "X" if lasting[name] > self.late[name] else "-"
            elif name in self.sensors:
                seen[name] = "X" if self.shown(state, missed, name) else "-"
            else:
                seen[name] = "-"
        return tuple(sorted(seen.items()))

    def bad(self, case):
        state = dict(case[0])
        return not all((REQUIREMENTS | COPIES_LEFT)[text](state) for text in self.design["requirement"])

    def first(self):
        state = start(self.design)
        missed = {h: (False, n) for h, n in self.missing.items()}
        return self.freeze(state, missed, self.remember(state, missed, {}), 0)

    def moves(self, case, player):
        """The cases after a player's moves, each by the move's number and by what of it is noticed."""
        state, missed, lasting, n = dict(case[0]), dict(case[1]), dict(case[2]), case[3]
        for number, (kind, target) in enumerate(actions(self.design, player)):
            new = after(self.design, state, kind, target)
            m = n + (kind == "destroy" and player is ADVERSARY)
            if self.design["budget"] is not None and m > self.design["budget"]:
                continue
            m = m if self.design["budget"] is not None else 0
            notice = number if player is ADVERSARY and kind in self.noticed else None
            landed = kind == "spread" and new[target] == "X" and state[target] == "C"
            if not landed or target not in missed:
                yield number, notice, self.freeze(new, missed, self.remember(new, missed, lasting), m)
                continue
            known = missed | {target: (False, missed[target][1])}
            yield number, notice, self.freeze(new, known, self.remember(new, known, lasting), m)
            if missed[target][1]:
                hidden = missed | {target: (True, missed[target][1] - 1)}
                yield number, None, self.freeze(new, hidden, self.remember(new, hidden, lasting), m)

    def split(self, cases):
        parts = {}
        for notice, case in cases:
            parts.setdefault((notice, self.look(case)), set()).add(case)
        return [frozenset(part) for part in parts.values()]

    def answers(self, belief):
        return self.split((notice, c) for case in belief for _, notice, c in self.moves(case, ADVERSARY))

    def choices(self, belief):
        by_action = {}
        for case in belief:
            for number, _, new in self.moves(case, DEFENDER):
                by_action.setdefault(number, set()).add(new)
        for cases in by_action.values():
            if any(map(self.bad, cases)):
                continue
            yield [b for part in self.split((None, case) for case in cases) for b in self.answers(part)]

    def holds(self):
        """Whether the defender holds; None where there are too many beliefs for a test."""
        first = self.first()
        if self.bad(first):
            return False
        starts = self.answers(frozenset([first]))
        after_, queue = {}, list(starts)
        while queue:
            belief = queue.pop()
            if belief in after_:
                continue
            if len(after_) > MOST:
                return None
            after_[belief] = [] if any(map(self.bad, belief)) else list(self.choices(belief))
            queue += [b for choice in after_[belief] for b in choice]
        good = {b for b in after_ if not any(map(self.bad, b))}
        while True:
            kept = {b for b in good if any(good.issuperset(choice) for choice in after_[b])}
            if kept == good:
                return good.issuperset(starts)
            good = kept


def random_sensors(rng, hosts):
    """Sensors as a file writes them, and what they mean."""
    placed = [h for h in hosts if rng.random() < 0.5]
    late = {h: rng.choice((1, 1, 2)) for h in placed if rng.random() < 0.3}
    missing = {h: 1 for h in placed if rng.random() < 0.3}
    written = {h: {"delay": late[h]} if h in late else {} for h in placed}
    for h in missing:
        written[h]["may_miss"] = 1
    if not late and not missing:
        written = placed if placed or rng.random() < 0.5 else "none"
    return placed, late, missing, written


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_verdict_is_that_of_the_literal_game(engine):
    """Should equal the literal game, with sensors that are late, that miss, and moves that are noticed."""
    seen = Counter()
    for seed in range(N_DESIGNS):
        rng = random.Random(seed)
        design = random_design(rng, rng.choice((2, 2, 3)))
        design["tempo"], design["isolate"] = {}, rng.choice(("any", "detected", "detected"))
        design["conduits"], design["beside"] = {}, []
        for player in Player:
            design["actions"].pop(player, None)
        if len(design["hosts"]) == 3 and seed % 2:  # one of two copies must be left: what is seen decides
            design |= {"requirement": rng.sample(list(COPIES_LEFT), rng.choice((1, 2))), "exposed": []}
            design |= {"entries": ["h0"], "cannot": {}, "isolate": "detected", "reset": None}
            design["links"] = [
                ["h0", "h1"],
                ["h0", "h2"],
                *rng.sample([["h1", "h2"], ["h2", "h0"]], rng.randint(0, 2)),
            ]
        placed, late, missing, written = random_sensors(rng, design["hosts"])
        noticed = [kind for kind in ("spread", "destroy") if rng.random() < 0.15]
        held = Fog(design, placed, late, missing, noticed).holds()
        if held is None:
            seen["too many"] += 1
            continue
        data = json.loads(scenario(design, rng))
        data["network"] |= {"sensors": written, "seen": noticed}
        here = configuration(scenario_from_text(json.dumps(data)))
        solution = solve(here, engine)
        answer = solve_beliefs(solution, here.system.sight)
        assert answer.defensible == held, (seed, json.dumps(data))
        seen[solution.defensible, held] += 1
        seen["late"] += bool(late)
        seen["missing"] += bool(missing)
    assert seen[True, True] > N_DESIGNS / 10 and seen["late"] and seen["missing"], seen
    assert seen[True, False] > 0, seen


COPIES = """
holdfast: 1
network:
  hosts: [WS, Mail, FS, BK]
  links: [WS <-> Mail, WS -> FS, WS -> BK, Mail -> FS]
  entry: WS
  defender: staffed
  sensors: none
specs:
  defender: ["G (FS in {C, I} | BK in {C, I})", G (FS != I | BK != I)]
  adversary: [G (times(destroy) <= 1)]
variants:
  watched: {network: {sensors: [FS]}}
  all: {network: {sensors: all}}
  late: {network: {sensors: {FS: {delay: 1}}}}
  blunt: {network: {sensors: {FS: {may_miss: 1}}}}
  both: {network: {sensors: {FS: {may_miss: 1}, BK: }}}
  smaller: {network: {remove_hosts: [Mail], sensors: [Mail, FS]}}
"""

KNOWN = {
    None: False,
    "watched": True,
    "all": True,
    "late": False,
    "blunt": False,
    "both": True,
    "smaller": True,
}


@pytest.mark.parametrize("variant", KNOWN)
def test_two_copies(variant):
    """Should be held where one of the two copies is watched by a sensor that shows everything at once."""
    found = analyse(configuration(scenario_from_text(COPIES), variant), latitude=False, response=False)
    assert found.defensible and found.sight is not None
    assert found.sight.defensible is KNOWN[variant]


def test_without_the_key_everything_is_seen():
    """Should be the paper's game: no variable more, no clause more, no reading of sight."""
    plain = configuration(scenario_from_text(COPIES.replace("  sensors: none\n", "")))
    assert plain.system.sight.placed is None
    assert analyse(plain, latitude=False, response=False).sight is None
    blind = configuration(scenario_from_text(COPIES))
    assert plain.game == blind.game and plain.n_positions == blind.n_positions


def test_a_formula_means_every_spread():
    """Should count a spread that a sensor misses as the spread that it is."""
    text = COPIES.replace("times(destroy) <= 1", "times(spread(FS)) <= 0 & times(destroy) <= 1")
    here = configuration(scenario_from_text(text), "blunt")
    names = [action.name for action in here.game.actions[Player.ADVERSARY]]
    assert "spread(FS) unseen" in names
    assert solve(here).defensible
    assert solve_beliefs(solve(here), with_sensors(here.system.sight, ())).defensible


@pytest.mark.parametrize(
    ("sensors", "message"),
    [
        ("[XY]", 'unknown host "XY"'),
        ("some", "all or none|none or all"),
        ("{FS: {delay: 99}}", "20"),
        ("{FS: {late: 1}}", "late"),
        ("{FS: {may_miss: -1}}", "0"),
    ],
)
def test_mistakes(sensors, message):
    """Should say what is wrong, and where."""
    with pytest.raises(ScenarioError, match=message) as caught:
        configuration(scenario_from_text(COPIES.replace("sensors: none", f"sensors: {sensors}")))
    assert ":8:" in str(caught.value)
