"""Numbers as people read them: exact where they are short, never falsely round."""

from __future__ import annotations

import pytest

from holdfast.game.numerals import count, percent, relative, signed
from holdfast.readings.compare.findings import movement

COUNTS = (0, 7, 10**8, 10**9 - 1, 10**9, 5**40, 19999 * 10**20, 5**100, 10**5000 - 1)


@pytest.mark.parametrize("n", COUNTS, ids=lambda n: f"{n.bit_length()} bits")
def test_a_count_is_exact_or_rounded(n):
    """Should be the number itself, or the nearest of four digits; and the same below zero."""
    text = count(n, 9)
    if n < 10**9:
        assert int(text.replace(",", "")) == n
    else:
        figures, exponent = text.split("×10")
        power = int(exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
        shown = int(figures.replace(".", "")) * 10 ** (power - 3)
        assert len(figures) == 5 and abs(shown - n) <= 10 ** (power - 3) // 2
    assert count(-n, 9) == (f"−{text}" if n else "0")


def test_no_share_is_falsely_all_or_nothing():
    """Should write 0 and 100 per cent for these alone, and a movement that is there never as 0."""
    assert [percent(share) for share in (0, 1, 1 - 1e-6, 1e-6, 0.4746)] == [
        "0%", "100%", ">99.9%", "<0.01%", "47.5%",
    ]  # fmt: skip
    assert (
        relative(movement(0.5, 0.50001).relative) == "+0.002%"
        and relative(movement(0.5, 0.25).relative) == "−50.0%"
    )
    assert signed(-0.00003) == "−0.00003" and signed(0.0) == "0"
