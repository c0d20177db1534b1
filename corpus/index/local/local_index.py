"""The local index: a folder with a SQLite database, a BM25 index and vectors. Each call runs in a thread.

Documents are listed page by page. The cursor identifies the last document of a page instead of an offset, so adding or
removing documents between two requests does not shift the list.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
import anyio.to_thread

from corpus.access import Caller
from corpus.documents.block import KEY, Block, Picture
from corpus.documents.document import SORTABLE, Document
from corpus.documents.line_boxes import LineBox
from corpus.embedding.query_cache import CachedQueries
from corpus.index.local.documents_and_blocks import BRIEF_COLUMNS, documents_from, known_embedder
from corpus.index.local.index_reader import MAX_QUERY_WORDS, Content, Holding, Reader, WholeDocument, export_document
from corpus.index.local.ranking import Ranking
from corpus.index.local.store import Store, clear_leftovers
from corpus.index.protocol import Begun, Counts, NewBlock, Pending
from corpus.lookup.not_found import foreign_cursor, no_order
from corpus.processes.gather import gather
from corpus.search import DocumentList, Listing, Search, SearchResult, bound_query, embed_query
from corpus.text.normalization import clean, fold_case, is_text

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors
    from corpus.index.local.bm25_index import BM25Index
    from corpus.index.local.index_writer import Writer
    from corpus.index.local.searcher import Searcher


MAX_CURSOR_CHARACTERS = 200_000
"""Maximum length of a cursor in characters. A cursor contains the last title or file name on a page, which may be
long."""


@dataclass(frozen=True, slots=True)
class Order:
    """The SQL for one sort order in `SORTABLE`. `key` is never NULL, and unknown values come last."""

    key: str
    descending: bool = False


ORDERS = {
    "upload_date": Order("upload_date", descending=True),
    "document_date": Order("coalesce(document_date, '')", descending=True),
    "title": Order("title_key"),
    "filename": Order("filename_key"),
    "document_type": Order("type_key"),
    "page_count": Order("coalesce(page_count, -1)", descending=True),
}


def list_page(reader: Reader, listing: Listing) -> DocumentList:
    """Return a page of readable documents. Raises InvalidRequest for an unknown order, or for a cursor from another
    order."""
    order = ORDERS.get(listing.sort_by)
    if order is None:
        raise no_order(listing.sort_by, SORTABLE)
    where, parameters = _matching(reader, listing)
    (total,) = reader.connection.execute(f"SELECT count(*) FROM documents WHERE {where}", parameters).fetchone()
    after, place = _after(order, listing)
    limit = max(1, listing.limit)
    documents = documents_from(
        reader.connection,
        f"WHERE {where} AND {after} ORDER BY {order.key} {'DESC' if order.descending else 'ASC'}, doc_id LIMIT ?",
        (*parameters, *place, limit + 1),
        reader.embedder,
        embeds=reader.embeds,
        columns=BRIEF_COLUMNS,
    )
    more = len(documents) > limit
    return DocumentList(documents[:limit], total, _cursor(listing, documents[limit - 1]) if more else None)


def _matching(reader: Reader, listing: Listing) -> tuple[str, list[object]]:
    where, parameters = reader.where(listing.filters)
    words = fold_case(clean(listing.query or "")).split()[:MAX_QUERY_WORDS]
    return " AND ".join([where, *["instr(described, ?)"] * len(words)]), [*parameters, *words]


def _after(order: Order, listing: Listing) -> tuple[str, tuple[object, ...]]:
    if listing.after is None:
        return "1", ()
    key, doc_id = _place(listing)
    beyond = "<" if order.descending else ">"
    return f"({order.key} {beyond} ? OR ({order.key} = ? AND doc_id > ?))", (key, key, doc_id)


def _cursor(listing: Listing, last: Document) -> str:
    place = json.dumps([listing.sort_by, _key(listing.sort_by, last), last.doc_id], ensure_ascii=False)
    return base64.urlsafe_b64encode(place.encode()).decode()


def _key(sort_by: str, document: Document) -> str | int:
    if sort_by == "page_count":
        return -1 if document.page_count is None else document.page_count
    value = str(getattr(document, sort_by) or "")
    return value if sort_by.endswith("_date") else fold_case(value)


def _place(listing: Listing) -> tuple[str | int, str]:
    try:
        sort_by, key, doc_id = json.loads(base64.urlsafe_b64decode((listing.after or "")[:MAX_CURSOR_CHARACTERS]))
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # invalid base64 or JSON, not three values, or nested too deeply
        sort_by, key, doc_id = None, None, None
    fits = _is_page_count(key) if listing.sort_by == "page_count" else isinstance(key, str) and is_text(key)
    if sort_by != listing.sort_by or not fits or not isinstance(doc_id, str) or not KEY.fullmatch(doc_id):
        raise foreign_cursor(listing.sort_by)
    return key, doc_id


def _is_page_count(key: object) -> bool:
    return isinstance(key, int) and not isinstance(key, bool) and -1 <= key < 2**31


T = TypeVar("T")

THREADS = 4
"""Maximum number of concurrent operations on one index. More would only compete for the processor."""

MAX_HITS = 200
"""Maximum value of `top_k`, which limits how much text is read for one answer."""

EVERYONE = Caller(unfiltered=True)


class LocalIndex:
    """A `WritableIndex` in a folder. The protocol documents the methods in full. Several processes may read the index
    while one of them writes to it."""

    def __init__(self, store: Store, embedder: Embedder | None, ranking: Ranking, busy_seconds: float) -> None:
        self._store = store
        self._embedder = CachedQueries(embedder) if embedder else None
        self._ranking = ranking
        self._busy_seconds = busy_seconds
        self._threads: anyio.CapacityLimiter | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        embedder: Embedder | None,
        *,
        principal_prefixes: bool | None = None,
        create: bool = True,
        ranking: Ranking | None = None,
        busy_seconds: float = 30.0,
    ) -> LocalIndex:
        """Open the index in `folder`. If there is none, create it if `create` is true.

        `principal_prefixes` is stored when an index is created (None means True). Raises NotConfigured if the folder
        contains no index, an index that was created with a different value, or an index that this program cannot read.
        """
        clear_leftovers(folder)
        store = Store(folder, prefixed=principal_prefixes, create=create, busy_seconds=busy_seconds)
        return cls(store, embedder, ranking or Ranking(), busy_seconds)

    @property
    def prefixed(self) -> bool:
        """Whether principals include their kind ("user:ann")."""
        return self._store.prefixed

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        """Return up to `top_k` of the best readable blocks."""
        from corpus.index.local.snapshot import Question

        search = replace(search, top_k=min(search.top_k, MAX_HITS))
        text, warnings = bound_query(search.query, self._ranking.max_query)
        if not text or search.top_k < 1:
            return SearchResult((), "none", warnings)
        question = Question(search, caller, text, warnings=warnings)
        if self._embedder:
            question = replace(question, embedder=self._embedder.id)
            # Run the keyword search while the query is being embedded. tantivy is imported in the thread.
            prefetch = partial(self._run, lambda: self._searcher.prefetch(question))
            calls: list[Callable[[], Awaitable[object]]] = [partial(embed_query, self._embedder, text), prefetch]
            embedded, _ = await gather(calls)
            vector, problem = cast("tuple[Vectors | None, tuple[str, ...]]", embedded)
            question = replace(question, vector=vector, warnings=(*warnings, *problem))
        return await self._run(lambda: self._searcher.search(question))

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Return a page of readable documents. Raises InvalidRequest for a cursor from another list."""
        return await self._read(caller, lambda reader: list_page(reader, listing))

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Return a document. Raises DocumentNotFound."""
        return await self._read(caller, lambda reader: reader.document(doc_id))

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """Return the readable documents, keyed by id."""
        return await self._read(caller, lambda reader: reader.by_id(doc_ids))

    async def by_name(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Return at most 20 readable documents that the name may refer to."""
        return await self._read(caller, lambda reader: reader.by_name(name))

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """Return the readable blocks, in the given order."""
        return await self._read(caller, lambda reader: reader.blocks(block_ids))

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Return the blocks of these pages in reading order. Raises DocumentNotFound."""
        return await self._read(caller, lambda reader: reader.pages(doc_id, first, last))

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """Return the image blocks in reading order. Raises DocumentNotFound."""
        return await self._read(caller, lambda reader: reader.figures(doc_id))

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block. Raises DocumentNotFound."""
        return await self._read(caller, lambda reader: reader.picture(block_id))

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return an empty mapping: pictures are served from the folder."""
        return {}

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> None:
        """Return None: pages are drawn from their files."""

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Return line boxes, keyed by block id."""
        return await self._read(caller, lambda reader: reader.lines(block_ids))

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return the wanted values that occur, each mapped to the index's spelling of it."""
        return await self._read(caller, lambda reader: reader.matches(field, wanted))

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Return the distinct values of a field, sorted."""
        return await self._read(caller, lambda reader: reader.values(field))

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Return ids of documents whose id, title or file name matches the input."""
        return await self._read(caller, lambda reader: reader.by_prefix(typed, most))

    async def counts(self, caller: Caller) -> Counts:
        """Return totals over the documents that the caller may read."""
        return await self._read(caller, lambda reader: reader.counts())

    async def generation(self) -> str:
        """Return a string that is different after each committed change."""
        return await self._run(self._generation)

    async def extent(self, caller: Caller) -> str:
        """Return a digest of the set of readable documents."""
        return await self._read(caller, Reader.visible_set_digest)

    async def all_documents(self) -> tuple[Document, ...]:
        """Return every document, regardless of access lists, ordered by source path."""
        order = "ORDER BY source_path, documents.doc_id"
        return await self._read(EVERYONE, lambda reader: reader.documents("1", [], order))

    async def whole(self, doc_id: str) -> WholeDocument:
        """Return the document with all its blocks and this embedder's vectors, regardless of access lists, for the
        owner of the index. Raises DocumentNotFound."""
        return await self._read(EVERYONE, lambda reader: export_document(reader, doc_id))

    async def holdings(self, caller: Caller) -> dict[str, Holding]:
        """Return the number of blocks, figures and pending passages of each readable document, keyed by id."""
        return await self._read(caller, Reader.holdings)

    async def contents(self, doc_ids: Sequence[str], caller: Caller) -> dict[str, Content]:
        """Return the number of tables and of pages with text in each of these documents, keyed by id. This scans their
        text."""
        return await self._read(caller, lambda reader: reader.contents(doc_ids))

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        *,
        keep_access: bool = False,
        only_known: bool = False,
    ) -> None:
        """Replace a document. Raises DocumentNotFound."""
        await self._run(lambda: self._writer.replace(document, blocks, keep_access=keep_access, only_known=only_known))

    async def update(self, document: Document, *, keep_access: bool = False) -> None:
        """Update a document's metadata. Raises DocumentNotFound."""
        await self._run(lambda: self._writer.update(document, keep_access=keep_access))

    async def remove(self, doc_id: str) -> None:
        """Delete the document's rows, vectors and pictures, if it exists."""
        await self._run(lambda: self._writer.remove(doc_id))

    async def restricted(self) -> Mapping[str, tuple[str, ...]]:
        """Return the access lists of content that was refused because it reappeared at a path that more people may
        read, keyed by its SHA-256."""
        return await self._run(lambda: self._writer.restricted())  # noqa: PLW0108 - in the thread

    async def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Store the access list of content that was refused."""
        await self._run(lambda: self._writer.restrict(content_hash, access))

    async def pending(self, limit: int) -> tuple[Pending, ...]:
        """Return up to `limit` passages that have no vector from this embedder."""
        return await self._run(lambda: self._writer.pending(limit))

    async def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors, of shape (len(block_ids), dimensions). Vectors of blocks that no longer exist are ignored."""
        await self._run(lambda: self._writer.store_vectors(block_ids, vectors))

    async def rebuild_words(self) -> None:
        """Rebuild the BM25 index, because some damage to its files causes no errors, only worse results."""
        await self._run(lambda: self._words.rebuild())  # noqa: PLW0108 - in the thread, where tantivy is imported

    async def compact(self) -> None:
        """Drop removed and replaced entries from the BM25 index."""
        await self._run(lambda: self._words.compact())  # noqa: PLW0108 - in the thread, where tantivy is imported

    async def aclose(self) -> None:
        """Close the index."""
        await self._run(self._close)

    async def _read(self, caller: Caller, look: Callable[[Reader], T]) -> T:
        return await self._run(lambda: self._look(caller, look))

    def _look(self, caller: Caller, look: Callable[[Reader], T]) -> T:
        embedder = self._embedder.id if self._embedder else None
        with self._store.reading() as (connection, _):
            row = known_embedder(connection, embedder)
            return look(Reader(connection, caller, self.prefixed, row, embedder is not None))

    def _generation(self) -> str:
        with self._store.reading() as (_, state):
            return f"{state.gen}-{state.nonce}"

    async def _run(self, work: Callable[[], T]) -> T:
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(THREADS)
        return await anyio.to_thread.run_sync(work, limiter=self._threads)

    @cached_property
    def _words(self) -> BM25Index:
        from corpus.index.local.bm25_index import BM25Index

        return BM25Index(self._store.file.parent, self._store, self._busy_seconds)

    @cached_property
    def _searcher(self) -> Searcher:
        from corpus.index.local.searcher import Searcher

        return Searcher(self._store, self._words, self._ranking)

    @cached_property
    def _writer(self) -> Writer:
        from corpus.index.local.index_writer import Writer

        return Writer(self._store, self._words, self._embedder)

    def _close(self) -> None:
        if "_searcher" in self.__dict__:
            self._searcher.close()
        if "_words" in self.__dict__:
            self._words.close()
        self._store.close()
