"""Holdfast: is this design defensible, how defensible, and what would make it more so?

>>> import holdfast as hf
>>> game = hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW")
>>> solution = hf.solve(hf.configure(game, defender=["G (DB != Z)"]))
>>> solution.defensible
True
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Action": "game",
    "Analysis": "results",
    "Budget": "budget",
    "Clause": "clauses",
    "Comparison": "comparison",
    "Configuration": "product",
    "Explanation": "explanation",
    "GameStructure": "game",
    "HoldfastError": "errors",
    "ImportedNetwork": "models.network.importers",
    "InputError": "errors",
    "LimitError": "errors",
    "Playbook": "rulebook",
    "Player": "logic.expressions",
    "Position": "product",
    "Protocol": "protocol",
    "Rule": "game",
    "SafetyAutomaton": "logic.automata",
    "Scenario": "scenario.load",
    "Solution": "solution",
    "System": "system",
    "Variable": "logic.expressions",
    "Verdict": "checker",
    "admissible_moves": "product",
    "analyse": "analysis",
    "certify": "certificate",
    "compare": "comparison",
    "compile_formula": "logic.compile",
    "configuration": "scenario.load",
    "configure": "product",
    "document": "outputs",
    "exact_dominance": "exact",
    "explain": "explanation",
    "export_shield": "exports",
    "figures": "outputs",
    "frontier": "whatif.frontiers",
    "from_arrays": "array_games",
    "from_functions": "array_games",
    "game_system": "models.game",
    "import_network": "models.network.importers",
    "json_schema": "scenario.schema",
    "learning": "scenario.load",
    "load": "scenario.load",
    "move": "product",
    "network_game": "models.network",
    "network_system": "models.network",
    "play": "plays.strategies",
    "playbook": "rulebook",
    "rank": "solution",
    "reachable": "shield",
    "read_scenario": "scenario.load",
    "recommend": "recommendation",
    "render": "outputs",
    "reproduce": "reproduction",
    "safe_actions": "shield",
    "scenario_from_text": "scenario.load",
    "shielded_arena": "arena",
    "solve": "engines",
    "static_reading": "metrics",
    "to_object": "outputs",
    "to_pandas": "outputs",
    "train": "learn.minimax_q",
    "verify": "checker",
}
"""Where each public name lives; type checkers read the stub beside this file."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that the command line starts fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    module, _, other = _HOME[name].partition(":")
    return getattr(import_module(f"holdfast.{module}"), other or name)


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
