"""Games in the framework's own language: variables, guarded actions, any system without Python."""

from pathlib import Path

from holdfast.models.game.reader import build_game, game_system
from holdfast.models.game.schema import GameChange, GameSection
from holdfast.scenario import Model

STUB = (Path(__file__).parent / "stub.yaml").read_text("utf-8")

MODEL = Model(
    key="game",
    called="a game",
    section=GameSection,
    change=GameChange,
    build=build_game,
    stub=STUB,
)

__all__ = ["MODEL", "STUB", "game_system"]
