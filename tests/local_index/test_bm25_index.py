"""The BM25 index is derived: if it is lost, damaged, outdated or of another history, it is rebuilt. Until then, the
answer reports which search found the hits."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex, bm25_index
from corpus.index.local.store import FILE
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.local_index.inside import damage_words, words_directory, words_hold_the_database
from tests.shelf import a_document, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio


@pytest.fixture
async def index(folder: Path) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(folder, DigestEmbedder())
    await index.replace(a_document("a"), texts("a", "a pump with oil", "a valve"))
    await index.replace(a_document("b"), texts("b", "another pump"))
    await embed(index, DigestEmbedder())
    yield index
    await index.aclose()


def cut_meta(directory: Path) -> None:
    meta = directory / "meta.json"
    meta.write_text(meta.read_text()[:40])


def drop_terms(directory: Path) -> None:
    for file in directory.glob("*.idx"):
        file.unlink()


def garble_terms(directory: Path) -> None:
    for file in [*directory.glob("*.idx"), *directory.glob("*.term")]:
        held = file.read_bytes()
        file.unlink()  # a new file, because truncating a mapped file crashes the process
        file.write_bytes(bytes(255 - byte for byte in held))


DAMAGES = (shutil.rmtree, cut_meta, drop_terms, garble_terms)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_word_index_is_rebuilt_by_the_next_search(
    index: LocalIndex, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(words_directory(folder))
    other = LocalIndex.open(folder, DigestEmbedder())
    found = await other.find(Search("pump oil"), ANONYMOUS)
    assert (ids(found)[0], found.mode, found.warnings) == ("a-0", "hybrid", ())
    assert found.hits[0].lexical
    words_hold_the_database(folder)
    await other.aclose()


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_word_index_does_not_stop_a_write(
    index: LocalIndex, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(words_directory(folder))
    await index.replace(a_document("c"), texts("c", "a new pump"))
    assert ids(await index.find(Search("new"), ANONYMOUS))[0] == "c-0"


async def test_a_large_index_is_rebuilt_in_the_background_and_the_answer_says_so(
    index: LocalIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25_index, "MAX_INLINE_BLOCKS", 0)
    damage_words(folder)
    other = LocalIndex.open(folder, DigestEmbedder())
    found = await other.find(Search("pump oil"), ANONYMOUS)
    assert (ids(found)[0], found.mode) == ("a-0", "vector")
    assert any("word index is damaged or being rebuilt" in warning for warning in found.warnings)
    other._words._repair_thread.join()  # type: ignore[union-attr]
    assert (await other.find(Search("pump oil"), ANONYMOUS)).warnings == ()
    await other.aclose()


async def test_a_program_that_ends_during_a_rebuild_leaves_it_to_the_next(
    index: LocalIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25_index, "MAX_INLINE_BLOCKS", 0)
    damage_words(folder)
    other = LocalIndex.open(folder, DigestEmbedder())
    await other.find(Search("pump"), ANONYMOUS)
    await other.aclose()
    assert (await index.find(Search("pump"), ANONYMOUS)).hits


async def test_without_a_word_index_and_with_a_held_lock_vectors_answer(index: LocalIndex, folder: Path) -> None:
    damage_words(folder)
    other = LocalIndex.open(folder, DigestEmbedder())
    with closing(sqlite3.connect(folder / "words.lock", isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        found = await other.find(Search("pump oil"), ANONYMOUS)
        assert (ids(found)[0], found.mode) == ("a-0", "vector")
    assert (await other.find(Search("pump oil"), ANONYMOUS)).mode == "hybrid"
    await other.aclose()


async def test_a_reader_between_the_two_commits_sees_no_removed_text(index: LocalIndex, folder: Path) -> None:
    behind = folder.parent / "behind"
    shutil.copytree(words_directory(folder), behind)
    await index.replace(a_document("a"), texts("a", "a gasket"))
    put_back(behind, words_directory(folder))
    other = LocalIndex.open(folder, DigestEmbedder())
    with closing(sqlite3.connect(folder / "words.lock", isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        found = await other.find(Search("pump oil gasket"), ANONYMOUS)
        assert {hit.block.content for hit in found.hits} <= {"a gasket", "another pump"}
        assert any("brought up to date" in warning for warning in found.warnings)
    found = await other.find(Search("gasket"), ANONYMOUS)
    assert ids(found)[0] == "a-0"
    assert not any("brought up to date" in warning for warning in found.warnings)
    words_hold_the_database(folder)
    await other.aclose()


async def test_a_kill_between_files_and_their_names_fails_no_later_commit(index: LocalIndex, folder: Path) -> None:
    """tantivy first writes the file of a deletion, and lists it in meta.json last."""
    await index.rebuild_words()  # a single segment, so that a deletion only marks a part of it
    directory = words_directory(folder)
    names = (directory / "meta.json").read_bytes()
    await index.replace(a_document("a"), texts("a", "a gasket"))
    (directory / "meta.json").write_bytes(names)
    other = LocalIndex.open(folder, DigestEmbedder())
    assert ids(await other.find(Search("gasket"), ANONYMOUS))[0] == "a-0"
    await other.replace(a_document("b"), texts("b", "a spindle"))
    assert ids(await other.find(Search("spindle"), ANONYMOUS))[0] == "b-0"
    assert words_directory(folder) == directory, "the index had to be rebuilt"
    words_hold_the_database(folder)
    await other.aclose()


@pytest.mark.parametrize("looked_at_first", [True, False])
async def test_a_restored_older_database_is_not_mistaken_for_the_one_that_continued(
    folder: Path, looked_at_first: bool
) -> None:
    """Generations are counted again after a restore, so only their nonces distinguish the two histories."""
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("a"), texts("a", "the first pump"))
    await index.aclose()
    backup = (folder / FILE).read_bytes()
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("b"), texts("b", "a lost valve"))
    await index.aclose()

    (folder / FILE).write_bytes(backup)
    index = LocalIndex.open(folder, None)
    if looked_at_first:
        assert (await index.find(Search("valve"), ANONYMOUS)).hits == ()
    await index.replace(a_document("c"), texts("c", "a new gasket"))
    assert (await index.find(Search("valve"), ANONYMOUS)).hits == ()
    assert ids(await index.find(Search("gasket"), ANONYMOUS)) == ["c-0"]
    assert ids(await index.find(Search("pump"), ANONYMOUS)) == ["a-0"]
    await index.aclose()
    words_hold_the_database(folder)


async def test_words_are_rebuilt_on_request(index: LocalIndex, folder: Path) -> None:
    before = words_directory(folder)
    await index.rebuild_words()
    assert words_directory(folder) != before
    assert ids(await index.find(Search("pump oil"), ANONYMOUS))[0] == "a-0"
    words_hold_the_database(folder)


async def test_many_small_changes_leave_few_files(index: LocalIndex, folder: Path) -> None:
    for n in range(40):
        await index.replace(a_document(f"d{n}"), texts(f"d{n}", f"pump {n}"))
    assert len(os.listdir(words_directory(folder))) < 150


def put_back(old: Path, directory: Path) -> None:
    shutil.rmtree(directory)
    shutil.copytree(old, directory)
