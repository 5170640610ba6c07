"""Why a design holds or not (``explain``), and what its defenders should do (``playbook``)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from holdfast.apps.services import exit_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.explanation import Explanation, Playbook, SeenPlaybook
    from holdfast.game import Configuration
    from holdfast.report import Document, Techniques
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution

SIGHT = "sight"
"""What a playbook is wanted for that asks only for what is seen."""

PlaybookPaper = Literal["cacao", "runbook", "sheet"]
"""In which forms a playbook is handed to those who follow it."""


@dataclass(frozen=True)
class ExplanationAnswer:
    """Why a design of a scenario holds or not."""

    scenario: Scenario
    configuration: Configuration
    explanation: Explanation

    @property
    def exit_code(self) -> int:
        """That of the verdict, for a defender who sees what its sensors show where it has some."""
        return exit_of(self.explanation.held)

    def document(self, source: str, catalogues: bool = False) -> Document:
        """The answer for a person; with ``catalogues`` also in the words of ATT&CK and D3FEND."""
        from holdfast.readings import provenance_of
        from holdfast.report import background, explanation_document

        about = background(self.scenario, self.configuration, source)
        asked = {"explanation": True}
        provenance = provenance_of(self.scenario.text, self.configuration.variant, asked)
        alike = self.configuration.system.gathered
        document = explanation_document(self.explanation, about, provenance, alike)
        line, named = self.explanation.line, self._catalogues() if catalogues else None
        if named is None or line is None or not line.steps:
            return document
        from holdfast.report import vocabulary_section

        answers = (action for step in line.steps for reply in step.replies for action in reply.actions)
        section = vocabulary_section(line, list(dict.fromkeys(answers)), *named)
        return replace(document, sections=(*document.sections, section))

    def layer(self) -> str:
        """The forced attack as a layer for the Navigator of ATT&CK; empty where there is none.

        Raises:
            InputError: for a model whose actions have no names in ATT&CK.
        """
        from holdfast.report import navigator_layer

        named, line = self._catalogues(), self.explanation.line
        if named is None:
            raise InputError("--layer is for networks: the actions of this model have no names in ATT&CK")
        if line is None or not line.steps:
            return ""
        return navigator_layer(line, self.configuration.title, *named)

    def _catalogues(self) -> tuple[Techniques, Techniques] | None:
        from holdfast.models import network_techniques

        system = self.configuration.system
        return network_techniques(system) if system.model == "network" else None

    @property
    def coming(self) -> tuple[str, ...]:
        """What is still being worked out, in words; nothing of a whole answer."""
        from holdfast.explanation import AWAITED

        return tuple(AWAITED[part] for part in self.explanation.awaited)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.explanation import explanation_object

        alike = self.configuration.system.gathered
        return explanation_object(self.explanation) | ({"counted": list(alike)} if alike else {})


def explain(
    scenario: Scenario,
    design: Configuration | Solution,
    *,
    best_play: bool = False,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    tell: Callable[[ExplanationAnswer], object] | None = None,
) -> ExplanationAnswer:
    """Why a design of a scenario holds or not; with ``best_play`` also how perfect players begin.

    Whoever waits is told part by part, what people need first: ``tell`` is called with what is known, the
    attack, then the smallest repair, then the rest; ``explanation.awaited`` names what is still to come.
    """
    from holdfast.explanation import iter_explanation
    from holdfast.game import Configuration, gathered
    from holdfast.scenario import learning
    from holdfast.solver import solve

    if isinstance(design, Configuration):
        solution = solve(gathered(design, engine, budget), engine, budget)
    else:
        solution = design
    configuration = solution.configuration
    episode = learning(scenario, configuration.variant) if best_play else None
    for explanation in iter_explanation(solution, engine=engine, best_play=episode, budget=budget):
        answer = ExplanationAnswer(scenario, configuration, explanation)
        if tell is not None and explanation.awaited:
            tell(answer)
    return answer


@dataclass(frozen=True)
class PlaybookAnswer:
    """What the defenders of a design should do, or that nothing they do is enough."""

    playbook: Playbook | SeenPlaybook

    @property
    def exit_code(self) -> int:
        """Whether there are such rules."""
        return exit_of(self.playbook.possible)

    def document(self, source: str) -> Document:
        """The answer for a person."""
        from holdfast.explanation import Playbook
        from holdfast.report import playbook_document, seen_playbook_document

        if isinstance(self.playbook, Playbook):
            return playbook_document(self.playbook, source)
        return seen_playbook_document(self.playbook, source)

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.explanation import Playbook, playbook_object, seen_playbook_object

        if isinstance(self.playbook, Playbook):
            return playbook_object(self.playbook)
        return seen_playbook_object(self.playbook)


def playbook(
    design: Configuration | Solution,
    *,
    style: str = "early",
    wanted: str = "held",
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
) -> PlaybookAnswer:
    """What the defenders of a design should do, as rules; early or late, or to a goal that is ``wanted``.

    Where ``sight`` is wanted, and is no goal of the design, the rules ask only for what is seen.
    ``solved`` is called with the solution, before any rule is looked for.
    """
    from holdfast.explanation import playbook as playbook_of, seen_playbook
    from holdfast.solver import Solution

    configuration = design.configuration if isinstance(design, Solution) else design
    if wanted == SIGHT and SIGHT not in configuration.goals:
        return PlaybookAnswer(seen_playbook(design, engine=engine, solved=solved, budget=budget))
    found = playbook_of(design, style=style, wanted=wanted, engine=engine, solved=solved, budget=budget)
    return PlaybookAnswer(found)


def handed_over(
    playbook: Playbook, paper: PlaybookPaper, path: Path, source: str = "", certificate: str = ""
) -> str:
    """A playbook for those who follow it: for a response platform, as a runbook, or as a sheet to print.

    Args:
        playbook: one that has rules.
        paper: which of the three.
        path: where it will be written; an earlier version there says when the playbook was created.
        source: the file of the scenario.
        certificate: the SHA-256 of the playbook's certificate; empty where there is none.
    """
    from holdfast.report import cacao, rendered, runbook_document, sheet_document

    if paper == "cacao":
        return cacao(playbook, certificate, _created(playbook, path))
    if paper == "runbook":
        return rendered(runbook_document(playbook, source, certificate), "markdown")
    return rendered(sheet_document(playbook, certificate), "html")


def _created(playbook: Playbook, path: Path) -> str:
    """When the first version of a CACAO playbook was made, by the file there; empty if that is another."""
    from holdfast.report import playbook_id

    try:
        before = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    known = isinstance(before, dict) and before.get("id") == playbook_id(playbook)
    return str(before.get("created", "")) if known else ""
