"""`ibid serve --http` as a process: its address, its refusals, its shutdown and its log."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import anyio
import pytest
from mcp import Client

from corpus.errors import InvalidRequest, NotConfigured
from server.http.binding import Address, address_of, bind, listen
from server.http.serve import refuse_exposed, refuse_unfiltered
from tests.doubles.raw_stdio import environment
from tests.http.process import HttpProcess, refused
from tests.http.raw import ask, modern, request
from tests.http.site import settings
from tests.server.desk import ERAS, answer_in

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")

CALL = {"name": "rag_list_documents", "arguments": {}}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(RAG_DATA_DIR=str(tmp_path), RAG_EMBEDDER="none", RAG_LOG_FORMAT="json")


def test_both_generations_are_served_at_the_printed_port_until_a_signal(
    env: dict[str, str],
) -> None:
    async def count(era: str) -> int:
        async with Client(served.address.url, mode=era) as client:  # type: ignore[arg-type]
            return int(answer_in(await client.call_tool(**CALL))["total"])

    with HttpProcess(env) as served:
        assert [anyio.run(count, era) for era in ERAS] == [0, 0]
        while ask(served.address, request("GET", "/readyz")).status != 200:
            continue
        secret = {"Authorization": "Bearer a-secret-token"}
        assert ask(served.address, modern("tools/list", headers=secret)).status == 200
        assert ask(served.address, request("GET", "/mcp?key=a-secret-query")).status == 406
        served.stop()

    assert served.code == 0
    assert "everybody can read public documents" in served.known
    assert "a-secret" not in served.said
    assert "Traceback" not in served.said


def test_an_interrupt_ends_the_server_too(env: dict[str, str]) -> None:
    with HttpProcess(env | {"RAG_USER_ID": "ann"}) as served:
        served.stop(signal.SIGINT)

    assert served.code == 0
    assert "identify the caller over stdio" in served.said


def test_an_unusable_configuration_is_one_error_and_exit_code_2(env: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        code, said = refused(env, f"127.0.0.1:{taken}")
    assert (code, said.strip()) == (
        2, f"Error: 127.0.0.1:{taken}: the address is in use. Stop the program that listens there, or use another port."
    )  # fmt: skip
    issuer = {"RAG_AUTH_ISSUER": "https://issuer.example", "RAG_AUTH_AUDIENCE": "ibid"}
    code, said = refused(env | issuer, "0.0.0.0:0")
    assert (code, said.startswith("Error: 0.0.0.0:0 can be reached from other machines")) == (2, True)
    assert "Traceback" not in said
    code, said = refused(env | {"RAG_ALLOW_UNFILTERED": "true"}, "127.0.0.1:0")
    assert code == 2
    assert "RAG_ALLOW_UNFILTERED is on" in said
    assert "listens" not in said


@pytest.mark.parametrize(
    "text",
    ["", "8000", ":8000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:70000", "127.0.0.1:-1", "::1:8000",
     "[::1]", "[127.0.0.1]:8000", "a host:8000", "http://127.0.0.1:8000", "127.0.0.1:８０"],
)  # fmt: skip
def test_an_invalid_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"Write it as 127\.0\.0\.1:8000, or \[::1\]:8000"):
        address_of(text)


def test_an_address_is_parsed_and_printed_in_the_same_format() -> None:
    for text in ("127.0.0.1:8000", "[::1]:0", "localhost:65535", "ibid.example.org:80"):
        assert str(address_of(text)) == text


def test_port_0_becomes_a_free_port_and_a_second_server_there_is_refused() -> None:
    listener, bound = bind(Address("127.0.0.1", 0))
    with listener:
        listen(listener, bound)
        assert bound.port > 0
        with pytest.raises(InvalidRequest, match="in use"):
            bind(bound)


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_a_host_that_is_not_this_machine_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match=host):
        bind(Address(host, 0))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "ibid.example.org"])
def test_beyond_loopback_a_server_without_authentication_is_refused_with_the_fix(tmp_path: Path, host: str) -> None:
    named = settings(tmp_path, {"RAG_HTTP_ALLOWED_HOSTS": "ibid.example.org"})

    for given, cures in (
        (named, ("RAG_AUTH_ISSUER", "127.0.0.1")),
        (settings(tmp_path), ("RAG_HTTP_ALLOWED_HOSTS",)),
    ):
        with pytest.raises(NotConfigured) as caught:
            refuse_exposed(given, Address(host, 8000), None)
        for cure in cures:
            assert cure in " ".join(caught.value.hints)


def test_on_loopback_no_setting_is_required(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost"):
        refuse_exposed(settings(tmp_path), Address(host, 8000), None)


def test_a_server_with_authentication_still_needs_its_name(tmp_path: Path) -> None:
    known: object = object()
    everywhere = Address("0.0.0.0", 8000)

    with pytest.raises(NotConfigured, match="list of its host names"):
        refuse_exposed(settings(tmp_path), everywhere, known)  # type: ignore[arg-type]
    for name, value in (
        ("RAG_HTTP_ALLOWED_HOSTS", "ibid.example.org"),
        ("RAG_HTTP_PUBLIC_URL", "https://i.example/mcp"),
    ):
        refuse_exposed(settings(tmp_path, {name: value}), everywhere, known)  # type: ignore[arg-type]


def test_without_access_rules_nothing_is_served_over_http(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="RAG_ALLOW_UNFILTERED"):
        refuse_unfiltered(settings(tmp_path, {"RAG_ALLOW_UNFILTERED": "true"}))
