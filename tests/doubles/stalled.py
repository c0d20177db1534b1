"""A model and an embedder that begin and do not end, for calls that are given up meanwhile."""

from __future__ import annotations

import threading

import anyio

from corpus.embedding.protocol import Vectors
from corpus.generation.protocol import Generated, Prompt
from tests.doubles.digest_embedder import DigestEmbedder
from tests.patience import PATIENCE


class Stall:
    """`begun` and `ended` may be waited for in any thread; `ended` is set when the work was cancelled."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    async def work(self) -> None:
        self.begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.ended.set()

    async def has_begun(self) -> None:
        assert await anyio.to_thread.run_sync(self.begun.wait, PATIENCE)

    async def has_ended(self) -> None:
        assert await anyio.to_thread.run_sync(self.ended.wait, PATIENCE)


class StalledModel(Stall):
    """Keeps `TextGenerator`."""

    id = "stalled"

    async def generate(self, prompt: Prompt) -> Generated:
        await self.work()
        raise AssertionError("a stall does not end")

    async def aclose(self) -> None:
        """Holds nothing."""


class StalledEmbedder(DigestEmbedder):
    """Of queries alone: passages get their vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.stall = Stall()

    async def query(self, text: str) -> Vectors:
        await self.stall.work()
        return await super().query(text)
