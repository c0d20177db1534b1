"""The view gets the position, the verdict and the evidence of each claim, next to the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.synthesis.answer import Source
from corpus.synthesis.checking import check_claims
from server.evidence_claims import KEY
from server.evidence_claims import view_data as claims_told
from tests.doubles.client_model import ClientModel
from tests.evidence_view.viewing import FROM, SEAL, TO, VIEWS, a_desk, asked, size_of, told, units
from tests.server.desk import ERAS, Desk, answer_in, manual, passage
from tests.values import hit, text_block
from tools.protocol import ToShow
from tools.token_budget import MARK, shortened

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_desk(tmp_path) as stocked:
        yield stocked


@pytest.fixture
def era() -> str:
    return ERAS[0]


async def test_a_claim_of_a_written_answer_has_its_position_verdict_and_evidence(desk: Desk, era: str) -> None:
    result = await asked(desk, era, "rag_synthesize", query="When is the seal changed?", mode="compose")

    assert result.structured_content
    held = told(result)
    said = {
        units(result.structured_content["answer"], start, end).strip(" …"): rest for start, end, *rest in held["claims"]
    }
    number = next(
        one["citation_number"] for one in result.structured_content["sources"] if one["block_id"] == "pump-p2-1"
    )
    block = held["blocks"].index("pump-p2-1")
    assert said["Change the seal every 2000 hours."] == ["found", number, block, FROM, TO]
    assert held["more"] == 0


async def test_offsets_refer_to_the_passed_answer_with_all_its_invisible_characters(desk: Desk, era: str) -> None:
    """Emoji count as two units, and removed text and the marks of an earlier check also count."""
    answer = (
        "\ufeffSee 😀😀:\r\n\r\nThe pump stands dry [1]. (not found in the cited source)\r\n\r\n"
        "Ch\u200bange the seal every\u00ad 3000 hours [1].\r\n"
    )
    result = await asked(desk, era, "rag_verify_answer", answer=answer, block_ids=["pump-p2-1"])

    dry, seal = told(result)["claims"][-2:]
    assert units(answer, *dry[:2]) == "The pump stands dry [1]."
    assert units(answer, *seal[:2]) == "Ch\u200bange the seal every\u00ad 3000 hours [1]."
    assert dry[2:] == ["found", 1, 0, 0, SEAL.index(".") + 1]
    assert seal[2:] == ["value_mismatch", 1, 0, FROM, TO]


async def test_claims_without_a_block_name_none(desk: Desk, era: str) -> None:
    """An observation is the client's own, and a claim without a citation has no evidence."""
    answer = "Rain falls in May [7]. The seal is changed every 2000 hours [9]. Nobody reads the manual twice."
    sources = [{"citation_number": 7, "text": "Rain falls in May.", "title": "Weather"}]
    result = await asked(desk, era, "rag_verify_answer", answer=answer, sources=sources)

    held = told(result)
    assert held["blocks"] == []
    assert [row[2:5] for row in held["claims"]][:2] == [["found", 7, None], ["invalid_citation", None, None]]
    assert [row[2] for row in held["claims"]] == [one["verdict"] for one in (result.structured_content or {})["claims"]]
    assert all(row[4] is None for row in held["claims"])


async def test_a_figure_has_no_evidence_range(desk: Desk, era: str) -> None:
    answer = "Figure 3 shows the impeller in an exploded view [1]. It shows blade and hub [1]."
    result = await asked(desk, era, "rag_verify_answer", answer=answer, block_ids=["pump-p2-f1"])

    assert told(result)["blocks"] == ["pump-p2-f1"]
    assert [row[5:] for row in told(result)["claims"]] == [[0, 0], [0, 0]]


async def test_an_answer_of_many_claims_grows_by_at_most_two_kilobytes_and_counts_omitted_claims(
    desk: Desk, era: str
) -> None:
    await desk.put(
        manual("many", page_count=60, source_path=""),
        [passage(f"Valve {n} opens at {n} bar.", doc_id="many", place=f"p{n}-1", page=n) for n in range(1, 51)],
    )
    answer = "\n\n".join(f"😀 Valve {n} opens at {n} bar [{n}]." for n in range(1, 51))
    ids = [f"many-p{n}-1" for n in range(1, 51)]
    result = await asked(desk, era, "rag_verify_answer", answer=answer, block_ids=ids)

    held = told(result)
    assert 1_500 < size_of(result) <= 2_000
    assert held["more"] > 0
    assert len(held["claims"]) + held["more"] == 50
    assert len(held["blocks"]) == len(held["claims"])
    for n, (start, end, verdict, number, block, *_) in enumerate(held["claims"], 1):
        assert units(answer, start, end) == f"😀 Valve {n} opens at {n} bar [{n}]."
        assert (verdict, number, held["blocks"][block]) == ("found", n, f"many-p{n}-1")


async def test_claim_positions_are_correct_with_verdict_marks_between_the_claims(desk: Desk, era: str) -> None:
    model = ClientModel("Change the seal every 3000 hours [1]. The pump stands dry [1]. 😀 Change it all [1].")
    async with desk.client(era, model, extensions=VIEWS) as client:
        result = await client.call_tool("rag_synthesize", {"query": "When is the seal changed?", "mode": "llm"})

    answer = answer_in(result)["answer"]
    assert "hours [1]. (a value differs from the source) The pump" in answer
    said = [(units(answer, start, end), verdict) for start, end, verdict, *_ in told(result)["claims"]]
    assert said[:2] == [
        ("Change the seal every 3000 hours [1].", "value_mismatch"),
        ("The pump stands dry [1].", "found"),
    ]
    assert said[2][0].endswith("Change it all [1].")


def test_claims_lost_when_an_answer_was_cut_are_counted() -> None:
    text = " ".join(f"Valve {n} of the line opens at {n + 2} bar [1]." for n in range(30))
    sources = (Source(1, "(Source: valves.pdf, S. 1)", hit(text_block("Valve 3 of the line opens at 5 bar."))),)
    cut = shortened(text, 100)
    claims = check_claims(text, sources).claims

    held = claims_told(ToShow(cut, claims, sources, as_given=False))[KEY]

    whole = cut.count("[1].")
    assert cut.endswith(MARK)
    assert 5 < whole == len(held["claims"])
    assert held["more"] == 30 - whole
    assert units(cut, *held["claims"][3][:2]) == "Valve 3 of the line opens at 5 bar [1]."


async def test_an_answer_without_a_source_has_no_claims(desk: Desk, era: str) -> None:
    result = await asked(desk, era, "rag_synthesize", query="Who composed the opera?", mode="compose")

    assert told(result) == {"claims": [], "blocks": [], "prints": [], "more": 0}
