"""Random variables, expressions, formulas, automata, games and segments, from one seeded stream."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product as cartesian

from holdfast.errors import AutomatonError, InadmissibleError, LivenessError
from holdfast.game.actions import Action, Rule
from holdfast.game.array_games import from_arrays
from holdfast.game.chance import DrawnRule, drawn_actions
from holdfast.game.configuration import configure
from holdfast.game.structure import GameStructure
from holdfast.logic.automata import MAX_STATES, SafetyAutomaton, columns, feasible_masks
from holdfast.logic.compile import Edge, build_automaton, compile_formula
from holdfast.logic.expressions import (
    TRUE,
    Arithmetic,
    Compare,
    Member,
    Number,
    Player,
    Read,
    Symbol,
    Variable,
)
from holdfast.logic.parser import parse_predicate
from holdfast.logic.vocabulary import Vocabulary
from holdfast.models.network.game import network_game


def random_variables(rng: random.Random) -> tuple[Variable, ...]:
    """One to three variables with two to four values each, symbols or numbers."""
    variables = []
    for i in range(rng.choice((1, 2, 2, 3))):
        size = rng.choice((2, 2, 3, 4))
        if rng.random() < 0.5:
            low = rng.randint(-1, 2)
            variables.append(Variable(f"n{i}", range(low, low + size)))
        else:
            variables.append(Variable(f"s{i}", tuple("abcd"[:size])))
    return tuple(variables)


def random_predicate(rng: random.Random, vocabulary: Vocabulary, depth: int = 2, moves: bool = True) -> str:
    """The text of a local predicate."""
    if depth and rng.random() < 0.5:
        left = random_predicate(rng, vocabulary, depth - 1, moves)
        right = random_predicate(rng, vocabulary, depth - 1, moves)
        return rng.choice((f"!({left})", f"({left} & {right})", f"({left} | {right})", f"({left} -> {right})",
                           f"({left} <-> {right})"))  # fmt: skip
    if moves and vocabulary.moves and rng.random() < 0.35:
        player, name = rng.choice(vocabulary.moves)
        return rng.choice((name, f"{player}.{name}"))
    variable = rng.choice(vocabulary.variables)
    if vocabulary.labels and rng.random() < 0.7:
        return rng.choice(list(vocabulary.labels))
    if rng.random() < 0.15:
        value = rng.choice(variable.values)
        return f"count(* in {{{value}}}) {rng.choice(('<', '>=', '='))} {rng.randint(0, 2)}"
    if variable.numeric and rng.random() < 0.6:
        bound = rng.randint(variable.values[0], variable.values[-1])
        return f"{variable.name} {rng.choice(('<', '<=', '=', '!=', '>', '>='))} {bound}"
    chosen = rng.sample(list(variable.values), rng.randint(1, len(variable.values) - 1))
    return f"{variable.name} {rng.choice(('in', 'not in'))} {{{', '.join(map(str, chosen))}}}"


def random_past(rng: random.Random, vocabulary: Vocabulary, depth: int = 2) -> str:
    """The text of a formula without future operators."""
    if depth == 0 or rng.random() < 0.3:
        return random_predicate(rng, vocabulary, 1)
    one, other = random_past(rng, vocabulary, depth - 1), random_past(rng, vocabulary, depth - 1)
    return rng.choice((f"Y ({one})", f"O ({one})", f"H ({one})", f"({one}) S ({other})", f"!({one})",
                       f"(({one}) & ({other}))", f"(({one}) | ({other}))"))  # fmt: skip


def random_formula(rng: random.Random, vocabulary: Vocabulary, depth: int = 3) -> str:
    """The text of a formula, often but not always in the safety fragment."""
    if depth == 0 or rng.random() < 0.15:
        return random_past(rng, vocabulary, 1) if rng.random() < 0.4 else random_predicate(rng, vocabulary, 1)
    one, other = random_formula(rng, vocabulary, depth - 1), random_formula(rng, vocabulary, depth - 1)
    k = rng.randint(0, 3)
    return rng.choice((
        f"G ({one})", f"G ({one})", f"X ({one})", f"({one}) W ({other})", f"({one}) R ({other})",
        f"F[<={k}] ({one})", f"G[<={k}] ({one})", f"({one}) U[<={k}] ({other})", f"({one}) R[<={k}] ({other})",
        f"(({one}) & ({other}))", f"(({one}) | ({other}))", f"(({one}) -> ({other}))", f"!({one})",
        f"G (times({random_predicate(rng, vocabulary, 0)}) <= {k})",
    ))  # fmt: skip


def random_actions(rng: random.Random, variables: tuple[Variable, ...], prefix: str) -> tuple[Action, ...]:
    """One to three actions of up to two rules, every assignment kept inside its domain by its guard."""
    actions = [Action(f"{prefix}0")] if rng.random() < 0.6 else []
    while len(actions) < rng.choice((1, 2, 2, 3)):
        rules = tuple(_rule(rng, variables) for _ in range(rng.randint(1, 2)))
        actions.append(Action(f"{prefix}{len(actions)}", rules))
    return tuple(actions)


def _rule(rng: random.Random, variables: tuple[Variable, ...]) -> Rule:
    other = rng.choice(variables)
    when = TRUE if rng.random() < 0.3 else Member(other, tuple(rng.sample(list(other.values), 1)))
    assign = []
    for variable in rng.sample(variables, rng.randint(1, len(variables))):
        if variable.numeric and rng.random() < 0.6:
            step = rng.choice((1, -1))
            edge = variable.values[-1] if step > 0 else variable.values[0]
            inside = Compare("!=", Read(variable), Number(Fraction(edge)))
            when = inside if when == TRUE else _both(when, inside)
            assign.append(
                (variable, Arithmetic("+" if step > 0 else "-", Read(variable), Number(Fraction(1))))
            )
        elif variable.numeric:
            assign.append((variable, Number(Fraction(rng.choice(variable.values)))))
        else:
            same = [v for v in variables if not v.numeric and set(v.values) <= set(variable.values)]
            copy = rng.random() < 0.3
            assign.append((variable, Read(rng.choice(same)) if copy else Symbol(rng.choice(variable.values))))
    return Rule(when, tuple(assign))


def _both(one, other):
    from holdfast.logic.expressions import conjunction

    return conjunction((one, other))


def random_game(rng: random.Random) -> GameStructure:
    """A factored game, or now and then a game given as arrays."""
    if rng.random() < 0.15:
        return random_array_game(rng)
    variables = random_variables(rng)
    return GameStructure(
        variables=variables,
        initial=tuple(rng.randrange(len(v.values)) for v in variables),
        first=rng.choice(list(Player)),
        actions={
            Player.DEFENDER: random_actions(rng, variables, "d"),
            Player.ADVERSARY: random_actions(rng, variables, "a") if rng.random() < 0.95 else (),
        },
        dominance=Number(Fraction(1)),
    )


def random_array_game(rng: random.Random) -> GameStructure:
    """Random successor tables with unavailable actions and two labels."""
    n = rng.randint(2, 9)

    def table(n_actions: int, dead_ends: bool) -> list[list[int]]:
        rows = []
        for _ in range(n):
            row = [rng.randrange(n) if rng.random() < 0.8 else -1 for _ in range(n_actions)]
            if not dead_ends and set(row) == {-1}:
                row[0] = rng.randrange(n)
            rows.append(row)
        return rows

    return from_arrays(
        table(rng.randint(1, 3), False),
        table(rng.randint(1, 3), True),
        initial=rng.randrange(n),
        first=rng.choice(list(Player)),
        labels={name: [rng.random() < 0.3 for _ in range(n)] for name in ("p", "q")},
    )


def random_automaton(rng: random.Random, vocabulary: Vocabulary):
    """A small automaton written out, with guards p / !p in each state and absorbing violation."""
    n = rng.randint(2, 4)
    names = [f"z{i}" for i in range(n)]
    accepting = names[: rng.randint(1, n)]
    edges = []
    for name in names:
        targets = names if name in accepting else [t for t in names if t not in accepting]
        guard = random_predicate(rng, vocabulary, 1)
        edges.append(Edge(name, rng.choice(targets), guard))
        edges.append(Edge(name, rng.choice(targets), f"!({guard})"))
    return build_automaton(names, rng.choice(accepting), accepting, edges, vocabulary)


def random_clause(rng: random.Random, vocabulary: Vocabulary, tries: int = 50):
    """A compiled clause: a formula of the safety fragment, or an automaton written out."""
    for _ in range(tries):
        if rng.random() < 0.25:
            return random_automaton(rng, vocabulary)
        try:
            automaton = compile_formula(random_formula(rng, vocabulary, rng.randint(1, 3)), vocabulary)
        except (LivenessError, AutomatonError):
            continue
        if automaton.n_states <= 6:
            return automaton
    return random_automaton(rng, vocabulary)


def adversary_clause(rng: random.Random, vocabulary: Vocabulary):
    """A clause of φ_A, more often than not one about adversary moves."""
    own = vocabulary.actions[Player.ADVERSARY]
    if own and rng.random() < 0.6:
        name = rng.choice(own)
        text = rng.choice((
            f"G (times({name}) <= {rng.randint(0, 2)})",
            f"G ({name} -> {random_predicate(rng, vocabulary, 1)})",
            f"G ({name} -> H[0] true)" if False else f"G ({name} -> !Y Y {name})",
            f"G (!{name})",
        ))  # fmt: skip
        return compile_formula(text, vocabulary)
    return random_clause(rng, vocabulary)


def with_idle_action(rng: random.Random, game: GameStructure) -> GameStructure:
    """The game with one more action of the defender, which never changes the state."""
    extra = Action("idle")
    if game.tables is None:
        if rng.random() < 0.3:  # idle all the same: it assigns what is there already
            variable = rng.choice(game.variables)
            extra = Action("idle", (Rule(TRUE, ((variable, Read(variable)),)),))
        own = (*game.actions[Player.DEFENDER], extra)
        return replace(game, actions={**game.actions, Player.DEFENDER: own})
    tables = {player: [list(row) for row in game.tables[player]] for player in Player}
    for state, row in enumerate(tables[Player.DEFENDER]):
        row.append(-1 if rng.random() < 0.1 and set(row) != {-1} else state)
    masks = {name: [bool(bit) for bit in label.mask] for name, label in game.labels.items()}
    sides = (tables[Player.DEFENDER], tables[Player.ADVERSARY])
    return from_arrays(*sides, initial=game.initial[0], first=game.first, labels=masks)


def random_configuration(rng: random.Random, max_positions: int = 4000, change=lambda rng, game: game):
    """A configuration small enough for the oracle, with up to two clauses a side."""
    while True:
        game = change(rng, random_game(rng))
        vocabulary = game.vocabulary
        defender = [random_clause(rng, vocabulary) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
        adversary = [adversary_clause(rng, vocabulary) for _ in range(rng.choice((0, 1, 1, 2)))]
        try:
            configuration = configure(game, defender, adversary)
        except InadmissibleError:
            continue
        if configuration.n_positions <= max_positions:
            return configuration


def with_random_goal(rng: random.Random, configuration):
    """A configuration with something to come back to, called ``goal``."""
    vocabulary = configuration.game.vocabulary
    goal = parse_predicate(random_predicate(rng, vocabulary, moves=False), vocabulary)
    return replace(configuration, recovery={"goal": goal})


def random_segment(rng: random.Random, n_hosts: int, density: float):
    """A network game on a random directed graph."""
    hosts = [f"h{i}" for i in range(n_hosts)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < density]
    return network_game(hosts, links, hosts[0])


def random_budgeted(rng: random.Random):
    """A small network with random links, thresholds and budgets."""
    hosts = [f"h{i}" for i in range(rng.randint(2, 4))]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.5]
    game = network_game(hosts, links, rng.choice(hosts))
    pair = f"G !({hosts[-1]} in {{X, D, Z}} & {hosts[-2]} in {{X, D, Z}})"
    most = rng.randint(0, 2)
    active = f"G (active >= {len(hosts) - rng.randint(1, 2)})"
    return configure(game, rng.sample([pair, active], rng.randint(1, 2)), [f"G (times(destroy) <= {most})"])


# -- automata -----------------------------------------------------------------------------------------


def synchronous_product(automata, vocabulary, source=None):
    """The product ⊗: all state tuples, accepting iff every component accepts.

    Raises:
        AutomatonError: past :data:`MAX_STATES` states.
    """
    parts = tuple(automata)
    n_states = 1
    for part in parts:
        n_states *= part.n_states
    if n_states > MAX_STATES:
        raise AutomatonError(f"the product has {n_states:,} states; at most {MAX_STATES:,} are written out")
    atoms = tuple(dict.fromkeys(atom for part in parts for atom in part.atoms))
    letters = feasible_masks(atoms, vocabulary)
    read = [columns(part, atoms, letters.masks) for part in parts]
    tuples = list(cartesian(*(range(part.n_states) for part in parts)))
    index = {states: i for i, states in enumerate(tuples)}
    delta = tuple(
        tuple(
            index[
                tuple(part.delta[q][column[j]] for part, q, column in zip(parts, states, read, strict=True))
            ]
            for j in range(len(letters.masks))
        )
        for states in tuples
    )
    return SafetyAutomaton(
        source=source or " ⊗ ".join(part.source for part in parts),
        states=tuple(
            "(" + ", ".join(part.states[q] for part, q in zip(parts, states, strict=True)) + ")"
            for states in tuples
        ),
        initial=index[tuple(part.initial for part in parts)],
        accepting=tuple(all(p.accepting[q] for p, q in zip(parts, states, strict=True)) for states in tuples),
        atoms=atoms,
        masks=letters.masks,
        delta=delta,
    )


def random_tables(rng: random.Random):
    """A tabulated game with more choice than the factored ones have."""
    n = rng.randint(2, 7)

    def table(dead_ends: bool):
        width = rng.randint(1, 4)
        rows = [[rng.choice((-1, *range(n))) for _ in range(width)] for _ in range(n)]
        return [row if dead_ends or max(row) >= 0 else [rng.randrange(n), *row[1:]] for row in rows]

    tables, first = (table(False), table(rng.random() < 0.4)), rng.choice(list(Player))
    bad = [rng.random() < 0.15 for _ in range(n)]
    return configure(from_arrays(*tables, first=first, labels={"bad": bad}), ["G (!bad)"])


def with_chance(rng: random.Random, game: GameStructure, players=tuple(Player)) -> GameStructure:
    """The game in which some choices have outcomes, which fail or do something else."""
    if game.tables is not None:
        return game
    actions = {}
    for player in Player:
        own = []
        for action in game.actions[player]:
            if player not in players or rng.random() < 0.4:
                own.append(action)
                continue
            share = Fraction(rng.randint(1, 9), 10)
            rules = [DrawnRule(rule.when, [(share, rule.assign)]) for rule in action.rules]
            if rules and rng.random() < 0.4:
                other = _rule(rng, game.variables)
                part = (1 - share) * Fraction(rng.randint(1, 4), 4)
                rules[0] = DrawnRule(
                    rules[0].when, [*rules[0].alternatives, (part, _inside(game, rules[0].when, other))]
                )
            own += drawn_actions(action.name, rules)
        actions[player] = tuple(own)
    return replace(game, actions=actions)


def _inside(game: GameStructure, when, rule: Rule):
    """The assignments of a rule that cannot leave a domain: those of constants and copies."""
    return tuple((v, value) for v, value in rule.assign if not isinstance(value, Arithmetic))


def random_gambles(rng: random.Random, n_states: int | None = None):
    """A game on a few places, one of them lost and one safe for ever; most choices are drawn."""
    n = n_states or rng.randint(4, 8)
    place = Variable("s", range(n))

    def action(name: str) -> tuple[Action, ...]:
        rules = []
        for here in range(2, n):
            shares = sorted(Fraction(rng.randint(0, 10), 10) for _ in range(rng.randint(0, 2)))
            cuts = [Fraction(0), *shares, Fraction(1)]
            targets = [rng.choice((0, 1, *range(2, n), *range(2, n))) for _ in cuts[1:]]
            alternatives = [
                (high - low, ((place, Number(Fraction(to))),))
                for low, high, to in zip(cuts, cuts[1:], targets)
            ]
            rules.append(DrawnRule(Compare("=", Read(place), Number(Fraction(here))), alternatives))
        return drawn_actions(name, rules)

    game = GameStructure(
        variables=(place,),
        initial=(rng.randrange(2, n),),
        first=rng.choice(list(Player)),
        actions={
            player: tuple(a for i in range(rng.randint(1, 3)) for a in action(f"{player}{i}"))
            for player in Player
        },
        dominance=Number(Fraction(1)),
    )
    return configure(game, ["G (s != 0)"])


CHASE = """\
holdfast: 1
name: chase
game:
  variables: {{s: 0..{last}}}
  initial: {{s: {start}}}
  defender:
    stay: {{}}
{defender}
  adversary:
{adversary}
specs:
  defender: ["G (s != 0)"]
"""


def random_chase(rng):
    """A scenario of a walk on numbers: 0 is lost, the last is safe for ever, and most steps are drawn."""
    last = rng.randint(3, 6)

    def actions(player):
        lines = []
        for i in range(rng.randint(1, 3)):
            effects = []
            for here in range(1, last):
                p = rng.randint(1, 9) / 10
                to, other = rng.randint(0 if player == "adversary" else 1, last), rng.randint(1, last)
                shares = [(p, to), (round(1 - p, 1), other)][: rng.randint(1, 2)]
                drawn = ", ".join(f"{{probability: {q}, set: {{s: {t}}}}}" for q, t in shares)
                effects.append(f"{{when: s = {here}, outcomes: [{drawn}]}}")
            lines.append(f"    {player[0]}{i}: [{', '.join(effects)}]")
        return "\n".join(lines)

    start = rng.randint(1, last - 1)
    sides = {player: actions(player) for player in ("defender", "adversary")}
    return CHASE.format(last=last, start=start, **sides)
