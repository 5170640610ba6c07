"""A play as one HTML file that moves: to be sent to somebody who has nothing but a browser, or a telephone.

The picture, the sentences and the controls are all in the file; nothing is fetched and nothing is sent. Texts
are escaped, and the one script is allowed by its hash, as on every page.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from holdfast import __version__
from holdfast.explanation import Storyboard
from holdfast.game import ENTRY, Configuration, Graph, Position, drawn_graph
from holdfast.logic import Player, action_target
from holdfast.report.board import shut_arrows
from holdfast.report.drawing.stage import PlayStage, is_critical, stage_of
from holdfast.report.renderers.page import resource, shown, styles, templates

TONES = {"attack": "bad", "acting": "bad", "eviction": "good", "trap": "open"}
"""How a story ends, as the colour of its last sentence."""

LEAST, MOST = 10.5, 15.0
"""Pixels of a name, at least and at most, however narrow or wide the window is."""


def animation(board: Storyboard, configuration: Configuration) -> str:
    """A play as a whole page, self-contained, light and dark, that fits a telephone."""
    script = resource("animation.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    game, system, graph = configuration.game, configuration.system, drawn_graph(configuration)
    stage = stage_of(graph, [variable.name for variable in game.vocabulary.plain], system.legend)
    frames = list(_frames(board, configuration, graph, stage))
    values = sorted({value for frame in frames for value, _ in frame["nodes"].values()})
    tones = graph.tones if graph is not None else {}
    text = templates().get_template("animation.html.j2").render(
        title=configuration.title,
        board=board,
        stage=stage,
        least=LEAST,
        most=MOST,
        critical={box.name for box in stage.boxes if is_critical(box)},
        entries={box.name for box in stage.boxes if ENTRY in box.marks},
        first=frames[0],
        key=[(tones[value], system.legend.get(value, value)) for value in values if value in tones],
        tone=TONES[board.told],
        who={str(player): player.name[0] for player in Player},
        must=configuration.required,
        bound=[clause.label for clause in configuration.clauses(Player.ADVERSARY)],
        premises=[premise.assumption for premise in system.premises],
        data=Markup(_data(frames)),
        style=styles("palette.css", "animation.css"),
        script=Markup(script),
        digest=digest,
        version=__version__,
    )  # fmt: skip
    return text.strip() + "\n"


def _data(frames: list[dict[str, Any]]) -> str:
    """JSON that no text can end: angle brackets and ampersands are written as escapes."""
    raw = json.dumps(frames, ensure_ascii=True, separators=(",", ":"))
    return raw.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _frames(
    board: Storyboard, configuration: Configuration, graph: Graph | None, stage: PlayStage
) -> Iterator[dict[str, Any]]:
    """What is seen at each place of the play: the start, then the position after each move."""
    before: dict[str, str] | None = None
    for k, position in enumerate(board.positions):
        scene = board.scenes[k - 1] if k else None
        values = _values(configuration, position)
        legend, tones = configuration.system.legend, graph.tones if graph is not None else {}
        nodes = {
            box.name: (
                values[box.variable],
                shown(legend.get(values[box.variable], values[box.variable]), 40),
            )
            for box in stage.boxes
        }
        shut = shut_arrows(graph, values) if graph is not None else frozenset()
        names = {box.name: box.variable for box in stage.boxes}
        hot = [
            i
            for i, link in enumerate(stage.links)
            if graph is not None
            and (link.source, link.target) not in shut
            and values[names[link.source]] in graph.spreads
        ]
        changed = [name for name in values if before is not None and values[name] != before[name]]
        yield {
            "words": shown(scene.sentence if scene is not None else board.title),
            "aside": shown(scene.aside if scene is not None else ""),
            "player": scene.player if scene is not None else "",
            "nodes": nodes,
            "tones": {name: tones.get(value, "plain") for name, (value, _) in nodes.items()},
            "hot": hot,
            "changed": [box.name for box in stage.boxes if box.variable in changed],
            "aim": action_target(scene.action) if scene is not None else "",
            "at": {name: stage.squares[values[name]] for name in stage.movers},
            "end": shown(board.ending) if k == len(board.scenes) else "",
        }
        before = values


def _values(configuration: Configuration, position: Position) -> dict[str, str]:
    """The value of each variable; of alike things how many have which."""
    from holdfast.report.board import statuses

    game, graph = configuration.game, drawn_graph(configuration)
    values = {v.name: str(v.values[code]) for v, code in zip(game.variables, position.state, strict=True)}
    if graph is not None and game.tallies:
        worst = statuses(graph, game, position.state)
        values |= {node.variable: worst[node.name] for node in graph.nodes}
    return values
