"""Holdfast: is this design defensible, how defensible, and what would make it more so?

>>> import holdfast as hf
>>> game = hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW")
>>> solution = hf.solve(hf.configure(game, defender=["G (DB != Z)"]))
>>> solution.defensible
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Action": "game",
    "Analysis": "results",
    "Configuration": "product",
    "GameStructure": "game",
    "HoldfastError": "errors",
    "InputError": "errors",
    "LimitError": "errors",
    "Player": "logic.expressions",
    "Position": "product",
    "Protocol": "protocol",
    "Rule": "game",
    "SafetyAutomaton": "logic.automata",
    "Scenario": "scenario.load",
    "Solution": "solution",
    "Variable": "logic.expressions",
    "admissible_moves": "product",
    "analyse": "analysis",
    "compile_formula": "logic.compile",
    "configure": "product",
    "exact_dominance": "exact",
    "from_arrays": "array_games",
    "from_functions": "array_games",
    "load": "scenario.load",
    "move": "product",
    "network_game": "models.network",
    "rank": "solution",
    "reachable": "shield",
    "read_scenario": "scenario.load",
    "safe_actions": "shield",
    "shielded_arena": "arena",
    "solve": "engines",
    "static_reading": "metrics",
    "train": "learn.minimax_q",
}

__all__ = [
    "Action",
    "Analysis",
    "Configuration",
    "GameStructure",
    "HoldfastError",
    "InputError",
    "LimitError",
    "Player",
    "Position",
    "Protocol",
    "Rule",
    "SafetyAutomaton",
    "Scenario",
    "Solution",
    "Variable",
    "admissible_moves",
    "analyse",
    "compile_formula",
    "configure",
    "exact_dominance",
    "from_arrays",
    "from_functions",
    "load",
    "move",
    "network_game",
    "rank",
    "reachable",
    "read_scenario",
    "safe_actions",
    "shielded_arena",
    "solve",
    "static_reading",
    "train",
]

if TYPE_CHECKING:
    from holdfast.analysis import analyse as analyse
    from holdfast.arena import shielded_arena as shielded_arena
    from holdfast.array_games import from_arrays as from_arrays
    from holdfast.array_games import from_functions as from_functions
    from holdfast.engines import solve as solve
    from holdfast.errors import HoldfastError as HoldfastError
    from holdfast.errors import InputError as InputError
    from holdfast.errors import LimitError as LimitError
    from holdfast.exact import exact_dominance as exact_dominance
    from holdfast.game import Action as Action
    from holdfast.game import GameStructure as GameStructure
    from holdfast.game import Rule as Rule
    from holdfast.learn.minimax_q import train as train
    from holdfast.logic.automata import SafetyAutomaton as SafetyAutomaton
    from holdfast.logic.compile import compile_formula as compile_formula
    from holdfast.logic.expressions import Player as Player
    from holdfast.logic.expressions import Variable as Variable
    from holdfast.metrics import static_reading as static_reading
    from holdfast.models.network import network_game as network_game
    from holdfast.product import Configuration as Configuration
    from holdfast.product import Position as Position
    from holdfast.product import admissible_moves as admissible_moves
    from holdfast.product import configure as configure
    from holdfast.product import move as move
    from holdfast.protocol import Protocol as Protocol
    from holdfast.results import Analysis as Analysis
    from holdfast.scenario.load import Scenario as Scenario
    from holdfast.scenario.load import load as load
    from holdfast.scenario.load import read_scenario as read_scenario
    from holdfast.shield import reachable as reachable
    from holdfast.shield import safe_actions as safe_actions
    from holdfast.solution import Solution as Solution
    from holdfast.solution import rank as rank


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that the command line starts fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
