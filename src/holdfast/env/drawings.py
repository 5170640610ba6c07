"""The board of an environment, as text or as an image of fixed size."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from holdfast.env.many_games import Games
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Configuration, Position

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RENDER_MODES = ("ansi", "human", "rgb_array")
WIDTH = 100
INCHES, DPI, PER_COLUMN = (8.0, 4.5), 100, 8


def require_mode(mode: str | None) -> str | None:
    """The mode, if there is such a one.

    Raises:
        InputError: for any other.
    """
    if mode is not None and mode not in RENDER_MODES:
        known = f"; known: {', '.join(RENDER_MODES)}" + did_you_mean(str(mode), RENDER_MODES)
        raise InputError(f'there is no render mode "{mode}"{known}')
    return mode


def rendered(games: Games, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """The first game in a mode; ``human`` prints it."""
    if mode is None:
        return None
    if mode == "rgb_array":
        return image(games.book.configuration, games.position(), _caption(games))
    text = f"{_caption(games)}\n{board_text(games.book.configuration, games.position())}"
    if mode == "human":
        print(text)
        return None
    return text


def _caption(games: Games) -> str:
    turn, made = games.position().turn, f"move {games.n_moves[0]} of {games.terms.horizon}"
    return f"{made}, {turn} to move, dominance {games.dominance()[0]:.3f}"


def board_text(configuration: Configuration, position: Position) -> str:
    """The board and where the automata stand, as text."""
    from rich.console import Console

    from holdfast.report import board, clauses

    text = io.StringIO()
    console = Console(file=text, width=WIDTH, force_terminal=False, color_system=None)
    console.print(board(configuration, position))
    console.print(clauses(configuration, position))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def image(configuration: Configuration, position: Position, caption: str) -> npt.NDArray[np.uint8]:
    """The board as an image, of one size for all positions; shape (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from holdfast.report import look

    with look():
        figure = Figure(figsize=INCHES, dpi=DPI)
        canvas: Any = FigureCanvasAgg(figure)
        _draw(figure, configuration, position, caption)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    return np.ascontiguousarray(pixels, dtype=np.uint8)


def _draw(figure: Figure, configuration: Configuration, position: Position, caption: str) -> None:
    """Nodes by their distance from the entry, coloured as on the board; else the variables in columns."""
    from holdfast.game import drawn_graph
    from holdfast.report import CHIPS, HOT, layers, ordered, shut_arrows, statuses

    axes = figure.add_axes((0.0, 0.0, 1.0, 0.92))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    figure.text(0.02, 0.95, caption, fontsize=11)
    game, graph = configuration.game, drawn_graph(configuration)
    values = {v.name: str(v.values[code]) for v, code in zip(game.variables, position.state, strict=True)}
    if graph is None or not graph.tones:
        names = list(values)
        columns = [names[i : i + PER_COLUMN] for i in range(0, len(names), PER_COLUMN)]
        for name, (x, y) in _spread(columns).items():
            axes.text(x, y, f"{name} = {values[name]}", ha="center", va="center", fontsize=11)
        return
    at = _spread(ordered(layers(graph.names, graph.arrows, graph.starts), graph.arrows))
    status, shut = statuses(graph, game, position.state), shut_arrows(graph, values)
    for arrow in graph.arrows:
        a, b = arrow
        hot = status[a] in graph.spreads and arrow not in shut
        look = {
            "arrowstyle": "-|>",
            "color": HOT.split()[-1] if hot else "#9a9a9a",
            "shrinkA": 24,
            "shrinkB": 24,
        }
        look |= {"linestyle": ":" if arrow in shut else "-", "connectionstyle": "arc3,rad=0.12"}
        axes.annotate("", xy=at[b], xytext=at[a], arrowprops=look)
    small = len(graph.nodes) > 2 * PER_COLUMN
    for node in graph.nodes:
        *bold, ink, _, ground = CHIPS[graph.tones[status[node.name]]].split()
        box = {"boxstyle": "round,pad=0.4", "facecolor": ground, "edgecolor": "#404040"}
        axes.text(
            *at[node.name],
            f"{node.name}\n{status[node.name]}",
            ha="center", va="center", color=ink, bbox=box, weight="bold" if bold else "normal",
            fontsize=6 if small else 10,
        )  # fmt: skip


def _spread(columns: list[list[str]]) -> dict[str, tuple[float, float]]:
    """Places in the unit square, column by column."""
    return {
        name: ((i + 0.5) / len(columns), 1 - (j + 0.5) / len(column))
        for i, column in enumerate(columns)
        for j, name in enumerate(column)
    }
