"""Progress of long calls, for clients that ask for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from corpus.generation.openai_generator import ChatEndpoint
from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.client_model import ClientModel
from tests.server.desk import Desk, digest, manual, passage, pdf
from tools.protocol import Models

pytestmark = pytest.mark.anyio

Progress = list[tuple[float, float | None, str | None]]


async def progress_of(client: Client, tool: str, **arguments: Any) -> Progress:
    seen: Progress = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    result = await client.call_tool(tool, arguments, progress_callback=heard)
    assert not result.is_error, result.content
    return seen


def messages(seen: Progress) -> list[str | None]:
    """Return the messages, after checking that progress increases with each."""
    numbers = [number for number, _, _ in seen]
    assert numbers == sorted(set(numbers))
    return [message for _, _, message in seen]


async def test_searching_and_composing_are_reported(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        told = messages(await progress_of(client, "rag_synthesize", query="impeller", mode="compose"))
    assert told == ["Looking for sources", "Composing of excerpts"]


async def test_writing_and_checking_by_the_clients_model_are_reported(stocked: Desk, era: str) -> None:
    async with stocked.client(era, ClientModel("A centrifugal impeller moves water [1].")) as client:
        told = messages(await progress_of(client, "rag_synthesize", query="impeller"))
    assert told[-2:] == ["Looking at the sources", "Writing and checking"]


async def test_drawing_a_page_is_reported(desk: Desk, tmp_path: Path, era: str) -> None:
    await drawable(desk, tmp_path)
    async with desk.client(era) as client:
        told = messages(await progress_of(client, "rag_show_page", doc_id="pump", page_number=2))
    assert told == ["Drawing the page"]


async def test_writing_by_a_model_is_reported(desk: Desk, era: str) -> None:
    async with ChatService() as service:
        endpoint = ChatEndpoint(MODEL, service.base_url, service.key)
        writing = Desk(desk.index, desk.library, models=Models(endpoint, llm_generate="Write it."))
        async with writing.client(era) as client:
            told = messages(await progress_of(client, "llm_generate", prompt="Say hello."))
        await endpoint.aclose()
    assert told == ["Writing"]


async def test_without_a_progress_token_nothing_is_sent(stocked: Desk) -> None:
    """The session counts the server's messages in addition to answers."""
    sent: list[object] = []

    async def handle(message: object) -> None:
        sent.append(message)

    async with stocked.client("legacy", message_handler=handle) as client:
        await client.call_tool("rag_synthesize", {"query": "impeller", "mode": "compose"})
    assert sent == []


async def drawable(desk: Desk, folder: Path) -> None:
    path = pdf(folder)
    await desk.put(manual(source_path=str(path), content_hash=digest(path), page_count=3), [passage("x")])
