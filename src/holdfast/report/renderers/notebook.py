"""A report inside the cell of a notebook: one element, which leaves the rest of the notebook alone.

The style is nested under the element's class, named twice so that it outweighs that of the notebook; there is
no script, and no id that another cell could have too. Colours follow the theme of JupyterLab and VS Code,
elsewhere that of the system. Titles are no headings of HTML, which would enter the notebook's own contents.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from holdfast.report.blocks import Document
from holdfast.report.renderers.page import filled, styles
from holdfast.running import sha256_of

_ID = re.compile(r'( id="|url\(#|href="#)')
"""Where an id is given or named in a figure."""


def notebook(document: Document) -> str:
    """A document as an element of HTML, details folded."""
    rules = str(styles("palette.css", "notebook.css", "report.css")).replace(":root", "&")
    text = filled("notebook.html.j2", document, style=Markup(f".holdfast.holdfast {{\n{rules}\n}}"))
    own = sha256_of(text)[:8]
    return _ID.sub(rf"\g<1>h{own}-", text)
