"""Which readings are asked for, and in which order they are taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """Which readings to take, besides those that the verdict alone gives.

    Attributes:
        latitude: whether to follow safe play, for SLT.
        recovery: whether to find how soon the goals of the design can be forced.
        response: whether to find effort, tempo and grace.
        layers: whether to count the winning positions by effort and by grace.
        learning: whether to train, for DDR.
        exact: whether to solve the operating point, for DDR*.
        endless: whether to bound the long run with it.
        hold: for how many moves to ask how likely it holds; None for the usual ones, where there is chance.
    """

    latitude: bool = True
    response: bool = True
    layers: bool = False
    learning: bool = False
    exact: bool = False
    recovery: bool = True
    hold: tuple[int, ...] | None = None
    endless: bool = True


USUAL = Asked()


def steps(asked: Asked = USUAL, *, held: bool, drawn: bool = False) -> tuple[str, ...]:
    """What :func:`holdfast.readings.analysis.iter_analysis` reads after the verdict, in words, step by step.

    >>> steps(Asked(recovery=False, exact=True), held=True)
    ('SLT', 'effort, tempo and grace', 'DDR*')

    Args:
        asked: which readings to take.
        held: whether the design is defensible.
        drawn: whether its outcomes are.
    """
    operation = [name for name, wanted in (("DDR*", asked.exact), ("DDR", asked.learning)) if wanted]
    wanted = {
        "SLT" if asked.latitude else "warnings": True,
        "how likely it holds": asked.hold is not None or drawn,
        "recovery": asked.recovery,
        "effort, tempo and grace": asked.response,
        " and ".join(operation): held and bool(operation),
    }
    return tuple(step for step, is_wanted in wanted.items() if is_wanted)
