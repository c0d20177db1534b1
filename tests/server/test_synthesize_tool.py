from __future__ import annotations

import json

import pytest

from corpus.text.normalization import token_estimate
from tests.server.desk import Desk, figure, manual, passage

pytestmark = pytest.mark.anyio

FIELDS = {
    "success", "answer", "mode", "sources", "confidence", "confidence_factors",
    "warnings", "figures",
}  # fmt: skip
SOURCE = {"citation_number", "block_id", "page_number"}


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
    assert "documents" not in answer


async def test_selected_blocks_are_used_in_their_order(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_synthesize", era, query="What to do?", block_ids=["notes-l1", "pump-p4-1", "pump-p4-1"]
    )

    assert [one["block_id"] for one in answer["sources"]] == ["notes-l1", "pump-p4-1"]
    assert answer["sources"][0]["line_range"] == "lines 45-52"


async def test_a_citation_is_in_the_answer_or_else_with_its_source(desk: Desk, era: str) -> None:
    await desk.put(manual(), [passage(f"The impeller {n} turns.", place=f"p{n}-1", page=n) for n in range(1, 6)])

    answer = await desk.call("rag_synthesize", era, query="How does the impeller turn?", max_tokens=100)

    for source in answer["sources"]:
        citation = f"(Source: pump.pdf, S. {source['page_number']})"
        assert (citation in answer["answer"]) != (source.get("citation") == citation)


async def test_the_data_of_an_answer_is_smaller_than_its_text(desk: Desk, era: str) -> None:
    text = "The impeller moves water to the outlet with every turn of the shaft, at {} rpm. "
    await desk.put(
        manual(),
        [passage("".join(text.format(100 * n + m) for m in range(12)), place=f"p{n}-1", page=n) for n in range(1, 6)],
    )

    answer = await desk.call("rag_synthesize", era, query="How does the impeller move water?")

    whole = token_estimate(json.dumps(answer, separators=(",", ":")))
    assert whole < token_estimate(answer["answer"]) / 0.55


async def test_unreadable_and_missing_blocks_get_the_same_answer(stocked: Desk, era: str) -> None:
    hidden = await stocked.failure("rag_synthesize", era, query="x", block_ids=["salaries-p1-1"])
    missing = await stocked.failure("rag_synthesize", era, query="x", block_ids=["nothing-p1-1"])

    assert hidden == missing
    assert hidden["type"] == "DocumentNotFound"


async def test_without_evidence_the_answer_says_so_with_confidence_zero(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_synthesize", era, query="zzyzx")

    assert answer["answer"] == "No relevant information found"
    assert answer["confidence"] == 0
    assert answer["sources"] == []


async def test_a_caption_as_long_as_a_page_does_not_exceed_the_answer_limit(desk: Desk, era: str) -> None:
    await desk.put(manual(), [figure("impeller " * 20_000), passage("The impeller turns.")])

    answer = await desk.call("rag_synthesize", era, query="impeller", filters={"block_type": "image"})

    assert len(answer["answer"]) < 20_000


async def test_twenty_observations_with_endless_addresses_do_not_exceed_the_answer_limit(
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
