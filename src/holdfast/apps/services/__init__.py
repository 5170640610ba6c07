"""What a command does, in one place: the command line, batches, the studio and programs call it.

A service takes plain values (a scenario, options, a budget) and gives a result that knows the exit code it
means. It reads, solves, measures and judges, and prints nothing. What takes time to load is imported when it
is needed.
"""

DEFENSIBLE, REFUSED, BAD_INPUT, UNDECIDED = range(4)
"""What an answer means to whoever started the command: its exit code."""

REASONS_SECONDS = 30.0
"""What a page or a comment spends on the reasons behind one verdict, at most."""

LADDER_SECONDS = 10.0
"""What an answer spends on the ladder of one design that nobody asked for by name, at most."""


def exit_of(defensible: bool | None) -> int:
    """The exit code of a verdict alone, None being one that is not decided."""
    if defensible is None:
        return UNDECIDED
    return DEFENSIBLE if defensible else REFUSED
