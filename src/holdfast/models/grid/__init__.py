"""Power grids: branches that are tripped, what the grid then does by itself, and an operator who acts."""

from pathlib import Path

from holdfast.models.grid.game import grid_system
from holdfast.models.grid.reader import build_grid, gather_grid
from holdfast.models.grid.schema import GridChange, GridSection
from holdfast.scenario import Model

STUB = (Path(__file__).parent / "stub.yaml").read_text("utf-8")

MODEL = Model(
    key="grid",
    called="a power grid",
    section=GridSection,
    change=GridChange,
    build=build_grid,
    stub=STUB,
    gather=gather_grid,
)

__all__ = ["MODEL", "STUB", "grid_system"]
