"""Opening an index: private files, a permanent choice of principals, and clear messages about unusable files."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.errors import InternalError, NotConfigured
from corpus.index.local import LocalIndex
from corpus.index.local.store import FILE
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.local_index.child import ROOT
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("wanted", "stored"), [(None, True), (True, True), (False, False)])
async def test_the_choice_of_principals_is_permanent(folder: Path, wanted: bool | None, stored: bool) -> None:
    index = LocalIndex.open(folder, None, principal_prefixes=wanted)
    assert index.prefixed == stored
    await index.aclose()
    with pytest.raises(NotConfigured, match=f"{folder}.*RAG_PRINCIPAL_PREFIXES={str(stored).lower()}"):
        LocalIndex.open(folder, None, principal_prefixes=not stored)
    for same in (None, stored):
        again = LocalIndex.open(folder, None, principal_prefixes=same)
        assert again.prefixed == stored
        await again.aclose()


async def test_only_the_owner_can_open_the_files(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(), texts("manual", "pump"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for entry in folder.iterdir():
        assert stat.S_IMODE(entry.stat().st_mode) == (0o700 if entry.is_dir() else 0o600), entry
    await index.aclose()


def test_a_missing_index_is_reported_with_the_fix(folder: Path) -> None:
    with pytest.raises(NotConfigured, match=f"no index in {folder}.*ibid ingest"):
        LocalIndex.open(folder, None, create=False)
    assert not folder.exists()


def test_a_newer_index_is_left_alone(folder: Path) -> None:
    LocalIndex.open(folder, None)._store.close()
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(NotConfigured, match=f"{folder} was made by a newer Ibid.*Update"):
        LocalIndex.open(folder, None)


def test_another_programs_database_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.execute("CREATE TABLE theirs (x)")
    with pytest.raises(NotConfigured, match="another program"):
        LocalIndex.open(folder, None)
    with closing(sqlite3.connect(folder / FILE)) as database:
        assert database.execute("SELECT count(*) FROM theirs").fetchone() == (0,)


def test_a_file_that_is_not_a_database_is_called_damaged(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(os.urandom(8192))
    with pytest.raises(InternalError, match=r"damaged.*Restore") as raised:
        LocalIndex.open(folder, None)
    assert str(folder) not in str(raised.value)


def test_many_processes_can_open_a_new_index_concurrently(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        indexes = list(pool.map(lambda _: LocalIndex.open(folder, None), range(8)))
    assert all(index.prefixed for index in indexes)
    for index in indexes:
        index._store.close()


def test_opening_loads_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys, pathlib; from corpus.index.local import LocalIndex; "
        "LocalIndex.open(pathlib.Path(sys.argv[1]), None); "
        "print([name for name in ('numpy', 'tantivy', 'simsimd') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(folder)]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == "[]\n"


async def test_a_closed_index_can_be_opened_again(folder: Path) -> None:
    for n in range(2):
        index = LocalIndex.open(folder, DigestEmbedder())
        await index.replace(a_document(f"d{n}"), texts(f"d{n}", "pump"))
        assert len((await index.find(Search("pump"), ANONYMOUS)).hits) == n + 1
        await index.aclose()
