from __future__ import annotations

import json

import pytest

from corpus.access import Caller
from corpus.documents.document import OutlineEntry
from corpus.text.normalization import token_estimate
from tests.server.desk import Desk, figure, manual, passage

pytestmark = pytest.mark.anyio


async def test_a_document_is_returned_with_its_outline_and_figures(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_get_document", era, doc_id="pump")

    assert set(answer) == {"success", "document", "pages", "warnings"}
    assert set(answer["document"]) == {
        "doc_id", "filename", "title", "document_type", "upload_date", "page_count", "summary_brief",
        "summary_standard", "status", "figures", "uri",
    }  # fmt: skip
    assert answer["document"]["figures"] == [
        {
            "block_id": "pump-p2-f1",
            "image_caption": "Figure 3: Impeller, exploded view",
            "image_url": "rag://blocks/pump-p2-f1/image",
            "page_number": 2,
        }
    ]
    assert answer["pages"] == []


async def test_a_name_finds_the_document(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_get_document", era, name="PUMP.pdf")

    assert answer["document"]["doc_id"] == "pump"


async def test_pages_are_returned_with_their_text(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_get_document", era, doc_id="pump", pages="1-4")

    assert answer["pages"][0]["page_number"] == 1
    assert answer["pages"][0]["page_label"] == "33"
    assert "centrifugal impeller" in answer["pages"][0]["text"]


async def test_pages_can_be_returned_alone(desk: Desk, era: str) -> None:
    outline = tuple(OutlineEntry(f"Chapter {n} about many things", 1, n) for n in range(1, 80))
    text = "The impeller moves water to the outlet. " * 40
    await desk.put(
        manual(outline=outline, summary_standard="A long summary. " * 100),
        [passage(text), figure("Figure 3: Impeller, exploded view")],
    )

    answer = await desk.call("rag_get_document", era, doc_id="pump", pages="1")

    assert answer["document"] == {
        "doc_id": "pump",
        "filename": "pump.pdf",
        "title": "Manual of the pump",
        "page_count": 9,
    }
    beside = token_estimate(json.dumps(answer)) - token_estimate(answer["pages"][0]["text"])
    assert beside < 600


async def test_internal_fields_are_not_returned(stocked: Desk, era: str) -> None:
    text = json.dumps(await stocked.call("rag_get_document", era, doc_id="pump", pages="1-9"))

    for secret in ("/secret/folder", "secrethash", "access_control_list", "source_path"):
        assert secret not in text


async def test_a_name_of_two_documents_yields_numbered_options(stocked: Desk, era: str) -> None:
    await stocked.put(manual("pump2", title="Manual of the second pump"), [])

    failure = await stocked.failure("rag_get_document", era, name="manual pump")

    assert failure["type"] == "AmbiguousDocument"
    assert failure["hints"][0].startswith("1. ")
    assert failure["hints"][1].startswith("2. ")


async def test_unreadable_and_missing_documents_get_the_same_answer(stocked: Desk, era: str) -> None:
    hidden = await stocked.failure("rag_get_document", era, doc_id="salaries")
    missing = await stocked.failure("rag_get_document", era, doc_id="nowhere1")

    assert hidden["type"] == "DocumentNotFound"
    assert {**hidden, "error": hidden["error"].replace("salaries", "nowhere1")} == missing


async def test_a_missing_id_and_name_is_refused_with_the_fix(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_get_document", era)

    assert failure["type"] == "InvalidRequest"
    assert "doc_id or name" in failure["error"]


async def test_a_long_outline_is_cut_with_a_note(desk: Desk, era: str) -> None:
    outline = tuple(OutlineEntry(f"Chapter {n} about many things", 1, n) for n in range(1, 801))
    await desk.put(manual(outline=outline), [passage("Text.")])

    answer = await desk.call("rag_get_document", era, doc_id="pump")

    shown = len(answer["document"]["outline"])
    assert 100 < shown < 800
    assert any(f"{shown} of 800" in warning for warning in answer["warnings"])


async def test_pages_that_do_not_fit_are_named(desk: Desk, era: str) -> None:
    await desk.put(manual(), [passage("word " * 2000, place=f"p{n}", page=n) for n in range(1, 10)])

    answer = await desk.call("rag_get_document", era, doc_id="pump", pages="1-9")

    last = answer["pages"][-1]["page_number"]
    assert 1 <= last < 9
    assert not answer["pages"][-1]["text"].endswith("…")
    assert any(f"Pages {last + 1}-9" in warning for warning in answer["warnings"])


async def test_a_text_longer_than_an_answer_is_cut_with_the_way_to_continue(desk: Desk, era: str) -> None:
    await desk.put(
        manual("log", page_count=None),
        [passage("word " * 280, doc_id="log", place=f"l{n}", page=None, start_line=n) for n in range(1, 60)],
    )
    desk.caller = Caller(user_id="ann")

    answer = await desk.call("rag_get_document", era, doc_id="log", pages="1")

    assert answer["pages"][0]["text"].endswith("…")
    assert any("filters.doc_id=log" in warning for warning in answer["warnings"])
