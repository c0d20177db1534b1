"""Concurrent calls that compare the same texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
import numpy as np
import pytest

from corpus.embedding.protocol import Vectors
from corpus.synthesis.query_similarity import QuerySimilarity

pytestmark = pytest.mark.anyio


class Gated:
    """An embedder that answers when the gate opens. The first request fails if `fails` is set."""

    id, dimensions = "gated", 2

    def __init__(self, *, fails: bool = False) -> None:
        self.gate = anyio.Event()
        self.requests: list[list[str]] = []
        self._fails = fails

    async def query(self, text: str) -> Vectors:
        return np.array([1.0, 0.0], dtype=np.float32)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.requests.append(list(texts))
        await self.gate.wait()
        if self._fails and len(self.requests) == 2:
            self._fails = False
            raise OSError("refused")
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)

    async def aclose(self) -> None: ...


async def both(embedder: Gated) -> list[Mapping[str, float]]:
    """Return the results of two concurrent calls that both need `b`."""
    similarity, answers = QuerySimilarity(embedder), list[Mapping[str, float]]()

    async def ask(texts: Sequence[str]) -> None:
        answers.append(await similarity.cosines("question", texts))

    async with anyio.create_task_group() as group:
        group.start_soon(ask, ["a", "b"])
        group.start_soon(ask, ["b", "c"])
        await anyio.wait_all_tasks_blocked()
        embedder.gate.set()
    return answers


async def test_a_text_that_another_call_embeds_is_not_embedded_twice() -> None:
    embedder = Gated()
    answers = await both(embedder)
    assert sorted(map(sorted, answers)) == [["a", "b"], ["b", "c"]]
    assert embedder.requests == [["a", "b"], ["c"]]


async def test_a_text_whose_call_failed_is_embedded_by_the_waiting_one() -> None:
    embedder = Gated(fails=True)
    answers = await both(embedder)
    assert sorted(map(sorted, answers)) == [[], ["b", "c"]]
    assert embedder.requests == [["a", "b"], ["c"], ["b"]]
