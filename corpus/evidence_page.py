"""An evidence page: a picture of the page that contains the evidence, the boxes of the evidence, and the text of its
block.

The picture is drawn only from the exact file that was indexed.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path
from typing import Protocol

import anyio.to_thread

from corpus.access import Caller
from corpus.documents.block import MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, Block, Box, PagePicture, Picture
from corpus.documents.document import Document
from corpus.documents.headings import behind_headings
from corpus.documents.staleness import staleness
from corpus.errors import AskDifferently, DocumentNotFound, InvalidRequest, UnreadableDocument
from corpus.evidence_boxes import EvidencePlaces, PlaceOnPage, text_begin, text_end
from corpus.index.protocol import Index
from corpus.lookup.not_found import no_block, no_page
from corpus.processes.tracing import report_step
from corpus.search import Hit

_WORD = re.compile(r"[^\W_]+")
_MAX_TEXT = 4_000
"""Maximum length in characters of the text to find. Evidence consists of a few sentences."""
_MAX_WORDS = 300
"""Maximum number of words in the text to find."""
_MIN_WORDS = 3
"""Minimum number of words in a text whose last word may be cut off, as in a preview."""
_MAX_OUTER_BLOCKS = 3
"""Maximum number of blocks to search at the end of a page, and at the start of the next, for a text that spans both.
The text may not be in the outermost block, because that may be a note."""

TextMatch = tuple[Block, int, int]
"""A block, and the start and end offsets of the text in its content. The offsets are (0, 0) for a figure, which is
shown in full."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Case-folded words and their offsets."""

    words: Sequence[str]
    spans: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> _Words:
        matches = list(_WORD.finditer(text))
        return cls([match[0].casefold() for match in matches], [match.span() for match in matches])

    def find(self, phrase: Sequence[str]) -> tuple[int, int] | None:
        """Return the indexes of the first and the last word of the phrase, or None if it does not occur."""
        text = f" {' '.join(self.words)} "
        at = text.find(f" {' '.join(phrase)} ")
        if at < 0 and len(phrase) >= _MIN_WORDS:
            at = text.find(f" {' '.join(phrase)}")
        if at < 0:
            return None
        begins = list(accumulate((len(word) + 1 for word in self.words), initial=0))
        first = bisect_right(begins, at) - 1
        return first, first + len(phrase) - 1


def find_text(blocks: Sequence[Block], text: str) -> TextMatch | None:
    """Return the first text block that contains the text or, if there is none, the first figure whose caption or
    content contains it."""
    phrase = _words_of(text)
    for block in blocks if phrase else ():
        if block.block_type == "text":
            words = _Words.of(block.content)
            if place := words.find(phrase):
                return block, words.spans[place[0]][0], words.spans[place[1]][1]
    for block in blocks if phrase else ():
        if block.block_type == "image":
            words_of_figure = f"{block.image_caption or ''}\n\n{block.content}"
            if _Words.of(words_of_figure).find(phrase):
                return block, 0, 0
    return None


def find_across_pages(before: Sequence[Block], after: Sequence[Block], text: str) -> tuple[TextMatch, TextMatch] | None:
    """Find a text that starts at the end of one page and continues on the next, even if the page break splits a
    word."""
    phrase = _words_of(text)
    if len(phrase) < 2:
        return None
    for end_block, start_block in product(
        reversed(_texts(before)[-_MAX_OUTER_BLOCKS:]), _texts(after)[:_MAX_OUTER_BLOCKS]
    ):
        end, start = text_end(end_block.content), text_begin(start_block.content)
        before_end, behind_start = end_block.content[:end], start_block.content[start:]
        first, second = _Words.of(before_end), _Words.of(behind_start)
        for words, last, begin in _join(first, second, before_end.endswith("-")):
            place = words.find(phrase)
            if place and place[0] <= last and place[1] >= begin:
                rest = start + second.spans[place[1] - begin][1]
                return (end_block, first.spans[place[0]][0], end), (start_block, start, rest)
    return None


def _join(first: _Words, second: _Words, hyphen: bool) -> Iterator[tuple[_Words, int, int]]:
    """Yield the words of two pages in sequence, with the indexes of the last word on the first page and of the first
    word on the second. If a word is hyphenated at the page break, also yield the words with its two parts joined."""
    if not first.words or not second.words:
        return
    last = len(first.words) - 1
    yield _Words([*first.words, *second.words], ()), last, last + 1
    if hyphen:
        whole = first.words[-1] + second.words[0]
        yield _Words([*first.words[:-1], whole, *second.words[1:]], ()), last, last


def _texts(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.block_type == "text"]


def _words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text[:_MAX_TEXT])[:_MAX_WORDS]]


TEXT_INSTEAD = "rag_get_document with pages gives the indexed text."


class PictureShrinker(Protocol):
    """Scales pictures down."""

    async def smaller_picture(self, picture: Picture, *, max_side: int, max_bytes: int) -> Picture:
        """Return the picture scaled down to these limits. Raises UnreadableDocument."""


class PageRenderer(PictureShrinker, Protocol):
    """Draws pages and scales pictures. `corpus.readers.sandbox.pool.ReadingProcesses` implements it."""

    async def render_page(
        self,
        path: Path,
        page_number: int,
        *,
        content_hash: str,
        outlines: Sequence[Box] = (),
        marked: Sequence[Box] = (),
        max_bytes: int = MAX_PICTURE_BYTES,
    ) -> PagePicture | None:
        """Return a picture of the page with the `outlines` drawn and the `marked` boxes highlighted (both in points),
        or None if the file's SHA-256 is not `content_hash`. Raises UnreadableDocument."""


@dataclass(frozen=True, slots=True)
class PageView:
    """A view of a page. `also_on` lists the other pages that contain a part of the evidence."""

    picture: PagePicture
    document: Document
    page_number: int
    also_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Boxes:
    boxes: tuple[Box, ...] = ()
    also_on: tuple[int, ...] = ()


class PagePictures:
    """Page pictures for one index. If there is no renderer, because the files are elsewhere, only the page pictures
    stored in the index are available, and any other page is refused."""

    def __init__(self, index: Index, renderer: PageRenderer | None, shrinker: PictureShrinker | None = None) -> None:
        self._index = index
        self._renderer = renderer
        self._shrinker = shrinker or renderer
        self._places = EvidencePlaces(index)

    async def show(
        self,
        doc_id: str,
        page_number: int,
        caller: Caller,
        *,
        block_id: str | None = None,
        evidence: str | None = None,
        max_bytes: int = MAX_PICTURE_BYTES,
    ) -> PageView:
        """Return a page as a picture. Outline the block, or mark the lines of `evidence`, which is a text in that block
        or, if no block is given, anywhere on the page.

        Raises DocumentNotFound, or InvalidRequest, for example if the file has changed since it was indexed.
        """
        document = await self._index.document(doc_id, caller)
        if self._renderer is None:
            stored = await self._index.page_picture(document.doc_id, page_number, caller)
            if stored is None:
                raise await self._no_pages(document, block_id, caller)
            fitting = stored if len(stored.data) <= max_bytes else await self._fitting(stored, max_bytes)
            return PageView(PagePicture(fitting.data, fitting.mime_type), document, page_number)
        _check_page(document, page_number)
        found_boxes = await self._boxes(document, page_number, block_id, evidence, caller)
        outlines, marked = (found_boxes.boxes, ()) if evidence is None else ((), found_boxes.boxes)
        path = Path(document.source_path)
        if not await anyio.to_thread.run_sync(os.path.isfile, path):
            raise InvalidRequest(
                f"The file {document.filename} is no longer where it was indexed from, so its pages cannot be shown.",
                hints=(TEXT_INSTEAD,),
            )
        await report_step("Drawing the page")
        try:
            picture = await self._renderer.render_page(
                path,
                page_number,
                content_hash=document.content_hash,
                outlines=outlines,
                marked=marked,
                max_bytes=max_bytes,
            )
        except UnreadableDocument as error:
            raise InvalidRequest(
                f"Page {page_number} of {document.filename} cannot be shown: {error}.", hints=(TEXT_INSTEAD,)
            ) from error
        if picture is None:
            raise InvalidRequest(
                f"{document.filename} changed since it was indexed, so its page cannot be shown. Ingest it again.",
                hints=(TEXT_INSTEAD,),
            )
        return PageView(picture, document, page_number, found_boxes.also_on)

    async def small(self, block_id: str, caller: Caller, *, max_side: int, max_bytes: int) -> Picture | None:
        """Return the picture of an image block, scaled down to these limits, or None if that is impossible. Raises
        DocumentNotFound, or InvalidRequest if the index does not contain the picture."""
        picture = await self._index.picture(block_id, caller)
        if self._shrinker is None or (self._renderer is None and len(picture.data) <= max_bytes):
            return picture if len(picture.data) <= max_bytes else None
        try:
            return await self._shrinker.smaller_picture(picture, max_side=max_side, max_bytes=max_bytes)
        except UnreadableDocument:
            return None

    async def _fitting(self, picture: Picture, max_bytes: int) -> Picture:
        """Return the picture, scaled down to fit the limit. Raises InvalidRequest if that is impossible."""
        try:
            if self._shrinker is not None:
                return await self._shrinker.smaller_picture(picture, max_side=MAX_PICTURE_SIDE, max_bytes=max_bytes)
        except UnreadableDocument:
            pass
        raise InvalidRequest("The picture of this page is too large to be shown.", hints=(TEXT_INSTEAD,))

    async def _no_pages(self, document: Document, block_id: str | None, caller: Caller) -> InvalidRequest:
        block = await self._block(document, block_id, caller) if block_id else None
        figure: tuple[str, ...] = ()
        if block and block.block_type == "image":
            at = f"is at {block.image_url}" if block.image_url else "was not uploaded with the document."
            figure = (f"The figure itself {at}",)
        return InvalidRequest(
            f"This index holds no pictures of pages, so none of {document.filename or document.doc_id} can be shown.",
            hints=(*figure, TEXT_INSTEAD),
        )

    async def _boxes(
        self, document: Document, page_number: int, block_id: str | None, evidence: str | None, caller: Caller
    ) -> _Boxes:
        block = await self._block(document, block_id, caller) if block_id else None
        if block and block.page_number != page_number:
            raise InvalidRequest(f"Block {block_id} is on page {block.page_number}, not {page_number}.")
        if evidence is None:
            return _Boxes((block.bbox,) if block and block.bbox else ())
        parts = await self._find_evidence(document, page_number, block, evidence, caller)
        if not parts:
            where = f"block {block_id}" if block else f"page {page_number} of {document.filename}"
            raise InvalidRequest(f"This evidence is not in {where}. Copy it word for word from a result.")
        own = next(part for part in parts if part[0].page_number == page_number)
        places = await self._places.of(*own, caller)
        pages = {part[0].page_number for part in parts} | {place.page_number for place in places}
        here = next((place.boxes for place in places if place.page_number == page_number), ())
        return _Boxes(here, tuple(sorted(page for page in pages if page and page != page_number)))

    async def _find_evidence(
        self, document: Document, page_number: int, block: Block | None, evidence: str, caller: Caller
    ) -> tuple[TextMatch, ...]:
        """Return the location of the evidence in the block or, if none is given, on the page. If it continues on the
        next page, return both parts."""
        around = await self._index.pages(document.doc_id, page_number - 1, page_number + 1, caller)
        pages = [[near for near in around if near.page_number == page_number + step] for step in (-1, 0, 1)]
        if match := find_text([block] if block else pages[1], evidence):
            return (match,)
        for here, (before, after) in ((1, pages[:2]), (0, pages[1:])):
            parts = find_across_pages(before, after, evidence)
            if parts and (block is None or block.block_id == parts[here][0].block_id):
                return parts
        return ()

    async def _block(self, document: Document, block_id: str, caller: Caller) -> Block:
        blocks = await self._index.blocks([block_id], caller)
        if not blocks or blocks[0].doc_id != document.doc_id:
            raise DocumentNotFound(f"No block {block_id[:80]!r} in {document.filename}. Search again for its id.")
        return blocks[0]


def _check_page(document: Document, page_number: int) -> None:
    if document.page_count is None or not document.source_path.lower().endswith(".pdf"):
        raise InvalidRequest(
            f"{document.filename} has no pages to show.",
            hints=("rag_get_document gives its text, rag_semantic_search its blocks.",),
        )
    if not 1 <= page_number <= document.page_count:
        raise no_page(document, page_number)


class Shelf(Protocol):
    """The part of the library that evidence pages need."""

    evidence_places: EvidencePlaces

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]:
        """Return the readable blocks with these ids."""

    async def show_page(self, doc_id: str, page_number: int, caller: Caller, *, max_bytes: int = ...) -> PageView:
        """Return a page as a picture."""


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """An evidence page. `start` and `end` are offsets into the block's content; `page_number` is the page that is
    shown; `picture` is None if the page cannot be shown. `places` contains all locations of the evidence, on any
    page."""

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
    """Return the evidence between two offsets in a block, with a picture of its page or of another page of the
    document. Raises DocumentNotFound if the block does not exist or the caller may not read it, or InvalidRequest if
    the document does not have this page."""
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
    except AskDifferently:  # the file is gone or has changed, or the index has no pages: show only the text
        return None


async def _has_changed(document: Document) -> bool:
    """Return whether the file has been replaced or removed since it was indexed. This is called only for pages that
    could not be drawn."""
    return bool(document.source_path) and await anyio.to_thread.run_sync(staleness, document) != "current"
