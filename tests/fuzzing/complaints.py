"""What is wrong with a case: in words, and as a mark that tells one mistake from another."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass


class MisbehaviourError(AssertionError):
    """Something wrong with a mark of its own."""

    def __init__(self, words: str, mark: str) -> None:
        super().__init__(words)
        self.mark = mark


@dataclass(frozen=True)
class Complaint:
    """What is wrong with a case."""

    words: str
    mark: str


def complaint_of(error: Exception) -> Complaint:
    """An error as a complaint; its mark is where it was raised, in Holdfast if it was there."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}holdfast{os.sep}" in frame.filename] or frames
    last = frames[-1] if isinstance(error, AssertionError) else ours[-1]
    place = f"{os.path.basename(last.filename)}:{last.name}"
    mark = getattr(error, "mark", f"{type(error).__name__} {place}:{last.lineno}")
    return Complaint(f"{type(error).__name__} in {place}: {error}"[:600], mark)
