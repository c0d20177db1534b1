"""Change notices of a server process after this process has changed its index."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from tests.doubles.raw_stdio import MAIN, environment
from tests.server.desk import manual, passage
from tests.server.test_notices import legacy, modern

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning"),
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_on_standard_output_is_notified_of_another_process_ingestion(tmp_path: Path, mode: str) -> None:
    index = LocalIndex.open(tmp_path, None)
    env = environment(RAG_DATA_DIR=str(tmp_path), RAG_EMBEDDER="none")
    command = StdioServerParameters(command=sys.executable, args=["-P", "-c", MAIN], env=env)

    def client(era: Any, **more: Any) -> Client:
        return Client(command, mode=era, **more)

    listening = partial(legacy if mode == "legacy" else modern, client)
    async with listening(("rag://documents/hidden", "rag://documents/new")) as heard:
        await index.replace(manual("hidden", access=("user:ann",)), [])
        await index.replace(manual("new"), [NewBlock(passage("x", doc_id="new"))])
        assert await heard.next() == "rag://documents/new"
        assert heard.sent == []
    await index.aclose()
