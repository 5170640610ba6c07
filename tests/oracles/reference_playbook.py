"""Playbooks by their definition: the lazy strategy over the whole product, and a judge of their certificates."""

import json
from collections import Counter
from functools import cache

import certificates
import holdfast as hf
import reference
from holdfast.explanation.playbook.playbooks import playbook
from holdfast.explanation.playbook.traits import RuleList
from holdfast.game.structure import choices
from holdfast.logic.expressions import Player
from holdfast.logic.parser import parse_predicate
from reference import freeze, states
from reference_chance import ChanceProduct

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY


class Literal:
    """The lazy strategy by its definition, over the whole product."""

    def __init__(self, configuration):
        self.whole, game = ChanceProduct(configuration), configuration.game
        self.idle = set()
        for outcomes in choices(game, DEFENDER):
            open_to = []
            for number in outcomes:
                after = [(freeze(game, s), reference.delta(game, DEFENDER, number, s)) for s in states(game)]
                open_to += [(s, freeze(game, t)) for s, t in after if t is not None]
            if open_to and all(s == t for s, t in open_to):
                self.idle.add(outcomes[0])

    def led(self, v):
        """For each choice, by its first outcome, everything that may come of it."""
        return {own[0][0]: [target for _, target, _ in own] for own in self.whole.groups(v)}

    def right(self, v):
        """What a lazy defender may do at v."""
        safe = self.whole.safe(v)
        idle = [action for action in safe if action in self.idle]
        if idle:
            return set(idle)
        freedom, led = {}, self.led(v)
        for action in safe:
            again = [
                (state, DEFENDER, q_defender, q_adversary)
                for state, _, q_defender, q_adversary in led[action]
            ]
            freedom[action] = min(len(self.whole.safe(after)) for after in again)
        return {action for action in safe if freedom[action] == max(freedom.values())}

    def fallen(self, v):
        """How many nodes of the picture have fallen at v; None where the picture does not tell."""
        return self._toned(v, {"bad", "watched", "gone"})

    def _toned(self, v, tones):
        configuration = self.whole.configuration
        graph, game = configuration.system.graph, configuration.game
        if graph is None or not tones & set(graph.tones.values()):
            return None
        values = {x.name: str(x.values[c]) for x, c in zip(game.variables, v[0])}
        return sum(graph.tones.get(values[name]) in tones for name in {n.variable for n in graph.nodes})

    def lost(self, v):
        """What is lost at v, the gravest first."""
        if self.fallen(v) is None:
            game = self.whole.configuration.game
            values = {x.name: x.values[c] for x, c in zip(game.variables, v[0])}
            return (-reference.value(game.dominance, values),)
        return self.fallen(v), self._toned(v, {"bad"}), self._toned(v, {"bad", "watched", "gone", "apart"})

    def kept(self, most):
        """From where the defender can see to it, for ever, that no more than so many have fallen."""
        inside = {v for v in self.whole.winning if most is None or self.fallen(v) <= most}
        while True:
            leaving = {v for v in inside if not self._can_stay(v, inside)}
            if not leaving:
                return inside
            inside -= leaving

    def _can_stay(self, v, inside):
        targets = [all(target in inside for target in own) for own in self.led(v).values()]
        return any(targets) if v[1] is DEFENDER else all(targets)

    def home(self):
        """How many fall at a time at least, and where play is kept so that no more do."""
        if self.fallen(self.whole.initial) is None:
            return None, self.kept(None)
        return next((n, inside) for n in range(99) if self.whole.initial in (inside := self.kept(n)))

    def early(self, v, inside, at_once):
        """What an early defender may do at v, which keeps play inside."""
        staying = {a: own for a, own in self.led(v).items() if all(t in inside for t in own)}
        containing, harmless, here = set(), set(), self.lost(v)
        for action, targets in staying.items():
            moved = [self.lost(target) for target in targets if self.lost(target) != here]
            if moved and all(lost < here for lost in moved):
                harmless.add(action)
                if any(lost[0] < here[0] for lost in moved):
                    containing.add(action)
        harmless |= self.idle & staying.keys()
        return (containing if at_once else set()) or harmless or set(staying)

    def reached(self, answer):
        """Every position that play reaches if the defender does what ``answer`` says."""
        seen, stack = {self.whole.initial}, [self.whole.initial]
        while stack:
            v = stack.pop()
            led = self.led(v)
            chosen = [answer(v)] if v[1] is DEFENDER else list(led)
            for target in (target for action in chosen for target in led[action]):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen


def spoken(found):
    """What the rules say at a position, read from their words in the expression language, one by one."""
    chosen = found.configuration
    rules = [
        (parse_predicate(str(rule.predicate), chosen.system.vocabulary), rule.memory, rule.action)
        for rule in found.instructions
    ]

    def answer(v):
        values = {x.name: x.values[c] for x, c in zip(chosen.game.variables, v[0])}
        for when, memory, action in rules:
            held = all((v[2] if side is DEFENDER else v[3])[i] in own for (side, i), own in memory.items())
            if held and reference.value(when, values):
                return action
        return found.default

    return answer


def assert_lazy_everywhere(configuration):
    """Should say what the literal strategy allows at every position that the literal search reaches."""
    twin, found = Literal(configuration), playbook(configuration, style="late")
    assert found.defensible == twin.whole.defensible
    if not found.defensible:
        assert found.instructions == () and found.region is None
        return 0
    answer = spoken(found)
    reached = twin.reached(answer)
    own = [v for v in reached if v[1] is DEFENDER]
    assert not reached & twin.whole.unsafe
    for v in own:
        assert answer(v) in twin.right(v), configuration.describe(hf.Position(*v))
    rules = RuleList(configuration, found.instructions, found.default)
    counts = Counter(rules.deciding(hf.Position(*v)) for v in own)
    assert found.decides == tuple(counts[place] for place in range(len(found.instructions) + 1))
    assert all(found.decides[:-1]), "a rule that never decides is no rule"
    return len(found.instructions)


def assert_early_everywhere(configuration, found=None):
    """Should say what the early defender may do wherever the literal search comes, and lose no more than must be."""
    twin = Literal(configuration)
    found = found or playbook(configuration)
    assert found.style == "early" and found.defensible == twin.whole.defensible
    if not found.defensible:
        return 0
    answer, (least, inside) = spoken(found), twin.home()
    reached = twin.reached(answer)
    own = [v for v in reached if v[1] is DEFENDER]
    assert reached <= inside and not reached & twin.whole.unsafe
    for v in own:
        assert answer(v) in twin.early(v, inside, found.at_once), configuration.describe(hf.Position(*v))
    assert found.most_lost == least == (None if least is None else max(map(twin.fallen, reached)))
    assert found.n_positions == len(own) and all(found.decides[:-1])
    return len(found.instructions)


@cache
def product_of(text):
    return ChanceProduct(hf.configuration(hf.scenario_from_text(text)))


def judged(data):
    """What the checker must say of the certificate of a playbook, position by position."""
    whole = product_of(data["scenario"]["text"])
    chosen, witness = whole.configuration, data["witness"]
    region, _ = certificates.witnessed(witness, chosen, True)
    names = [action.name for action in chosen.game.actions[DEFENDER]]
    rules = [(parse_predicate(r["when"], chosen.system.vocabulary), r) for r in witness["rules"]]

    def says(v):
        values = {x.name: x.values[c] for x, c in zip(chosen.game.variables, v[0])}
        for when, rule in rules:
            sides = {"defender": v[2], "adversary": v[3]}
            if all(sides[s][i] in own for s, i, own in rule["memory"]) and reference.value(when, values):
                return names.index(rule["do"])
        return names.index(witness["otherwise"])

    def stays(v):
        if v[1] is ADVERSARY:
            return all(target in region for target in whole.admissible(v).values())
        (own,) = [own for own in whole.groups(v) if own[0][0] == says(v)]
        return all(target in region for _, target, _ in own)

    return whole.initial in region and not region.keys() & whole.unsafe and all(map(stays, region))


def forged(rng, data):
    """The certificate with something in its rules changed."""
    data = json.loads(json.dumps(data))
    witness, names = data["witness"], data.pop("names")
    rules = witness["rules"]
    kind = rng.choice(["do", "drop", "swap", "when", "otherwise", "memory"])
    if kind == "otherwise" or not rules:
        witness["otherwise"] = rng.choice(names)
    elif kind == "do":
        rng.choice(rules)["do"] = rng.choice(names)
    elif kind == "drop":
        rules.remove(rng.choice(rules))
    elif kind == "swap":
        rng.shuffle(rules)
    elif kind == "when":
        rng.choice(rules)["when"] = rng.choice(["true", "false"])
    else:
        rng.choice(rules)["memory"] = [["defender", 0, []]]
    return data
