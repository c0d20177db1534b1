"""Figures next to an answer: links, requested pictures, and citations as links."""

from __future__ import annotations

import base64
import io
import random
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ContentBlock, Implementation
from PIL import Image

from corpus.documents.block import Picture
from corpus.index.protocol import NewBlock
from server.answer_urls import FileAddresses
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.server.desk import PNG, Desk, answer_in, digest, figure, manual, passage, pdf

pytestmark = pytest.mark.anyio

QUERY = "How does the pump work? impeller"
TOOLS = ("rag_semantic_search", "rag_synthesize")


async def content(desk: Desk, era: str, tool: str, **more: Any) -> list[ContentBlock]:
    async with desk.client(era) as client:
        result = await client.call_tool(tool, {"query": QUERY, **more})
    assert not result.is_error, result.content
    return list(result.content)


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_figure_is_also_a_resource_link_with_caption_and_viewing_hint(
    stocked: Desk, era: str, tool: str
) -> None:
    text, link = await content(stocked, era, tool)

    assert link.type == "resource_link"
    assert str(link.uri) == "rag://blocks/pump-p2-f1/image"
    assert link.name == "Figure 3: Impeller, exploded view"
    assert link.description == "pump.pdf, page 2. rag_show_page with block_id=pump-p2-f1 shows it."
    assert "rag_show_page with its block_id shows a figure." in text.text  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_answer_without_a_figure_does_not_mention_figures(desk: Desk, era: str, tool: str) -> None:
    await desk.put(manual(), [passage("The impeller of the pump turns.")])

    (text,) = await content(desk, era, tool)

    assert "rag_show_page" not in text.text  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", TOOLS)
async def test_requested_pictures_come_after_the_text_at_most_three_and_small(desk: Desk, era: str, tool: str) -> None:
    blocks = [figure(f"Figure {n}: impeller of the pump, part {n}", place=f"p{n}-f1", page=n) for n in range(1, 6)]
    words = [passage(f"The impeller of the pump turns in part {n}.", place=f"p{n}-1", page=n) for n in range(1, 6)]
    document = manual()
    await desk.index.replace(
        document,
        [NewBlock(replaced(block, document.access_control_list), noise()) for block in blocks]
        + [NewBlock(replaced(block, document.access_control_list), None) for block in words],
    )

    shown = await content(desk, era, tool, include_images=True)

    assert shown[0].type == "text"
    pictures = [base64.b64decode(part.data) for part in shown if part.type == "image"]
    assert 0 < len(pictures) <= 3
    for data in pictures:
        assert len(data) <= 90_000
        assert max(Image.open(io.BytesIO(data)).size) <= 1_024
    if tool == "rag_semantic_search":
        assert len(pictures) == 3


def replaced(block: Any, access: tuple[str, ...]) -> Any:
    from dataclasses import replace

    return replace(block, access_control_list=access)


def noise() -> Picture:
    """Return a picture like a photograph, which no format compresses well."""
    image = Image.frombytes("RGB", (1_500, 900), random.Random(3).randbytes(1_500 * 900 * 3))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=70)
    return Picture(buffer.getvalue(), "image/jpeg")


async def test_citations_are_links_to_their_pages_if_requested(stocked: Desk, era: str) -> None:
    plain = await stocked.call("rag_synthesize", era, query=QUERY)
    linked = await stocked.call("rag_synthesize", era, query=QUERY, links=True)

    assert "rag://documents" not in plain["answer"]
    assert "[(Source: pump.pdf, S. 1 (printed 33))](rag://documents/pump/pages/1)" in linked["answer"]


async def test_with_file_links_pictures_are_in_a_private_folder_and_citations_open_the_file(
    stocked: Desk, era: str, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    files = FileAddresses(stocked.opened, lambda: stocked.caller, folder)
    stocked.server = build_server(stocked.opened, CallLog(lambda: stocked.caller), middleware=[files])

    async with stocked.client(era) as client:
        result = await client.call_tool("rag_synthesize", {"query": QUERY, "links": True})

    answer = answer_in(result)["answer"]
    (picture,) = folder.iterdir()
    assert picture.read_bytes() == PNG
    assert (folder.stat().st_mode & 0o777, picture.stat().st_mode & 0o777) == (0o700, 0o600)
    assert f"![Figure 3: Impeller, exploded view]({picture.as_uri()})" in answer
    assert "[(Source: pump.pdf, S. 1 (printed 33))](file:///secret/folder/pump.pdf#page=1)" in answer
    (link,) = [part for part in result.content if part.type == "resource_link"]
    assert str(link.uri) == picture.as_uri()


async def test_files_of_the_same_name_are_cited_distinguishably(desk: Desk, era: str) -> None:
    for year in ("2024", "2025"):
        document = manual(f"bill{year}", filename="bill.pdf", source_path=f"/files/{year}/bill.pdf")
        await desk.put(document, [passage(f"The seal cost {year} euros.", doc_id=f"bill{year}")])

    found = await desk.call("rag_semantic_search", era, query="What did the seal cost?")
    written = await desk.call("rag_synthesize", era, query="What did the seal cost?")

    cited = {result["citation"] for result in found["results"]}
    assert cited == {"(Source: 2024/bill.pdf, S. 1)", "(Source: 2025/bill.pdf, S. 1)"}
    assert any(citation in written["answer"] for citation in cited)
    assert "(Source: bill.pdf" not in written["answer"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_framework_that_passes_links_to_a_model_as_files_gets_none(stocked: Desk, era: str, tool: str) -> None:
    """LangChain does so, and OpenAI's chat completions then refuse the entire request."""
    framework = Implementation(name="mcp", version="0.1.0")
    async with stocked.client(era, client_info=framework) as client:
        result = await client.call_tool(tool, {"query": QUERY})

    (text,) = result.content
    assert "rag://blocks/pump-p2-f1/image" in text.text  # type: ignore[union-attr]


async def test_googles_adk_gets_text_for_a_page_because_it_writes_pictures_into_the_text(
    stocked: Desk, era: str, tmp_path: Path
) -> None:
    await stocked.put(
        manual(source_path=str(path := pdf(tmp_path)), content_hash=digest(path), page_count=3),
        [passage("x")],
    )
    async with stocked.client(era, client_info=Implementation(name="google-adk", version="2")) as client:
        result = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 1})

    (text,) = result.content
    assert "If you got no picture, you have not seen it" in text.text  # type: ignore[union-attr]
