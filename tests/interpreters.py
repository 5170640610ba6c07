"""Python scripts in fresh interpreters, with and without compiled kernels."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def compiled_and_plain(script):
    """What a script prints with numba's kernels compiled, and what it prints with NUMBA_DISABLE_JIT=1."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(ROOT / "tests")])
    return [
        subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": path, **switch},
        ).stdout
        for switch in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]  # fmt: skip
