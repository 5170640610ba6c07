"""What ``compare --against`` compares with: a scenario file, one of a git revision, or a saved analysis."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.readings import Analysis
    from holdfast.scenario import Scenario

EXPECTED = "expected a scenario file, a saved analysis, or REVISION:FILE, such as main:segment.yaml"
SAVED = b'"holdfast_analysis"'
GIT_SECONDS = 60


def read_baseline(given: str, budget: Budget) -> Scenario | Analysis:
    """The baseline that is named: a file if there is one of that name, else a file of a git revision.

    Raises:
        InputError: where there is neither.
        ScenarioError: for a text that is no scenario.
    """
    from holdfast.readings import load_analysis
    from holdfast.scenario import read_scenario, scenario_from_text

    path = Path(given)
    if path.is_file():
        if path.suffix == ".json" and SAVED in path.read_bytes():
            return load_analysis(path)
        return read_scenario(path, budget)
    if ":" not in given:
        raise InputError(f"--against {given}: no such file; {EXPECTED}")
    return scenario_from_text(_of_revision(given), given, budget)


def _of_revision(given: str) -> str:
    """The text of a file as a git revision has it; its path from the root of the repository, or from here."""
    revision, _, file = given.partition(":")
    if not revision or revision.startswith("-") or not file:
        raise InputError(f"--against {given}: {EXPECTED}")
    refused = ""
    for path in (file, f"./{file}"):
        command = ["git", "cat-file", "blob", f"{revision}:{path}"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=GIT_SECONDS, check=False)
        except FileNotFoundError:
            raise InputError(f"--against {given}: git is not installed; {EXPECTED}") from None
        except subprocess.TimeoutExpired:
            raise InputError(f"--against {given}: git did not answer in {GIT_SECONDS} s") from None
        if done.returncode == 0:
            return _text(done.stdout, given)
        refused = refused or done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
    raise InputError(f"--against {given}: git: {refused}; fetch the revision first, or check the path")


def _text(raw: bytes, given: str) -> str:
    from holdfast.scenario import MAX_BYTES

    if len(raw) > MAX_BYTES:
        raise InputError(f"--against {given}: the file is larger than {MAX_BYTES:,} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"--against {given}: the file is not UTF-8 text") from None
