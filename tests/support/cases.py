"""How many random cases the comparisons with slow twins take.

``make test`` takes as many as a few minutes allow. ``make twins`` sets ``HOLDFAST_CASES`` and takes that many
times as many: the same tests, other seeds beyond the first ones.
"""

import os

TIMES = int(os.environ.get("HOLDFAST_CASES", "1"))
