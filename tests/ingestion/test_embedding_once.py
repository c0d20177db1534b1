"""Several runs with one index at the same time: one of them embeds for all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.ingestion.background_embedding import BATCH, Embedding
from tests.doubles.digest_embedder import DigestEmbedder
from tests.values import document, text_block

pytestmark = pytest.mark.anyio


class Watched(DigestEmbedder):
    """An embedder that records its requests. `meanwhile` is called once, in the middle of a batch."""

    def __init__(self, meanwhile: Callable[[], Awaitable[None]] | None = None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.meanwhile = meanwhile

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        if self.meanwhile:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return await super().passages(texts)


@asynccontextmanager
async def opened(folder: Path, embedder: DigestEmbedder) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(folder, embedder)
    try:
        yield index
    finally:
        await index.aclose()


async def put(index: LocalIndex, doc_id: str, passages: int) -> None:
    blocks = [NewBlock(text_block(f"Passage {n} of {doc_id}.", page=n, doc_id=doc_id)) for n in range(1, passages + 1)]
    await index.replace(document(doc_id), blocks)


async def embed_all(embedding: Embedding) -> int:
    made = 0
    while batch := await embedding.batch():
        made += batch
    return made


async def without_vector(index: LocalIndex) -> int:
    return (await index.counts(Caller(unfiltered=True))).without_vector


async def test_a_second_run_leaves_its_vectors_to_the_run_that_embeds(tmp_path: Path) -> None:
    second = Watched()

    async def second_run() -> None:
        async with opened(tmp_path, second) as index:
            await put(index, "tiny", 2)
            embedding = Embedding(index, second, tmp_path)
            assert await embed_all(embedding) == 0
            assert embedding.elsewhere

    first = Watched(second_run)
    async with opened(tmp_path, first) as index:
        await put(index, "large", 2 * BATCH + 5)
        assert await embed_all(Embedding(index, first, tmp_path)) == 2 * BATCH + 7
        assert await without_vector(index) == 0
    assert second.asked == []
    assert len(first.asked) == len(set(first.asked))


async def test_passages_added_after_the_last_check_are_embedded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Watched()
    async with opened(tmp_path, embedder) as index:
        await put(index, "first", 3)
        embedding, looks = Embedding(index, embedder, tmp_path), 0
        pending = index.pending

        async def look(limit: int) -> object:
            nonlocal looks
            found = await pending(limit)
            looks += 1
            if looks == 2:  # Nothing was pending: now another run adds a document and finds that the lock is taken.
                await put(index, "late", 2)
                other = Embedding(index, embedder, tmp_path)
                assert await other.batch() == 0
                assert other.elsewhere
            return found

        monkeypatch.setattr(index, "pending", look)
        assert await embed_all(embedding) == 5
        assert await without_vector(index) == 0


async def test_a_run_that_ends_early_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    embedder = Watched()
    async with opened(tmp_path, embedder) as index:
        await put(index, "large", BATCH + 5)
        first, second = Embedding(index, embedder, tmp_path), Embedding(index, embedder, tmp_path)
        assert await first.batch() == BATCH
        assert not await second.is_here()
        first.close()
        assert await embed_all(second) == 5


async def test_a_run_with_a_failing_model_does_not_keep_others_from_embedding(tmp_path: Path) -> None:
    async def fails() -> None:
        raise ConnectionError

    async with opened(tmp_path, DigestEmbedder()) as index:
        await put(index, "one", 2)
        with pytest.raises(ConnectionError):
            await Embedding(index, Watched(fails), tmp_path).batch()
        assert await embed_all(Embedding(index, Watched(), tmp_path)) == 2
