"""Analyses on disk: what decides their numbers, how they are saved, and when a saved one is believed.

The *key* of an analysis is a hash of everything that decides its numbers: scenario text, variant, protocol,
what was asked for, and the program itself. A cache is looked up by that key, so what it gives back is never
stale.

A saved analysis is a JSON file, with the trajectories as an npz file beside it. The JSON holds the hash of
the npz, and a *seal*: the hash of all the rest of it. What was damaged, edited, mixed from two analyses or
written by another version does not fit its seal or its types, and is refused. The seal is no signature: who
writes to the folder on purpose can make one. So a link at the name of an entry is not followed: it would let
such a person choose which file outside the folder is replaced.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.errors import HoldfastError, InputError
from holdfast.readings.results import Analysis, Provenance, Trajectories, plain_of
from holdfast.running import sha256_of, write_whole
from holdfast.scenario import is_one_line

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 3


def analysis_of(content: dict[str, Any]) -> Analysis:
    """An analysis back from plain data, the same in every value and type.

    Raises:
        ValueError: for data of any other kind.
    """
    analysis = _reader().validate_json(json.dumps(content), strict=True)
    return replace(analysis, caveats=None if analysis.warnings else ())


@cache
def _reader() -> TypeAdapter[Analysis]:
    from pydantic import TypeAdapter

    from holdfast.operation import DefenderDominance, Hold, OperatingPoint  # named there, but not imported

    reader: TypeAdapter[Analysis] = TypeAdapter(Analysis)
    reader.rebuild(_types_namespace={one.__name__: one for one in (DefenderDominance, Hold, OperatingPoint)})
    return reader


def save_analysis(analysis: Analysis, path: Path) -> None:
    """Write ``path`` (JSON), and ``path`` with the ending .npz if there are trajectories, each whole.

    A link with one of these names is replaced, and what it leads to is left alone.

    Raises:
        InputError: where that is not possible.
    """
    arrays = None if analysis.trajectories is None else _packed(analysis.trajectories)
    content = plain_of(analysis)
    content |= {"holdfast_analysis": FORMAT, "trajectories": None if arrays is None else sha256_of(arrays)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot make the folder: {error.strerror or error}") from None
    if arrays is not None:
        write_whole(path.with_suffix(".npz"), arrays, follow=False)
    write_whole(path, json.dumps({**content, "seal": _seal(content)}, indent=1) + "\n", follow=False)


def load_analysis(path: Path, key: str | None = None) -> Analysis:
    """Read a saved analysis back from its JSON file, the same in every value and type.

    Args:
        key: the key it must have; any, if None.

    Raises:
        InputError: for a file that cannot be read, is none, was changed, or has another key.
    """
    try:
        content = json.loads(path.read_bytes())
        seal, version = content.pop("seal"), content.pop("holdfast_analysis")
        sealed = seal == _seal({**content, "holdfast_analysis": version})
        packed = content.pop("trajectories")
        arrays = None if packed is None else path.with_suffix(".npz").read_bytes()
        if not sealed or version != FORMAT or (arrays is not None and sha256_of(arrays) != packed):
            raise ValueError
        analysis = analysis_of(content)
        if not is_one_line(analysis.name) or not is_one_line(analysis.variant or ""):
            raise ValueError
        analysis = replace(analysis, trajectories=None if arrays is None else _unpacked(arrays))
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror or error}") from None
    except (AttributeError, HoldfastError, KeyError, RecursionError, TypeError, ValueError):
        raise InputError(f"{path}: not an analysis saved by this version of Holdfast") from None
    if key is not None and (analysis.provenance is None or analysis.provenance.key != key):
        raise InputError(f"{path}: this is this is the analysis of something else; its key is not {key}")
    return analysis


def _packed(trajectories: Trajectories) -> bytes:
    import numpy as np

    file = io.BytesIO()
    np.savez_compressed(file, trajectories=trajectories)
    return file.getvalue()


def _unpacked(arrays: bytes) -> Trajectories:
    import numpy as np

    with np.load(io.BytesIO(arrays), allow_pickle=False) as file:
        return np.asarray(file["trajectories"], dtype=np.float64)


def _seal(content: dict[str, Any]) -> str:
    return sha256_of(json.dumps(content, sort_keys=True))


def provenance_of(text: str, variant: str | None, asked: dict[str, Any]) -> Provenance:
    """Where the analysis of a scenario's ``text`` comes from, ``asked`` being what was asked for."""
    import platform
    from importlib.metadata import version

    origin = {
        "scenario_sha256": sha256_of(text),
        "holdfast": __version__,
        "program_sha256": _program_hash(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "oxidd")},
    }
    decisive = json.dumps([origin, variant, asked], sort_keys=True, default=str)
    return Provenance(key=sha256_of(decisive), **origin)


@cache
def _program_hash() -> str:
    """A hash of the package's own source: a changed program never reads an old answer."""
    total = hashlib.sha256()
    root = Path(__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        total.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()
