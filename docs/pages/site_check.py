"""Look through the built site: ``python docs/pages/site_check.py site`` names every link that leads nowhere.

Also named are pages that load something from another host, and pages without a link to the glossary.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {"audio": "src", "iframe": "src", "img": "src", "script": "src", "source": "src", "video": "src"}
FETCHED = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "dns-prefetch", "manifest"}


@dataclass
class Read(HTMLParser):
    """What a page offers and asks for: anchors, links to follow, and what a browser loads by itself."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element says."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and FETCHED & set(given.get("rel", "").split()):
            self.loads.append(given["href"])
        elif LOADED.get(tag, "") in given:
            self.loads.append(given[LOADED[tag]])


def faults(site: Path) -> Iterator[str]:
    """What is wrong with a site, a line each."""
    pages = {path: _read(path) for path in sorted(site.resolve().rglob("*.html"))}
    glossary = site.resolve() / "glossary" / "index.html"
    for path, page in pages.items():
        if path.name == "404.html":  # its addresses are those of the host, which is not known here
            continue
        name, aims = path.relative_to(site.resolve()), set()
        for address in page.loads:
            if urlsplit(address).netloc:
                yield f"{name} loads {address} from another host"
            elif urlsplit(address).scheme != "data" and not _target(path, address).is_file():
                yield f"{name} loads {address}, which is not there"
        for address in page.links:
            if urlsplit(address).scheme or urlsplit(address).netloc:
                continue
            target, anchor = _target(path, address), unquote(urldefrag(address).fragment)
            aims.add(target)
            if not target.is_file():
                yield f"{name} links to {address}, which is not there"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{name} links to {address}, and there is no such anchor"
        if glossary not in aims | {path}:
            yield f"{name} has no link to the glossary"


def _read(path: Path) -> Read:
    page = Read()
    page.feed(path.read_text("utf-8"))
    return page


def _target(page: Path, address: str) -> Path:
    """The file that an address on a page means."""
    way = unquote(urlsplit(address).path)
    if not way:
        return page
    target = (page.parent / way).resolve()
    return target / "index.html" if target.is_dir() else target


def main() -> int:
    """Say what is wrong, and fail if anything is."""
    site = Path(sys.argv[1])
    found, n_pages = list(faults(site)), len(list(site.rglob("*.html")))
    print("\n".join(found) if found else f"{n_pages} pages, every link on them alive")
    return 1 if found or not n_pages else 0


if __name__ == "__main__":
    sys.exit(main())
