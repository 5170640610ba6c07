"""Where things are: the project's root and the scenarios in it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "scenarios"
