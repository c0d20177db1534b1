"""Fixtures of the index contract: an index, an interface to fill it, and small documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from corpus.access import Caller
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.filters import Filters
from corpus.index.protocol import Index, NewBlock
from corpus.search import Search, SearchResult


class Shelf(Protocol):
    """An index and the interface that fills it, so that the contract also covers engines that others fill."""

    @property
    def index(self) -> Index: ...

    async def put(self, document: Document, *blocks: NewBlock) -> None:
        """Index the document with all its blocks and vectors, and replace an earlier version."""

    async def remove(self, doc_id: str) -> None: ...


OpenShelf = Callable[..., AbstractAsyncContextManager[Shelf]]
"""Factory called with `prefixed: bool`; it opens an empty shelf and removes it at the end."""

ANN = Caller(user_id="ann", department="hr", org_id="acme", groups=frozenset({"readers"}))
PICTURE = Picture(b"not really a picture", "image/png")


def a_document(doc_id: str = "manual", **changes: object) -> Document:
    base = Document(
        doc_id=doc_id,
        filename=f"{doc_id}.pdf",
        title=f"The {doc_id}",
        upload_date="2026-03-01T10:00:00+00:00",
        language="en",
        access_control_list=("*",),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def texts(doc_id: str, *contents: str, first_page: int | None = 1) -> list[NewBlock]:
    """Return one text block for each content, each on a separate page."""
    return [
        NewBlock(
            Block(
                block_id=f"{doc_id}-{n}",
                doc_id=doc_id,
                block_type="text",
                content=content,
                page_number=None if first_page is None else first_page + n,
                chunk_number=n,
            )
        )
        for n, content in enumerate(contents)
    ]


def figure(doc_id: str, caption: str, page: int = 1) -> NewBlock:
    block = Block(
        block_id=f"{doc_id}-f{page}",
        doc_id=doc_id,
        block_type="image",
        image_caption=caption,
        page_number=page,
        chunk_number=100 + page,
    )
    return NewBlock(block, PICTURE)


async def search(shelf: Shelf, query: str, caller: Caller, top_k: int = 10, **filters: object) -> SearchResult:
    return await shelf.index.find(Search(query, top_k, Filters.parse(filters)), caller)


def ids(found: SearchResult) -> list[str]:
    return [hit.block.block_id for hit in found.hits]


def documents_of(found: SearchResult) -> set[str]:
    return {hit.document.doc_id for hit in found.hits}


def doc_ids(documents: Sequence[Document]) -> list[str]:
    return [document.doc_id for document in documents]
