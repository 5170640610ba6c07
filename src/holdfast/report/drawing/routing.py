"""How arrows run between boxes, and where on them their labels stand.

An arrow is a parabola from centre to centre, straight if that hits no other box, else bent as little as will
do. What is drawn of it is the piece between its two boxes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.game import Arrow
from holdfast.report.drawing.layering import Point, Sizes
from holdfast.report.drawing.text import text_width

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

BENDS = (0.0, *(side * by for by in (0.06, 0.11, 0.17, 0.24, 0.32, 0.42, 0.55, 0.7) for side in (1, -1)))
"""How far an arrow's middle may stand off the straight line, in its length; twice that is its control."""

CLEARANCE = 0.05
"""Inches between an arrow and a box that it passes."""

GAP = 0.02
"""Inches between the end of an arrow and the box."""

OUTSIDE = 0.4
"""Inches that an arrow may leave the area of the boxes by."""

ALONG = (0.5, 0.35, 0.65, 0.25, 0.75)
"""Where on an arrow its label may stand, the first that is free."""

SMALLER = 0.75
"""The size of labels, of that of names."""


@dataclass(frozen=True)
class Route:
    """How an arrow runs.

    Attributes:
        bend: how far its middle stands off the straight line between the centres, in its length.
        controls: of the piece that is drawn, a parabola; shape (3, 2).
        both: whether it stands for the arrow back as well.
    """

    bend: float
    controls: Floats
    both: bool = False


def routes(
    arrows: Iterable[Arrow], at: Mapping[str, Point], sizes: Sizes, joined: Collection[Arrow] = ()
) -> dict[Arrow, Route]:
    """The routes of all arrows that are drawn, between boxes of one size that stand ``at`` their places.

    Of two arrows that go both ways, the first alone is drawn if it is among the ``joined``; otherwise each of
    the two keeps to its right.
    """
    every, both = dict.fromkeys(arrows), dict[Arrow, bool]()
    for arrow in every:
        back = arrow[1], arrow[0]
        returns = back in every and arrow in joined
        if not (returns and back in both):
            both[arrow] = returns
    if not both:
        return {}
    index = {node: i for i, node in enumerate(at)}
    centres = np.array(list(at.values()), dtype=np.float64)
    of = np.array([(index[a], index[b]) for a, b in both])
    one_sided = np.array([(b, a) in every and not returns for (a, b), returns in both.items()])
    bends = _bends(of, centres, sizes, one_sided)
    controls = visible(centres[of], bends, sizes)
    return {arrow: Route(float(bends[i]), controls[i], both[arrow]) for i, arrow in enumerate(both)}


def _bends(of: Integers, centres: Floats, sizes: Sizes, one_sided: Mask) -> Floats:
    """How much each arrow must bend to pass no other box; the least bad where nothing helps.

    Args:
        of: the indices of the two boxes of each arrow, shape (m, 2).
        centres: of all boxes, shape (n, 2).
        sizes: of the boxes.
        one_sided: the arrows that keep to the right of the straight line, shape (m,).
    """
    box = np.array([sizes.width, sizes.height]) / 2
    low, high = centres.min(axis=0) - box - OUTSIDE, centres.max(axis=0) + box + OUTSIDE
    best, fewest = np.zeros(len(of)), np.full(len(of), np.iinfo(np.int64).max)
    for bend in BENDS:
        (open_,) = np.nonzero((fewest > 0) & ~(one_sided & (bend <= 0)))
        points = curves(centres[of[open_]], np.full(len(open_), bend))
        hits = _n_hit(points, of[open_], centres, box + CLEARANCE)
        hits += len(centres) * ((points < low) | (points > high)).any(axis=(1, 2))
        better = hits < fewest[open_]
        best[open_[better]], fewest[open_[better]] = bend, hits[better]
    return best


def _n_hit(points: Floats, of: Integers, centres: Floats, reach: Floats) -> Integers:
    """How many boxes each arrow passes, its own two apart, by points along it of shape (m, k, 2)."""
    low, high = points.min(axis=1) - reach, points.max(axis=1) + reach
    close = np.ones((len(points), len(centres)), dtype=bool)
    for axis in (0, 1):
        close &= (centres[:, axis] > low[:, axis, None]) & (centres[:, axis] < high[:, axis, None])
    np.put_along_axis(close, of, False, axis=1)
    arrow, box = np.nonzero(close)
    x, y = (np.abs(points[arrow, :, axis] - centres[box, axis, None]) < reach[axis] for axis in (0, 1))
    return np.bincount(arrow[(x & y).any(axis=1)], minlength=len(points))


def curves(ends: Floats, bends: Floats, n: int = 33) -> Floats:
    """Points along arrows from centre to centre, shape (m, n, 2); ``ends`` has shape (m, 2, 2)."""
    t = np.linspace(0.0, 1.0, n)[None]
    return _blossom(ends, bends, t, t)


def visible(ends: Floats, bends: Floats, sizes: Sizes) -> Floats:
    """The three control points of arrows from the edge of one box to that of the other, shape (m, 3, 2)."""
    t = np.linspace(0.0, 1.0, 513)
    points = _blossom(ends, bends, t[None], t[None])
    reach = np.array([sizes.width, sizes.height]) / 2 + GAP
    off = (np.abs(points - ends[:, i, None]) - reach for i in (0, 1))
    leaving, arriving = (np.maximum(away[..., 0], away[..., 1]) < 0 for away in off)
    first, last = t[leaving.argmin(axis=1)], t[-1 - arriving[:, ::-1].argmin(axis=1)]
    overlapping = first >= last
    first[overlapping], last[overlapping] = 0.0, 1.0
    return _blossom(ends, bends, np.stack([first, first, last], 1), np.stack([first, last, last], 1))


def _blossom(ends: Floats, bends: Floats, s: Floats, t: Floats) -> Floats:
    """The polar form of parabolas: points for s = t, the control points of a piece for its two ends."""
    a, b = ends[:, 0], ends[:, 1]
    along = b - a
    control = (a + b) / 2 + 2 * bends[:, None] * np.stack([along[:, 1], -along[:, 0]], axis=1)
    a, b, control, s, t = a[:, None], b[:, None], control[:, None], s[..., None], t[..., None]
    return np.asarray((1 - s) * (1 - t) * a + ((1 - s) * t + s * (1 - t)) * control + s * t * b)


def label_width(text: str, font: float) -> float:
    """Inches that a label takes beside names of so many points."""
    return text_width(text, SMALLER * font)


def label_places(
    labels: Mapping[Arrow, str], drawn: Mapping[Arrow, Route], font: float
) -> Iterator[tuple[str, Point]]:
    """The labels of the arrows that are drawn, each at the middle, or beside it where another stands."""
    taken: list[Point] = []
    for arrow, text in labels.items():
        if arrow not in drawn:
            continue
        a, b, c = drawn[arrow].controls
        wide, tall = label_width(text, font) + 0.05, 1.2 * font / 72
        x, y = 0.0, 0.0
        for t in ALONG:
            x, y = ((1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c).tolist()
            if not any(abs(x - u) < wide and abs(y - v) < tall for u, v in taken):
                break
        taken.append((x, y))
        yield text, (x, y)
