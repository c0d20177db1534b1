"""Documents in the emulator: batches, look-ups, counts, pages, order, fields, facets."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.search.documents.models import IndexDocumentsBatch

from tests.doubles.azure_search import Refused, StandIn
from tests.doubles.azure_search.sample import DEFINITION, NAME, client, filled, found, hits

pytestmark = pytest.mark.anyio


async def post(service: StandIn, path: str, body: Any) -> tuple[int, Any]:
    url = f"{service.endpoint}/indexes('{NAME}')/docs/{path}?api-version=2026-04-01"
    key = {"api-key": service.admin_key}
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=key) as answer:
        return answer.status, await answer.json()


async def test_a_batch_reports_the_result_of_each_document() -> None:
    async with StandIn() as service:
        filled(service, {"title": "old", "page": 1})
        actions = [
            {"@search.action": "upload", "block_id": "new"},
            {"@search.action": "mergeOrUpload", "block_id": "1", "title": "changed"},
            {"@search.action": "merge", "block_id": "nobody", "title": "x"},
            {"@search.action": "delete", "block_id": "nobody"},
        ]
        status, body = await post(service, "search.index", {"value": actions})
        assert status == 207
        assert [(one["key"], one["status"], one["statusCode"]) for one in body["value"]] == [
            ("new", True, 201), ("1", True, 200), ("nobody", False, 404), ("nobody", True, 200),
        ]  # fmt: skip
        assert body["value"][2]["errorMessage"] == "Document not found."
        kept = {row["block_id"]: row for row in service.documents(NAME)}
        assert kept.keys() == {"1", "new"}
        assert (kept["1"]["title"], kept["1"]["page"]) == ("changed", 1)


async def test_an_upload_replaces_the_entire_document_and_a_merge_its_fields() -> None:
    async with StandIn() as service:
        filled(service, {"title": "old", "page": 1}, {"title": "old", "page": 2})
        async with client(service) as own:
            await own.upload_documents([{"block_id": "1", "title": "new"}])
            await own.merge_documents([{"block_id": "2", "title": "new", "tags": ["a"]}])
            replaced, merged = await own.get_document("1"), await own.get_document("2")
            assert (replaced["title"], replaced["page"]) == ("new", None)
            assert (merged["title"], merged["page"], merged["tags"]) == ("new", 2, ["a"])


async def test_a_batch_that_failed_everywhere_is_still_an_answer() -> None:
    async with StandIn() as service:
        filled(service)
        async with client(service) as own:
            results = await own.merge_documents([{"block_id": "42"}])
            assert [(one.succeeded, one.status_code) for one in results] == [(False, 404)]


async def test_one_text_that_is_too_long_to_compare_fails_alone() -> None:
    async with StandIn() as service:
        filled(service)
        async with client(service) as own:
            long, short = {"block_id": "1", "kind": "x" * 32_767}, {"block_id": "2", "content": "x" * 32_767}
            results = await own.upload_documents([long, short])
            assert [one.status_code for one in results] == [400, 201]
            with pytest.raises(Refused):
                service.put_documents(NAME, [long])


UNREADABLE: list[dict[str, Any]] = [
    {}, {"block_id": ""}, {"block_id": "a b"}, {"block_id": "a/b"}, {"block_id": "x" * 1025}, {"block_id": 1},
    {"block_id": "1", "page": "7"}, {"block_id": "1", "page": 2**31}, {"block_id": "1", "page": True},
    {"block_id": "1", "tags": None}, {"block_id": "1", "tags": "a"}, {"block_id": "1", "tags": [None]},
    {"block_id": "1", "changed": "2026-01-01"}, {"block_id": "1", "changed": "2026-01-01T00:00:00"},
    {"block_id": "1", "meaning": [1.0]}, {"block_id": "1", "meaning": ["a", "b", "c"]},
    {"block_id": "1", "nobody": 1},
]  # fmt: skip


async def test_a_document_that_cannot_be_read_refuses_the_entire_batch() -> None:
    async with StandIn() as service:
        filled(service)
        for document in UNREADABLE:
            status, body = await post(service, "search.index", {"value": [{"block_id": "good"}, document]})
            assert status == 400, document
            assert body["error"]["message"], document
            assert service.documents(NAME) == [], document


@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
async def test_a_batch_has_its_limits() -> None:
    async with StandIn() as service:
        filled(service)
        many = [{"@search.action": "delete", "block_id": str(at)} for at in range(1001)]
        assert (await post(service, "search.index", {"value": many}))[0] == 400
        assert (await post(service, "search.index", {"value": many[:1000]}))[0] == 200
        assert (await post(service, "search.index", {"value": []}))[0] == 400
        async with client(service) as own:
            batch = IndexDocumentsBatch()
            batch.add_upload_actions([{"block_id": "1", "content": "x" * 17_000_000}])
            with pytest.raises(HttpResponseError) as refused:
                await own.index_documents(batch)
            assert refused.value.status_code == 413


async def test_invalid_json_and_invalid_unicode_are_refused() -> None:
    async with StandIn() as service:
        filled(service)
        for text in ['{"block_id": "1", "rating": NaN}', '{"block_id": "1", "content": "\\ud83d"}', "{"]:
            url = f"{service.endpoint}/indexes('{NAME}')/docs/search.index?api-version=2026-04-01"
            sent = {"data": f'{{"value": [{text}]}}', "headers": {"api-key": service.admin_key}}
            async with aiohttp.ClientSession() as session, session.post(url, **sent) as answer:
                assert answer.status == 400, text
            assert service.documents(NAME) == [], text


async def test_a_lookup_returns_every_retrievable_field() -> None:
    async with StandIn() as service:
        filled(service, {"title": "t", "access_control_list": ["hr"], "meaning": [1.0, 0.0, 0.0]})
        async with client(service) as own:
            got = dict(await own.get_document("1"))
            names = [one["name"] for one in DEFINITION["fields"] if one.get("retrievable", True)]
            assert list(got) == names
            assert (got["title"], got["page"], got["tags"]) == ("t", None, [])
            assert dict(await own.get_document("1", selected_fields=["title"])) == {"title": "t"}
            with pytest.raises(HttpResponseError, match="not retrievable"):
                await own.get_document("1", selected_fields=["access_control_list"])


async def test_a_lookup_of_a_missing_key_has_no_body() -> None:
    async with StandIn() as service:
        filled(service)
        async with client(service) as own:
            with pytest.raises(ResourceNotFoundError) as missing:
                await own.get_document("nobody")
            assert missing.value.response.text() == ""
            assert missing.value.error is None
            assert "Content-Type" not in missing.value.response.headers


async def test_the_document_count_is_plain_text() -> None:
    async with StandIn() as service:
        filled(service, {}, {}, {})
        async with client(service) as own:
            assert await own.get_document_count() == 3


async def test_hits_have_the_index_fields_in_order_and_never_hidden_ones() -> None:
    async with StandIn() as service:
        filled(service, {"title": "t", "page": 3, "access_control_list": ["hr"]})
        _, body = await post(service, "search.post.search", {"search": "*", "select": "page, title"})
        assert body == {"value": [{"@search.score": 1.0, "title": "t", "page": 3}]}
        assert "access_control_list" not in (await hits(service))[0]
        for name in ("access_control_list", "nobody"):
            with pytest.raises(HttpResponseError) as refused:
                await found(service, select=[name])
            assert refused.value.status_code == 400


async def test_without_top_a_page_has_fifty_rows() -> None:
    async with StandIn() as service:
        filled(service, *({"page": at} for at in range(120)))
        _, body = await post(service, "search.post.search", {"search": "*", "orderby": "page asc", "select": "page"})
        assert len(body["value"]) == 50
        assert body["@search.nextPageParameters"] == {
            "search": "*", "orderby": "page asc", "select": "page", "top": None, "skip": 50,
        }  # fmt: skip
        assert body["@odata.nextLink"].startswith(service.endpoint)
        assert list(body)[-2:] == ["value", "@odata.nextLink"]
        service.requests.clear()
        assert [hit["page"] for hit in await hits(service, order_by=["page"])] == list(range(120))
        assert len(service.requests) == 3


async def test_with_top_there_is_no_next_page_and_skip_continues() -> None:
    async with StandIn() as service:
        filled(service, *({"page": at} for at in range(9)))
        async with client(service) as own:
            answer = await own.search(order_by=["page desc"], top=3, skip=2, include_total_count=True)
            assert [hit["page"] async for hit in answer] == [6, 5, 4]
            assert await answer.get_count() == 9
        assert await found(service, top=0) == []
        assert len(service.requests) == 2


async def test_more_than_a_thousand_rows_come_in_several_pages() -> None:
    async with StandIn() as service:
        filled(service, *({"page": at} for at in range(1100)))
        assert [hit["page"] for hit in await hits(service, order_by=["page"], top=1050)] == list(range(1050))
        assert len(service.requests) == 2


async def test_invalid_pages_and_orders_are_refused() -> None:
    async with StandIn() as service:
        filled(service)
        for options in [
            {"skip": 100_001},
            {"top": -1},
            {"order_by": ["tags"]},
            {"order_by": ["nobody"]},
            {"order_by": ["page up"]},
        ]:
            with pytest.raises(HttpResponseError) as refused:
                await found(service, **options)
            assert refused.value.status_code == 400, options


async def test_null_sorts_first_and_case_counts_only_without_a_normalizer() -> None:
    async with StandIn() as service:
        filled(service, {"file": "b", "page": 1}, {"page": 2}, {"file": "A", "page": 3}, {"file": "a", "page": 1})
        assert await found(service, order_by=["file", "page"]) == ["2", "4", "3", "1"]
        assert await found(service, order_by=["file desc", "page desc"]) == ["1", "3", "4", "2"]
        assert (await hits(service, order_by=["page"]))[0]["@search.score"] == 1.0


async def test_facets_count_all_hits_most_frequent_first() -> None:
    async with StandIn() as service:
        filled(
            service,
            {"kind": "b", "tags": ["x", "y"]},
            {"kind": "b", "tags": ["x"]},
            {"kind": "a"},
            {"kind": "c"},
            {},
        )
        async with client(service) as own:
            answer = await own.search("*", facets=["kind", "tags,count:1", "page"], top=1)
            assert await answer.get_facets() == {
                "kind": [{"value": "b", "count": 2}, {"value": "a", "count": 1}, {"value": "c", "count": 1}],
                "tags": [{"value": "x", "count": 2}],
                "page": [],
            }
        with pytest.raises(HttpResponseError, match="not facetable"):
            await found(service, facets=["content"])


async def test_unsupported_features_are_refused_and_not_ignored() -> None:
    async with StandIn() as service:
        filled(service)
        for options in ({"highlight_fields": "content"}, {"scoring_profile": "nobody"}):
            with pytest.raises(HttpResponseError) as refused:
                await found(service, **options)
            assert refused.value.status_code == 400


async def test_documents_become_searchable_a_while_after_they_were_accepted() -> None:
    async with StandIn(indexing_delay=0.2) as service:
        filled(service)
        async with client(service) as own:
            assert (await own.upload_documents([{"block_id": "1"}]))[0].status_code == 201
            assert await own.get_document_count() == 0
            assert (await own.merge_documents([{"block_id": "1", "page": 2}]))[0].succeeded
            assert await found(service) == []
            while not await found(service, filter="page eq 2"):
                assert service.documents(NAME)


async def test_documents_that_a_test_adds_are_searchable_immediately() -> None:
    async with StandIn(indexing_delay=3600) as service:
        filled(service, {"page": 1})
        async with client(service) as own:
            await own.merge_documents([{"block_id": "1", "page": 2}])
            assert await found(service, filter="page eq 1") == ["1"]
        service.put_documents(NAME, [{"block_id": "2", "page": 2}])
        assert sorted(await found(service, filter="page eq 2")) == ["1", "2"]
