"""A server over HTTP as users run it, in this process: uvicorn on a free loopback port, with a small index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from corpus.synthesis.prompting import Instructions
from corpus.synthesis.writer import Pen
from prompts.texts import OWN
from server.app import NO_MODELS
from server.http.application import endpoint
from server.http.binding import Address, bind, listen
from server.http.connections import Bounds
from server.http.serve import known_callers
from server.settings.model import Settings
from tests.doubles.client_model import ClientModel
from tests.doubles.digest_embedder import DigestEmbedder
from tests.patience import PATIENCE
from tests.server.desk import CLIENT, figure, manual, passage
from tools.protocol import Models

BOUNDS = Bounds()
PEN = Pen(Instructions(OWN["synthesis"].text, OWN["synthesis"].version))


class Site:
    """An async context manager. `in_thread` runs it for an entire module. It has a public manual with a figure, and a
    report that only ann may read. `variables` are settings by their names."""

    def __init__(
        self, folder: Path, variables: Mapping[str, str] | None = None, models: Models = NO_MODELS,
        bounds: Bounds = BOUNDS, pen: Pen = PEN,
    ) -> None:  # fmt: skip
        self.folder = folder
        self._models = models
        self._bounds = bounds
        self._pen = pen
        self.settings = settings(folder / "index", variables)
        self._open = AsyncExitStack()
        self.address = Address("127.0.0.1", 0)

    async def __aenter__(self) -> Self:
        self.library = await self._stocked()
        listener, self.address = bind(self.address)
        listen(listener, self.address)
        url = self.settings.http_public_url or self.url
        known = await self._open.enter_async_context(known_callers(self.settings, url))
        self.endpoint = endpoint(self.settings, self._library, self._models, known, self.address, self._bounds)
        tasks = await self._open.enter_async_context(anyio.create_task_group())
        self._open.push_async_callback(self.endpoint.end, 0)
        tasks.start_soon(self.endpoint.readiness.follow, self._library)
        tasks.start_soon(self.endpoint.running.serve, [listener])
        with anyio.fail_after(PATIENCE):
            while not self.endpoint.running.started:
                await anyio.sleep(0.01)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    @property
    def url(self) -> str:
        return self.address.url

    @asynccontextmanager
    async def client(
        self, era: str = "auto", *, token: str | None = None, model: ClientModel | None = None, **more: Any
    ) -> AsyncIterator[Client]:
        """Return a client of that era (`auto` is the newest, `legacy` the older), with `token` as its bearer token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        more.setdefault("client_info", CLIENT)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as web,
            Client(
                streamable_http_client(self.url, http_client=web),
                mode=era,  # type: ignore[arg-type]
                sampling_callback=model,
                **more,
            ) as client,
        ):
            yield client

    async def _library(self) -> Library:
        return self.library

    async def _stocked(self) -> Library:
        """Open a library with a local index. A subclass may use another index."""
        self.index = LocalIndex.open(self.folder / "index", DigestEmbedder())
        self._open.push_async_callback(self.index.aclose)
        reading = await self._open.enter_async_context(ReadingProcesses())
        await self._fill()
        return Library(self.index, reading, pen=self._pen)

    async def _fill(self) -> None:
        for document, blocks in (
            (
                manual(),
                [
                    passage("The pump moves water with a centrifugal impeller.", heading="Function"),
                    passage("Change the seal every 2000 hours.", place="p4-1", page=4, heading="Care"),
                    figure("Figure 3: Impeller, exploded view"),
                ],
            ),
            (
                manual("salaries", access=("user:ann",), department="HR", document_type="Report"),
                [passage("The salary of the director is secret.", doc_id="salaries")],
            ),
        ):
            acl = document.access_control_list
            await self.index.replace(document, [NewBlock(replace(one, access_control_list=acl)) for one in blocks])


def settings(folder: Path, variables: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a process with only these variables."""
    return Settings(**{"RAG_DATA_DIR": str(folder), "RAG_EMBEDDER": "none", **(variables or {})})  # type: ignore[arg-type]
