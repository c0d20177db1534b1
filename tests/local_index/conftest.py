"""The real local index in a temporary folder."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from corpus.documents.document import Document
from corpus.embedding.protocol import Embedder
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import OpenShelf
from tests.writable_contract import OpenIndex, embed


class LocalShelf:
    def __init__(self, index: LocalIndex, embedder: Embedder) -> None:
        self.index, self._embedder = index, embedder

    async def put(self, document: Document, *blocks: NewBlock) -> None:
        await self.index.replace(document, blocks)
        await embed(self.index, self._embedder)

    async def remove(self, doc_id: str) -> None:
        await self.index.remove(doc_id)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A path where an index can be created. It does not exist yet."""
    return tmp_path / "index"


@pytest.fixture
def open_shelf(folder: Path) -> OpenShelf:
    numbers = itertools.count()

    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[LocalShelf]:
        embedder = DigestEmbedder()
        index = LocalIndex.open(folder / f"shelf{next(numbers)}", embedder, principal_prefixes=prefixed)
        yield LocalShelf(index, embedder)
        await index.aclose()

    return opened


@pytest.fixture
def open_index(folder: Path) -> OpenIndex:
    @asynccontextmanager
    async def opened(embedder: Embedder | None) -> AsyncIterator[LocalIndex]:
        index = LocalIndex.open(folder, embedder)
        yield index
        await index.aclose()

    return opened
