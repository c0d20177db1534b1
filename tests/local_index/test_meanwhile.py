"""A keyword search runs while the question is embedded, and the answer still comes from one snapshot of the index."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from corpus.access import ANONYMOUS
from corpus.embedding.protocol import Vectors
from corpus.index.local import LocalIndex
from corpus.search import Search, SearchResult
from tests.doubles.digest_embedder import DigestEmbedder
from tests.patience import PATIENCE
from tests.shelf import a_document, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio


class Waiting(DigestEmbedder):
    """An embedder that embeds a question when it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.go = anyio.Event()

    async def query(self, text: str) -> Vectors:
        await self.go.wait()
        return await super().query(text)


async def searched(index: LocalIndex, into: list[SearchResult]) -> None:
    into.append(await index.find(Search("pump"), ANONYMOUS))


async def words_are_searched(index: LocalIndex) -> None:
    with anyio.fail_after(PATIENCE):
        while not index._searcher._matches:
            await anyio.sleep(0.001)


async def test_keyword_search_runs_before_the_question_is_embedded(folder: Path) -> None:
    embedder, found = Waiting(), list[SearchResult]()
    index = LocalIndex.open(folder, embedder)
    await index.replace(a_document(), texts("manual", "the pump", "oil"))
    await embed(index, embedder)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(searched, index, found)
        await words_are_searched(index)
        assert not found
        embedder.go.set()
    assert (ids(found[0])[0], found[0].mode) == ("manual-0", "hybrid")
    await index.aclose()


async def test_access_revoked_while_a_question_is_embedded_applies_to_its_answer(folder: Path) -> None:
    embedder, found = Waiting(), list[SearchResult]()
    index = LocalIndex.open(folder, embedder)
    for name in ("open", "revoked", "removed"):
        await index.replace(a_document(name), texts(name, f"the pump of {name}"))
    await embed(index, embedder)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(searched, index, found)
        await words_are_searched(index)
        await index.update(a_document("revoked", access_control_list=("user:ann",)))
        await index.remove("removed")
        embedder.go.set()
    assert ids(found[0]) == ["open-0"]
    await index.aclose()
