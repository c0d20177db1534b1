"""A result that needs more rows than one answer holds is complete, or the reader is told that it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from corpus.access import ANONYMOUS
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import Filters
from corpus.index.azure import AzureIndex, Place, Service, Wishes, filter_conditions, lookup, name_variants, view
from corpus.index.azure.schema.index_schema import FieldShape, Shape
from corpus.index.azure.service.connection import Answer
from corpus.index.azure.view import every_row
from corpus.search import Listing, Search
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.doubles.azure_search import Fault, StandIn
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio

MANY = 2500
"""Number of rows, far above the maximum of a thousand rows per answer."""

NUMBERED = Search("numberd02345", filters=Filters(department=("hr",)))
"""Query for one block of one document, among many that match the filter."""


def unsortable(definition: dict[str, Any]) -> dict[str, Any]:
    fields = [
        one | {"sortable": False} if one["name"] in ("block_id", "doc_id") else one for one in definition["fields"]
    ]
    return definition | {"fields": fields}


def fill(service: StandIn, how: Callable[[dict[str, Any]], dict[str, Any]], many: int = MANY) -> None:
    """Add `many` documents of one block, and one document of `many` blocks."""
    service.put_index(how(content_index()))
    service.put_index(how(documents_index()))
    each = [a_document(f"d{n:05}", department="hr", author=f"A{n:05}") for n in range(many)]
    service.put_documents(DOCUMENTS, [dict(document_row(one)) for one in each])
    service.put_documents(DOCUMENTS, [dict(document_row(a_document("big", department="it")))])
    blocks = [new.block for one in each for new in texts(one.doc_id, f"pump number{one.doc_id}")]
    blocks += [new.block for new in texts("big", *(f"valve {n}" for n in range(many)))]
    service.put_documents(CONTENT, [block_row(one, ["*"], None) for one in blocks])


def opened(service: StandIn, key: str) -> AzureIndex:
    place = Place(Service(service.endpoint, key), CONTENT, DOCUMENTS, Wishes((), "none"))
    return AzureIndex(place, None)


def as_it_is(definition: dict[str, Any]) -> dict[str, Any]:
    return definition


@pytest.mark.parametrize("may", ["query_key", "admin_key"])
async def test_a_document_a_filter_and_values_are_complete_with_any_credential(service: StandIn, may: str) -> None:
    fill(service, as_it_is)
    async with opened(service, getattr(service, may)) as index:
        blocks = await index.pages("big", 1, MANY, ANONYMOUS)
        values = await index.values("author", ANONYMOUS)
        found = await index.find(NUMBERED, ANONYMOUS)
    assert len({one.block_id for one in blocks}) == MANY
    assert [one for one in values if one.startswith("A")] == [f"A{n:05}" for n in range(MANY)]
    assert [hit.block.doc_id for hit in found.hits] == ["d02345"]
    assert not [one for one in found.warnings if "only" in one]


@pytest.mark.parametrize("may", ["query_key", "admin_key"])
async def test_rows_that_cannot_be_sorted_are_complete_or_the_reader_is_told(service: StandIn, may: str) -> None:
    fill(service, unsortable)
    async with opened(service, getattr(service, may)) as index:
        found = await index.find(NUMBERED, ANONYMOUS)
        told = [f"fit {MANY} documents; only" in one for one in found.warnings]
        assert any(told) or [hit.block.doc_id for hit in found.hits] == ["d02345"]
        told_of_blocks, seen = False, 0
        try:
            seen = len(await index.pages("big", 1, MANY, ANONYMOUS))
        except InvalidRequest as error:
            told_of_blocks = f"of the {MANY} blocks" in str(error)
    assert told_of_blocks or seen == MANY


async def test_a_refused_sort_order_is_not_requested_again(service: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(service, unsortable, many=3)
    async with opened(service, service.query_key) as index:
        for _ in range(3):
            await index.pages("big", 1, 9, ANONYMOUS)
    refused = [one for one in service.requests if one.status == 400]
    assert len(refused) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda index: index.pages("big", 1, 9, ANONYMOUS), "only 2 of the 5 blocks"),
        (lambda index: index.values("author", ANONYMOUS), "6 documents that you may read"),
        (
            lambda index: index.list_documents(Listing(filters=Filters(block_type=("text",))), ANONYMOUS),
            "Too many blocks",
        ),
    ],
)
async def test_a_result_beyond_our_own_limits_is_reported_and_not_cut_silently(
    service: StandIn, monkeypatch: pytest.MonkeyPatch, call: Callable[[AzureIndex], Any], said: str
) -> None:
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    monkeypatch.setattr(lookup, "MAX_DOCUMENT_BLOCKS", 2)
    monkeypatch.setattr(filter_conditions, "MAX_FILTER_BLOCKS", 2)
    monkeypatch.setattr(name_variants, "MAX_VALUES", 2)
    fill(service, as_it_is, many=5)
    async with opened(service, service.admin_key) as index:
        with pytest.raises(InvalidRequest, match=said):
            await call(index)


async def test_a_row_dropped_by_the_second_check_does_not_end_the_list(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    fill(service, as_it_is, many=5)
    row = block_row(texts("big", "x")[0].block, ["*"], None)
    rows = [row | {"block_id": f"big-{n}", "access_control_list": ["*" if n else "ann"]} for n in range(4)]
    async with opened(service, service.admin_key) as index:
        await index.counts(ANONYMOUS)
        for part in (rows[:2], rows[2:], []):
            body = {"@odata.count": 4, "value": part}
            service.faults.add(Fault(200, body=body), operation="search", index=CONTENT)
        found = await index.pages("big", 1, 9, ANONYMOUS)
    assert [one.block_id for one in found] == ["big-1", "big-2", "big-3"]


def asks(*pages: list[str], total: int | None) -> Callable[..., Any]:
    """Return a service that answers with these keys, one list for each answer."""
    left = list(pages)

    async def ask(**_: Any) -> Answer:
        rows = tuple({"doc_id": one} for one in left.pop(0))
        return Answer(rows, total, row_count=len(rows))

    return ask


KNOWN = Shape("x", known=True, fields={"doc_id": FieldShape()})
UNSORTABLE = Shape("x", known=True, fields={"doc_id": FieldShape(frozenset())})


@pytest.mark.parametrize(
    ("pages", "total", "shape", "seen", "cut"),
    [
        ([["a", "b"], ["c"]], 3, KNOWN, "abc", False),
        ([["a", "b"], ["c"]], 10**9, KNOWN, "abc", True),
        ([["a", "b"], ["c", "d"], []], None, KNOWN, "abcd", False),
        ([["a", "b"], ["a", "c"], [], ["d", "c"], ["a", "b"], []], 4, UNSORTABLE, "abcd", False),
        ([["a", "b"], ["a", "c"], []] * 3, 4, UNSORTABLE, "abc", True),
        ([["a", "b"], ["b"], ["a", "b"], ["b"], ["a", "b"], ["b"]], None, UNSORTABLE, "ab", True),
        ([["a"]], None, UNSORTABLE, "a", False),
        ([["a"], ["a"], ["a"]], 2, UNSORTABLE, "a", True),
    ],
    ids=["ordered", "miscounted", "uncounted", "again", "never", "unknown", "one", "short"],
)
async def test_rows_are_fetched_until_the_count_is_reached(
    monkeypatch: pytest.MonkeyPatch, pages: list[list[str]], total: int | None, shape: Shape, seen: str, cut: bool
) -> None:  # fmt: skip
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    found = await every_row(asks(*pages, total=total), "doc_id", 100, shape)
    assert ("".join(sorted(row["doc_id"] for row in found.rows)), found.cut) == (seen, cut)


async def test_rows_between_answers_of_a_late_and_an_early_replica_are_seen_or_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    turns: list[int] = []

    def replicas(first: str, then: str) -> Callable[..., Any]:
        async def ask(*, skip: int, top: int, **_: Any) -> Answer:
            turns.append(skip)
            held = first if len(turns) % 2 else then
            rows = tuple({"doc_id": one} for one in held[skip : skip + top])
            return Answer(rows, len(held), row_count=len(rows))

        return ask

    found = await every_row(replicas("abcde", "bcde"), "doc_id", 100, Shape("i"))
    assert ("".join(sorted(row["doc_id"] for row in found.rows)), found.cut) == ("abcde", False)

    async def never(*, skip: int, top: int, **_: Any) -> Answer:
        rows = tuple({"doc_id": one} for one in "abd"[skip : skip + top])
        return Answer(rows, 4, row_count=len(rows))

    assert (await every_row(never, "doc_id", 100, Shape("i"))).cut


async def test_a_refusal_for_another_reason_than_the_order_stays_a_refusal(service: StandIn) -> None:
    fill(service, as_it_is, many=1)
    async with opened(service, service.query_key) as index:
        service.faults.add(Fault(400), None, operation="search", index=CONTENT)
        with pytest.raises(AzureSearchError):
            await index.pages("big", 1, 9, ANONYMOUS)
        service.faults.clear()
        before = len(service.requests)
        await index.pages("big", 1, 9, ANONYMOUS)
    assert [one.body.get("orderby") for one in service.requests[before:]] == ["block_id asc"]
