"""rag_verify_answer checks each claim of an answer that the client wrote, against the sources that it cites."""

from __future__ import annotations

from typing import Any

import pytest

from corpus.access import Caller
from corpus.generation.protocol import Generated, Prompt
from corpus.library import Library
from corpus.synthesis.model_judge import ModelJudge
from corpus.synthesis.writer import Pen
from tests.server.conftest import PEN
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio


class Yes:
    """A checker that always answers yes."""

    id = "small-checker"

    async def generate(self, prompt: Prompt) -> Generated:
        return Generated("yes")

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""


async def test_a_models_verdict_is_marked_as_its_own(stocked: Desk, era: str) -> None:
    pen = Pen(PEN.instructions, judge=ModelJudge(Yes(), "Judge."))
    desk = Desk(stocked.index, Library(stocked.index, None, pen=pen))
    text = "Replace the seal every 2000 hours [1]. Change the seal every 2000 hours [1]."
    answer = await desk.call("rag_verify_answer", era, answer=text, block_ids=[SEAL])
    assert [(one["verdict"], one.get("judged_by")) for one in answer["claims"]] == [
        ("found", "small-checker"), ("found", None),
    ]  # fmt: skip


SEAL, IMPELLER, SECRET = "pump-p4-1", "pump-p1-1", "salaries-p1-1"


async def test_each_claim_has_its_verdict_its_evidence_and_its_position(stocked: Desk, era: str) -> None:
    text = (
        "Change the seal every 2000 hours [1]. Change the seal every 3000 hours [1]. The moon is made of cheese [2]. "
        "The valve is new [9]. It is blue."
    )
    answer = await stocked.call("rag_verify_answer", era, answer=text, block_ids=[SEAL, IMPELLER])
    assert [one["verdict"] for one in answer["claims"]] == [
        "found", "value_mismatch", "not_found", "invalid_citation", "uncited",
    ]  # fmt: skip
    first, second = answer["claims"][:2]
    assert first["citations"] == [1]
    assert first["evidence"] == {
        "citation_number": 1, "text": "Change the seal every 2000 hours.",
        "citation": "(Source: pump.pdf, S. 4)", "uri": "rag://documents/pump/pages/4",
    }  # fmt: skip
    assert second["missing"] == ["3000 hours"]
    assert answer["unsupported_claims"] == [
        "Change the seal every 3000 hours.",
        "The moon is made of cheese.",
    ]
    assert answer["uncited_claims"] == ["It is blue."]
    assert answer["invalid_citations"] == ["9"]


async def test_a_claim_supported_by_another_block_than_it_cites_names_that_block(stocked: Desk, era: str) -> None:
    text = "Change the seal every 2000 hours [1]."
    answer = await stocked.call("rag_verify_answer", era, answer=text, block_ids=[IMPELLER, SEAL])
    (claim,) = answer["claims"]
    assert (claim["verdict"], claim["found_in"]) == ("value_mismatch", [2])
    assert answer["warnings"][-1:] == ["'Change the seal every 2000 hours.' cites [1], but is in [2]. Cite that."]


async def test_citations_by_file_and_page_refer_to_the_blocks(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_verify_answer",
        era,
        answer="Change the seal every 2000 hours. (Source: pump.pdf, S. 4)",
        block_ids=[SEAL],
    )
    assert [one["verdict"] for one in answer["claims"]] == ["found"]


async def test_sources_may_have_their_own_numbers_and_be_texts_of_the_client(stocked: Desk, era: str) -> None:
    sources: list[dict[str, Any]] = [
        {"citation_number": 4, "block_id": SEAL},
        {"citation_number": 7, "text": "The pump is sold out until May.", "url": "https://shop.example/pump"},
    ]
    text = "Change the seal every 2000 hours [4]. The pump is sold out until May [7]."
    answer = await stocked.call("rag_verify_answer", era, answer=text, sources=sources)
    assert [one["verdict"] for one in answer["claims"]] == ["found", "found"]
    assert answer["claims"][1]["evidence"]["citation"] == "[Source: https://shop.example/pump]"


class Counted:
    """The index of a desk. `asked` lists the names of the requests that it received."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.asked: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._index, name)

        def counted(first: Any = (), *rest: Any, **named: Any) -> Any:
            self.asked.append((name, len(first) if isinstance(first, list) else 1))
            return held(first, *rest, **named)

        return counted if callable(held) else held


async def test_an_unreadable_source_looks_like_a_missing_one(stocked: Desk, era: str) -> None:
    text = "The salary of the director is secret [2]. Change the seal every 2000 hours [1]."
    counted = Counted(stocked.index)
    stocked.library._index = counted  # type: ignore[assignment]

    async def said(block_id: str) -> tuple[dict[str, Any], list[tuple[str, int]]]:
        counted.asked.clear()
        answer = await stocked.call("rag_verify_answer", era, answer=text, block_ids=[SEAL, block_id])
        return answer, list(counted.asked)

    hidden, missing = await said(SECRET), await said("nothing-p1-1")
    assert hidden == missing
    assert hidden[0]["claims"][0]["verdict"] == "invalid_citation"
    assert "evidence" not in hidden[0]["claims"][0]
    assert ("blocks", 2) in hidden[1]
    assert hidden[0]["warnings"][0] == (
        "Checked without [2]: not among the blocks you may read. Take block_ids from rag_semantic_search."
    )
    stocked.caller = Caller(user_id="ann")
    seen, _ = await said(SECRET)
    assert seen["claims"][0]["verdict"] == "found"


async def test_if_no_source_is_readable_nothing_is_checked_and_the_fix_is_reported(stocked: Desk, era: str) -> None:
    text = "The salary of the director is secret [1]."
    counted = Counted(stocked.index)
    stocked.library._index = counted  # type: ignore[assignment]
    hidden = await stocked.failure("rag_verify_answer", era, answer=text, block_ids=[SECRET])
    asked, counted.asked = counted.asked, []
    missing = await stocked.failure("rag_verify_answer", era, answer=text, block_ids=["nothing-p1-1"])
    assert (hidden, asked) == (missing, counted.asked)
    assert ("blocks", 1) in asked
    assert hidden["type"] == "DocumentNotFound"
    assert "rag_semantic_search" in hidden["error"]


async def test_a_synthesized_answer_is_checked_without_its_own_verdict_marks(stocked: Desk, era: str) -> None:
    plain = "Change the seal every 3000 hours [1]. The moon is made of cheese."
    marked = (
        "Change the seal every 3000 hours [1]. (a value differs from the source) The moon is made of cheese. "
        "(nicht in den Quellen gefunden)"
    )
    expected = await stocked.call("rag_verify_answer", era, answer=plain, block_ids=[SEAL])
    assert await stocked.call("rag_verify_answer", era, answer=marked, block_ids=[SEAL]) == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"answer": " ", "block_ids": [SEAL]}, "The answer is empty"),
        ({"answer": "It turns [1]."}, "No source was passed, so there is nothing to check"),
        ({"answer": "It turns [1].", "sources": []}, "sources is empty, so there is nothing to check"),
        ({"answer": "It turns [1].", "block_ids": []}, "block_ids is empty"),
        (
            {
                "answer": "It turns [1].",
                "block_ids": [SEAL],
                "sources": [{"citation_number": 1, "text": "x"}],
            },
            "Both block_ids and sources were passed. Pass one",
        ),
        ({"answer": "It turns [1].", "sources": [{"citation_number": 1}]}, "neither block_id nor text"),
        (
            {"answer": "x", "sources": [{"citation_number": 1, "text": "x"}] * 2},
            "Two sources have the number 1",
        ),
        ({"answer": "x " * 30_000, "block_ids": [SEAL]}, "Check it in parts"),
    ],
)
async def test_an_uncheckable_request_is_refused_with_the_fix(
    stocked: Desk, era: str, arguments: dict[str, Any], said: str
) -> None:
    failure = await stocked.failure("rag_verify_answer", era, **arguments)
    assert failure["type"] == "InvalidRequest"
    assert said in failure["error"]


async def test_a_text_without_a_claim_says_so(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_verify_answer", era, answer="# Pumps", block_ids=[SEAL])
    assert answer["claims"] == []
    assert any("No claim was found" in one for one in answer["warnings"])


async def test_an_answer_of_hundreds_of_claims_is_bounded_and_reports_what_is_omitted(stocked: Desk, era: str) -> None:
    text = " ".join(f"Change the seal of pump {n} every 2000 hours in clean water [1]." for n in range(400))
    answer = await stocked.call("rag_verify_answer", era, answer=text, block_ids=[SEAL])
    assert len(str(answer)) < 40_000
    assert any("further claims are not shown" in one for one in answer["warnings"])


async def test_claims_beyond_the_limit_are_counted(stocked: Desk, era: str) -> None:
    text = " ".join(f"Pump {n} is wet [1]." for n in range(520))
    answer = await stocked.call("rag_verify_answer", era, answer=text, block_ids=[SEAL])
    assert any("20 further claims were not checked" in one for one in answer["warnings"])


async def test_a_figure_is_checked_by_its_caption(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_verify_answer",
        era,
        answer="Figure 3 shows the impeller in an exploded view [1].",
        block_ids=["pump-p2-f1"],
    )
    assert answer["claims"][0]["verdict"] == "found"
