"""Refused tokens, each with one fault, which the log reports."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from structlog.testing import capture_logs

from server.identity.identity_parts import Identity
from tests.doubles.issuer import Issuer, Key, new_key, signed
from tests.identity.known import admitted, known

pytestmark = pytest.mark.anyio

STRANGER = new_key("one")
"""A foreign key with the same id as the issuer's key."""


@pytest.fixture
async def found(issuer: Issuer) -> AsyncIterator[Identity]:
    async with known(issuer.settings) as identity:
        yield identity


async def refusal(found: Identity, token: str) -> str:
    """Return the reason in the log, which must contain nothing else from the token."""
    with capture_logs() as lines:
        assert await admitted(found, token) is None
    assert len(lines) == 1
    assert lines[0]["event"] == "identity.refused"
    assert set(lines[0]) == {"event", "log_level", "reason"}
    return str(lines[0]["reason"])


async def test_a_valid_token_identifies_the_caller(found: Identity, issuer: Issuer) -> None:
    token = await admitted(found, issuer.token("ann", groups=["board"]))
    assert token is not None
    assert token.who.principals(prefixed=True) == {"*", "user:ann", "group:board"}  # type: ignore[union-attr]
    assert token.token == ""
    assert "ann" not in repr(token.claims)


UNKNOWN_KEY = "its key is not one of the issuer's keys"
NOW = int(time.time())
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "expired": ({"exp": NOW - 120}, "it has expired"),
    "without an end": ({"exp": None}, "its claims are invalid"),
    "with an end in words": ({"exp": "4102444800"}, "its claims are invalid"),
    "with an end that is true": ({"exp": 2**70, "nbf": True}, "its claims are invalid"),
    "not valid yet": ({"nbf": NOW + 86_400}, "it is not valid yet"),
    "issued in the future": ({"iat": NOW + 86_400}, "it is not valid yet"),
    "for another audience": ({"aud": "https://other.example.org"}, "it is for another audience"),
    "for an audience that begins like ours": ({"aud": "https://ibid.example.org/mcp/x"}, "it is for another audience"),
    "for others of a list": ({"aud": ["a", "b"]}, "it is for another audience"),
    "for an object": ({"aud": {"https://ibid.example.org/mcp": 1}}, "it is for another audience"),
    "without an audience": ({"aud": None}, "its claims are invalid"),
    "of another issuer": ({"iss": "https://evil.example.org"}, "it is from another issuer"),
    "of an issuer in a list": ({"iss": ["x"]}, "it is from another issuer"),
    "without an issuer": ({"iss": None}, "its claims are invalid"),
    "with a subject that is no text": ({"sub": 7}, "its claims are invalid"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
async def test_invalid_claims_are_refused(found: Identity, issuer: Issuer, what: str) -> None:
    changes, reason = WRONG[what]
    assert await refusal(found, issuer.token(**changes)) == reason


def unsigned(issuer: Issuer, algorithm: str = "none") -> str:
    return f"{part({'alg': algorithm, 'kid': 'one'})}.{part(issuer.claims())}."


def keyed_with_the_public_key(issuer: Issuer) -> str:
    """Return a token signed by HS256 with the public key as its secret: the classic key confusion."""
    pem = issuer.key.public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    content = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(issuer.claims())}"
    mac = hmac.new(pem, content.encode(), hashlib.sha256).digest()
    return f"{content}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def changed_after_signing(issuer: Issuer) -> str:
    head, _, mac = issuer.token("bob").split(".")
    return f"{head}.{part(issuer.claims('ann'))}.{mac}"


def by_a_stranger_who_brings_the_key(issuer: Issuer) -> str:
    brought = {
        "jwk": STRANGER.published(), "jku": f"{issuer.origin}/stranger", "x5u": f"{issuer.origin}/stranger",
        "x5c": ["MIIB"],
    }  # fmt: skip
    return signed(issuer.claims(), STRANGER, brought)


def with_extension(name: str) -> Callable[[Issuer], str]:
    def make(issuer: Issuer) -> str:
        return rewritten(issuer, crit=[name], **{name: True})

    return make


def rewritten(issuer: Issuer, **header: Any) -> str:
    """Return a token with another header, signed with the issuer's key."""
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.hashes import SHA256

    content = f"{part({'alg': 'RS256', 'kid': 'one', **header})}.{part(issuer.claims())}"
    mac = issuer.key.private.sign(content.encode(), padding.PKCS1v15(), SHA256())
    return f"{content}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def part(content: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


FORGED: dict[str, tuple[Callable[[Issuer], str], str]] = {
    "nothing": (lambda _: "", "it is not a signed token"),
    "garbage": (lambda _: "garbage", "it is not a signed token"),
    "dots": (lambda _: "..", "it is not a signed token"),
    "letters that no token has": (lambda _: "é.é.é", "it is not a signed token"),
    "five parts, as of an encrypted one": (lambda one: f"{one.token()}.a.b", "it is not a signed token"),
    "a head that is a list": (lambda _: f"{part([1])}.{part({})}.", "it is not a signed token"),
    "a head without an end of brackets": (
        lambda _: f"{base64.urlsafe_b64encode(b'[' * 9000).decode().rstrip('=')}.e30.", "it is not a signed token",
    ),
    "a huge one": (lambda one: one.token(filler="x" * 20_000), "it is too long"),
    "alg none": (unsigned, "its algorithm is not accepted"),
    "alg NonE": (lambda one: unsigned(one, "NonE"), "its algorithm is not accepted"),
    "alg that is a list": (lambda one: rewritten(one, alg=["RS256"]), "its algorithm is not accepted"),
    "alg left out": (lambda one: rewritten(one, alg=None), "its algorithm is not accepted"),
    "key confusion": (keyed_with_the_public_key, "its algorithm is not accepted"),
    "an algorithm that is not in the settings": (
        lambda one: signed(one.claims(), Key("one", "RS512", one.key.private)), "its algorithm is not accepted",
    ),
    "an algorithm that the key is not for": (
        lambda one: signed(one.claims(), Key("one", "PS256", one.key.private)), UNKNOWN_KEY,
    ),
    "a key of another kind": (lambda one: signed(one.claims(), new_key("one", "ES256")), UNKNOWN_KEY),
    "changed after it was signed": (changed_after_signing, "its signature is invalid"),
    "a stranger's signature": (lambda one: signed(one.claims(), STRANGER), "its signature is invalid"),
    "a stranger's own key in the head": (by_a_stranger_who_brings_the_key, "its signature is invalid"),
    "a critical extension": (with_extension("exp-ish"), "it is not a signed token"),
    "a critical extension that the library knows": (with_extension("b64"), "it requires extensions"),
    "a head that says b64": (lambda one: rewritten(one, b64=True), "it requires extensions"),
    "an id of the key that is a path": (lambda one: rewritten(one, kid="../../keys"), UNKNOWN_KEY),
    "an id of the key that is no text": (lambda one: rewritten(one, kid=1), "it is not a signed token"),
    "an id of the key without end": (lambda one: rewritten(one, kid="k" * 600), "its key id is too long"),
    "a token of another kind": (lambda one: rewritten(one, typ="logout+jwt"), "it is another type of token"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
async def test_forged_tokens_are_refused(found: Identity, issuer: Issuer, what: str) -> None:
    make, reason = FORGED[what]
    assert await refusal(found, make(issuer)) == reason
    assert not [path for path in issuer.asked if "stranger" in path]


async def test_a_token_modified_anywhere_is_refused(found: Identity, issuer: Issuer) -> None:
    good, letters = issuer.token(), random.Random(7)
    for _ in range(300):
        place, letter = letters.randrange(len(good)), letters.choice("ABCxyz019-_.=+/ \0é\ud800")
        changed = good[:place] + letter + good[place + letters.randrange(3) :]
        assert changed == good or await admitted(found, changed) is None


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "PS256", "RS256"])
async def test_each_usual_signature_algorithm_is_accepted(found: Identity, issuer: Issuer, algorithm: str) -> None:
    issuer.key = new_key("two", algorithm)
    issuer.published = [issuer.key.published(alg=None)]
    assert await admitted(found, issuer.token()) is not None


async def test_a_key_that_is_too_short_is_refused(found: Identity, issuer: Issuer) -> None:
    issuer.key = Key("short", "RS256", rsa.generate_private_key(65537, 1024))
    issuer.published = [issuer.key.published()]
    with pytest.warns(UserWarning, match="2048"):
        token = issuer.token()
    assert await refusal(found, token) == "its claims are invalid"


async def test_a_slightly_wrong_clock_is_tolerated(found: Identity, issuer: Issuer) -> None:
    token = await admitted(found, issuer.token(exp=int(time.time()) - 30, nbf=int(time.time()) + 30))
    assert token is not None
    assert token.expires_at is not None
    assert token.expires_at > time.time()  # The SDK would refuse it otherwise.


@pytest.mark.parametrize("claims", [
    {"scope": None}, {"scope": "openid"}, {"scope": "RAG.READ"}, {"scope": "rag.read.all"}, {"scope": "rag.read,x"},
    {"scope": {"rag.read": 1}}, {"scope": None, "scp": ["rag", "read"]}, {"scope": None, "roles": ["rag.read"]},
])  # fmt: skip
async def test_a_token_without_the_scope_has_no_scope(found: Identity, issuer: Issuer, claims: dict[str, Any]) -> None:
    token = await admitted(found, issuer.token(**claims))
    assert token is not None
    assert token.scopes == []


@pytest.mark.parametrize("scp", ["rag.read", "profile rag.read", ["profile", "rag.read"]])
async def test_the_scope_may_be_in_scp(found: Identity, issuer: Issuer, scp: Any) -> None:
    token = await admitted(found, issuer.token(scope=None, scp=scp))
    assert token is not None
    assert token.scopes == ["rag.read"]
