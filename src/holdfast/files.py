"""Files that are written whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from holdfast.errors import InputError


def write_whole(path: Path, data: bytes | str, what: str = "") -> None:
    """Write beside the place and move into it, so that an interruption leaves no half file.

    Links are followed; a pipe or a device is written to, not replaced.

    Args:
        path: the place.
        data: the contents; text becomes UTF-8.
        what: the thing that is written, for the message.

    Raises:
        InputError: where that is not possible.
    """
    try:
        raw = data.encode() if isinstance(data, str) else data
        place = path.resolve()
        if place.exists() and not place.is_file():
            place.write_bytes(raw)
            return
        with tempfile.TemporaryDirectory(prefix=".holdfast-", dir=place.parent) as folder:
            part = Path(folder) / "part"
            part.write_bytes(raw)
            part.replace(place)
    except (OSError, ValueError) as error:
        named = f" {what}" if what else ""
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot write{named}: {reason}") from None
