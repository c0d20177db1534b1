"""A filter that the index does not support is reported, whether the index definition or only the service's refusal
reveals it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from corpus.access import ANONYMOUS
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import Filters
from corpus.index.azure import AzureIndex, Place, Service, Wishes
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

DAY = Filters(uploaded_after="2026-01-01")
PAGE = Filters(page_number=(1,))


def as_text(definition: dict[str, Any], name: str) -> dict[str, Any]:
    fields = [one | {"type": "Edm.String"} if one["name"] == name else one for one in definition["fields"]]
    return definition | {"fields": fields}


@pytest.fixture
async def service() -> AsyncIterator[StandIn]:
    """A service whose upload dates and page numbers are texts."""
    async with StandIn() as service:
        service.put_index(as_text(content_index(), "page_number"))
        service.put_index(as_text(documents_index(), "upload_date"))
        service.put_documents(DOCUMENTS, [dict(document_row(a_document()))])
        row = block_row(texts("manual", "A pump.")[0].block, ["*"], None)
        service.put_documents(CONTENT, [row | {"page_number": "1"}])
        yield service


def opened(service: StandIn, key: str) -> AzureIndex:
    return AzureIndex(Place(Service(service.endpoint, key), CONTENT, DOCUMENTS, Wishes((), "none")), None)


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        (
            DAY,
            r"uploaded_after and uploaded_before: its field upload_date is Edm\.String, which holds no date",
        ),
        (PAGE, r"page_number: its field page_number is Edm\.String, which holds no number"),
    ],
)
async def test_a_field_of_another_type_is_reported_before_anything_is_sent(
    service: StandIn, filters: Filters, said: str
) -> None:
    async with opened(service, service.admin_key) as index:
        for call in (
            index.find(Search("pump", filters=filters), ANONYMOUS),
            index.list_documents(Listing(sort_by="title", filters=filters), ANONYMOUS),
        ):
            with pytest.raises(InvalidRequest, match=said):
                await call
    assert not [one for one in service.requests if one.status == 400]


@pytest.mark.parametrize(("filters", "said"), [(DAY, "uploaded_after"), (PAGE, "page_number")])
async def test_a_refusal_names_the_filters_if_no_definition_can_be_read(
    service: StandIn, filters: Filters, said: str
) -> None:
    async with opened(service, service.query_key) as index:
        with pytest.raises(InvalidRequest, match=f"cannot be filtered by {said}") as raised:
            await index.find(Search("pump", filters=filters), ANONYMOUS)
        with pytest.raises(InvalidRequest, match="filtered"):
            await index.list_documents(Listing(sort_by="title", filters=filters), ANONYMOUS)
        assert len((await index.find(Search("pump"), ANONYMOUS)).hits) == 1
    assert raised.value.hints


async def test_a_refusal_without_filters_or_with_a_known_index_is_unchanged(service: StandIn) -> None:
    service.faults.add(Fault(400), None, operation="search")
    for key, filters in ((service.query_key, Filters()), (service.admin_key, Filters(doc_id=("manual",)))):
        async with opened(service, key) as index:
            with pytest.raises(AzureSearchError):
                await index.find(Search("pump", filters=filters), ANONYMOUS)


@pytest.mark.parametrize("may", ["admin_key", "query_key"])
async def test_pages_are_found_even_if_their_numbers_cannot_be_compared(service: StandIn, may: str) -> None:
    async with opened(service, getattr(service, may)) as index:
        assert [one.content for one in await index.pages("manual", 1, 2, ANONYMOUS)] == ["A pump."]


async def test_facts_that_blocks_store_in_another_type_are_looked_up_in_the_documents(service: StandIn) -> None:
    made = content_index()
    dated = {"name": "upload_date", "type": "Edm.String", "filterable": True, "retrievable": True}
    service.clear()
    service.put_index(made | {"fields": [*made["fields"], dated]})
    service.put_index(documents_index())
    service.put_documents(DOCUMENTS, [dict(document_row(a_document()))])
    service.put_documents(CONTENT, [block_row(texts("manual", "A pump.")[0].block, ["*"], None)])
    async with opened(service, service.admin_key) as index:
        found = await index.find(Search("pump", filters=DAY), ANONYMOUS)
    assert len(found.hits) == 1
