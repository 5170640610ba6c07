"""The network defense game (sec. instantiation of the paper): hosts, links, an entry."""

from pathlib import Path

from holdfast.models.network.game import network_game, network_system
from holdfast.models.network.reader import build_segment, gather_segment, locate_part
from holdfast.models.network.schema import NetworkChange, NetworkSection
from holdfast.scenario import Editing, Model

STUB = (Path(__file__).parent / "stub.yaml").read_text("utf-8")


def _editing() -> Editing:
    """Only whoever edits has to load it."""
    from holdfast.models.network.edits import EDITING

    return EDITING


MODEL = Model(
    key="network",
    called="a network",
    section=NetworkSection,
    change=NetworkChange,
    build=build_segment,
    stub=STUB,
    gather=gather_segment,
    flat=tuple(NetworkChange.model_fields),
    editing=_editing,
    locate=locate_part,
)

__all__ = ["MODEL", "STUB", "network_game", "network_system"]
