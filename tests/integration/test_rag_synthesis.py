"""From a question to an answer for a person: search, synthesize, respond, over an MCP client.

Both variants are tested: the server's `rag_synthesize`, and the reference in `docs/rag_synthesis_example.py` with the
results of a search, as a client with its own code tool runs it.
"""

from __future__ import annotations

import runpy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from corpus.documents.block import Block
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.synthesis.confidence import NOTICE
from tests.server.desk import Desk, figure, manual, passage

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "docs" / "rag_synthesis_example.py"
reference = runpy.run_path(str(EXAMPLE))["synthesize_multimodal_response"]
QUERY = "How does the XYZ pump work?"
MECHANISM = (
    "The XYZ pump operates using a centrifugal mechanism that creates pressure differentials to move fluids through "
    "the system."
)
EFFICIENCY = (
    "The pump's efficiency is optimized through variable speed control, allowing adjustment based on system demand."
)
DIAGRAM = "Diagram showing XYZ pump internal components"
TEXTS = (
    passage(MECHANISM, doc_id="technical-manual", place="p45-1", page=45),
    passage(EFFICIENCY, doc_id="operations-guide", place="p12-1", page=12),
)
FIGURE = figure(DIAGRAM, doc_id="technical-manual", place="p46-f1", page=46)
IMAGE = f"![{DIAGRAM}](rag://blocks/technical-manual-p46-f1/image)"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    index = LocalIndex.open(tmp_path / "index", None)
    yield Desk(index, Library(index, None))
    await index.aclose()


async def put(desk: Desk, *blocks: Block) -> None:
    """Add each block to the document that it belongs to."""
    for doc_id in dict.fromkeys(block.doc_id for block in blocks):
        document = manual(doc_id, page_count=60)
        await desk.put(document, [block for block in blocks if block.doc_id == doc_id])


async def by_tool(desk: Desk, query: str = QUERY) -> str:
    """Synthesize the blocks of a search by their ids, as a planned answer does."""
    found = await desk.call("rag_semantic_search", query=query, top_k=10)
    ids = [one["block_id"] for one in found["results"]]
    answer = await desk.call("rag_synthesize", query=query, block_ids=ids or None, mode="compose")
    assert answer["mode"] == "compose"
    return str(answer["answer"])


async def by_reference(desk: Desk, query: str = QUERY) -> str:
    found = await desk.call("rag_semantic_search", query=query, top_k=10)
    return str(reference(found["results"], query))


WAYS = pytest.mark.parametrize("answered", [by_tool, by_reference])


@WAYS
async def test_text_and_figures_come_with_their_sources(desk: Desk, answered: Any) -> None:
    await put(desk, *TEXTS, FIGURE)
    answer = await answered(desk)

    assert answer.startswith(f"# Answer to: {QUERY}\n\n")
    for piece, source in (
        (MECHANISM, "*(Source: technical-manual.pdf, S. 45)*"),
        (IMAGE, "*(Source: technical-manual.pdf, S. 46)*"),
        (EFFICIENCY, "*(Source: operations-guide.pdf, S. 12)*"),
    ):
        assert f"{piece}\n\n{source}" in answer


@WAYS
async def test_an_answer_is_markdown_that_shows_only_the_hits(desk: Desk, answered: Any) -> None:
    await put(desk, *TEXTS, FIGURE)
    tokens = MarkdownIt("commonmark").parse(await answered(desk))
    inline = [child for token in tokens for child in token.children or ()]

    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1"]
    assert [str(one.attrs["src"]) for one in inline if one.type == "image"] == [
        "rag://blocks/technical-manual-p46-f1/image"
    ]
    assert sum(one.type == "em_open" for one in inline) == 3


@WAYS
async def test_an_answer_without_results_says_so(desk: Desk, answered: Any) -> None:
    assert await answered(desk, "zzyzx") == "No relevant information found"


@WAYS
async def test_text_alone_adds_no_image(desk: Desk, answered: Any) -> None:
    await put(desk, *TEXTS)
    answer = await answered(desk)

    assert MECHANISM in answer
    assert "![" not in answer


@WAYS
async def test_figures_alone_come_with_their_captions(desk: Desk, answered: Any) -> None:
    await put(desk, FIGURE)

    answer = await answered(desk)
    alone = f"# Answer to: {QUERY}\n\n{IMAGE}\n\n*(Source: technical-manual.pdf, S. 46)*"
    assert answer.removesuffix(f"\n\n{NOTICE}") == alone


async def test_one_call_produces_the_example_of_the_design(desk: Desk) -> None:
    await put(desk, TEXTS[0], FIGURE)
    answer = await desk.call("rag_synthesize", query=QUERY)

    assert answer["answer"].startswith(
        f"# Answer to: {QUERY}\n\n{MECHANISM}\n\n*(Source: technical-manual.pdf, S. 45)*\n\n"
        f"{IMAGE}\n\n*(Source: technical-manual.pdf, S. 46)*"
    )
    assert [one["page_number"] for one in answer["sources"]] == [45, 46]
    assert not {"uncited_claims", "invalid_citations", "unsupported_claims"} & set(answer)


async def test_an_answer_from_twenty_long_blocks_is_short_and_lists_only_cited_sources(
    desk: Desk,
) -> None:
    texts = [
        passage(
            " ".join(f"Pump {n}.{m} of the station delivers {n * m} litres of water a second." for m in range(20)),
            place=f"p{n}-1",
            page=n,
        )
        for n in range(1, 21)
    ]
    await put(desk, *texts)
    answer = await desk.call("rag_synthesize", query="How much water does a pump deliver?", top_k=20)

    assert len(answer["answer"]) < 4500
    assert 1 <= len({one["page_number"] for one in answer["sources"]}) <= 5
    assert all(f"(Source: pump.pdf, S. {one['page_number']})" in answer["answer"] for one in answer["sources"])


async def test_with_numbered_citations_the_list_below_names_each_source(desk: Desk) -> None:
    await put(desk, *TEXTS, FIGURE)
    answer = await desk.call("rag_synthesize", query=QUERY, citation_style="inline")

    assert f"{MECHANISM} [1]" in answer["answer"]
    assert "[1] (Source: technical-manual.pdf, S. 45)" in answer["answer"]
    assert not {"uncited_claims", "invalid_citations"} & set(answer)
