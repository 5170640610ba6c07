"""GraphML, as yEd, Gephi, networkx and the Internet Topology Zoo write it.

The text goes through defusedxml before networkx sees it: a document type, an entity or a reference to
another file is refused.
"""

from __future__ import annotations

import re
import warnings

from holdfast.models.network.importers.contract import GENERAL, Importer
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import ForeignFile, refuse_large
from holdfast.models.network.importers.graphs import draft_of
from holdfast.scenario import Problem, shortened

MAX_XML_DEPTH = 200
_ROOT = re.compile(r"<(?:\w+:)?graphml\b")
_TAG = re.compile(r"<(/?)[A-Za-z_][^<>]*?(/?)>")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def _recognise(file: ForeignFile) -> bool:
    return file.start.startswith("<") and _ROOT.search(file.text[:20_000]) is not None


def _read(file: ForeignFile) -> Draft:
    from xml.etree.ElementTree import ParseError

    import networkx
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    refuse_large(file)
    _refuse_deep(file)
    # The text has been decoded, so what it says of its encoding no longer holds.
    text = _DECLARATION.sub("", file.text)
    try:
        fromstring(text, forbid_dtd=True)
        file.budget.tick("reading the graph")
        with warnings.catch_warnings(action="ignore"):  # on keys without a type, which are then text
            graph = networkx.parse_graphml(text)
    except DefusedXmlException:
        raise file.problem(
            "a document type or entity; they are refused for safety: remove the <!DOCTYPE …> part"
        ) from None
    except ParseError as error:
        raise file.problem(f"not valid XML: {error.msg}", error.position[0]) from None
    except (networkx.NetworkXError, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(file, "GraphML", error) from None
    return draft_of(graph, file, _title(graph.graph))


def _refuse_deep(file: ForeignFile) -> None:
    """Refuse elements that are nested without end, which the libraries below walk by recursion."""
    depth = 0
    for tag in _TAG.finditer(file.text):
        depth += 0 if tag[2] else -1 if tag[1] else 1
        if depth > MAX_XML_DEPTH:
            line, _ = file.source.place(tag.start())
            raise file.problem(f"elements nested more than {MAX_XML_DEPTH} levels deep", line)


def _title(attributes: dict[str, object]) -> str:
    titles = (attributes.get(key) for key in ("Network", "label", "name"))
    return next((str(title) for title in titles if title), "")


def unreadable(file: ForeignFile, form: str, error: Exception) -> Problem:
    """What a library could not read, in its own words where it has some."""
    reason = shortened(str(error), 120) if not isinstance(error, RecursionError) else "nested too deeply"
    return file.problem(f"not {form} that can be read: {reason or type(error).__name__}")


IMPORTER = Importer("graphml", "GraphML", _recognise, _read, GENERAL)
