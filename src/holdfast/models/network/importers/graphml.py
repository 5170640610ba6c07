"""GraphML, as yEd, Gephi, networkx and the Internet Topology Zoo write it.

The text goes through defusedxml before networkx sees it: a document type, an entity or a reference to
another file is refused.
"""

from __future__ import annotations

import warnings
from typing import Any

from holdfast.models.network.importers.contract import GENERAL, Importer
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile, refuse_large
from holdfast.models.network.importers.graphs import draft_of
from holdfast.models.network.importers.xml_text import is_xml, parsed
from holdfast.scenario import Problem, shortened


def _recognise(file: ForeignFile) -> bool:
    return is_xml(file, "graphml")


def _read(file: ForeignFile) -> Draft:
    import networkx

    def built(text: str) -> Any:
        with warnings.catch_warnings(action="ignore"):  # on keys without a type, which are then text
            return networkx.parse_graphml(text)

    refuse_large(file)
    try:
        _, graph = parsed(file, built)
    except (networkx.NetworkXError, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(file, "GraphML", error) from None
    return draft_of(graph, file, _title(graph.graph))


def _title(attributes: dict[str, object]) -> str:
    titles = (attributes.get(key) for key in ("Network", "label", "name"))
    return next((str(title) for title in titles if title), "")


def unreadable(file: ForeignFile, form: str, error: Exception) -> Problem:
    """What a library could not read, in its own words where it has some."""
    reason = shortened(str(error), 120) if not isinstance(error, RecursionError) else "nested too deeply"
    return file.problem(f"not {form} that can be read: {reason or type(error).__name__}")


IMPORTER = Importer("graphml", "GraphML", _recognise, _read, GENERAL)
