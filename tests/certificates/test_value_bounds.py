"""Certificates of how likely a design holds, by value diagrams: what is right is accepted, and nothing else.

The judge evaluates the functions of a witness at one position after the other, and asks the oracle of chance
for the choices there; it shares nothing with the checker.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from math import ceil

import pytest

from cases import TIMES
from certificates import repaired
from holdfast.budget import Budget
from holdfast.certificates.verify import value_functions
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError, LimitError
from holdfast.logic.expressions import Player
from holdfast.operation.holding import proving, value_text
from holdfast.operation.holding.asking import hold
from holdfast.scenario.reading import configuration as configuration_of, scenario_from_text
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_chase

MOVES = 20


@pytest.fixture(autouse=True)
def _too_many_to_list(monkeypatch):
    """Small games are certified as large ones are."""
    monkeypatch.setattr(proving, "is_listed", lambda _: False)


def certified(text, moves=MOVES):
    """A scenario's configuration, and its certificate."""
    configuration = configuration_of(scenario_from_text(text), None)
    return configuration, json.loads(proving.certify_hold(solve(configuration), moves))


LOTTERY = """\
holdfast: 1
name: lottery
game:
  variables: {{s: 0..{last}, t: [a, b, c]}}
  initial: {{s: {start}, t: a}}
  first: {first}
  defender:
    stay: {{}}
{defender}
  adversary:
    wait: {{}}
{adversary}
specs:
  defender: ["G (s != 0)"]
  adversary: ["{bound}"]
"""


def random_lottery(rng):
    """A walk in which up to four things may come of a choice, which both sides can wait out."""
    last = rng.randint(3, 4)

    def effect(player):
        cuts = sorted(rng.sample(range(1, 20), rng.randint(1, 3)))
        shares = [Fraction(b - a, 20) for a, b in zip((0, *cuts), cuts, strict=False)]
        lowest = 0 if player == "adversary" else 1
        drawn = ", ".join(
            f"{{probability: {float(share)}, set: {{s: {rng.randint(lowest, last)}, t: {rng.choice('abc')}}}}}"
            for share in shares
        )
        where = rng.choice([f"t = {rng.choice('abc')}", f"s > {rng.randint(0, 1)}"])
        return f"{{when: s != 0 & s != {last} & {where}, outcomes: [{drawn}]}}"

    sides = {
        player: "\n".join(f"    {player[0]}{i}: [{effect(player)}]" for i in range(rng.randint(1, 2)))
        for player in ("defender", "adversary")
    }
    bound = rng.choice(["G true", "G (times(a0) <= 2)", "G (a0 -> !Y Y a0)"])
    first = rng.choice(["defender", "adversary"])
    return LOTTERY.format(last=last, start=rng.randint(1, last - 1), first=first, bound=bound, **sides)


def random_design(rng):
    """A small lost network, in which attacks, and some defenses, fail now and then."""
    n = rng.randint(2, 3)
    hosts = [f"h{i}" for i in range(n)]
    links = [
        f"{hosts[i]} -> {hosts[j]}" for j in range(1, n) for i in rng.sample(range(j), rng.randint(1, j))
    ]
    chance = {f"spread({host})": rng.choice([0.1, 0.25, 0.5]) for host in hosts}
    chance |= {"restore": 0.7} if rng.random() < 0.4 else {}
    required = [f"G ({hosts[-1]} in {{C, I}})", f"G (active >= {n - 1})"]
    network = {"hosts": hosts, "links": links, "entry": hosts[0], "chance": chance}
    specs = {"defender": required, "adversary": ["G (times(destroy) <= 1)"]}
    return json.dumps({"holdfast": 1, "name": "design", "network": network, "specs": specs})


# -- the judge ------------------------------------------------------------------------------------------


class Functions:
    """The text of a witness as lists, to be read and rewritten."""

    def __init__(self, text):
        head, _, body = text.partition("\n.nodes\n")
        header = dict(line.split(" ", 1) for line in head.split("\n"))
        self.units, self.bits = int(header[".units"]), header[".bits"].split(" ")
        self.values = [tuple(map(int, word.split(":"))) for word in header[".values"].split(" ")]
        self.roots = [int(word) for word in header[".roots"].split(" ")]
        self.nodes = [list(map(int, line.split(" "))) for line in body.split("\n")[:-2]]

    def text(self):
        values = " ".join(":".join(map(str, value)) for value in self.values)
        nodes = "".join(f"{bit} {high} {low}\n" for bit, high, low in self.nodes)
        roots = " ".join(map(str, self.roots))
        return f".units {self.units}\n.bits {' '.join(self.bits)}\n.values {values}\n.roots {roots}\n.nodes\n{nodes}.end\n"

    def at(self, root, game, state):
        codes = game.codes(state)
        while root >= 0:
            bit, high, low = self.nodes[root]
            name, place = self.bits[bit].rsplit(".", 1)
            root = high if codes[name] >> int(place) & 1 else low
        return self.values[-1 - root]


def judged(data, oracle):
    """Whether a witness proves the bounds for ever of a certificate, position by position."""
    game, functions = oracle.configuration.game, Functions(data["witness"]["values"])
    units, planes = functions.units, data["witness"]["planes"]
    place = {(turn, tuple(ones), tuple(others)): i for i, (turn, ones, others) in enumerate(planes)}

    def found(v, section, unlisted, unsafe):
        i = place.get((v[1].value, v[2], v[3]))
        if v in oracle.unsafe:
            return unsafe
        return unlisted if i is None else functions.at(functions.roots[section * len(planes) + i], game, v[0])

    below = {v: found(v, 0, (0,), (0,))[0] for v in oracle.positions}
    above = {v: (*found(v, 1, (units, 0), (0, 0)), 0)[:2] for v in oracle.positions}
    for v in oracle.positions:
        if v in oracle.unsafe or (v[1].value, v[2], v[3]) not in place:
            continue
        defends, choices = v[1] is Player.DEFENDER, oracle.groups(v)
        kept = [sum(p * below[t] for _, t, p in own) >= below[v] for own in choices]
        if not (any(kept) or not below[v] if defends else all(kept)):
            return False
        value, rank = above[v]
        means = [(ceil(sum(p * above[t][0] for _, t, p in own)), own) for own in choices]
        lowered = [
            mean < value or (mean == value and min(above[t][1] for _, t, _ in own) < rank)
            for mean, own in means
        ]
        if value < units and not (all(lowered) if defends else any(lowered)):
            return False
    low, forever = (Fraction(data["bounds"][end]) for end in ("low", "forever"))
    return (
        Fraction(below[oracle.initial], units) >= low and Fraction(above[oracle.initial][0], units) <= forever
    )


def true_of(oracle, data):
    """Whether what a certificate says is so."""
    said = {end: Fraction(data["bounds"][end]) for end in ("low", "high", "forever", "least")}
    value, within = oracle.hold(), oracle.hold_within(data["bounds"]["moves"])[-1]
    return said["low"] <= value <= said["forever"] and said["least"] <= within <= said["high"]


# -- what is right --------------------------------------------------------------------------------------


@pytest.mark.parametrize("random_text", [random_chase, random_lottery])
def test_bounds_are_proved_true_and_close(random_text):
    """Should be accepted, contain what the fractions say, and be close to it, for ever and for some moves."""
    seen = Counter()
    for seed in range(12 * TIMES):
        configuration, data = certified(random_text(random.Random(seed)))
        oracle, verdict = ChanceProduct(configuration), verify(repaired(data))
        assert verdict.valid, (seed, verdict.reason)
        assert judged(data, oracle) and true_of(oracle, data), seed
        bounds, value = verdict.bounds, oracle.hold()
        assert bounds.high - bounds.least < Fraction(1, 10**6), seed
        assert bounds.forever - bounds.low < Fraction(1, 1000), (seed, float(value), bounds)
        assert value or not bounds.forever, "what is lost in the end is proved to be"
        seen["certain" if value in (0, 1) else "drawn"] += 1
    assert min(seen["certain"], seen["drawn"]) > 1, seen


def test_bounds_agree_with_the_listed_game():
    """Should contain the exact fraction that is found by listing every position."""
    for seed in range(6 * TIMES):
        configuration, data = certified(random_design(random.Random(seed)))
        solution, verdict = solve(configuration), verify(repaired(data))
        exact = Fraction(hold(solution).exact or -1)
        assert verdict.valid and verdict.bounds.low <= exact <= verdict.bounds.forever, (seed, verdict.reason)
        assert verdict.bounds.forever - verdict.bounds.low < Fraction(1, 10**6), seed


# -- what is forged -------------------------------------------------------------------------------------


def forged(rng, data):
    """A certificate in which a value, a rank, a node, a root, a plane, a bound or the model is another one."""
    data = json.loads(json.dumps(data))
    functions, what = Functions(data["witness"]["values"]), rng.choice(FORGERIES)
    if what == "bound":
        end = rng.choice(["low", "high", "forever", "least"])
        moved = Fraction(data["bounds"][end]) + Fraction(rng.choice([-1, 1]), rng.choice([20, 10**6, 10**14]))
        moved = min(max(moved, Fraction(0)), Fraction(1))
        data["bounds"][end] = f"{moved.numerator}/{moved.denominator}"
    elif what == "model":
        text = data["scenario"]["text"]
        numbers = [i for i in range(len(text) - 3) if text.startswith("probability: 0.", i)]
        if numbers:
            i = rng.choice(numbers) + len("probability: 0.")
            data["scenario"]["text"] = text[:i] + rng.choice("123456789") + text[i + 1 :]
    elif what in ("value", "rank"):
        i = rng.randrange(len(functions.values))
        value, *rank = functions.values[i]
        if what == "value":
            value = rng.choice(
                [0, functions.units, value + 1, max(value - 1, 0), rng.randint(0, functions.units)]
            )
        elif rank:
            rank = [rng.choice([0, rank[0] + 1, max(rank[0] - 1, 0)])]
        functions.values[i] = (value, *rank)
        if functions.values[i][0] <= functions.units:
            data["bounds"] |= raised(functions, data, rng)
    elif what == "node" and functions.nodes:
        node = rng.choice(functions.nodes)
        node[1], node[2] = node[2], node[1]
    elif what == "root":
        i, j = (rng.randrange(len(functions.roots)) for _ in range(2))
        functions.roots[i] = functions.roots[j]
    elif what == "plane":
        n, i = len(data["witness"]["planes"]), rng.randrange(len(data["witness"]["planes"]))
        del data["witness"]["planes"][i], functions.roots[n + i], functions.roots[i]
    data["witness"]["values"] = functions.text()
    return what, data


FORGERIES = ("bound", "model", "value", "value", "rank", "rank", "node", "root", "plane")


def raised(functions, data, rng):
    """Bounds that go with forged values, now and then: what a forger would claim by them."""
    if rng.random() < 0.5:
        return {}
    return {"low": data["bounds"]["low"], "forever": rng.choice([data["bounds"]["low"], "1/2", "1/1"])}


@pytest.mark.parametrize("random_text", [random_chase, random_lottery])
def test_forged_certificates_are_refused_unless_they_prove_what_they_say(random_text):
    """Should agree with the judge about every forgery, and accept nothing that the fractions deny."""
    refused, accepted = Counter(), 0
    for seed in range(10 * TIMES):
        rng = random.Random(seed)
        _, data = certified(random_text(rng), 4)
        for _ in range(8):
            what, other = forged(rng, data)
            try:
                verdict = verify(repaired(other))
            except InputError:
                refused[what] += 1
                continue
            oracle = ChanceProduct(configuration_of(scenario_from_text(other["scenario"]["text"]), None))
            if verdict.valid:
                accepted += 1
                assert judged(other, oracle) and true_of(oracle, other), (seed, what)
            else:
                refused[what] += 1
                said = {end: Fraction(other["bounds"][end]) for end in ("high", "least")}
                within = oracle.hold_within(4)[-1]
                room = Fraction(8, Functions(other["witness"]["values"]).units)
                for_moves = said["least"] + room <= within <= said["high"] - room
                assert not judged(other, oracle) or not for_moves, (seed, what, verdict.reason)
    assert accepted and set(refused) == set(FORGERIES), refused


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(".units", ".unit", 1),
        lambda text: text.replace("\n.end\n", "\n", 1),
        lambda text: text.replace(".roots ", ".roots 999999 ", 1),
        lambda text: text.replace("\n.nodes\n", "\n.nodes\n0 7 7\n", 1),
        lambda text: text.replace("\n.nodes\n", "\n.nodes\nx y z\n", 1),
        lambda text: text.replace(".values ", ".values -1 ", 1),
        lambda text: text.replace(".bits ", ".bits z.0 ", 1),
        lambda text: text.replace(".units ", f".units {'9' * 5000}", 1),
        lambda text: "",
    ],
)
def test_what_is_no_text_of_values_is_refused(change):
    """Should not be read as a certificate at all."""
    _, data = certified(random_chase(random.Random(1)))
    data["witness"]["values"] = change(data["witness"]["values"])
    with pytest.raises(InputError, match="not a certificate"):
        verify(repaired(data))


# -- limits ---------------------------------------------------------------------------------------------


def test_what_a_limit_ends_is_certified_as_far_as_it_came(monkeypatch):
    """Should prove wide bounds where the search was stopped soon, and none where it was at once."""
    step = proving.Following.step
    for n_moves in (0, 3, 4):

        def stopped(self, budget, n_moves=n_moves):
            if self.n_moves == n_moves:
                raise LimitError("stopped after 0 s")
            step(self, budget)

        monkeypatch.setattr(proving.Following, "step", stopped)
        if not n_moves:
            with pytest.raises(LimitError, match="stopped"):
                certified(random_design(random.Random(2)))
            continue
        configuration, data = certified(random_design(random.Random(2)))
        verdict, exact = verify(repaired(data)), Fraction(hold(solve(configuration)).exact)
        assert verdict.valid and verdict.bounds.low <= exact < verdict.bounds.forever < 1, n_moves
        assert verdict.bounds.high == verdict.bounds.forever


def test_what_could_not_be_checked_is_not_written(monkeypatch):
    """Should say that there are too many bits, or nodes, before it writes a file."""
    for limit, words in (("MAX_NAMES", "at most 3 can be checked"), ("MAX_LINES", "more than 3 nodes")):
        with monkeypatch.context() as patch, pytest.raises(LimitError, match=words):
            patch.setattr(value_text, limit, 3)
            certified(random_design(random.Random(2)))


def test_checking_keeps_its_limits(monkeypatch):
    """Should say that time or memory did not suffice, or that there are too many bits."""
    _, data = certified(random_lottery(random.Random(2)))
    with pytest.raises(LimitError, match="stopped"):
        verify(repaired(data), Budget.lasting(0.0))
    monkeypatch.setattr(value_functions, "TICKS", 1)
    monkeypatch.setattr(value_functions, "BYTES_PER_NODE", 1 << 28)
    with pytest.raises(LimitError, match="outgrew the memory"):
        verify(repaired(data))
    monkeypatch.setattr(value_functions, "MAX_LEVELS", 3)
    with pytest.raises(LimitError, match="more than 3 bits"):
        verify(repaired(data))


def test_functions_are_the_same_after_garbage_was_collected(monkeypatch):
    """Should prove the same with hardly any room between two collections."""
    monkeypatch.setattr(value_functions, "LITTER", 1)
    monkeypatch.setattr(value_functions, "GROWTH", 1)
    for seed in range(5):
        _, data = certified(random_lottery(random.Random(seed)))
        verdict = verify(repaired(data))
        assert verdict.valid, (seed, verdict.reason)
