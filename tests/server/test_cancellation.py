"""If a client cancels a call, the call ends with all work that it started, as its traces show."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import structlog
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from corpus.documents.block import Block
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from corpus.synthesis.writer import Pen
from server.http.application import endpoint
from server.http.binding import Address, bind, listen
from tests.doubles.digest_embedder import DigestEmbedder
from tests.doubles.raw_stdio import MAIN, environment
from tests.doubles.stalled import StalledEmbedder, StalledModel
from tests.evidence_view.viewing import VIEWS
from tests.http.site import settings
from tests.patience import PATIENCE
from tests.readers.pdfs import by_hand
from tests.server.conftest import PEN
from tests.server.desk import Desk, digest, manual, passage
from tools.protocol import Models

pytestmark = pytest.mark.anyio
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at as Linux shows them")

ClientOf = Callable[[str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def served(desk: Desk, transport: str, folder: Path) -> AsyncIterator[ClientOf]:
    """Open clients of the desk in this process, or over a socket."""
    if transport == "memory":
        yield desk.client
        return
    listener, address = bind(Address("127.0.0.1", 0))
    listen(listener, address)
    made = endpoint(settings(folder), desk.opened, desk.models, None, address)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.running.serve, [listener])

        def client(era: str) -> Client:
            return Client(address.url, mode=era)  # type: ignore[arg-type]

        yield client
        await made.end(0)


@pytest.fixture(params=["memory", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def give_up(client: Client, begun: Callable[[], Any], tool: str, **arguments: Any) -> None:
    """Call a tool, and cancel the call once its work has begun."""

    async def call() -> None:
        await client.call_tool(tool, arguments)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        with anyio.fail_after(PATIENCE):
            await begun()
        tasks.cancel_scope.cancel()


async def cancelled(lines: list[Any], tool: str) -> None:
    """Wait for the log line of the cancellation."""
    with anyio.fail_after(PATIENCE):
        while not any(one["event"] == "tool.call" for one in lines):
            await anyio.sleep(0.01)
    (line,) = [one for one in lines if one["event"] == "tool.call"]
    assert (line["tool"], line["outcome"]) == (tool, "Cancelled")


async def test_the_model_is_no_longer_called(tmp_path: Path, desk: Desk, era: str, transport: str) -> None:
    model = StalledModel()
    asking = Desk(desk.index, desk.library, models=Models(model, llm_generate="Write."))
    with structlog.testing.capture_logs() as lines:
        async with served(asking, transport, tmp_path) as client_of, client_of(era) as client:
            await give_up(client, model.has_begun, "llm_generate", prompt="Write.")
            await model.has_ended()
            await cancelled(lines, "llm_generate")


async def test_an_answer_is_no_longer_written(tmp_path: Path, stocked: Desk, era: str, transport: str) -> None:
    model = StalledModel()
    asking = Desk(stocked.index, Library(stocked.index, None, pen=Pen(PEN.instructions, model)))
    async with served(asking, transport, tmp_path) as client_of, client_of(era) as client:
        await give_up(client, model.has_begun, "rag_synthesize", query="impeller")
        await model.has_ended()


async def test_a_search_is_stopped(tmp_path: Path, era: str, transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = StalledEmbedder()
    index = LocalIndex.open(tmp_path / "slow", embedder)
    looked: list[object] = []
    monkeypatch.setattr("corpus.index.local.searcher.Searcher.search", lambda *asked: looked.append(asked))
    desk = Desk(index, Library(index, None))
    with structlog.testing.capture_logs() as lines:
        async with served(desk, transport, tmp_path) as client_of, client_of(era) as client:
            await give_up(client, embedder.stall.has_begun, "rag_semantic_search", query="pump")
            await embedder.stall.has_ended()
            await cancelled(lines, "rag_semantic_search")
    assert looked == []
    await index.aclose()


@on_linux
async def test_the_process_that_renders_a_page_is_ended(tmp_path: Path, desk: Desk, era: str, transport: str) -> None:
    await put_endless(desk.index, tmp_path)
    async with ReadingProcesses() as reading:
        drawing = Desk(desk.index, Library(desk.index, reading))

        async def begun() -> None:
            while not any(not worker.idle for worker in reading._workers):
                await anyio.sleep(0.01)

        async with served(drawing, transport, tmp_path) as client_of, client_of(era) as client:
            await give_up(client, begun, "rag_show_page", doc_id="pump", page_number=1)
            with anyio.fail_after(PATIENCE):
                while reading._workers:
                    await anyio.sleep(0.01)


@on_linux
async def test_the_process_that_renders_a_page_for_a_view_is_ended(tmp_path: Path, desk: Desk, era: str) -> None:
    await put_endless(desk.index, tmp_path, passage("An endless page.", access_control_list=("*",)))
    async with ReadingProcesses() as reading:
        drawing = Desk(desk.index, Library(desk.index, reading))

        async def begun() -> None:
            while not any(not worker.idle for worker in reading._workers):
                await anyio.sleep(0.01)

        with structlog.testing.capture_logs() as lines:
            async with drawing.client(era, extensions=VIEWS) as client:
                await give_up(client, begun, "rag_show_evidence", block_id="pump-p1-1")
                with anyio.fail_after(PATIENCE):
                    while reading._workers:
                        await anyio.sleep(0.01)
                await cancelled(lines, "rag_show_evidence")


@on_linux
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_cancellation_works_over_standard_input_too(tmp_path: Path, mode: Any) -> None:
    index = LocalIndex.open(tmp_path / "data", DigestEmbedder())
    await put_endless(index, tmp_path)
    await index.aclose()
    env = environment(RAG_DATA_DIR=str(tmp_path / "data"), RAG_EMBEDDER="none")
    before = set(below(os.getpid()))
    async with Client(
        StdioServerParameters(command=sys.executable, args=["-P", "-c", MAIN], env=env), mode=mode
    ) as client:
        await client.list_tools()
        (server,) = set(below(os.getpid())) - before

        async def begun() -> None:
            while not below(server):
                await anyio.sleep(0.05)

        await give_up(client, begun, "rag_show_page", doc_id="pump", page_number=1)
        with anyio.fail_after(PATIENCE):
            while below(server):
                await anyio.sleep(0.05)


async def put_endless(index: LocalIndex, folder: Path, *blocks: Block) -> None:
    """Add a document whose page takes many seconds to render."""
    path = by_hand(folder / "endless.pdf", b"0 0 m 1 1 l S\n" * 4_000_000, packed=True)
    document = manual(source_path=str(path), content_hash=digest(path), page_count=1)
    await index.replace(document, [NewBlock(block) for block in blocks])


def below(pid: int) -> list[int]:
    """Return the child processes of this process."""
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
