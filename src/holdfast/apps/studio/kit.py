"""What workers need, made ready once, in the process that they are forked from.

Modules are loaded, and a small design is read through, so that the compiled loops are in memory when a worker
is born. No thread may be left running here, hence the explicit engine: a fork copies memory, not threads.
Decision diagrams have threads, and some are made all the same, to check the question. They are collected
here: a worker that collected them would miss their threads, and crash.
"""

import gc
from contextlib import suppress
from importlib import import_module

from holdfast.apps.studio.canvas import canvas_of, curves
from holdfast.budget import Budget
from holdfast.errors import HoldfastError
from holdfast.game import Protocol
from holdfast.readings import analyse
from holdfast.scenario import library_card, load

USED = (
    "apps.play.strategies",
    "apps.studio.questions",
    "design.recommend.recommending",
    "explanation.explaining",
    "explanation.playbook.playbooks",
    "readings.compare.designs",
    "report.documents.fingerprint",
)
"""Modules that answers need and that nothing below has loaded; figures wait until somebody wants a report."""


def make_ready() -> None:
    """Load the modules, and read a small design through."""
    for module in USED:
        import_module(f"holdfast.{module}")
    here = load(library_card("paper").path, "no-bypass")
    analyse(here, Protocol(steps=10), engine="explicit", exact=True, budget=Budget(jobs=1))
    if (graph := here.system.graph) is not None:
        canvas = canvas_of(graph, here.system.legend)
        curves(graph.arrows, canvas.at, canvas.width, canvas.height)
    gc.collect()
    gc.freeze()


with suppress(HoldfastError, OSError):  # workers do without, and are slower at first
    make_ready()
