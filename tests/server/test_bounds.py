"""No answer is longer than a model can process, and each reports its cuts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus.text.normalization import fair_share, token_estimate
from tests.server.desk import Desk, manual, passage
from tools import token_budget

MOST = 8000
SCRIPTS = ["word and more ", "Käsefüße ", "漢字かな", 'say "so"\n', "🙂", "unbrokenletters" * 40]


def length(answer: dict[str, Any]) -> int:
    return token_estimate(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.anyio
@pytest.mark.parametrize("letters", SCRIPTS)
async def test_fifty_long_blocks_make_a_bounded_answer(desk: Desk, letters: str) -> None:
    text = "pump " + letters * (6000 // len(letters))
    await desk.put(manual(), [passage(text, place=f"p{n}", page=n) for n in range(1, 51)])

    answer = await desk.call("rag_semantic_search", query="pump", top_k=50)

    assert length(answer) <= MOST
    assert answer["result_count"] == len(answer["results"]) > 10
    assert any("are cut to fit" in warning for warning in answer["warnings"])
    assert all(token_estimate(one["content"]) >= 40 for one in answer["results"])


@pytest.mark.anyio
async def test_blocks_that_do_not_fit_at_all_are_counted(desk: Desk) -> None:
    heading = "A heading of many words " * 9
    blocks = [passage("pump " * 300, place=f"p{n}{'x' * 400}", page=n, heading=heading) for n in range(1, 51)]
    await desk.put(manual(), blocks)

    answer = await desk.call("rag_semantic_search", query="pump", top_k=50)

    assert length(answer) <= MOST
    dropped = 50 - answer["result_count"]
    assert 0 < dropped < 30
    assert any(f"The last {dropped} of 50 blocks did not fit" in warning for warning in answer["warnings"])


@pytest.mark.anyio
@pytest.mark.parametrize("letters", SCRIPTS)
async def test_a_document_with_everything_long_makes_a_bounded_answer(desk: Desk, letters: str) -> None:
    long = letters * (20_000 // len(letters))
    await desk.put(
        manual(title=long, summary_brief=long, summary_standard=long, author=long, warnings=(long,) * 30),
        [passage(long, place=f"p{n}", page=n) for n in range(1, 10)],
    )

    answer = await desk.call("rag_get_document", doc_id="pump", pages="1-9")

    assert length(answer) <= MOST
    assert answer["pages"]


@pytest.mark.anyio
async def test_short_blocks_are_returned_completely_without_a_warning(stocked: Desk) -> None:
    answer = await stocked.call("rag_semantic_search", query="pump seal valve")

    assert not any("cut" in warning for warning in answer["warnings"])
    assert all("…" not in one.get("content", "") for one in answer["results"])


@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(0, 8000))
def test_a_fair_share_fills_the_budget_and_never_exceeds_it(sizes: list[int], total: int) -> None:
    cap = fair_share(sizes, total)

    used = sum(min(size, cap) for size in sizes)
    assert used <= total
    assert cap >= max(sizes, default=0) or used > total - len(sizes)


@given(st.text(max_size=3000), st.integers(1, 600))
@example("0\x1f\x0b0", 3)
def test_a_shortened_text_is_a_prefix_within_its_limit(text: str, most: int) -> None:
    shown = token_budget.shortened(text, most)

    if shown != text:
        assert shown.endswith(token_budget.MARK)
        assert text.startswith(shown.removesuffix(token_budget.MARK))
        assert token_budget.cost(shown) <= most + 2
