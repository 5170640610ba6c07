"""Quantiles of Student's distribution.

With a whole number ν of degrees of freedom there is a closed form: with θ = atan(t/√ν), P(|T| ≤ t) is a
finite sum in sin θ and cos θ (Abramowitz and Stegun, 26.7.3 and 26.7.4). All its terms are positive, so it is
accurate to rounding, and it grows with θ, so bisection inverts it.
"""

from __future__ import annotations

import math


def student_quantile(level: float, df: int) -> float:
    """The t with P(|T| ≤ t) = ``level``.

    >>> round(student_quantile(0.95, 9), 6)
    2.262157
    """
    low, high = 0.0, math.pi / 2
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return math.tan(middle) * math.sqrt(df)
        if _central(middle, df) < level:
            low = middle
        else:
            high = middle


def _central(theta: float, df: int) -> float:
    """The finite sum; its terms are cos^k θ times products of even over odd numbers, or odd over even."""
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = df % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(1 + odd, df, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    return (theta + sine * total) * 2 / math.pi if odd else sine * total
