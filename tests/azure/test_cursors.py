"""Lists of several pages while documents are added, removed and moved."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import Document
from corpus.errors import InvalidRequest
from corpus.filters import Filters
from corpus.index.azure import AzureIndex, Place, Service, listing
from corpus.index.azure import listing as cursor
from corpus.index.azure.listing import NO_FURTHER, begin_after
from corpus.search import Listing
from tests.azure.design_index import CONTENT, DOCUMENTS, content_index, document_row, documents_index
from tests.doubles.azure_search import StandIn
from tests.shelf import ANN, a_document

pytestmark = pytest.mark.anyio

PAGE = Listing(sort_by="title", limit=10)


def numbered(n: int, **changes: object) -> Document:
    return a_document(f"d{n:03}", **{"title": f"T{n:03}", **changes})


def put(service: StandIn, *documents: Document) -> None:
    service.put_documents(DOCUMENTS, [dict(document_row(one)) for one in documents])


def remove(service: StandIn, *doc_ids: str) -> None:
    service._does.index(DOCUMENTS).apply([{"@search.action": "delete", "doc_id": one} for one in doc_ids], at_once=True)


@pytest.fixture
async def service() -> AsyncIterator[StandIn]:
    async with StandIn() as service:
        service.put_index(content_index())
        service.put_index(documents_index())
        put(service, *(numbered(n) for n in range(60)))
        yield service


def opened(service: StandIn, key: str | None = None) -> AzureIndex:
    return AzureIndex(Place(Service(service.endpoint, key or service.admin_key), CONTENT, DOCUMENTS), None)


async def rest(index: AzureIndex, after: str | None, wanted: Listing = PAGE) -> list[str]:
    seen: list[str] = []
    while after:
        page = await index.list_documents(replace(wanted, after=after), ANONYMOUS)
        seen += [one.doc_id for one in page.documents]
        after = page.next_after
    return seen


FORMER = [f"d{n:03}" for n in range(10, 60)]
"""Documents in the list that the first page does not show."""


@pytest.mark.parametrize(
    "moved",
    [
        [(9, "T055z")], [(7, "T030z")], [(5, "T012z")], [(8, "T030y"), (9, "T030z")], [(9, "T000a")],
        [(5, "A"), (6, "B"), (7, "C")], [(9, "T055z"), (5, "A")], [(12, "A")], [(40, "T009z")],
    ],
)  # fmt: skip
async def test_documents_that_move_between_two_pages_cause_no_skips_or_repeats(
    service: StandIn, moved: Sequence[tuple[int, str]]
) -> None:
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        put(service, *(numbered(n, title=title) for n, title in moved))
        seen = await rest(index, first.next_after)
    those = {f"d{n:03}" for n, _ in moved}
    assert [one for one in seen if one not in those] == [one for one in FORMER if one not in those]


@pytest.mark.parametrize("gone", [[9], [5, 7], [0, 1, 2], [10, 11], [5, 6, 7, 8, 9]])
async def test_documents_removed_between_two_pages_cause_no_skips_or_repeats(
    service: StandIn, gone: Sequence[int]
) -> None:
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        remove(service, *(f"d{n:03}" for n in gone))
        seen = await rest(index, first.next_after)
    assert seen == [one for one in FORMER if int(one[1:]) not in gone]


async def test_a_page_whose_position_was_lost_reports_possibly_missing_documents(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "SLACK", 5)
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        second = await index.list_documents(replace(PAGE, after=first.next_after), ANONYMOUS)
        remove(service, *(f"d{n:03}" for n in range(25)))
        third = await index.list_documents(replace(PAGE, after=second.next_after), ANONYMOUS)
    assert second.warnings == ()
    assert third.documents[0].doc_id != "d025"
    assert third.warnings == (listing.LOST,)


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        (["A", "B"], []), (["T008a"], None), (["T005a", "T006a", "T008a"], None),
        (["T009a", "T010a"], ["new0", "new1"]),
    ],
)  # fmt: skip
async def test_documents_added_between_two_pages_cause_no_skips_or_repeats(
    service: StandIn, titles: Sequence[str], shown: list[str] | None
) -> None:
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        put(service, *(a_document(f"new{n}", title=title) for n, title in enumerate(titles)))
        seen = await rest(index, first.next_after)
    assert [one for one in seen if not one.startswith("new")] == FORMER
    if shown is not None:
        assert [one for one in seen if one.startswith("new")] == shown


@pytest.mark.parametrize(
    ("ids", "anchors", "begin"),
    [
        ("abcdefgh", "abcde", 5),
        ("xabcdefgh", "abcde", 6),
        ("abcdfghe", "abcde", 4),
        ("abcfghde", "abcde", 3),
        ("cdeabxx", "abcde", 5),
        ("xyzabcdefgh", "vwabc", 6),
        ("xyzxyzxyz", "abc", 2),
        ("abcxde", "abcde", 3),
        ("axxxb", "ab", 5),
        ("axxxxxxxxxxxb", "ab", 1),
    ],
)
def test_a_page_begins_after_adjacent_anchors(ids: str, anchors: str, begin: int) -> None:
    assert begin_after(ids, anchors, 5) == begin


@pytest.mark.parametrize(
    "other",
    [
        replace(PAGE, filters=Filters(department=("hr",))),
        replace(PAGE, filters=Filters(uploaded_after="2020-01-01")),
        replace(PAGE, query="T0"),
        replace(PAGE, sort_by="filename"),
    ],
)
async def test_a_cursor_of_another_list_is_refused(service: StandIn, other: Listing) -> None:
    put(service, *(numbered(n, department="hr") for n in range(60)))
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        with pytest.raises(InvalidRequest, match="cursor is not of this list"):
            await index.list_documents(replace(other, after=first.next_after), ANONYMOUS)


async def test_a_cursor_is_valid_for_another_limit_and_reordered_filter_values(
    service: StandIn,
) -> None:
    put(service, *(numbered(n, department="hr") for n in range(60)))
    wanted = replace(PAGE, filters=Filters(department=("hr", "it")))
    async with opened(service) as index:
        first = await index.list_documents(wanted, ANONYMOUS)
        turned = replace(wanted, filters=Filters(department=("it", "hr")), limit=3)
        assert await rest(index, first.next_after, turned) == FORMER


@pytest.mark.parametrize("place", [[0, "d001"], [True, "d001"], [5], [5, "'"], [5, *["d001"] * 6], ["5", "d001"]])
async def test_a_forged_position_is_refused(service: StandIn, place: list[object]) -> None:
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        digest = json.loads(base64.urlsafe_b64decode(first.next_after or ""))[0]
        made = base64.urlsafe_b64encode(json.dumps([digest, *place]).encode()).decode()
        with pytest.raises(InvalidRequest, match="cursor"):
            await index.list_documents(replace(PAGE, after=made), ANONYMOUS)


async def test_a_list_that_the_service_stops_paging_says_so_and_has_no_cursor(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SKIPPED", 25)
    monkeypatch.setattr(cursor, "MAX_SKIPPED", 25)
    async with opened(service) as index:
        first = await index.list_documents(PAGE, ANONYMOUS)
        second = await index.list_documents(replace(PAGE, after=first.next_after), ANONYMOUS)
        third = await index.list_documents(replace(PAGE, after=second.next_after), ANONYMOUS)
    assert (first.warnings, second.warnings, third.warnings) == ((), (), (NO_FURTHER,))
    assert len(third.documents) == 10
    assert third.next_after is None


async def test_a_list_warns_a_named_caller_if_the_kind_of_names_is_only_guessed(service: StandIn) -> None:
    for key, caller, told in (
        (service.query_key, ANN, True),
        (service.query_key, ANONYMOUS, False),
        (service.admin_key, ANN, False),
    ):
        async with opened(service, key) as index:
            page = await index.list_documents(PAGE, caller)
        assert any("RAG_PRINCIPAL_PREFIXES=true" in one for one in page.warnings) == told
