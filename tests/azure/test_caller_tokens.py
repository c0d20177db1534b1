"""A user's token, from the client to Azure AI Search: over HTTP, through Ibid's filter and the service's own access
control."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.types import CallToolResult
from pydantic import ValidationError

from corpus.index.azure import AzureIndex, Place, Service
from corpus.index.azure.service.on_behalf_of import MAX_CALLERS, Application, OnBehalfOf
from corpus.library import Library, no_url
from server.bootstrap import on_behalf_of
from server.identity.api_keys import ApiKey, change_keys, digest, new_secret
from server.settings.model import Settings
from tests.answers import documents_in
from tests.azure.design_index import CONTENT, DOCUMENTS, block_row, content_index, document_row, documents_index
from tests.azure.design_shelf import QUICK
from tests.azure.identity_endpoint import identity_endpoint
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.issuer import TENANT, Issuer
from tests.doubles.token_endpoint import TokenEndpoint
from tests.http.site import Site
from tests.server.desk import failure_in, manual, passage

pytestmark = pytest.mark.anyio

APPLICATION = "22222222-2222-3333-4444-555555555555"
SECRET = "secret-of-the-application"
HEADER = "x-ms-query-source-authorization"
GROUPS = {"name": "group_ids", "type": "Collection(Edm.String)", "filterable": True, "retrievable": True}
BOARD, SALES = "44444444-2222-3333-4444-555555555555", "55555555-2222-3333-4444-555555555555"


class AzureSite(Site):
    """A server over HTTP whose index is in a service."""

    def __init__(self, folder: Path, variables: Mapping[str, str], place: Place) -> None:
        super().__init__(folder, variables)
        self._place = place

    async def _stocked(self) -> Library:
        index = await self._open.enter_async_context(AzureIndex(self._place, None, QUICK))
        return Library(index, None, image_url=no_url)


@dataclass
class Scene:
    """A site with its token endpoint. `endpoint` exchanges tokens at the server's request."""

    site: AzureSite
    service: StandIn
    issuer: Issuer
    endpoint: TokenEndpoint

    def token(self, user: str, *groups: str, **changes: Any) -> str:
        facts = {"oid": f"o-{user}", "tid": TENANT, "scope": None, "scp": "rag.read", "ver": "2.0", "aud": APPLICATION}
        return self.issuer.token(user, **(facts | {"groups": list(groups)} | changes))

    async def search(self, token: str) -> CallToolResult:
        async with self.site.client(token=token) as client:
            return await client.call_tool("rag_semantic_search", {"query": "impeller"})

    async def found(self, token: str) -> set[str]:
        answer = await self.search(token)
        assert not answer.is_error, answer.content
        return documents_in(answer.structured_content or {})

    @property
    def sent(self) -> set[str | None]:
        """Return the callers' tokens in searches."""
        return {one.headers.get(HEADER) for one in self.service.requests if one.operation == "search"}


def fill(service: StandIn) -> None:
    """Add three documents, with Ibid's access list and the service's own groups."""
    for index in (content_index(), documents_index()):
        service.put_index(index | {"fields": [*index["fields"], GROUPS]})
    for doc_id, readers, groups in (
        ("both", [f"group:{BOARD}"], [BOARD]),
        ("ours", [f"group:{BOARD}"], [SALES]),
        ("theirs", [f"group:{SALES}"], [BOARD]),
    ):
        block = replace(passage("A centrifugal impeller.", place=f"{doc_id}-1"), doc_id=doc_id)
        service.put_documents(CONTENT, [block_row(block, readers, None) | {"group_ids": groups}])
        document = replace(manual(doc_id, access=tuple(readers)))
        service.put_documents(DOCUMENTS, [dict(document_row(document)) | {"group_ids": groups}])


@asynccontextmanager
async def scene(
    folder: Path, *, with_token: bool = False, exchange: bool = False, proof: str = SECRET, **variables: str
) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(StandIn())
        issuer = await stack.enter_async_context(Issuer(f"/{TENANT}/v2.0"))

        def given(token: str, claims: Mapping[str, Any]) -> None:
            service.user_tokens[token] = claims["groups"]

        endpoint = await stack.enter_async_context(TokenEndpoint(folder, APPLICATION, proof, given))
        fill(service)
        application = Application(TENANT, APPLICATION, proof if proof == SECRET else None, endpoint.host)
        exchanges = OnBehalfOf(application, connection_verify=endpoint.ca_file, retry_total=0) if exchange else None
        place = Place(
            Service(service.endpoint, service.admin_key), CONTENT, DOCUMENTS, principal_prefixes=True,
            with_token=with_token, on_behalf_of=exchanges,
        )  # fmt: skip
        settings = {
            "RAG_BACKEND": "azure", "AZURE_SEARCH_ENDPOINT": service.endpoint,
            "AZURE_SEARCH_API_KEY": service.admin_key,
            "RAG_AUTH_PRESET": "entra", "RAG_AUTH_ISSUER": issuer.url, "RAG_AUTH_AUDIENCE": APPLICATION,
            "RAG_AUTH_SCOPE": "rag.read", **variables,
        }  # fmt: skip
        yield Scene(await stack.enter_async_context(AzureSite(folder, settings, place)), service, issuer, endpoint)


async def test_a_search_returns_only_documents_that_the_token_groups_may_read(tmp_path: Path) -> None:
    async with scene(tmp_path) as here:
        assert await here.found(here.token("ann", BOARD)) == {"both", "ours"}
        assert await here.found(here.token("bob", SALES)) == {"theirs"}
        assert await here.found(here.token("eve")) == set()
        assert here.sent == {None}
        assert_every_read_was_filtered(here.service)


async def test_the_token_is_sent_in_addition_to_the_filter(tmp_path: Path) -> None:
    async with scene(tmp_path, with_token=True, RAG_AZURE_CALLER_TOKEN="true") as here:
        token = here.token("ann", BOARD)
        here.service.user_tokens[token] = [BOARD]
        assert await here.found(token) == {"both"}
        assert here.sent == {token}
        assert_every_read_was_filtered(here.service)


async def test_a_token_for_ibid_alone_is_refused_with_the_fix(tmp_path: Path) -> None:
    async with scene(tmp_path, with_token=True, RAG_AZURE_CALLER_TOKEN="true") as here:
        failure = failure_in(await here.search(here.token("ann", BOARD)))
    assert failure["error"] == "Azure AI Search did not accept the caller's token."
    assert "RAG_AZURE_ON_BEHALF_OF" in str(failure["hints"])


async def test_the_token_is_exchanged_for_one_for_the_service(tmp_path: Path) -> None:
    async with scene(tmp_path, exchange=True, RAG_AZURE_ON_BEHALF_OF=APPLICATION) as here:
        ann, bob = here.token("ann", BOARD), here.token("bob", SALES)
        assert await here.found(ann) == {"both"}
        assert await here.found(ann) == {"both"}
        assert await here.found(bob) == set()
        assert [form["assertion"] for form in here.endpoint.requests] == [ann, bob]
        assert here.sent == set(here.service.user_tokens)
        assert_every_read_was_filtered(here.service)


async def test_an_identity_signs_instead_of_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with identity_endpoint() as identity:
        for name, value in identity.environment.items():
            monkeypatch.setenv(name, value)
        async with scene(tmp_path, exchange=True, proof=identity.token, RAG_AZURE_ON_BEHALF_OF=APPLICATION) as here:
            assert await here.found(here.token("ann", BOARD)) == {"both"}
    assert identity.resources == ["api://AzureADTokenExchange"]


async def test_an_expired_token_is_exchanged_again(tmp_path: Path) -> None:
    async with scene(tmp_path, exchange=True, RAG_AZURE_ON_BEHALF_OF=APPLICATION) as here:
        token = here.token("ann", BOARD)
        here.endpoint.lifetime = 1
        await here.found(token)
        await anyio.sleep(1.1)
        await here.found(token)
        assert len(here.endpoint.requests) == 2


@pytest.mark.parametrize(
    ("status", "body", "type"),
    [
        (400, {"error": "invalid_grant", "error_description": "words-of-entra"}, "AccessDenied"),
        (400, {"error": "interaction_required", "error_description": "words-of-entra"}, "AccessDenied"),
        (503, {"error": "temporarily_unavailable"}, "AzureSearchError"),
    ],
)
async def test_a_token_that_cannot_be_exchanged_reads_nothing(
    tmp_path: Path, status: int, body: dict[str, Any], type: str
) -> None:
    async with scene(tmp_path, exchange=True, RAG_AZURE_ON_BEHALF_OF=APPLICATION) as here:
        here.endpoint.refusal = status, body
        token = here.token("ann", BOARD)
        failure = failure_in(await here.search(token))
        assert failure["type"] == type
        assert "words-of-entra" not in json.dumps(failure)
        assert here.sent == set()
        here.endpoint.refusal = None
        assert await here.found(token) == {"both"}


async def test_an_unreachable_issuer_grants_no_access(tmp_path: Path) -> None:
    async with scene(tmp_path, exchange=True, RAG_AZURE_ON_BEHALF_OF=APPLICATION) as here:
        await here.endpoint.__aexit__(None, None, None)
        failure = failure_in(await here.search(here.token("ann", BOARD)))
        assert failure["type"] == "AzureSearchError"
        assert here.sent == set()


async def test_a_key_of_ibid_is_never_sent_or_exchanged(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    key = new_secret()
    change_keys(keys, lambda _: (ApiKey(name="ann", digest=digest(key), user="ann", groups=(BOARD,)),))
    async with scene(tmp_path, exchange=True, RAG_AZURE_ON_BEHALF_OF=APPLICATION, RAG_API_KEYS=str(keys)) as here:
        failure = failure_in(await here.search(key))
        assert failure["type"] == "AccessDenied"
        assert "Entra ID" in failure["error"]
        assert here.endpoint.requests == []
        assert here.sent == set()


async def test_the_number_of_remembered_callers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpus.index.azure.service.on_behalf_of.MAX_CALLERS", 3)
    assert MAX_CALLERS > 100
    exchanges = OnBehalfOf(Application(TENANT, APPLICATION, SECRET))
    for number in range(5):
        await exchanges._exchange(f"token-{number}")
    assert len(exchanges._exchanges) == 3
    await exchanges.aclose()


def test_the_settings_name_the_tenant_and_keep_the_secret() -> None:
    issuer = f"https://login.microsoftonline.us/{TENANT}/v2.0"
    base = {
        "RAG_AUTH_PRESET": "entra",
        "RAG_AUTH_ISSUER": issuer,
        "RAG_AUTH_AUDIENCE": APPLICATION,
        "RAG_AZURE_ON_BEHALF_OF": APPLICATION,
        "RAG_AZURE_ON_BEHALF_OF_SECRET": SECRET,
    }
    settings = Settings(**base)  # type: ignore[arg-type]
    exchanges = on_behalf_of(settings)
    assert exchanges is not None
    assert exchanges._application == Application(TENANT, APPLICATION, SECRET, "login.microsoftonline.us")
    assert SECRET not in repr(exchanges._application) + repr(settings)
    assert on_behalf_of(Settings()) is None
    for wrong in ({"RAG_AUTH_PRESET": "oidc"}, {"RAG_AUTH_ISSUER": "https://login.example.org/common"}):
        with pytest.raises(ValidationError, match="RAG_AZURE_ON_BEHALF_OF"):
            Settings(**(base | wrong | {"RAG_AUTH_TENANTS": TENANT if "ISSUER" in str(wrong) else ""}))  # type: ignore[arg-type]
