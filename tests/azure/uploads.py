"""A service with both indexes, and the documents of the upload tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from corpus.index.azure import Service, Timing
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.remote_state import UploadMark
from corpus.index.azure.upload.uploading import Uploader
from tests.doubles.azure_search import StandIn

BLOCKS, DOCUMENTS = "content-blocks", "documents-metadata"
MARK = UploadMark("here", "c1", "f1", "digest-8")
QUICK = Timing(pause=0.01, longest_pause=0.01)


@asynccontextmanager
async def place(**how: Any) -> AsyncIterator[tuple[StandIn, Uploader, Connection]]:
    """Open an emulator with both indexes, eight dimensions, and an uploader with the admin key."""
    async with StandIn(**how) as service:
        make_indexes(service)
        async with Connection(Service(service.endpoint, service.admin_key), QUICK) as connection:
            yield service, Uploader(connection, BLOCKS, DOCUMENTS, pause=0.0), connection


def make_indexes(service: StandIn, *, dimensions: int | None = 8, mark: Mark | None = None) -> None:
    mark = mark or Mark(prefixed=True, embedder="digest-8")
    service.put_index(content_index(BLOCKS, dimensions=dimensions, mark=mark).as_dict())
    service.put_index(documents_index(DOCUMENTS, mark=mark).as_dict())


def by_id(service: StandIn) -> dict[str, dict[str, Any]]:
    return {row["block_id"]: row for row in service.documents(BLOCKS)}


def lists(service: StandIn) -> set[tuple[str, ...]]:
    """Return every access list of a block."""
    return {tuple(row["access_control_list"]) for row in service.documents(BLOCKS)}


def batches(service: StandIn, index: str | None = None) -> list[Any]:
    """Return the batches for one index, or all."""
    return [one for one in service.requests if one.operation == "batch" and index in (None, one.index)]


def kinds(service: StandIn) -> list[tuple[str, str]]:
    """Return index and kind of action of each batch."""
    return [(str(one.index), one.body["value"][0]["@search.action"]) for one in batches(service)]
