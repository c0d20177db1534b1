"""Vectors are computed while files are still being read, and never at the expense of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from corpus.embedding.process_embedder import EmbeddingProcess
from corpus.embedding.protocol import Vectors
from corpus.errors import LLMError
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import BATCH, BackgroundEmbedding, Embedding
from corpus.ingestion.report import Outcome, Silence
from corpus.ingestion.run_log import RunLogProgress
from tests.doubles.digest_embedder import DigestEmbedder
from tests.ingestion.test_embedding_once import opened, put, without_vector
from tests.patience import PATIENCE

pytestmark = pytest.mark.anyio

DONE = Outcome("added", Path("large.pdf"))


class Failing(DigestEmbedder):
    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise LLMError("The service is down.")


async def left_after(folder: Path, index: LocalIndex, beside: BackgroundEmbedding, expected: int) -> int:
    """Return the number of passages without a vector after a document was ingested, while the run continues."""
    await put(index, "large", 2 * BATCH + 5)
    recording = RunLogProgress(folder, Silence(), None)
    recording.on_file_done = beside.look
    recording.file_done(DONE)
    with anyio.move_on_after(PATIENCE):
        while await without_vector(index) != expected:
            await anyio.lowlevel.checkpoint()
    return await without_vector(index)


async def test_full_batches_are_embedded_during_the_run(tmp_path: Path) -> None:
    embedder = DigestEmbedder()
    async with opened(tmp_path, embedder) as index:
        beside = BackgroundEmbedding(Embedding(index, embedder, tmp_path))
        assert await beside.during(lambda: left_after(tmp_path, index, beside, 5)) == 5


async def test_a_failing_embedder_does_not_affect_the_run(tmp_path: Path) -> None:
    embedder = Failing()
    async with opened(tmp_path, embedder) as index:
        beside = BackgroundEmbedding(Embedding(index, embedder, tmp_path))
        everything = 2 * BATCH + 5
        assert await beside.during(lambda: left_after(tmp_path, index, beside, everything)) == everything


async def test_a_failing_run_fails_as_it_would_without_embedding(tmp_path: Path) -> None:
    async def fails() -> None:
        raise LLMError("The index is busy.")

    embedder = DigestEmbedder()
    async with opened(tmp_path, embedder) as index:
        with pytest.raises(LLMError, match="busy"):
            await BackgroundEmbedding(Embedding(index, embedder, tmp_path)).during(fails)


class Told(Silence):
    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    def vectors(self, done: int, total: int) -> None:
        self.seen.append((done, total))


async def test_the_completion_of_all_vectors_is_reported_once(tmp_path: Path) -> None:
    embedder, told = EmbeddingProcess(1), Told()
    async with opened(tmp_path, embedder) as index:
        await put(index, "large", BATCH + 5)
        embedding = Embedding(index, embedder, tmp_path, told)
        while await embedding.batch():
            pass
    await embedder.aclose()
    assert told.seen[0] == (0, BATCH + 5)
    assert told.seen.count((BATCH + 5, BATCH + 5)) == 1
    assert told.seen[-1] == (0, 0)
