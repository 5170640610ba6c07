"""The usual pictures of the IEEE cases: where their buses stand, as one-line diagrams of them are drawn."""

from __future__ import annotations

UNIT = 1.75
"""Inches that one step of the tables below is wide; a step downwards is shorter."""

DOWN = 0.8

_DIAGRAMS = {
    "ieee9": "2 0 0, 8 1 0, 7 2 0, 6 3 0, 3 4 0, 9 1 1.2, 5 3 1.2, 4 2 2.1, 1 2 3.1",
    "ieee14": (
        "13 1.2 0, 14 3.8 0, 12 0 1, 11 2.1 1.1, 10 3 1.1, 6 1.2 1.9, 9 3.9 1.9, 7 3.9 2.9, 8 5.1 2.9, "
        "5 1.2 3.4, 4 3.9 3.9, 1 0 4.2, 2 1.2 5, 3 3.4 5.4"
    ),
    "ieee24": (
        "18 1 0, 21 2.6 0, 22 4.6 0, 17 1 1.1, 23 6 1.6, 16 1.7 2.1, 19 3.1 2, 20 4.5 2, 15 0 2.6, 14 2 3.2, "
        "13 6 3.6, 24 0 3.9, 11 2.4 4.3, 12 4 4.3, 3 0 5.4, 9 2.4 5.4, 10 4 5.4, 6 5.6 5.4, 4 1.6 6.5, "
        "5 3.2 6.5, 8 5.2 6.6, 1 1.2 7.6, 2 3.2 7.6, 7 6 7.6"
    ),
    "ieee30": (
        "23 1.6 0, 19 3.7 0.4, 24 6.4 0.6, 18 2.7 0.9, 15 1.6 1.4, 20 4.4 1.3, 26 8.4 1.2, 14 0.3 1.8, "
        "25 7.4 1.9, 21 5.3 2, 16 2.2 2.5, 17 3.3 2.5, 10 4.4 2.7, 22 5.9 2.9, 13 0 3.1, 12 1.2 3.1, "
        "29 8.4 3, 11 2.5 3.6, 27 7.4 3.6, 9 3.8 3.8, 30 8.4 4.2, 3 1.1 4.5, 4 2.3 4.5, 6 3.8 5, 28 6.6 5, "
        "1 0 5.4, 8 5.3 5.8, 2 1.3 6.1, 5 2.7 6.8, 7 4.1 6.6"
    ),
    "ieee39": (
        "30 1.3 0, 37 3 0, 2 1.3 1, 25 3 1, 26 4.6 1, 28 6.1 1, 29 7.5 1, 1 0 1.6, 3 1.3 2.1, 18 2.6 2.1, "
        "17 3.8 2.1, 27 5 2.1, 38 7.5 2.1, 4 1.3 3.1, 14 2.6 3.1, 15 3.8 3.1, 16 5 3.1, 24 6.2 3.1, "
        "23 7.3 3.5, 36 8.5 3.5, 39 0 3.4, 13 3.9 4, 21 6.1 4.1, 5 1.3 4.2, 12 2.9 4.4, 19 5 4.5, 22 7 4.7, "
        "9 0 4.9, 6 2.2 5, 8 0.9 5.4, 10 4 5, 20 5 5.5, 33 6 5.4, 35 7.1 5.8, 11 3.1 5.6, 7 1.6 6.2, "
        "31 2.4 6.3, 32 4 6.2, 34 5 6.6"
    ),
}


def usual_places(case: str) -> dict[str, tuple[float, float]]:
    """Where the buses of a case stand, in inches to the right and downwards; nothing for a case not known here.

    >>> usual_places("ieee9")["B4"]
    (3.5, 1.68)
    """
    entries = (entry.split() for entry in _DIAGRAMS.get(case, "").split(", ") if entry)
    return {f"B{bus}": (round(UNIT * float(x), 2), round(DOWN * float(y), 2)) for bus, x, y in entries}
