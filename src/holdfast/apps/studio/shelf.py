"""The scenario files of one folder, and nothing outside it.

A name is the name of a file in the folder itself. What it leads to, links followed, has to be in the folder
too. A file is written whole or not at all, and only over what the writer has seen.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from holdfast.errors import InputError
from holdfast.running import sha256_of, write_whole
from holdfast.scenario import library_card, library_cards, read_text, reported

ENDINGS = (".yaml", ".yml")
MAX_FILES, MAX_NAME = 1_000, 200
LEFT = 3600.0
"""Seconds after which a folder that a killed writer left behind is taken away."""

_WRITING = Lock()


class ChangedError(InputError):
    """A file is not as it was when it was opened."""


class MissingError(InputError):
    """There is no such file."""


@dataclass(frozen=True)
class Shelf:
    """A folder, and the file in it that was asked for; None for none."""

    folder: Path
    opened: str | None = None

    @classmethod
    def at(cls, path: Path | None) -> Shelf:
        """The shelf of a file, of a folder, or of the current folder.

        Raises:
            InputError: for a file that is not there, or that is no scenario by its name.
        """
        if path is None:
            return cls(Path.cwd().resolve())
        if path.is_dir():
            return cls(path.resolve())
        if not path.is_file():
            raise InputError(f"{path}: no such file; check the path, or name a folder")
        if path.suffix.lower() not in ENDINGS:
            raise InputError(f"{path}: the studio opens .yaml files; open other files with Import")
        return cls(path.resolve().parent, path.resolve().name)

    def swept(self) -> Shelf:
        """The shelf, without the folders that writers of Holdfast which were killed have left behind."""
        for path in self.folder.glob(".holdfast-*"):
            with suppress(OSError):
                if path.is_dir() and time.time() - path.stat().st_mtime > LEFT:
                    shutil.rmtree(path)
        return self

    def listing(self) -> dict[str, Any]:
        """The files of the folder, and the scenarios of the library."""
        names = (path.name for path in self.folder.iterdir() if path.suffix.lower() in ENDINGS)
        files = []
        for name in sorted(names)[:MAX_FILES]:
            try:
                files.append({"name": name, "digest": sha256_of(self._place(name).read_bytes())})
            except (OSError, InputError):  # a link that leads out, or something that cannot be read
                continue
        library = [
            {
                "name": card.name,
                "title": card.title,
                "models": card.models,
                "learn": card.learn,
                "verdict": card.answers.get("base", ""),
            }
            for card in library_cards()
        ]
        return {"folder": self.folder.name, "opened": self.opened, "files": files, "library": library}

    def read(self, name: str) -> dict[str, Any]:
        """The text of a file, and what it is known by."""
        place = self._place(name)
        if not place.is_file():
            raise MissingError(f'there is no file "{name}" in the folder; it may have been moved')
        with reported():
            text = read_text(place)
        return {"name": name, "scenario": text, "digest": sha256_of(place.read_bytes())}

    def write(self, name: str, text: str, expected: str | None) -> dict[str, Any]:
        """Save a text; only over a file that is as ``expected``, or where there is none.

        A file that was deleted since it was opened is written anew: nothing of anybody's is lost by it.

        Raises:
            ChangedError: for a file that has changed, or that is there unexpectedly.
        """
        place, raw = self._place(name), text.encode()
        with _WRITING:  # nobody else writes between the look and the writing
            if place.is_file() and sha256_of(place.read_bytes()) != expected:
                why = "has changed since it was opened" if expected is not None else "already exists"
                raise ChangedError(f'"{name}" {why}; open it again, or save under another name')
            write_whole(place, raw, "the scenario", lasting=True)
        return {"name": name, "digest": sha256_of(raw)}

    def _place(self, name: str) -> Path:
        """Where a file of the folder is, links followed.

        Raises:
            InputError: for a name that is none, or that leads out of the folder.
        """
        plain = name and name.isprintable() and not any(sign in name for sign in '/\\:<>|"?*')
        if not plain or len(name.encode()) > MAX_NAME or name.startswith(".") or Path(name).name != name:
            raise InputError(f'"{name[:80]}" is not the name of a file in the opened folder')
        if Path(name).suffix.lower() not in ENDINGS:
            raise InputError(f'"{name[:80]}": a scenario file ends in .yaml')
        place = (self.folder / name).resolve()
        if place.parent != self.folder or place.suffix.lower() not in ENDINGS:
            raise InputError(f'"{name[:80]}" leads out of the opened folder')
        if place.exists() and not place.is_file():
            raise InputError(f'"{name[:80]}" is no file')
        return place


def from_library(name: str) -> dict[str, Any]:
    """A scenario that comes with Holdfast."""
    return {"name": name, "scenario": library_card(name).path.read_text("utf-8")}
