"""The reference of the Python names: which stand together, on which page; their text is their docstrings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import holdfast
import holdfast.env


@dataclass(frozen=True)
class Chapter:
    """A page of the reference.

    Attributes:
        title, lead: its heading and what stands below it.
        names: in this order; a dotted name is below ``holdfast``.
        module: a module whose own text stands at the head, if any.
    """

    title: str
    lead: str
    names: tuple[str, ...]
    module: str = ""


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CHAPTERS: Mapping[str, Chapter] = {
    "scenarios": Chapter(
        "Scenarios",
        "Reading scenario files and the files of other programs.",
        _names(
            "load read_scenario scenario_from_text Scenario configuration learning import_network "
            "ImportedNetwork json_schema"
        ),
    ),
    "games": Chapter(
        "Games and systems",
        "What is played: variables, actions and their effects, and the system around them.",
        _names(
            "GameStructure Variable Action Rule Player System game_system network_system network_game "
            "from_arrays from_functions"
        ),
    ),
    "questions": Chapter(
        "Specifications and configurations",
        "The requirement φ_D and the threat boundary φ_A, and the game that they make of a system.",
        _names(
            "configure Configuration Clause compile_formula SafetyAutomaton Position move admissible_moves"
        ),
    ),
    "solving": Chapter(
        "Solving, shield and proof",
        "The verdict and everything that is asked of a solved game.",
        _names(
            "solve Solution rank safe_actions reachable shielded_arena export_shield certify verify "
            "Verdict Budget"
        ),
    ),
    "readings": Chapter(
        "Readings",
        "WIN, STP and SLT, the trained DDR and the exact DDR\\*, and all of them together.",
        _names("analyse Analysis static_reading exact_dominance hold_strategies train Protocol"),
    ),
    "answers": Chapter(
        "Reasons, comparisons and advice",
        "What the commands of the same names answer.",
        _names(
            "explain Explanation compare Comparison compose Composition recommend frontier ladder_of "
            "likely_frontier "
            "Ladder fragility Fragility "
            "guard_of read_guard held_against DriftGuard Drift sensor_sets SensorSets playbook Playbook "
            "play reproduce"
        ),
    ),
    "output": Chapter(
        "Output",
        "Results as documents, text, pages, figures, plain objects and tables.",
        _names("document render figures to_object to_pandas"),
    ),
    "errors": Chapter(
        "Errors",
        "What can be caught. A system that cannot be defended is a result and no error.",
        _names("HoldfastError InputError LimitError"),
    ),
    "env": Chapter(
        "Environments: holdfast.env",
        "Any design as an environment; see also [Environments for learners](../environments.md).",
        tuple(f"env.{name}" for name in ("aec", "gym", "vector", "games", "evaluate", "simulate")),
        "holdfast.env",
    ),
    "exact": Chapter(
        "The operating point: holdfast.operation",
        "Perfect play on both sides, and how far a policy is from it.",
        _names(
            "operation.operating_point operation.ExactDominance operation.optimal_actions "
            "operation.HoldStrategies operation.BestChoice "
            "operation.exploitability operation.Exploitability operation.long_run operation.LongRun"
        ),
        "holdfast.operation",
    ),
    "models": Chapter(
        "The contract of models",
        "What a model of your own brings; [Your own model in an hour](../own-model.md) builds one.",
        _names(
            "scenario.Model scenario.register scenario.model_keys scenario.model_of scenario.all_models "
            "scenario.Editing scenario.Edit scenario.Operation models.check_model game.Graph "
            "game.GraphNode game.Floor game.Part"
        ),
        "holdfast.scenario.registry",
    ),
}
"""By the name of the page."""


def path_of(name: str) -> str:
    """Where a name of a chapter is documented: the module that defines it."""
    package, _, last = f"holdfast.{name}".rpartition(".")
    return f"{getattr(import_module(package), last).__module__}.{last}"


def unplaced() -> set[str]:
    """Public names that stand on no page, or on two, and names on pages that are not public."""
    placed = [name for chapter in CHAPTERS.values() for name in chapter.names]
    public = set(holdfast.__all__)
    public |= {f"env.{name}" for name in holdfast.env.__all__}
    apart = {name for name in placed if name.partition(".")[0] in ("game", "models", "operation", "scenario")}
    return (public ^ (set(placed) - apart)) | {name for name in placed if placed.count(name) > 1}


def api_index() -> str:
    """The page that lists the chapters and their names."""
    if unplaced():
        raise ValueError(
            f"docs/pages/api_pages.py: not in exactly one chapter: {', '.join(sorted(unplaced()))}"
        )
    rows = [
        f"| [{chapter.title}]({page}.md) | "
        + ", ".join(f"[`{name}`]({page}.md#{path_of(name)})" for name in chapter.names)
        + " |"
        for page, chapter in CHAPTERS.items()
    ]
    return "\n".join(
        (
            "# Python names",
            "",
            "Everything that `import holdfast` offers, and three subpackages, from their docstrings. "
            "[Use it from Python](../how-to/python.md) shows how they go together.",
            "",
            "| page | names |",
            "|---|---|",
            *rows,
            "",
        )
    )


def api_page(page: str) -> str:
    """A chapter, as what mkdocstrings is to show."""
    chapter = CHAPTERS[page]
    parts = [f"# {chapter.title}", "", chapter.lead, ""]
    if chapter.module:
        parts += [f"::: {chapter.module}", "    options:", "      members: false"]
        parts += ["      show_root_heading: false", "      show_root_toc_entry: false", ""]
    for name in chapter.names:
        parts += [f"::: {path_of(name)}", ""]
    return "\n".join(parts)
