"""Random scenario texts, and a slow literal judge of certificates that shares nothing with the checker.

The judge lists every position that a witness names, one by one, and asks the oracle (reference.py) for its
moves. It says ``valid``, ``refuted`` or ``unreadable``, as the checker must.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import reference_recovery
import strategies
from holdfast.errors import InputError
from holdfast.game.actions import Action, Rule
from holdfast.game.configuration import configure, is_unsafe
from holdfast.game.structure import GameStructure
from holdfast.logic.expressions import Arithmetic, Compare, Number, Player, Read, Symbol, Variable
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.restrictions import Restriction, restricted
from reference import Product

# -- scenarios ----------------------------------------------------------------------------------------


def scenario_text(found) -> str:
    """A configuration as a scenario file; JSON is YAML."""
    game = found.game
    return json.dumps(
        {
            "holdfast": 1,
            "name": "random",
            "game": {
                "variables": {
                    v.name: f"{v.values[0]}..{v.values[-1]}" if v.numeric else list(v.values)
                    for v in game.variables
                },
                "initial": {v.name: v.values[c] for v, c in zip(game.variables, game.initial)},
                "first": game.first.value,
                **{
                    player.value: {action.name: _rules(action) for action in game.actions[player]}
                    for player in Player
                },
            },
            "specs": {
                side: [_clause(automaton) for automaton in automata]
                for side, automata in (("defender", found.defender), ("adversary", found.adversary))
            },
        },
        indent=1,
    )


def _rules(action):
    return [
        {
            "when": str(rule.when),
            "set": {v.name: x.value if isinstance(x, Symbol) else str(x) for v, x in rule.assign},
        }
        for rule in action.rules
    ]


def _clause(automaton):
    if automaton.source != "automaton":
        return automaton.source
    edges = [
        {"from": automaton.states[q], "to": automaton.states[t], "when": str(guard)}
        for q, t, guard in automaton.edges()
    ]
    accepting = [name for name, kept in zip(automaton.states, automaton.accepting) if kept]
    return {
        "automaton": {
            "states": list(automaton.states),
            "initial": automaton.states[automaton.initial],
            "accepting": accepting,
            "edges": edges,
        }
    }


def random_scenario(rng) -> str:
    """The text of a small random game: of any kind, or a chase."""
    while True:
        found = _chase(rng) if rng.random() < 0.75 else strategies.random_configuration(rng, 400)
        if found.game.tables is None and (not is_unsafe(found, found.initial) or rng.random() < 0.05):
            return scenario_text(found)


def random_goal_scenario(rng) -> str:
    """The text of such a game that can be defended, with a goal; seldom one that is met already or never."""
    while True:
        text = random_scenario(rng)
        chosen = configuration(scenario_from_text(text))
        whole = Product(chosen)
        for _ in range(6 if whole.defensible else 0):
            goal = strategies.random_predicate(rng, chosen.system.vocabulary, moves=False)
            asked = json.dumps({**json.loads(text), "recovery": {"goal": goal}})
            expression = configuration(scenario_from_text(asked)).goals["goal"]
            rank = reference_recovery.ranks(whole, expression).get(whole.initial)
            if rng.random() < {0: 0.1, None: 0.2}.get(rank, 1):
                return asked


def _chase(rng):
    """A number that the adversary can push up must stay below its end; both verdicts, and long ranks too."""
    level = Variable("x", range(rng.randint(3, 6)))
    variables = (level, *strategies.random_variables(rng)[:2])
    end = Number(Fraction(level.values[-1]))
    push = Rule(Compare("<", Read(level), end), ((level, Arithmetic("+", Read(level), Number(Fraction(1)))),))
    game = GameStructure(
        variables=variables,
        initial=(0, *(rng.randrange(len(v.values)) for v in variables[1:])),
        first=rng.choice(list(Player)),
        actions={
            Player.DEFENDER: strategies.random_actions(rng, variables, "d"),
            Player.ADVERSARY: (Action("push", (push,)), *strategies.random_actions(rng, variables, "a")),
        },
        dominance=Number(Fraction(1)),
    )
    budget = [f"G (times(push) <= {rng.randint(1, 7)})"] if rng.random() < 0.5 else []
    return configure(game, [f"G (x < {level.values[-1]})"], budget)


def segment_text(n, slack=3, budget=2) -> str:
    """A chain of n hosts, as in the benchmarks: defensible with slack 3, not with slack 1."""
    stations = [f"ws{i}" for i in range(1, n - 3)]
    chain = ["GW", *stations, "DB"]
    links = ["GW -> Web", "Web -> DB", "DB -> BK", f"Web -> {stations[0]}"]
    links += [f"{a} -> {b}" for a, b in pairwise(chain)]
    return "\n".join((
        "holdfast: 1", f"name: {n} hosts", "network:",
        f"  hosts: [GW, Web, {', '.join(stations)}, DB, BK]",
        f"  links: [{', '.join(links)}]", "  entry: GW", "specs:",
        "  defender:", '    - "G !(DB in {X, D, Z} & BK in {X, D, Z})"', f"    - G (active >= {n - slack})",
        "  adversary:", f"    - G (times(destroy) <= {budget})", "",
    ))  # fmt: skip


# -- the container ------------------------------------------------------------------------------------


def repaired(data) -> bytes:
    """The certificate with both hashes made to fit, as a forger would."""
    data = json.loads(json.dumps(data))
    data["scenario"]["sha256"] = hashlib.sha256(data["scenario"]["text"].encode()).hexdigest()
    data.pop("sha256", None)
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    data["sha256"] = hashlib.sha256(canonical.encode()).hexdigest()
    return json.dumps(data).encode()


def unpacked(text) -> list[int]:
    raw = zlib.decompress(base64.b64decode(text))
    return list(struct.unpack(f"<{len(raw) // 4}I", raw))


def packed(numbers) -> str:
    raw = struct.pack(f"<{len(numbers)}I", *numbers)
    return base64.b64encode(zlib.compress(raw)).decode()


# -- diagrams, node by node -----------------------------------------------------------------------------


class Nodes:
    """DDDMP text as a list of nodes, to be read and rewritten."""

    def __init__(self, text):
        head, _, body = text.partition(".nodes\n1 T 0 0\n")
        self.head = head.splitlines()
        self.rows = [tuple(map(int, line.split())) for line in body.splitlines()[:-1]]
        self.names = self._field(".orderedvarnames").split()
        self.roots = [int(word) for word in self._field(".rootids").split()]

    def _field(self, key):
        return next(line.partition(" ")[2] for line in self.head if line.startswith(f"{key} "))

    def text(self):
        new = {
            ".nnodes": len(self.rows) + 1,
            ".nroots": len(self.roots),
            ".rootids": " ".join(map(str, self.roots)),
        }
        keys = [line.partition(" ")[0] for line in self.head]
        head = [f"{key} {new[key]}" if key in new else line for key, line in zip(keys, self.head)]
        rows = [" ".join(map(str, row)) for row in self.rows]
        return "\n".join((*head, ".nodes", "1 T 0 0", *rows, ".end\n"))

    def in_order(self):
        """Whether every node stands after its children and on a level above them."""
        level = {1: len(self.names)}
        for i, (own, bit, high, low) in enumerate(self.rows, 2):
            if own != i or not all(abs(e) in level and 0 <= bit < level[abs(e)] for e in (high, low)):
                return False
            level[i] = bit
        return all(abs(root) in level for root in self.roots)

    def holds(self, edge, bits):
        """The value of an edge; ``bits`` by level."""
        sign = edge > 0
        while abs(edge) != 1:
            _, bit, high, low = self.rows[abs(edge) - 2]
            edge = high if bits[bit] else low
            sign ^= edge < 0
        return sign

    def bits(self, game, state):
        """A state as the truth of each bit, by level."""
        codes = game.codes(state)
        return [
            bool(codes[name.rpartition(".")[0]] >> int(name.rpartition(".")[2]) & 1) for name in self.names
        ]

    def toggled(self, edge, bits, level=0):
        """An edge to the same set with one valuation put in or taken out."""
        if level == len(self.names):
            return -edge
        high = low = edge
        if abs(edge) != 1 and self.rows[abs(edge) - 2][1] == level:
            _, _, high, low = self.rows[abs(edge) - 2]
            high, low = (high, low) if edge > 0 else (-high, -low)
        if bits[level]:
            high = self.toggled(high, bits, level + 1)
        else:
            low = self.toggled(low, bits, level + 1)
        self.rows.append((len(self.rows) + 2, level, high, low))
        return len(self.rows) + 1


# -- the judge ------------------------------------------------------------------------------------------


class UnreadableError(Exception):
    """The certificate is not one."""


def judged(data) -> tuple[str, bool | None]:
    """What the checker must say of a certificate whose hashes fit, and whether what it says is true."""
    added = data.get("restriction")
    clause = None if added is None else (added["kind"], added["number"])
    whole = _product(data["scenario"]["text"], data["scenario"]["variant"], clause)
    if whole is None:
        return "unreadable", None
    if "claim" in data:
        return _judged_claim(data, whole)
    chosen = whole.configuration
    defensible = data["verdict"] == "defensible"
    try:
        numbers, named = witnessed(data["witness"], chosen, defensible)
    except (UnreadableError, StopIteration):
        return "unreadable", defensible is whole.defensible
    proved = _invariant(whole, numbers) if defensible else _forced(whole, numbers, named)
    return "valid" if proved else "refuted", defensible is whole.defensible


def _judged_claim(data, whole):
    """As above, of a claim about a goal: what each section must show, position by position."""
    if "again" in data["claim"]:
        return _judged_again(data, whole)
    name, moves = data["claim"]["goal"], data["claim"]["moves"]
    goals, never = whole.configuration.goals, moves == "never"
    if name not in goals or data["verdict"] != "defensible" or not (never or moves >= 0):
        return "unreadable", None
    rank = reference_recovery.ranks(whole, goals[name]).get(whole.initial)
    true = whole.defensible and (rank is None if never else rank is not None and rank <= moves)
    names = ("region", "trap", "ranks") if never else ("region", "recovery")
    try:
        (region, *others), named = sections(data["witness"], whole.configuration, names)
    except (UnreadableError, StopIteration):
        return "unreadable", true
    there = reference_recovery.goal_positions(whole, goals[name])
    if never:
        proved = no_way_back(whole, others[1], named) and _trapped(whole, *others, there)
    else:
        proved = others[0].get(whole.initial) == moves + 1 and _recovers(whole, region, others[0], there)
    return "valid" if proved and _invariant(whole, region) else "refuted", true


def _judged_again(data, whole):
    """As above, of a claim that a goal can be visited again and again, or cannot."""
    name, again = data["claim"]["goal"], data["claim"]["again"]
    goals = whole.configuration.goals
    if name not in goals or data["verdict"] != "defensible" or again not in ("yes", "no"):
        return "unreadable", None
    visited = whole.initial in reference_recovery.again(whole, goals[name])
    true = whole.defensible and visited == (again == "yes")
    names = ("region", "home", "recovery") if again == "yes" else ("region", "visits", "ranks")
    try:
        (region, *others), named = sections(data["witness"], whole.configuration, names)
    except (UnreadableError, StopIteration):
        return "unreadable", true
    there = reference_recovery.goal_positions(whole, goals[name])
    if again == "yes":
        home, ranks = others
        proved = whole.initial in home and set(home) == set(ranks) and _recovers(whole, region, ranks, there)
        for v in set(home) & there:
            inside = [target in home for target in whole.admissible(v).values()]
            proved &= any(inside) if v[1] is Player.DEFENDER else all(inside)
    else:
        proved = no_way_back(whole, others[1], named) and _few_visits(whole, *others, there)
    return "valid" if proved and _invariant(whole, region) else "refuted", true


def _few_visits(whole, visits, lost, there):
    for v, left in visits.items():
        moves, most = whole.admissible(v).values(), left - (v in there)
        fewer = [visits.get(target, left + 1) <= most for target in moves]
        if v[1] is Player.ADVERSARY:
            held = any(fewer) or (not moves and v not in there)
        else:
            given_up = (target in lost or target in whole.unsafe for target in moves)
            held = all(few or gone for few, gone in zip(fewer, given_up, strict=True))
        if not held or v in whole.unsafe:
            return False
    return whole.initial in visits


def _recovers(whole, region, ranks, there):
    for v, rank in ranks.items():
        moves = whole.admissible(v).values()
        lower = [ranks.get(target, rank) < rank for target in moves]
        if v not in there and not (any(lower) if v[1] is Player.DEFENDER else moves and all(lower)):
            return False
    return set(ranks) <= set(region)


def _trapped(whole, trap, lost, there):
    for v in trap:
        moves = whole.admissible(v).values()
        if v[1] is Player.ADVERSARY:
            held = not moves or any(target in trap for target in moves)
        else:
            held = all(target in trap or target in lost or target in whole.unsafe for target in moves)
        if not held or v in there or v in whole.unsafe:
            return False
    return whole.initial in trap


@cache
def _product(text, variant, clause):
    try:
        chosen = configuration(scenario_from_text(text), variant)
        return Product(chosen if clause is None else restricted(chosen, Restriction(*clause)))
    except InputError:
        return None


def _invariant(whole, region):
    return (
        whole.initial in region
        and not any(v in whole.unsafe for v in region)
        and all(
            all(t in region for t in whole.admissible(v).values())
            if v[1] is Player.ADVERSARY
            else any(t in region for t in whole.admissible(v).values())
            for v in region
        )
    )


def _forced(whole, ranks, named):
    return (whole.initial in whole.unsafe or whole.initial in ranks) and no_way_back(whole, ranks, named)


def no_way_back(whole, ranks, named):
    """Whether the adversary forces a violation from every position with a rank."""

    def lower(target, rank):
        return target in whole.unsafe or ranks.get(target, rank) < rank

    for v, rank in ranks.items():
        moves = whole.admissible(v)
        if v[1] is Player.DEFENDER:
            right = all(lower(target, rank) for target in moves.values())
        else:
            right = named[v] and all(a in moves and lower(moves[a], rank) for a in named[v])
        if not right:
            return False
    return True


RANKED = ("ranks", "recovery", "visits")


def witnessed(witness, chosen, defensible):
    """The number of each position that the witness lists, and the moves it names at the adversary's."""
    (numbers,), named = sections(witness, chosen, ["region" if defensible else "ranks"])
    return numbers, named


def sections(witness, chosen, names):
    """For each section of a witness the numbers of its positions, and the moves it names at the adversary's."""
    planes = []
    for turn, ones, others in witness["planes"]:
        sides = ((ones, chosen.defender), (others, chosen.adversary))
        if any(len(qs) != len(side) for qs, side in sides) or any(
            not 0 <= q < a.n_states for qs, side in sides for q, a in zip(qs, side)
        ):
            raise UnreadableError
        planes.append((Player(turn), tuple(ones), tuple(others)))
    if len(set(planes)) < len(planes):
        raise UnreadableError
    states = list(product(*(range(len(v.values)) for v in chosen.game.variables)))
    if witness["kind"] == "arrays":
        return _from_arrays(witness, planes, states, names)
    return _from_diagrams(witness, planes, states, chosen.game, names)


def _from_arrays(witness, planes, states, names):
    lists, named = [], {}
    for name in names:
        flat = iter(unpacked(witness[name]))
        numbers = {(s, *plane): next(flat) for plane in planes for s in states}
        if list(flat) or (name not in RANKED and set(numbers.values()) - {0, 1}):
            raise UnreadableError
        lists.append({v: number for v, number in numbers.items() if number})
    if "ranks" in names:
        own = [plane for plane in planes if plane[0] is Player.ADVERSARY]
        moves = iter(unpacked(witness["moves"]) if own else ())
        named = {(s, *plane): {next(moves)} for plane in own for s in states}
        if list(moves):
            raise UnreadableError
    return lists, named


def _from_diagrams(witness, planes, states, game, names):
    nodes = Nodes(witness["dddmp"])
    sizes = [witness[name] if name in RANKED else 1 for name in names]
    entries = witness["moves"] if "ranks" in names else []
    actions = [action.name for action in game.actions[Player.ADVERSARY]]
    widths = {v.name: max(1, (len(v.values) - 1).bit_length()) for v in game.variables}
    if (
        not nodes.in_order()
        or min(sizes) < 0
        or len(nodes.roots) != len(planes) * sum(sizes) + len(entries)
        or sorted(nodes.names)
        != sorted(f"{name}.{j}" for name, width in widths.items() for j in range(width))
        or len({tuple(entry) for entry in entries}) < len(entries)
        or any(not 0 <= i < len(planes) or planes[i][0] is not Player.ADVERSARY for i, _ in entries)
    ):
        raise UnreadableError
    lists, named, roots = [{} for _ in names], {}, iter(nodes.roots)
    own = [[[next(roots) for _ in range(size)] for _ in planes] for size in sizes]
    pairs = list(zip(entries, roots))
    for i, plane in enumerate(planes):
        for s in states:
            bits = nodes.bits(game, s)
            for numbers, levels in zip(lists, own):
                inside = [nodes.holds(root, bits) for root in levels[i]]
                if any(inside):
                    numbers[s, *plane] = inside.index(True) + 1
            named[s, *plane] = {
                actions.index(name)
                for (j, name), root in pairs
                if j == i and name in actions and nodes.holds(root, bits)
            }
    return lists, named
