"""Allowed host names and origins: browser requests for a page that rebinds its own name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.http.binding import Address
from server.http.host_names import Names
from tests.doubles.in_thread import in_thread
from tests.http.raw import Reply, ask, modern, request
from tests.http.site import Site, settings

PAGE = "https://app.example.org"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site as behind a proxy, with a host name and one allowed origin."""
    variables = {
        "RAG_HTTP_ALLOWED_HOSTS": "ibid.example.org,other.example.org:8443",
        "RAG_HTTP_ALLOWED_ORIGINS": PAGE,
    }
    with in_thread(Site(tmp_path_factory.mktemp("named"), variables)) as running:
        yield running


def asked(site: Site, **headers: str) -> Reply:
    return ask(site.address, modern("tools/list", headers=headers))


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000", "ibid.example.org", "Ibid.Example.ORG",
     "ibid.example.org.", "ibid.example.org:443", "ibid.example.org.:8080", "other.example.org:8443"],
)  # fmt: skip
def test_a_name_of_the_server_is_accepted_in_any_spelling(named: Site, host: str) -> None:
    assert asked(named, Host=host).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "ibid.example.org.evil.example", "evil-ibid.example.org",
     "localhost.evil.example", "127.0.0.1.evil.example", "other.example.org", "other.example.org:8444",
     "ibid.example.org..", "ibid.example.org:port", "ibid.example.org@evil.example", "0.0.0.0", "[::]", "2130706433",
     "[::ffff:127.0.0.1]", "localhost:99999999"],
)  # fmt: skip
def test_any_other_host_is_misdirected(named: Site, host: str) -> None:
    assert asked(named, Host=host).status == 421


def test_forwarded_headers_of_a_proxy_identify_nobody(named: Site) -> None:
    forwarded = {"X-Forwarded-Host": "ibid.example.org", "Forwarded": "host=ibid.example.org"}
    assert asked(named, Host="evil.example", **forwarded).status == 421
    assert asked(named, Host="ibid.example.org", **{"X-Forwarded-Host": "evil.example"}).status == 200


@pytest.mark.parametrize("origin", [PAGE, "HTTPS://APP.example.org:443", "http://localhost:6274"])
def test_allowed_pages_are_answered(named: Site, origin: str) -> None:
    assert asked(named, Origin=origin).status == 200


@pytest.mark.parametrize(
    "origin",
    ["null", "https://evil.example", "http://app.example.org", f"{PAGE}:8443", f"{PAGE}.evil.example",
     "https://evil.app.example.org", "file://", "chrome-extension://abc", "http://localhost.evil.example", " "],
)  # fmt: skip
def test_every_other_page_is_refused(named: Site, origin: str) -> None:
    assert asked(named, Origin=origin).status == 403


def test_health_is_available_under_any_name(named: Site) -> None:
    assert ask(named.address, request("GET", "/healthz", host="10.0.0.7:8000")).status == 200


def test_beyond_loopback_a_page_on_the_users_own_machine_is_refused(tmp_path: Path) -> None:
    names = Names(settings(tmp_path, {"RAG_HTTP_ALLOWED_HOSTS": "ibid.example.org"}), Address("0.0.0.0", 8000))

    assert not names.origin("http://localhost:3000")
    assert not names.host("evil.example")
    assert names.host("ibid.example.org:8000")


def test_the_public_address_is_a_name_of_the_server(tmp_path: Path) -> None:
    names = Names(settings(tmp_path, {"RAG_HTTP_PUBLIC_URL": "https://ibid.example.org/mcp"}), Address("::", 8000))

    assert names.host("ibid.example.org")


def test_an_allowed_page_gets_the_cors_headers_that_it_needs(named: Site) -> None:
    wanted = "authorization,content-type,mcp-protocol-version,mcp-session-id,mcp-method,mcp-name,mcp-param-region"
    asking = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": wanted,
    }

    before = ask(named.address, request("OPTIONS", "/mcp", asking))
    answer = asked(named, Origin=PAGE)

    assert before.status == 200
    assert before.headers["access-control-allow-origin"] == answer.headers["access-control-allow-origin"] == PAGE
    assert set(before.headers["access-control-allow-headers"].lower().split(",")) >= set(wanted.split(","))
    assert {"GET", "POST", "DELETE"} == {
        one.strip() for one in before.headers["access-control-allow-methods"].split(",")
    }
    assert {"Mcp-Session-Id", "WWW-Authenticate"} <= {
        one.strip() for one in answer.headers["access-control-expose-headers"].split(",")
    }
    assert "access-control-allow-credentials" not in answer.headers


def test_without_the_setting_no_page_gets_cors_headers(site: Site) -> None:
    asking = {"Origin": "http://localhost:6274", "Access-Control-Request-Method": "POST"}

    answers = [
        ask(site.address, request("OPTIONS", "/mcp", asking)),
        asked(site, Origin="http://localhost:6274"),
    ]

    assert answers[0].status == 405
    assert not [name for one in answers for name in one.headers if name.startswith("access-control")]
