"""Changes of a design as patches of what it was imported from, one module for each format.

A change that is recommended and then retyped as a policy is no longer the change that was proved. So it is
written for the files that the scenario came from, and read back: a patch whose result is not the changed
design, link by link, is not handed out. What a format cannot say (a filter that lets a flow through and an
attack not, a faster response) stands in the change request, which is always written.

Formats are found by entry points of the group ``holdfast.patches``, each under the key of the importer whose
files it patches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import EXPOSED, Arrow, Configuration, Graph
from holdfast.models.network.importers import recognised_files
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.running import load_plugin, plugins_of
from holdfast.scenario import reported

GROUP = "patches"

REQUEST = "change-request.md"


@dataclass(frozen=True)
class DesignChange:
    """A network before and after some changes.

    Attributes:
        before, after: the designs.
        changes: what is changed, in words, each with what it means.
    """

    before: Configuration
    after: Configuration
    changes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def graphs(self) -> tuple[Graph, Graph]:
        """The pictures of both."""
        first, second = self.before.system.graph, self.after.system.graph
        assert first is not None and second is not None, "a network has a picture"
        return first, second

    @property
    def cut(self) -> tuple[Arrow, ...]:
        """The links that are gone."""
        first, second = self.graphs
        return tuple(arrow for arrow in first.arrows if arrow not in set(second.arrows))

    @property
    def filtered(self) -> tuple[Arrow, ...]:
        """The links that stay for their flows alone."""
        first, second = self.graphs
        return tuple(sorted(second.filtered - first.filtered))

    @property
    def blockable(self) -> tuple[Arrow, ...]:
        """The links that the defender can then shut."""
        first, second = self.graphs
        return tuple(arrow for arrow in second.gates if arrow not in first.gates)

    @property
    def closed(self) -> tuple[str, ...]:
        """The hosts that are no longer exposed."""
        first, second = self.graphs
        return tuple(host for host in first.marked(EXPOSED) if host not in second.marked(EXPOSED))


@dataclass(frozen=True)
class PatchFormat:
    """A format of files that a change can be written for.

    Attributes:
        key: that of the importer whose files it patches.
        called: what is written, in a few words.
        write: the files of the patch by name; it reads what it wrote back, and refuses to hand out another
            design.
    """

    key: str
    called: str
    write: Callable[[DesignChange, Sequence[ForeignFile]], Mapping[str, str]]


class PatchRefusedError(InputError):
    """Sources that cannot be patched so that they give the changed design.

    Attributes:
        files: what can be handed out all the same, by name: the change request, and what else was written.
    """

    def __init__(self, message: str, files: dict[str, str]) -> None:
        """Keep what there is."""
        self.files = files
        super().__init__(message)


def patch_files(
    change: DesignChange, sources: Iterable[str | os.PathLike[str]] = (), budget: Budget = UNLIMITED
) -> dict[str, str]:
    """The files of a patch by name: a change request, and what the sources can be patched with.

    Args:
        change: what is changed.
        sources: what the scenario was imported from; nothing for the change request alone.
        budget: the limits of reading them.

    Raises:
        InputError: for sources that cannot be read.
        PatchRefusedError: for sources that do not have the hosts of the design, or cannot be patched so that
            they give the changed design; it has the change request.
    """
    from holdfast.models.network.artefacts.change_request import change_request

    written: dict[str, str] = {}
    notes: list[str] = []
    refused: list[str] = []
    with reported():
        for key, files in recognised_files(list(sources), budget).items():
            if key not in plugins_of(GROUP):
                notes.append(f"There is no patch for files of the format {key}; the changes are in words.")
                continue
            format: PatchFormat = load_plugin(GROUP, key, PatchFormat)
            try:
                own = format.write(change, files)
            except InputError as error:
                refused.append(str(error))
                notes.append(f"There is no patch for files of the format {key}: {error}.")
                continue
            notes.append(f"{format.called}: {', '.join(own)}")
            written |= own
    everything = {REQUEST: change_request(change, notes), **written}
    if refused:
        raise PatchRefusedError("\n".join(refused), everything)
    return everything
