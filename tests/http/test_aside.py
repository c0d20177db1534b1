"""A call that waits for its user blocks nobody, in the older protocol, where the call stays open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mcp import Client
from mcp.types import CreateMessageRequestParams, CreateMessageResult

from tests.doubles.client_model import ClientModel, said
from tests.doubles.in_thread import in_thread
from tests.doubles.user import User, after, chooses
from tests.http.site import Site
from tests.http.test_asking import Reports
from tests.server.desk import answer_in, failure_in

pytestmark = pytest.mark.anyio

REPORT = {"name": "report"}
ONE_TURN = {
    "RAG_HTTP_MAX_CALLS": "1", "RAG_HTTP_MAX_WAITING": "0", "RAG_CALLER_CALLS": "1", "RAG_CALLER_WAITING": "0",
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with one worker for all callers and no queue."""
    with in_thread(Reports(tmp_path_factory.mktemp("aside"), ONE_TURN)) as running:
        yield running


async def searched(client: Client) -> None:
    answer_in(await client.call_tool("rag_semantic_search", {"query": "impeller"}))


async def test_while_the_user_thinks_others_are_served_and_then_the_call_continues(site: Site) -> None:
    async with site.client("auto") as other:
        user = User(after(lambda: searched(other), chooses("south")))
        async with site.client("legacy", elicitation_callback=user) as client:
            found = answer_in(await client.call_tool("rag_get_document", REPORT))
        await searched(other)

    assert found["document"]["doc_id"] == "south"


async def test_while_the_clients_model_writes_others_are_served(site: Site) -> None:
    async with site.client("auto") as other:

        async def writes(asked: CreateMessageRequestParams) -> CreateMessageResult:
            await searched(other)
            return said("The pump moves water with an impeller [1].")

        async with site.client("legacy", model=ClientModel(writes)) as client:
            made = answer_in(await client.call_tool("rag_synthesize", {"query": "What does the pump move?"}))

    assert made["mode"] == "llm"


async def test_with_too_many_waiting_calls_the_next_one_asks_no_question(site: Site) -> None:
    async with site.client("legacy", elicitation_callback=User(chooses("north"))) as other:
        failures = []

        async def asks() -> None:
            failures.append(failure_in(await other.call_tool("rag_get_document", REPORT)))

        user = User(after(asks, chooses("south")))
        async with site.client("legacy", elicitation_callback=user) as client:
            found = answer_in(await client.call_tool("rag_get_document", REPORT))
        again = answer_in(await other.call_tool("rag_get_document", REPORT))

    assert failures[0]["type"] == "AmbiguousDocument"
    assert "Too many calls are waiting" in failures[0]["error"]
    assert [found["document"]["doc_id"], again["document"]["doc_id"]] == ["south", "north"]
