"""What a reproduction leaves in a directory, written beside its place and moved into it when complete."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.apps.reproduce.gallery import STEMS, drawings
from holdfast.apps.reproduce.outcome import document
from holdfast.apps.reproduce.reproducing import Reproduction, reproduction_object
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.report import page, save_figure, svg_text
from holdfast.running import prepare

PAGE, DATA = "reproduction.html", "reproduction.json"

OWN = frozenset([PAGE, DATA, *(f"figures/{stem}.{ending}" for stem in STEMS for ending in ("svg", "png"))])
"""Every file that a run may write; no other is touched."""


def write(reproduction: Reproduction, directory: Path, budget: Budget = UNLIMITED) -> Path:
    """Write everything and give the path of the page; own files of an earlier run that have no successor go.

    Raises:
        InputError: when the directory cannot be written to.
        LimitError: when the time is over before all is drawn.
    """
    prepare(directory)
    try:
        with _staged(directory) as part:
            pictures = {}
            for drawing in drawings(reproduction.paper, reproduction.evidence):
                budget.tick(f"drawing {drawing.stem}")
                figure = drawing.draw()
                save_figure(figure, part / "figures" / drawing.stem)
                pictures[drawing] = svg_text(figure, f"{drawing.stem}-")
            budget.tick("writing the report")
            (part / PAGE).write_text(page(document(reproduction, pictures)), "utf-8")
            (part / DATA).write_text(json.dumps(reproduction_object(reproduction), indent=1) + "\n", "utf-8")
    except OSError as error:
        raise InputError(f"{directory}: cannot write: {error.strerror or error}") from None
    return directory / PAGE


@contextmanager
def _staged(directory: Path) -> Iterator[Path]:
    """A directory to write into, whose files move to their places at the end, or vanish."""
    part = Path(tempfile.mkdtemp(prefix=".reproduction-", dir=directory))
    try:
        yield part
        staged = {file.relative_to(part).as_posix(): file for file in part.rglob("*") if file.is_file()}
        for name in OWN - staged.keys():
            (directory / name).unlink(missing_ok=True)
        # The page goes last: whoever finds it finds everything it speaks of.
        for name in sorted(staged, key=lambda name: (name == PAGE, name)):
            place = directory / name
            place.parent.mkdir(exist_ok=True)
            staged[name].replace(place)
    finally:
        shutil.rmtree(part, ignore_errors=True)
