"""The contract of every index; `tests/index_contract.py` checks it.

Each method that reads accepts the caller and applies the access rule before it ranks, counts or cuts anything.
Documents that the caller may not read are indistinguishable from documents that do not exist.
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

if TYPE_CHECKING:  # importing numpy dominates a cold start, and a protocol does not need it
    from corpus.embedding.protocol import Vectors


class Index(Protocol):
    """The reading side of an index."""

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        """Return up to `top_k` of the best blocks that the caller may read."""

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Return a page of readable documents. Raises InvalidRequest for a cursor that this index did not issue."""

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Return a document. Raises DocumentNotFound."""

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """Return the readable documents with these ids, keyed by id. As with the document of a search hit, some fields
        may be missing."""

    async def by_name(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Return at most 20 readable documents that the name may refer to.

        These are the documents whose file name or title equals the name (ignoring case). If there are none, they are
        the documents whose file name or title contains every word of the name. If nothing is found, this may raise
        DocumentNotFound with a message that explains an assumption about the caller's rights.
        """

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """Return the readable blocks with these ids, in the given order."""

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Return the blocks of these pages in reading order, or all blocks if the document has no pages. Raises
        DocumentNotFound."""

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """Return the document's image blocks in reading order. Raises DocumentNotFound."""

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block. Raises DocumentNotFound, or InvalidRequest if the index does not contain
        the image itself."""

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return temporary addresses outside this server for the pictures of readable blocks, keyed by block id. Blocks
        for which the index cannot sign an address are omitted."""

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        """Return a page as a picture, if the index contains one. Raises DocumentNotFound."""

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Return the line boxes of the readable blocks with these ids, keyed by block id. Only some document readers
        produce them."""

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return those wanted values that occur in readable documents, each mapped to the index's spelling of it.
        `field` is one of `corpus.filters.VALUE_FIELDS`. The index decides whether case matters; `values` lists all
        spellings."""

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Return the distinct values, sorted, that readable documents have in one of `corpus.filters.VALUE_FIELDS`."""

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Return up to `most` ids of readable documents in a stable order: first the ids that start with the input
        (ignoring case), then those of documents whose id, title or file name contains every word of it."""

    async def counts(self, caller: Caller) -> Counts:
        """Return totals over the documents that the caller may read."""

    async def generation(self) -> str | None:
        """Return a string that is different after each committed change, or None if the index has no generations. The
        call is cheap."""

    async def extent(self, caller: Caller) -> str:
        """Return a string that changes when this caller gains or loses a document, but not when only other callers
        do."""

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
    """An index as its owner uses it. No access rule applies, because anybody who can write to the folder owns the
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
        """Replace a document's previous version. An interrupted call changes nothing.

        With `keep_access`, a document that is already in the index keeps its access list there, because a long
        ingestion must not undo a restriction that was added in the meantime. A new document gets the given list. With
        `only_known`, this raises DocumentNotFound if the index does not contain the document.
        """

    async def update(self, document: Document, *, keep_access: bool = False) -> None:
        """Change a document's metadata, including its access list, but not its blocks. `keep_access` works as in
        `replace`. Raises DocumentNotFound."""

    async def remove(self, doc_id: str) -> None:
        """Delete the document's rows, vectors and pictures, if it exists."""

    async def all_documents(self) -> tuple[Document, ...]:
        """Return every document, ordered by source path."""

    async def restricted(self) -> Mapping[str, tuple[str, ...]]:
        """Return the access lists of content that was refused because it reappeared at a path that more people may
        read, keyed by its SHA-256."""

    async def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Store the access list of content that was refused."""

    async def compact(self) -> None:
        """Drop removed and replaced entries that still affect the ranking. Call this after a series of changes."""

    async def pending(self, limit: int) -> tuple[Pending, ...]:
        """Return up to `limit` passages that have no vector from this index's embedder."""

    async def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors computed by this index's embedder, of shape (len(block_ids), dimensions). Vectors of blocks
        that no longer exist are ignored. A document becomes `ready` when its last vector arrives."""
