"""What a defender sees that does not see everything, in words.

Of a variable it sees an *appearance*: the values that fit what is shown. A host without a sensor that is
clean or compromised is *seemingly clean*. What is shown of several variables at once, or of the past, is told
by the sensor that shows it. What may be the case is told by the variables that are not seen as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from holdfast.explanation.playbook.traits import NOW, Trait
from holdfast.game import Configuration, Position, Recalled, Sight, System, listed
from holdfast.logic import Expression, Player, Variable, reader, variables_of

ALARM = ("quiet", "raising an alarm")
TRUTH = ("false", "true")
YES_OR_NO: dict[tuple[bool, ...], int] = {(False,): 0, (True,): 1}
NEWS_NONE = "nothing new is seen"
MANY_VALUES = 5_000
"""Values of several variables that are gone through for what a sensor shows of them."""
FEW = 3
"""Things that look alike and are told as "all others"."""


@dataclass(frozen=True)
class Appearance:
    """One thing that is seen.

    Attributes:
        trait: its name, and what it may look like, in words.
        bits: which of all that is shown is about it.
        looks: by the truth of these, the number of what it looks like.
        codes: of a variable, the values that fit each look; empty for anything else.
    """

    trait: Trait
    bits: tuple[int, ...]
    looks: dict[tuple[bool, ...], int]
    codes: tuple[tuple[int, ...], ...] = ()

    def look(self, key: int) -> int:
        """What it looks like, given all that is shown."""
        return self.looks[tuple(bool(key >> bit & 1) for bit in self.bits)]

    def spoken(self, key: int) -> str:
        """What it looks like, in words."""
        return self.trait.spoken[self.look(key)]


def appearances(configuration: Configuration, sight: Sight) -> tuple[Appearance, ...]:
    """All that is seen, the variables first, in the order of the game."""
    seen, game = sight.seen, configuration.game
    of_variable: dict[Variable, list[int]] = {}
    others = []
    for bit, part in enumerate(seen):
        named = set() if isinstance(part, Recalled) else variables_of(part)
        if len(named) == 1:
            of_variable.setdefault(named.pop(), []).append(bit)
        else:
            others.append(bit)
    about = [
        _of_variable(configuration, variable, of_variable[variable], seen)
        for variable in game.variables
        if variable in of_variable
    ]
    shown_by = {part: name for name in sight.placed or () for part in sight.sensors[name]}
    named_by = dict.fromkeys(shown_by[seen[bit]] for bit in others if seen[bit] in shown_by)
    about += [_alone(bit, seen[bit]) for bit in others if seen[bit] not in shown_by]
    for name in named_by:
        about += _of_sensor(configuration, name, [seen.index(part) for part in sight.sensors[name]], seen)
    return tuple(each for each in about if len(each.trait.spoken) > 1)


def _of_sensor(
    configuration: Configuration, name: str, bits: list[int], seen: Sequence[Expression | Recalled]
) -> Iterator[Appearance]:
    """What a sensor shows that is about several variables, or about the past: an alarm, or all that fits."""
    called, parts = f"the sensor at {name}", [seen[bit] for bit in bits]
    fitting = None if len(parts) == 1 else _possible(configuration, parts)
    if len(parts) == 1:
        yield Appearance(Trait(called, ALARM, NOW), tuple(bits), YES_OR_NO)
    elif fitting is not None:
        spoken = tuple(_values_in_words(configuration, values) for values in fitting.values())
        yield Appearance(Trait(called, spoken, NOW), tuple(bits), {look: n for n, look in enumerate(fitting)})
    else:
        for bit in bits:
            yield _alone(bit, seen[bit])


def _alone(bit: int, part: Expression | Recalled) -> Appearance:
    """Whether something holds that is seen as such."""
    name = part.clause.label if isinstance(part, Recalled) else f"“{part}”"
    return Appearance(Trait(name, TRUTH, NOW), (bit,), YES_OR_NO)


def _possible(
    configuration: Configuration, parts: Sequence[Expression | Recalled]
) -> dict[tuple[bool, ...], dict[Variable, set[int]]] | None:
    """By the truth of some predicates, the values that fit; None where there are too many to look at."""
    game, plain = configuration.game, [part for part in parts if not isinstance(part, Recalled)]
    variables = [v for v in game.variables if any(v in variables_of(part) for part in plain)]
    if len(plain) < len(parts) or prod(len(v.values) for v in variables) > MANY_VALUES:
        return None
    readers, state = [reader(part, game.places) for part in plain], [0] * len(game.variables)
    fitting: dict[tuple[bool, ...], dict[Variable, set[int]]] = {}
    for codes in product(*(range(len(v.values)) for v in variables)):
        for variable, code in zip(variables, codes, strict=True):
            state[game.places[variable.name]] = code
        values = fitting.setdefault(tuple(bool(read(tuple(state))) for read in readers), {})
        for variable, code in zip(variables, codes, strict=True):
            values.setdefault(variable, set()).add(code)
    return fitting


def _values_in_words(configuration: Configuration, fitting: dict[Variable, set[int]]) -> str:
    """``showing that T101 is 3``: the variables of which not every value fits."""
    legend, told = configuration.system.legend, []
    for variable, codes in fitting.items():
        if len(codes) < len(variable.values):
            values = [str(variable.values[code]) for code in sorted(codes)]
            told.append(f"{variable.name} is {listed([legend.get(v, v) for v in values], 'or')}")
    return f"showing that {listed(told)}" if told else ALARM[0]


def _of_variable(
    configuration: Configuration, variable: Variable, bits: list[int], seen: Sequence[Expression | Recalled]
) -> Appearance:
    """What is seen of one variable: its values, by what is shown of each."""
    places = configuration.game.places
    readers = [reader(part, places) for bit in bits if not isinstance(part := seen[bit], Recalled)]
    looks: dict[tuple[bool, ...], list[int]] = {}
    for code in range(len(variable.values)):
        state = [0] * len(configuration.game.variables)
        state[places[variable.name]] = code
        looks.setdefault(tuple(bool(read(tuple(state))) for read in readers), []).append(code)
    spoken = tuple(_look_in_words(configuration.system, variable, codes) for codes in looks.values())
    numbers = {look: n for n, look in enumerate(looks)}
    codes = tuple(map(tuple, looks.values()))
    ordered = variable.numeric and all(fitting[-1] - fitting[0] < len(fitting) for fitting in codes)
    return Appearance(Trait(variable.name, spoken, NOW, ordered), tuple(bits), numbers, codes)


def _look_in_words(system: System, variable: Variable, codes: list[int]) -> str:
    """``detected``; ``seemingly clean`` for what may also be worse; or all values that fit."""
    values = [str(variable.values[code]) for code in codes]
    spoken = [system.legend.get(value, value) for value in values]
    tones = {} if system.graph is None else system.graph.tones
    good = [word for value, word in zip(values, spoken, strict=True) if tones.get(value) == "good"]
    return f"seemingly {good[0]}" if len(values) > 1 and len(good) == 1 else listed(spoken, "or")


def seen_in_words(seen: tuple[Appearance, ...], key: int) -> str:
    """``DB is detected; all others are seemingly clean``: things that look alike are gathered."""
    by_look: dict[str, list[str]] = {}
    alone = []
    for each in seen:
        word = each.spoken(key)
        if each.codes:
            by_look.setdefault(word, []).append(each.trait.name)
        elif word not in (ALARM[0], TRUTH[0]):
            alone.append(f"{each.trait.name} is {word}")
    usual = max(by_look, key=lambda word: len(by_look[word]), default="")
    gathered = len(by_look) > 1 and len(by_look[usual]) >= FEW
    parts = [_names_are(names, word) for word, names in by_look.items() if not (gathered and word == usual)]
    return "; ".join([*parts, *alone, *([f"all others are {usual}"] if gathered else [])]) or "nothing"


def news_in_words(seen: tuple[Appearance, ...], before: int, after: int) -> str:
    """What looks different than before."""
    changed = [each for each in seen if each.look(before) != each.look(after)]
    return listed([f"{each.trait.name} is {each.spoken(after)}" for each in changed]) or NEWS_NONE


def cases_in_words(
    configuration: Configuration, seen: tuple[Appearance, ...], cases: Sequence[Position]
) -> tuple[str, ...]:
    """What may be the case, by what is not seen for what it is; the cases must look alike.

    What the clauses remember is told where cases differ in nothing else.
    """
    game, legend = configuration.game, configuration.system.legend
    certain = {
        each.trait.name
        for each in seen
        if each.codes and _fits_one(each, game.places[each.trait.name], cases)
    }
    hidden = [
        (place, v)
        for place, v in enumerate(game.variables)
        if v.name not in certain and (len(cases) == 1 or len({case.state[place] for case in cases}) > 1)
    ]
    told = []
    for case in cases:
        by_value: dict[str, list[str]] = {}
        for place, variable in hidden:
            value = str(variable.values[case.state[place]])
            by_value.setdefault(legend.get(value, value), []).append(variable.name)
        told.append("; ".join(_names_are(names, word) for word, names in by_value.items()))
    alike = {text: [c for c, other in zip(cases, told, strict=True) if other == text] for text in told}
    memories = [_memory(configuration, case, alike[text]) for case, text in zip(cases, told, strict=True)]
    texts = ("; ".join(filter(None, pair)) for pair in zip(told, memories, strict=True))
    return tuple(text or "everything is as it looks" for text in texts)


def common_in_words(
    configuration: Configuration, seen: tuple[Appearance, ...], cases: Sequence[Position]
) -> str:
    """What is so in all of several cases, and looks otherwise."""
    game, by_value = configuration.game, dict[str, list[str]]()
    for each in seen:
        if len(cases) > 1 and each.codes:
            place = game.places[each.trait.name]
            codes = {case.state[place] for case in cases}
            look = next(n for n, fitting in enumerate(each.codes) if codes <= set(fitting))
            value = str(game.variables[place].values[min(codes)])
            word = configuration.system.legend.get(value, value)
            if len(codes) == 1 and len(each.codes[look]) > 1 and not each.trait.spoken[look].endswith(word):
                by_value.setdefault(word, []).append(each.trait.name)
    return "; ".join(_names_are(names, word) for word, names in by_value.items())


def _fits_one(each: Appearance, place: int, cases: Sequence[Position]) -> bool:
    """Whether only one value fits what a variable looks like in all these cases."""
    return any({case.state[place] for case in cases} <= set(codes) for codes in each.codes if len(codes) == 1)


def _memory(configuration: Configuration, case: Position, cases: Sequence[Position]) -> str:
    """What clauses remember that do not remember the same in all cases."""
    parts = []
    for side in Player:
        for n, clause in enumerate(configuration.clauses(side)):
            states = [
                (each.q_defender if side is Player.DEFENDER else each.q_adversary)[n]
                for each in (case, *cases)
            ]
            if len(set(states)) > 1:
                parts.append(f"“{clause.label}” is at {clause.automaton.states[states[0]]}")
    return "; ".join(parts)


def _names_are(names: Iterable[str], word: str) -> str:
    names = list(names)
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
