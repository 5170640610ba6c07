"""What a format of files must bring to be imported: how it is recognised, and how it is read.

To add a format, write a module with an :class:`Importer` called ``IMPORTER`` and name the module in
:data:`holdfast.models.network.importers.FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile


@dataclass(frozen=True)
class Importer:
    """A format of files.

    Attributes:
        key: what ``--format`` calls it.
        called: what such a file is, in a few words.
        recognise: whether a file is of this format, by what stands in it.
        read: the draft of a file; a mistake in it is a :class:`~holdfast.scenario.text.places.Problem` at its
        place.
    """

    key: str
    called: str
    recognise: Callable[[ForeignFile], bool]
    read: Callable[[ForeignFile], Draft]
