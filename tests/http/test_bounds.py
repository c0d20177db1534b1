"""Many or slow clients cannot make a server over HTTP use unlimited resources, and refused clients are told why."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest

from server.http.concurrency import Concurrency
from server.http.connections import Bounds
from tests.answers import failure_in
from tests.doubles.in_thread import in_thread
from tests.doubles.stalled import StalledModel
from tests.http.raw import Reply, ask, connect, ends, modern, post, read, request, statuses
from tests.http.sessions import CALL, HELLO, message, session
from tests.http.site import Site
from tests.patience import PATIENCE
from tools.protocol import Models

pytestmark = pytest.mark.anyio

QUICK = Bounds(head=0.3, body=0.3, reading=0.3)
SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "impeller"}}


@contextmanager
def serving(folder: Path, bounds: Bounds = QUICK, **variables: str) -> Iterator[Site]:
    with in_thread(Site(folder, variables, bounds=bounds)) as site:
        yield site


def test_an_idle_connection_is_closed(tmp_path: Path) -> None:
    with serving(tmp_path) as site, connect(site.address) as silent, connect(site.address) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        assert ends(silent) == ends(slow) == b""


def test_an_endless_second_request_is_closed_too(tmp_path: Path) -> None:
    with serving(tmp_path) as site, connect(site.address) as wire:
        wire.sendall(request("GET", "/healthz"))
        assert read(wire).status == 200
        wire.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert ends(wire) == b""


def test_a_missing_body_is_refused_in_time(tmp_path: Path) -> None:
    with serving(tmp_path) as site, connect(site.address) as wire:
        wire.sendall(post(b"{", {"Content-Length": "1000"}))
        assert statuses(ends(wire)) == [408]


def test_a_client_that_reads_nothing_loses_its_connection(tmp_path: Path) -> None:
    with serving(tmp_path) as site, connect(site.address) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lazy.setblocking(False)
        asked = modern("tools/list") * 50
        connections = site.endpoint.running.server_state.connections
        ended = time.monotonic() + PATIENCE
        lazy.send(asked)
        while connections:
            assert time.monotonic() < ended
            with suppress(OSError):  # the server is not allowed to read this
                lazy.send(asked)


def test_a_connection_beyond_the_limit_is_refused_with_the_reason(tmp_path: Path) -> None:
    """All connections have a request in progress. An idle one would be closed instead (`test_connection_shares.py`)."""
    with serving(tmp_path, Bounds(connections=1)) as site, connect(site.address) as first:
        first.sendall(modern("subscriptions/listen", {"notifications": {"resourcesListChanged": True}}))
        assert first.recv(12) == b"HTTP/1.1 200"
        with connect(site.address) as second:
            assert read(second).status == 503
        first.settimeout(0.2)
        with suppress(TimeoutError):
            while first.recv(65536):
                pass
            pytest.fail("The connection that listens was ended.")


def test_a_session_beyond_the_limit_is_refused_and_the_open_ones_continue(tmp_path: Path) -> None:
    with serving(tmp_path, Bounds(), RAG_HTTP_MAX_SESSIONS="1") as site:
        named = session(site)
        refused = ask(site.address, post(message("initialize", HELLO)))
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        assert ask(site.address, post(message("tools/list", {}), named)).status == 200
        assert ask(site.address, request("DELETE", "/mcp", named)).status == 200
        session(site)


def test_an_unused_session_ends_and_makes_room(tmp_path: Path) -> None:
    variables = {"RAG_HTTP_SESSION_SECONDS": "0.2", "RAG_HTTP_MAX_SESSIONS": "1"}
    with serving(tmp_path, Bounds(), **variables) as site:
        named = session(site)
        while ask(site.address, post(message("initialize", HELLO))).status == 503:
            continue
        assert ask(site.address, post(message("tools/list", {}), named)).status == 404


def test_calls_beyond_the_limit_wait_and_further_ones_are_refused(tmp_path: Path) -> None:
    model = StalledModel()
    variables = {"RAG_HTTP_MAX_CALLS": "1", "RAG_HTTP_MAX_WAITING": "0"}
    with in_thread(Site(tmp_path, variables, Models(model, llm_generate="You write."))) as site:
        with connect(site.address) as wire:
            wire.sendall(modern("tools/call", CALL))
            assert model.begun.wait(PATIENCE)
            assert busy(ask(site.address, modern("tools/call", SEARCH)))
            assert ask(site.address, modern("tools/list")).status == 200
        assert model.ended.wait(PATIENCE)
        while busy(ask(site.address, modern("tools/call", SEARCH))):
            continue


def busy(reply: Reply) -> bool:
    result = json.loads(reply.body)["result"]
    if not result.get("isError"):
        return False
    failure = failure_in(result)
    assert failure["type"] == "Timeout"
    assert failure["hints"] == ["Ask again in a few seconds."]
    return True


async def test_waiting_calls_are_served_in_order_and_a_client_that_leaves_makes_room() -> None:
    turns = Concurrency(1, 2)
    order: list[str] = []

    async def wait(name: str, leaving: anyio.CancelScope) -> None:
        with leaving:
            await turns.taken()
            order.append(name)

    leaves, stays = anyio.CancelScope(), anyio.CancelScope()
    assert await turns.taken()
    async with anyio.create_task_group() as tasks:
        for name, scope in (("leaves", leaves), ("second", stays)):
            tasks.start_soon(wait, name, scope)
            await anyio.wait_all_tasks_blocked()
        assert not await turns.taken()
        leaves.cancel()
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(wait, "third", anyio.CancelScope())
        await anyio.wait_all_tasks_blocked()
        turns.free()
        await anyio.wait_all_tasks_blocked()
        turns.free()

    assert order == ["second", "third"]


async def test_a_call_that_waits_too_long_is_refused() -> None:
    turns = Concurrency(1, 2, seconds=0.01)
    assert await turns.taken()

    assert not await turns.taken()
