"""The library: the single entry point to the documents (search, list, get, page, synthesize, verify).

Each method accepts the caller, whose access rights apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from corpus.access import Caller
from corpus.citations import PageWords
from corpus.documents.block import MAX_PICTURE_BYTES, Block, Picture, picture_resource
from corpus.documents.document import SORTABLE, Document, nameless
from corpus.documents.machine_text import ocr_warnings
from corpus.documents.page_ranges import PageText, page_range, page_texts
from corpus.documents.staleness import expired_warnings, stale_warnings
from corpus.errors import InvalidRequest
from corpus.evidence_boxes import EvidencePlaces
from corpus.evidence_page import (
    EvidencePage,
    PagePictures,
    PageRenderer,
    PageView,
    PictureShrinker,
    evidence_page,
)
from corpus.filters import Filters
from corpus.generation.protocol import TextGenerator
from corpus.index.protocol import Counts, Index
from corpus.lookup.document_resolution import DocumentResolver
from corpus.lookup.filter_resolution import resolve_document, resolve_filters
from corpus.lookup.not_found import no_page
from corpus.lookup.value_completion import Completion
from corpus.processes.tracing import time_search, trace_span
from corpus.reranking.reranking import Reranking
from corpus.search import MAX_QUERY_CHARACTERS, DocumentList, Hit, Listing, Search, SearchResult, question
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.hit_expansion import with_continuation, with_figures, with_whole_table
from corpus.synthesis.prompting import Draft
from corpus.synthesis.request import SourceReference, SynthesisRequest
from corpus.synthesis.synthesizer import Synthesizer
from corpus.synthesis.verify import Verification, VerifiedFile, verify_answer, verify_file
from corpus.synthesis.writer import ALONE, Pen
from corpus.text.normalization import clean
from corpus.visibility_digest import EMPTY, IndexState, VisibilityDigests

MAX_PAGES = 50
"""Maximum number of pages whose text one answer contains, which limits its length."""

PAGE_WORDS = PageWords()


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with its figures and, if requested, the text of some pages."""

    document: Document
    figures: tuple[Block, ...]
    pages: tuple[PageText, ...] = ()
    warnings: tuple[str, ...] = ()


def resource_url(block: Block) -> str:
    """Return the address of a block's image as an MCP resource."""
    return picture_resource(block.block_id)


def no_url(block: Block) -> None:
    """Return None. This is for an index without images, where a block has at most the address that the index stores."""


class Library:
    """All operations that the tools need, on one index.

    `image_url` returns an address for the image of a block that has no address in the index, or None. If there is no
    renderer, pages are shown only if the index contains pictures of them, which `pages_held` states; `shrinker` then
    scales the pictures down. `notes` returns messages about the progress and problems of ingestion; `progress` returns
    the messages that appear at the start of every answer. Both may block. `tells_of_emptiness` is true if the user may
    know whether the index is empty.
    """

    def __init__(
        self,
        index: Index,
        renderer: PageRenderer | None,
        *,
        shrinker: PictureShrinker | None = None,
        image_url: Callable[[Block], str | None] = resource_url,
        page_words: PageWords = PAGE_WORDS,
        notes: Callable[[], tuple[str, ...]] = tuple,
        pen: Pen = ALONE,
        pages_held: bool = False,
        reranking: Reranking | None = None,
        progress: Callable[[], tuple[str, ...]] = tuple,
        tells_of_emptiness: bool = False,
    ) -> None:
        self._index = index
        self._pictures = PagePictures(index, renderer, shrinker or renderer)
        self._image_url = image_url
        self.shows_pages = renderer is not None or pages_held
        self.page_words = page_words
        self._notes = notes
        self._progress = progress
        self._tells_of_emptiness = tells_of_emptiness
        self.completion = Completion(index)
        self.visibility = VisibilityDigests(index)
        self.resolver = DocumentResolver(index)
        self.evidence_places = EvidencePlaces(index)
        self._pen = pen
        self._reranking = reranking
        self._synthesizer = Synthesizer(self, pen, page_words=page_words)

    async def search(
        self, query: str, caller: Caller, *, top_k: int = 10, filters: Filters | None = None
    ) -> SearchResult:
        """Return the best readable blocks. Raises InvalidRequest if the query is empty or a filter value matches
        nothing."""
        text = question(query)
        resolved_filters = await resolve_filters(filters or Filters(), self._index, caller)
        with trace_span("retrieval", query=text, top_k=top_k) as note:
            wider = self._reranking.hits_needed(top_k) if self._reranking else top_k
            with time_search():
                results = await self._index.find(Search(text, wider, resolved_filters), caller)
            if self._reranking:
                results = await self._reranking.rerank(results, text, top_k)
            note(results=len(results.hits), mode=results.mode)
        of_hits = await self.hit_warnings(results.hits)
        notes = () if results.hits else await anyio.to_thread.run_sync(self._notes)
        warnings = (*of_hits, *await self._undated_warning(resolved_filters, caller), *notes)
        return replace(
            results,
            hits=self._with_images(results.hits),
            warnings=(*results.warnings, *warnings),
            of_hits=(*results.of_hits, *of_hits),
        )

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Return a page of readable documents. Raises InvalidRequest if the order, cursor or a filter value is
        unknown."""
        if listing.sort_by not in SORTABLE:
            raise InvalidRequest(f"Cannot sort by {listing.sort_by[:40]!r}. Sort by one of: {', '.join(SORTABLE)}.")
        if len(listing.query or "") > MAX_QUERY_CHARACTERS:
            raise InvalidRequest(
                f"The query is longer than {MAX_QUERY_CHARACTERS} characters. Ask for a part of a name."
            )
        resolved_filters = await resolve_filters(listing.filters, self._index, caller)
        query = clean(listing.query or "").strip() or None
        listed = await self._index.list_documents(replace(listing, filters=resolved_filters, query=query), caller)
        stale, notes = await _stale(listed.documents), await anyio.to_thread.run_sync(self._notes)
        undated = await self._undated_warning(resolved_filters, caller, query)
        return replace(listed, warnings=(*listed.warnings, *undated, *stale, *notes))

    async def _undated_warning(self, filters: Filters, caller: Caller, query: str | None = None) -> tuple[str, ...]:
        """Return a warning that says how many documents have no document date but pass all other filters."""
        if not filters.asks_for_dates:
            return ()
        anyone = replace(filters, dated_after=None, dated_before=None)
        dated = replace(anyone, dated_after="0001-01-01")
        totals = [
            (await self._index.list_documents(Listing(query, each, limit=1), caller)).total for each in (anyone, dated)
        ]
        if (count := totals[0] - totals[1]) <= 0:
            return ()
        documents = (
            "1 document without a date of its own was"
            if count == 1
            else (f"{count} documents without a date of their own were")
        )
        return (f"{documents} left out by dated_after and dated_before.",)

    async def get_document(
        self, caller: Caller, *, doc_id: str | None = None, name: str | None = None, pages: str | None = None
    ) -> DocumentView:
        """Return a document with its figures and, if `pages` is given, the text of these pages. Raises
        DocumentNotFound, AmbiguousDocument, or InvalidRequest if the pages do not exist."""
        document = await resolve_document(self._index, caller, doc_id=doc_id, name=name)
        figures = await self._index.figures(document.doc_id, caller)
        texts, warnings = await self._pages(document, pages, caller) if pages else ((), ())
        warnings = (*warnings, *await _stale([document]), *expired_warnings(figures))
        return DocumentView(document, tuple(map(self._with_address, figures)), texts, warnings)

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]:
        """Return the readable blocks with these ids, in the given order, as hits without a score."""
        blocks = await self._index.blocks(block_ids, caller)
        documents = await self._index.documents([block.doc_id for block in blocks], caller)
        hits = [
            Hit(block, documents.get(block.doc_id) or nameless(block.doc_id), score=0.0, score_kind="none")
            for block in blocks
        ]
        return self._with_images(hits)

    async def show_page(
        self,
        doc_id: str,
        page_number: int,
        caller: Caller,
        *,
        block_id: str | None = None,
        evidence: str | None = None,
        max_bytes: int = MAX_PICTURE_BYTES,
    ) -> PageView:
        """Return a page as a picture, drawn from exactly the file that was indexed, with a block outlined or a text
        marked.

        Raises DocumentNotFound, or InvalidRequest, for example if the file has changed since it was indexed.
        """
        return await self._pictures.show(
            doc_id, page_number, caller, block_id=block_id, evidence=evidence, max_bytes=max_bytes
        )

    async def show_evidence(
        self, block_id: str, start: int, end: int, caller: Caller, *, page_number: int | None, max_bytes: int
    ) -> EvidencePage:
        """Return the part of a block between two offsets in its content, with a picture of its page or of another page
        of the document.

        Raises DocumentNotFound, or InvalidRequest if the document does not have this page.
        """
        return await evidence_page(self, block_id, start, end, page_number, caller, max_bytes)

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block. Raises DocumentNotFound."""
        return await self._index.picture(block_id, caller)

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return temporary addresses outside this server for the pictures of these blocks, keyed by block id. The
        caller's rights are checked again. The result is empty if the index cannot sign addresses."""
        return await self._index.picture_addresses(block_ids, caller)

    async def small_picture(self, block_id: str, caller: Caller, *, max_side: int, max_bytes: int) -> Picture | None:
        """Return the image of an image block, scaled down to these limits, or None if that is impossible."""
        return await self._pictures.small(block_id, caller, max_side=max_side, max_bytes=max_bytes)

    async def picture_or_page(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block, or a picture of the page of a text block. Raises the same errors as
        `show_page`."""
        hits = await self.blocks((block_id,), caller)
        block = hits[0].block if hits else None
        if block is None or block.block_type == "image" or block.page_number is None:
            return await self.picture(block_id, caller)
        page = await self.show_page(block.doc_id, block.page_number, caller, block_id=block_id)
        return Picture(page.picture.data, page.picture.mime_type)

    async def state(self) -> IndexState:
        """Return the notes that appear at the start of every answer, about the progress of ingestion and an empty
        index."""
        progress = await anyio.to_thread.run_sync(self._progress)
        empty = self._tells_of_emptiness and not (await self.counts(Caller(unfiltered=True))).documents
        if not empty:
            self._tells_of_emptiness = False  # no more checks, because the index has content
        return IndexState((*progress, *((EMPTY,) if empty and not progress else ())), empty)

    async def drafted(self, request: SynthesisRequest, caller: Caller) -> Draft | None:
        """Return the prompt with which the client's model can write this answer, or None if no model will write it."""
        return await self._synthesizer.drafted(request, caller)

    async def synthesize(
        self, request: SynthesisRequest, caller: Caller, sampled: TextGenerator | None = None
    ) -> Synthesis:
        """Return a cited and verified answer, based on a search or on the given blocks from an earlier search, in their
        order."""
        return await self._synthesizer.answer(request, caller, sampled)

    async def verify(self, answer: str, sources: Sequence[SourceReference], caller: Caller) -> Verification:
        """Verify each claim in an answer against the cited sources that the caller may read, and return the results."""
        page = self.page_words.for_question(answer)
        return await verify_answer(
            answer, sources, self, caller, page=page, embedder=self._pen.embedder, judge=self._pen.judge
        )

    async def verify_written(self, answer: str, caller: Caller) -> VerifiedFile:
        """Verify each claim in an answer against the pages that the answer itself cites, and return the results."""
        page = self.page_words.for_question(answer)
        return await verify_file(
            answer, self._index, caller, page=page, embedder=self._pen.embedder, judge=self._pen.judge
        )

    async def illustrated(self, hits: Sequence[Hit], caller: Caller, *, whole_table: bool = False) -> tuple[Hit, ...]:
        """Return the hits, with figures that belong to the best of them and with the text that continues them. With
        `whole_table`, also add all rows of the best table among them."""
        figures = await with_figures(hits, self._index, caller)
        if whole_table:
            figures = await with_whole_table(figures, self._index, caller)
        return self._with_images(await with_continuation(figures, self._index, caller))

    async def hit_warnings(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Return warnings about these hits: changed files, expired links, and text from OCR."""
        stale = await _stale(hit.document for hit in hits)
        expired = expired_warnings(hit.block for hit in hits)
        named_blocks = [(hit.block, hit.document.filename) for hit in hits]
        return (*stale, *expired, *ocr_warnings(named_blocks))

    async def counts(self, caller: Caller) -> Counts:
        """Return totals over the documents that the caller may read."""
        return await self._index.counts(caller)

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Return the possible values of a filter, from the documents that the caller may read."""
        return await self._index.values(field, caller)

    async def aclose(self) -> None:
        """Close the index."""
        await self._index.aclose()

    async def _pages(
        self, document: Document, pages: str, caller: Caller
    ) -> tuple[tuple[PageText, ...], tuple[str, ...]]:
        first, last = page_range(pages)
        count = document.page_count
        if count is not None and first > count:
            raise no_page(document, first)
        end = min(last, first + MAX_PAGES - 1, count or last)
        blocks = await self._index.pages(document.doc_id, first, end, caller)
        notes = () if end >= min(last, count or last) else (f"Pages {first}-{end} are shown; ask for the rest.",)
        return page_texts(blocks), notes

    def _with_address(self, block: Block) -> Block:
        if block.block_type != "image" or block.image_url:
            return block
        return replace(block, image_url=self._image_url(block))

    def _with_images(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        return tuple(replace(hit, block=self._with_address(hit.block)) for hit in hits)


async def _stale(documents: Iterable[Document]) -> tuple[str, ...]:
    # In a thread, because files may be on a slow or sleeping disk.
    return await anyio.to_thread.run_sync(stale_warnings, tuple(documents))
