"""Copies of figures are deleted after a while."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from server.commands.ask import KEPT, PREFIX, temporary_folder


def test_only_old_figure_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, young, other = (tmp_path / name for name in (f"{PREFIX}old", f"{PREFIX}young", "ibid-words-old"))
    target = tmp_path / "target"
    for folder in (old, young, other, target):
        folder.mkdir()
        (folder / "a.png").write_bytes(b"png")
    (tmp_path / f"{PREFIX}link").symlink_to(target)
    for folder in (old, other, target):
        os.utime(folder, (time.time() - KEPT - 60,) * 2)

    made = temporary_folder()

    assert not old.exists()
    assert made.is_dir()
    assert all((folder / "a.png").exists() for folder in (young, other, target))
