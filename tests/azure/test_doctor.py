"""`ibid doctor` on a service: each problem is reported with its fix and without a secret."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from tests.azure.identity_endpoint import identity_endpoint
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, make_indexes
from tests.doubles.azure_search import Fault, StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.blob_storage import BlobStorage, blob_storage

OURS = Mark(prefixed=True, embedder=PackagedEmbedder.id)


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standing_in() as service:
        make_indexes(service, dimensions=384, mark=OURS)
        yield service


@pytest.fixture
def shop(tmp_path: Path, service: StandIn, monkeypatch: pytest.MonkeyPatch) -> Shop:
    shop = Shop(tmp_path / "index", service, monkeypatch)
    shop.set(RAG_BACKEND="azure")
    return shop


def examined(shop: Shop, code: int = 0) -> str:
    result = shop.run("doctor")
    assert result.exit_code == code, result.output
    assert shop.service.admin_key not in result.output
    assert "Traceback" not in result.output
    return result.output


def put(service: StandIn, block_id: str, *access: str) -> None:
    row = {"block_id": block_id, "doc_id": "d", "content": "ready", "access_control_list": list(access)}
    service.put_documents(BLOCKS, [row])
    service.put_documents(DOCUMENTS, [{"doc_id": "d", "filename": "d.md", "access_control_list": list(access)}])


def test_a_healthy_service_passes_each_check(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged", RAG_USER_ID="ann")
    put(shop.service, "a", "*")
    put(shop.service, "b", "department:hr")
    output = examined(shop)
    for text in (
        "ok       service: 127.0.0.1 answers in",
        "ok       credential: the key is accepted",
        "ok       index: content-blocks answers, and holds 2 rows",
        "ok       index: documents-metadata answers",
        "ok       identity: user ann",
        f"ok       embedder: {PackagedEmbedder.id}, 384 dimensions",
        "ok       fields: content-blocks has every field as it should be",
        "ok       principals: access lists hold names with their kind",
        f"ok       vectors: content_vector, image_caption_vector can be searched by {PackagedEmbedder.id}",
        "ok       access: without identity, content-blocks gives 1 of its 2 rows",
        "ok       documents: of 1 documents that have blocks in content-blocks, 0 have no row in documents-metadata",
        "All is well.",
    ):
        assert text in output


def test_an_address_without_a_service_is_reported(shop: Shop) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        shop.set(AZURE_SEARCH_ENDPOINT=f"http://127.0.0.1:{free.getsockname()[1]}")
    output = examined(shop, code=1)
    assert "failed   service: 127.0.0.1 cannot be reached. Check AZURE_SEARCH_ENDPOINT" in output
    assert "skipped: fields, principals, vectors, semantic, access" in output
    assert "access: without" not in output


def test_a_refused_key_is_reported(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY="wrong")
    output = examined(shop, code=1)
    assert "ok       service" in output
    assert output.count("failed   credential: ") == 1
    assert "AZURE_SEARCH_API_KEY must be" in output
    assert "note     skipped: fields, principals, vectors, semantic, access" in output
    assert "1 failed" in output


def test_without_key_and_identity_only_the_missing_credential_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with standing_in(tls=True) as service:
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(RAG_BACKEND="azure", AZURE_SEARCH_API_KEY=None, SSL_CERT_FILE=service.ca_file, PATH="")
        output = examined(shop, code=1)
    assert "failed   credential: No Azure identity could be used" in output
    assert "service: " not in output


def test_case_insensitive_access_lists_are_reported(shop: Shop) -> None:
    made = documents_index(DOCUMENTS, mark=OURS).as_dict()
    for field in made["fields"]:
        if field["name"] == "access_control_list":
            field["normalizer"] = "lowercase"
    del shop.service._does.indexes[DOCUMENTS]
    shop.service.put_index(made)
    output = examined(shop, code=1)
    assert "failed   fields: Field access_control_list of index documents-metadata has a normalizer" in output


def test_a_missing_index_is_reported_with_the_command_that_creates_it(shop: Shop) -> None:
    del shop.service._does.indexes[DOCUMENTS]
    output = examined(shop, code=1)
    assert "ok       index: content-blocks" in output
    assert "failed   index: Azure AI Search has no index documents-metadata." in output
    assert "`ibid azure create-indexes` makes both" in output


def test_a_query_key_is_enough_and_what_it_cannot_read_is_not_a_failure(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_PRINCIPAL_PREFIXES="true")
    output = examined(shop)
    assert output.count("note     fields: this credential may not read the definition of index") == 2
    assert "note     principals: access lists are assumed to contain names with their kind" in output
    assert "note     semantic: whether the index has a configuration is not known with this credential" in output
    assert "RAG_AZURE_VECTOR_FIELDS" in output


def test_unknown_access_lists_are_not_reported_as_healthy(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key)
    output = examined(shop)
    assert "note     principals: access lists are assumed to contain plain names, such as ann; not known with" in output
    put(shop.service, "a", "ann")
    assert "ok       principals: access lists are assumed to contain plain names, such as ann, and" in examined(shop)


def test_blocks_without_a_document_in_the_other_index_cause_a_warning(shop: Shop) -> None:
    put(shop.service, "a", "*")
    row = {"block_id": "b", "doc_id": "elsewhere", "content": "x", "access_control_list": ["*"]}
    shop.service.put_documents(BLOCKS, [row])
    output = examined(shop)
    assert "warning  documents: of 2 documents that have blocks in content-blocks, 1 have no row" in output


def test_the_setting_is_not_needed_if_the_index_names_its_embedder(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    assert "set RAG_AZURE_EMBEDDER=" not in examined(shop)


def test_the_embedder_is_compared_with_its_setting(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged", AZURE_SEARCH_API_KEY=shop.service.query_key)
    assert f"set RAG_AZURE_EMBEDDER={PackagedEmbedder.id}; it is not set" in examined(shop)
    shop.set(RAG_AZURE_EMBEDDER="other-model")
    assert f"set RAG_AZURE_EMBEDDER={PackagedEmbedder.id}; it is other-model" in examined(shop)
    shop.set(RAG_AZURE_EMBEDDER=PackagedEmbedder.id)
    assert f"ok       embedder: RAG_AZURE_EMBEDDER is {PackagedEmbedder.id}" in examined(shop)


def test_a_missing_or_unfilterable_field_is_reported(shop: Shop) -> None:
    made = content_index("blocks-2", dimensions=None, mark=OURS)
    next(one for one in made.fields if one.name == "access_control_list").filterable = False
    shop.service.put_index(made.as_dict())
    other = documents_index("documents-2", mark=OURS)
    other.fields = [one for one in other.fields if one.name != "filename"]
    shop.service.put_index(other.as_dict())
    shop.set(AZURE_SEARCH_CONTENT_INDEX="blocks-2", AZURE_SEARCH_DOCUMENTS_INDEX="documents-2")
    output = examined(shop, code=1)
    assert "failed   fields: Field access_control_list of index blocks-2 is not filterable" in output
    assert "failed   fields: Index documents-2 has no field filename" in output


def test_an_index_of_the_design_passes_with_a_note_about_missing_fields(shop: Shop) -> None:
    made = content_index("blocks-2", dimensions=None, mark=OURS)
    made.fields = [one for one in made.fields if one.name != "heading"]
    made.description = None
    shop.service.put_index(made.as_dict())
    shop.set(AZURE_SEARCH_CONTENT_INDEX="blocks-2")
    output = examined(shop)
    assert "note     fields: blocks-2 can be used; unlike an index that Ibid creates, heading is missing" in output
    assert "principals: access lists hold names with their kind" in output  # as recorded in the other index


def test_indexes_that_do_not_belong_together_are_a_failure(shop: Shop) -> None:
    del shop.service._does.indexes[DOCUMENTS]
    shop.service.put_index(documents_index(DOCUMENTS, mark=Mark(prefixed=False)).as_dict())
    assert "failed   principals: The two indexes do not belong together" in examined(shop, 1)


def test_access_lists_that_do_not_match_the_setting_cause_a_warning(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key)
    put(shop.service, "a", "*", "department:hr")
    output = examined(shop)
    assert "warning  principals: access lists are assumed to contain plain names" in output
    assert "Set RAG_PRINCIPAL_PREFIXES=true." in output


def test_vectors_of_another_length_or_model_are_reported(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    make_all(shop, Mark(prefixed=True, embedder="other-model"), 8)
    assert "warning  vectors: searches are by words. The vectors of this index are of other-model" in examined(shop)
    shop.set(RAG_AZURE_EMBEDDER=PackagedEmbedder.id)
    assert "has vectors of another length" in examined(shop)
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_AZURE_VECTOR_FIELDS="content_vector")
    output = examined(shop, code=1)
    assert f"failed   vectors: the service refuses vectors by {PackagedEmbedder.id} for content_vector" in output


def test_semantic_ranking_is_tried(shop: Shop) -> None:
    made = content_index(BLOCKS, dimensions=384, mark=OURS, semantic=True)
    shop.service.put_index(made.as_dict())
    put(shop.service, "a", "*")
    assert "ok       semantic: ibid answers" in examined(shop)
    shop.service.semantic = "partial"
    assert "warning  semantic: ibid exists, but the service gave up ranking" in examined(shop)
    shop.service.semantic = "unavailable"
    assert "failed   semantic: the service refuses configuration ibid" in examined(shop, code=1)
    shop.set(RAG_AZURE_SEMANTIC_CONFIG="typo")
    assert "failed   semantic: the index has no configuration typo; it has ibid" in examined(shop, code=1)
    shop.set(RAG_AZURE_SEMANTIC_CONFIG="none")
    assert "note     semantic: off (RAG_AZURE_SEMANTIC_CONFIG=none)" in examined(shop)


def test_a_service_that_gives_private_rows_to_anonymous_callers_is_a_failure(shop: Shop) -> None:
    body = {"@odata.count": 1, "value": [{"@search.score": 1.0, "access_control_list": ["department:hr"]}]}
    shop.service.faults.add(Fault(200, body=body), None, operation="search", index=BLOCKS)
    output = examined(shop, code=1)
    assert "failed   access: without identity, content-blocks returns rows whose access list lacks *" in output


def test_hidden_access_lists_are_reported_as_unseen(shop: Shop) -> None:
    made = content_index("blocks-2", dimensions=None, mark=OURS)
    next(one for one in made.fields if one.name == "access_control_list").retrievable = False
    shop.service.put_index(made.as_dict())
    shop.set(AZURE_SEARCH_CONTENT_INDEX="blocks-2")
    assert "note     access: without identity, blocks-2 gives 0 of its 0 rows" in examined(shop)


@pytest.mark.slow
def test_a_hanging_service_is_reported_within_half_a_minute(shop: Shop) -> None:
    shop.service.faults.add(Fault(delay=120), None)
    started = time.monotonic()
    output = examined(shop, code=1)
    assert time.monotonic() - started < 31
    assert "did not answer in time" in output


def test_a_service_that_stops_answering_is_not_reported_as_unreadable(shop: Shop) -> None:
    shop.service.faults.add(Fault(503), None, operation="get_index")
    output = examined(shop, code=1)
    assert "failed   fields: Azure AI Search is overloaded" in output
    assert (
        "note     skipped: principals, vectors, semantic, access, documents: they depend on checks that failed above"
        in output
    )
    assert "may not read" not in output


def test_disabled_access_rules_cause_a_warning(shop: Shop) -> None:
    shop.set(RAG_ALLOW_UNFILTERED="true")
    assert "warning  identity: RAG_ALLOW_UNFILTERED" in examined(shop)


def make_all(shop: Shop, mark: Mark, dimensions: int) -> None:
    shop.service.clear()
    make_indexes(shop.service, dimensions=dimensions, mark=mark)


@pytest.fixture
def storage() -> Iterator[BlobStorage]:
    with blob_storage(tls=True) as storage:
        yield storage


def pictures_of(shop: Shop, storage: BlobStorage, **settings: str | None) -> tuple[int, str]:
    """Return the command's lines about pictures, from a process that trusts the storage."""
    shop.set(AZURE_STORAGE_CONTAINER_URL=storage.url, SSL_CERT_FILE=storage.ca_file, **settings)
    process = shop.start("doctor")
    output = " ".join(process.communicate(timeout=60)[0].split())
    assert storage.key not in output
    return process.returncode, output


def test_pictures_that_can_be_read_and_signed_for_pass(shop: Shop, storage: BlobStorage) -> None:
    code, output = pictures_of(shop, storage, AZURE_STORAGE_ACCOUNT_KEY=storage.key)
    assert code == 0, output
    assert "ok pictures: the container is private" in output
    assert "ok pictures: 127.0.0.1 permits pictures to be read" in output
    assert "ok pictures: addresses are signed, and open for at most 15 minutes" in output


def test_a_publicly_readable_container_is_reported(shop: Shop, storage: BlobStorage) -> None:
    storage.public = True
    code, output = pictures_of(shop, storage, AZURE_STORAGE_ACCOUNT_KEY=storage.key)
    assert code == 1
    assert "failed pictures: everybody can read the container without signing in." in output


def test_an_identity_that_reads_but_cannot_sign_is_told_the_role(shop: Shop, storage: BlobStorage) -> None:
    with identity_endpoint() as endpoint:
        storage.tokens[endpoint.token] = "r"
        code, output = pictures_of(shop, storage, **endpoint.environment)
    assert code == 1
    assert "does not permit pictures to be signed for. The identity needs the role Storage Blob Delegator" in output


def test_a_signature_in_the_address_is_reported_as_unable_to_sign(shop: Shop, storage: BlobStorage) -> None:
    shop.set(SSL_CERT_FILE=storage.ca_file, AZURE_STORAGE_CONTAINER_URL=storage.signed_url("r"))
    process = shop.start("doctor")
    output = " ".join(process.communicate(timeout=60)[0].split())
    assert process.returncode == 0, output
    assert "the signature in the address of the container signs nothing" in output


def test_without_a_container_doctor_reports_where_pictures_are(shop: Shop) -> None:
    assert "AZURE_STORAGE_CONTAINER_URL is not set; figures have the URLs" in examined(shop)


def test_a_knowledge_base_that_reads_only_the_index_passes_and_another_is_not_used(shop: Shop) -> None:
    shop.service.knowledge.put("handbook", BLOCKS)
    shop.service.knowledge.put("wide", BLOCKS, web=True)
    shop.set(RAG_AZURE_KNOWLEDGE_BASE="handbook")
    assert "ok       knowledge base: handbook reads content-blocks alone" in examined(shop)
    shop.set(RAG_AZURE_KNOWLEDGE_BASE="wide")
    said = " ".join(examined(shop).split())
    assert "warning knowledge base: wide is not used: it has a source in addition to index content-blocks" in said
    shop.set(RAG_AZURE_KNOWLEDGE_BASE="none-such")
    assert "failed knowledge base: " in " ".join(examined(shop, code=1).split())
