"""The contract of every index; `tests/index_contract.py` checks it.

Each reading method takes the caller, and the access rule applies before anything is ranked, counted or cut. Documents
that the caller may not read are indistinguishable from documents that do not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from corpus.access import Caller
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.documents.line_boxes import LineBox
from corpus.search import DocumentList, Listing, Search, SearchResult

if TYPE_CHECKING:  # importing numpy is most of a cold start, and a protocol does not need it
    from corpus.embedding.protocol import Vectors


class Index(Protocol):
    """The reading side of an index."""

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        """Return the best readable blocks, at most `top_k`."""

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Return readable documents. Raises InvalidRequest for a cursor that this index did not issue."""

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Return a document. Raises DocumentNotFound."""

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """Return the readable documents with these ids, by id. They may lack the fields that a hit's document may
        lack."""

    async def by_name(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Return at most 20 readable documents that the name may refer to.

        These are documents with an equal file name or title (ignoring case). If there are none, the result contains
        documents whose file name or title contains every word of the name. May raise DocumentNotFound instead of
        returning nothing, to explain an assumption about the caller's rights.
        """

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """Return the readable blocks with these ids, in the given order."""

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Return blocks of these pages in reading order; for a document without pages, all blocks. Raises
        DocumentNotFound."""

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """Return the document's image blocks in reading order. Raises DocumentNotFound."""

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block. Raises DocumentNotFound, or InvalidRequest if the index does not contain
        the image itself."""

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return temporary addresses outside this server for the pictures of readable blocks, by block id. Blocks for
        which the index cannot sign an address are omitted."""

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        """Return a page as a picture, if the index contains one. Raises DocumentNotFound."""

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Return line boxes of the readable blocks with these ids, by block id. Only some document readers produce
        them."""

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return the wanted values that readable documents have in a field of `corpus.filters.VALUE_FIELDS`, with the
        index's spelling of each. The index decides whether case matters; `values` lists all spellings."""

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Return distinct values of one of `corpus.filters.VALUE_FIELDS` over readable documents, sorted."""

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Return ids of readable documents that start with the input (ignoring case), then ids of documents whose id,
        title or file name contains every word of the input; at most `most`, in a stable order."""

    async def counts(self, caller: Caller) -> Counts:
        """Return totals over the documents that the caller may read."""

    async def generation(self) -> str | None:
        """Return a text that changes after each committed change, or None if the index has no generations. The call is
        cheap."""

    async def extent(self, caller: Caller) -> str:
        """Return a text that changes if a document is added or removed for this caller, but not if the change affects
        only other callers."""

    async def aclose(self) -> None:
        """Close the index."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Completions. `total` counts every match, not only those in `doc_ids`."""

    doc_ids: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals; `without_vector` counts passages that have no vector yet."""

    documents: int
    blocks: int
    images: int
    without_vector: int


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block to be indexed, with its picture if it is an image, and its line boxes."""

    block: Block
    picture: Picture | None = None
    lines: tuple[LineBox, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage that has no vector yet."""

    block_id: str
    text: str


class WritableIndex(Index, Protocol):
    """An index as its owner uses it. No access rule applies, because anybody who can write the folder owns the
    index."""

    @property
    def prefixed(self) -> bool:
        """Whether principals include their kind ("user:ann") in this index."""

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        *,
        keep_access: bool = False,
        only_known: bool = False,
    ) -> None:
        """Replace a document's previous version, either completely or, if interrupted, not at all.

        With `keep_access`, the access list in the index is preserved and the given one ignored, because a long
        ingestion must not undo a restriction made meanwhile. A new document gets the given list. With `only_known`,
        raises DocumentNotFound if the index does not contain the document.
        """

    async def update(self, document: Document, *, keep_access: bool = False) -> None:
        """Change a document's metadata including its access list, and preserve its blocks. `keep_access` is as in
        `replace`. Raises DocumentNotFound."""

    async def remove(self, doc_id: str) -> None:
        """Delete the document's rows, vectors and pictures, if it exists."""

    async def all_documents(self) -> tuple[Document, ...]:
        """Return every document, ordered by source path."""

    async def restricted(self) -> Mapping[str, tuple[str, ...]]:
        """Return the access lists of content that was refused at a path with more readers, by its SHA-256."""

    async def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Store that only this list may read content that was refused."""

    async def compact(self) -> None:
        """Drop removed and replaced entries that still count in the ranking. Call this after a run of changes."""

    async def pending(self, limit: int) -> tuple[Pending, ...]:
        """Return passages without a vector of this index's embedder, at most `limit`."""

    async def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of this index's embedder, shape (len(block_ids), dimensions). Blocks deleted meanwhile are
        ignored. A document becomes `ready` when its last vector arrives."""
