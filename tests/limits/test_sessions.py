"""One caller's sessions of the older protocol do not use up another's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.identity.api_keys import ApiKey, change_keys, digest, new_secret
from tests.doubles.in_thread import in_thread
from tests.http.raw import Reply, ask, post
from tests.http.sessions import HELLO, OLD, message
from tests.http.site import Site

Keyed = tuple[Site, dict[str, str], dict[str, str]]


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """A server with room for thirty sessions, thus three per caller, and the keys of ann and bob."""
    folder: Path = tmp_path_factory.mktemp("sessions")
    path, secrets = folder / "private" / "keys.json", {who: new_secret() for who in ("ann", "bob")}
    change_keys(
        path,
        lambda keys: tuple(ApiKey(name=who, digest=digest(secret), user=who) for who, secret in secrets.items()),
    )
    variables = {"RAG_API_KEYS": str(path), "RAG_HTTP_MAX_SESSIONS": "30", "RAG_RATE_LIMIT": "60"}
    with in_thread(Site(folder, variables)) as site:
        ann, bob = ({"Authorization": f"Bearer {secret}"} for secret in secrets.values())
        yield site, ann, bob


def opened(site: Site, who: dict[str, str]) -> Reply:
    return ask(site.address, post(message("initialize", HELLO), who))


def listed(site: Site, headers: dict[str, str]) -> int:
    return ask(site.address, post(message("tools/list", {}), headers)).status


def test_a_further_session_ends_the_longest_idle_one_of_the_same_caller(keyed: Keyed) -> None:
    site, ann, bob = keyed
    others = bob | OLD | {"Mcp-Session-Id": opened(site, bob).headers["mcp-session-id"]}
    first, second, *_ = (ann | OLD | {"Mcp-Session-Id": opened(site, ann).headers["mcp-session-id"]} for _ in range(3))
    assert listed(site, first) == 200
    for _ in range(35):
        assert opened(site, ann).status == 200

    assert listed(site, second) == 404
    assert listed(site, others) == 200


def test_opening_a_session_counts_as_a_request(keyed: Keyed) -> None:
    site, ann, _ = keyed
    assert any(b"more than 60 calls in a minute" in opened(site, ann).body for _ in range(70))
