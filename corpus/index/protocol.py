"""The contract of every index; `tests/index_contract.py` checks it.

Each reading method takes the caller, and the access rule applies before anything is ranked, counted or cut. What the
caller may not read is indistinguishable from what does not exist.
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

if TYPE_CHECKING:  # numpy is most of a cold start, and reading a protocol needs none of it
    from corpus.embedding.protocol import Vectors


class Index(Protocol):
    """The reading side."""

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        """The best readable blocks, at most `top_k`."""

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Readable documents. Raises InvalidRequest for a cursor that this index did not give."""

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Raises DocumentNotFound."""

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """The readable documents among these by id; they may lack what a hit's document may lack."""

    async def by_name(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Readable documents that a name may mean: those with an equal file name or title (ignoring case), else those
        whose file name or title contains every word of it; at most 20. May raise DocumentNotFound where there is none
        and the rights under which the search ran need an explanation."""

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """The readable blocks among these, in the given order."""

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Blocks of these pages in reading order; for a document without pages, all blocks. Raises DocumentNotFound."""

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """The document's image blocks in reading order. Raises DocumentNotFound."""

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """The image of an image block. Raises DocumentNotFound, or InvalidRequest where the index holds at most image
        addresses."""

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Addresses outside this server under which the pictures of the readable ones among these blocks open for a
        while, by block id; of those alone that the index can sign for."""

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        """A page as a picture, where the index holds one of it. Raises DocumentNotFound."""

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Line boxes of the readable blocks among these, by block id; only of blocks whose reader reported them."""

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """The wanted values that readable documents have in a field of `corpus.filters.VALUE_FIELDS`, with the index's
        spelling of each. Whether case counts is the index's choice; `values` lists all of them."""

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Distinct values of one of `corpus.filters.VALUE_FIELDS` over readable documents, sorted."""

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Ids of readable documents that start with the input (ignoring case), then of those whose id, title or file
        name contains every word of it; at most `most`, in a stable order."""

    async def counts(self, caller: Caller) -> Counts:
        """Totals over what the caller may read."""

    async def generation(self) -> str | None:
        """Changes after each committed change; None where the index has no generations. Cheap."""

    async def extent(self, caller: Caller) -> str:
        """Changes when a document comes or goes for this caller, and not when one does for others alone."""

    async def aclose(self) -> None:
        """Close the index."""


@dataclass(frozen=True, slots=True)
class Begun:
    """`total` counts every match, not only those in `doc_ids`."""

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
    """The side of the index's owner. There is no access rule: whoever can write the folder owns it."""

    @property
    def prefixed(self) -> bool:
        """Whether principals carry their kind ("user:ann") in this index."""

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        *,
        keep_access: bool = False,
        only_known: bool = False,
    ) -> None:
        """Put a document in place of its former version, entirely or, if interrupted, not at all.

        With `keep_access` the access list in the index stays, whatever list is given: a long ingestion must not undo a
        narrowing made meanwhile. A new document gets the given list. With `only_known`, raises DocumentNotFound where
        the index does not hold the document.
        """

    async def update(self, document: Document, *, keep_access: bool = False) -> None:
        """Change a document's metadata including its access list, and keep its blocks; `keep_access` as for `replace`.
        Raises DocumentNotFound."""

    async def remove(self, doc_id: str) -> None:
        """Delete its rows, vectors and pictures, if it exists."""

    async def all_documents(self) -> tuple[Document, ...]:
        """Every document, ordered by source path."""

    async def restricted(self) -> Mapping[str, tuple[str, ...]]:
        """Access lists by SHA-256 of content that was refused in a place which more people may read."""

    async def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Remember that only this list may read content that was refused."""

    async def compact(self) -> None:
        """After a run of changes, drop removed and replaced entries that still count in the ranking."""

    async def pending(self, limit: int) -> tuple[Pending, ...]:
        """Passages without a vector of this index's embedder, at most `limit`."""

    async def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of this index's embedder, shape (len(block_ids), dimensions). Blocks deleted meanwhile are
        ignored. A document whose last vector arrives becomes `ready`."""
