"""Requests that no real client sends: each costs one short answer, and the next request is served normally."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.http.raw import ACCEPT, MODERN, Reply, ask, connect, ends, modern, post, request, statuses
from tests.http.site import Site

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
SMUGGLED = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(autouse=True)
def still_serving(site: Site) -> Any:
    yield
    assert ask(site.address, modern("tools/list")).status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x00\xff\x13\x37 garbage\r\n\r\n", 400),
        (bytes.fromhex("16030100c8010000c40303") + b"x" * 189 + b"\r\n\r\n", 400),
        (HEALTH + b"".join(b"X-%d: 1\r\n" % one for one in range(10_000)) + b"\r\n", 431),
        (HEALTH + b"X: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (HEALTH + b"Host: evil.example\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.0\r\n\r\n", 421),
        (b"GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (request("GET", "/%2e%2e/%2e%2e/etc/passwd"), 404),
        (request("POST", "/mcp/"), 404),
        (request("POST", "/mcp", {"Content-Length": "-5"}), 400),
        (request("POST", "/mcp", {"Content-Length": "9" * 30}), 400),
    ],
)
def test_an_invalid_request_gets_a_short_answer(site: Site, sent: bytes, status: int) -> None:
    reply = ask(site.address, sent)

    assert reply.status == status
    assert len(reply.body) < 200


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED,
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + SMUGGLED,
        CHUNKED + b"chunked, identity\r\n\r\n" + SMUGGLED,
        CHUNKED + b"xchunked\r\n\r\n" + SMUGGLED,
        CHUNKED + b"identity\r\n\r\n" + SMUGGLED,
        CHUNKED + b"chunked\r\nTransfer-Encoding: identity\r\n\r\n" + SMUGGLED,
        CHUNKED + b"chunked\r\n\r\nzz\r\n" + SMUGGLED,
    ],
)
def test_a_body_with_two_lengths_ends_the_connection_and_the_rest_is_not_a_request(site: Site, sent: bytes) -> None:
    with connect(site.address) as wire:
        wire.sendall(sent)
        assert len(statuses(answered := ends(wire))) == 1
    assert statuses(answered)[0] in (400, 501)


def test_an_endless_line_is_cut_off(site: Site) -> None:
    with connect(site.address) as wire:
        try:
            for _ in range(160):
                wire.sendall(b"GET /" + b"a" * 65536)
        except ConnectionError:
            return
        assert statuses(ends(wire)) == [400]


def test_pipelined_requests_are_answered_one_after_the_other(site: Site) -> None:
    with connect(site.address) as wire:
        wire.sendall(HEALTH + b"\r\n" + modern("tools/list") + HEALTH + b"Connection: close\r\n\r\n")
        assert statuses(ends(wire)) == [200, 200, 200]


def test_a_client_that_leaves_during_a_request_is_forgotten(site: Site) -> None:
    whole = post(PING)
    for cut in (1, 20, len(whole) - 5):
        with connect(site.address) as wire:
            wire.sendall(whole[:cut])


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_than_post_is_refused_in_the_newest_protocol(site: Site, method: str) -> None:
    reply = ask(site.address, request(method, "/mcp", {"Accept": ACCEPT, "Connection": "close"} | MODERN))

    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("version", [{}, MODERN])
def test_a_form_that_any_page_could_post_is_refused(site: Site, kind: str, version: dict[str, str]) -> None:
    assert ask(site.address, post(HELLO, {"Content-Type": kind} | version)).status == 400


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, json.dumps([HELLO, HELLO]).encode(),
     json.dumps(HELLO).encode("utf-16"), b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
     b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}'],
)  # fmt: skip
@pytest.mark.parametrize("version", [{}, MODERN])
def test_a_body_that_is_not_a_message_is_an_error_and_opens_no_session(
    site: Site, body: bytes, version: dict[str, str]
) -> None:
    reply = ask(site.address, post(body, version))

    assert reply.status == 400
    assert "mcp-session-id" not in reply.headers or not _is_open(site, reply)


def test_an_answer_does_not_name_the_software(site: Site) -> None:
    for reply in (ask(site.address, HEALTH + b"\r\n"), ask(site.address, modern("tools/list"))):
        assert "server" not in reply.headers


def test_a_body_beyond_the_limit_is_refused_with_and_without_a_length(site: Site) -> None:
    long = b" " * (site.settings.http_max_body + 1)
    chunks = {"Content-Length": "", "Transfer-Encoding": "chunked"}

    for sent in (post(long), post(b"", chunks) + b"%x\r\n%s\r\n0\r\n\r\n" % (len(long), long)):
        assert ask(site.address, sent).status == 413


def _is_open(site: Site, reply: Reply) -> bool:
    named = {"Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    return ask(site.address, post(PING, named)).status != 404
