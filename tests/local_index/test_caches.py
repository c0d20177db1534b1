"""A cached value that was updated incrementally equals one computed from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.searcher import MAX_CHANGED, IncrementalCache
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio


async def test_an_open_reader_sees_the_same_as_a_new_one_after_each_change(folder: Path) -> None:
    embedder = DigestEmbedder()
    writer, reader = LocalIndex.open(folder, embedder), LocalIndex.open(folder, embedder)
    open_to_all = a_document("d2", title="t", language="en")
    changes = (
        lambda: writer.replace(a_document("d1", title="t", language="de"), texts("d1", "pump", "oil")),
        lambda: writer.replace(open_to_all, texts("d2", "pump", "valve", "seal")),
        lambda: embed(writer, embedder),
        lambda: writer.update(replace(open_to_all, access_control_list=("user:ann",))),
        lambda: writer.replace(a_document("d3", title="t", department="few"), texts("d3", "pump")),
        lambda: writer.remove("d1"),
        lambda: writer.update(replace(open_to_all, language="fr", department="few")),
        lambda: embed(writer, embedder),
        lambda: writer.remove("d3"),
    )
    for change in changes:
        await change()
        new = LocalIndex.open(folder, embedder)
        for caller in (ANN, ANONYMOUS, Caller(unfiltered=True)):
            for filters in (Filters(), Filters(department=("few",))):
                search = Search("pump oil", 10, filters)
                found, expected = await reader.find(search, caller), await new.find(search, caller)
                assert ids(found) == ids(expected)
                assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in expected.hits])
                assert (found.mode, found.warnings) == (expected.mode, expected.warnings)
        await new.aclose()
    await reader.aclose()
    await writer.aclose()


async def test_a_value_is_updated_from_the_changed_documents_unless_there_are_many(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    cache: IncrementalCache[str] = IncrementalCache(1)
    asked: list[tuple[str | None, list[int]]] = []

    def update(known: str | None, changed: Sequence[int]) -> str:
        asked.append((known, [*changed]))
        return f"look {len(asked)}"

    def look() -> str:
        with index._store.reading() as (connection, state):
            return cache.of(connection, state, "key", update)

    await index.replace(a_document("d1"), texts("d1", "pump"))
    assert [look(), look()] == ["look 1", "look 1"]
    await index.replace(a_document("d2"), texts("d2", "pump"))
    assert look() == "look 2"
    with index._store.writing("many") as change:
        for doc in range(MAX_CHANGED + 1):
            change.touch(doc, words=False)
    assert look() == "look 3"
    assert asked == [(None, []), ("look 1", [2]), (None, [])]
    await index.aclose()


async def test_a_value_from_another_database_history_is_not_updated(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("d1"), texts("d1", "pump"))
    cache: IncrementalCache[str] = IncrementalCache(1)
    with index._store.reading() as (connection, state):
        before = replace(state, nonce="another")
        for seen in (before, state, state):
            assert cache.of(connection, seen, "key", lambda known, _: "updated" if known else "new") == "new"
    await index.aclose()
