from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from corpus.documents.block import Block
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.raw_stdio import environment
from tests.server.desk import manual, passage

BLOCKS = (
    passage("The pump moves water with a centrifugal impeller.", access_control_list=("*",)),
    passage("Change the seal.", place="p2-1", page=2, access_control_list=("*",)),
)


async def _fill(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(manual(), [NewBlock(block) for block in BLOCKS])
    await index.aclose()


def _secret() -> Block:
    return passage("The centrifugal impeller costs a secret sum.", doc_id="hidden")


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in a folder, for servers in separate processes."""
    folder = tmp_path_factory.mktemp("served") / "index"
    anyio.run(_fill, folder)
    return folder


@pytest.fixture(scope="session")
def azure() -> Iterator[StandIn]:
    """A service with the same documents in indexes of Ibid's schema, and one more document that only bob may read."""
    with standing_in() as service:
        service.put_index(content_index())
        service.put_index(documents_index())
        rows = [block_row(block, ["*"], None) for block in BLOCKS]
        service.put_documents(CONTENT, [*rows, block_row(_secret(), ["bob"], None)])
        documents = [manual(), manual("hidden", access=("bob",))]
        service.put_documents(DOCUMENTS, [dict(document_row(one)) for one in documents])
        yield service
        assert_every_read_was_filtered(service)


@pytest.fixture(scope="session", params=["local", pytest.param("azure", marks=pytest.mark.slow)])
def env(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of a server. Tests that do not depend on the engine use only one engine, because the second takes
    long."""
    return over_engine(request)


def over_engine(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of a server for each engine. Azure uses a query key, as an administrator would issue it."""
    if request.param == "local":
        return environment(RAG_DATA_DIR=str(request.getfixturevalue("filled")), RAG_EMBEDDER="none")
    service: StandIn = request.getfixturevalue("azure")
    return environment(
        RAG_BACKEND="azure", RAG_EMBEDDER="none", AZURE_SEARCH_ENDPOINT=service.endpoint,
        AZURE_SEARCH_API_KEY=service.query_key,
    )  # fmt: skip
