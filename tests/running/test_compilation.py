"""Where compiled code is kept: with numba's choice where it has one, and never in a folder of somebody else's."""

from __future__ import annotations

import os
import tempfile

import pytest

from holdfast.running import compilation


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Neither the program nor the user's cache may be written to."""
    monkeypatch.delenv(compilation.CHOSEN, raising=False)
    monkeypatch.setattr(compilation, "_writable", lambda folder: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_place_is_named_only_where_numba_has_none(monkeypatch, nowhere):
    """Should leave a choice alone, numba's or the user's, and else name a folder that is ours alone."""
    compilation.find_place_for_compiled()
    folder = nowhere / f"holdfast-compiled-{os.getuid()}"
    assert os.environ.pop(compilation.CHOSEN) == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv(compilation.CHOSEN, "chosen")
    compilation.find_place_for_compiled()
    assert os.environ[compilation.CHOSEN] == "chosen"
    monkeypatch.delenv(compilation.CHOSEN)
    monkeypatch.setattr(compilation, "_writable", lambda folder: folder != compilation.PROGRAM)
    compilation.find_place_for_compiled()
    assert compilation.CHOSEN not in os.environ


def test_a_folder_that_others_may_write_to_is_not_taken(tmp_path):
    """Should make another one where the name is taken by a link, or by what others may write to."""
    taken = tmp_path / f"holdfast-compiled-{os.getuid()}"
    taken.symlink_to(tmp_path)
    assert compilation.own_folder(tmp_path) not in (taken, tmp_path)
    taken.unlink()
    assert compilation.own_folder(tmp_path) == compilation.own_folder(tmp_path) == taken
    taken.chmod(0o777)
    other = compilation.own_folder(tmp_path)
    assert other != taken and other.stat().st_mode & 0o077 == 0


def test_a_folder_that_is_not_there_yet_counts_where_it_may_be_made(tmp_path):
    """Should ask the first folder above that exists."""
    assert compilation._writable(tmp_path / "a" / "b")
