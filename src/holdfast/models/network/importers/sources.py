"""The files that a person names: single ones, folders with all below them, and archives of them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdfast.budget import UNLIMITED, Budget
from holdfast.models.network.importers.foreign import MAX_JSON_BYTES, ForeignFile, open_foreign
from holdfast.scenario import Problem, Source

MAX_FILES = 2_000
"""Files of one folder or archive."""

MAX_ARCHIVE_BYTES = 4 * MAX_JSON_BYTES
"""What an archive may hold when it is unpacked."""

SUFFIXES = frozenset(
    ".yaml .yml .json .xml .csv .tsv .graphml .gml .tf .drawio .nessus .zip".split()  # noqa: SIM905
)
"""How the files of a folder are called that are looked at; others are passed over."""


def open_sources(
    paths: Sequence[str | os.PathLike[str]], budget: Budget = UNLIMITED, part: str | None = None
) -> tuple[list[ForeignFile], list[ForeignFile]]:
    """The files that were named one by one, and those that a folder or an archive brought along.

    Raises:
        Problem: for what cannot be read, or is too much.
    """
    named: list[ForeignFile] = []
    along: list[ForeignFile] = []
    for path in map(Path, paths):
        if path.is_dir():
            for file in _files_below(path):
                along += _unpacked(file, budget) if _packed(file) else [open_foreign(file, budget, part)]
        elif _packed(path):
            along += _unpacked(path, budget)
        else:
            named.append(open_foreign(path, budget, part))
    return named, along


def _files_below(folder: Path) -> list[Path]:
    """The files of a folder and of all folders in it, in the order of their names, hidden ones left out."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                found.append(Path(place) / name)
        if len(found) > MAX_FILES:
            raise _problem(folder, f"more than {MAX_FILES:,} files; import a part of this folder")
    if not found:
        known = ", ".join(sorted(SUFFIXES))
        raise _problem(folder, f"no file in this folder that could be imported ({known})")
    return found


def _packed(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()


def _unpacked(path: Path, budget: Budget) -> Iterator[ForeignFile]:
    """The files of an archive, each within bounds, whatever the archive says of itself."""
    left = MAX_ARCHIVE_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if len(members) > MAX_FILES:
                raise _problem(path, f"more than {MAX_FILES:,} files in this archive; import a part of it")
            for info in sorted(members, key=lambda info: info.filename):
                if Path(info.filename).suffix.lower() not in SUFFIXES - {".zip"}:
                    continue
                budget.tick("unpacking the archive")
                with archive.open(info) as member:
                    raw = member.read(min(left, MAX_JSON_BYTES) + 1)
                left -= len(raw)
                if len(raw) > MAX_JSON_BYTES or left < 0:
                    raise _problem(path, f"{info.filename[:80]} is too large to be unpacked; import a part")
                yield ForeignFile(path / Path(info.filename).name, _decoded(path, info.filename, raw), budget)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise _problem(path, f"not an archive that can be read: {error}") from None


def _decoded(path: Path, name: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _problem(path, f"{name[:80]} is not UTF-8 text") from None


def _problem(path: Path, text: str) -> Problem:
    return Problem(Source(str(path), ""), None, text)
