"""The mapped vector file: one copy for all processes, and the database always takes precedence."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.index.local.vectors import kernel, vector_cache, vector_file
from corpus.index.local.vectors.matrix import block_places
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

BY_VECTORS = Ranking(words=0.0, rare=0)
EMBEDDER = DigestEmbedder(dimensions=16)
EACH = 400
"""Blocks per document: three documents are enough for a file."""
Change = Callable[[Path], None]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[LocalIndex]:
    """Open an index, and close it after its vector file is complete."""
    index = LocalIndex.open(folder, EMBEDDER, ranking=BY_VECTORS)
    yield index
    await index.aclose()


async def found(index: LocalIndex, query: str, caller: Caller = ANN) -> list[str]:
    return ids(await index.find(Search(query, 5), caller))


async def answers(folder: Path, caller: Caller = ANN) -> list[list[str]]:
    """Return the answers of a process that opens the index now."""
    async with opened(folder) as index:
        return [await found(index, f"pump{n} rotor", caller) for n in range(0, 1200, 97)]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("vectors-*.flat"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three documents with vectors, and their file; only Ann may read the second."""
    folder = tmp_path_factory.mktemp("filled") / "index"
    anyio.run(fill, folder)
    return folder


async def fill(folder: Path) -> None:
    async with opened(folder) as index:
        for n, access in enumerate((("*",), ("user:ann",), ("*",))):
            await index.replace(a_document(f"d{n}", access_control_list=access), texts(f"d{n}", *contents(n)))
        await embed(index, EMBEDDER, 2000)
        await found(index, "pump1")
    assert len(files(folder)) == 1


def contents(n: int) -> list[str]:
    return [f"pump{n * EACH + block} rotor" for block in range(EACH)]


@pytest.fixture
def place(filled: Path, folder: Path) -> Path:
    return Path(shutil.copytree(filled, folder))


def rows_of(file: Path, doc: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    _, columns, codes, _ = vector_file.map_file(file)
    return codes[columns.docs == doc].copy()


async def test_a_process_that_opens_an_index_maps_the_file_of_another_process(place: Path) -> None:
    (file,) = files(place)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with opened(place) as index:
        assert await found(index, "pump7 rotor") == await found(index, "pump7 rotor")
        held = index._searcher._vectors._matrix
        assert held is not None
        assert held[1].file == file
        assert not held[1].base.flags.owndata
    assert files(place) == [file]


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 100)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def of_another_kind(file: Path) -> None:
    file.write_bytes(os.urandom(file.stat().st_size))


def columns_flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[200:216] = bytes(255 - one for one in data[200:216])
    file.write_bytes(data)


def of_another_embedder(file: Path) -> None:
    header, columns, codes, _ = vector_file.map_file(file)
    other = vector_file.Header.of("other", header.gen, header.nonce, 16, columns)
    _written_over(file, other, columns, np.zeros_like(codes))


def of_another_history(file: Path) -> None:
    header, columns, codes, _ = vector_file.map_file(file)
    other = vector_file.Header.of(EMBEDDER.id, header.gen, "0" * 16, 16, columns)
    _written_over(file, other, columns, np.zeros_like(codes))


def of_the_future(file: Path) -> None:
    header, columns, codes, _ = vector_file.map_file(file)
    other = vector_file.Header.of(EMBEDDER.id, header.gen + 5, header.nonce, 16, columns)
    _written_over(file, other, columns, np.zeros_like(codes))


def _written_over(file: Path, header: vector_file.Header, columns: vector_file.Columns, codes: np.ndarray) -> None:  # type: ignore[type-arg]
    new = file.with_suffix(".new")
    with new.open("wb") as made:
        vector_file.write(made, header, columns, [codes])
    new.replace(file)


@pytest.mark.parametrize(
    "change",
    [cut, emptied, of_another_kind, columns_flipped, of_another_embedder, of_another_history, of_the_future],
)
async def test_a_mismatched_file_changes_no_answer_and_is_created_again(place: Path, change: Change) -> None:
    (file,) = files(place)
    expected, whole = [await answers(place), await answers(place, ANONYMOUS)], file.read_bytes()
    change(file)
    assert [await answers(place), await answers(place, ANONYMOUS)] == expected
    assert files(place) == [file]
    assert file.read_bytes() == whole


async def test_a_restored_older_database_is_not_searched_with_a_newer_file(
    place: Path,
) -> None:
    kept = (place / "index.sqlite3").read_bytes()
    async with opened(place) as index:
        await index.replace(a_document("d0"), texts("d0", *(f"valve{n}" for n in range(EACH))))
        await embed(index, EMBEDDER, 2000)
        await found(index, "valve1")
    for rest in place.glob("index.sqlite3-*"):
        rest.unlink()
    (place / "index.sqlite3").write_bytes(kept)
    async with opened(place) as index:
        assert (await found(index, "pump7 rotor"))[0] == "d0-7"
        assert not await index.pending(1)


async def test_the_file_locates_each_block_like_the_database(place: Path) -> None:
    async with opened(place) as index:
        await index.replace(a_document("d0", language="de"), texts("d0", *contents(0)))
        await embed(index, EMBEDDER, 2000)
        await found(index, "pump1")
    async with opened(place) as index:
        await index.update(a_document("d2", title="Changed since", language="en"))
        await found(index, "pump1")
        held = index._searcher._vectors._matrix
        assert held is not None
        with index._store.reading() as (connection, _):
            blocks = [block for (block,) in connection.execute("SELECT id FROM blocks")]
            plain = block_places(connection, None, {}, blocks)
            known = block_places(connection, held[1], {}, blocks)
        assert known == plain
        assert {one.language for one in known.values()} == {"de", "en"}
        assert len(known) == 3 * EACH
    columns = held[1].columns
    from_file = (columns.positions != vector_file.UNKNOWN_POSITION) & (columns.docs >= 0)
    assert np.count_nonzero(from_file) == 2 * EACH


async def test_removed_and_forbidden_blocks_are_not_found_through_the_file(place: Path) -> None:
    async with opened(place) as reader, opened(place) as writer:
        assert (await found(reader, "pump7 rotor", ANONYMOUS))[0] == "d0-7"
        await writer.remove("d0")
        await writer.update(a_document("d2", access_control_list=("user:ann",)))
        assert await found(reader, "pump7 rotor", ANONYMOUS) == []
        assert (await found(reader, "pump807 rotor"))[0] == "d2-7"
    assert [await answers(place, ANONYMOUS)] == [[[]] * 13]
    assert {block[:2] for one in await answers(place) for block in one} == {"d1", "d2"}


async def test_a_file_with_vectors_of_a_removed_document_is_deleted_and_the_next_search_publishes_another(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "MIN_FILE_ROWS", EACH)
    (file,) = files(place)
    async with opened(place) as index:
        await index.remove("d1")
        assert files(place) == []
        assert (await found(index, "pump7 rotor"))[0] == "d0-7"
    (new,) = files(place)
    assert new != file
    assert not len(rows_of(new, 2))
    assert rows_of(new, 1).any(axis=1).all()


async def test_a_process_with_the_removed_file_mapped_answers_and_publishes_another(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "MIN_FILE_ROWS", EACH)
    async with opened(place) as reader, opened(place) as writer:
        assert (await found(reader, "pump7 rotor"))[0] == "d0-7"
        await writer.remove("d1")
        assert files(place) == []
        assert (await found(reader, "pump7 rotor"))[0] == "d0-7"
        assert not {block[:2] for block in await found(reader, "pump407 rotor")} & {"d1"}
    (new,) = files(place)
    assert not len(rows_of(new, 2))


async def test_a_file_without_deleted_vectors_stays(place: Path) -> None:
    before = files(place)
    async with opened(place) as index:
        await index.replace(a_document("new"), texts("new", "gasket"))
        await index.update(a_document("d2", access_control_list=("user:ann",)))
        await index.remove("new")
    assert files(place) == before


async def test_a_file_left_by_a_killed_process_is_deleted_with_the_next_change(place: Path) -> None:
    (file,) = files(place)
    before = file.read_bytes()
    async with opened(place) as index:
        await index.remove("d1")
        file.write_bytes(before)
        assert len(rows_of(file, 2))
        await index.replace(a_document("new"), texts("new", "gasket"))
    assert files(place) == []


async def test_a_process_that_wrote_a_file_waits_before_the_next(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "MIN_FILE_ROWS", EACH)
    monkeypatch.setattr(vector_cache, "PAUSE_FACTOR", 1e6)
    async with opened(place) as index:
        await index.remove("d1")
        await found(index, "pump7 rotor")
        writing = index._searcher._vectors._writer
        assert writing is not None
        writing.join()
        (new,) = files(place)
        await index.remove("d0")
        await found(index, "pump807 rotor")
        await found(index, "pump807 rotor")
    assert new not in files(place)
    assert files(place) == []


async def test_later_vectors_are_found_without_the_file_and_then_in_a_new_one(place: Path) -> None:
    (old,) = files(place)
    async with opened(place) as reader, opened(place) as writer:
        await found(reader, "pump7 rotor")
        await writer.replace(a_document("few"), texts("few", "gasket one", "gasket two"))
        await embed(writer, EMBEDDER)
        assert (await found(reader, "gasket two"))[0] == "few-1"
    assert files(place) == [old]
    async with opened(place) as index:
        assert (await found(index, "gasket two"))[0] == "few-1"
        await index.replace(a_document("many"), texts("many", *(f"flange{n}" for n in range(EACH))))
        await embed(index, EMBEDDER, 2000)
        assert (await found(index, "flange9"))[0] == "many-9"
    (new,) = files(place)
    assert new != old
    async with opened(place) as index:
        assert [(await found(index, query))[0] for query in ("flange9", "gasket one", "pump7 rotor")] == [
            "many-9",
            "few-0",
            "d0-7",
        ]


async def test_if_nothing_can_be_written_the_database_is_used(place: Path) -> None:
    expected = await answers(place)
    files(place)[0].unlink()
    async with opened(place) as index:
        index._store.read_only = True
        assert await found(index, "pump0 rotor") == expected[0]
    assert files(place) == []


@pytest.fixture
def coded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use product codes even for the few vectors here."""
    pytest.importorskip("faiss")
    monkeypatch.setattr(kernel, "MIN_ROWS", 1000)


@pytest.mark.usefixtures("coded")
async def test_a_file_without_product_codes_is_rewritten_and_gives_the_same_answers(place: Path) -> None:
    (plain,) = files(place)
    expected = await answers(place)
    (file,) = files(place)
    assert file != plain
    assert vector_file.read_header(file).coded
    assert await answers(place) == expected
    assert files(place) == [file]
    async with opened(place) as index:
        await found(index, "pump7 rotor")
        held = index._searcher._vectors._matrix
        assert held is not None
        assert held[1].coarse is not None


async def test_a_process_that_cannot_scan_product_codes_reads_a_file_that_has_them(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss")
    with monkeypatch.context() as patched:
        patched.setattr(kernel, "MIN_ROWS", 1000)
        expected = await answers(place)
    (file,) = files(place)
    assert await answers(place) == expected
    assert files(place) == [file]
