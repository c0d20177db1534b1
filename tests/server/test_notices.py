from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import Subscription
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from corpus.access import Caller
from tests.patience import PATIENCE
from tests.server.desk import Desk, figure, manual, passage

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning"),
]

ANN = Caller(user_id="ann")
PUMP = "rag://documents/pump"
SALARIES = "rag://documents/salaries"


ClientOf = Callable[..., AbstractAsyncContextManager[Client]]
"""Factory of clients, called with the protocol generation and the other options of the client."""


@dataclass
class Heard:
    """Notices that a client of either generation receives, as addresses. An empty address means a changed list."""

    client: Client
    sent: list[str] = field(default_factory=list)
    arrived: anyio.Event = field(default_factory=anyio.Event)

    def take(self, uri: str) -> None:
        self.sent.append(uri)
        self.arrived.set()

    async def next(self) -> str:
        with anyio.fail_after(PATIENCE):
            while not self.sent:
                self.arrived = anyio.Event()
                await self.arrived.wait()
        return self.sent.pop(0)


@asynccontextmanager
async def subscribed(desk: Desk, era: str, *uris: str) -> AsyncIterator[Heard]:
    listening = legacy(desk.client, uris) if era == "legacy" else modern(desk.client, uris)
    async with listening as heard:
        yield heard


@asynccontextmanager
async def legacy(client_of: ClientOf, uris: tuple[str, ...]) -> AsyncIterator[Heard]:
    async def handle(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.take(message.params.uri)

    async with client_of("legacy", message_handler=handle) as client:
        heard = Heard(client)
        for uri in uris:
            await client.subscribe_resource(uri)
        yield heard


@asynccontextmanager
async def modern(client_of: ClientOf, uris: tuple[str, ...]) -> AsyncIterator[Heard]:
    async with (
        client_of("auto") as client,
        client.listen(resource_subscriptions=list(uris), resources_list_changed=not uris) as stream,
        anyio.create_task_group() as tasks,
    ):
        heard = Heard(client)
        tasks.start_soon(_forward, stream, heard)
        yield heard
        tasks.cancel_scope.cancel()


async def _forward(stream: Subscription, heard: Heard) -> None:
    async for event in stream:
        heard.take(event.uri if isinstance(event, ResourceUpdated) else "")


async def change(desk: Desk, doc_id: str = "pump", **changes: Any) -> None:
    await desk.put(
        manual(doc_id, content_hash=f"another {doc_id} {len(changes)} {changes}", **changes),
        [passage("New text.", doc_id=doc_id), figure("Figure 3", doc_id=doc_id)],
    )


@pytest.mark.parametrize(
    "uri",
    [PUMP, f"{PUMP}/pages/2", f"{PUMP}/pages/2/image", "rag://blocks/pump-p2-f1/image"],
)
async def test_a_changed_document_is_announced_at_the_subscribed_address(stocked: Desk, era: str, uri: str) -> None:
    async with subscribed(stocked, era, uri) as heard:
        await change(stocked)
        assert await heard.next() == uri


async def test_a_removed_or_added_document_is_announced(stocked: Desk, era: str) -> None:
    async with subscribed(stocked, era, PUMP, "rag://documents/new") as heard:
        await stocked.index.remove("pump")
        assert await heard.next() == PUMP
        await change(stocked, "new")
        assert await heard.next() == "rag://documents/new"


async def test_an_unreadable_document_causes_no_notice(stocked: Desk, era: str) -> None:
    async with subscribed(stocked, era, SALARIES, PUMP) as heard:
        await change(stocked, "salaries", access=("user:ann",))
        await stocked.index.remove("salaries")
        await change(stocked)

        assert await heard.next() == PUMP
        assert heard.sent == []


async def test_a_caller_who_may_read_the_document_gets_a_notice(stocked: Desk, era: str) -> None:
    stocked.caller = ANN
    async with subscribed(stocked, era, SALARIES) as heard:
        await change(stocked, "salaries", access=("user:ann",))
        assert await heard.next() == SALARIES


async def test_a_caller_who_loses_the_right_gets_a_removal_notice_and_nothing_more(stocked: Desk, era: str) -> None:
    async with subscribed(stocked, era, PUMP, "rag://documents/notes") as heard:
        await change(stocked, "pump", access=("user:ann",))
        assert await heard.next() == PUMP
        await change(stocked, "pump", access=("user:ann",), title="Secret")
        await change(stocked, "notes")
        assert await heard.next() == "rag://documents/notes"
        assert heard.sent == []


async def test_an_access_list_change_without_effect_for_the_caller_is_not_announced(stocked: Desk, era: str) -> None:
    before = await stocked.index.document("pump", Caller(unfiltered=True))
    async with subscribed(stocked, era, PUMP, "rag://documents/notes") as heard:
        await stocked.index.update(replace(before, access_control_list=("*", "user:bob")))
        await change(stocked, "notes")
        assert await heard.next() == "rag://documents/notes"
        assert heard.sent == []


async def test_after_unsubscribing_no_notice_arrives(stocked: Desk) -> None:
    async with subscribed(stocked, "legacy", PUMP, "rag://documents/notes") as heard:
        await heard.client.unsubscribe_resource(PUMP)
        await change(stocked)
        await change(stocked, "notes")
        assert await heard.next() == "rag://documents/notes"


async def test_a_second_subscription_leaves_the_first_unchanged(stocked: Desk) -> None:
    async with subscribed(stocked, "legacy", PUMP) as heard:
        await change(stocked)
        await heard.client.subscribe_resource("rag://documents/notes")
        assert await heard.next() == PUMP


async def test_a_list_changes_with_the_documents_that_the_caller_may_read(stocked: Desk) -> None:
    async with subscribed(stocked, "auto") as heard:
        await change(stocked, "secret", access=("user:ann",))
        await change(stocked, "public")
        assert await heard.next() == ""
        assert heard.sent == []


async def test_the_index_is_not_queried_without_subscribers(
    stocked: Desk, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    generation = stocked.index.generation

    async def counted() -> str:
        asked.append(1)
        return await generation()

    monkeypatch.setattr(stocked.index, "generation", counted)
    async with stocked.client(era) as client:
        await client.call_tool("rag_list_documents", {})
        await anyio.sleep(0.1)
    assert asked == []


@pytest.mark.parametrize("uris", [[f"rag://documents/{n}" for n in range(201)], ["x" * 2001]])
async def test_subscriptions_beyond_the_client_limit_are_refused(stocked: Desk, uris: list[str]) -> None:
    async with stocked.client() as client:
        with pytest.raises(MCPError) as caught:
            async with client.listen(resource_subscriptions=uris):
                pass
        assert caught.value.error.code == -32602
    async with stocked.client("legacy") as client:
        for uri in uris[:-1]:
            await client.subscribe_resource(uri)
        with pytest.raises(MCPError) as caught:
            await client.subscribe_resource(uris[-1])
        assert caught.value.error.code == -32602


async def test_one_caller_cannot_use_all_subscriptions(stocked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.sdk_gaps.subscriptions.MAX_OF_ONE_CALLER", 1)
    stocked.caller = ANN
    async with subscribed(stocked, "auto", PUMP) as heard:
        with pytest.raises(MCPError, match="Too many"):
            async with heard.client.listen(resource_subscriptions=[PUMP]):
                pass
        stocked.caller = Caller(user_id="bob")
        async with heard.client.listen(resource_subscriptions=[PUMP]):
            pass


async def test_many_concurrent_subscriptions_get_no_more_room(stocked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.sdk_gaps.subscriptions.MAX_OF_ONE_CALLER", 2)
    stocked.caller = ANN
    refused = []

    async def subscribe(client: Client) -> None:
        try:
            await client.subscribe_resource(PUMP)
        except MCPError as error:
            refused.append(error)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(stocked.client("legacy")) for _ in range(5)]
        async with anyio.create_task_group() as tasks:
            for client in clients:
                tasks.start_soon(subscribe, client)
        assert len(refused) == 3


async def test_a_stream_ends_with_the_token_that_opened_it(stocked: Desk) -> None:
    token = AccessToken(token="t", client_id="c", scopes=[], expires_at=int(time.time()) - 1)
    held = auth_context_var.set(AuthenticatedUser(token))
    try:
        async with stocked.client() as client, client.listen(resource_subscriptions=[PUMP]) as stream:
            await change(stocked)
            with anyio.fail_after(PATIENCE):
                assert [event async for event in stream] == []
    finally:
        auth_context_var.reset(held)


async def test_every_stream_ends_with_the_server(stocked: Desk) -> None:
    async with stocked.client() as client, client.listen(resource_subscriptions=[PUMP]) as stream:
        stocked.watch.close()
        with anyio.fail_after(PATIENCE):
            assert [event async for event in stream] == []


async def test_both_generations_learn_that_they_can_subscribe(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        resources = client.server_capabilities.resources
        assert resources is not None
        assert resources.subscribe is True
        assert resources.list_changed is (era != "legacy")
