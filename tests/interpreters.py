"""Python scripts with and without compiled kernels."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[1]


def compiled_and_plain(script):
    """What a script prints here, where numba compiles, and what it prints under NUMBA_DISABLE_JIT=1."""
    told = io.StringIO()
    with redirect_stdout(told):
        exec(script, {"__name__": "__main__"})
    given = filter(None, [os.environ.get("PYTHONPATH")])
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(ROOT / "tests"), *given])
    plain = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    return told.getvalue(), plain.stdout
