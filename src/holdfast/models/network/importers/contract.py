"""What a format of files must bring to be imported: how it is recognised, and how it is read.

To add a format, write a module with an :class:`Importer` and name it by an entry point of the group
``holdfast.importers``, whose name is the importer's key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile

ANYTHING, GENERAL, ONE_PROGRAM = range(3)
"""A format that nearly any text could have; one that many programs write; one with words of its own."""


@dataclass(frozen=True)
class Importer:
    """A format of files.

    Attributes:
        key: what ``--format`` calls it.
        called: what such a file is, in a few words.
        recognise: whether a file is of this format, by what stands in it.
        read: the draft of a file; a mistake in it is a :class:`~holdfast.scenario.text.places.Problem` at its
            place.
        specificity: how much a file must say to be recognised. A file is held against the most specific
            formats first: :data:`ONE_PROGRAM`, then :data:`GENERAL`, then :data:`ANYTHING`.
        read_together: the draft of several files that make one network, for formats whose files come so.
    """

    key: str
    called: str
    recognise: Callable[[ForeignFile], bool]
    read: Callable[[ForeignFile], Draft]
    specificity: int = ONE_PROGRAM
    read_together: Callable[[Sequence[ForeignFile]], Draft] | None = None
