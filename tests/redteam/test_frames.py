"""Frames that are too long, nested too deeply, malformed, or contradictory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.http.raw import META, MODERN, ask, connect, ends, post, request, statuses
from tests.http.sessions import message
from tests.redteam.attacker import Attacker, answer, told
from tests.redteam.fort import FORBIDDEN, Fort

FORGED_LINE = '{"event": "tool", "user": "ann", "documents": ["everything"]}'
IDS: dict[str, str] = {
    "null": "null", "an object": '{"a": 1}', "a list": "[1]", "true": "true", "a fraction": "1.5", "minus": "-1",
    "beyond a float": "1e999", "beyond all": "9" * 4000, "no number": "NaN", "empty": '""', "a newline": '"a\\nb"',
    "a line of a log": json.dumps("x\n" + FORGED_LINE), "a terminal": '"\\u001b[2J"', "nul": '"\\u0000"',
    "half a pair": '"\\ud800"', "an event": '"x\\n\\ndata: {}\\n\\n"', "a header": '"x\\r\\nSet-Cookie: a=b"',
    "markup": '"<script>alert(1)</script>"', "a path": '"../../etc/passwd"', "long": json.dumps("a" * 100_000),
}  # fmt: skip

LIST = {"name": "rag_list_documents", "arguments": {}}
GET = {"name": "rag_get_document", "arguments": {"doc_id": FORBIDDEN}}
HEADED = MODERN | {"Mcp-Method": "tools/call", "Mcp-Name": "rag_list_documents"}


def frame(number: str, params: dict[str, Any] = LIST) -> bytes:
    whole = json.dumps(message("tools/call", params | {"_meta": META}, 0))
    return whole.replace('"id": 0', f'"id": {number}').encode()


@pytest.mark.parametrize("attack", IDS)
@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_an_id_of_any_type_is_accepted_or_an_error(fort: Fort, era: str, attack: str) -> None:
    bob = Attacker(fort, era)
    headers = bob.bearer | (HEADED if era == "auto" else bob.session())
    reply = bob.sends(post(frame(IDS[attack]), headers))

    assert reply.status in (200, 202, 400)
    assert "set-cookie" not in reply.headers
    assert reply.status != 200 or reply.body.count(b"\ndata: ") <= 1
    assert not [one for one in fort.audited() if one.get("documents") == ["everything"]]


BODIES: dict[str, bytes] = {
    "two names": frame("1").replace(b'"name": ', b'"name": "rag_get_document", "name": '),
    "two methods": frame("1").replace(b'"method": ', b'"method": "resources/list", "method": '),
    "two params": frame("1").replace(b'"params": ', b'"params": {}, "params": '),
    "another name than its header": frame("1", GET),
    "another method than its header": frame("1").replace(b"tools/call", b"tools/list"),
    "another version than its header": frame("1").replace(b"2026-07-28", b"2025-11-25"),
    "a batch": b"[" + frame("1") + b"," + frame("2", GET) + b"]",
    "two in a row": frame("1") + frame("2", GET),
    "two on two lines": frame("1") + b"\n" + frame("2", GET),
    "deep": frame("1").replace(b'"arguments": {}', b'"arguments": {"filters": ' + b'{"a":' * 20_000 + b"1"),
    "deep and closed": frame("1").replace(
        b'"arguments": {}', b'"arguments": {"filters": ' + b'{"a":' * 900 + b"1" + b"}" * 901
    ),
    "many keys": frame("1").replace(
        b'"arguments": {}', b'"arguments": {' + b",".join(b'"k%d": 1' % one for one in range(50_000)) + b"}"
    ),
    "utf-16": frame("1").decode().encode("utf-16"),
    "utf-7": b"+AHs-" + frame("1"),
    "a mark before it": b"\xef\xbb\xbf" + frame("1"),
    "nul in it": frame("1").replace(b"rag_list", b"rag\x00list"),
    "compressed": b"\x1f\x8b\x08\x00" + b"\x00" * 100,
    "a method of the machine": frame("1").replace(b"tools/call", b"__class__"),
    "a tool that is none": frame("1").replace(b"rag_list_documents", b"__import__('os')"),
    "an answer to nothing": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"x": 1}}).encode(),
    "cancels all": json.dumps(message("notifications/cancelled", {"requestId": 1}, None)).encode(),
    "arguments that are a list": frame("1").replace(b'"arguments": {}', b'"arguments": [1]'),
    "arguments that are text": frame("1").replace(b'"arguments": {}', b'"arguments": "' + b"a" * 90_000 + b'"'),
    "a prototype": frame("1").replace(b'"arguments": {}', b'"arguments": {"__proto__": {"user": "ann"}}'),
}  # fmt: skip


@pytest.mark.parametrize("attack", BODIES)
@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_contradictory_or_empty_body_is_an_error_or_does_one_thing(fort: Fort, era: str, attack: str) -> None:
    bob = Attacker(fort, era)
    headers = bob.bearer | (HEADED if era == "auto" else bob.session())
    reply = bob.sends(post(BODIES[attack], headers))

    assert reply.status in (200, 202, 400, 404)
    assert len(reply.body) < 16_384
    assert b"Traceback" not in reply.body
    if era == "auto" and attack.startswith("another"):
        assert "error" in told(reply)


@pytest.mark.parametrize("how", ["with its length", "in chunks"])
def test_ten_megabytes_are_refused(bob: Attacker, how: str) -> None:
    body = b'{"a": "' + b"a" * 10_000_000 + b'"}'
    chunks = {"Content-Length": "", "Transfer-Encoding": "chunked"}
    chunked = post(b"", HEADED | bob.bearer | chunks) + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    sent = post(body, HEADED | bob.bearer) if how == "with its length" else chunked
    with connect(bob.fort.address) as wire:
        try:
            wire.sendall(sent)
        except ConnectionError:
            return
        assert statuses(wire.recv(65536)) == [413]


@pytest.mark.parametrize(
    "smuggled",
    [
        {"Transfer-Encoding": "chunked"}, {"Transfer-Encoding": "chunked, identity"},
        {"Transfer-Encoding": "\x0bchunked"}, {"Content-Length": "5\r\nContent-Length: 6"},
        {"Content-Length": "+5"}, {"Content-Length": "0x5"}, {"Content-Length": "5, 6"},
    ],
    ids=["both", "two codings", "a coding after a tab", "two lengths", "a sign", "hexadecimal", "a list of two"],
)  # fmt: skip
def test_bytes_after_a_body_of_two_lengths_are_not_a_request_of_the_owner(
    fort: Fort, bob: Attacker, smuggled: dict[str, str]
) -> None:
    """This happens with a proxy that sends requests of several callers over one connection."""
    owner = {"Authorization": f"Bearer {fort.token('ann')}"}
    inner = post(frame("1", GET), HEADED | {"Mcp-Name": "rag_get_document"} | owner)
    outer = request("POST", "/mcp", HEADED | bob.bearer | {"Content-Type": "application/json"} | smuggled)
    with connect(fort.address) as wire:
        wire.sendall(outer + b"0\r\n\r\n" + inner)
        came = ends(wire)

    assert len(statuses(came)) == 1
    assert statuses(came)[0] in (400, 501)
    assert b"quoll" not in came


def test_made_up_or_foreign_state_continues_nothing(fort: Fort, bob: Attacker) -> None:
    asks = META | {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    params: dict[str, Any] = {"name": "rag_get_document", "arguments": {"name": "report"}, "_meta": asks}
    named = MODERN | {"Mcp-Method": "tools/call", "Mcp-Name": "rag_get_document"}
    ann = {"Authorization": f"Bearer {fort.token('ann')}"}
    asked = told(ask(fort.address, post(message("tools/call", params), named | ann)))["result"]
    picked = {"action": "accept", "content": {"document": FORBIDDEN}}
    answers = {"inputResponses": dict.fromkeys(asked["inputRequests"], picked)}
    state = asked["requestState"]

    for tried in (state, state[:-4] + "AAAA", "", "e30", "A" * 50_000):
        reply = bob.sends(post(message("tools/call", params | answers | {"requestState": tried}), named | bob.bearer))
        assert "error" in told(reply) or answer(reply)["type"] == "AmbiguousDocument"
