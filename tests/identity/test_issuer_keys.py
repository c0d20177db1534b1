"""Keys of the issuer: fetched on demand, rarely, once for all waiting calls, and cached while the issuer is down."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import anyio
import pytest
from aiohttp import web
from jwt.algorithms import get_default_algorithms
from structlog.testing import capture_logs

from server.identity import issuer_keys
from server.identity.issuer_keys import FRESH, MAX_BYTES, PAUSE, STALE, IssuerKeys
from tests.doubles.issuer import Issuer, new_key
from tests.patience import PATIENCE

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def keys(issuer: Issuer, clock: Clock) -> AsyncIterator[IssuerKeys]:
    async with anyio.create_task_group() as tasks:
        yield IssuerKeys(issuer.url, {issuer.url}, None, tasks, clock)
        tasks.cancel_scope.cancel()


async def knows(keys: IssuerKeys, kid: str | None = "one") -> bool:
    with anyio.fail_after(PATIENCE):
        return await keys.find(kid, "RS256") is not None


async def test_keys_are_fetched_once_and_cached(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    assert issuer.asked == []
    for _ in range(5):
        assert await knows(keys)
    clock.now += FRESH - 1
    assert await knows(keys)
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


async def test_a_new_key_is_found_and_the_withdrawn_one_is_refused(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    assert await knows(keys)
    issuer.rotate("two")
    clock.now += PAUSE
    assert await knows(keys, "two")
    assert not await knows(keys, "one")


async def test_a_withdrawn_key_is_forgotten_after_a_while(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    assert await knows(keys)
    issuer.rotate("two")
    clock.now += FRESH + 1
    assert not await knows(keys, "one")


async def test_made_up_key_ids_cannot_cause_repeated_requests(keys: IssuerKeys, issuer: Issuer, clock: Clock) -> None:
    assert await knows(keys)
    for number in range(200):
        assert not await knows(keys, f"made-up-{number}")
    assert issuer.asked.count("/keys") == 1
    clock.now += PAUSE
    for number in range(200):
        assert not await knows(keys, f"made-up-{number}")
    assert issuer.asked.count("/keys") == 2


async def test_concurrent_requests_share_one_fetch(keys: IssuerKeys, issuer: Issuer) -> None:
    results: list[bool] = []

    async def ask() -> None:
        results.append(await knows(keys))

    async with anyio.create_task_group() as tasks:
        for _ in range(50):
            tasks.start_soon(ask)
    assert results == [True] * 50
    assert issuer.asked.count("/keys") == 1


async def test_a_client_that_goes_away_does_not_end_a_fetch_that_others_wait_for(
    keys: IssuerKeys, issuer: Issuer
) -> None:
    reached, go_on = anyio.Event(), anyio.Event()

    async def slow(_: Issuer) -> web.StreamResponse:
        reached.set()
        await go_on.wait()
        return web.json_response({"issuer": issuer.url, "jwks_uri": f"{issuer.origin}/keys"})

    issuer.next.append(slow)
    async with anyio.create_task_group() as leaving:
        leaving.start_soon(keys.find, "one", "RS256")
        with anyio.fail_after(PATIENCE):
            await reached.wait()
        leaving.cancel_scope.cancel()
    go_on.set()
    assert await knows(keys)
    assert issuer.asked.count("/keys") == 1


async def test_while_the_issuer_is_down_its_last_keys_are_used_but_not_forever(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    assert await knows(keys)
    issuer.next.extend([lambda _: web.Response(status=503)] * 9)
    clock.now += FRESH + 1
    with capture_logs() as lines:
        assert await knows(keys)
        assert await knows(keys)
    assert [(one["event"], one["reason"], one["kept"]) for one in lines] == [
        ("identity.keys", "it fails (status 503)", True)
    ]
    clock.now += STALE
    assert not await knows(keys)
    issuer.next.clear()
    clock.now += PAUSE
    assert await knows(keys)


async def test_a_hanging_issuer_delays_a_request_only_for_a_while(
    keys: IssuerKeys, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.identity.issuer_keys.PATIENCE", 0.05)
    issuer.next.append(Issuer.hang)
    assert not await knows(keys)


def of(issuer: Issuer) -> dict[str, object]:
    """Return valid metadata."""
    return {"issuer": issuer.url, "jwks_uri": f"{issuer.origin}/keys"}


@pytest.mark.parametrize("answer", [
    lambda one: web.Response(status=302, headers={"Location": f"{one.origin}/keys"}),
    lambda _: web.Response(text="<html>"),
    lambda _: web.Response(text="[" * 100_000),
    lambda _: web.json_response([]),
    lambda one: web.Response(text=json.dumps(of(one)) + " " * MAX_BYTES),
    lambda one: web.json_response(of(one) | {"issuer": "https://evil.example.org"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": "file:///etc/passwd"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": "http://evil.example.org/keys"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": f"{one.origin.replace('//', '//user:pass@')}/keys"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": f"{one.origin.replace('//', '//:pass@')}/keys"}),
    lambda one: web.json_response({"issuer": one.url}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": "http://127.0.0.1:99999/keys"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": "https://[::1/keys"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": "https://\ud800/keys"}),
    lambda one: web.json_response({"issuer": one.url, "jwks_uri": ["https://127.0.0.1"]}),
    lambda _: web.Response(body=b"\xff\xfe", headers={"Content-Type": "application/json"}),
    lambda one: web.json_response(of(one) | {"issuer": f"{one.url}/"}),
])  # fmt: skip
async def test_misleading_metadata_is_not_followed(keys: IssuerKeys, issuer: Issuer, answer) -> None:  # type: ignore[no-untyped-def]
    issuer.next.append(answer)
    assert not await knows(keys)
    assert issuer.asked == ["/.well-known/openid-configuration"]


async def test_redirects_of_the_key_address_are_not_followed(keys: IssuerKeys, issuer: Issuer) -> None:
    issuer.metadata = {"jwks_uri": f"{issuer.origin}/moved"}
    issuer.next.extend([
        lambda one: web.json_response({"issuer": one.url, "jwks_uri": f"{one.origin}/moved"}),
        lambda one: web.Response(status=307, headers={"Location": f"{one.origin}/keys"}),
    ])  # fmt: skip
    assert not await knows(keys)
    assert issuer.asked[-1] == "/moved"


UNFIT = {
    "a secret": {"kty": "oct", "kid": "one", "k": "c2VjcmV0", "alg": "HS256"},
    "for encryption": {"use": "enc"},
    "to sign with": {"key_ops": ["sign"]},
    "for another algorithm": {"alg": "RS512"},
    "of endless numbers": {"n": "A" * 5000},
}


@pytest.mark.parametrize("what", UNFIT)
async def test_a_key_for_another_use_is_not_used(keys: IssuerKeys, issuer: Issuer, what: str) -> None:
    good = new_key("other").published()
    changed = UNFIT[what]
    issuer.published = [
        changed if "kty" in changed else issuer.key.published(**changed),
        good,
        "no key",
        None,
    ]
    assert not await knows(keys)
    assert await knows(keys, "other")


@pytest.mark.parametrize(
    "changes",
    [{"n": 5}, {"n": "*"}, {"e": "AA"}, {"n": None}, {"kty": ["RSA"]}, {"kid": 7}, {"key_ops": "verify"}],
)
async def test_an_unreadable_key_is_ignored(keys: IssuerKeys, issuer: Issuer, changes: dict[str, object]) -> None:
    issuer.published = [issuer.key.published(**changes), new_key("other").published()]
    assert not await knows(keys)
    assert await knows(keys, "other")


async def test_a_key_that_reveals_its_secret_is_not_used(keys: IssuerKeys, issuer: Issuer) -> None:
    private = get_default_algorithms()["RS256"].to_jwk(issuer.key.private, as_dict=True)
    issuer.published = [{**private, "kid": "one", "key_ops": ["verify"]}]
    assert not await knows(keys)


async def test_a_token_without_a_key_id_is_checked_with_the_only_key(
    keys: IssuerKeys, issuer: Issuer, clock: Clock
) -> None:
    assert await knows(keys, None)
    issuer.published.append(new_key("two").published())
    clock.now += FRESH + 1
    assert not await knows(keys, None)


async def test_an_issuer_with_only_oauth_metadata_is_found(clock: Clock) -> None:
    async with Issuer("/realm") as issuer, anyio.create_task_group() as tasks:
        metadata = {"issuer": issuer.url, "jwks_uri": f"{issuer.origin}/keys"}
        issuer.next.extend([lambda _: web.Response(status=404), lambda _: web.json_response(metadata)])
        assert await knows(IssuerKeys(issuer.url, {issuer.url}, None, tasks, clock))
        assert issuer.asked == [
            "/realm/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realm", "/keys",
        ]  # fmt: skip


async def test_a_key_address_in_the_settings_is_the_only_one_used(issuer: Issuer, clock: Clock) -> None:
    async with anyio.create_task_group() as tasks:
        assert await knows(IssuerKeys(issuer.url, {issuer.url}, f"{issuer.origin}/keys", tasks, clock))
        assert issuer.asked == ["/keys"]


def test_there_is_a_pause_between_two_fetches() -> None:
    assert 10 <= issuer_keys.PAUSE <= 60 < issuer_keys.FRESH < issuer_keys.STALE
