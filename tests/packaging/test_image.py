"""The image and the template together: the Dockerfile's steps are executed, and its server runs as on Azure."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.azure.identity_endpoint import IdentityEndpoint, identity_endpoint
from tests.azure.test_pictures import fetched
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import TENANT, Issuer
from tests.examples.bicep import environment, filled
from tests.packaging.image import Image, build, why_not
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "azure"
APPLICATION = "22222222-3333-3333-4444-555555555555"
BOARD = "44444444-3333-3333-4444-555555555555"
PUBLIC, RESTRICTED = "xyz-pump-operations-guide.pdf", "decision-notes.md"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]


@dataclass
class Cloud:
    """The image, and fakes of the resources that the template creates. `secrets` are variables that Azure sets."""

    image: Image
    service: StandIn
    storage: BlobStorage
    issuer: Issuer
    identity: IdentityEndpoint
    port: int

    @property
    def secrets(self) -> dict[str, str]:
        return {**self.identity.environment, "SSL_CERT_FILE": "/etc/stand-ins.pem"}

    def role(self, service: str, storage: str) -> None:
        """Set the roles of the identity for both services."""
        self.service.tokens[self.identity.token] = service
        self.storage.tokens[self.identity.token] = storage

    def template(self) -> dict[str, str]:
        """Return the variables of the container, with replacements for values that only Azure knows."""
        public = f"http://127.0.0.1:{self.port}"
        text = (EXAMPLE / "main.bicep").read_text(encoding="utf-8")
        text = text.replace("https://${search.name}.search.windows.net", "${searchEndpoint}")
        return filled(environment(text), {
            "searchEndpoint": self.service.endpoint, "storageUrl": self.storage.url, "string(pages)": "False",
            "endpoint": f"{public}/mcp", "host": "127.0.0.1", "http-keys": "k" * 64, "applicationId": APPLICATION,
            "az.environment().authentication.loginEndpoint": f"{self.issuer.origin}/", "tenant().tenantId": TENANT,
            "identity.properties.clientId": "33333333-3333-3333-3333-333333333333",
        })  # fmt: skip

    def token(self, user: str, *groups: str) -> str:
        return self.issuer.token(
            user,
            aud=APPLICATION,
            oid=f"o-{user}",
            tid=TENANT,
            scope=None,
            scp="rag.read",
            ver="2.0",
            groups=list(groups),
        )


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with ExitStack() as stack:
        # Over a gigabyte, which is too much for memory.
        folder = stack.enter_context(TemporaryDirectory(dir="/var/tmp"))
        image = build(ROOT / "Dockerfile", Path(folder), build_arguments())
        service = stack.enter_context(standing_in(tls=True))
        storage = stack.enter_context(blob_storage(tls=True))
        issuer = stack.enter_context(in_thread(Issuer(f"/{TENANT}/v2.0")))
        identity = stack.enter_context(identity_endpoint())
        authorities = [Path(str(one.ca_file)).read_text() for one in (service, storage)]
        (image.root / "etc/stand-ins.pem").write_text("".join(authorities))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        yield Cloud(image, service, storage, issuer, identity, port)


def build_arguments() -> dict[str, str]:
    """Return the arguments of the README's `docker build`."""
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"--build-arg (\w+)=(\w+)", text))


def test_the_image_runs_as_an_unprivileged_user(cloud: Cloud) -> None:
    assert cloud.image.run(["id", "-u"]).strip() not in ("0", "")
    assert "0.1.0" in cloud.image.run(["ibid", "--version"])
    # The image does not contain the build tools of the wheel, and the server cannot change a file of the product.
    assert not (cloud.image.root / "opt/builder").exists()
    writable = cloud.image.run(["find", "/opt", "/home", "-writable", "-not", "-type", "l"])
    assert all(line.startswith(cloud.image.account()[2]) for line in writable.split())


def test_a_company_publishes_and_each_person_finds_the_documents_that_they_may_read(cloud: Cloud) -> None:
    publish(cloud)
    command = [
        *cloud.image.entrypoint,
        *(word.replace(cloud.image.port, str(cloud.port)) for word in cloud.image.command),
    ]
    cloud.role("reader", "rd")
    cloud.service.requests.clear()
    server = cloud.image.start(command, cloud.template() | cloud.secrets)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(server.stdout or ()), daemon=True)
    reader.start()
    try:
        assert probe(cloud, "/healthz") == 200, said
        assert probe(cloud, "/readyz") == 200, said
        cloud.image.run([word.replace(cloud.image.port, str(cloud.port)) for word in cloud.image.health])
        member, other = (cloud.token("ann", BOARD), cloud.token("bob", "g-others"))
        found = {who: anyio.run(search, cloud, token) for who, token in (("member", member), ("other", other))}
        assert RESTRICTED in str(found["member"])
        assert RESTRICTED not in str(found["other"])
        assert PUBLIC in str(found["other"])
        address = next(row["image_url"] for row in found["other"]["results"] if row.get("image_url"))
        assert address.startswith(f"{cloud.storage.url}/")
        assert anyio.run(fetched, cloud.storage, address)[0] == 200
        request = urllib.request.Request(f"http://127.0.0.1:{cloud.port}/mcp", b"{}")
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(request, timeout=PATIENCE)
        refused.value.close()
        assert_every_read_was_filtered(cloud.service)
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(PATIENCE)
        reader.join(PATIENCE)
        assert server.stdout is not None
        server.stdout.close()
    assert code == 0, "".join(said)[-4000:]
    lines = [json.loads(line) for line in said if line.startswith("{")]
    assert any(line.get("event") == "tool.call" for line in lines)


def publish(cloud: Cloud) -> None:
    """Run step 5 of the README with the image."""
    documents = cloud.image.root / "documents"
    documents.mkdir()
    for name in (PUBLIC, RESTRICTED):
        shutil.copy(ROOT / "examples/documents" / name, documents)
    cloud.role("contributor", "rwd")
    variables = {
        "AZURE_SEARCH_ENDPOINT": cloud.service.endpoint,
        "AZURE_STORAGE_CONTAINER_URL": cloud.storage.url,
        **cloud.secrets,
    }
    cloud.image.run(["ibid", "ingest", f"/documents/{PUBLIC}"], variables)
    cloud.image.run(["ibid", "ingest", f"/documents/{RESTRICTED}", "--allow", f"group:{BOARD}"], variables)
    made = cloud.image.run(["ibid", "azure", "create-indexes", "--semantic"], variables)
    template = cloud.template()
    for name in (
        "RAG_AZURE_VECTOR_FIELDS",
        "RAG_AZURE_SEMANTIC_CONFIG",
        "RAG_AZURE_EMBEDDER",
        "RAG_PRINCIPAL_PREFIXES",
    ):
        assert f'"{name}": "{template[name]}"' in made
    pushed = cloud.image.run(["ibid", "azure", "push", "--public"], variables)
    assert "2 pushed." in pushed
    assert cloud.storage.held


def probe(cloud: Cloud, path: str) -> int:
    """Return the status of a probe, once it succeeds or the time limit is reached."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{cloud.port}{path}", timeout=5) as answer:
                return int(answer.status)
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            if time.monotonic() > end:
                return error.code if isinstance(error, urllib.error.HTTPError) else 0
            time.sleep(0.2)


async def search(cloud: Cloud, token: str) -> dict[str, Any]:
    """Return the structured answer of a search by a caller with that token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as web,
        Client(streamable_http_client(f"http://127.0.0.1:{cloud.port}/mcp", http_client=web)) as client,
    ):
        answer = await client.call_tool("rag_semantic_search", {"query": "pump decision", "top_k": 20})
    assert not answer.is_error, answer
    return dict(answer.structured_content or {})
