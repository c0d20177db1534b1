"""The first message of each tool while the index is empty, or while documents are still being read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from corpus.ingestion.run_log import KEEPER, Run, start_run
from corpus.library import Library
from corpus.processes.locks import acquire
from corpus.visibility_digest import EMPTY
from server.folder_sync.ingestion_status import progress_notes
from server.settings.model import Settings
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio

CALLS: dict[str, dict[str, Any]] = {
    "rag_semantic_search": {"query": "pump impeller"},
    "rag_list_documents": {},
    "rag_get_document": {"doc_id": "pump"},
    "rag_show_page": {"doc_id": "pump", "page_number": 1},
    "rag_synthesize": {"query": "pump impeller"},
    "rag_verify_answer": {
        "answer": "It turns [1].",
        "sources": [{"citation_number": 1, "text": "It turns."}],
    },
}


def of_one_person(desk: Desk, folder: Path) -> Desk:
    """Return the desk as a server that a client started itself, with a reading log in the folder."""
    settings = Settings.model_construct(data_dir=folder, documents=())
    library = Library(desk.index, None, progress=lambda: progress_notes(settings), tells_of_emptiness=True)
    return Desk(desk.index, library)


@pytest.fixture
async def reading(tmp_path: Path) -> AsyncIterator[Run]:
    going = start_run(tmp_path / "log", [tmp_path], lock=acquire(tmp_path / "log" / KEEPER), watches=True)
    assert going
    going.put(files=7, done=4)
    yield going
    going.end()


async def said(desk: Desk, era: str, tool: str) -> str:
    """Return the text of a call that a model reads first, whether the call failed or not."""
    async with desk.client(era) as client:
        result = await client.call_tool(tool, CALLS[tool])
    if result.structured_content:
        return str(result.structured_content["warnings"])
    return str(result.content[0].text)  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", CALLS)
async def test_every_tool_first_reports_the_progress_of_reading(
    stocked: Desk, era: str, tmp_path: Path, tool: str, reading: Run
) -> None:
    told = await said(of_one_person(stocked, tmp_path / "log"), era, tool)

    assert told.lstrip("['").startswith("Still reading: 4 of 7 files.")


@pytest.mark.parametrize("tool", CALLS)
async def test_every_tool_first_reports_an_empty_index_and_blames_no_identity(
    desk: Desk, era: str, tmp_path: Path, tool: str
) -> None:
    told = await said(of_one_person(desk, tmp_path / "log"), era, tool)

    assert EMPTY in told
    assert told.lstrip("['\"").startswith("The index is empty")
    assert "identity" not in told


async def test_an_index_with_documents_adds_no_such_message(stocked: Desk, era: str, tmp_path: Path) -> None:
    alone = of_one_person(stocked, tmp_path / "log")

    assert await said(alone, era, "rag_semantic_search") == await said(stocked, era, "rag_semantic_search")


async def test_a_shared_server_does_not_reveal_whether_it_has_documents(desk: Desk, era: str) -> None:
    assert EMPTY not in await said(desk, era, "rag_semantic_search")
