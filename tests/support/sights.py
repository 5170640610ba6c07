"""Random scenarios whose defender does not see everything, a judge of their certificates, and ways to forge.

The judge lists positions one by one and takes where moves lead, and what is seen, from the oracles.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product

from certificates import Nodes, UnreadableError, no_way_back, packed, sections, unpacked
from holdfast.game.sight import with_sensors
from holdfast.logic.expressions import Player
from holdfast.solver.beliefs import solve_beliefs
from holdfast.solver.engines import solve
from mutations import loaded
from reference import Product
from reference_beliefs import TooManyBeliefsError, holds_blindly, looks
from segments import random_design, scenario

MAX_POSITIONS = 4_000
"""Of networks, so that all of them can be listed."""

# -- scenarios ----------------------------------------------------------------------------------------


def random_hidden_scenario(rng) -> str:
    """The text of a game in which every move leads anywhere, and much depends on what is not seen."""
    shape = {"a": rng.choice((2, 3)), "b": 2, "c": 2}
    states = list(product(*map(range, shape.values())))
    bad = [state for state in states[1:] if rng.random() < 0.2]

    def where(state):
        return " & ".join(f"{name} = {code}" for name, code in zip(shape, state))

    def rules():
        return [{"when": where(state), "set": dict(zip(shape, rng.choice(states)))} for state in states]

    game = {
        "variables": {name: f"0..{size - 1}" for name, size in shape.items()},
        "initial": dict.fromkeys(shape, 0),
        "first": rng.choice(("defender", "adversary")),
        "defender": {f"d{n}": rules() for n in range(rng.choice((3, 4)))},
        "adversary": {f"a{n}": rules() for n in range(rng.choice((1, 2, 2)))},
        "observes": rng.sample(["a", "b", "c", "a = b", "b > 0 | c = 1"], rng.choice((0, 0, 1, 1, 2))),
    }
    safe = " & ".join(f"!({where(state)})" for state in bad) or "true"
    limits = [] if rng.random() < 0.5 else ["G (times(a0) <= 2)"]
    return json.dumps(
        {"holdfast": 1, "game": game, "specs": {"defender": [f"G ({safe})"], "adversary": limits}}
    )


def random_watched_scenario(rng) -> str:
    """The text of a small network with some sensors: late ones, ones that miss, and moves that are noticed."""
    while True:
        design = random_design(rng, 2)
        design["isolate"] = rng.choice(("any", "detected", "detected"))
        data = json.loads(scenario(design, rng))
        placed = [host for host in design["hosts"] if rng.random() < 0.5]
        settings = {
            host: {"delay": rng.choice((0, 1, 2)), "may_miss": rng.choice((0, 0, 1))} for host in placed
        }
        data["network"]["sensors"] = rng.choice((placed, settings)) or "none"
        if rng.random() < 0.4:
            data["network"]["seen"] = rng.sample(["spread", "destroy"], rng.choice((1, 2)))
        text = json.dumps(data)
        if loaded(text).n_positions <= MAX_POSITIONS:
            return text


def random_seen_scenario(rng) -> str:
    """The text of one that is held with sight, and seldom one that is held by what is seen, too."""
    while True:
        watched = rng.random() < 0.15
        text = random_watched_scenario(rng) if watched else random_hidden_scenario(rng)
        solution = solve(loaded(text), "explicit")
        if not solution.defensible:
            continue
        lost = not solve_beliefs(solution, loaded(text).system.sight).defensible
        if lost or watched or rng.random() < 0.15:
            return text


# -- the judge ------------------------------------------------------------------------------------------


@lru_cache(200)
def whole_game(text):
    """Every position of a scenario."""
    return Product(loaded(text))


@lru_cache(200)
def holds(whole) -> bool | None:
    """Whether its defender holds with what it sees; None where that takes too long to find out."""
    sight = whole.configuration.system.sight
    try:
        return holds_blindly(whole, sight.seen, sight.noticed)[0]
    except TooManyBeliefsError:
        return None


def judged_sight(data) -> tuple[str, bool | None]:
    """What the checker must say of a certificate about sight, and whether what it says is true."""
    try:
        whole = whole_game(data["scenario"]["text"])
    except Exception:
        return "unreadable", None
    held, names = data["verdict"] == "defensible", data["claim"]["sensors"]
    sight = whole.configuration.system.sight
    if sight is None or sight.placed is None or names != [name for name in sight.sensors if name in names]:
        return "unreadable", None
    if not (set(names) <= set(sight.placed) if held else set(sight.placed) <= set(names)):
        return "unreadable", None
    truth = holds(whole)
    true = None if truth is None else truth is held
    try:
        beliefs, ranks, named = _read(data["witness"], whole, held)
        start, rest = _entries(data["witness"], len(beliefs), held)
    except (UnreadableError, StopIteration, ValueError, TypeError, AttributeError):
        return "unreadable", true
    judge = _Judge(whole, with_sensors(sight, names))
    proved = judge.held(beliefs, start, rest) if held else judge.lost(beliefs, start, rest, ranks, named)
    return "valid" if proved else "refuted", true


def _read(witness, whole, held):
    chosen = whole.configuration
    game, planes = chosen.game, [(Player(t), tuple(d), tuple(a)) for t, d, a in witness["planes"]]
    names = [] if held else ["ranks"]
    if witness["kind"] == "arrays":
        numbers = iter(unpacked(witness["positions"]))
        lists = [[next(numbers) for _ in range(size)] for size in witness["beliefs"]]
        if list(numbers) or any(own != sorted(set(own)) for own in lists):
            raise UnreadableError
        states = list(product(*(range(len(v.values)) for v in game.variables)))
        if any(n >= len(states) * len(planes) for own in lists for n in own):
            raise UnreadableError
        beliefs = [{(states[n % len(states)], *planes[n // len(states)]) for n in own} for own in lists]
        ranks, named = _plain(witness, chosen, names)
    else:
        nodes, n_own = Nodes(witness["dddmp"]), sum(map(len, witness["beliefs"]))
        if len(nodes.roots) < n_own:
            raise UnreadableError
        for own in witness["beliefs"]:
            if own != sorted(set(own)) or any(type(i) is not int or not 0 <= i < len(planes) for i in own):
                raise UnreadableError
        first = len(nodes.roots) - n_own
        rest = Nodes(witness["dddmp"])
        rest.roots = rest.roots[:first]
        ranks, named = _plain({**witness, "dddmp": rest.text()}, chosen, names)
        roots = iter(nodes.roots[first:])
        if not nodes.in_order():
            raise UnreadableError
        states = list(product(*(range(len(v.values)) for v in game.variables)))
        beliefs = []
        for own in witness["beliefs"]:
            pairs = [(planes[i], next(roots)) for i in own]
            beliefs.append(
                {
                    (s, *plane)
                    for plane, root in pairs
                    for s in states
                    if nodes.holds(root, nodes.bits(game, s))
                }
            )
        if any(planes[i][0] is Player.ADVERSARY for own in witness["beliefs"] for i in own):
            raise UnreadableError
    if any(v[1] is Player.ADVERSARY for belief in beliefs for v in belief):
        raise UnreadableError
    return beliefs, ranks, named


def _plain(witness, chosen, names):
    """The ranks and moves beside beliefs; none where there are no names."""
    if not names:
        names, witness = ["ranks"], {**witness, "ranks": 0, "moves": []}
        if witness["kind"] == "arrays":
            n = chosen.game.n_valuations
            own = [plane for plane in witness["planes"] if plane[0] == "adversary"]
            witness["ranks"] = packed([0] * n * len(witness["planes"]))
            witness["moves"] = packed([0] * n * len(own))
    (ranks,), named = sections(witness, chosen, names)
    return ranks, named


def _entries(witness, n, held):
    def entry(made, bits, noticed, number):
        texts = (made, bits)
        if any(f"{int(text, 16):x}" != text for text in texts) or type(number) is not int:
            raise UnreadableError
        if not 0 <= number < n or not isinstance(noticed, str | None):
            raise UnreadableError
        return int(made, 16), (int(bits, 16), noticed), number

    start = [entry("0", *own)[1:] for own in witness["start"]]
    rest = []
    for own in witness["stances" if held else "refuted"]:
        if held:
            action, after = own
            keyed = {(made, look): number for made, look, number in (entry(*e) for e in after)}
            if len(keyed) < len(after) or not isinstance(action, str):
                raise UnreadableError
            rest.append((action, keyed))
        else:
            rest.append([None if e is None else entry(*e) for e in own])
    if len(dict(start)) < len(start) or len(rest) != n:
        raise UnreadableError
    return dict(start), rest


class _Judge:
    def __init__(self, whole, sight):
        self.whole, self.sight, self.seen = whole, sight, looks(whole, sight.seen)
        game = whole.configuration.game
        self.names = {p: [action.name for action in game.actions[p]] for p in Player}

    def bits(self, v):
        return sum(bit << i for i, bit in enumerate(self.seen(v)))

    def made(self, belief, action):
        """By what is seen, where an action of the defender leads."""
        parts = {}
        for v in belief:
            after = self.whole.admissible(v)[action]
            parts.setdefault(self.bits(after), set()).add(after)
        return parts

    def answered(self, belief):
        """By what is seen and noticed, where answers lead."""
        parts = {}
        for v in belief:
            for action, after in self.whole.admissible(v).items():
                name = self.names[Player.ADVERSARY][action]
                look = (self.bits(after), name if name in self.sight.noticed else None)
                parts.setdefault(look, set()).add(after)
        return parts

    def starts(self):
        v = self.whole.initial
        return {(self.bits(v), None): {v}} if v[1] is Player.DEFENDER else self.answered({v})

    def held(self, beliefs, start, stances):
        unsafe = self.whole.unsafe
        if self.whole.initial in unsafe or any(unsafe & belief for belief in beliefs):
            return False
        if not self._next(beliefs, start, self.starts()):
            return False
        for belief, (name, after) in zip(beliefs, stances):
            if name not in self.names[Player.DEFENDER]:
                return False
            made = self.made(belief, self.names[Player.DEFENDER].index(name))
            if any(part & unsafe for part in made.values()):
                return False
            for bits, part in made.items():
                own = {look: number for (key, look), number in after.items() if key == bits}
                if not self._next(beliefs, own, self.answered(part)):
                    return False
        return True

    def _next(self, beliefs, numbers, possible):
        return all(
            look in numbers and part <= beliefs[numbers[look]] and not part & self.whole.unsafe
            for look, part in possible.items()
        )

    def lost(self, beliefs, start, refuted, ranks, named):
        if len(start) != 1 or not no_way_back(self.whole, ranks, named):
            return False
        ((look, number),) = start.items()
        if not beliefs[number] <= self.starts().get(look, set()):
            return False
        for n, (belief, own) in enumerate(zip(beliefs, refuted)):
            if not belief or len(own) != len(self.names[Player.DEFENDER]):
                return False
            for action, entry in enumerate(own):
                made = self.made(belief, action)
                after = set().union(*made.values())
                if entry is None:
                    if not after & self.whole.unsafe and not after & set(ranks):
                        return False
                    continue
                bits, look, earlier = entry
                part = made.get(bits, set()) - self.whole.unsafe
                possible = self.answered(part).get(look, set()) - self.whole.unsafe
                if earlier >= n or not beliefs[earlier] <= possible:
                    return False
        return True


# -- ways to forge --------------------------------------------------------------------------------------


def _change_belief(rng, data):
    """Put a position into a belief, or take one out."""
    witness = data["witness"]
    game = loaded(data["scenario"]["text"]).game
    sizes = witness["beliefs"]
    if not sizes:
        return
    which = rng.randrange(len(sizes))
    if witness["kind"] == "arrays":
        numbers, first = unpacked(witness["positions"]), sum(sizes[:which])
        own = numbers[first : first + sizes[which]]
        if own and rng.random() < 0.5:
            own.remove(rng.choice(own))
        else:
            own = sorted({*own, rng.randrange(len(witness["planes"]) * game.n_valuations)})
        witness["positions"] = packed(numbers[:first] + own + numbers[first + sizes[which] :])
        sizes[which] = len(own)
        return
    nodes = Nodes(witness["dddmp"])
    if not sizes[which]:
        return
    place = len(nodes.roots) - sum(map(len, sizes[which:])) + rng.randrange(len(sizes[which]))
    if rng.random() < 0.5:
        bits = nodes.bits(game, tuple(rng.randrange(n) for n in game.shape))
        nodes.roots[place] = nodes.toggled(nodes.roots[place], bits)
    else:
        nodes.roots[place] = rng.choice((1, -1, -nodes.roots[place], rng.choice(nodes.roots)))
    witness["dddmp"] = nodes.text()


def _exchange_beliefs(rng, data):
    """One belief in the place of another."""
    witness = data["witness"]
    sizes = witness["beliefs"]
    if not sizes:
        return
    one, other = rng.randrange(len(sizes)), rng.randrange(len(sizes))
    if witness["kind"] == "arrays":
        numbers, parts = iter(unpacked(witness["positions"])), []
        parts = [[next(numbers) for _ in range(size)] for size in sizes]
    else:
        nodes = Nodes(witness["dddmp"])
        first = len(nodes.roots) - sum(map(len, sizes))
        roots = iter(nodes.roots[first:])
        parts = [[next(roots) for _ in own] for own in sizes]
    parts[one], sizes[one] = parts[other], sizes[other]
    if witness["kind"] == "arrays":
        witness["positions"] = packed([n for part in parts for n in part])
    else:
        nodes.roots[first:] = [root for part in parts for root in part]
        witness["dddmp"] = nodes.text()


def _change_action(rng, data):
    """Do something else, or say that something else refutes an action."""
    witness, held = data["witness"], data["verdict"] == "defensible"
    own = witness["stances" if held else "refuted"]
    if not own:
        return
    which = rng.randrange(len(own))
    if held:
        actions = loaded(data["scenario"]["text"]).game.actions[Player.DEFENDER]
        own[which][0] = rng.choice([action.name for action in actions] + ["nothing"])
    else:
        i = rng.randrange(len(own[which]))
        others = [entry for entries in own for entry in entries]
        own[which][i] = rng.choice([None, *others])


def _change_next(rng, data):
    """Go on elsewhere, see something else, or forget what may be seen."""
    witness, n = data["witness"], len(data["witness"]["beliefs"])
    lists = [witness["start"]] + [after for _, after in witness.get("stances", ())]
    entries = [(own, i) for own in lists for i in range(len(own))]
    entries += [(own, i) for own in witness.get("refuted", ()) for i, e in enumerate(own) if e is not None]
    if not entries:
        return
    own, i = rng.choice(entries)
    change = rng.randrange(5)
    if change == 0:
        own[i] = [*own[i][:-1], rng.randrange(max(n, 1))]
    elif change == 1:
        del own[i]
    elif change == 2:
        own[i] = [f"{rng.randrange(8):x}", *own[i][1:]]
    elif change == 3:
        own[i] = [*own[i][:-2], rng.choice((None, "spread(h0)", "destroy(h1)", "a0")), own[i][-1]]
    else:
        own[i] = [*own[i][:-1], own[i][-1] + rng.choice((-1, 1, n))]


def _change_sensors(rng, data):
    """Count on other sensors than there are."""
    text = data["scenario"]["text"]
    known = list(loaded(text).system.sight.sensors)
    names, change = data["claim"]["sensors"], rng.randrange(3)
    if change == 0:
        data["claim"]["sensors"] = [name for name in known if rng.random() < 0.5]
    elif change == 1:
        data["claim"]["sensors"] = [*names, "nothing"]
    else:
        scenario = json.loads(text)
        if "network" in scenario:
            scenario["network"]["sensors"] = [name for name in known if rng.random() < 0.5] or "none"
            scenario["network"].pop("seen", None)
        else:
            scenario["game"]["observes"] = [name for name in known if rng.random() < 0.5]
        data["scenario"]["text"] = json.dumps(scenario)


def _edit_rules(rng, data):
    """Change the question and keep the answer."""
    scenario = json.loads(data["scenario"]["text"])
    if "network" in scenario:
        network = scenario["network"]
        network["isolate"] = "any" if network["isolate"] == "detected" else "detected"
    else:
        game, player = scenario["game"], rng.choice(("defender", "adversary"))
        change, action = rng.randrange(3), rng.choice(list(scenario["game"][player]))
        if change == 0:
            game["first"] = "defender" if game["first"] == "adversary" else "adversary"
        elif change == 1:
            game[player][action] = game[player][action][1:]
        else:
            scenario["specs"]["defender"] = scenario["specs"]["defender"][:-1] or ["G (a = 0)"]
    data["scenario"]["text"] = json.dumps(scenario)


def _opposite(rng, data):
    """Claim the opposite, with the same beliefs."""
    witness, held = data["witness"], data["verdict"] == "defensible"
    data["verdict"] = "not defensible" if held else "defensible"
    game = loaded(data["scenario"]["text"]).game
    own = sum(plane[0] == "adversary" for plane in witness["planes"])
    if held:
        witness.pop("stances")
        n = len(game.actions[Player.DEFENDER])
        witness["refuted"] = [[None] * n for _ in witness["beliefs"]]
        witness["start"] = witness["start"][:1]
        if witness["kind"] == "arrays":
            witness["ranks"] = packed(
                [rng.randrange(2) for _ in range(len(witness["planes"]) * game.n_valuations)]
            )
            witness["moves"] = packed([0] * (own * game.n_valuations))
        else:
            witness |= {"ranks": 0, "moves": []}
        return
    refuted = witness.pop("refuted")
    names = [action.name for action in game.actions[Player.DEFENDER]]
    witness["stances"] = [
        [rng.choice(names), [e for e in entries if e is not None][:1]] for entries in refuted
    ]
    ranks, moves = witness.pop("ranks"), witness.pop("moves")
    if witness["kind"] == "diagrams":
        nodes = Nodes(witness["dddmp"])
        nodes.roots = nodes.roots[len(witness["planes"]) * ranks + len(moves) :]
        witness["dddmp"] = nodes.text()


SIGHT_MUTATIONS = {
    "belief changed": (_change_belief, 30),
    "beliefs exchanged": (_exchange_beliefs, 15),
    "action changed": (_change_action, 20),
    "next changed": (_change_next, 30),
    "sensors changed": (_change_sensors, 15),
    "scenario edited": (_edit_rules, 15),
    "opposite verdict": (_opposite, 15),
}
