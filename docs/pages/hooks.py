"""What mkdocs calls while it builds the site: generated pages come in, and every page ends in the glossary.

Nothing here is written to the folder of the documentation; the pages exist while the site is built.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_pages import CHAPTERS, api_index, api_page
from command_pages import command_index, command_names, command_page
from glossary_words import abbreviations, footer
from library_page import library_page, picture, scenario_pages
from markup import with_subscripts
from output_page import output_page

from holdfast.scenario.library import library_cards
from holdfast.scenario.reading import load

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PALETTE = "src/holdfast/report/templates/palette.css"

OUTPUT = "json.md"

FROM_THE_ROOT = {
    "benchmarks.md": "benchmarks/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "licence.md": "LICENSE",
}
"""Pages of the site that stand elsewhere in the repository."""


def sections() -> dict[str, list[Any]]:
    """The parts of the navigation that are generated, by the word that stands for them in mkdocs.yml."""
    commands = [{name: f"commands/{name}.md"} for name in command_names()]
    chapters = [{chapter.title: f"api/{page}.md"} for page, chapter in CHAPTERS.items()]
    scenarios = [{card.name: f"library/{card.name}.md"} for card in library_cards()]
    return {
        "commands": ["commands/index.md", *commands],
        "api": ["api/index.md", *chapters],
        "library": ["library.md", *scenarios],
    }


def on_config(config: MkDocsConfig) -> None:
    """Put the generated sections into the navigation."""
    made = sections()
    config.nav = [
        {title: made.get(part, part) if isinstance(part, str) else part for title, part in entry.items()}
        for entry in config.nav or ()
    ]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the generated pages, and the colours that reports and the studio have."""
    from mkdocs.structure.files import File

    pages = {"commands/index.md": command_index(), "api/index.md": api_index(), "library.md": library_page()}
    pages |= scenario_pages() | {OUTPUT: output_page()}
    pages |= {f"commands/{name}.md": command_page(name) for name in command_names()}
    pages |= {f"api/{page}.md": api_page(page) for page in CHAPTERS}
    root = Path(config.config_file_path).parent
    pages |= {page: from_the_root((root / path).read_text("utf-8")) for page, path in FROM_THE_ROOT.items()}
    pages["assets/palette.css"] = (root / PALETTE).read_text("utf-8")
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))


def from_the_root(text: str) -> str:
    r"""A text of the repository's root as a page: its links lead from the folder of the documentation.

    >>> from_the_root("# Changes\n[how](docs/how-to/ci.md)")
    '# Changes\n[how](how-to/ci.md)'
    """
    text = text if text.startswith("#") else f"# Licence\n\n{text}"
    return text.replace("](docs/", "](").replace("](../docs/", "](")


DRAWN = {"plant": None, "robot-cell": "safe", "water-works": None}
"""Scenarios whose picture is shown on pages; in files they are for readers of the repository."""
IMAGE = re.compile(rf"!\[(?P<text>[^\]]*)\]\((?:\.\./)*(?P<name>{'|'.join(DRAWN)})\.svg\)")


def inlined(markdown: str) -> str:
    """A page with its drawings in it, where they have the colours of the page, light or dark."""

    def drawn(image: re.Match[str]) -> str:
        name = image["name"]
        return picture(name, load(f"scenarios/{name}.yaml", DRAWN[name]), image["text"])

    return IMAGE.sub(drawn, markdown)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Draw its pictures, and end every page with the glossary's words on it."""
    markdown = inlined(markdown)
    return with_subscripts(markdown + footer(page.file.src_uri, markdown)) + abbreviations()
