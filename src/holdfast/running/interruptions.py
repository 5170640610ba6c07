"""Whether Ctrl-C has been answered.

It arrives as an exception wherever the program happens to be. Some libraries written in other languages
swallow one that is raised while they call back, or tell an error of their own instead: then the command would
go on to its answer, or call it a fault. So it is noted when it arrives, and whoever catches it and goes on
says so.
"""

from __future__ import annotations

_unanswered = False


def interruption_arrived() -> None:
    """Note it; the exception is about to be raised."""
    global _unanswered
    _unanswered = True


def interruption_answered() -> None:
    """Somebody has caught it and goes on with what there is."""
    global _unanswered
    _unanswered = False


def is_interrupted() -> bool:
    """Whether an interruption has arrived on which nobody has acted."""
    return _unanswered
