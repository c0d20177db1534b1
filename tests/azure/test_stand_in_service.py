"""The emulator as a service: access control, faults, the log of requests, and indexes."""

from __future__ import annotations

import asyncio
import copy
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from azure.core import MatchConditions
from azure.core.credentials import AccessToken, AzureKeyCredential
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
    ServiceRequestError,
    ServiceResponseTimeoutError,
)
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex, SimpleField

from tests.doubles.azure_search import Fault, StandIn
from tests.doubles.azure_search.sample import DEFINITION, NAME, client, filled, found, index_client

pytestmark = pytest.mark.anyio

POST_TOO = frozenset(["GET", "POST"])


class Token:
    """A credential with one token that never expires."""

    def __init__(self, token: str) -> None:
        self._token = AccessToken(token, int(time.time()) + 3600)

    async def get_token(self, *_: str, **__: Any) -> AccessToken:
        return self._token

    async def close(self) -> None: ...

    async def __aenter__(self) -> Token:
        return self

    async def __aexit__(self, *_: object) -> None: ...


async def test_a_query_key_can_only_search_look_up_and_count() -> None:
    async with StandIn() as service:
        filled(service, {})
        async with (
            client(service, service.query_key) as own,
            index_client(service, service.query_key) as indexes,
        ):
            assert [hit["block_id"] async for hit in await own.search("*")] == ["1"]
            assert (await own.get_document("1"))["block_id"] == "1"
            assert await own.get_document_count() == 1
            for refused in (
                own.upload_documents([{"block_id": "2"}]),
                indexes.get_index(NAME),
                indexes.delete_index(NAME),
            ):
                with pytest.raises(HttpResponseError) as error:
                    await refused
                assert error.value.status_code == 403
        assert [one.status for one in service.requests] == [200, 200, 200, 403, 403, 403]


async def test_a_wrong_key_is_forbidden_and_a_missing_one_is_unauthorised() -> None:
    async with StandIn() as service:
        filled(service)
        async with client(service, "wrong") as own:
            with pytest.raises(HttpResponseError) as error:
                await own.get_document_count()
            assert error.value.status_code == 403
        async with aiohttp.ClientSession() as session:
            url = f"{service.endpoint}/indexes('{NAME}')/docs/$count"
            async with session.get(url, params={"api-version": "2026-04-01"}) as answer:
                assert answer.status == 401
            async with session.get(url, headers={"api-key": service.admin_key}) as answer:
                assert answer.status == 400


async def test_over_tls_a_token_has_the_rights_of_its_role() -> None:
    async with StandIn(tls=True) as service:
        filled(service, {})
        service.tokens |= {"reading": "reader", "writing": "contributor"}
        for token, statuses in {
            "reading": [200, 403, 403],
            "writing": [200, 200, 200],
            "stolen": [403, 403, 403],
        }.items():
            service.requests.clear()
            tls: dict[str, Any] = {"connection_verify": service.ca_file, "retry_total": 0}
            async with (
                SearchClient(service.endpoint, NAME, Token(token), **tls) as own,
                SearchIndexClient(service.endpoint, Token(token), **tls) as indexes,
            ):
                calls = (
                    own.get_document_count(),
                    own.upload_documents([{"block_id": "2"}]),
                    indexes.get_index(NAME),
                )
                await asyncio.gather(*calls, return_exceptions=True)
            by_operation = {one.operation: one.status for one in service.requests}
            assert [by_operation[name] for name in ("count", "batch", "get_index")] == statuses


async def test_tls_is_not_trusted_without_the_certificate_authority() -> None:
    async with StandIn(tls=True) as service:
        filled(service)
        assert service.endpoint.startswith("https://127.0.0.1:")
        async with client(service) as own:
            with pytest.raises(ServiceRequestError):
                await own.get_document_count()
        async with client(service, connection_verify=service.ca_file) as own:
            assert await own.get_document_count() == 0


async def test_the_log_contains_every_request_as_sent() -> None:
    async with StandIn() as service:
        filled(service)
        await found(service, "pump", filter="page eq 1", top=5)
        (entry,) = service.requests
        assert (entry.method, entry.operation, entry.index, entry.status) == ("POST", "search", NAME, 200)
        assert entry.body == {"search": "pump", "filter": "page eq 1", "top": 5}
        assert entry.headers["api-key"] == service.admin_key


async def test_a_fault_affects_only_the_requests_that_it_is_for() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(status=503), times=2, operation="search", index=NAME)
        async with client(service) as own:
            assert await own.get_document_count() == 1
        for _ in range(2):
            with pytest.raises(HttpResponseError, match="Reduce the rate of requests") as error:
                await found(service)
            assert error.value.status_code == 503
        assert await found(service) == ["1"]
        assert [one.status for one in service.requests] == [200, 503, 503, 200]


async def test_a_client_waits_as_long_as_the_service_requests() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(status=503, headers={"Retry-After": "1"}))
        start = time.monotonic()
        async with client(service, retry_total=1) as own:
            assert [hit["block_id"] async for hit in await own.search("*")] == ["1"]
        assert time.monotonic() - start >= 1
        assert [one.status for one in service.requests] == [503, 200]


async def test_a_quota_answer_has_the_body_set_by_the_test() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(status=429, body={"error": {"code": "", "message": "quota of this test"}}))
        service.faults.add(Fault(status=500, body="no JSON"))
        with pytest.raises(HttpResponseError, match="quota of this test") as error:
            await found(service)
        assert error.value.status_code == 429
        with pytest.raises(HttpResponseError) as error:
            await found(service)
        assert error.value.response.text() == "no JSON"


async def test_a_dropped_connection_returns_no_answer() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(drop=True))
        with pytest.raises(ServiceRequestError):
            await found(service)
        service.faults.add(Fault(drop=True))
        async with client(service, retry_total=1) as own:
            assert [hit["block_id"] async for hit in await own.search("*", retry_on_methods=POST_TOO)] == ["1"]
        assert [one.status for one in service.requests] == [0, 0, 200]


async def test_a_slow_answer_is_the_real_one_for_a_client_that_waits() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(delay=0.3), times=2)
        async with client(service, read_timeout=0.1) as own:
            with pytest.raises(ServiceResponseTimeoutError):
                await own.get_document_count()
        assert await found(service) == ["1"]


async def test_indexes_are_created_read_changed_and_deleted() -> None:
    async with StandIn() as service, index_client(service) as indexes:
        made = await indexes.create_index(SearchIndex(copy.deepcopy(DEFINITION)))
        assert made.e_tag
        assert {one.name: one.hidden for one in made.fields}["access_control_list"] is True
        with pytest.raises(ResourceExistsError):
            await indexes.create_index(SearchIndex(copy.deepcopy(DEFINITION)))
        service.put_documents(NAME, [{"block_id": "1", "page": 1}])
        made.fields.append(SimpleField(name="extra", type="Edm.String"))
        changed = await indexes.create_or_update_index(made)
        assert changed.fields[-1].name == "extra"
        assert service.documents(NAME)[0]["extra"] is None
        assert [one async for one in indexes.list_index_names()] == [NAME]
        assert (await indexes.get_index_statistics(NAME)).document_count == 1
        assert (await indexes.get_service_statistics()).counters.index_counter.usage == 1
        with pytest.raises(ResourceModifiedError):
            await indexes.create_or_update_index(made, match_condition=MatchConditions.IfNotModified)
        await indexes.delete_index(NAME)
        with pytest.raises(ResourceNotFoundError, match=f"No index with the name '{NAME}' was found"):
            await indexes.get_index(NAME)


async def test_an_existing_field_cannot_be_changed() -> None:
    async with StandIn() as service, index_client(service) as indexes:
        service.put_index(DEFINITION)
        for change in ({"filterable": False}, {"type": "Edm.Int64"}):
            fields = [one | (change if one["name"] == "page" else {}) for one in DEFINITION["fields"]]
            with pytest.raises(HttpResponseError, match="cannot be changed"):
                await indexes.create_or_update_index(SearchIndex(DEFINITION | {"fields": fields}))
        fields = [one | ({"retrievable": False} if one["name"] == "page" else {}) for one in DEFINITION["fields"]]
        assert await indexes.create_or_update_index(SearchIndex(DEFINITION | {"fields": fields}))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Upper"}, {"name": "a--b"}, {"fields": []}, {"fields": DEFINITION["fields"] * 2},
        {"vectorSearch": None},
        {"semantic": {"configurations": [{"name": "s", "prioritizedFields": {"titleField": {"fieldName": "nobody"}}}]}},
        {"semantic": {"defaultConfiguration": "nobody", "configurations": []}},
    ] + [
        {"fields": [*DEFINITION["fields"], {"name": "extra", "type": "Edm.String", **field}]}
        for field in (
            {"type": "Edm.Nothing"}, {"key": True}, {"name": "no-dash"}, {"analyzer": "nobody"},
            {"normalizer": "nobody"},
            {"type": "Collection(Edm.String)", "sortable": True}, {"type": "Edm.Int32", "searchable": True},
            {"type": "Collection(Edm.Single)"}, {"type": "Collection(Edm.Single)", "dimensions": 3},
            {"type": "Collection(Edm.Single)", "dimensions": 1, "vectorSearchProfile": "plain"},
            {"type": "Collection(Edm.Single)", "dimensions": 3, "vectorSearchProfile": "plain", "filterable": True},
        )
    ],
)  # fmt: skip
async def test_an_invalid_index_is_refused(change: dict[str, Any]) -> None:
    async with StandIn() as service, index_client(service) as indexes:
        with pytest.raises(HttpResponseError) as error:
            await indexes.create_index(SearchIndex(DEFINITION | change))
        assert error.value.status_code == 400


async def test_a_search_of_a_missing_index_is_not_found() -> None:
    async with StandIn() as service:
        with pytest.raises(ResourceNotFoundError):
            await found(service)


async def test_a_preview_header_is_refused() -> None:
    async with StandIn() as service:
        filled(service, {})
        with pytest.raises(HttpResponseError, match="Invalid header: 'x-ms-query-source-authorization'"):
            await found(service, headers={"x-ms-query-source-authorization": "token"})


async def test_a_cleared_emulator_is_empty_at_the_same_address() -> None:
    async with StandIn() as service:
        filled(service, {})
        service.faults.add(Fault(status=503), times=None)
        service.semantic = "partial"
        service.clear()
        assert (service.requests, service.semantic) == ([], "full")
        with pytest.raises(ResourceNotFoundError):
            await found(service)


async def test_the_emulator_runs_as_a_process_until_its_input_ends() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.doubles.azure_search",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    where = json.loads(await asyncio.wait_for(process.stdout.readline(), 60))
    assert where["ca_file"] is None
    async with SearchIndexClient(where["endpoint"], AzureKeyCredential(where["admin_key"])) as indexes:
        await indexes.create_index(SearchIndex(DEFINITION))
    async with SearchClient(where["endpoint"], NAME, AzureKeyCredential(where["query_key"])) as own:
        assert await own.get_document_count() == 0
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 60) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_emulator_without_an_input_runs_until_a_signal(number: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.doubles.azure_search", "--tls",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert process.stdout
    where = json.loads(await asyncio.wait_for(process.stdout.readline(), 60))
    assert Path(where["ca_file"]).exists()
    process.send_signal(number)
    assert await asyncio.wait_for(process.wait(), 60) == 0
    assert not Path(where["ca_file"]).exists()


async def test_a_missing_credential_is_an_authentication_error_in_the_client_library() -> None:
    async with StandIn() as service:
        filled(service)
        service.faults.add(Fault(status=401))
        async with client(service) as own:
            with pytest.raises(ClientAuthenticationError):
                await own.get_document_count()
