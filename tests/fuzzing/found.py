"""What was found, kept as files that a test replays."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from fuzzing.attacks import Case
from paths import ROOT

FOLDER = ROOT / "tests" / "found"


def keep(attack: str, case: Case, words: str, folder: Path = FOLDER) -> Path:
    """Write a case with what was wrong; the same case gives the same file."""
    name = hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:10]
    path = folder / f"{attack}-{name}.json"
    folder.mkdir(exist_ok=True)
    content = {"attack": attack, "was": words, "case": case}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", "ascii")
    return path


def kept(folder: Path = FOLDER) -> list[Path]:
    """All files, by name."""
    return sorted(folder.glob("*.json"))


def read(path: Path) -> tuple[str, Case]:
    """The attack and its case."""
    content = json.loads(path.read_text("ascii"))
    return content["attack"], content["case"]
