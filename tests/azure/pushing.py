"""A machine that pushes to a service, and helpers that report the readers of the pushed rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus.documents.document import Document
from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.upload import uploading
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, make_indexes
from tests.doubles.azure_search import Fault
from tests.doubles.azure_search.in_thread import standing_in
from tests.shelf import a_document, texts

ANN, BOB, ALL = "user:ann", "user:bob", "*"
NEVER = 3600.0
"""Seconds until the service finds new documents: longer than any test."""
OURS = Mark(prefixed=True, embedder=PackagedEmbedder.id)


class Pushing:
    """A machine that pushes without vectors."""

    def __init__(self, shop: Shop) -> None:
        self.shop, self.service = shop, shop.service

    def put(self, doc_id: str, version: str, readers: tuple[str, ...], *contents: str) -> None:
        self.shop.put(document(doc_id, version, readers), *texts(doc_id, *contents))

    def push(self, *options: str) -> str:
        return str(self.shop.run("azure", "push", "--no-vectors", *options).output)

    def push_cut(self, after: int, index: str) -> str:
        """Push, but let only `after` batches for that index through."""
        self.service.faults.add(Fault(), after, operation="batch", index=index)
        self.service.faults.add(Fault(400), None, operation="batch", index=index)
        said = self.push()
        self.service.faults.clear()
        return said

    def push_cut_after_the_blocks(self) -> None:
        assert "1 failed" in self.push_cut(1, DOCUMENTS)

    def settle(self) -> None:
        """Let the service find everything from now on."""
        for index in (BLOCKS, DOCUMENTS):
            self.service.put_documents(index, [])

    def readable(self, who: str) -> set[str]:
        """Return the stored block texts that this principal may read, searchable or not."""
        rows = self.service.documents(BLOCKS)
        return {row["content"] for row in rows if {who, ALL} & set(row["access_control_list"])}

    def readers(self, doc_id: str) -> list[str]:
        """Return the readers in the row of the document."""
        rows = {row["doc_id"]: row["access_control_list"] for row in self.service.documents(DOCUMENTS)}
        return list(rows[doc_id])


def document(doc_id: str, version: str, readers: tuple[str, ...]) -> Document:
    return a_document(doc_id, access_control_list=readers, content_hash=version)


@contextmanager
def pushing(folder: Path, monkeypatch: pytest.MonkeyPatch, **how: float) -> Iterator[Pushing]:
    with standing_in(**how) as service:
        make_indexes(service, dimensions=384, mark=OURS)
        yield Pushing(Shop(folder / "index", service, monkeypatch))


@pytest.fixture
def prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pushing]:
    """A service that finds new documents immediately."""
    with pushing(tmp_path, monkeypatch) as one:
        yield one


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pushing]:
    """A service that finds no new documents until `settle` is called. No push waits for them."""
    monkeypatch.setattr(uploading, "PATIENCE", 0.0)
    with pushing(tmp_path, monkeypatch, indexing_delay=NEVER) as one:
        yield one
