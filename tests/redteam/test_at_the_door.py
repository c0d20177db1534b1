"""Callers who must not get in, and callers who pretend to be somebody else."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.issuer import Issuer, new_key, signed
from tests.http.raw import META, MODERN, Reply, ask, modern, post, request
from tests.http.sessions import HELLO, OLD, message
from tests.identity.test_tokens import (
    by_a_stranger_who_brings_the_key,
    changed_after_signing,
    keyed_with_the_public_key,
    rewritten,
    unsigned,
)
from tests.redteam.attacker import Attacker, answer
from tests.redteam.fort import FORBIDDEN, GUESSED, Fort

SEARCH = {"name": "rag_semantic_search", "arguments": {"query": GUESSED}}
NOW = int(time.time())
STRANGER = new_key("one")

TOKENS: dict[str, tuple[Callable[[Issuer], str], int]] = {
    "none": (lambda _: "", 401),
    "garbage": (lambda _: "garbage", 401),
    "expired": (lambda one: one.token(exp=NOW - 120), 401),
    "not valid yet": (lambda one: one.token(nbf=NOW + 86_400), 401),
    "wrong audience": (lambda one: one.token(aud="https://other.example.org"), 401),
    "no audience": (lambda one: one.token(aud=None), 401),
    "another issuer": (lambda one: one.token(iss="https://evil.example"), 401),
    "another tenant": (lambda one: one.token(iss=f"{one.url}/another-tenant"), 401),
    "alg none": (unsigned, 401),
    "alg nOnE": (lambda one: unsigned(one, "nOnE"), 401),
    "key confusion": (keyed_with_the_public_key, 401),
    "changed after signing": (changed_after_signing, 401),
    "a stranger's signature": (lambda one: signed(one.claims(), STRANGER), 401),
    "the key in the head": (by_a_stranger_who_brings_the_key, 401),
    "a path as the key's id": (lambda one: rewritten(one, kid="../../../etc/passwd"), 401),
    "SQL as the key's id": (lambda one: rewritten(one, kid="' UNION SELECT 'x' --"), 401),
    "without its signature": (lambda one: one.token().rpartition(".")[0] + ".", 401),
    "an API key that was guessed": (lambda _: "ibid_" + "a" * 43, 401),
    "stripped scope": (lambda one: one.token(scope=None), 403),
    "a scope that begins like ours": (lambda one: one.token(scope="rag.read.all"), 403),
    "a scope in capitals": (lambda one: one.token(scope="RAG.READ"), 403),
}

HOSTS = (
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "localhost@evil.example", "0.0.0.0",
    "2130706433", "[::]", "evil.example:80",
)  # fmt: skip
ORIGINS = (
    "null", "https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example",
    "file://", "http://localhost@evil.example",
)  # fmt: skip

PRINCIPAL = base64.b64encode(json.dumps({"userId": "ann", "userRoles": ["admin"]}).encode()).decode()
HEADERS = {
    "X-User": "ann", "X-Forwarded-User": "ann", "X-Remote-User": "ann", "Remote-User": "ann", "X-User-Id": "ann",
    "X-MS-CLIENT-PRINCIPAL": PRINCIPAL, "X-MS-CLIENT-PRINCIPAL-NAME": "ann", "X-Authenticated-Groups": "board",
    "Cookie": "user=ann; session=ann", "X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1;by=ann",
    "X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/images/", "RAG_USER_ID": "ann",
}  # fmt: skip
ARGUMENTS: dict[str, Any] = {
    "user_id": "ann", "caller": {"user_id": "ann"}, "user": "ann", "groups": ["board"], "department": "quolldept",
    "access_control_list": ["user:ann"], "unfiltered": True, "include_restricted": True, "_meta": {"user": "ann"},
    "ctx": {"user": "ann"}, "chosen": FORBIDDEN, "request": {"caller": "ann"}, "sampled": "quoll",
    "__class__": "x", "self": "ann",
}  # fmt: skip
CLAIMS: dict[str, dict[str, Any]] = {
    "a star": {"sub": "*"},
    "a principal in a name": {"sub": "user:ann"},
    "an ending of a filter": {"sub": "bob|user:ann"},
    "SQL": {"sub": "bob' OR '1'='1"},
    "JSON": {"sub": 'bob","user:ann'},
    "a space behind": {"sub": "ann "},
    "capitals": {"sub": "ANN"},
    "letters nobody sees": {"sub": "an\u200bn"},
    "another alphabet": {"sub": "\u0430nn"},
    "a group that is a user": {"sub": "bob", "groups": ["user:ann", "ann", "*"]},
    "a department that is a user": {"sub": "bob", "department": "ann"},
    "an object of groups": {"sub": "bob", "groups": {"ann": True}},
    "groups in a text": {"sub": "bob", "groups": "ann user:ann *"},
    "roles": {"sub": "bob", "roles": ["admin", "user:ann"]},
}


@pytest.mark.parametrize("attack", TOKENS)
def test_an_invalid_token_grants_nothing(fort: Fort, attack: str) -> None:
    make, status = TOKENS[attack]
    token = make(fort.issuer)
    fort.tokens.append(token)
    sent = {"Authorization": f"Bearer {token}"} if token else {}
    before = len(fort.statements)

    for asked in (modern("tools/call", SEARCH, sent), post(message("initialize", HELLO), sent)):
        reply = ask(fort.address, asked)
        assert reply.status == status
        assert "mcp-session-id" not in reply.headers
        assert not token or token.encode() not in reply.body
    assert len(fort.statements) == before


@pytest.mark.parametrize("host", HOSTS)
def test_a_request_for_another_host_is_misdirected_whoever_sends_it(fort: Fort, host: str) -> None:
    assert _asked_by_ann(fort, Host=host).status == 421


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_foreign_page_is_refused_even_with_a_valid_token(fort: Fort, origin: str) -> None:
    reply = _asked_by_ann(fort, Origin=origin)

    assert reply.status == 403
    assert not [one for one in reply.headers if one.startswith("access-control-")]


@pytest.mark.parametrize("header", HEADERS)
def test_no_header_identifies_the_caller(attacker: Attacker, header: str) -> None:
    reply = attacker.calls("rag_get_document", {header: HEADERS[header]}, doc_id=FORBIDDEN)

    assert answer(reply)["type"] == "DocumentNotFound"


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("tool", ["rag_get_document", "rag_synthesize"])
def test_no_argument_identifies_the_caller(attacker: Attacker, tool: str, argument: str) -> None:
    named = {"doc_id": FORBIDDEN} if tool == "rag_get_document" else {"query": "What opens?"}
    reply = attacker.calls(tool, **named, **{argument: ARGUMENTS[argument]})

    assert answer(reply)["type"] == "InvalidRequest"


@pytest.mark.parametrize("key", ["user", "caller", "principal", "io.modelcontextprotocol/clientInfo"])
def test_no_client_information_identifies_the_caller(bob: Attacker, key: str) -> None:
    claimed = {"name": "ann", "version": "1"} if "/" in key else {"user_id": "ann"}
    params = {"name": "rag_get_document", "arguments": {"doc_id": FORBIDDEN}, "_meta": META | {key: claimed}}
    named = MODERN | {"Mcp-Method": "tools/call", "Mcp-Name": "rag_get_document"} | bob.bearer
    reply = bob.sends(post(message("tools/call", params), named))

    assert answer(reply)["type"] == "DocumentNotFound"


@pytest.mark.parametrize("attack", CLAIMS)
def test_no_claim_of_a_valid_token_imitates_another_principal(fort: Fort, attack: str) -> None:
    changes = CLAIMS[attack]
    token = fort.token(changes["sub"], **{key: one for key, one in changes.items() if key != "sub"})
    found = {"name": "rag_get_document", "arguments": {"doc_id": FORBIDDEN}}
    reply = ask(fort.address, modern("tools/call", found, {"Authorization": f"Bearer {token}"}))

    assert reply.status in (200, 401, 403)
    assert b"quoll" not in reply.body
    assert reply.status != 200 or answer(reply)["type"] in ("DocumentNotFound", "AccessDenied")


def test_a_session_of_another_caller_is_unknown(fort: Fort) -> None:
    ann, bob = Attacker(fort, "legacy", "ann"), Attacker(fort, "legacy", "bob")
    sent = message("tools/call", {"name": "rag_get_document", "arguments": {"doc_id": FORBIDDEN}})

    assert bob.sends(post(sent, ann.session() | bob.bearer)).status == 404
    assert bob.sends(request("DELETE", "/mcp", ann.session() | bob.bearer)).status == 404
    assert ask(fort.address, post(sent, ann.session() | ann.bearer)).status == 200


@pytest.mark.parametrize("made_up", ["1", "a" * 32, "../ann", "' OR 1=1 --", "*", "x" * 5000])
def test_a_made_up_session_is_unknown(fort: Fort, made_up: str) -> None:
    bob = Attacker(fort, "legacy")
    named = OLD | {"Mcp-Session-Id": made_up} | bob.bearer

    assert bob.sends(post(message("tools/list", {}), named)).status in (400, 404)


def _asked_by_ann(fort: Fort, **headers: str) -> Reply:
    owner = {"Authorization": f"Bearer {fort.token('ann')}"}
    return ask(fort.address, modern("tools/call", SEARCH, owner | headers))
