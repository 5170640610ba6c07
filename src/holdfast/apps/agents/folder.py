"""Files of one folder, and nothing outside it, whoever asks and whatever they call it.

A name is a relative path without ``..``. It is opened part by part, each from the folder that the part
before led to, and no part may be a link: what a link would lead to is never looked at, and nothing can be
exchanged between a look and the opening. Only plain files are read, up to a size; what is there is never
overwritten.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from holdfast.errors import InputError
from holdfast.scenario import shortened

MAX_BYTES = 64 << 20
"""Of one file, and of all files of a folder together."""

MAX_FILES, MAX_DEPTH = 2_000, 16
"""Files of a folder that is imported, and how deep a path may be."""


@dataclass(frozen=True)
class SealedFolder:
    """A folder that nothing leads out of."""

    path: Path

    def read(self, name: str) -> bytes:
        """The contents of a file.

        Raises:
            InputError: for a name that leads out of the folder, and for what is no plain file or too large.
        """
        with self._opened(name, os.O_RDONLY | os.O_NONBLOCK) as file:
            return _contents(file, name)

    def gathered(self, name: str) -> dict[str, bytes]:
        """The contents of a file, or of all files of a folder, by their paths in it.

        Raises:
            InputError: as :meth:`read`, and for a folder with too much in it.
        """
        with self._opened(name, os.O_RDONLY | os.O_NONBLOCK) as here:
            if not stat.S_ISDIR(os.fstat(here).st_mode):
                return {PurePosixPath(name).name: _contents(here, name)}
            found: dict[str, bytes] = {}
            for path, data in _walked(here, name):
                found[path] = data
                if len(found) > MAX_FILES or sum(map(len, found.values())) > MAX_BYTES:
                    raise InputError(f'"{shortened(name)}" holds more than {MAX_FILES:,} files or 64 MiB')
            return found

    def write_new(self, name: str, text: str) -> None:
        """Write a file that is not there yet.

        Raises:
            InputError: for a name that leads out of the folder, and where something is already.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with self._opened(name, flags) as file, os.fdopen(os.dup(file), "w", encoding="utf-8") as out:
            out.write(text)

    @contextmanager
    def _opened(self, name: str, flags: int) -> Iterator[int]:
        """A file of the folder, opened part by part."""
        parts = _parts(name)
        with ExitStack() as open_now:
            here = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            open_now.callback(os.close, here)
            try:
                for part in parts[:-1]:
                    here = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
                    open_now.callback(os.close, here)
                here = os.open(parts[-1], flags | os.O_NOFOLLOW, 0o644, dir_fd=here)
                open_now.callback(os.close, here)
            except OSError as error:
                raise InputError(f'"{shortened(name)}": {_reason(error)}') from None
            yield here


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a relative path that does not lead out.

    Raises:
        InputError: for any other.
    """
    path = PurePosixPath(name)
    plain = name.strip() and name.isprintable() and "\\" not in name
    if not plain or path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(
            f'"{shortened(name)}" is outside the folder that the server was started in; '
            "use a relative path inside it, without .."
        )
    if len(path.parts) > MAX_DEPTH:
        raise InputError(f'"{shortened(name)}" is deeper than {MAX_DEPTH} folders')
    return path.parts


def _reason(error: OSError) -> str:
    """Why a file could not be opened, in words; a link is not told from what it leads to."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file in the folder"
    if isinstance(error, FileExistsError):
        return "already exists; choose another name"
    if isinstance(error, PermissionError):
        return "may not be opened"
    return "is not a regular file in the folder; links are not shown"


def _contents(file: int, name: str) -> bytes:
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise InputError(f'"{shortened(name)}" is no plain file')
    with os.fdopen(os.dup(file), "rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f'"{shortened(name)}" is larger than 64 MiB')
    return data


def _walked(folder: int, name: str, below: str = "", depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """The plain files under an open folder; links and whatever else there is are left out."""
    if depth > MAX_DEPTH:
        raise InputError(f'"{shortened(name)}" is deeper than {MAX_DEPTH} folders')
    for entry in sorted(os.listdir(folder)):
        try:
            here = os.open(entry, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
        except OSError:
            continue
        try:
            mode = os.fstat(here).st_mode
            if stat.S_ISDIR(mode) and not entry.startswith("."):
                yield from _walked(here, name, f"{below}{entry}/", depth + 1)
            elif stat.S_ISREG(mode):
                yield f"{below}{entry}", _contents(here, f"{name}/{below}{entry}")
        finally:
            os.close(here)
