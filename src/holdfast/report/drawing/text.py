"""The words of a picture: cut to a length, and how wide they are."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from holdfast.report.renderers.terminal import plain

FIRST = " "
ADVANCES = {
    "normal": (
        "318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 "
        "636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 "
        "603 787 695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 "
        "634 278 278 579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838 "
    ),
    "bold": (
        "348 456 521 838 696 1002 872 306 457 457 523 838 380 415 380 365 696 696 696 696 696 696 696 696 "
        "696 696 400 400 838 838 838 580 1000 774 762 734 830 683 683 821 837 372 372 775 637 995 837 850 "
        "733 850 770 720 682 812 774 1103 771 724 725 457 365 457 838 500 500 675 716 593 716 678 435 716 "
        "712 343 343 665 343 1042 712 687 716 716 493 595 478 712 652 924 645 652 582 712 365 712 838 "
    ),
}
"""How far each letter of ASCII moves on in DejaVu Sans, the font of the figures; thousandths of an em."""

SIGNS = {"·": 350, "–": 500, "…": 1000}
SYMBOL, WIDE, OTHER = 838, 1000, 700
"""Of mathematical signs and arrows; of East Asian letters; and about that of letters of other scripts."""


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """The width in inches of a text of so many points, to about a hundredth, without loading a font.

    >>> round(text_width("Gateway", 8.0), 2), round(text_width("Gateway", 8.0, "bold"), 2)
    (0.49, 0.54)
    """
    letters = unicodedata.normalize("NFD", text)
    return sum(_advance(letter, weight) for letter in letters) * size / 72_000


@lru_cache(maxsize=4096)
def _advance(letter: str, weight: str) -> int:
    place = ord(letter) - ord(FIRST)
    known = _table(weight)
    if 0 <= place < len(known):
        return known[place]
    category = unicodedata.category(letter)
    if letter in SIGNS or category == "Mn":  # an accent stands above its letter
        return SIGNS.get(letter, 0)
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    return SYMBOL if category == "Sm" else OTHER


@lru_cache(maxsize=2)
def _table(weight: str) -> tuple[int, ...]:
    return tuple(map(int, ADVANCES[weight].split()))


def on_two_lines(text: str, length: int) -> str:
    """A name that is too long for one line on two, broken at a sign between its words, where it has one.

    >>> on_two_lines("backend-admin-client", 12).splitlines()
    ['backend-', 'admin-client']
    >>> on_two_lines("sql-database", 12), on_two_lines("workstations", 9)
    ('sql-database', 'work…ions')
    """
    safe = plain(text).strip()
    breaks = [place for place, letter in enumerate(safe, 1) if letter in "-_. /" and place < len(safe)]
    if len(safe) <= length or not breaks:
        return shortened(text, length)
    middle = min(breaks, key=lambda place: max(place, len(safe) - place))
    return "\n".join(shortened(part, length) for part in (safe[:middle], safe[middle:]))


def shortened(text: str, length: int = 24) -> str:
    """A name from a file, made safe to draw and cut in the middle if it is too long.

    >>> shortened("no-bypass"), shortened("a-rather-long-name-of-a-design", 16), shortened("two" + chr(10))
    ('no-bypass', 'a-rather…-design', 'two·')
    """
    safe = plain(text).strip() or "–"
    if len(safe) <= length:
        return safe
    tail = (length - 1) // 2
    return f"{safe[: length - 1 - tail]}…{safe[-tail:]}"
