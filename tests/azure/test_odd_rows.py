"""Rows that no careful program would write: they are read as far as possible or left out, without a crash and without
bypassing access rights."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from corpus.access import Caller
from corpus.errors import NotConfigured
from corpus.index.azure import AzureIndex, Place, Service
from corpus.index.azure.rows import RERANKED, SCORE, SearchParts, block_of, cosine, document_of, scores
from corpus.index.azure.schema.fields import ALL_OF_BLOCKS, ALL_OF_DOCUMENTS
from corpus.index.azure.service.azure_errors import row_of, total_of
from corpus.library import Library, no_url
from corpus.search import Listing, Search
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.azure.fault_desk import BRISK
from tests.doubles.azure_search import Fault, StandIn
from tests.server.desk import failure_in
from tests.shelf import a_document, texts

ANN = Caller(user_id="ann")
SECRET = "zanzibar"
"""Text in rows that nobody may read."""

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rag_semantic_search", {"query": "pump"}),
    ("rag_list_documents", {"sort_by": "title"}),
    ("rag_get_document", {"doc_id": "manual", "pages": "1-3"}),
    ("rag_synthesize", {"query": "What does the pump need?"}),
    ("rag_synthesize", {"query": "pump", "block_ids": ["manual-0", "odd"]}),
)

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
likely = st.sampled_from(
    [
        "ann", "*", "image", "text", "\ud800", "odd", "manual", "https://x/?sig=a&se=9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "2026-01-01", '[["T", 1, 1]]', '[["T", 1e999, "x"]]',
        ["ann"], ["*", 5], [["ann"]], [1, 2, 3, 4], ["a", "b", "c", "d"], [None, 1, 2, 3], 10**400, -1, 5e-324,
    ]
)  # fmt: skip
json_values = st.recursive(
    plain | likely,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


def marked(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row. If its access list does not let ann in, all its texts contain the secret."""
    if "access_control_list" not in row or readable(row["access_control_list"]):
        return row
    shown = ("content", "title", "filename", "heading", "image_caption", "author", "summary_brief")
    return row | dict.fromkeys(shown, SECRET)


def readable(listed: object) -> bool:
    names = isinstance(listed, list) and all(isinstance(one, str) for one in listed)
    return names and bool({"ann", "*"} & set(listed))  # type: ignore[call-overload]


BESIDE = ("@search.score", "@search.rerankerScore", "@search.captions")
"""Values that the service adds to the fields of a row."""

Case = tuple[list[dict[str, Any]], list[dict[str, Any]], Any]
"""Odd rows of both indexes, and the row count that the service reports."""


def odd_rows(names: tuple[str, ...]) -> st.SearchStrategy[list[dict[str, Any]]]:
    row = st.dictionaries(st.sampled_from((*names, "unheard_of")), json_values, max_size=len(names))
    return st.lists(row.map(marked), max_size=4)


odd_fields = st.tuples(odd_rows(ALL_OF_BLOCKS), odd_rows(ALL_OF_DOCUMENTS), st.none() | st.integers(-5, 9))
odd_everything = st.tuples(odd_rows((*ALL_OF_BLOCKS, *BESIDE)), odd_rows((*ALL_OF_DOCUMENTS, *BESIDE)), json_values)

GOOD_BLOCK = block_row(texts("manual", "The pump needs oil.")[0].block, ["ann"], None) | {"@search.score": 2.0}
GOOD_DOCUMENT = dict(document_row(a_document(title="Manual of pumps"))) | {"@search.score": 1.0}


def answers(good: Mapping[str, Any], odd: list[dict[str, Any]], count: object) -> Fault:
    return Fault(200, body={"@odata.count": count, "value": [good, *odd]})


async def asked(cases: list[Case], *, definition: bool, planned: tuple[str, ...] = ()) -> None:
    async with StandIn() as service:
        service.put_index(content_index())
        service.put_index(documents_index())
        key = service.admin_key if definition else service.query_key
        for blocks, documents, count in cases:
            place = Place(Service(service.endpoint, key), CONTENT, DOCUMENTS)
            async with AzureIndex(place, None, BRISK) as index:
                service.faults.clear()
                for name, answer in (
                    (CONTENT, answers(GOOD_BLOCK, blocks, count)),
                    (DOCUMENTS, answers(GOOD_DOCUMENT, documents, count)),
                ):
                    service.faults.add(answer, None, operation="search", index=name)
                await all_calls(index, planned)


async def all_calls(index: AzureIndex, planned: tuple[str, ...]) -> None:
    """Check that each call finds the good row, or fails in one of the expected ways."""
    library = Library(index, None, image_url=no_url)

    async def opened() -> Library:
        return library

    async with Client(build_server(opened, CallLog(lambda: ANN))) as client:
        for tool, arguments in CALLS:
            result = await client.call_tool(tool, arguments)
            said = json.dumps([one.model_dump(mode="json") for one in result.content])
            assert SECRET not in said, (tool, said)
            if result.is_error:
                failure = failure_in(result)
                # A document is not shown in part if the service counts more of its blocks than it returns.
                assert failure["type"] in planned or "gives only" in failure["error"], (tool, said)
            else:
                assert "manual" in said, (tool, said)


FEW = settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.parametrize("definition", [True, False])
@FEW
@given(cases=st.lists(odd_fields, min_size=1, max_size=3))
def test_a_good_row_is_found_and_a_hidden_one_is_not_whatever_other_rows_contain(
    definition: bool, cases: list[Case]
) -> None:
    anyio.run(lambda: asked(cases, definition=definition))


@FEW
@given(cases=st.lists(odd_everything, min_size=1, max_size=3))
def test_any_row_metadata_of_the_service_is_read_or_reported_as_invalid(
    cases: list[Case],
) -> None:
    anyio.run(lambda: asked(cases, definition=False, planned=("AzureSearchError",)))


@given(row=st.dictionaries(st.sampled_from((*ALL_OF_BLOCKS, *ALL_OF_DOCUMENTS)), json_values))
def test_any_row_is_a_block_and_a_document_valid_in_json_and_utf_8(row: dict[str, Any]) -> None:
    for made in (block_of(row), document_of(row)):
        repr(made).encode()
        values = [getattr(made, name) for name in made.__slots__]
        assert json.dumps([one for one in values if not isinstance(one, tuple)], allow_nan=False)


@pytest.mark.parametrize(
    ("value", "box"),
    [
        ([1, 2.5, 3, 4], (1.0, 2.5, 3.0, 4.0)),
        (["1", "2", "3", "4"], None),
        ([None, 1, 2, 3], None),
        ([math.nan, 1, 2, 3], None),
        ([10**400, 1, 2, 3], None),
        ("1234", None),
        ([1, 2, 3], None),
    ],
)
def test_a_box_is_four_numbers_or_none(value: object, box: object) -> None:
    assert block_of({"bbox": value}).bbox == box


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00+00:00"),
        ("0001-01-01T00:00:00+05:00", ""),
        ("9999-12-31T23:59:59-05:00", ""),
        ("yesterday", ""),
        (5, ""),
    ],
)
def test_a_date_is_read_in_utc_or_not_at_all(date: object, read: str) -> None:
    assert document_of({"upload_date": date}).upload_date == read


def test_an_outline_keeps_its_good_entries() -> None:
    entries = [
        ["One", 1, 5], ["Two", 2, "x"], ["Three", "x", 1], ["\ud800", 1, 2], ["Half \ud800", 1, None], 5, [],
        ["Six", 1e999, 1],
    ]  # fmt: skip
    outline = document_of({"outline": json.dumps(entries)}).outline
    assert [(one.title, one.level, one.page_number) for one in outline] == [
        ("One", 1, 5),
        ("Two", 2, None),
        ("Half ", 1, None),
    ]


@pytest.mark.parametrize("outline", ["5", "null", '{"a": 1}', "[", "[" * 100_000, '["abc"]', "[null]"])
def test_an_invalid_outline_is_empty(outline: str) -> None:
    assert document_of({"outline": outline}).outline == ()


@pytest.mark.parametrize("score", ["NaN", "x", None, True, math.inf, -math.inf, 10**400, [1]])
def test_a_score_that_is_not_a_number_counts_as_missing(score: object) -> None:
    row = row_of({SCORE: score, RERANKED: score})
    assert (row[SCORE], row[RERANKED]) == (None, None)
    for ran in (
        SearchParts(True, 0),
        SearchParts(True, 1),
        SearchParts(False, 1),
        SearchParts(True, 0, semantic=True),
    ):
        assert scores([row], ran) == [0.0]


@pytest.mark.parametrize("score", [5e-324, 1e308, 1.0, 0.5, -1.0])
def test_a_cosine_is_between_minus_one_and_one(score: float) -> None:
    found = cosine({SCORE: score})
    assert found is None or -1 <= found <= 1


@pytest.mark.parametrize("captions", ["x", 5, {"a": 1}, [None], ["x"], [{"text": "as JSON"}]])
def test_invalid_captions_are_left_out(captions: object) -> None:
    assert row_of({"@search.captions": captions})["@search.captions"] == ()


@pytest.mark.parametrize(
    ("given", "total"), [(3, 3), (0, 0), (-5, None), ("x", None), (True, None), (2.5, None), (10**400, None)]
)
def test_a_count_is_a_number_of_rows_or_unknown(given: object, total: int | None) -> None:
    assert total_of(given) == total


def filled() -> StandIn:
    service = StandIn()
    service.put_index(content_index())
    service.put_index(documents_index())
    service.put_documents(DOCUMENTS, [GOOD_DOCUMENT_ROW])
    return service


GOOD_DOCUMENT_ROW = {name: value for name, value in GOOD_DOCUMENT.items() if not name.startswith("@")}


@pytest.mark.anyio
async def test_a_row_without_its_key_is_dropped_alone_and_if_all_lack_it_the_error_names_the_fix() -> None:
    good = {name: value for name, value in GOOD_BLOCK.items() if not name.startswith("@")}
    async with filled() as service:
        service.put_documents(CONTENT, [good, good | {"block_id": "manual-1", "doc_id": None}])
        place = Place(Service(service.endpoint, service.admin_key), CONTENT, DOCUMENTS)
        async with AzureIndex(place, None, BRISK) as index:
            found = await index.find(Search("pump"), ANN)
            assert [hit.block.block_id for hit in found.hits] == ["manual-0"]
            without = {name: value for name, value in good.items() if name != "doc_id"}
            service.faults.add(Fault(200, body={"value": [without, without]}), operation="search", index=CONTENT)
            with pytest.raises(NotConfigured, match="rows without doc_id"):
                await index.find(Search("pump"), ANN)


@pytest.mark.anyio
@pytest.mark.parametrize("listed", [[["ann"]], 5, "ann", {"ann": 1}, None, ["ann", 5], [], ["bob"]])
async def test_an_invalid_access_list_admits_nobody(listed: object) -> None:
    async with filled() as service:
        place = Place(Service(service.endpoint, service.admin_key), CONTENT, DOCUMENTS)
        async with AzureIndex(place, None, BRISK) as index:
            odd_document = GOOD_DOCUMENT | {"doc_id": "odd", "access_control_list": listed}
            odd_block = GOOD_BLOCK | {"block_id": "odd", "access_control_list": listed}
            service.faults.add(answers(GOOD_DOCUMENT, [odd_document], 2), operation="search", index=DOCUMENTS)
            service.faults.add(answers(GOOD_BLOCK, [odd_block], 2), operation="search", index=CONTENT)
            page = await index.list_documents(Listing(), ANN)
            found = await index.find(Search("pump"), ANN)
    assert [one.doc_id for one in page.documents] == ["manual"]
    assert [hit.block.block_id for hit in found.hits] == ["manual-0"]
