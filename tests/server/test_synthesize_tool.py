from __future__ import annotations

import json

import pytest

from corpus.text import token_estimate
from tests.server.desk import Desk, figure, manual, passage

pytestmark = pytest.mark.anyio

FIELDS = {
    "success", "answer", "mode", "sources", "confidence", "confidence_factors", "uncited_claims",
    "unsupported_claims", "invalid_citations", "contradictions", "warnings", "raw_chunks", "cached", "model",
    "prompt_version",
}  # fmt: skip
SOURCE = {
    "citation_number", "citation", "block_id", "doc_id", "filename", "page_number", "page_label", "line_range",
    "relevance_score", "content_preview", "image_url", "url", "uri", "link",
}  # fmt: skip


async def test_an_answer_is_cited_and_names_its_sources(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_synthesize", era, query="How does the pump work? impeller")

    assert set(answer) == FIELDS
    assert answer["answer"].startswith("# Answer to: How does the pump work?")
    assert "*(Source: pump.pdf, S. 1 (printed 33))*" in answer["answer"]
    assert "](rag://blocks/pump-p2-f1/image)" in answer["answer"]
    assert answer["mode"] == "compose"
    assert 0 < answer["confidence"] <= 1
    first = answer["sources"][0]
    assert set(first) == SOURCE
    assert first["citation_number"] == 1
    assert first["uri"].startswith("rag://documents/pump/pages/")
    assert first["link"] == "pump.pdf#page=1"
    assert len(first["content_preview"]) <= 100


async def test_chosen_blocks_are_answered_from_in_their_order(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_synthesize", era, query="What to do?", block_ids=["notes-l1", "pump-p4-1", "pump-p4-1"]
    )

    assert [one["block_id"] for one in answer["sources"]] == ["notes-l1", "pump-p4-1"]
    assert answer["sources"][0]["line_range"] == "lines 45-52"
    assert answer["sources"][0]["relevance_score"] is None


async def test_unreadable_and_missing_blocks_answer_the_same(stocked: Desk, era: str) -> None:
    hidden = await stocked.failure("rag_synthesize", era, query="x", block_ids=["salaries-p1-1"])
    missing = await stocked.failure("rag_synthesize", era, query="x", block_ids=["nothing-p1-1"])

    assert hidden == missing
    assert hidden["type"] == "DocumentNotFound"


async def test_no_evidence_says_so_with_confidence_zero(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_synthesize", era, query="zzyzx")

    assert answer["answer"] == "No relevant information found"
    assert answer["confidence"] == 0
    assert answer["sources"] == []


async def test_a_caption_that_is_a_page_does_not_burst_the_answer(desk: Desk, era: str) -> None:
    await desk.put(manual(), [figure("impeller " * 20_000), passage("The impeller turns.")])

    answer = await desk.call("rag_synthesize", era, query="impeller", filters={"block_type": "image"})

    assert len(answer["answer"]) < 20_000


async def test_twenty_observations_with_endless_addresses_do_not_burst_the_answer(
    stocked: Desk, era: str
) -> None:
    seen = [
        {
            "text": f"The impeller of pump {n} turns in clean water.",
            "url": f"https://a.example/{n}/{'é' * 1900}",
        }
        for n in range(20)
    ]
    answer = await stocked.call("rag_synthesize", era, query="How does the impeller turn?", observations=seen)

    assert token_estimate(json.dumps(answer, ensure_ascii=False)) <= 8000
