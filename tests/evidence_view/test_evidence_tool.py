"""The tool of the view: the page of a claim with its evidence outlined, under the caller's access rights."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from PIL import Image

from corpus.access import ANONYMOUS
from corpus.documents.line_boxes import LineBox
from corpus.index.protocol import NewBlock
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_shelf import design_shelf
from tests.doubles.azure_search import StandIn
from tests.evidence_view.viewing import ANN, FROM, SEAL, TO, VIEWS, a_desk, asked, told, units, with_views
from tests.server.desk import Desk, answer_in, failure_in, manual, passage
from tests.shelf import a_document, figure

pytestmark = pytest.mark.anyio

TOOL = "rag_show_evidence"
FIELDS = {
    "citation", "filename", "page_number", "page_label", "page_count", "evidence_pages", "boxes", "text", "mark",
    "rest", "cut", "block_type", "image_url", "alt", "print", "notes",
}  # fmt: skip


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_desk(tmp_path) as stocked:
        yield stocked


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_page_is_a_picture_with_its_citation_and_the_evidence_in_percent(desk: Desk, era: str) -> None:
    """Lines are stored with the block, and the characters of a line divide its width."""
    lines = (LineBox(0, FROM, (72, 60, 300, 72)), LineBox(FROM, TO, (72, 78, 306, 90)))
    document = await desk.index.document("pump", ANONYMOUS)
    block = passage(SEAL, place="p2-1", page=2, page_label="ii", access_control_list=("*",))
    await desk.index.replace(document, [NewBlock(block, None, lines)])

    result = await asked(desk, era, TOOL, block_id="pump-p2-1", start=FROM, end=TO)

    image, text = result.content
    assert (image.type, text.type) == ("image", "text")
    data = base64.b64decode(image.data)  # type: ignore[union-attr]
    assert len(data) <= 100_000
    width, height = Image.open(io.BytesIO(data)).size
    shown = answer_in(result)
    assert set(shown) == FIELDS
    assert shown["citation"] == text.text == "(Source: pump.pdf, S. 2 (printed ii))"  # type: ignore[union-attr]
    assert (shown["page_number"], shown["page_label"], shown["page_count"]) == (2, "ii", 3)
    assert shown["evidence_pages"] == [2]
    assert shown["notes"] == []
    ((left, top, wide, high),) = shown["boxes"]  # A4: 595 by 842 points
    assert left * width / 100 == pytest.approx((72 - 3) / 595 * width, abs=1)
    assert top * height / 100 == pytest.approx((78 - 1.5) / 842 * height, abs=1)
    assert wide == pytest.approx(100 * (306 - 72 + 6) / 595, abs=0.2)
    assert high == pytest.approx(100 * (12 + 3) / 842, abs=0.2)
    assert units(shown["text"], *shown["mark"]) == "Change the seal every 2000 hours."


async def test_another_page_of_the_document_has_no_boxes_of_this_one(desk: Desk) -> None:
    shown = answer_in(await asked(desk, "auto", TOOL, block_id="pump-p2-1", start=FROM, end=TO, page_number=3))

    assert (shown["page_number"], shown["page_label"]) == (3, "1")
    assert shown["citation"] == "(Source: pump.pdf, S. 3 (printed 1))"
    assert shown["boxes"] == []
    assert shown["evidence_pages"] == [2]
    assert units(shown["text"], *shown["mark"]) == "Change the seal every 2000 hours."


async def test_a_figure_is_outlined_entirely_and_has_its_caption_as_alternative_text(desk: Desk) -> None:
    shown = answer_in(await asked(desk, "auto", TOOL, block_id="pump-p2-f1"))

    assert len(shown["boxes"]) == 1
    assert (shown["block_type"], shown["alt"]) == ("image", "Figure 3: Impeller, exploded view")
    assert (shown["text"], shown["mark"]) == ("Blade and hub", [0, 0])
    assert shown["image_url"] is None, "no browser can open an address of this server"


async def test_a_text_without_pages_is_shown_without_a_picture(desk: Desk) -> None:
    result = await asked(desk, "auto", TOOL, block_id="notes-l1", start=4, end=9)

    assert [one.type for one in result.content] == ["text"]
    shown = answer_in(result)
    assert (shown["page_number"], shown["page_count"], shown["evidence_pages"]) == (None, None, [])
    assert shown["notes"] == ["no_image"]
    assert units(shown["text"], *shown["mark"]) == "valve"


async def test_for_a_changed_file_the_indexed_text_is_shown_and_marked_as_old(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "pump.pdf"
    path.write_bytes(path.read_bytes() + b"\n% changed")
    result = await asked(desk, "auto", TOOL, block_id="pump-p2-1")

    assert [one.type for one in result.content] == ["text"]
    assert answer_in(result)["notes"] == ["stale", "no_image"]


async def test_a_block_with_changed_text_has_another_digest(desk: Desk) -> None:
    arguments = {"answer": "Change the seal every 2000 hours [1].", "block_ids": ["pump-p2-1"]}
    told_before = told(await asked(desk, "auto", "rag_verify_answer", **arguments))
    before = answer_in(await asked(desk, "auto", TOOL, block_id="pump-p2-1"))
    await desk.put(manual(source_path=""), [passage(f"{SEAL} Or sooner.", place="p2-1", page=2)])
    after = answer_in(await asked(desk, "auto", TOOL, block_id="pump-p2-1"))

    assert told_before["prints"] == [before["print"]]
    assert after["print"] != before["print"]


async def test_of_a_long_block_the_part_around_the_evidence_is_shown(desk: Desk) -> None:
    text = "😀 Words. " * 6_000 + "The valve opens at 4 bar. " + "More. " * 6_000
    start = text.index("The valve")
    await desk.put(manual("long", source_path=""), [passage(text, doc_id="long")])

    shown = answer_in(await asked(desk, "auto", TOOL, block_id="long-p1-1", start=start, end=start + 25))
    whole = answer_in(await asked(desk, "auto", TOOL, block_id="long-p1-1", start=0, end=10**9))

    assert shown["cut"] is True
    assert len(shown["text"]) == 20_000
    assert units(shown["text"], *shown["mark"]) == "The valve opens at 4 bar."
    assert len(whole["text"]) == 20_000
    assert units(whole["text"], *whole["mark"]) == whole["text"]


@pytest.mark.parametrize("page_number", [None, 1, 2])
async def test_an_unreadable_block_looks_like_a_missing_one(desk: Desk, page_number: int | None) -> None:
    asks = {"page_number": page_number} if page_number else {}
    async with with_views(desk, "auto") as client:
        hidden = failure_in(await client.call_tool(TOOL, {"block_id": "salaries-p1-1", **asks}))
        missing = failure_in(await client.call_tool(TOOL, {"block_id": "salaries-p9-9", **asks}))
    desk.caller = ANN
    shown = answer_in(await asked(desk, "auto", TOOL, block_id="salaries-p1-1"))

    assert hidden["type"] == "DocumentNotFound"
    assert json.dumps(hidden).replace("p1-1", "") == json.dumps(missing).replace("p9-9", "")
    assert "secret" in shown["text"]


async def test_revoked_rights_apply_from_the_next_call_on(desk: Desk) -> None:
    desk.caller = ANN
    async with with_views(desk, "auto") as client:
        before = await client.call_tool(TOOL, {"block_id": "salaries-p1-1"})
        desk.caller = ANONYMOUS
        after = await client.call_tool(TOOL, {"block_id": "salaries-p1-1"})

    assert not before.is_error
    assert failure_in(after)["type"] == "DocumentNotFound"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"block_id": "pump-p2-1", "page_number": 4}, "3 pages"),
        ({"block_id": "notes-l1", "page_number": 1}, "no pages"),
        ({"block_id": "pump-p2-1", "start": -1}, "start"),
        ({"block_id": "pump-p2-1", "page_number": True}, "page_number"),
        ({"block_id": "pump-p2-1", "doc_id": "salaries"}, "doc_id"),
    ],
)
async def test_evidence_that_cannot_be_shown_is_refused_with_the_reason(
    desk: Desk, arguments: dict[str, Any], said: str
) -> None:
    async with with_views(desk, "auto") as client:
        failure = failure_in(await client.call_tool(TOOL, arguments))

    assert failure["type"] == "InvalidRequest"
    assert said in failure["error"]


async def test_an_azure_index_shows_the_text_and_the_address_of_a_figure() -> None:
    url = "https://acme.blob.core.windows.net/figures/pump.png"
    async with StandIn() as service, design_shelf(service) as shelf:
        image = figure("pump", "Cutaway of the pump", 2)
        drawn = replace(image, block=replace(image.block, image_url=url))
        await shelf.put(a_document("pump", page_count=9), drawn)
        library = Library(shelf.index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        server = build_server(opened, CallLog(lambda: ANONYMOUS))
        async with Client(server, extensions=VIEWS) as client:
            result = await client.call_tool(TOOL, {"block_id": image.block.block_id})
            other = await client.call_tool(TOOL, {"block_id": image.block.block_id, "page_number": 3})

    assert [one.type for one in result.content] == ["text"]
    shown = answer_in(result)
    assert (shown["image_url"], shown["alt"], shown["page_number"]) == (url, "Cutaway of the pump", 2)
    assert (shown["notes"], shown["boxes"]) == (["no_image"], [])
    assert (answer_in(other)["page_number"], answer_in(other)["notes"]) == (3, ["no_image"])
