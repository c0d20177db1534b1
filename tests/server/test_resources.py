from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from mcp import MCPError

from corpus.access import Caller
from corpus.documents.document import OutlineEntry
from corpus.text.normalization import token_estimate
from tests.server.desk import PNG, Desk, digest, figure, manual, passage, pdf

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602


async def refusal(desk: Desk, era: str, uri: str) -> MCPError:
    async with desk.client(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    return caught.value


async def test_a_document_resource_equals_the_tools_answer(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        (content,) = (await client.read_resource("rag://documents/pump")).contents

    assert content.mime_type == "application/json"
    document = json.loads(content.text)["document"]  # type: ignore[union-attr]
    assert document == (await stocked.call("rag_get_document", era, doc_id="pump"))["document"]


async def test_a_page_resource_is_its_text(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        (content,) = (await client.read_resource("rag://documents/pump/pages/1")).contents

    assert content.mime_type == "text/plain"
    assert "centrifugal impeller" in content.text  # type: ignore[union-attr]


async def test_a_resource_is_no_longer_than_a_page_of_text(desk: Desk, era: str) -> None:
    outline = tuple(OutlineEntry(f"Chapter {n} about many things", 1, n) for n in range(1, 500))
    long = "The impeller moves water to the outlet. " * 1000
    await desk.put(manual(outline=outline, summary_standard=long), [passage(long)])
    async with desk.client(era) as client:
        (document,) = (await client.read_resource("rag://documents/pump")).contents
        (page,) = (await client.read_resource("rag://documents/pump/pages/1")).contents

    for content in (document, page):
        assert token_estimate(content.text) <= 2_100  # type: ignore[union-attr]
    assert "with doc_id=pump and pages=1 returns the complete page" in page.text  # type: ignore[union-attr]


async def test_the_image_of_a_block_has_its_media_type(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        (content,) = (await client.read_resource("rag://blocks/pump-p2-f1/image")).contents

    assert content.mime_type == "image/png"
    assert base64.b64decode(content.blob) == PNG  # type: ignore[union-attr]


async def test_a_page_is_available_as_a_picture_too(desk: Desk, tmp_path: Path, era: str) -> None:
    path = pdf(tmp_path)
    await desk.put(manual(source_path=str(path), content_hash=digest(path), page_count=3), [passage("x")])
    async with desk.client(era) as client:
        (content,) = (await client.read_resource("rag://documents/pump/pages/3/image")).contents

    assert content.mime_type in ("image/png", "image/jpeg", "image/webp")
    assert len(base64.b64decode(content.blob)) > 100  # type: ignore[union-attr]


async def test_a_page_of_a_changed_file_is_not_a_picture(desk: Desk, tmp_path: Path, era: str) -> None:
    path = pdf(tmp_path)
    await desk.put(
        manual(source_path=str(path), content_hash=digest(path), page_count=3),
        [passage("x"), figure("Figure 1")],
    )
    path.write_bytes(path.read_bytes() + b"\n% changed")

    assert (await refusal(desk, era, "rag://documents/pump/pages/3/image")).error.code == INVALID_PARAMS
    async with desk.client(era) as client:  # data stored in the index remains
        assert (await client.read_resource("rag://blocks/pump-p2-f1/image")).contents


@pytest.mark.parametrize(
    ("hidden", "missing"),
    [
        ("rag://documents/salaries", "rag://documents/nowhere1"),
        ("rag://documents/salaries/pages/1", "rag://documents/nowhere1/pages/1"),
        ("rag://documents/salaries/pages/1/image", "rag://documents/nowhere1/pages/1/image"),
        ("rag://blocks/salaries-p2-f1/image", "rag://blocks/nowhere1-p2-f1/image"),
    ],
)
async def test_unreadable_and_missing_resources_get_the_same_answer(
    stocked: Desk, era: str, hidden: str, missing: str
) -> None:
    one, other = await refusal(stocked, era, hidden), await refusal(stocked, era, missing)

    assert one.error.code == other.error.code == INVALID_PARAMS
    assert one.error.message.replace("salaries", "nowhere1") == other.error.message
    assert one.error.data == {"uri": hidden}


async def test_a_reader_of_the_document_can_read_the_resource(stocked: Desk, era: str) -> None:
    stocked.caller = Caller(user_id="ann")
    async with stocked.client(era) as client:
        assert (await client.read_resource("rag://blocks/salaries-p2-f1/image")).contents


@pytest.mark.parametrize(
    "uri",
    [
        "rag://documents/pump/pages/0",
        "rag://documents/pump/pages/10",
        "rag://documents/pump/pages/99999999999",
        "rag://documents/pump/pages/one",
        "rag://documents/pump/pages/%F0%9F%99%82",
        "rag://documents/notes/pages/1",
        "rag://documents/notes/pages/1/image",
        "rag://documents/..%2Fpump",
        "rag://documents/%2Fetc%2Fpasswd",
        "rag://documents/pump%00",
        "rag://blocks/pump-p1-1/image",
        "rag://nothing",
        "file:///etc/passwd",
    ],
)
async def test_an_address_of_nothing_is_invalid(stocked: Desk, era: str, uri: str) -> None:
    assert (await refusal(stocked, era, uri)).error.code == INVALID_PARAMS
