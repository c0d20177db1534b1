"""An evidence page: the page a piece of evidence is on, its boxes there, and its block's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio.to_thread

from corpus.access import Caller
from corpus.documents.block import Block, PagePicture
from corpus.documents.document import Document
from corpus.documents.headings import behind_headings
from corpus.documents.staleness import staleness
from corpus.errors import AskDifferently
from corpus.evidence.boxes import EvidencePlaces, PlaceOnPage
from corpus.evidence.page_pictures import PageView
from corpus.lookup.not_found import no_block, no_page
from corpus.search import Hit


class Shelf(Protocol):
    """The part of the library that evidence pages need."""

    evidence_places: EvidencePlaces

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]:
        """The readable blocks among these."""

    async def show_page(self, doc_id: str, page_number: int, caller: Caller, *, max_bytes: int = ...) -> PageView:
        """A page as a picture."""


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """`start` and `end` are offsets into the block's content; `page_number` is the page shown, `picture` None where it
    cannot be shown. `places` are all places of the evidence, on any page."""

    document: Document
    block: Block
    start: int
    end: int
    page_number: int | None
    places: tuple[PlaceOnPage, ...]
    picture: PagePicture | None
    changed: bool


async def evidence_page(
    shelf: Shelf, block_id: str, start: int, end: int, page_number: int | None, caller: Caller, max_bytes: int
) -> EvidencePage:  # fmt: skip
    """The evidence between two offsets of a block, on its page or on another page of its document. Raises
    DocumentNotFound for a block that does not exist or may not be read, InvalidRequest for a page that the document
    does not have."""
    hit = next(iter(await shelf.blocks([block_id], caller)), None)
    if hit is None:
        raise no_block(block_id)
    block, document = hit.block, hit.document
    end = min(end, len(block.content))
    start = behind_headings(block.content, block.heading, min(start, end), end)
    if page_number is not None and not 1 <= page_number <= (document.page_count or 0):
        raise no_page(document, page_number)
    shown_page = block.page_number if page_number is None else page_number
    places = await shelf.evidence_places.of(block, start, end, caller)
    picture = await _picture(shelf, document, shown_page, caller, max_bytes)
    changed = picture is None and await _has_changed(document)
    return EvidencePage(document, block, start, end, shown_page, places, picture, changed)


async def _picture(
    shelf: Shelf, document: Document, page_number: int | None, caller: Caller, max_bytes: int
) -> PagePicture | None:
    if page_number is None:
        return None
    try:
        return (await shelf.show_page(document.doc_id, page_number, caller, max_bytes=max_bytes)).picture
    except AskDifferently:  # no file, another file, or an index that holds no pages: the text is shown alone
        return None


async def _has_changed(document: Document) -> bool:
    """Whether the file was replaced or removed since it was indexed. Called only for pages that could not be drawn."""
    return bool(document.source_path) and await anyio.to_thread.run_sync(staleness, document) != "current"
