"""What workers need, made ready once, in the process that they are forked from.

Modules are loaded, and a small design is read through, so that the compiled loops are in memory when a worker
is born. No thread may be left running here, hence the explicit engine: a fork copies memory, not threads.
"""

from contextlib import suppress

import holdfast.comparison
import holdfast.explanation
import holdfast.plays.strategies
import holdfast.recommendation
import holdfast.report.fingerprint
import holdfast.report.page
import holdfast.rulebook
import holdfast.studio.questions  # noqa: F401
from holdfast.analysis import analyse
from holdfast.budget import Budget
from holdfast.errors import HoldfastError
from holdfast.library import library_card
from holdfast.protocol import Protocol
from holdfast.report.figures.topologies import standing
from holdfast.scenario.load import load


def make_ready() -> None:
    """Read a small design through."""
    here = load(library_card("paper").path, "no-bypass")
    analyse(here, Protocol(steps=10), engine="explicit", exact=True, budget=Budget(jobs=1))
    if here.system.graph is not None:
        standing(here.system.graph)


with suppress(HoldfastError, OSError):  # workers do without, and are slower at first
    make_ready()
