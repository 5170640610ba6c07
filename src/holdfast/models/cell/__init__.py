"""Robot cells: a robot, people and machines on a floor plan drawn as text."""

from pathlib import Path

from holdfast.models.cell.game import system_of_cell
from holdfast.models.cell.reader import build_cell, gather_cell
from holdfast.models.cell.schema import CellChange, CellSection
from holdfast.scenario import Model

STUB = (Path(__file__).parent / "stub.yaml").read_text("utf-8")

MODEL = Model(
    key="cell",
    called="a robot cell",
    section=CellSection,
    change=CellChange,
    build=build_cell,
    stub=STUB,
    gather=gather_cell,
)

__all__ = ["MODEL", "STUB", "system_of_cell"]
