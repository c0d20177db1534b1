"""Whatever the service does, the caller gets vectors, or within the time limit an error of Ibid with the fix."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from corpus.embedding.openai_embedder import OpenAIEmbedder
from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.model_services import service as packages
from corpus.model_services.service import PASSAGES_POLICY, QUERY_POLICY, RetryPolicy, retry_after
from tests.doubles.embedding_service import (
    Act,
    EmbeddingService,
    answering,
    dropped,
    hanging,
    in_base64,
    lying,
    saying,
)

pytestmark = pytest.mark.anyio

MODEL = "text-embedding-3-small"
AT_ONCE = RetryPolicy(whole=10, request=5, retries=2, pause=0)


def asking(service: EmbeddingService, **changes: Any) -> aclosing[OpenAIEmbedder]:
    given: dict[str, Any] = {"base_url": service.base_url, "api_key": service.key, "for_query": AT_ONCE}
    return aclosing(OpenAIEmbedder(MODEL, **given | {"for_passages": AT_ONCE} | changes))


@pytest.fixture
async def embedder(service: EmbeddingService) -> AsyncIterator[OpenAIEmbedder]:
    async with asking(service) as opened:
        yield opened


@pytest.mark.parametrize(
    "act", [answering(429), answering(500), answering(503, retry_after="0"), answering(408), dropped]
)
async def test_a_temporary_failure_is_retried(service: EmbeddingService, embedder: OpenAIEmbedder, act: Act) -> None:
    service.next.extend([act, act])
    assert np.allclose(await embedder.query("pump"), await service.vector("pump"), atol=1e-6)
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (answering(401), NotConfigured, "RAG_EMBEDDER_API_KEY"),
        (answering(403), NotConfigured, "RAG_EMBEDDER_API_KEY"),
        (answering(404), NotConfigured, "RAG_EMBEDDER_MODEL"),
        (answering(400), NotConfigured, "RAG_EMBEDDER_DIMENSIONS"),
        (answering(418), NotConfigured, "RAG_EMBEDDER_MODEL"),
        (answering(429, "insufficient_quota"), NotConfigured, "billing"),
        (answering(429), LLMError, "too many"),
        (answering(503), LLMError, "status 503"),
        (dropped, LLMError, "RAG_EMBEDDER_BASE_URL"),
        (saying("<html>Sign in</html>"), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (saying("{", "application/json"), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (saying("[]", "application/json"), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (saying('{"data": [7]}', "application/json"), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (lying(lambda data: data[0].update(embedding=None)), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (lying(lambda data: data[0].update(embedding="###")), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (lying(lambda data: data[0].update(embedding=[[1.0]])), NotConfigured, "RAG_EMBEDDER_BASE_URL"),
        (lying(lambda data: data[0].update(embedding=[1.0] * 8)), NotConfigured, "RAG_EMBEDDER_DIMENSIONS=8"),
        (lying(list.clear), LLMError, "0 vectors for 1 texts"),
        (lying(lambda data: data.append(data[0])), LLMError, "2 vectors for 1 texts"),
        (lying(lambda data: data[0].update(index=1)), LLMError, "did not number them"),
        (lying(lambda data: data[0].update(embedding=[0.0] * 1536)), LLMError, "a vector of zeros"),
        (lying(lambda data: data[0].update(embedding=[float("nan")] * 1536)), LLMError, "not finite"),
        (
            lying(lambda data: data[0].update(embedding=in_base64([float("inf")] * 1536))),
            LLMError,
            "not finite",
        ),
    ],
)
async def test_a_failure_names_the_host_and_the_fix(
    service: EmbeddingService, embedder: OpenAIEmbedder, act: Act, kind: type[IbidError], said: str
) -> None:
    service.next.extend([act] * 3)
    with pytest.raises(kind) as caught:
        await embedder.query("a private question")
    text = str(caught.value)
    assert said in text
    assert service.host in text
    for secret in (str(service.key), "the service's own words", "private"):
        assert secret not in text


async def test_a_wrong_key_is_not_retried(service: EmbeddingService) -> None:
    async with asking(service, api_key="wrong") as embedder:
        with pytest.raises(NotConfigured, match="did not accept the key"):
            await embedder.query("pump")
    assert len(service.requests) == 1


async def test_a_missing_key_is_named(service: EmbeddingService) -> None:
    async with asking(service, api_key=None) as embedder:
        with pytest.raises(NotConfigured, match="Set RAG_EMBEDDER_API_KEY"):
            await embedder.query("pump")


@pytest.mark.parametrize("key", ["a\nkey", "schlüssel", "\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(NotConfigured, match="RAG_EMBEDDER_API_KEY") as caught:
        OpenAIEmbedder(MODEL, api_key=key)
    assert key not in str(caught.value)


async def test_a_service_that_requests_a_long_pause_is_not_waited_for(service: EmbeddingService) -> None:
    service.next.append(answering(429, retry_after="30"))
    async with asking(service) as embedder:
        with anyio.fail_after(5), pytest.raises(LLMError, match="too many"):
            await embedder.query("pump")
    assert len(service.requests) == 1


async def test_a_query_ends_within_its_time_limit(service: EmbeddingService) -> None:
    service.next.extend([hanging] * 9)
    async with asking(service, for_query=replace(AT_ONCE, whole=0.5)) as embedder:
        with anyio.fail_after(5), pytest.raises(Timeout, match="in time"):
            await embedder.query("pump")


async def test_a_hanging_request_is_sent_again(service: EmbeddingService) -> None:
    service.next.append(hanging)
    async with asking(service, for_passages=replace(AT_ONCE, request=0.3)) as embedder:
        assert (await embedder.passages(["pump"])).shape == (1, 1536)


async def test_a_caller_that_goes_away_ends_the_request(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    service.next.append(hanging)
    async with anyio.create_task_group() as group:
        group.start_soon(embedder.query, "pump")
        with anyio.fail_after(5):
            await service.asked.wait()
        group.cancel_scope.cancel()
    assert (await embedder.query("pump")).shape == (1536,)


async def test_an_unreachable_service_is_distinguished_from_a_slow_one(service: EmbeddingService) -> None:
    await service.stop()
    async with asking(service) as embedder:
        with pytest.raises(LLMError, match=f"Nothing listens at {service.host}"):
            await embedder.query("pump")


async def test_a_host_without_an_address_is_reported(
    monkeypatch: pytest.MonkeyPatch, service: EmbeddingService
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    async with asking(service, base_url="https://models.example/v1") as embedder:
        with pytest.raises(LLMError, match=r"No address is known for models\.example"):
            await embedder.query("pump")


async def test_an_address_without_tls_is_reported(service: EmbeddingService) -> None:
    async with asking(service, base_url=service.base_url.replace("http:", "https:")) as embedder:
        with pytest.raises(NotConfigured, match="does not speak TLS"):
            await embedder.query("pump")


async def test_an_untrusted_certificate_is_refused(tmp_path: Path) -> None:
    service = await EmbeddingService().start(self_signed(tmp_path))
    try:
        async with asking(service, base_url=service.base_url.replace("http:", "https:")) as embedder:
            with pytest.raises(NotConfigured, match="SSL_CERT_FILE"):
                await embedder.query("pump")
    finally:
        await service.stop()
    assert service.requests == []


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(NotConfigured, match=r"pip install 'ibid-mcp\[llm\]'"):
        OpenAIEmbedder(MODEL)


def test_a_query_has_a_short_time_limit_and_passages_a_longer_one() -> None:
    assert (QUERY_POLICY.whole, PASSAGES_POLICY.request) == (10, 60)
    assert PASSAGES_POLICY.retries > QUERY_POLICY.retries


def test_the_retry_pause_is_read_in_every_form() -> None:
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30)
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after-ms": "1500", "retry-after": "2"}) == 1.5
    assert retry_after({"retry-after": format_datetime(soon, usegmt=True)}) == pytest.approx(30, abs=2)
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert [retry_after(one) for one in ({}, {"retry-after": "soon"}, {"retry-after-ms": "x"})] == [None] * 3


def self_signed(folder: Path) -> ssl.SSLContext:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "nobody")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False).sign(key, hashes.SHA256())
    )  # fmt: skip
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "service.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *form) + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
