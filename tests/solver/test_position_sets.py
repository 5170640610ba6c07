"""Sets of positions: both implementations against literal sets of positions of random games."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from cases import TIMES
from holdfast.game.configuration import Position
from holdfast.logic.expressions import Compare, Number, Player
from holdfast.solver.array_positions import ArrayPositions
from holdfast.solver.diagram_positions import DiagramPositions, attractor
from holdfast.solver.engines import solve
from holdfast.solver.freezing import frozen, staying
from holdfast.solver.ordering import variable_orders
from holdfast.solver.position_sets import out_of_moves
from holdfast.solver.product_diagrams import ProductDiagrams
from holdfast.solver.product_tables import ProductTables
from reference import Product, value
from strategies import random_configuration

KINDS = "stuck", "blocks", "sink", "some memories"
N_GAMES, N_CHUNKS = 300 * TIMES, 6


class Literal:
    """The operators by their definitions, over every position outside U."""

    def __init__(self, configuration):
        self.oracle = Product(configuration)
        self.all = [v for v in self.oracle.positions if v not in self.oracle.unsafe]

    def rejects(self, v):
        """Whether φ_A has been violated in v."""
        return v[3] not in self.oracle.accepting_adversary

    def whole(self, v):
        """The position of the quotient that v belongs to: those in which φ_A rejects are one."""
        return (*v[:3], None) if self.rejects(v) else v

    def moves(self, v, actions=None):
        """Where the admissible moves of a position lead; with some of the defender's actions alone, if given."""
        found = self.oracle.admissible(v)
        chosen = found if actions is None or v[1] is Player.ADVERSARY else set(actions) & set(found)
        return {found[a] for a in chosen}

    def some(self, rng):
        """A random set in which the positions of the sink that differ in q_A alone go together."""
        density, chosen = rng.choice((0.0, 0.05, 0.3, 0.7, 0.95, 1.0)), {}
        found = set()
        for v in self.all:
            if chosen.setdefault(self.whole(v), rng.random() < density):
                found.add(v)
        return found

    def frozen(self, v, chosen, state):
        """A position with the values of a state for some variables."""
        own = zip(self.oracle.configuration.game.variables, v[0], state, strict=True)
        return (tuple(kept if x in chosen else code for x, code, kept in own), *v[1:])

    def frozen_moves(self, v, chosen, state):
        """Where the moves of a position lead that neither assign nor copy variables, which are as in a state."""
        actions = self.oracle.configuration.game.actions[v[1]]
        found = self.oracle.admissible(self.frozen(v, chosen, state))
        return {t for a, t in found.items() if not actions[a].written & chosen}

    def pre(self, inside, unsafe=False, actions=None):
        """Some move leads inside."""
        wanted = inside | self.oracle.unsafe if unsafe else inside
        return {v for v in self.all if self.moves(v, actions) & wanted}

    def cpre(self, inside, actions=None):
        """The defender has a move inside, the adversary no other."""
        return {
            v
            for v in self.all
            if (
                self.moves(v, actions) & inside
                if v[1] is Player.DEFENDER
                else self.moves(v, actions) <= inside
            )
        }

    def kept(self, inside):
        """From where the defender can keep play inside for ever."""
        while True:
            staying = self.cpre(inside) & inside
            if staying == inside:
                return inside
            inside = staying

    def low(self, v):
        """Whether μ is one half at most."""
        game = self.oracle.configuration.game
        values = {x.name: x.values[c] for x, c in zip(game.variables, v[0])}
        return value(game.dominance, values) <= Fraction(1, 2)

    def post(self, inside, actions=None):
        """Where moves lead, outside U; with all that the quotient takes for one."""
        led = {self.whole(t) for v in inside for t in self.moves(v, actions)}
        return {v for v in self.all if self.whole(v) in led}


def representations(configuration, rng):
    """Each implementation: its name, the game as it wants it, and its class."""
    tables = ProductTables.build(configuration)
    yield "arrays", tables, ArrayPositions
    if configuration.game.tables is None:
        automata = (*configuration.defender, *configuration.adversary)
        order = rng.choice(list(variable_orders(configuration.game, automata)))
        yield "diagrams", ProductDiagrams.build(configuration, order, 1 << 16, lambda: None), DiagramPositions


def built(kind, game, positions):
    """A literal set in a representation, position by position."""
    found = kind.nothing(game)
    for v in positions:
        found = found | kind.of(game, Position(*v))
    return found


def checker(literal, game, kind, note):
    """What compares a set in a representation with a literal one, in all that can be asked of it."""

    def same(found, wanted):
        assert {v for v in literal.oracle.positions if Position(*v) in found} == wanted, note
        assert bool(found) == bool(wanted), note
        assert found.count() == len(wanted), note
        assert found.count(multiplicity=False) == len({literal.whole(v) for v in wanted}), note
        assert found == built(kind, game, wanted), note
        assert (found != kind.nothing(game)) == bool(wanted), note

    return same


def check_game(configuration, rng, note, seen):
    literal, half = Literal(configuration), Number(Fraction(1, 2))
    everything = set(literal.all)
    one, other, among = (literal.some(rng) for _ in range(3))
    n_actions = len(configuration.game.actions[Player.DEFENDER])
    actions = tuple(sorted(rng.sample(range(n_actions), rng.randint(1, n_actions))))
    kept = sorted({v[3] for v in literal.all if not literal.rejects(v)})
    memories = set(rng.sample(kept, rng.randint(0, len(kept))))
    for name, game, kind in representations(configuration, rng):
        at, few = f"{note}, {name}", game.only(actions)
        same = checker(literal, game, kind, at)
        a, b, c = (built(kind, game, inside) for inside in (one, other, among))

        same(a, one)
        same(kind.everything(game), everything)
        same(a & b, one & other)
        same(a | b, one | other)
        same(a - b, one - other)
        same(~a, everything - one)
        for player in Player:
            same(a.at(player), {v for v in one if v[1] is player})
        same(a.recalling(memories), {v for v in one if v[3] in memories})
        for unsafe in (False, True):
            same(a.pre(unsafe=unsafe), literal.pre(one, unsafe))
            same(a.pre(c, unsafe=unsafe), literal.pre(one, unsafe) & among)
        same(a.pre(c, by=few), literal.pre(one, actions=actions) & among)
        same(a.cpre(), literal.cpre(one))
        same(a.cpre(c), literal.cpre(one) & among)
        same(a.cpre(by=few), literal.cpre(one, actions=actions))
        same(a.post(), literal.post(one))
        same(a.post(by=few), literal.post(one, actions=actions))
        stuck = {v for v in among if v[1] is Player.ADVERSARY and not literal.moves(v)}
        same(out_of_moves(c), stuck)
        same(kind.everything(game).kept(), literal.oracle.winning)
        same(c.kept(), literal.kept(among))
        here, kept = configuration.initial, literal.kept(among)
        if tuple(here) in kept:
            same(c.kept(here=here), kept)
        else:
            assert here not in c.kept(here=here), at
        same(
            a.satisfying(Compare("<=", configuration.game.dominance, half)),
            {v for v in one if literal.low(v)},
        )
        seen[name] += 1
        seen["stuck", name] += any(not literal.rejects(v) for v in stuck)
        seen["some memories", name] += 0 < len(memories) < len(kept)
        seen["blocks", name] += game.blocks.n_blocks > 1
        seen["sink", name] += any(map(literal.rejects, literal.all))
        seen[configuration.initial.turn, name] += 1
    return literal


@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_operators_are_those_of_literal_sets(chunk):
    """Should agree with sets of positions in every operator, on random sets of random games."""
    seen = Counter()
    for seed in range(chunk * N_GAMES // N_CHUNKS, (chunk + 1) * N_GAMES // N_CHUNKS):
        rng = random.Random(70_000 + seed)
        check_game(random_configuration(rng, max_positions=400), rng, f"seed {seed}", seen)
    for name in ("arrays", "diagrams"):
        assert seen[name] and all(seen[kind, name] for kind in (*KINDS, *Player)), seen


def test_variables_may_be_forgotten_or_frozen():
    """Should forget what is said of some variables; and lead where moves lead that never change them.

    So it should where these variables may have any values, among those that have the same.
    """
    seen = Counter()
    for seed in range(120 * TIMES):
        rng = random.Random(90_000 + seed)
        configuration = random_configuration(rng, max_positions=400)
        literal, variables = Literal(configuration), configuration.game.variables
        chosen = set(rng.sample(variables, rng.randint(0, len(variables))))
        state = tuple(rng.randrange(len(v.values)) for v in variables)
        one, among = literal.some(rng), literal.some(rng)
        alike = {literal.frozen(v, chosen, state) for v in one}
        wider = {v for v in literal.all if literal.frozen(v, chosen, state) in alike}
        led = {v for v in among if literal.frozen_moves(v, chosen, state) & wider}
        here, near = ({v for v in own if literal.frozen(v, chosen, state) == v} for own in (one, among))
        back = literal.pre(here) & near
        for name, game, kind in representations(configuration, rng):
            same = checker(literal, game, kind, f"seed {seed}, {name}")
            a = built(kind, game, one).forgetting(chosen)
            same(kind.everything(game) & a, wider)
            if configuration.game.tables is None:
                by = game.frozen(chosen, state) if name == "arrays" else frozen(game, chosen, state)
                same(a.pre(built(kind, game, among), by=by), led)
                by = game if name == "arrays" else staying(game, chosen)
                same(built(kind, game, here).pre(built(kind, game, near), by=by), back)
                seen["staying", name] += 0 < len(chosen) < len(variables) and bool(back)
                seen[name] += 0 < len(chosen) < len(variables) and bool(led)
    assert min(seen.values()) > 10 and len(seen) == 4, seen


def test_attractor_goes_on_from_where_it_was():
    """Should give the layers of the solution, also when it is begun anew after each of its iterations."""
    n_layers = 0
    for seed in range(60 * TIMES):
        configuration = random_configuration(random.Random(seed), 1000)
        if configuration.game.tables is not None:
            continue
        regions = solve(configuration, "symbolic").regions
        lost, newest, layers = DiagramPositions.nothing(regions.product), None, []
        while True:
            grown = next(attractor(lost, newest, lambda: None), None)
            if grown is None:
                break
            lost, newest = grown
            layers.append(lost)
        assert tuple(layers) == regions.layers, seed
        assert ~lost == regions.winning() == DiagramPositions.everything(regions.product).kept(), seed
        n_layers += len(layers)
    assert n_layers > 30


def test_some_position_is_one_of_the_set():
    """Should give a position of the set, and none of an empty one."""
    for seed in range(20):
        configuration = random_configuration(random.Random(seed), 400)
        if configuration.game.tables is None:
            regions = solve(configuration, "symbolic").regions
            for inside in (regions.winning(), ~regions.winning()):
                some = inside.some()
                assert (some in inside) if inside else some is None, seed


def random_games():
    """Seeds, what else is drawn from them, and small games."""
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        yield seed, rng, random_configuration(rng, 300)


def test_single_actions_lead_where_they_say():
    """Should agree with the moves of each action, asked alone and block by block."""
    n_found = 0
    for seed, rng, configuration in random_games():
        if configuration.game.tables is not None:
            continue
        literal = Literal(configuration)
        *_, (_, game, kind) = representations(configuration, rng)
        inside, among = literal.some(rng), literal.some(rng)
        a, b = built(kind, game, inside), built(kind, game, among)
        blocks = range(game.blocks.n_blocks)
        for unsafe in (False, True):
            listed = [list(a.by_action(Player.DEFENDER, block, unsafe=unsafe)) for block in blocks]
            for action in range(len(configuration.game.actions[Player.DEFENDER])):
                wanted = literal.pre(inside, unsafe, (action,)) & among
                wanted = built(kind, game, {v for v in wanted if v[1] is Player.DEFENDER})
                assert tuple(b.defender[k] & listed[k][action] for k in blocks) == wanted.defender, seed
                assert unsafe or a.pre_by(action, b) == wanted, seed
                n_found += wanted.count()
    assert n_found > 100


def test_waiting_moves_leave_the_state():
    """Should lead into a set by those moves alone after which the state is what it was."""
    n_found = 0
    for seed, rng, configuration in random_games():
        literal = Literal(configuration)
        inside = literal.some(rng)
        wanted = {v for v in literal.all if any(t in inside and t[0] == v[0] for t in literal.moves(v))}
        for name, game, kind in representations(configuration, rng):
            found = built(kind, game, inside).pre(by=game.waiting)
            assert found == built(kind, game, wanted), (seed, name)
        n_found += len(wanted)
    assert n_found > 100


def test_where_the_fewest_actions_lead_on_and_how_far_terms_reach():
    """Should count the actions of every position, and take the least and the greatest value of μ over all states."""
    n_found = 0
    for seed, rng, configuration in random_games():
        literal, mu = Literal(configuration), configuration.game.dominance
        inside, among = literal.some(rng), literal.some(rng)
        mine = {v for v in among if v[1] is Player.DEFENDER}
        counts = {v: sum(t in inside for t in literal.oracle.admissible(v).values()) for v in mine}
        for name, game, kind in representations(configuration, rng):
            if mine:
                least, where = built(kind, game, inside).narrowest(built(kind, game, mine))
                assert least == min(counts.values()), (seed, name)
                wanted = {v for v, n in counts.items() if n == least}
                assert where == built(kind, game, wanted), (seed, name)
                n_found += len(mine) - len(wanted)
            if among:
                values = {configuration.game.mu(v[0]) for v in among}
                assert built(kind, game, among).extent(mu) == (min(values), max(values)), (seed, name)
    assert n_found > 100


def test_what_moves_concede():
    """Should lie within k moves of U, and let the adversary violate a clause with its next move."""
    n_found = 0
    for seed, rng, configuration in random_games():
        literal, engines = Literal(configuration), ["explicit"]
        engines += ["symbolic"] if configuration.game.tables is None else []
        among = {v for v in literal.some(rng) if v[1] is Player.DEFENDER}
        for regions in (solve(configuration, engine).regions for engine in engines):
            empty = regions.winning() - regions.winning()
            game = empty.tables if isinstance(empty, ArrayPositions) else empty.product
            for k in range(1, len(literal.oracle.shells()) + 1):
                wanted = {v for v in literal.all if 0 < literal.oracle.rank.get(v, 0) <= k}
                assert regions.lost(k) == built(type(empty), game, wanted), (seed, k)
            inside = built(type(empty), game, among)
            for clause, automaton in enumerate(configuration.defender):
                wanted = {
                    v
                    for v in among
                    if any(
                        not automaton.accepting[u[2][clause]]
                        for t in literal.moves(v) - literal.oracle.unsafe
                        for u in literal.moves(t)
                    )
                }
                found = regions.conceding(clause, inside, by=None)
                assert found == built(type(empty), game, wanted), (seed, clause)
                n_found += len(wanted)
    assert n_found > 20
