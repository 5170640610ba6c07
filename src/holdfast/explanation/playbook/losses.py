"""What is lost in a state, for a defender who wants to lose little: terms, the gravest first.

In a picture with good and bad values (:class:`~holdfast.game.system.Graph`, ``tones``) they are how many
nodes have *fallen* (bad, watched or gone: the compromised, detected and destroyed hosts of a network), how
many of them are bad and nobody has noticed, and how many are not good. Where a picture has none, or there is
no picture, the one term is −μ.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from holdfast.game import BAD, Action, Configuration
from holdfast.logic import Arithmetic, Count, Expression, Member, Number, variables_of

GOOD_TONE, UNNOTICED_TONE = "good", "bad"


def losses(configuration: Configuration) -> tuple[Expression, ...]:
    """The terms that such a defender keeps low, the gravest first."""
    gone = fallen(configuration)
    if gone is None:
        return (Arithmetic("-", Number(Fraction(0)), configuration.game.dominance),)
    graph = configuration.system.graph
    assert graph is not None
    others = {tone for tone in graph.tones.values() if tone != GOOD_TONE}
    terms = (gone, _counted(configuration, {UNNOTICED_TONE}), _counted(configuration, others))
    return tuple(term for term in terms if term is not None)


def fallen(configuration: Configuration) -> Count | None:
    """How many nodes of the picture have fallen; None where the picture does not tell."""
    return _counted(configuration, BAD)


def _counted(configuration: Configuration, tones: Collection[str]) -> Count | None:
    """How many nodes have a value with one of these tones."""
    graph, game = configuration.system.graph, configuration.game
    if graph is None:
        return None
    variables = {variable.name: variable for variable in game.variables}
    items = []
    for name in dict.fromkeys(node.variable for node in graph.nodes if node.variable in variables):
        values = variables[name].values
        chosen = tuple(value for value in values if graph.tones.get(str(value)) in tones)
        items += [Member(variables[name], chosen)] if chosen else []
    return Count(tuple(items)) if items else None


def touched(term: Expression, action: Action) -> Expression | None:
    """The part of a term that an action can change: of a count, the variables that it assigns; None if none.

    What the action adds to that part it adds to the term.
    """
    assigned = {variable.name for rule in action.rules for variable, _ in rule.assign}
    if isinstance(term, Count):
        items = tuple(item for item in term.items if {v.name for v in variables_of(item)} & assigned)
        return Count(items) if items else None
    return term if {variable.name for variable in variables_of(term)} & assigned else None
