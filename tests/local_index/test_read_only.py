"""A data folder that this user may read but not write: on a read-only file system, or by permissions."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from corpus.errors import NotConfigured, Timeout
from corpus.index.local import LocalIndex
from corpus.index.local.store import FILE
from tests.doubles.digest_embedder import DigestEmbedder
from tests.local_index.child import ROOT
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(on_disk: Path) -> Path:
    return on_disk / "index"


def closed_for_writing(folder: Path, *command: str) -> str:
    """Return the output of a command while the folder cannot be written. Root can write anywhere except on a read-only
    mount."""
    if os.geteuid() == 0:
        mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'
        if (
            not shutil.which("unshare")
            or subprocess.run(["unshare", "-m", "sh", "-c", mount, folder], check=False).returncode
        ):
            pytest.skip("root may write anywhere here")
        command = ("unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', str(folder), *command)
    folder.chmod(0o500)
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    finally:
        folder.chmod(0o700)


async def filled(folder: Path) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())
    await index.replace(a_document(), texts("manual", "pump", "valve"))
    await embed(index, DigestEmbedder())
    await index.aclose()


async def test_an_unwritable_index_is_still_searched(folder: Path, tmp_path: Path) -> None:
    await filled(folder)
    before = sorted(folder.rglob("*"))
    said = closed_for_writing(
        folder,
        "env",
        f"TMPDIR={tmp_path}",
        sys.executable,
        "-m",
        "tests.local_index.child",
        str(folder),
        "look",
    )
    assert said.splitlines() == [
        "hybrid manual-0 ()",
        "1 documents",
        f"NotConfigured The index in {folder} can be read but not changed. Give this user write access to the "
        "folder and all files in it, or point RAG_DATA_DIR at another folder.",
    ]
    assert sorted(folder.rglob("*")) == before
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_without_an_index_is_reported_with_the_fix(folder: Path) -> None:
    folder.mkdir()
    said = closed_for_writing(folder, sys.executable, "-m", "tests.local_index.child", str(folder), "look")
    assert said.startswith(f"NotConfigured No index can be made in {folder}: ")
    assert "RAG_DATA_DIR" in said


@pytest.mark.skipif(sys.platform != "linux", reason="there is /proc")
def test_a_folder_that_cannot_be_created_is_reported_with_the_fix() -> None:
    with pytest.raises(NotConfigured, match=r"No index can be made in /proc/ibid: .*RAG_DATA_DIR"):
        LocalIndex.open(Path("/proc/ibid"), None)


async def test_a_lock_free_read_during_a_foreign_write_is_discarded(folder: Path) -> None:
    await filled(folder)
    store = LocalIndex.open(folder, None)._store
    store._close_idle()
    store.read_only = True
    with store.reading() as (_, state):
        assert state.gen == 2
    with pytest.raises(Timeout, match="Try again"), store.reading():
        written_by_another(folder)
    store.close()


def written_by_another(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE)) as other:
        other.execute("UPDATE state SET gen = gen + 1")
        other.commit()


async def test_a_check_passes_for_an_unwritable_index(folder: Path, tmp_path: Path) -> None:
    await filled(folder)
    said = closed_for_writing(
        folder,
        "env",
        f"TMPDIR={tmp_path}",
        f"RAG_DATA_DIR={folder}",
        sys.executable,
        "-c",
        "from server.cli import main; main()",
        "index",
        "check",
        "--json",
    )
    assert {one["part"]: one["level"] for one in json.loads(said)["findings"]} == {
        "database": "ok", "documents": "ok", "vectors": "ok", "words": "ok",
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == []


async def test_index_files_are_readable_only_by_their_owner(folder: Path) -> None:
    former = os.umask(0o022)
    try:
        await filled(folder)
        index = LocalIndex.open(folder, None)
        await index.replace(a_document("other"), texts("other", "another text"))
        await index.compact()
        await index.aclose()
    finally:
        os.umask(former)
    modes = {str(file.relative_to(folder)): file.stat().st_mode & 0o077 for file in folder.rglob("*")}
    assert {name: mode for name, mode in modes.items() if mode} == {}
