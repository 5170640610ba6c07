"""Unsaved work, kept by the server so that it survives a browser and a restart.

Drafts of a folder are files in the user's state directory (``$XDG_STATE_HOME``, else ``~/.local/state``),
never in the folder itself, which others may look at. Only the user can read them. What a draft holds is the
page's own matter.
"""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.errors import InputError
from holdfast.running import sha256_of, write_whole

MAX_DRAFTS, DAYS = 20, 30
"""Drafts that are kept of a folder, and for how long."""

_KEY = re.compile(r"[\w-]{1,80}")


@dataclass(frozen=True)
class Drafts:
    """The drafts of one folder."""

    place: Path

    @classmethod
    def of(cls, folder: Path) -> Drafts:
        """Where the drafts of a folder are."""
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return cls(Path(state) / "holdfast" / "studio" / sha256_of(str(folder))[:16])

    def listing(self) -> dict[str, Any]:
        """All drafts, the newest first; those that are too old or cannot be read are left out."""
        found = []
        for path in self._files():
            with suppress(OSError, ValueError):
                draft = json.loads(path.read_text("utf-8"))
                if isinstance(draft, dict) and time.time() - path.stat().st_mtime < DAYS * 86_400:
                    found.append({"key": path.stem, "when": path.stat().st_mtime * 1000, "state": draft})
        return {"drafts": found[:MAX_DRAFTS]}

    def keep(self, key: str, state: dict[str, Any] | None) -> dict[str, Any]:
        """Keep a draft in place of the one of the same key; None forgets it.

        Raises:
            InputError: for a key that is none, or where nothing can be written.
        """
        if not _KEY.fullmatch(key):
            raise InputError("a draft is kept under a name of letters, digits and hyphens")
        path = self.place / f"{key}.json"
        if state is None:
            path.unlink(missing_ok=True)
            return {"kept": False}
        try:
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(f"drafts cannot be kept: {error.strerror or error}") from None
        if not path.exists():
            path.touch(0o600)
        write_whole(path, json.dumps(state), "the draft", lasting=True)
        for old in self._files()[MAX_DRAFTS:]:
            old.unlink(missing_ok=True)
        return {"kept": True}

    def _files(self) -> list[Path]:
        """The files of all drafts, the newest first."""
        with suppress(OSError):
            return sorted(self.place.glob("*.json"), key=lambda path: -path.stat().st_mtime)
        return []
