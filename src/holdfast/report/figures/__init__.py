"""The figures of a report, in print quality; they show the numbers that are given and compute none."""

from holdfast.report.figures.automaton import automata, illegible
from holdfast.report.figures.both_sides import both_sides, both_sides_of_all, both_sides_to_goal
from holdfast.report.figures.breaker_map import breaker_map
from holdfast.report.figures.burden_map import Weight, burden_map
from holdfast.report.figures.folding import folded
from holdfast.report.figures.operation import dominance_box, trajectories
from holdfast.report.figures.radar import fingerprint_multiples, fingerprint_overlay, fingerprint_radar
from holdfast.report.figures.shells import decomposition, shell_profile
from holdfast.report.figures.style import save_figure, svg_document, svg_text
from holdfast.report.figures.survival import held_over, survival, survivals
from holdfast.report.figures.topologies import topology, topology_difference
from holdfast.report.figures.zone_map import zone_map

__all__ = [
    "Weight",
    "automata",
    "both_sides",
    "both_sides_of_all",
    "both_sides_to_goal",
    "breaker_map",
    "burden_map",
    "decomposition",
    "dominance_box",
    "fingerprint_multiples",
    "fingerprint_overlay",
    "fingerprint_radar",
    "folded",
    "held_over",
    "illegible",
    "save_figure",
    "shell_profile",
    "survival",
    "survivals",
    "svg_document",
    "svg_text",
    "topology",
    "topology_difference",
    "trajectories",
    "zone_map",
]
