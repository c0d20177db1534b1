"""The product over HTTP for the conformance suite: `python -m tests.conformance.serve [--fixtures]`.

It writes the address of the endpoint as one line, and ends when standard input closes. With `--fixtures`, the server
also has the fixtures of `fixtures.py`. Without it, the server is the product alone, with a small index.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer

import server.http.application as place
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from server.app import NO_MODELS
from server.http.application import Endpoint
from server.http.binding import Address, bind, listen
from server.logs import configure_logs
from tests.conformance.fixtures import add_fixtures
from tests.doubles.digest_embedder import DigestEmbedder
from tests.http.site import settings
from tests.server.desk import manual, passage


async def main(*, fixtures: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="ibid-conformance-") as folder:
        configure_logs(settings(Path(folder)))
        index = LocalIndex.open(Path(folder) / "index", DigestEmbedder())
        await index.replace(manual(), [NewBlock(passage("The pump moves water."))])
        async with ReadingProcesses() as reading, anyio.create_task_group() as tasks:
            listener, address = bind(Address("127.0.0.1", 0))
            made = _endpoint(Path(folder), Library(index, reading), address, fixtures=fixtures)
            listen(listener, address)
            sys.stdout.write(f"{address.url}\n")
            sys.stdout.flush()
            tasks.start_soon(_end_with_input, made)
            await made.running.serve([listener])
            tasks.cancel_scope.cancel()
        await index.aclose()


def _endpoint(folder: Path, library: Library, address: Address, *, fixtures: bool) -> Endpoint:
    """Create the endpoint as for users, except for the fixtures."""

    async def opened() -> Library:
        return library

    made = place._server

    def with_fixtures(*parts: Any) -> MCPServer[Any]:
        server = made(*parts)
        add_fixtures(server)
        return server

    if fixtures:
        place._server = with_fixtures
    return place.endpoint(settings(folder), opened, NO_MODELS, None, address)


async def _end_with_input(made: Endpoint) -> None:
    await anyio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
    await made.end(0)


if __name__ == "__main__":
    anyio.run(lambda: main(fixtures="--fixtures" in sys.argv))
