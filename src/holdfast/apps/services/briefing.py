"""A design for those who decide, on two pages (``report``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.apps.services.animation import storyboard
from holdfast.apps.services.changes import recommend
from holdfast.apps.services.design import DesignAnswer, Wanted, check
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError

if TYPE_CHECKING:
    from holdfast.design import Recommendation
    from holdfast.explanation import Storyboard
    from holdfast.report import Document
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution

OPTIONS_SECONDS = 60.0
"""What is spent on what could be changed, at most."""


@dataclass(frozen=True)
class BriefingAnswer:
    """What is known of a design, and what could be changed in it.

    Attributes:
        design: the verdict, with its reasons and the ladder.
        recommendation: what could be changed.
        unfinished: why there is no recommendation, where there is none.
        attack: on a lost design, the attack move by move.
    """

    design: DesignAnswer
    recommendation: Recommendation | None
    unfinished: str = ""
    attack: Storyboard | None = None

    @property
    def exit_code(self) -> int:
        """That of the verdict."""
        return self.design.exit_code

    def document(self, source: str, budget: Budget = UNLIMITED) -> Document:
        """The answer for a person."""
        from holdfast.report import background, briefing_document

        design = self.design
        assert design.reasons is not None
        about = background(design.scenario, design.configuration, source, budget)
        return briefing_document(
            design.analysis,
            design.reasons,
            design.ladder,
            self.recommendation,
            about,
            self.unfinished,
            self.attack,
        )

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        from holdfast.design import recommendation_object
        from holdfast.explanation import explanation_object

        advice, design = self.recommendation, self.design
        assert design.reasons is not None
        return {
            **design.to_object(),
            "explanation": explanation_object(design.reasons),
            "recommendation": None if advice is None else recommendation_object(advice),
            **({"unfinished": self.unfinished} if self.unfinished else {}),
        }


def briefing(
    scenario: Scenario,
    variant: str | None,
    *,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
) -> BriefingAnswer:
    """All that fits on two pages: verdict, reasons, ladder, and in the time that is left what to change.

    The verdict may take all the time there is, what is read of it a share of what is left; ``solved`` is
    called with it.

    Raises:
        InputError: for a mistake in the design.
        LimitError: where a limit leaves the verdict undecided.
    """
    wanted = Wanted(engine, ladder=True, why="always")
    solutions: list[Solution] = []

    def hear(solution: Solution) -> None:
        solutions.append(solution)
        if solved is not None:
            solved(solution)

    design = check(scenario, variant, wanted, certify=hear, reading=0.6, budget=budget)
    attack = None
    with suppress(LimitError):
        attack = (
            storyboard(solutions[0], budget=budget.share(0.5)) if not design.analysis.defensible else None
        )
    try:
        limited = budget.share(0.9, OPTIONS_SECONDS)
        advice = recommend(scenario, variant, engine=engine, budget=limited)
    except LimitError as limit:
        return BriefingAnswer(design, None, f"The search for changes did not finish: {limit}.", attack)
    except InputError as none:  # there is nothing that could be changed
        return BriefingAnswer(design, None, f"{str(none)[:1].upper()}{str(none)[1:]}.", attack)
    return BriefingAnswer(design, advice.recommendation, attack=attack)
