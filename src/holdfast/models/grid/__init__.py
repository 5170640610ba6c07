"""Power grids: branches that are tripped, what the grid then does by itself, and an operator who acts."""

from pathlib import Path

from holdfast.models import Model
from holdfast.models.grid.grid_game import grid_system
from holdfast.models.grid.grid_reader import build_grid, gather_grid
from holdfast.models.grid.grid_schema import GridChange, GridSection

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
