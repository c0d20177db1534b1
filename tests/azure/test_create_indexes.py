"""`ibid azure create-indexes`: created indexes, unchanged indexes, and the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.create_indexes import content_index
from corpus.index.azure.schema.index_schema import Mark
from tests.azure import design_index
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS
from tests.doubles.azure_search import Fault
from tests.doubles.azure_search.in_thread import standing_in


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with standing_in() as service:
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(RAG_EMBEDDER=None)
        yield shop


def definition(shop: Shop, index: str) -> dict[str, object]:
    return shop.service._does.index(index).raw


def fields(shop: Shop, index: str = BLOCKS) -> dict[str, dict[str, object]]:
    return {one["name"]: one for one in definition(shop, index)["fields"]}  # type: ignore[attr-defined]


def test_both_indexes_are_created_for_the_configured_embedder(shop: Shop) -> None:
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 0, result.output
    assert (BLOCKS + ": created") in result.output
    assert (DOCUMENTS + ": created") in result.output
    assert fields(shop)["content_vector"]["dimensions"] == 384
    mark = f"Made by Ibid. principals=prefixed embedder={PackagedEmbedder.id}"
    assert definition(shop, BLOCKS)["description"] == definition(shop, DOCUMENTS)["description"] == mark


def test_the_output_ends_with_the_settings_for_a_query_key(shop: Shop) -> None:
    output = shop.run("azure", "create-indexes", "--semantic").output
    (server,) = json.loads(output[output.index("{") :])["mcpServers"].values()
    assert (server["command"], server["args"]) == ("ibid", ["serve"])
    assert server["env"] == {
        "RAG_BACKEND": "azure",
        "AZURE_SEARCH_ENDPOINT": shop.service.endpoint,
        "AZURE_SEARCH_API_KEY": "QUERY_KEY",
        "AZURE_SEARCH_CONTENT_INDEX": BLOCKS,
        "AZURE_SEARCH_DOCUMENTS_INDEX": DOCUMENTS,
        "RAG_AZURE_VECTOR_FIELDS": "content_vector,image_caption_vector",
        "RAG_AZURE_SEMANTIC_CONFIG": "ibid",
        "RAG_AZURE_EMBEDDER": PackagedEmbedder.id,
        "RAG_PRINCIPAL_PREFIXES": "true",
        "RAG_USER_ID": "WHO_ASKS",
    }


def test_a_key_that_cannot_read_gets_no_settings_for_existing_indexes(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key)
    output = shop.run("azure", "create-indexes", "--dry-run").output
    assert "this credential may not look" in output
    assert "mcpServers" not in output


def test_a_dry_run_names_every_field_and_changes_nothing(shop: Shop) -> None:
    output = shop.run("azure", "create-indexes", "--dry-run").output
    assert "would be created" in output
    assert "access_control_list" in output
    assert "Collection(Edm.Single)  searchable, hidden, 384 dimensions" in output
    assert "Edm.String  searchable, analyzer standard.lucene" in output
    assert {one.method for one in shop.service.requests} == {"GET"}


def test_the_definitions_are_available_as_json_without_a_key_in_them(shop: Shop) -> None:
    shop.set(
        RAG_EMBEDDER="azure-openai", RAG_EMBEDDER_MODEL="text-embedding-3-small",
        AZURE_OPENAI_ENDPOINT="https://ours.openai.azure.com", AZURE_OPENAI_API_KEY="very-secret",
    )  # fmt: skip
    result = shop.run("azure", "create-indexes", "--dry-run", "--json", "--vectorizer", "azure-openai")
    content, documents = json.loads(result.output)
    assert (content["name"], documents["name"]) == (BLOCKS, DOCUMENTS)
    assert "very-secret" not in result.output
    assert shop.service.requests == []


def test_the_service_can_embed_queries_itself(shop: Shop) -> None:
    shop.set(
        RAG_EMBEDDER="azure-openai", RAG_EMBEDDER_MODEL="text-embedding-3-small",
        AZURE_OPENAI_ENDPOINT="https://ours.openai.azure.com", AZURE_OPENAI_API_KEY="k",
    )  # fmt: skip
    output = shop.run("azure", "create-indexes", "--vectorizer", "azure-openai").output
    (vectorizer,) = definition(shop, BLOCKS)["vectorSearch"]["vectorizers"]  # type: ignore[index]
    assert vectorizer["azureOpenAIParameters"]["deploymentId"] == "text-embedding-3-small"
    assert fields(shop)["content_vector"]["dimensions"] == 1536
    assert '"RAG_AZURE_EMBEDDER": "vectorizer"' in output


def test_without_a_model_for_it_there_is_no_vectorizer(shop: Shop) -> None:
    result = shop.run("azure", "create-indexes", "--vectorizer", "azure-openai")
    assert result.exit_code == 2
    assert "RAG_EMBEDDER=azure-openai" in result.output


def test_plain_names_and_no_vectors_are_recorded_too(shop: Shop) -> None:
    shop.set(RAG_PRINCIPAL_PREFIXES="false")
    shop.run("azure", "create-indexes", "--no-vectors", "--analyzer", "de.lucene")
    assert definition(shop, BLOCKS)["description"] == "Made by Ibid. principals=plain"
    assert "content_vector" not in fields(shop)
    assert (fields(shop)["content"]["analyzer"], fields(shop)["filename"]["analyzer"]) == (
        "de.lucene", "standard.lucene",
    )  # fmt: skip


def test_an_existing_index_that_fits_is_left_unchanged(shop: Shop) -> None:
    shop.run("azure", "create-indexes")
    before = definition(shop, BLOCKS)["@odata.etag"]
    result = shop.run("azure", "create-indexes", "--analyzer", "de.lucene")
    assert result.exit_code == 0
    assert "left unchanged" in result.output
    assert "content has the analyzer standard.lucene, not de.lucene" in result.output
    assert definition(shop, BLOCKS)["@odata.etag"] == before


def test_mismatches_are_reported_field_by_field(shop: Shop) -> None:
    mark = Mark(prefixed=False, embedder="other-model")
    made = content_index(BLOCKS, dimensions=8, mark=mark)
    made.fields = [one for one in made.fields if one.name != "heading"]
    next(one for one in made.fields if one.name == "access_control_list").filterable = False
    shop.service.put_index(made.as_dict())
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 1
    for text in (
        "does not fit: its access lists are plain (ann), but the settings require prefixed (user:ann)",
        f"does not fit: its vectors are from other-model, but the settings require {PackagedEmbedder.id}",
        "does not fit: content_vector has 8 dimensions, not 384",
        "does not fit: access_control_list is not filterable",
        "works less well: heading is missing",
        "Name other indexes (AZURE_SEARCH_CONTENT_INDEX",
    ):
        assert text in result.output
    assert len(fields(shop)) == len(made.fields)


def test_indexes_of_the_design_fit_and_missing_fields_are_reported_on_one_line(shop: Shop) -> None:
    shop.service.put_index(design_index.content_index(384))
    shop.service.put_index(design_index.documents_index())
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 0, result.output
    assert "differs: it was not made by Ibid, so RAG_PRINCIPAL_PREFIXES" in result.output
    assert "works less well: page_label, chunk_number," in result.output
    assert "works less well: filename, title" not in result.output
    assert "does not fit" not in result.output
    assert "analyzer" not in result.output


def test_an_index_without_fields_that_every_search_needs_does_not_fit(shop: Shop) -> None:
    made = design_index.documents_index()
    made["fields"] = [one for one in made["fields"] if one["name"] not in ("filename", "author")]
    shop.service.put_index(made)
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 1
    assert "does not fit: filename is missing" in result.output
    assert "works less well: author," in result.output


def test_without_an_embedder_nothing_false_is_reported_about_an_existing_index(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="none")
    assert "so the index gets no vector fields" in shop.run("azure", "create-indexes", "--dry-run").output
    assert "so the index gets no vector fields" in shop.run("azure", "create-indexes", "--dry-run", "--json").stderr
    assert "so the index has no vector fields" in shop.run("azure", "create-indexes").output
    shop.service.clear()
    shop.service.put_index(design_index.content_index(384))
    output = shop.run("azure", "create-indexes").output
    assert "vector fields of the index were not compared" in output
    assert "no vector fields" not in output


def test_a_key_that_cannot_create_indexes_is_told_what_it_lacks(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key)
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 2
    assert "admin key" in result.output


def test_a_rejected_credential_is_reported_like_one_without_the_right(shop: Shop) -> None:
    shop.service.faults.add(Fault(401), None)
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 2
    assert "admin key" in result.output


def test_a_refused_definition_is_for_the_operator_to_change(shop: Shop) -> None:
    shop.service.faults.add(Fault(400, body={"error": {"message": "internal words"}}), operation="create_index")
    result = shop.run("azure", "create-indexes", "--analyzer", "xx.lucene")
    assert result.exit_code == 2
    assert "refused the definition" in result.output
    assert "internal words" not in result.output


def test_without_an_endpoint_the_error_names_the_setting(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_ENDPOINT=None)
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 2
    assert "AZURE_SEARCH_ENDPOINT is not set. Set it, such as" in result.output
    assert "an admin key" in result.output
    assert "Search Service Contributor" in result.output
    assert "Reader" not in result.output
    assert "RAG_BACKEND" not in result.output


def test_a_key_under_another_programs_name_is_refused_with_the_right_name(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_ADMIN_KEY="x", AZURE_SEARCH_API_KEY=None)
    result = shop.run("azure", "create-indexes")
    assert result.exit_code == 2
    assert "Did you mean AZURE_SEARCH_API_KEY" in result.output
