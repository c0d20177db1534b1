"""Whatever JSON is sent as arguments, the answer is a result or a planned failure, never a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.server.desk import ERAS, Desk, failure_in, manual, passage

TOOLS = {
    "rag_semantic_search": ("query", "top_k", "filters"),
    "rag_list_documents": ("query", "filters", "sort_by", "limit", "cursor"),
    "rag_get_document": ("doc_id", "name", "pages"),
    "rag_show_page": ("doc_id", "page_number", "block_id"),
    "rag_synthesize": (
        "query",
        "filters",
        "top_k",
        "block_ids",
        "observations",
        "history",
        "mode",
        "citation_style",
        "max_tokens",
    ),
    "rag_verify_answer": ("answer", "block_ids", "sources"),
}

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
likely = st.sampled_from(["pump", "1", "1-3", "title", "pump-p1-1", 1, 3, "", '{"a": 1}', "[1]", "null", '"x"'])
json_values = st.recursive(
    plain | likely,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)
filters = st.dictionaries(
    st.sampled_from(["doc_id", "filename", "page_number", "block_type", "uploaded_after", "author", "x"]),
    json_values,
    max_size=3,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(sorted(TOOLS)))
    names = [*TOOLS[tool], "unknown"]
    arguments = draw(st.dictionaries(st.sampled_from(names), json_values, max_size=4))
    if "filters" in arguments:
        arguments["filters"] = draw(filters | json_values)
    return tool, arguments


async def answered(folder: Path, era: str, asked: list[tuple[str, dict[str, Any]]]) -> None:
    index = LocalIndex.open(folder / "index", None)
    desk = Desk(index, Library(index, ReadingProcesses()))
    await desk.put(manual(source_path=""), [passage("The pump moves water.")])
    async with desk.client(era) as client:
        for tool, arguments in asked:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                kind = failure_in(result)["type"]
                assert kind in ("InvalidRequest", "DocumentNotFound"), (tool, arguments, result)
    await index.aclose()


@pytest.mark.parametrize("era", ERAS)
@given(asked=st.lists(calls(), min_size=10, max_size=30))
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_any_arguments_are_answered(tmp_path_factory: pytest.TempPathFactory, era: str, asked: list[Any]) -> None:
    anyio.run(answered, tmp_path_factory.mktemp("any"), era, asked)
