"""How a share is written for people."""

from __future__ import annotations


def percent(share: float) -> str:
    """A part of one, with a second digit only where it is small, and never a false 0 or 100.

    >>> percent(0.4746), percent(0.00512), percent(3e-7), percent(0.0), percent(0.99999)
    ('47.5 %', '0.51 %', '<0.01 %', '0 %', '>99.9 %')
    """
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if share < 0.0001:
        return "<0.01 %"
    if share > 0.999:
        return ">99.9 %"
    return f"{100 * share:.2f} %" if share < 0.01 else f"{100 * share:.1f} %"
