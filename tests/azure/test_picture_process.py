"""Pictures in a real process: an Azure identity signs in to both services over TLS, and signs addresses."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from corpus.documents.block import Picture
from corpus.index.azure.pictures import picture_name
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.azure.identity_endpoint import identity_endpoint
from tests.azure.test_identity import env_of
from tests.azure.test_pictures import fetched
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.doubles.raw_stdio import RawServer
from tests.server.desk import PNG
from tests.shelf import a_document, figure, texts

NAME = picture_name(b"k" * 32, Picture(PNG, "image/png"))


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standing_in(tls=True) as service:
        service.put_index(content_index())
        service.put_index(documents_index())
        for doc_id, readers in (("open", ["*"]), ("secret", ["somebody else"])):
            document = a_document(doc_id, access_control_list=tuple(readers))
            blocks = [new.block for new in (*texts(doc_id, "An impeller."), figure(doc_id, "Impeller", 2))]
            rows = [block_row(block, readers, None) for block in blocks]
            service.put_documents(CONTENT, [rows[0], rows[1] | {"image_url": NAME}])
            service.put_documents(DOCUMENTS, [document_row(document)])
        yield service


@pytest.fixture
def storage() -> Iterator[BlobStorage]:
    with blob_storage(tls=True) as storage:
        storage.held[NAME] = PNG, "image/png"
        yield storage


def test_an_identity_signs_only_for_pictures_that_the_caller_may_read(
    service: StandIn, storage: BlobStorage, tmp_path: Path
) -> None:
    trusted = tmp_path / "both.pem"
    trusted.write_text("".join(Path(str(one)).read_text() for one in (service.ca_file, storage.ca_file)))
    with identity_endpoint() as endpoint:
        service.tokens[endpoint.token] = "reader"
        storage.tokens[endpoint.token] = "rd"
        more = {
            **endpoint.environment,
            "AZURE_STORAGE_CONTAINER_URL": storage.url,
            "RAG_DATA_DIR": str(tmp_path),
        }
        with RawServer(env=env_of(service, **more) | {"SSL_CERT_FILE": str(trusted)}) as server:
            server.shake_hands()
            tools = server.ask("tools/list")
            found = server.call("rag_semantic_search", {"query": "impeller", "include_images": True})
            resource = server.ask("resources/read", {"uri": "rag://blocks/open-f2/image"})
            hidden = server.ask("resources/read", {"uri": "rag://blocks/secret-f2/image"})
            assert server.close() == 0
    assert "rag_show_page" not in str(tools) + str(found)
    answer = found["result"]["structuredContent"]
    (address,) = {one["image_url"] for one in answer["results"] if "image_url" in one}
    assert address.startswith(f"{storage.url}/{NAME}?")
    assert "skoid=" in address
    assert anyio.run(fetched, storage, address) == (200, PNG)
    (picture,) = [part for part in found["result"]["content"] if part["type"] == "image"]
    assert base64.b64decode(picture["data"]) == PNG
    assert base64.b64decode(resource["result"]["contents"][0]["blob"]) == PNG
    assert "error" in hidden
    assert "secret" not in str(found)
    assert set(endpoint.resources) == {"https://search.azure.com", "https://storage.azure.com"}
    assert_every_read_was_filtered(service)
    assert b"sig=" not in server.errors
