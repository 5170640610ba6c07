"""XML of other programs, through defusedxml: entities and references to other files are refused.

A document type without entities, as scanners write one, does no harm and may stand. Elements that are nested
without end are refused before anything walks them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar
from xml.etree.ElementTree import Element

from holdfast.models.network.importers.foreign import ForeignFile

MAX_XML_DEPTH = 200
_TAG = re.compile(r"<(/?)[A-Za-z_][^<>]*?(/?)>")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")

Parsed = TypeVar("Parsed")


def is_xml(file: ForeignFile, root: str) -> bool:
    """Whether a file is XML whose first element has a name."""
    if not file.start.startswith("<"):
        return False
    return re.search(rf"<(?:\w+:)?{root}[\s>/]", file.text[:20_000]) is not None


def xml_root(file: ForeignFile) -> Element:
    """The root element of a file.

    Raises:
        Problem: for what is not XML, is nested too deeply, or has entities.
    """
    return parsed(file, lambda text: text, dtd=True)[0]


def parsed(file: ForeignFile, then: Callable[[str], Parsed], *, dtd: bool = False) -> tuple[Element, Parsed]:
    """The root element, and what a library makes of the text once it is known to be harmless.

    Args:
        dtd: whether a document type without entities may stand.
    """
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    refuse_deep(file)
    # The text has been decoded, so what it says of its encoding no longer holds.
    text = _DECLARATION.sub("", file.text)
    try:
        root: Element = fromstring(text, forbid_dtd=not dtd)
        file.budget.tick("reading the file")
        return root, then(text)
    except DefusedXmlException:
        raise file.problem(
            "a document type or entity; they are refused for safety: remove the <!DOCTYPE …> part"
        ) from None
    except ParseError as error:
        raise file.problem(f"not valid XML: {error.msg}", error.position[0]) from None


def refuse_deep(file: ForeignFile) -> None:
    """Refuse elements that are nested without end, which the libraries below walk by recursion."""
    depth = 0
    for tag in _TAG.finditer(file.text):
        depth += 0 if tag[2] else -1 if tag[1] else 1
        if depth > MAX_XML_DEPTH:
            line, _ = file.source.place(tag.start())
            raise file.problem(f"elements nested more than {MAX_XML_DEPTH} levels deep", line)
