"""If a request is answered before its complete body has arrived, its connection ends. No body costs more than its
bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from server.http.connections import MAX_SMALL_CHUNKS, MIN_MEAN_CHUNK, Bounds
from tests.doubles.in_thread import in_thread
from tests.http.raw import ACCEPT, MODERN, Reply, ask, connect, ends, modern, post, read, request
from tests.http.site import Site
from tests.identity.test_api_keys import made
from tests.patience import PATIENCE

CHUNKED = {"Content-Length": "", "Transfer-Encoding": "chunked"}
CHUNKS = b"1\r\na\r\n" * 10_000
MAX_CPU = 5.0
"""Maximum CPU seconds. Sending until the connection breaks takes at most one. Parsing would take three per megabyte."""


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    folder = tmp_path_factory.mktemp("keyed")
    key = made(folder / "keys.json", user="ann")
    with in_thread(Site(folder, {"RAG_API_KEYS": str(folder / "keys.json")}, bounds=Bounds(linger=0.5))) as site:
        yield site, key


def begun(path: str = "/mcp", headers: dict[str, str] | None = None, host: str = "localhost") -> bytes:
    """Return the start of a request whose body is still to come."""
    usual = {"Content-Type": "application/json", "Accept": ACCEPT} | CHUNKED
    return request("POST", path, usual | (headers or {}), host=host) + b"1\r\na\r\n"


REFUSED = {
    "no token": (begun(), 401),
    "another host": (begun(host="evil.example"), 421),
    "another origin": (begun(headers={"Origin": "https://evil.example"}), 403),
    "another path": (begun("/other"), 404),
    "another method": (begun("/healthz"), 405),
    "two lengths": (begun(headers={"Content-Length": "5"}), 400),
    "a length and no body": (post(b"", {"Content-Length": "100"}), 401),
    "a body that waits to be asked for": (begun(headers={"Expect": "100-continue"}), 401),
}


@pytest.mark.parametrize(("sent", "status"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_before_the_body_ends_the_connection(keyed: tuple[Site, str], sent: bytes, status: int) -> None:
    with connect(keyed[0].address) as wire:
        wire.sendall(sent)
        reply = read(wire)
        assert (reply.status, reply.headers["connection"]) == (status, "close")
        assert ends(wire) == b""


def test_bytes_after_a_refusal_are_not_parsed_and_soon_not_accepted(keyed: tuple[Site, str]) -> None:
    site, _ = keyed
    before = time.process_time()
    sent_until_the_end(site, begun(), b"1\r\na\r\n")
    sent_until_the_end(site, begun(), CHUNKS)
    assert time.process_time() - before < MAX_CPU


def sent_until_the_end(site: Site, head: bytes, chunks: bytes) -> None:
    """Send the chunks until the connection breaks."""
    with connect(site.address) as wire, suppress(ConnectionError):
        wire.sendall(head)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            wire.sendall(chunks)
        pytest.fail("The server takes chunks for ever.")


def test_a_refusal_after_the_body_keeps_the_connection(keyed: tuple[Site, str]) -> None:
    site, key = keyed
    with connect(site.address) as wire:
        for more in ({}, {"Authorization": f"Bearer {key}"}):
            wire.sendall(modern("tools/list", headers=more))
            assert read(wire).status == (200 if more else 401)


def in_chunks(body: bytes, size: int) -> bytes:
    parts = (body[at : at + size] for at in range(0, len(body), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def sent_in_chunks(site: Site, length: int, size: int) -> Reply:
    head, _, body = modern("tools/list", headers=CHUNKED).partition(b"\r\n\r\n")
    return ask(site.address, head + b"\r\n\r\n" + in_chunks(body.ljust(length), size))


@pytest.mark.parametrize(("length", "size"), [(MAX_SMALL_CHUNKS, 1), (600_000, MIN_MEAN_CHUNK), (10, 10)])
def test_a_chunked_body_is_accepted(site: Site, length: int, size: int) -> None:
    assert sent_in_chunks(site, length + 400, size + 2).status == 200


def test_a_body_of_many_small_chunks_is_refused_and_ends_the_connection(site: Site) -> None:
    before = time.process_time()
    sent_until_the_end(site, post(b"", CHUNKED), CHUNKS)
    assert time.process_time() - before < MAX_CPU


def test_the_refusal_of_small_chunks_states_its_reason(site: Site) -> None:
    reply = ask(site.address, post(b"", CHUNKED) + b"1\r\na\r\n" * (MAX_SMALL_CHUNKS + 1))
    assert (reply.status, reply.headers["connection"]) == (400, "close")
    assert b"too many small chunks" in reply.body


def test_a_client_that_still_sends_a_body_beyond_the_limit_reads_why(site: Site) -> None:
    long = b" " * (site.settings.http_max_body + 1)
    with connect(site.address) as wire:
        wire.sendall(post(long, MODERN))
        reply = read(wire)
        assert (reply.status, reply.headers["connection"]) == (413, "close")
        assert ends(wire) == b""
