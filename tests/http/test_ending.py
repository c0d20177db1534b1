"""A server that shuts down accepts nothing more, lets calls finish for a while, and then ends them too."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from corpus.generation.protocol import Generated, Prompt
from server.http.lifecycle import ENDING
from tests.doubles.stalled import StalledModel
from tests.http.raw import Reply, connect, modern, post, read, request
from tests.http.sessions import CALL, message, session
from tests.http.site import Site
from tests.patience import PATIENCE
from tools.protocol import Models

pytestmark = pytest.mark.anyio


class SlowModel(StalledModel):
    """A model that writes after it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = anyio.Event()

    async def generate(self, prompt: Prompt) -> Generated:
        self.begun.set()
        await self.go_on.wait()
        return Generated("It is written.")


def models(model: StalledModel) -> Models:
    return Models(model, llm_generate="You write.")


async def test_a_call_that_finishes_in_time_is_answered(tmp_path: Path) -> None:
    model = SlowModel()
    async with Site(tmp_path, models=models(model)) as site, anyio.create_task_group() as tasks:
        replies: list[Reply] = []
        tasks.start_soon(reply_to, site, modern("tools/call", CALL), replies)
        await model.has_begun()
        tasks.start_soon(site.endpoint.end, PATIENCE)
        await site.endpoint.ending.soon.wait()
        assert site.endpoint.readiness.reason == ENDING
        model.go_on.set()
        while not replies:
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()

    assert b"It is written." in replies[0].body


async def test_a_call_that_does_not_finish_is_ended_with_an_error(tmp_path: Path) -> None:
    model = StalledModel()
    async with Site(tmp_path, models=models(model)) as site, anyio.create_task_group() as tasks:
        replies: list[Reply] = []
        tasks.start_soon(reply_to, site, modern("tools/call", CALL), replies)
        await model.has_begun()
        await site.endpoint.end(0)
        await model.has_ended()

    assert (replies[0].status, replies[0].headers["retry-after"]) == (503, "5")


async def test_a_call_in_a_session_is_ended_and_its_stream_closed(tmp_path: Path) -> None:
    model = StalledModel()
    async with Site(tmp_path, models=models(model)) as site, anyio.create_task_group() as tasks:
        named = await anyio.to_thread.run_sync(session, site)
        replies: list[Reply] = []
        tasks.start_soon(reply_to, site, post(message("tools/call", CALL, 7), named), replies)
        await model.has_begun()
        await site.endpoint.end(0)
        await model.has_ended()

    assert replies[0].body.endswith(b"0\r\n\r\n")


async def test_streams_that_only_wait_end_immediately(tmp_path: Path) -> None:
    async with Site(tmp_path) as site, anyio.create_task_group() as tasks:
        named = await anyio.to_thread.run_sync(session, site) | {"Accept": "text/event-stream"}
        wire = await anyio.to_thread.run_sync(connect, site.address)
        with wire:
            wire.sendall(request("GET", "/mcp", named))
            assert await anyio.to_thread.run_sync(wire.recv, 1)
            tasks.start_soon(site.endpoint.end, PATIENCE)
            rest = b""
            while more := await anyio.to_thread.run_sync(wire.recv, 65536):
                rest += more
        tasks.cancel_scope.cancel()

    assert rest.endswith(b"0\r\n\r\n")


async def reply_to(site: Site, sent: bytes, replies: list[Reply]) -> None:
    def asked() -> Reply:
        with connect(site.address) as wire:
            wire.sendall(sent)
            return read(wire)

    replies.append(await anyio.to_thread.run_sync(asked))
