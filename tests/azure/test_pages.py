"""Pictures of pages with Azure: shown if they were uploaded, and not mentioned otherwise."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from reportlab.pdfgen.canvas import Canvas

from corpus.access import ANONYMOUS, Caller
from corpus.errors import DocumentNotFound
from corpus.index.azure import AzureIndex, Place, Service, Wishes
from corpus.index.azure.pictures import Container
from corpus.index.azure.upload.document_upload import MAX_PAGE_BYTES
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from server.settings.model import load_settings
from tests.azure.design_shelf import QUICK
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, make_indexes
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.anyio

ANN = Caller(user_id="ann")
TOOL = "rag_show_page"
CONTAINER = "https://ibid.blob.core.windows.net/pictures"


@pytest.fixture
def storage() -> Iterator[BlobStorage]:
    with blob_storage() as storage:
        yield storage


@pytest.fixture
def shop(tmp_path: Path, storage: BlobStorage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A machine with a service and a PDF of two pages that Ann may read."""
    file = tmp_path / "manual.pdf"
    canvas = Canvas(str(file))
    for page in (1, 2):
        canvas.drawString(100, 700, f"The impeller, page {page}.")
        canvas.showPage()
    canvas.save()
    with standing_in() as service:
        make_indexes(service)
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(AZURE_STORAGE_CONTAINER_URL=storage.url, AZURE_STORAGE_ACCOUNT_KEY=storage.key)
        manual = a_document(
            access_control_list=("user:ann",), source_path=str(file), page_count=2,
            content_hash=hashlib.sha256(file.read_bytes()).hexdigest(),
        )  # fmt: skip
        shop.put(manual, *texts("manual", "The impeller turns.", "It is cast."), figure("manual", "Impeller", 2))
        yield shop


@asynccontextmanager
async def asked(shop: Shop, storage: BlobStorage, caller: Caller, *, pages: bool) -> AsyncIterator[Client]:
    reading = Service(shop.service.endpoint, shop.service.admin_key)
    container = Container(storage.url, storage.key)
    place = Place(reading, BLOCKS, DOCUMENTS, Wishes(()), None, container)
    async with AzureIndex(place, None, QUICK) as index:
        library = Library(index, None, image_url=no_url, pages_held=pages)

        async def opened() -> Library:
            return library

        async with Client(build_server(opened, CallLog(lambda: caller), pages=pages)) as client:
            yield client


async def pushed(shop: Shop, *options: str) -> str:
    return await anyio.to_thread.run_sync(lambda: shop.run("azure", "push", "--no-vectors", *options).output)


async def test_an_uploaded_page_is_shown_to_callers_who_may_read_it(shop: Shop, storage: BlobStorage) -> None:
    assert "1 pushed" in await pushed(shop, "--pages")
    pages = {name: data for name, (data, _) in storage.held.items() if name.startswith("pages/")}
    assert len(pages) == 2
    assert all(0 < len(data) <= MAX_PAGE_BYTES for data in pages.values())
    async with asked(shop, storage, ANN, pages=True) as client:
        result = await client.call_tool(TOOL, {"doc_id": "manual", "page_number": 2})
        assert not result.is_error
        assert [part.type for part in result.content] == ["image", "text"]
        beyond = await client.call_tool(TOOL, {"doc_id": "manual", "page_number": 3})
        assert beyond.is_error
    storage.requests.clear()
    async with asked(shop, storage, ANONYMOUS, pages=True) as client:
        hidden = await client.call_tool(TOOL, {"doc_id": "manual", "page_number": 2})
        none = await client.call_tool(TOOL, {"doc_id": "nothing", "page_number": 2})
        assert str(hidden.content).replace("manual", "*") == str(none.content).replace("nothing", "*")
        with pytest.raises(MCPError):
            await client.read_resource("rag://documents/manual/pages/2/image")
    assert storage.requests == []


async def test_pages_stay_if_only_the_readers_change_and_are_added_later_if_they_were_left_out(
    shop: Shop, storage: BlobStorage
) -> None:
    await pushed(shop)
    assert not any(name.startswith("pages/") for name in storage.held)
    assert "1 pushed" in await pushed(shop, "--pages")
    assert "1 unchanged" in await pushed(shop, "--pages")
    assert "1 unchanged" in await pushed(shop)
    (row,) = shop.service.documents(DOCUMENTS)
    folder = row["page_pictures"]
    assert folder.startswith("pages/")
    await anyio.to_thread.run_sync(_change_readers, shop)
    assert "1 updated" in await pushed(shop)
    (row,) = shop.service.documents(DOCUMENTS)
    assert (row["page_pictures"], row["access_control_list"]) == (folder, ["user:bob"])


def _change_readers(shop: Shop) -> None:
    from corpus.index.local import LocalIndex

    async def go() -> None:
        from dataclasses import replace

        index = LocalIndex.open(shop.folder, None)
        (document,) = await index.all_documents()
        await index.update(replace(document, access_control_list=("user:bob",)))
        await index.aclose()

    anyio.run(go)


def test_pages_need_a_container(shop: Shop) -> None:
    shop.set(AZURE_STORAGE_CONTAINER_URL=None)
    result = shop.run("azure", "push", "--pages")
    assert result.exit_code == 2
    assert "AZURE_STORAGE_CONTAINER_URL" in result.output


async def test_a_page_of_a_hidden_document_looks_like_a_missing_page(shop: Shop, storage: BlobStorage) -> None:
    await pushed(shop, "--pages")
    reading = Service(shop.service.endpoint, shop.service.admin_key)
    place = Place(reading, BLOCKS, DOCUMENTS, Wishes(()), None, Container(storage.url, storage.key))
    async with AzureIndex(place, None, QUICK) as index:
        assert await index.page_picture("manual", 1, ANN)
        assert await index.page_picture("manual", 0, ANN) is None
        for doc_id in ("manual", "none", "') or true or ('"):
            with pytest.raises(DocumentNotFound):
                await index.page_picture(doc_id, 1, ANONYMOUS)


async def test_without_pages_no_text_mentions_the_page_tool(shop: Shop, storage: BlobStorage) -> None:
    await pushed(shop)
    async with asked(shop, storage, ANN, pages=False) as client:
        tools = (await client.list_tools()).tools
        said = json.dumps([tool.model_dump(mode="json") for tool in tools])
        said += str((await client.list_resource_templates()).resource_templates)
        for prompt in (await client.list_prompts()).prompts:
            said += str(await client.get_prompt(prompt.name, {"question": "What turns?"}))
        for tool, arguments in (
            ("rag_semantic_search", {"query": "impeller"}), ("rag_get_document", {"doc_id": "manual"}),
            ("rag_synthesize", {"query": "impeller"}), ("rag_list_documents", {}),
            ("rag_verify_answer", {"answer": "It turns [1].", "block_ids": ["manual-0"]}),
        ):  # fmt: skip
            result = await client.call_tool(tool, arguments)
            assert not result.is_error
            said += str(result.model_dump(mode="json"))
        said += str(client.instructions)
        assert (await client.call_tool(TOOL, {"doc_id": "manual", "page_number": 1})).is_error
    assert len(said) > 10_000
    assert TOOL not in said
    assert "/pages/{page}/image" not in said


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, True),
        ({"RAG_BACKEND": "azure"}, False),
        ({"RAG_BACKEND": "azure", "RAG_AZURE_PAGES": "true"}, False),
        ({"RAG_BACKEND": "azure", "RAG_AZURE_PAGES": "true", "AZURE_STORAGE_CONTAINER_URL": CONTAINER}, True),
    ],
)  # fmt: skip
def test_the_settings_decide_whether_pages_are_shown(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], shown: bool
) -> None:
    for name in ("RAG_BACKEND", "RAG_AZURE_PAGES", "AZURE_STORAGE_CONTAINER_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"AZURE_SEARCH_ENDPOINT": "https://x.search.windows.net", **settings}.items():
        monkeypatch.setenv(name, value)
    assert load_settings().shows_pages == shown
