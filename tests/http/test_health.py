"""Health checks report whether the process is alive and whether it can answer, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from corpus.errors import InternalError
from server.http import lifecycle
from tests.doubles.in_thread import in_thread
from tests.http.raw import ask, request
from tests.http.site import Site

pytestmark = pytest.mark.anyio


def test_a_server_with_an_open_index_is_alive_and_ready(site: Site) -> None:
    for path in ("/healthz", "/readyz"):
        reply = ask(site.address, request("GET", path))
        assert (reply.status, reply.body) == (200, b"ok\n")


def test_a_probe_may_use_the_head_method(site: Site) -> None:
    for path in ("/healthz", "/readyz"):
        reply = ask(site.address, request("HEAD", path, {"Connection": "close"}))
        assert (reply.status, reply.body) == (200, b"")
        assert ask(site.address, request("POST", path)).status == 405


async def test_a_server_with_an_index_that_cannot_be_opened_is_alive_and_not_ready_until_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifecycle, "RETRY_SECONDS", 0.001)
    readiness, refused, mended = lifecycle.Readiness(), anyio.Event(), anyio.Event()

    async def library() -> Any:
        if not mended.is_set():
            refused.set()
            raise InternalError("The index is damaged: secret.")

    async with anyio.create_task_group() as tasks:
        assert await told(readiness, "/readyz") == (503, lifecycle.OPENING)
        tasks.start_soon(readiness.follow, library)
        await refused.wait()
        await anyio.wait_all_tasks_blocked()
        assert await told(readiness, "/readyz") == (503, lifecycle.UNUSABLE)
        assert await told(readiness, "/healthz") == (200, "ok")
        mended.set()
    assert await told(readiness, "/readyz") == (200, "ok")


def test_an_unknown_path_is_a_small_404(site: Site) -> None:
    reply = ask(site.address, request("GET", "/admin"))

    assert reply.status == 404
    assert len(reply.body) < 50


def test_a_server_whose_data_folder_is_gone_is_alive_and_not_ready(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with in_thread(Site(folder)) as site:
        (folder / "index").rename(folder / "elsewhere")
        assert ask(site.address, request("GET", "/readyz")).status == 503
        assert ask(site.address, request("GET", "/healthz")).status == 200
        (folder / "elsewhere").rename(folder / "index")
        assert ask(site.address, request("GET", "/readyz")).status == 200


async def told(readiness: lifecycle.Readiness, path: str) -> tuple[int, str]:
    """Return the messages that the middleware sends, without a server around it."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def nothing(*given: Any) -> Any:
        raise AssertionError("health is answered by itself")

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    await lifecycle.Health(nothing, readiness)(scope, nothing, send)
    return sent[0]["status"], sent[1]["body"].decode().strip()
