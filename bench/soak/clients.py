"""Clients of both protocol generations that send a random mix of all requests, and check every answer."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult, ResourceTemplateReference

from bench.soak.documents import TOPICS
from bench.soak.people import People
from bench.soak.rights import Rights
from bench.soak.tally import Tally
from server.calls.failures import error_type
from server.mcp_resources import DOCUMENT
from tests.doubles.client_model import said
from tests.patience import PATIENCE

VISIT = 12
"""Number of requests that a client sends before another one replaces it."""


@dataclass
class Crowd:
    """The clients. `ids` contains the ids of documents that any client has seen. All clients ask for these, whether or
    not they may read them."""

    url: str
    people: People
    rights: Rights
    tally: Tally
    pause: float
    ids: set[str] = field(default_factory=set)
    blocks: set[str] = field(default_factory=set)


@dataclass
class Guest:
    crowd: Crowd
    who: str
    era: str
    dice: random.Random
    asked: str = "none"
    """The id that was requested last."""

    async def stay(self) -> None:
        """Run visits, one after the other, until cancelled."""
        while True:
            try:
                async with self._client() as client, self._hearing(client):
                    for _ in range(VISIT):
                        await self._ask(client)
                        await anyio.sleep(self.crowd.pause * self.dice.random() * 2)
            except Exception as error:  # any exception is counted
                self._raised("visit", error)
                await anyio.sleep(1)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.crowd.people.bearer(self.who)}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as web,
            Client(
                streamable_http_client(self.crowd.url, http_client=web), mode=self.era,
                sampling_callback=self._writes, elicitation_callback=self._chooses,
                message_handler=self._hears,
            ) as client,
        ):  # fmt: skip
            yield client

    @asynccontextmanager
    async def _hearing(self, client: Client) -> AsyncIterator[None]:
        """Make three in ten clients of the newer generation, chosen at random, listen for notifications during their
        visit."""
        if self.era == "legacy" or self.dice.random() > 0.3:
            yield
            return
        async with client.listen(resources_list_changed=True) as stream, anyio.create_task_group() as tasks:
            tasks.start_soon(self._count, stream)
            yield
            tasks.cancel_scope.cancel()

    async def _count(self, stream: Any) -> None:
        async for _ in stream:
            self.crowd.tally.notices += 1

    async def _hears(self, message: Any) -> None:
        if "Notification" in type(message).__name__:
            self.crowd.tally.notices += 1

    async def _ask(self, client: Client) -> None:
        ways: list[tuple[str, Callable[[Client], Awaitable[Any]]]] = [
            ("rag_semantic_search", self._search), ("rag_list_documents", self._list),
            ("rag_get_document", self._get), ("rag_get_document by name", self._get_by_name),
            ("rag_show_page", self._show), ("rag_synthesize", self._synthesize),
            ("rag_verify_answer", self._verify), ("resource", self._read), ("completion", self._complete),
            ("lists", self._lists),
        ]  # fmt: skip
        if self.era == "legacy":
            ways.append(("subscription", self._subscribe))
        what, way = self.dice.choice(ways)
        begun = time.monotonic()
        try:
            result = await way(client)
        except Exception as error:  # any exception is counted
            self._raised(what, error)
            return
        self._look(what, result, begun)

    def _look(self, what: str, result: Any, begun: float) -> None:
        text = result.model_dump_json() if hasattr(result, "model_dump_json") else str(result)
        if isinstance(result, CallToolResult) and result.is_error:
            text = text.replace(self.asked, "")  # a failure may repeat the requested id
        self.crowd.rights.check(self.who, text, begun, what)
        if isinstance(result, CallToolResult) and result.is_error:
            kind = error_type({"_meta": result.meta})
            self.crowd.tally.failed(what, kind or getattr(result.content[0], "text", "")[:120])
            return
        self.crowd.tally.answered[what] += 1
        if isinstance(result, CallToolResult) and result.structured_content:
            content = result.structured_content
            self.crowd.ids.update(one["doc_id"] for one in content.get("documents", []))
            self.crowd.blocks.update(one["block_id"] for one in content.get("results", []))

    async def _search(self, client: Client) -> Any:
        return await client.call_tool("rag_semantic_search", {"query": self._question(), "top_k": 50})

    async def _list(self, client: Client) -> Any:
        return await client.call_tool("rag_list_documents", {"limit": 50})

    async def _get(self, client: Client) -> Any:
        return await client.call_tool("rag_get_document", {"doc_id": self._id()})

    async def _get_by_name(self, client: Client) -> Any:
        return await client.call_tool("rag_get_document", {"name": f"plan of the {self.dice.choice(TOPICS)}"})

    async def _show(self, client: Client) -> Any:
        return await client.call_tool("rag_show_page", {"doc_id": self._id(), "page_number": 1})

    async def _synthesize(self, client: Client) -> Any:
        more = {"mode": "compose"} if self.dice.random() < 0.5 else {}
        return await client.call_tool("rag_synthesize", {"query": self._question(), **more})

    async def _verify(self, client: Client) -> Any:
        self.asked = self.dice.choice(sorted(self.crowd.blocks) or ["none"])
        named = {"answer": "The pump is described here [1].", "block_ids": [self.asked]}
        return await client.call_tool("rag_verify_answer", named)

    async def _read(self, client: Client) -> Any:
        return await client.read_resource(f"rag://documents/{self._id()}")

    async def _complete(self, client: Client) -> Any:
        asked = {"name": "doc_id", "value": self.dice.choice(["", "p", "plan"])}
        return await client.complete(ResourceTemplateReference(uri=DOCUMENT), asked, None)

    async def _lists(self, client: Client) -> Any:
        asked: list[Callable[[], Awaitable[Any]]] = [
            client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts,
        ]  # fmt: skip
        return await self.dice.choice(asked)()

    async def _subscribe(self, client: Client) -> Any:
        return await client.subscribe_resource(f"rag://documents/{self._id()}")

    async def _writes(self, context: Any, params: Any) -> Any:
        # The call that read the model's input is this one, and no call takes half a minute.
        self.crowd.rights.check(self.who, params.model_dump_json(), time.monotonic() - 30, "sampling")
        return said("The plan is described here [1].")

    async def _chooses(self, context: Any, params: Any) -> ElicitResult:
        self.crowd.rights.check(self.who, params.model_dump_json(), time.monotonic() - 30, "elicitation")
        options = params.requested_schema["properties"]["document"].get("oneOf", [])
        if self.dice.random() < 0.2 or not options:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"document": self.dice.choice(options)["const"]})

    def _question(self) -> str:
        return f"How are the {self.dice.choice(TOPICS)} and the {self.dice.choice(TOPICS)} described?"

    def _id(self) -> str:
        self.asked = self.dice.choice(sorted(self.crowd.ids) or ["none"])
        return self.asked

    def _raised(self, what: str, error: BaseException) -> None:
        refused = self.crowd.people.may_be_refused(self.who, time.monotonic())
        self.crowd.tally.raised(what, error, refused=refused)
