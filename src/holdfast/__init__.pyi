"""The public names: where each lives, for type checkers and for the lazy import alike."""

__version__: str

from .apps.outputs import (
    document as document,
    figures as figures,
    render as render,
    to_object as to_object,
    to_pandas as to_pandas,
)
from .apps.play.strategies import play as play
from .apps.reproduce.reproducing import reproduce as reproduce
from .arena import export_shield as export_shield, shielded_arena as shielded_arena
from .budget import Budget as Budget
from .certificates import Verdict as Verdict, certify as certify, verify as verify
from .composition import Composition as Composition, compose as compose
from .design import (
    Drift as Drift,
    DriftGuard as DriftGuard,
    Fragility as Fragility,
    Ladder as Ladder,
    SensorSets as SensorSets,
    fragility as fragility,
    frontier as frontier,
    guard_of as guard_of,
    held_against as held_against,
    ladder_of as ladder_of,
    likely_frontier as likely_frontier,
    read_guard as read_guard,
    recommend as recommend,
    sensor_sets as sensor_sets,
)
from .errors import HoldfastError as HoldfastError, InputError as InputError, LimitError as LimitError
from .explanation import (
    Explanation as Explanation,
    Playbook as Playbook,
    explain as explain,
    playbook as playbook,
)
from .game import (
    Action as Action,
    Clause as Clause,
    Configuration as Configuration,
    GameStructure as GameStructure,
    Position as Position,
    Protocol as Protocol,
    Rule as Rule,
    System as System,
    admissible_moves as admissible_moves,
    configure as configure,
    from_arrays as from_arrays,
    from_functions as from_functions,
    move as move,
)
from .logic import (
    Player as Player,
    SafetyAutomaton as SafetyAutomaton,
    Variable as Variable,
    compile_formula as compile_formula,
)
from .models.game import game_system as game_system
from .models.network import network_game as network_game, network_system as network_system
from .models.network.importers import ImportedNetwork as ImportedNetwork, import_network as import_network
from .operation import (
    exact_dominance as exact_dominance,
    hold_strategies as hold_strategies,
    train as train,
)
from .readings import (
    Analysis as Analysis,
    Comparison as Comparison,
    analyse as analyse,
    compare as compare,
    static_reading as static_reading,
)
from .scenario import (
    Scenario as Scenario,
    configuration as configuration,
    json_schema as json_schema,
    learning as learning,
    load as load,
    read_scenario as read_scenario,
    scenario_from_text as scenario_from_text,
)
from .solver import (
    Solution as Solution,
    rank as rank,
    reachable as reachable,
    safe_actions as safe_actions,
    solve as solve,
)
