"""Known callers get in even if strangers hold many connections, and refusing a connection is then no more expensive."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from server.http.connections import MAX_DROPPED, Bounds
from tests.doubles.in_thread import in_thread
from tests.http.raw import ask, connect, modern, post, read, request
from tests.http.site import Site
from tests.identity.test_api_keys import made
from tests.patience import PATIENCE

CONNECTIONS = 16


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("shared")
    key = made(folder / "keys.json", user="ann")
    bounds = Bounds(connections=CONNECTIONS, linger=120)
    with in_thread(Site(folder, {"RAG_API_KEYS": str(folder / "keys.json")}, bounds=bounds)) as site:
        yield site, {"Authorization": f"Bearer {key}"}


@contextmanager
def attackers(site: Site, sent: bytes, count: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """Open `count` connections that stay open, each after sending these bytes."""
    with ExitStack() as opened:
        held = []
        for _ in range(count):
            wire = socket.create_connection(
                (site.address.host, site.address.port), timeout=PATIENCE, source_address=(source, 0)
            )
            opened.enter_context(wire)
            with suppress(ConnectionError):
                wire.sendall(sent)
            held.append(wire)
        yield held


STAYING = {
    "silent": b"",
    "half a head": b"POST /mcp HTTP/1.1\r\nHost: local",
    "a body that does not come": post(b"", {"Content-Length": "100000"}),
    "refused and kept open": request("GET", "/mcp"),
    "a probe of health": request("GET", "/healthz"),
}


@pytest.mark.parametrize("kind", STAYING)
@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.2"])
def test_a_known_caller_gets_in_however_many_connections_strangers_hold(
    keyed: tuple[Site, dict[str, str]], kind: str, source: str
) -> None:
    site, key = keyed
    with attackers(site, STAYING[kind], 3 * CONNECTIONS, source):
        for _ in range(CONNECTIONS):
            assert ask(site.address, modern("tools/list", headers=key)).status == 200
            assert ask(site.address, request("GET", "/healthz")).status == 200


def test_the_connection_of_a_known_caller_stays(keyed: tuple[Site, dict[str, str]]) -> None:
    site, key = keyed
    with connect(site.address) as wire:
        wire.sendall(modern("tools/list", headers=key))
        assert read(wire).status == 200
        with attackers(site, b"", 3 * CONNECTIONS):
            wire.sendall(modern("tools/list", headers=key))
            assert read(wire).status == 200


def test_strangers_of_one_address_leave_room_for_those_of_others(keyed: tuple[Site, dict[str, str]]) -> None:
    site, _ = keyed
    with attackers(site, b"", 3 * CONNECTIONS, "127.0.0.2"), attackers(site, b"", 3, "127.0.0.3") as others:
        for wire in others:
            wire.sendall(request("GET", "/healthz"))
            assert read(wire).status == 200


def test_a_call_in_progress_is_closed_for_nobody(tmp_path: Path) -> None:
    """If no caller is known, connections that listen are not closed for new ones."""
    with in_thread(Site(tmp_path, bounds=Bounds(connections=4))) as site, ExitStack() as opened:
        listening = []
        for _ in range(3):
            wire = opened.enter_context(connect(site.address))
            wire.sendall(modern("subscriptions/listen", {"notifications": {"resourcesListChanged": True}}))
            assert wire.recv(12) == b"HTTP/1.1 200"
            listening.append(wire)
        with attackers(site, b"", 20):
            assert ask(site.address, request("GET", "/healthz")).status == 200
        for wire in listening:
            wire.settimeout(0.2)
            with suppress(TimeoutError):
                while wire.recv(65536):
                    pass
                pytest.fail("A connection that listens was ended.")


def test_a_refused_body_is_discarded_for_some_megabytes_at_most(keyed: tuple[Site, dict[str, str]]) -> None:
    site, _ = keyed
    began = time.monotonic()
    sent = 0
    with connect(site.address) as wire, suppress(ConnectionError):
        wire.sendall(post(b"", {"Content-Length": "10000000000"}))
        while time.monotonic() < began + PATIENCE:
            sent += wire.send(b" " * 65536)
    assert time.monotonic() - began < 60, "it continued until the time limit"
    assert sent > MAX_DROPPED // 2
