"""Plants: tanks, lines with valves and pumps, and sensors, with whole-number levels."""

from pathlib import Path

from holdfast.models.plant.game import system_of_plant
from holdfast.models.plant.reader import build_plant, gather_plant
from holdfast.models.plant.schema import PlantChange, PlantSection
from holdfast.scenario import Model

STUB = (Path(__file__).parent / "stub.yaml").read_text("utf-8")

MODEL = Model(
    key="plant",
    called="a plant",
    section=PlantSection,
    change=PlantChange,
    build=build_plant,
    stub=STUB,
    gather=gather_plant,
)

__all__ = ["MODEL", "STUB", "system_of_plant"]
