"""Files that are written whole or not at all, the directories they go to, and the hash of what is in them."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from holdfast.errors import InputError


def write_whole(
    path: Path, data: bytes | str, what: str = "", *, follow: bool = True, lasting: bool = False
) -> None:
    """Write beside the place and move into it, so that an interruption leaves no half file.

    A link is followed or, without ``follow``, replaced by the file itself; a pipe or a device is written to,
    not replaced. Text becomes UTF-8. Who may read and write a file that was there stays as it was; a new one
    is made as the user's umask has it. ``what`` names what is written, for the message. What is ``lasting``
    is on the disk when this returns, and outlives a loss of power.

    Raises:
        InputError: where that is not possible.
    """
    try:
        raw = data.encode() if isinstance(data, str) else data
        place = path.resolve() if follow else path
        if not place.is_symlink() and place.exists() and not place.is_file():
            place.write_bytes(raw)
            return
        with tempfile.TemporaryDirectory(prefix=".holdfast-", dir=place.parent) as folder:
            part = Path(folder) / "part"
            part.write_bytes(raw)
            if lasting:
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
            if place.exists() and not place.is_symlink():
                shutil.copymode(place, part)
            part.replace(place)
        if lasting:
            _settle(place.parent)
    except (OSError, ValueError) as error:
        named = f" {what}" if what else ""
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot write{named}: {reason}") from None


def _settle(folder: Path) -> None:
    """Have the names in a folder written to the disk, where the system can do that."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def sha256_of(data: bytes | str) -> str:
    """The SHA-256 of some contents, in hexadecimal; text is hashed as UTF-8.

    >>> sha256_of("")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def prepare(directory: Path) -> None:
    """Make a directory for several files, so that the work cannot fail for want of it at the end.

    Raises:
        InputError: where it is a file, or cannot be made or written to.
    """
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory} is a file; name a directory for what is written")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise InputError(f"{directory}: cannot write there: {error.strerror or error}") from None
