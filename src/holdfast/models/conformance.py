"""What every model must fulfil, as a check that anyone's model can be held to.

::

    from holdfast.models.conformance import check_model

    def test_my_model():
        check_model(MODEL)
"""

from __future__ import annotations

from holdfast.errors import ModelError, ScenarioError
from holdfast.game import Configuration, Graph, System, configure
from holdfast.logic import Player
from holdfast.scenario import FileSection, Model, all_models, configuration, json_schema, scenario_from_text
from holdfast.solver import solve


def check_model(model: Model, text: str | None = None) -> None:
    """Hold a registered model to its contract, on its stub or on the text of another scenario.

    Raises:
        ModelError: for the first thing that is not as it must be.
    """
    _require(all_models().get(model.key) is model, f'register the model "{model.key}" first')
    _require(model.key.isidentifier(), f'the key "{model.key}" must be a word')
    _check_described(model)
    scenario = scenario_from_text(model.stub if text is None else text, f"the {model.key} scenario")
    for variant in (None, *scenario.variants):
        here = configuration(scenario, variant)
        _check_system(here.system, model)
        _check_parts(here)
    _check_places(model)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ModelError(otherwise)


def _check_described(model: Model) -> None:
    """Every key is explained, in the section and in what a variant changes, and editors get both."""
    for shape in (model.section, model.change):
        _require(issubclass(shape, FileSection), f"{shape.__name__} must be a FileSection")
        for name, field in shape.model_fields.items():
            _require(bool(field.description), f"{shape.__name__}: the key {name} has no description")
    for key in model.flat:
        _require(key in model.change.model_fields, f"the flat key {key} is no key of the change")
    _require(model.key in json_schema()["properties"], f"the JSON Schema does not have {model.key}")


def _check_system(system: System, model: Model) -> None:
    _require(system.model == model.key, f'the system says that it is of "{system.model}"')
    values = {str(value) for variable in system.game.variables for value in variable.values}
    _require(set(system.legend) <= values, "the legend explains what is no value of the game")
    parts = (*system.parts, *system.hardenable, *system.upgrades)
    _require(len(set(parts)) == len(parts), "two parts are the same")
    starts = dict(system.starts)
    if system.started is not None and system.graph is not None:
        names = system.graph.names
        same = all(system.started([name]) == starts.get(name, system.started([name])) for name in names)
        _require(same, "trouble that begins at one place is not the start with its name")
        starts["at every place at once"] = system.started(names)
    for name, state in starts.items():
        fits = len(state) == len(system.game.shape)
        fits = fits and all(0 <= c < size for c, size in zip(state, system.game.shape, strict=True))
        _require(fits, f"the start {name} is no state of the game")
    if system.graph is not None:
        _check_graph(system.graph, system, values)


def _check_graph(graph: Graph, system: System, values: set[str]) -> None:
    variables = {variable.name for variable in system.game.variables}
    names = set(graph.names)
    _require(len(names) == len(graph.nodes), "two nodes of the graph have one name")
    for node in graph.nodes:
        _require(node.variable in variables, f"the node {node.name} is bound to no variable of the game")
    for arrow in (*graph.arrows, *graph.gates, *graph.labels):
        _require(set(arrow) <= names, f"the arrow {' -> '.join(arrow)} does not join two nodes")
    for shut in graph.gates.values():
        for variable, value in shut:
            _require(variable in variables and value in values, f"{variable} = {value} shuts nothing")
    for sets in (graph.zones, graph.groups):
        inside = [name for of in sets.values() for name in of]
        _require(set(inside) <= names, "a zone or group holds what is no node")
        _require(len(set(inside)) == len(inside), "a node stands in two zones or groups")
    _require({*graph.tones, *graph.spreads, *graph.open_to} <= values, "a tone is for no value of the game")


def _check_parts(here: Configuration) -> None:
    """Without a part the game has the same variables and actions, and the defender is never worse off."""
    system, before = here.system, solve(here)
    for part in (*system.parts, *system.hardenable):
        less = system.without([part])
        _require(
            part not in (*less.parts, *less.hardenable), f"{part.name} is still there after it was taken away"
        )
        _require(less.game.variables == system.game.variables, f"without {part.name} variables change")
        for player in Player:
            names = [[a.name for a in game.actions[player]] for game in (system.game, less.game)]
            _require(names[0] == names[1], f"without {part.name} the actions of the {player} change")
    # Weak spots are many: that all of them together are no loss is enough.
    groups = {part.name: [part] for part in system.parts}
    for name, taken in {**groups, "all weak spots": list(system.hardenable)}.items():
        after = solve(configure(system.without(taken), here.requirement, here.boundary))
        _require(after.defensible or not before.defensible, f"without {name} a defensible system is lost")


def _check_places(model: Model) -> None:
    """A section that is wrong is refused with file, line and column."""
    wrong = f"holdfast: 1\n{model.key}:\n  no_such_key: 1\nspecs: {{}}\n"
    try:
        scenario_from_text(wrong, "wrong.yaml")
    except ScenarioError as error:
        _require(str(error).startswith("wrong.yaml:"), f"the message has no place: {error}")
    else:
        raise ModelError("a key that no model has was accepted")
