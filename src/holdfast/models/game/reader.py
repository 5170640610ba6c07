"""The ``game:`` section, with a variant's changes, to a game structure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import FormulaError, LimitError, ModelError, did_you_mean
from holdfast.game import (
    IN_SIGHT,
    NO_CHANCE,
    USUAL_PREMISES,
    Action,
    Clause,
    DrawnRule,
    GameStructure,
    Graph,
    GraphNode,
    Part,
    Premise,
    Reset,
    Rule,
    Sight,
    State,
    System,
    drawn_actions,
    has_chance,
    listed,
    value_bits,
)
from holdfast.logic import (
    Assignments,
    Diagrams,
    Expression,
    Player,
    SafetyAutomaton,
    Value,
    Variable,
    Vocabulary,
    expressions as ex,
    parse_predicate,
    parse_term,
    parse_value,
)
from holdfast.models.game.schema import MAX_VALUES, GameSection
from holdfast.scenario import (
    RESERVED,
    Node,
    check_action_name,
    check_name,
    check_new,
    exact,
    placed,
    read_yaml,
    reported,
    shortened,
    validate,
)

_RANGE = re.compile(r"\s*([-+]?\d{1,30})\s*\.\.\s*([-+]?\d{1,30})\s*")
MAX_SHOWN = 1_000
"""Values of an expression that can be seen."""

_NOT_VALUES = RESERVED - {"true", "false"}
_BY_ENTRY = ("variables", "define", "initial", "defender", "adversary")
_CULPRIT = re.compile(r'(?:(defender|adversary) action "(.*?)"|(reset|dominance)\b)')

EffectData = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""``{"when": …, "set": {…}}``, or a list of such."""


def build_game(section: Node, change: Node | None, budget: Budget) -> System:
    """The system of a ``game:`` section and a variant's changes to it."""
    budget.tick("reading the game")
    if change is not None:
        section = _changed(section, change)
        validate(GameSection, section)
    domains = section["variables"].entries
    variables = tuple(Variable(name, _domain(node, name)) for name, node in domains.items())
    names = {player: tuple(section[player].entries) for player in Player}
    _check_names(section)
    vocabulary = Vocabulary(variables, names)
    for name, node in _entries(section, "define").items():
        definitions = {**vocabulary.definitions, name: _definition(node, vocabulary)}
        vocabulary = Vocabulary(variables, names, definitions)
    first, dominance = section.get("first"), section.get("dominance")
    initial = _initial(section["initial"], variables)
    actions = {
        player: tuple(
            action
            for name, node in section[player].entries.items()
            for action in _actions(name, node, vocabulary)
        )
        for player in Player
    }
    reset = None
    if (again := section.get("reset")) is not None:
        when, assign = _guard(again["when"], vocabulary), _assignment(again["set"], vocabulary)
        reset = Reset(when, exact(again["probability"]), assign, again.get("memory") is not None)
    mu: Expression = ex.Number(Fraction(1))
    if dominance is not None:
        with placed(dominance):
            mu = parse_term(dominance.text, vocabulary, budget)
    try:
        game = GameStructure(
            variables=variables,
            initial=initial,
            first=Player(first.text) if first else Player.ADVERSARY,
            actions=actions,
            dominance=mu,
            definitions=vocabulary.definitions,
            reset=reset,
            budget=budget,
        )
    except (ModelError, LimitError) as error:
        with placed(_culprit(section, str(error))):
            raise
    return _system(game, sight=_sight(section.get("observes"), vocabulary, budget))


def _sight(node: Node | None, vocabulary: Vocabulary, budget: Budget) -> Sight | None:
    """What the defender sees, each expression a sensor of its own; None for everything."""
    if node is None or node.is_null:
        return None
    sensors: dict[str, tuple[Expression, ...]] = {}
    for item in node.items:
        with placed(item):
            sensors[item.text] = _shown(item, vocabulary, budget)
    return Sight((), sensors, tuple(sensors))


def _shown(item: Node, vocabulary: Vocabulary, budget: Budget) -> tuple[Expression, ...]:
    """What an expression shows: its truth, or what it is worth."""
    variable = vocabulary.by_name.get(item.text)
    if variable is not None:
        return value_bits(variable)
    shown = _definition(item, vocabulary)
    if not ex.is_static(shown):
        raise item.problem("an observation is about a state; it cannot mention moves")
    if not ex.is_term(shown):
        return (shown,)
    values = sorted(Diagrams(vocabulary.variables, budget=budget).term(shown))
    if len(values) > MAX_SHOWN:
        raise item.problem(f"{item.text} has {len(values):,} values; at most {MAX_SHOWN:,} can be seen")
    return tuple(ex.Compare(">=", shown, ex.Number(value)) for value in values[1:])


def game_system(
    *,
    variables: Mapping[str, Sequence[Value]],
    initial: Mapping[str, Value],
    defender: Mapping[str, EffectData],
    adversary: Mapping[str, EffectData],
    define: Mapping[str, str] | None = None,
    first: str = "adversary",
    dominance: str | float = 1,
    reset: Mapping[str, Any] | None = None,
    observes: Sequence[str] | None = None,
) -> System:
    """A game written in Python as in the ``game:`` section of a scenario, guards and values as text.

    Args:
        variables: for each its values: a range of whole numbers, or names.
        initial: a value for every variable.
        defender, adversary: for each action its guarded effects, ``{"when": …, "set": {…}}`` or a list of
            them; the first whose guard holds applies, and where none holds nothing changes. In place of
            ``set``, ``"outcomes": [{"probability": "0.3", "set": {…}}, …]`` are drawn.
        define: named expressions.
        first: who moves first.
        dominance: μ, from 0 to 1 in every state.
        reset: ``{"when": …, "probability": …, "set": {…}}``.
        observes: what the defender sees: variables, definitions or expressions; everything if None.

    >>> system = game_system(
    ...     variables={"level": range(10)},
    ...     initial={"level": 4},
    ...     defender={"drain": {"when": "level > 0", "set": {"level": "level - 1"}}, "wait": {}},
    ...     adversary={"surge": {"when": "level < 9", "set": {"level": "level + 1"}}},
    ...     dominance="1 - level / 9",
    ... )
    >>> system.game.n_valuations, [part.name for part in system.parts]
    (10, ['surge'])

    Raises:
        ScenarioError: for a mistake; its place is that in the game written out as JSON.
    """
    given: dict[str, Any] = {"variables": variables, "initial": initial}
    given |= {"defender": defender, "adversary": adversary, "define": define}
    given |= {"first": first, "dominance": dominance, "reset": reset, "observes": observes}
    try:
        text = json.dumps({k: _plain(v) for k, v in given.items() if v is not None}, indent=1)
    except TypeError as error:
        raise ModelError(
            f"the game holds something that is no text, number, list or mapping: {error}"
        ) from None
    with reported():
        section = read_yaml(text, "<game>")
        validate(GameSection, section)
        with placed(section):
            return build_game(section, None, UNLIMITED)


def _plain(value: Any) -> Any:
    """The value as JSON has it; a range as ``0..9``."""
    if isinstance(value, range):
        if value.step != 1 or not value:
            raise ModelError(f"{value} is no range of consecutive numbers; write range(0, 10)")
        return f"{value[0]}..{value[-1]}"
    if isinstance(value, Mapping):
        return {str(name): _plain(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def _system(
    game: GameStructure, withheld: frozenset[Part] = frozenset(), sight: Sight | None = None
) -> System:
    """A game with the adversary's actions as its parts, and a picture of what its variables influence."""
    named = dict.fromkeys(action.choice for action in game.actions[Player.ADVERSARY])
    parts = tuple(Part("action", name) for name in named)
    return System(
        game,
        "game",
        parts=tuple(part for part in parts if part not in withheld),
        graph=_graph(game),
        boundary=tuple(_never(part.name) for part in parts if part in withheld),
        sight=sight,
        premises=tuple(_premises(game, sight)),
        rebuild=partial(_rebuilt, game, withheld, sight),
    )


def _premises(game: GameStructure, sight: Sight | None) -> Iterator[Premise]:
    """The usual premises, with what the defender sees instead of everything, and what is drawn."""
    for premise in USUAL_PREMISES:
        if premise is IN_SIGHT and sight is not None:
            shown = listed([f'"{name}"' for name in sight.placed or ()]) or "nothing"
            yield Premise(f"the defender sees {shown}, the adversary everything", "game.observes")
        elif premise is NO_CHANCE and has_chance(game):
            yield Premise("every random outcome is assumed to happen at the worst moment", "outcomes")
        else:
            yield premise


def _rebuilt(
    game: GameStructure, withheld: frozenset[Part], sight: Sight | None, taken: frozenset[Part]
) -> System:
    return _system(game, withheld | taken, sight)


def _graph(game: GameStructure) -> Graph:
    """An arrow from each variable that a rule reads to each that it assigns."""
    arrows: dict[tuple[str, str], None] = {}
    for rule in (rule for player in Player for action in game.actions[player] for rule in action.rules):
        for variable, value in rule.assign:
            read = (ex.variables_of(rule.when) | ex.variables_of(value)) - {variable}
            arrows |= {(v.name, variable.name): None for v in game.variables if v in read}
    return Graph(tuple(GraphNode(v.name, v.name) for v in game.variables), tuple(arrows))


def _never(action: str) -> Clause:
    """φ_A without one action: Λ then leaves its moves out, and every formula that names it still reads."""
    did = ex.Did(action, frozenset({(Player.ADVERSARY, action)}))
    states, accepting, delta = ("q0", "viol"), (True, False), ((0, 1), (1, 1))
    automaton = SafetyAutomaton(f"never {action}", states, 0, accepting, (did,), (0, 1), delta)
    return Clause(automaton, automaton.source)


def _entries(section: Node, key: str) -> dict[str, Node]:
    entries = section.get(key)
    return dict(entries.entries) if entries is not None else {}


def _culprit(section: Node, message: str) -> Node:
    """The node that an error of the core is about, by the words that its message starts with."""
    match = _CULPRIT.match(message)
    if match is None:
        return section.keys["defender"] if message.startswith("the defender") else section
    if match[3]:
        return section[match[3]]
    return section[match[1]].keys.get(match[2], section[match[1]])


# -- changes of a variant ---------------------------------------------------------------------------


def _changed(base: Node, change: Node) -> Node:
    """The section with the entries of ``change`` put in place; null takes an entry out."""
    entries, keys = dict(base.entries), dict(base.keys)
    for name, new in change.entries.items():
        if name in _BY_ENTRY and name in entries and not entries[name].is_null:
            new = _merged(entries[name], new, name)
        keys.setdefault(name, change.keys[name])
        entries[name] = new
    removed = {name for name, domain in _entries(change, "variables").items() if domain.is_null}
    kept = {name: value for name, value in entries["initial"].entries.items() if name not in removed}
    entries["initial"] = replace(entries["initial"], entries=kept)
    return replace(base, entries=entries, keys=keys)


def _merged(old: Node, new: Node, what: str) -> Node:
    entries, keys = dict(old.entries), dict(old.keys)
    for name, value in new.entries.items():
        if not value.is_null:
            entries[name], keys[name] = value, new.keys[name]
        elif entries.pop(name, None) is None:
            hint = did_you_mean(name, entries)
            raise new.keys[name].problem(f'there is no "{shortened(name)}" in {what} to remove{hint}')
    return replace(old, entries=entries, keys=keys)


# -- names and domains ------------------------------------------------------------------------------


def _check_names(section: Node) -> None:
    """Variables, definitions and actions have different names; both players may share an action's."""
    taken: dict[str, str] = {}
    for what, key in (("a variable", "variables"), ("a definition", "define")):
        for name in _entries(section, key):
            node = section[key].keys[name]
            check_new(check_name(node, what), node, taken, what)
    for player in Player:
        for name in section[player].entries:
            node = section[player].keys[name]
            check_new(check_action_name(node), node, dict(taken), "an action")


def _domain(node: Node, name: str) -> tuple[str, ...] | range:
    """``0..9``, a list of consecutive integers, or a list of symbols."""
    if node.kind == "scalar":
        match = _RANGE.fullmatch(node.text)
        if match is None:
            raise node.problem(
                f"expected a range such as 0..9 or a list for {shortened(name)}, found {node.describe()}"
            )
        low, high = int(match[1]), int(match[2])
        if high < low:
            raise node.problem(f"the range {low}..{high} is empty; write the smaller number first")
        if high - low >= MAX_VALUES:
            raise node.problem(f"the range has {high - low + 1:,} values; at most {MAX_VALUES:,} are read")
        return range(low, high + 1)
    numbers = [item.value for item in node.items if type(item.value) is int]
    if len(numbers) == len(node.items):
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise node.problem(
                "the numbers of a domain must be consecutive and ascending; write a range such as 0..9"
            )
        return range(numbers[0], numbers[-1] + 1)
    if numbers:
        odd = next(item for item in node.items if type(item.value) is int)
        raise odd.problem(f"a domain has numbers or names, not both; name this value, as in v{odd.text}")
    values: dict[str, None] = {}
    for item in node.items:
        value = check_name(item, "a value", reserved=_NOT_VALUES)
        if value in values:
            raise item.problem(f'value "{value}" is listed twice; remove one')
        values[value] = None
    return tuple(values)


def _initial(section: Node, variables: tuple[Variable, ...]) -> State:
    names = [variable.name for variable in variables]
    for name in section.entries:
        if name not in names:
            hint = did_you_mean(name, names)
            raise section.keys[name].problem(f'unknown variable "{shortened(name)}" in initial{hint}')
    missing = [name for name in names if name not in section.entries]
    if missing:
        raise section.problem(
            f"initial gives no value to {shortened(', '.join(missing))}; every variable needs one"
        )
    return tuple(_code(variable, section[variable.name]) for variable in variables)


def _code(variable: Variable, node: Node) -> int:
    """The code of an initial value."""
    value = node.value if variable.numeric and type(node.value) is int else node.text
    if value in variable.values and variable.numeric == isinstance(value, int):
        return variable.code(value)
    hint = did_you_mean(node.text, map(str, variable.values[:12]))
    raise node.problem(f"{node.describe()} is not a value of {variable.name} ({variable.shown}){hint}")


# -- expressions ------------------------------------------------------------------------------------


def _definition(node: Node, vocabulary: Vocabulary) -> Expression:
    """A number or a truth value, whichever the text is."""
    with placed(node):
        try:
            return parse_term(node.text, vocabulary)
        except FormulaError as as_term:
            try:
                return parse_predicate(node.text, vocabulary)
            except FormulaError as as_predicate:
                raise max(as_predicate, as_term, key=lambda error: error.at) from None


def _actions(name: str, node: Node, vocabulary: Vocabulary) -> tuple[Action, ...]:
    """An action, or its outcomes where they are drawn."""
    effects = node.items if node.kind == "list" else (node,) if node.entries else ()
    rules = [DrawnRule(_guard(e.get("when"), vocabulary), _alternatives(e, vocabulary)) for e in effects]
    if all(share == 1 for rule in rules for share, _ in rule.alternatives):
        return (Action(name, tuple(Rule(rule.when, rule.alternatives[0][1]) for rule in rules)),)
    return drawn_actions(name, rules)


def _alternatives(effect: Node, vocabulary: Vocabulary) -> list[tuple[Fraction, Assignments]]:
    """What an effect may assign, each with its probability."""
    outcomes = effect.get("outcomes")
    if outcomes is None:
        return [(Fraction(1), _assignment(effect.get("set"), vocabulary))]
    if effect.get("set") is not None:
        raise effect.keys["set"].problem('an effect has "set" or "outcomes"; put this into an outcome')
    alternatives, total = [], Fraction(0)
    for outcome in outcomes.items:
        share = exact(outcome["probability"])
        total += share
        if total > 1:
            raise outcome["probability"].problem(
                f"the probabilities of the outcomes add up to {float(total):.6g}; expected at most 1"
            )
        alternatives.append((share, _assignment(outcome.get("set"), vocabulary)))
    return alternatives


def _guard(node: Node | None, vocabulary: Vocabulary) -> Expression:
    if node is None:
        return ex.TRUE
    with placed(node):
        guard = parse_predicate(node.text, vocabulary)
        if not ex.is_static(guard):
            raise node.problem("a guard is about the state before the move; it cannot mention moves")
    return guard


def _assignment(node: Node | None, vocabulary: Vocabulary) -> Assignments:
    assign = []
    for name, value in node.entries.items() if node is not None else ():
        assert node is not None
        variable = vocabulary.by_name.get(name)
        if variable is None:
            hint = did_you_mean(name, vocabulary.by_name) or "; declare it under variables"
            raise node.keys[name].problem(f'"set" names an unknown variable "{shortened(name)}"{hint}')
        with placed(value):
            new = parse_value(value.text, variable, vocabulary)
            if not ex.is_static(new):
                raise value.problem("a new value depends on the state before the move, not on the move")
        assign.append((variable, new))
    return tuple(assign)
