"""A model and an embedder that start and never finish, for calls that are cancelled meanwhile."""

from __future__ import annotations

import threading

import anyio

from corpus.embedding.protocol import Vectors
from corpus.generation.protocol import Generated, Prompt
from tests.doubles.digest_embedder import DigestEmbedder
from tests.patience import PATIENCE


class Stall:
    """State of the stalled work. Any thread may wait for `begun` and `ended`. `ended` is set when the work was
    cancelled."""

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
    """A stalled `TextGenerator`."""

    id = "stalled"

    async def generate(self, prompt: Prompt) -> Generated:
        await self.work()
        raise AssertionError("a stall does not end")

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""


class StalledEmbedder(DigestEmbedder):
    """An embedder that stalls only for queries: passages get their vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.stall = Stall()

    async def query(self, text: str) -> Vectors:
        await self.stall.work()
        return await super().query(text)
