"""What every index promises; `tests/index_contract.py` holds it.

Each reading method takes the caller, and the access rule applies before anything is ranked, counted or cut.
What the caller may not read answers exactly like what does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from corpus.access import Caller
from corpus.blocks import Block, Picture
from corpus.documents import Document
from corpus.line_boxes import LineBox
from corpus.search import Found, Listed, Listing, Search

if TYPE_CHECKING:  # numpy is most of a cold start, and reading a protocol needs none of it
    from corpus.embedding.protocol import Vectors


class Index(Protocol):
    """The reading side."""

    async def find(self, search: Search, caller: Caller) -> Found:
        """The best readable blocks, at most `top_k`."""

    async def list_documents(self, listing: Listing, caller: Caller) -> Listed:
        """Readable documents. Raises InvalidRequest for a cursor that this index did not give."""

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Raises DocumentNotFound."""

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """The readable ones among them by id; they may lack what a hit's document may."""

    async def named(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Readable documents that a name may mean: equal file name or title (case ignored) if there are any,
        else those whose file name or title holds every word of it; at most 20. Raises DocumentNotFound where there is
        none and something to tell of the rights under which it was looked for."""

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """The readable ones among them, in the order asked for."""

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Blocks of these pages in reading order; for a document without pages, all of them.
        Raises DocumentNotFound."""

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """The document's image blocks in reading order. Raises DocumentNotFound."""

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """The image of an image block. Raises DocumentNotFound, or InvalidRequest where the index holds no images but
        at most their addresses."""

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Addresses outside this server under which the pictures of the readable ones among these blocks open for a
        while, by block id; of those alone that the index can sign for."""

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        """A page as a picture, where the index holds one of it. Raises DocumentNotFound."""

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Where the lines of the readable ones among them stand on their pages; of those alone whose reader told."""

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """The wanted values that readable documents have in a field of `corpus.filters.NAMED`, with the index's
        spelling of each. Whether case counts is the index's choice; `values` lists all of them."""

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Distinct values of one of `corpus.filters.NAMED` over readable documents, sorted."""

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Ids of readable documents that begin with what was typed (case ignored), then of those whose id, title or
        file name holds every word of it; at most `most`, the same at each call as long as nothing changes."""

    async def counts(self, caller: Caller) -> Counts:
        """Of what the caller may read."""

    async def generation(self) -> str | None:
        """Another one after each committed change; None where the index cannot tell. It costs next to nothing."""

    async def extent(self, caller: Caller) -> str:
        """Another one when a document comes or goes for this caller, and none when one does for others alone."""

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Begun:
    """`total` counts every fitting document, not only those in `doc_ids`."""

    doc_ids: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    documents: int
    blocks: int
    images: int
    without_vector: int


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block on its way into an index, with its picture if it is an image, and where its lines stand on the page."""

    block: Block
    picture: Picture | None = None
    lines: tuple[LineBox, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage that has no vector yet."""

    block_id: str
    text: str


class WritableIndex(Index, Protocol):
    """The side of the person who keeps the index. No access rule: whoever can write the folder owns it."""

    @property
    def prefixed(self) -> bool:
        """Whether principals are told apart by kind in this index."""

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        *,
        keep_access: bool = False,
        only_known: bool = False,
    ) -> None:
        """Put the document in place of its former self, wholly or, if interrupted, not at all.

        With `keep_access` the access list that the index holds at that moment stays, whatever list is given:
        a long ingestion must not undo what somebody narrowed meanwhile. A new document gets the list given. With
        `only_known` there is no new one: DocumentNotFound where the index does not hold the document at that moment.
        """

    async def update(self, document: Document, *, keep_access: bool = False) -> None:
        """Change what is known about a document, its access list included, and leave its blocks;
        `keep_access` as for replace. Raises DocumentNotFound."""

    async def remove(self, doc_id: str) -> None:
        """Its rows, vectors and pictures. Removing what is not there is fine."""

    async def all_documents(self) -> tuple[Document, ...]:
        """Every document, ordered by source path."""

    async def restricted(self) -> Mapping[str, tuple[str, ...]]:
        """Access lists by SHA-256 of content that was refused in a place which more people may read."""

    async def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Remember that only this list may read content that was refused somewhere."""

    async def compact(self) -> None:
        """When a run of changes is over: let nothing that was removed or replaced still count in the ranking."""

    async def pending(self, limit: int) -> tuple[Pending, ...]:
        """Passages without a vector of this index's embedder."""

    async def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Vectors of this index's embedder, shape (len(block_ids), dimensions). Blocks gone meanwhile are
        passed over. A document whose last vector arrives becomes `ready`."""
