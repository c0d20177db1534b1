"""The one door to the documents: search, list, get, page, synthesize. Every question comes with its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from corpus.access import Caller
from corpus.blocks import Block, Picture
from corpus.citations import PAGE
from corpus.documents import SORTABLE, Document, nameless
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.filters import Filters
from corpus.index.promise import Counts, Index
from corpus.links import expired_warnings
from corpus.naming import document_meant, resolved
from corpus.page_pictures import PagePictures, PageRenderer, PageView
from corpus.pages import PageText, page_range, page_texts
from corpus.recognised import recognised_warnings
from corpus.search import Found, Hit, Listed, Listing, Search
from corpus.staleness import stale_warnings
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.compose import compose, left_out
from corpus.synthesis.confidence import confidence
from corpus.synthesis.illustrating import illustrated
from corpus.synthesis.sources import numbered
from corpus.text import clean

MOST_PAGES = 50
MOST_LETTERS = 4000
"""Longest query taken; a question of a person is far shorter."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with its figures and, when asked for, the text of some pages."""

    document: Document
    figures: tuple[Block, ...]
    pages: tuple[PageText, ...] = ()
    warnings: tuple[str, ...] = ()


def resource_url(block: Block) -> str:
    """The address of a block's image as an MCP resource."""
    return f"rag://blocks/{block.block_id}/image"


def no_url(block: Block) -> None:
    """For an index that holds no images: a block has the address that the index knows, or none."""


class Library:
    """`image_url` gives the address under which a client finds the image of a block that has none of its own, or None.

    Without a renderer, no page can be shown. `notes` gives sentences on what is still being read; it may block.
    """

    def __init__(
        self,
        index: Index,
        renderer: PageRenderer | None,
        *,
        image_url: Callable[[Block], str | None] = resource_url,
        page_word: str = PAGE,
        notes: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._index = index
        self._pictures = PagePictures(index, renderer)
        self._image_url = image_url
        self.page_word = page_word
        self._notes = notes

    async def search(
        self, query: str, caller: Caller, *, top_k: int = 10, filters: Filters | None = None
    ) -> Found:
        """The best readable blocks. Raises InvalidRequest for an empty query or a filter that fits nothing."""
        text = _question(query)
        wanted = await resolved(filters or Filters(), self._index, caller)
        found = await self._index.find(Search(text, top_k, wanted), caller)
        stale = await _stale(hit.document for hit in found.hits)
        expired = expired_warnings(hit.block for hit in found.hits)
        recognised = recognised_warnings((hit.block, hit.document.filename) for hit in found.hits)
        notes = () if found.hits else await anyio.to_thread.run_sync(self._notes)
        return replace(
            found,
            hits=self._with_images(found.hits),
            warnings=(*found.warnings, *stale, *expired, *notes, *recognised),
        )

    async def list_documents(self, listing: Listing, caller: Caller) -> Listed:
        """Readable documents. Raises InvalidRequest for an unknown order, cursor or filter."""
        if listing.sort_by not in SORTABLE:
            raise InvalidRequest(
                f"Cannot sort by {listing.sort_by[:40]!r}. Sort by one of: {', '.join(SORTABLE)}."
            )
        wanted = await resolved(listing.filters, self._index, caller)
        query = clean(listing.query or "").strip()[:MOST_LETTERS] or None
        listed = await self._index.list_documents(replace(listing, filters=wanted, query=query), caller)
        stale, notes = await _stale(listed.documents), await anyio.to_thread.run_sync(self._notes)
        return replace(listed, warnings=(*listed.warnings, *stale, *notes))

    async def get_document(
        self, caller: Caller, *, doc_id: str | None = None, name: str | None = None, pages: str | None = None
    ) -> DocumentView:
        """Raises DocumentNotFound, AmbiguousDocument, or InvalidRequest for pages that it does not have."""
        document = await document_meant(self._index, caller, doc_id=doc_id, name=name)
        figures = await self._index.figures(document.doc_id, caller)
        texts, warnings = await self._pages(document, pages, caller) if pages else ((), ())
        told = (*await _stale([document]), *expired_warnings(figures))
        return DocumentView(document, self._named(figures), texts, (*warnings, *told))

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]:
        """The readable ones among these blocks, in that order, as hits without a score."""
        found = await self._index.blocks(block_ids, caller)
        documents = await self._index.documents([block.doc_id for block in found], caller)
        hits = [
            Hit(block, documents.get(block.doc_id) or nameless(block.doc_id), score=0.0, score_kind="none")
            for block in found
        ]
        return self._with_images(hits)

    async def show_page(
        self, doc_id: str, page_number: int, caller: Caller, *, block_id: str | None = None
    ) -> PageView:
        """A page as a picture, a block of it outlined, of the very file that was indexed.

        Raises DocumentNotFound, or InvalidRequest, also when the file changed since.
        """
        return await self._pictures.show(doc_id, page_number, caller, block_id=block_id)

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """The image of an image block. Raises DocumentNotFound."""
        return await self._index.picture(block_id, caller)

    async def synthesize(
        self,
        query: str,
        caller: Caller,
        *,
        filters: Filters | None = None,
        top_k: int = 10,
        block_ids: Sequence[str] = (),
    ) -> Synthesis:
        """A cited answer from a search, or from blocks of an earlier one in the order given."""
        if block_ids:
            hits, warnings = await self._taken_up(block_ids, caller)
            warnings += ("Filters were not applied: block_ids say what to answer from.",) if filters else ()
        else:
            found = await self.search(query, caller, top_k=top_k, filters=filters)
            hits, warnings = await illustrated(found.hits, self._index, caller), found.warnings
        return self._composed(_question(query), self._with_images(hits), warnings)

    def _composed(self, query: str, hits: Sequence[Hit], warnings: tuple[str, ...]) -> Synthesis:
        composed = compose(query, numbered(hits, page=self.page_word))
        trust, factors = confidence([source.hit for source in composed.sources if source.hit])
        return Synthesis(
            answer=composed.answer,
            mode="compose",
            sources=composed.sources,
            confidence=trust,
            confidence_factors=factors,
            warnings=(*left_out(composed.left_out), *warnings),
        )

    async def counts(self, caller: Caller) -> Counts:
        return await self._index.counts(caller)

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """What a filter can be set to, over what the caller may read."""
        return await self._index.values(field, caller)

    async def aclose(self) -> None:
        await self._index.aclose()

    async def _taken_up(
        self, block_ids: Sequence[str], caller: Caller
    ) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        distinct = list(dict.fromkeys(block_ids))
        hits = await self.blocks(distinct, caller)
        if not hits:
            raise DocumentNotFound(
                "None of these block_ids is among the blocks you may read. Search again for them."
            )
        missing = len(distinct) - len(hits)
        warnings = (
            (f"{missing} of {len(distinct)} block_ids are not among the blocks you may read.",)
            if missing
            else ()
        )
        told = (*await _stale(hit.document for hit in hits), *expired_warnings(hit.block for hit in hits))
        return hits, (*warnings, *told)

    async def _pages(
        self, document: Document, pages: str, caller: Caller
    ) -> tuple[tuple[PageText, ...], tuple[str, ...]]:
        first, last = page_range(pages)
        count = document.page_count
        if count is not None and first > count:
            raise InvalidRequest(f"{document.filename} has {count} pages; page {first} is not among them.")
        end = min(last, first + MOST_PAGES - 1, count or last)
        blocks = await self._index.pages(document.doc_id, first, end, caller)
        cut = (
            () if end >= min(last, count or last) else (f"Pages {first}-{end} are shown; ask for the rest.",)
        )
        return page_texts(blocks), cut

    def _named(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(
            replace(block, image_url=self._image_url(block))
            if block.block_type == "image" and not block.image_url
            else block
            for block in blocks
        )

    def _with_images(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        named = self._named([hit.block for hit in hits])
        return tuple(replace(hit, block=block) for hit, block in zip(hits, named, strict=True))


def _question(query: str) -> str:
    text = clean(query).strip()
    if not text:
        raise InvalidRequest("The query is empty. Ask with the words that the documents would use.")
    return text[:MOST_LETTERS]


async def _stale(documents: Iterable[Document]) -> tuple[str, ...]:
    # Files may lie on a slow or sleeping disk.
    return await anyio.to_thread.run_sync(stale_warnings, tuple(documents))
