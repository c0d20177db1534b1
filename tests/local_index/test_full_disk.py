"""A full disk is reported as such, whichever part of the index hits it, and no data is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.index.local import sqlite_file
from tests.local_index.child import ROOT

SIZE = 4_000_000
FREE = (0, 40_000, 300_000, 700_000, 1_200_000, 2_000_000)
"""Free bytes; each value runs out at another step."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(disk)]
    if sys.platform != "linux" or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk of a size of ours can be made here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def ibid(data: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from server.cli import main; main()", *map(str, words)]
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(data.parents[1]),
        "RAG_DATA_DIR": str(data),
        "RAG_EMBEDDER": "none",
    }
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("free", FREE)
def test_an_ingestion_without_space_says_so_and_continues_once_there_is_some(
    small_disk: Path, tmp_path: Path, free: int
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(6):
        words = "\n\n".join(f"Word{number}x{n} " + "pump valve seal oil water " * 40 for n in range(60))
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\n{words}\n")
    (small_disk / "fill").write_bytes(bytes(SIZE - free))
    first = ibid(small_disk / "data", "ingest", notes)

    assert "Traceback" not in first.stderr
    if first.returncode:
        assert "disk is full" in first.stderr or "No space left" in first.stderr, first.stderr
    (small_disk / "fill").unlink()
    again = ibid(small_disk / "data", "ingest", notes)
    assert again.returncode == 0, again.stderr
    assert ibid(small_disk / "data", "index", "check").returncode == 0
    assert "Note 5" in ibid(small_disk / "data", "search", "Word5x7").stdout


def test_a_disk_error_is_distinguished_from_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot be used" in str(sqlite_file._unusable(tmp_path / "index.sqlite3", "disk I/O error"))
    monkeypatch.setattr(sqlite_file, "_is_full", lambda _: True)
    assert "disk is full" in str(sqlite_file._unusable(tmp_path / "index.sqlite3", "disk I/O error"))
