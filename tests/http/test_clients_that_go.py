"""A client that goes away, or does not wait, costs nothing: its call ends immediately."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.doubles.in_thread import in_thread
from tests.doubles.stalled import StalledModel
from tests.http.raw import ask, connect, modern, post, read
from tests.http.sessions import CALL, OLD, message, session
from tests.http.site import Site
from tests.patience import PATIENCE
from tools.protocol import Models


@contextmanager
def serving(folder: Path, model: StalledModel, **variables: str) -> Iterator[Site]:
    with in_thread(Site(folder, variables, Models(model, llm_generate="You write."))) as site:
        yield site


def test_a_call_of_the_newest_protocol_ends_with_its_connection(tmp_path: Path) -> None:
    model = StalledModel()
    with serving(tmp_path, model) as site:
        with connect(site.address) as wire:
            wire.sendall(modern("tools/call", CALL))
            assert model.begun.wait(PATIENCE)
        assert model.ended.wait(PATIENCE)


def test_a_call_in_a_session_ends_with_its_connection_and_the_session_continues(tmp_path: Path) -> None:
    model = StalledModel()
    with serving(tmp_path, model) as site:
        named = session(site)
        with connect(site.address) as wire:
            wire.sendall(post(message("tools/call", CALL, 7), named))
            assert model.begun.wait(PATIENCE)
        assert model.ended.wait(PATIENCE)
        assert b'"tools":[' in ask(site.address, post(message("tools/list", {}, 8), named)).body


def test_a_call_without_a_session_ends_with_its_connection(tmp_path: Path) -> None:
    model = StalledModel()
    with serving(tmp_path, model, RAG_HTTP_STATELESS="true") as site:
        with connect(site.address) as wire:
            wire.sendall(post(message("tools/call", CALL), OLD))
            assert model.begun.wait(PATIENCE)
        assert model.ended.wait(PATIENCE)


def test_a_cancelled_call_is_ended_and_its_client_is_told(tmp_path: Path) -> None:
    model = StalledModel()
    with serving(tmp_path, model) as site:
        named = session(site)
        with connect(site.address) as wire:
            wire.sendall(post(message("tools/call", CALL, 7), named))
            assert model.begun.wait(PATIENCE)
            gone = message("notifications/cancelled", {"requestId": 7}, None)
            assert ask(site.address, post(gone, named)).status == 202
            assert model.ended.wait(PATIENCE)
            assert b"Request cancelled" in read(wire).body


def test_a_client_that_reads_nothing_blocks_nobody(tmp_path: Path) -> None:
    with in_thread(Site(tmp_path)) as site, connect(site.address) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        for _ in range(200):
            lazy.sendall(modern("tools/list"))
        assert ask(site.address, modern("tools/list")).status == 200
