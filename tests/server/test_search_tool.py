from __future__ import annotations

import json

import pytest

from corpus.access import Caller
from corpus.text.normalization import token_estimate
from tests.answers import documents_in
from tests.server.desk import Desk, manual, passage

pytestmark = pytest.mark.anyio

FIELDS = {"block_id", "content", "page_number", "heading", "score", "citation"}


async def test_a_result_has_its_block_position_and_citation(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_semantic_search", era, query="centrifugal impeller", filters={"block_type": "text"}
    )

    assert set(answer) == {"success", "documents", "results", "result_count", "mode", "warnings"}
    assert answer["success"] is True
    assert answer["mode"] in ("lexical", "hybrid")
    first = answer["results"][0]
    assert set(first) - {"score_kind"} == FIELDS
    assert first["block_id"] == "pump-p1-1"
    assert first["content"] == "The pump moves water with a centrifugal impeller."
    assert first["heading"] == "Function"
    assert first["citation"] == "(Source: pump.pdf, S. 1 (printed 33))"
    assert 0 <= first["score"] <= 1
    assert answer["result_count"] == len(answer["results"])


async def test_each_document_is_named_once_for_all_its_results(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="pump impeller seal")

    assert len(answer["results"]) == 3
    assert answer["documents"] == [{"doc_id": "pump", "filename": "pump.pdf", "document_title": "Manual of the pump"}]
    assert not any({"doc_id", "filename", "document_title"} & set(result) for result in answer["results"])


async def test_a_result_with_an_unrelated_id_names_its_document(desk: Desk, era: str) -> None:
    await desk.put(manual(), [passage("It pumps.", block_id="b-17")])

    (result,) = (await desk.call("rag_semantic_search", era, query="pumps"))["results"]

    assert result["doc_id"] == "pump"


async def test_a_heading_is_left_out_if_the_passage_begins_with_it(desk: Desk, era: str) -> None:
    await desk.put(
        manual(),
        [
            passage("3.1 Principle\nIt pumps.", heading="3 How it works > 3.1 Principle"),
            passage("It pumps again.", place="p2-1", page=2, heading="3 How it works > 3.2 Impeller"),
        ],
    )

    results = (await desk.call("rag_semantic_search", era, query="pumps"))["results"]

    assert {result["block_id"]: result.get("heading") for result in results} == {
        "pump-p1-1": None,
        "pump-p2-1": "3.2 Impeller",
    }


async def test_long_passages_cost_at_most_a_third_more(desk: Desk, era: str) -> None:
    for number in range(5):
        text = f"Part {number}. " + "The impeller moves water to the outlet with every turn of the shaft. " * 12
        await desk.put(manual(f"d{number}"), [passage(text, doc_id=f"d{number}")])

    answer = await desk.call("rag_semantic_search", era, query="impeller water", top_k=5)

    passages = sum(token_estimate(result["content"]) for result in answer["results"])
    assert len(answer["results"]) == 5
    assert token_estimate(json.dumps(answer, separators=(",", ":"))) < passages / 0.65


async def test_an_image_has_an_address_and_a_caption(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="impeller", filters={"block_type": "image"})

    (image,) = answer["results"]
    assert image["block_type"] == "image"
    assert image["image_url"] == "rag://blocks/pump-p2-f1/image"
    assert image["image_caption"] == "Figure 3: Impeller, exploded view"
    assert image["citation"] == "(Source: pump.pdf, S. 2)"
    assert "content" not in image


async def test_a_document_without_pages_is_cited_by_its_lines(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="valve winter")

    first = answer["results"][0]
    assert "page_number" not in first
    assert first["citation"] == "(Source: notes.txt, lines 45-52)"


async def test_text_and_structured_content_are_equal(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        result = await client.call_tool("rag_semantic_search", {"query": "seal"})

    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]


async def test_top_k_limits_the_results_and_may_be_text(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="pump impeller seal valve", top_k="1")

    assert answer["result_count"] == 1


async def test_filters_may_be_json_text(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="pump", filters='{"doc_id": ["pump"]}')

    assert {one["doc_id"] for one in answer["documents"]} == {"pump"}


async def test_an_empty_result_is_a_success_that_names_the_caller(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query="zzyzx")

    assert answer["success"] is True
    assert answer["results"] == []
    assert any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_an_empty_result_for_a_known_caller_blames_no_identity(stocked: Desk, era: str) -> None:
    stocked.caller = Caller(user_id="bob")

    answer = await stocked.call("rag_semantic_search", era, query="zzyzx")

    assert not any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_the_caller_is_determined_again_in_each_call(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        before = await client.call_tool("rag_semantic_search", {"query": "salary director"})
        stocked.caller = Caller(user_id="ann")
        after = await client.call_tool("rag_semantic_search", {"query": "salary director"})

    assert before.structured_content is not None
    assert after.structured_content is not None
    assert "salaries" not in documents_in(before.structured_content)
    assert "salaries" in documents_in(after.structured_content)


async def test_a_label_and_a_file_name_add_no_markup_to_a_citation(desk: Desk, era: str) -> None:
    label = "x)* ![p](http://evil/pixel.png) <img src=http://evil/pixel.png> *("
    await desk.put(manual(filename="![a](http://evil/b.png).pdf"), [passage("It pumps.", page_label=label)])

    (found,) = (await desk.call("rag_semantic_search", era, query="pumps"))["results"]

    assert found["citation"] == r"(Source: !\[a\](http\://evil/b.png).pdf, S. 1)"


async def test_a_title_is_left_out_if_the_file_name_contains_it(desk: Desk, era: str) -> None:
    await desk.put(manual(title="XYZ Pump: Manual", filename="xyz-pump_manual.pdf"), [passage("It pumps.")])

    answer = await desk.call("rag_semantic_search", era, query="pumps")

    assert "documents" not in answer
