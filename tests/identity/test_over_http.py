"""Tokens over HTTP, with the server as users run it and a real local issuer."""

from __future__ import annotations

import json

import pytest
from mcp.types import CallToolResult

from tests.answers import documents_in
from tests.doubles.issuer import AUDIENCE, Issuer
from tests.http.raw import Reply, ask, modern, post, request
from tests.http.site import Site
from tests.server.desk import ERAS, answer_in, failure_in

pytestmark = pytest.mark.anyio

SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "salary impeller"}}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def search(site: Site, headers: dict[str, str]) -> Reply:
    return ask(site.address, modern("tools/call", SEARCH, headers))


def found(result: CallToolResult) -> set[str]:
    return documents_in(answer_in(result))


@pytest.mark.parametrize(("user", "documents"), [("ann", {"pump", "salaries"}), ("bob", {"pump"})])
async def test_each_caller_finds_the_documents_that_their_token_may_read(
    site: Site, lasting_issuer: Issuer, era: str, user: str, documents: set[str]
) -> None:
    async with site.client(era, token=lasting_issuer.token(user)) as client:
        assert found(await client.call_tool("rag_semantic_search", {"query": "salary impeller"})) == documents


def test_without_a_token_the_answer_says_where_to_get_one(site: Site, lasting_issuer: Issuer) -> None:
    reply = search(site, {})
    assert reply.status == 401
    told = reply.headers["www-authenticate"]
    place = f"http://{site.address}/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{place}"' in told
    metadata = json.loads(ask(site.address, request("GET", "/.well-known/oauth-protected-resource/mcp")).body)
    assert metadata["resource"] == site.url
    assert metadata["authorization_servers"] == [lasting_issuer.url]
    assert metadata["scopes_supported"] == ["rag.read"]


def test_a_token_without_the_scope_is_told_the_missing_scope(site: Site, lasting_issuer: Issuer) -> None:
    reply = search(site, {"Authorization": f"Bearer {lasting_issuer.token(scope='openid rag.reader')}"})
    assert reply.status == 403
    assert 'error="insufficient_scope"' in reply.headers["www-authenticate"]
    assert "rag.read" in reply.headers["www-authenticate"]


def test_a_valid_token_in_the_url_is_ignored(site: Site, lasting_issuer: Issuer) -> None:
    sent = modern("tools/call", SEARCH).replace(
        b"POST /mcp ", f"POST /mcp?access_token={lasting_issuer.token()} ".encode()
    )
    assert ask(site.address, sent).status == 401


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Bearer,", "DPoP"])
def test_a_token_under_another_scheme_is_ignored(site: Site, lasting_issuer: Issuer, scheme: str) -> None:
    assert search(site, {"Authorization": f"{scheme} {lasting_issuer.token()}"}).status == 401


@pytest.mark.parametrize("first", ["ann", "bob"])
def test_a_request_with_two_tokens_is_refused(site: Site, lasting_issuer: Issuer, first: str) -> None:
    other = {"ann": "bob", "bob": "ann"}[first]
    two = f"Bearer {lasting_issuer.token(first)}\r\nauthorization: Bearer {lasting_issuer.token(other)}"
    assert search(site, {"Authorization": two}).status == 400


def test_a_token_that_fills_the_headers_is_refused_unread(site: Site) -> None:
    assert search(site, {"Authorization": f"Bearer {'a' * 20_000}.e30.x"}).status == 401


async def test_a_session_cannot_be_used_with_another_callers_token(site: Site, lasting_issuer: Issuer) -> None:
    opened = ask(site.address, _initialize(lasting_issuer.token("ann")))
    session = opened.headers["mcp-session-id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert _in_session(site, session, lasting_issuer.token("ann"), listing).status == 200
    assert _in_session(site, session, lasting_issuer.token("ann", groups=["board"]), listing).status == 200
    assert _in_session(site, session, lasting_issuer.token("bob"), listing).status == 404
    assert _in_session(site, session, lasting_issuer.token("ann", azp="other-client"), listing).status == 404


async def test_within_a_session_each_call_has_the_rights_of_its_own_token(site: Site, lasting_issuer: Issuer) -> None:
    lasting = lasting_issuer.token("ann")
    async with site.client("legacy", token=lasting) as client:
        one = await client.call_tool("rag_semantic_search", {"query": "salary impeller"})
        assert "salaries" in found(one)
    session = ask(site.address, _initialize(lasting_issuer.token("ann"))).headers["mcp-session-id"]
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": SEARCH}
    denied = _in_session(site, session, lasting_issuer.token("ann", groups=["*", 7, "board"]), call)
    assert b"salaries" in denied.body
    overage = _in_session(site, session, lasting_issuer.token("ann", _claim_names={"groups": "src1"}), call)
    assert b"AccessDenied" in overage.body
    assert b"salaries" not in overage.body


@pytest.mark.parametrize("changes", [{"_claim_names": {"groups": "src1"}}, {"hasgroups": True}])
async def test_groups_omitted_from_a_token_are_an_error_with_the_fix(
    site: Site, lasting_issuer: Issuer, era: str, changes: dict[str, object]
) -> None:
    async with site.client(era, token=lasting_issuer.token("ann", **changes)) as client:
        result = await client.call_tool("rag_semantic_search", {"query": "impeller"})
    assert result.is_error
    failure = failure_in(result)
    assert failure["type"] == "AccessDenied"
    assert "RAG_AUTH_GROUPS_CLAIM=roles" in failure["hints"][0]


def test_the_audience_may_be_one_of_several(site: Site, lasting_issuer: Issuer) -> None:
    token = lasting_issuer.token(aud=["https://other.example.org", AUDIENCE])
    assert search(site, {"Authorization": f"Bearer {token}"}).status == 200


def _initialize(token: str) -> bytes:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    return post(message, {"Authorization": f"Bearer {token}"})


def _in_session(site: Site, session: str, token: str, message: dict[str, object]) -> Reply:
    headers = {
        "Authorization": f"Bearer {token}", "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25",
    }  # fmt: skip
    return ask(site.address, post(message, headers))
