"""Without a key, the server signs in with its Azure identity: the real credential, over TLS, in a real process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import NotConfigured
from corpus.index.azure import Service
from corpus.index.azure.service.connection import Connection
from tests.answers import failure_in
from tests.azure.fault_desk import fill
from tests.azure.identity_endpoint import IdentityEndpoint, identity_endpoint
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.raw_stdio import RawServer, environment

ASKED = ("rag_semantic_search", {"query": "impeller"})
SECRET = "words-of-the-endpoint"

IMPORTED = """
import json, sys, anyio
from corpus.access import ANONYMOUS
from server.settings.model import load_settings
from server.bootstrap import library
async def main():
    async with library(load_settings()) as opened:
        await opened.search("impeller", ANONYMOUS)
anyio.run(main)
names = ("azure", "aiohttp", "azure.identity", "azure.search.documents")
print(json.dumps([name for name in names if name in sys.modules]))
"""


@pytest.fixture(scope="module")
def service() -> Iterator[StandIn]:
    with standing_in(tls=True) as service:
        fill(service)
        yield service


@pytest.fixture
def identity(service: StandIn) -> Iterator[IdentityEndpoint]:
    with identity_endpoint() as endpoint:
        service.requests.clear()
        service.tokens.clear()
        service.tokens[endpoint.token] = "reader"
        yield endpoint


def env_of(service: StandIn, **more: str) -> dict[str, str]:
    """Return the environment of a server without a key, on a machine that trusts the service and has no identity."""
    others = ("IDENTITY_", "MSI_", "IMDS_", "SSL_CERT")
    base = {key: value for key, value in environment().items() if not key.startswith(others)}
    assert service.ca_file
    return base | {
        "RAG_BACKEND": "azure", "RAG_EMBEDDER": "none", "RAG_USER_ID": "ann-of-sales",
        "AZURE_SEARCH_ENDPOINT": service.endpoint, "SSL_CERT_FILE": service.ca_file, **more,
    }  # fmt: skip


def found(answer: dict[str, Any]) -> list[str]:
    assert not answer["result"].get("isError"), answer
    return [one["doc_id"] for one in answer["result"]["structuredContent"]["documents"]]


def failure_of(answer: dict[str, Any]) -> dict[str, Any]:
    failure = failure_in(answer["result"])
    assert SECRET not in str(failure)
    return failure


def test_an_identity_searches_and_requests_its_token_once(service: StandIn, identity: IdentityEndpoint) -> None:
    with RawServer(env=env_of(service, **identity.environment)) as server:
        server.shake_hands()
        answers = [server.call(*ASKED) for _ in range(3)]
        assert server.close() == 0

    assert [found(one) for one in answers] == [["pump"]] * 3
    assert identity.resources == ["https://search.azure.com"]
    signed = {(one.headers.get("Authorization"), one.headers.get("api-key")) for one in service.requests}
    assert signed == {(f"Bearer {identity.token}", None)}


@pytest.mark.slow
def test_a_sovereign_cloud_has_its_own_audience(service: StandIn, identity: IdentityEndpoint) -> None:
    env = env_of(service, AZURE_SEARCH_AUDIENCE="https://search.azure.us", **identity.environment)
    with RawServer(env=env) as server:
        server.shake_hands()
        answer = server.call(*ASKED)
        server.close()

    assert found(answer) == ["pump"]
    assert identity.resources == ["https://search.azure.us"]


def test_an_identity_without_the_role_is_told_which_one_it_needs(service: StandIn, identity: IdentityEndpoint) -> None:
    service.tokens.clear()
    with RawServer(env=env_of(service, **identity.environment)) as server:
        server.shake_hands()
        failure = failure_of(server.call(*ASKED))
        service.tokens[identity.token] = "reader"
        answer = server.call(*ASKED)
        server.close()

    assert failure["type"] == "AzureSearchError"
    assert "does not allow" in failure["error"]
    assert "Search Index Data Reader" in failure["hints"][0]
    assert identity.token not in str(failure)
    assert found(answer) == ["pump"]


@pytest.mark.parametrize("status", [400, pytest.param(403, marks=pytest.mark.slow)])
def test_an_endpoint_that_gives_no_token_is_not_mistaken_for_the_service(
    service: StandIn, identity: IdentityEndpoint, status: int
) -> None:
    identity.refusal = (status, SECRET)
    with RawServer(env=env_of(service, **identity.environment)) as server:
        server.shake_hands()
        failure = failure_of(server.call(*ASKED))
        server.close()

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "No Azure identity could be used to sign in to Azure AI Search."
    assert "AZURE_SEARCH_API_KEY" in failure["hints"][0]
    assert service.requests == []


def test_a_machine_without_any_identity_is_quickly_told_what_to_set(
    service: StandIn, identity: IdentityEndpoint, tmp_path: Path
) -> None:
    nobody = {name: str(tmp_path) for name in ("PATH", "HOME", "USERPROFILE")}  # no `az`, and nobody signed in
    with RawServer(env=env_of(service, **nobody)) as server:
        server.shake_hands()
        started = time.monotonic()
        failure = failure_of(server.call(*ASKED))
        took = time.monotonic() - started
        server.close()

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "No Azure identity could be used to sign in to Azure AI Search."
    assert "AZURE_SEARCH_API_KEY" in failure["hints"][0]
    assert "az login" in failure["hints"][0]
    assert took < 20.0
    assert identity.resources == []
    assert service.requests == []


def test_an_untrusted_service_never_gets_a_token(service: StandIn, identity: IdentityEndpoint) -> None:
    env = env_of(service, **identity.environment)
    del env["SSL_CERT_FILE"]
    with RawServer(env=env) as server:
        server.shake_hands()
        failure = failure_of(server.call(*ASKED))
        server.close()

    assert "certificate" in failure["error"]
    assert "SSL_CERT_FILE" in failure["hints"][0]
    assert service.requests == []


@pytest.mark.anyio
async def test_a_token_is_not_sent_without_tls() -> None:
    async with StandIn() as service, Connection(Service(service.endpoint)) as connection:
        with pytest.raises(NotConfigured, match="only over https") as raised:
            await connection.search("content-blocks", top=1, filter="x")
        assert service.requests == []

    assert raised.value.hints


def imported(env: dict[str, str]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-P", "-c", IMPORTED],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    names: list[str] = json.loads(run.stdout.splitlines()[-1])
    return names


def test_with_a_key_no_identity_code_is_loaded(service: StandIn) -> None:
    names = imported(env_of(service, AZURE_SEARCH_API_KEY=service.query_key))

    assert names == ["azure", "aiohttp", "azure.search.documents"]


def test_a_local_index_loads_no_azure_code(service: StandIn, tmp_path: Path) -> None:
    env = env_of(service, RAG_BACKEND="local", RAG_DATA_DIR=str(tmp_path / "index"))

    assert imported(env) == []
