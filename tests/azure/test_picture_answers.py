"""Pictures of a private container in the answers of tools and resources: signed for each answer, and never for a hidden
row."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from structlog.testing import capture_logs

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Picture
from corpus.documents.document import Document
from corpus.index.azure.pictures import Container
from corpus.index.protocol import NewBlock
from corpus.library import Library, no_url
from server.answer_urls import SignedAddresses
from server.app import build_server
from server.audit import NO_AUDIT
from server.calls.tool_call import CallLog
from server.http.application import Edge
from server.http.picture_urls import ImageUrls, Seal
from server.settings.model import load_settings
from tests.azure.pushed_shelf import PushedShelf
from tests.azure.test_access_filter import INJECTIONS
from tests.azure.test_own_contract import own_shelf
from tests.azure.test_pictures import fetched
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.server.desk import PNG
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.anyio

ANN = Caller(user_id="ann")
ADDRESS = re.compile(r"https://127\.0\.0\.1:\d+/account/pictures/[^\s)\"\\]+")


@pytest.fixture
def storage() -> Iterator[BlobStorage]:
    with blob_storage(tls=True) as storage:
        yield storage


class Place:
    """A server with a figure for everybody and one for Ann. Its caller can change between calls."""

    def __init__(self, shelf: PushedShelf, service: StandIn) -> None:
        self.shelf, self.caller, self._service = shelf, ANONYMOUS, service
        library = Library(shelf.index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        middleware = [SignedAddresses(opened, lambda: self.caller)]
        self.client = Client(build_server(opened, CallLog(lambda: self.caller), middleware=middleware))

    async def put(self, doc_id: str, *readers: str) -> None:
        (new,) = [figure(doc_id, f"Impeller of the {doc_id} pump", 2)]
        shown = NewBlock(new.block, Picture(PNG, "image/png"))
        await self.fill(
            a_document(doc_id, page_count=9, access_control_list=readers),
            *texts(doc_id, f"The impeller of the {doc_id} pump turns."),
            shown,
        )

    async def fill(self, document: Document, *blocks: NewBlock) -> None:
        """Fill as the owner of the index, whose reads do not need a caller's rights."""
        assert_every_read_was_filtered(self._service)
        await self.shelf.put(document, *blocks)
        self._service.requests.clear()

    async def hears(self, tool: str, **arguments: Any) -> str:
        """Return the complete answer, after checking that text and structured content are equal."""
        result = await self.client.call_tool(tool, arguments)
        if result.structured_content is not None:
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return json.dumps([part.model_dump(mode="json") for part in result.content])


@pytest.fixture
async def place(service: StandIn, storage: BlobStorage) -> AsyncIterator[Place]:
    container = Container(storage.url, storage.key, storage.ca_file)
    async with own_shelf(service, prefixed=True, container=container) as shelf:
        place = Place(shelf, service)
        await place.put("open", "*")
        await place.put("secret", "user:ann")
        storage.requests.clear()
        async with place.client:
            yield place
        assert_every_read_was_filtered(service)


ASKING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rag_semantic_search", {"query": "impeller"}),
    ("rag_get_document", {"doc_id": "open"}),
    ("rag_synthesize", {"query": "impeller of the open pump", "block_ids": ["open-0", "open-f2"]}),
)


@pytest.mark.parametrize(("tool", "arguments"), ASKING)
async def test_a_picture_in_an_answer_has_a_working_address(
    place: Place, storage: BlobStorage, tool: str, arguments: dict[str, Any]
) -> None:
    said = await place.hears(tool, **arguments)
    assert "rag://blocks/" not in said
    addresses = set(ADDRESS.findall(said))
    assert len(addresses) == 1
    assert await fetched(storage, addresses.pop()) == (200, PNG)


async def test_a_caller_with_more_rights_gets_more_addresses_and_nobody_else_does(place: Place) -> None:
    assert len(set(ADDRESS.findall(await place.hears("rag_semantic_search", query="impeller")))) == 1
    place.caller = ANN
    mine = await place.hears("rag_semantic_search", query="impeller", filters={"doc_id": "secret"})
    assert ADDRESS.findall(mine)
    place.caller = Caller(user_id="bob")
    for tool, arguments in ASKING:
        assert "secret-f2" not in await place.hears(tool, **arguments)


async def test_a_picture_is_returned_as_content_and_as_a_resource(place: Place) -> None:
    result = await place.client.call_tool("rag_semantic_search", {"query": "impeller", "include_images": True})
    (picture,) = [part for part in result.content if part.type == "image"]
    assert base64.b64decode(picture.data) == PNG
    (content,) = (await place.client.read_resource("rag://blocks/open-f2/image")).contents
    assert base64.b64decode(content.blob) == PNG  # type: ignore[union-attr]


async def test_a_hidden_picture_looks_like_a_missing_one(place: Place, storage: BlobStorage) -> None:
    said = []
    for block_id in ("secret-f2", "none-f2"):
        with pytest.raises(MCPError) as refused:
            await place.client.read_resource(f"rag://blocks/{block_id}/image")
        said.append(str(refused.value).replace(block_id, "*"))
    assert said[0] == said[1]
    assert storage.requests == []


async def test_a_repeated_query_gets_addresses_for_the_current_rights(place: Place, storage: BlobStorage) -> None:
    asked = {"query": "impeller of the secret pump", "block_ids": ["secret-0", "secret-f2"]}
    place.caller = ANN
    first, second = [await place.hears("rag_synthesize", **asked) for _ in range(2)]
    assert ADDRESS.findall(first)
    await place.put("secret", "user:bob")
    assert not ADDRESS.findall(await place.hears("rag_synthesize", **asked))
    storage.now = lambda: time.time() + 901
    address = ADDRESS.findall(second)[0]
    assert (await fetched(storage, address))[0] == 403


async def test_no_address_is_written_for_document_text(place: Place) -> None:
    """Text that looks like the address of a hidden picture remains text."""
    spoken = "See ![x](rag://blocks/secret-f2/image) and rag://blocks/secret-f2/image for more of the impeller."
    await place.fill(a_document("liar"), *texts("liar", spoken))
    for tool in ("rag_semantic_search", "rag_synthesize"):
        said = await place.hears(tool, query="See more of the impeller", filters={"doc_id": "liar"})
        assert not ADDRESS.findall(said)


async def test_no_injection_gets_an_address(place: Place) -> None:
    for text in INJECTIONS[::6]:
        said = await place.hears("rag_synthesize", query="impeller", block_ids=[text, "secret-f2"])
        assert not ADDRESS.findall(said), text


async def test_no_signature_is_in_the_log(place: Place) -> None:
    with capture_logs() as lines:
        for tool, arguments in ASKING:
            await place.hears(tool, **arguments)
    assert lines
    assert "sig=" not in str(lines)


async def test_a_failing_storage_costs_addresses_but_no_answer(place: Place, storage: BlobStorage) -> None:
    storage.refuses = 500
    result = await place.client.call_tool("rag_semantic_search", {"query": "impeller", "include_images": True})
    assert not result.is_error


def test_over_http_addresses_are_signed_before_the_server_seals_the_rest(
    monkeypatch: pytest.MonkeyPatch, storage: BlobStorage, tmp_path: Path
) -> None:
    for name, value in {
        "RAG_BACKEND": "azure", "AZURE_SEARCH_ENDPOINT": "https://x.search.windows.net",
        "AZURE_STORAGE_CONTAINER_URL": storage.url, "RAG_DATA_DIR": str(tmp_path),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)

    async def nothing() -> Library:
        raise AssertionError

    edge = Edge(load_settings(), nothing, Seal([b"k" * 32], "https://x"), NO_AUDIT)
    kinds = [type(one) for one in edge.middleware(lambda: ANONYMOUS)]
    assert kinds.index(ImageUrls) < kinds.index(SignedAddresses) == len(kinds) - 1
