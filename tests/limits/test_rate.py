"""The rate of one caller's calls, and the number of their concurrent calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from corpus.access import Caller
from server.caller_limits import Buckets, CallerTurns
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.evidence_view.viewing import VIEWS
from tests.http.raw import ask, modern
from tests.http.site import Site
from tests.server.desk import ERAS, answer_in, failure_in

pytestmark = pytest.mark.anyio

LIMIT = 12
"""Requests per minute. A client sends some requests of its own before the first call."""


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_caller_can_use_a_minutes_calls_immediately_and_then_one_by_one() -> None:
    clock = Clock()
    buckets = Buckets(60, now=clock)

    assert [buckets.wait(b"ann") for _ in range(60)] == [0.0] * 60
    assert buckets.wait(b"ann") == pytest.approx(1.0)
    clock.seconds += 1
    assert buckets.wait(b"ann") == 0.0
    assert buckets.wait(b"ann") > 0


def test_one_callers_haste_does_not_affect_another() -> None:
    buckets = Buckets(1, now=Clock())

    assert (buckets.wait(b"ann"), buckets.wait(b"bob")) == (0.0, 0.0)
    assert buckets.wait(b"ann") > 0


def test_a_refused_call_does_not_lengthen_the_wait() -> None:
    buckets = Buckets(60, now=Clock())
    waits = [buckets.wait(b"ann") for _ in range(80)]

    assert waits[-1] == waits[60]


def test_any_number_of_callers_uses_bounded_memory() -> None:
    buckets = Buckets(1, max_keys=100, now=Clock())
    for number in range(1000):
        buckets.wait(str(number).encode())

    assert len(buckets) == 100


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with in_thread(Issuer()) as running:
        yield running


@pytest.fixture(scope="module")
def site(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    variables = {**issuer.settings, "RAG_RATE_LIMIT": str(LIMIT)}
    with in_thread(Site(tmp_path_factory.mktemp("limited"), variables)) as running:
        yield running


async def failure_of_hasty(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the failure after the same call was repeated too often."""
    for _ in range(LIMIT):
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            break
        answer_in(result)
    return failure_in(result)


@pytest.mark.parametrize("era", ERAS)
async def test_too_many_calls_are_refused_with_the_time_to_retry(site: Site, issuer: Issuer, era: str) -> None:
    async with site.client(era, token=issuer.token(f"hasty-{era}")) as client:
        failure = await failure_of_hasty(client, "rag_semantic_search", {"query": "impeller"})
        with pytest.raises(MCPError, match="Ask again in"):
            await client.read_resource("rag://documents/pump")
        with pytest.raises(MCPError, match="Ask again in"):
            await client.list_tools(cache_mode="refresh")
        with pytest.raises(MCPError, match="Ask again in"):
            await client.list_resource_templates(cache_mode="refresh")
    async with site.client(era, token=issuer.token(f"patient-{era}")) as other:
        answer_in(await other.call_tool("rag_semantic_search", {"query": "impeller"}))

    assert failure["type"] == "Timeout"
    assert failure["hints"][0].startswith("Ask again in ")


@pytest.mark.parametrize("era", ERAS)
async def test_pages_that_a_view_fetches_count_too(site: Site, issuer: Issuer, era: str) -> None:
    async with site.client(era, token=issuer.token(f"turning-{era}"), extensions=VIEWS) as client:
        failure = await failure_of_hasty(client, "rag_show_evidence", {"block_id": "pump-p1-1"})

    assert failure["type"] == "Timeout"
    assert failure["hints"][0].startswith("Ask again in ")


def test_too_many_list_requests_are_refused_too(site: Site, issuer: Issuer) -> None:
    token = {"Authorization": f"Bearer {issuer.token('listing')}"}
    bodies = [ask(site.address, modern("tools/list", headers=token)).body for _ in range(LIMIT + 1)]

    assert b"Ask again in" in bodies[-1]
    assert not any(b"Ask again in" in body for body in bodies[:-1])


async def test_a_new_sign_in_gives_no_new_calls(site: Site, issuer: Issuer) -> None:
    async with site.client(token=issuer.token("renewing")) as client:
        await failure_of_hasty(client, "rag_semantic_search", {"query": "impeller"})
    again = {"Authorization": f"Bearer {issuer.token('renewing')}"}
    assert b"Ask again in" in ask(site.address, modern("tools/list", headers=again)).body


async def test_a_caller_waits_only_for_their_own_calls() -> None:
    who = Caller(user_id="ann")
    turns = CallerTurns(lambda: who, at_once=1, waiting=0)
    inside, leave = anyio.Event(), anyio.Event()

    async def slow(ctx: object) -> CallToolResult:
        inside.set()
        await leave.wait()
        return CallToolResult(content=[])

    async def quick(ctx: object) -> dict[str, object]:
        return {"ran": True}

    ctx = ServerRequestContext(
        session=None,
        lifespan_context=None,
        protocol_version="2025-11-25",
        method="tools/call",  # type: ignore[arg-type]
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns, ctx, slow)
        await inside.wait()
        refused = await turns(ctx, quick)
        who = Caller(user_id="bob")
        others = await turns(ctx, quick)
        leave.set()

    assert isinstance(refused, dict)
    assert refused["isError"]
    assert others == {"ran": True}
    assert len(turns) == 0, "nothing is stored about callers without a call"
