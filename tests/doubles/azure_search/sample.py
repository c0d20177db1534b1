"""A small index with every kind of field, for tests of the emulator itself."""

from __future__ import annotations

from typing import Any

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient

from tests.doubles.azure_search.service import StandIn

NAME = "blocks"
PLAIN = {"type": "Edm.String", "searchable": False, "filterable": True}
TEXT = {"type": "Edm.String", "searchable": True, "filterable": False, "sortable": False, "facetable": False}
VECTOR = {"dimensions": 3, "retrievable": False}
DEFINITION: dict[str, Any] = {
    "name": NAME,
    "fields": [
        {"name": "block_id", **PLAIN, "key": True, "sortable": True},
        {"name": "title", **TEXT},
        {"name": "content", **TEXT},
        {"name": "kind", **PLAIN, "facetable": True},
        {"name": "file", **PLAIN, "sortable": True, "normalizer": "lowercase"},
        {"name": "page", "type": "Edm.Int32", "filterable": True, "sortable": True, "facetable": True},
        {"name": "rating", "type": "Edm.Double", "filterable": True, "sortable": True},
        {"name": "draft", "type": "Edm.Boolean", "filterable": True},
        {"name": "changed", "type": "Edm.DateTimeOffset", "filterable": True, "sortable": True},
        {"name": "tags", "type": "Collection(Edm.String)", "searchable": True, "filterable": True, "facetable": True},
        {"name": "access_control_list", **PLAIN, "type": "Collection(Edm.String)", "retrievable": False},
        {"name": "meaning", "type": "Collection(Edm.Single)", "vectorSearchProfile": "plain", **VECTOR},
        {"name": "figure", "type": "Collection(Edm.Single)", "vectorSearchProfile": "own", **VECTOR},
    ],
    "vectorSearch": {
        "algorithms": [{"name": "graph", "kind": "hnsw", "hnswParameters": {"metric": "cosine"}}],
        "vectorizers": [{"name": "model", "kind": "customWebApi", "customWebApiParameters": {"uri": "https://model.test"}}],
        "profiles": [
            {"name": "plain", "algorithm": "graph"},
            {"name": "own", "algorithm": "graph", "vectorizer": "model"},
        ],
    },
    "semantic": {
        "configurations": [
            {
                "name": "sem",
                "prioritizedFields": {
                    "titleField": {"fieldName": "title"},
                    "prioritizedContentFields": [{"fieldName": "content"}],
                },
            }
        ]
    },
}  # fmt: skip


def filled(service: StandIn, *docs: dict[str, Any]) -> StandIn:
    """Return the service with the sample index and these documents. A document without a key gets a number, starting at
    1."""
    service.put_index(DEFINITION)
    service.put_documents(NAME, [{"block_id": str(at), **doc} for at, doc in enumerate(docs, 1)])
    return service


def client(service: StandIn, key: str | None = None, **options: Any) -> SearchClient:
    """Return a client for the sample index, without retries by default."""
    credential = AzureKeyCredential(key or service.admin_key)
    return SearchClient(service.endpoint, NAME, credential, **{"retry_total": 0, **options})


def index_client(service: StandIn, key: str | None = None) -> SearchIndexClient:
    return SearchIndexClient(service.endpoint, AzureKeyCredential(key or service.admin_key), retry_total=0)


async def hits(service: StandIn, text: str | None = None, **options: Any) -> list[dict[str, Any]]:
    """Return the hits of a search of the sample index, in order, using the real client."""
    async with client(service) as own:
        return [hit async for hit in await own.search(text, **options)]


async def found(service: StandIn, text: str | None = None, **options: Any) -> list[str]:
    """Return the keys of `hits`."""
    return [hit["block_id"] for hit in await hits(service, text, **options)]
