"""Where compiled code is kept from one run to the next.

numba keeps it beside the program, or else in the user's cache, and gives up where it may write to neither: in
a container that runs as somebody without a home, or on a file system that is read-only.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

CHOSEN = "NUMBA_CACHE_DIR"
PROGRAM = Path(__file__).parents[1]


def find_place_for_compiled() -> None:
    """Name a folder for compiled code where numba would find none; one that the user has named stands."""
    if os.environ.get(CHOSEN) or os.name != "posix":
        return
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not any(map(_writable, (PROGRAM, Path(home, "numba")))):
        with suppress(OSError):
            os.environ[CHOSEN] = str(own_folder(Path(tempfile.gettempdir())))


def own_folder(shared: Path) -> Path:
    """A folder among the temporary ones that is ours alone: what lies in it is loaded and run."""
    folder = shared / f"holdfast-compiled-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(0o700)
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if ours else Path(tempfile.mkdtemp(prefix="holdfast-compiled-", dir=shared))


def _writable(folder: Path) -> bool:
    """Whether something may be written to a folder, or the folder may be made."""
    there = next(place for place in (folder, *folder.absolute().parents) if os.path.exists(place))
    return os.access(there, os.W_OK)
