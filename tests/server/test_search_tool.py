from __future__ import annotations

import json

import pytest

from corpus.access import Caller
from tests.server.desk import Desk, manual, passage

pytestmark = pytest.mark.anyio

FIELDS = {
    "block_id", "block_type", "content", "doc_id", "filename", "document_title", "page_number", "page_label",
    "heading", "start_line", "end_line", "score", "score_kind", "citation", "uri",
}  # fmt: skip


async def test_a_result_names_its_block_its_place_and_its_citation(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_semantic_search", era, query="centrifugal impeller", filters={"block_type": "text"}
    )

    assert set(answer) == {"success", "results", "result_count", "mode", "warnings"}
    assert answer["success"] is True
    assert answer["mode"] in ("lexical", "hybrid")
    first = answer["results"][0]
    assert set(first) == FIELDS
    assert first["block_id"] == "pump-p1-1"
    assert first["content"] == "The pump moves water with a centrifugal impeller."
    assert first["document_title"] == "Manual of the pump"
    assert first["heading"] == "Function"
    assert first["citation"] == "(Source: pump.pdf, S. 1 (printed 33))"
    assert first["uri"] == "rag://documents/pump/pages/1"
    assert 0 <= first["score"] <= 1
    assert answer["result_count"] == len(answer["results"])


async def test_an_image_has_an_address_and_a_caption(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="impeller", filters={"block_type": "image"})

    (image,) = answer["results"]
    assert image["image_url"] == "rag://blocks/pump-p2-f1/image"
    assert image["image_caption"] == "Figure 3: Impeller, exploded view"
    assert image["citation"] == "(Source: pump.pdf, S. 2)"
    assert "content" not in image


async def test_a_document_without_pages_is_cited_by_its_lines(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="valve winter")

    first = answer["results"][0]
    assert first["page_number"] is None
    assert (first["start_line"], first["end_line"]) == (45, 52)
    assert first["citation"] == "(Source: notes.txt, lines 45-52)"
    assert first["uri"] == "rag://documents/notes"


async def test_text_and_structured_content_say_the_same(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        result = await client.call_tool("rag_semantic_search", {"query": "seal"})

    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]


async def test_top_k_bounds_the_results_and_may_arrive_as_text(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="pump impeller seal valve", top_k="1")

    assert answer["result_count"] == 1


async def test_filters_may_arrive_as_a_json_text(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="pump", filters='{"doc_id": ["pump"]}')

    assert {one["doc_id"] for one in answer["results"]} == {"pump"}


async def test_nothing_found_is_a_success_that_says_who_asked(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="zzyzx")

    assert answer["success"] is True
    assert answer["results"] == []
    assert any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_nothing_found_for_a_known_caller_blames_no_identity(stocked: Desk, era: str) -> None:
    stocked.caller = Caller(user_id="bob")

    answer = await stocked.call("rag_semantic_search", era, query="zzyzx")

    assert not any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_the_caller_is_found_anew_at_each_call(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        before = await client.call_tool("rag_semantic_search", {"query": "salary director"})
        stocked.caller = Caller(user_id="ann")
        after = await client.call_tool("rag_semantic_search", {"query": "salary director"})

    assert before.structured_content is not None
    assert after.structured_content is not None
    assert "salaries" not in {one["doc_id"] for one in before.structured_content["results"]}
    assert after.structured_content["results"][0]["doc_id"] == "salaries"


async def test_a_label_and_a_name_of_a_file_bring_no_markup_into_a_citation(desk: Desk, era: str) -> None:
    label = "x)* ![p](http://evil/pixel.png) <img src=http://evil/pixel.png> *("
    await desk.put(manual(filename="![a](http://evil/b.png).pdf"), [passage("It pumps.", page_label=label)])

    (found,) = (await desk.call("rag_semantic_search", era, query="pumps"))["results"]

    assert found["page_label"] is None
    assert found["citation"] == r"(Source: !\[a\](http\://evil/b.png).pdf, S. 1)"
