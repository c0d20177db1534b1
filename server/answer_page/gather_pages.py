"""Fetch the pages and figures that an answer needs, up to a size limit in bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from corpus.access import Caller
from corpus.citations import as_read, citation, on_page
from corpus.documents.block import Block, Picture
from corpus.errors import IbidError
from corpus.evidence_boxes import PlaceOnPage, within_content
from corpus.library import Library
from corpus.search import Hit
from corpus.verification.protocol import Evidence
from server.answer_page.page_data import AnswerData, PageData, PageImage

_FIGURE = re.compile(r"\]\(rag://blocks/([^)/]+)/image\)")
"""Pattern of a figure's address. It omits the caption before it, because a search for the start of the caption would
take quadratic time."""
PAGE_BYTES = 250_000
MAX_BYTES = 6_000_000
MAX_PAGES = 30

Key = tuple[str, int]
"""Document id and page number."""


async def page_data(answer: AnswerData, library: Library, caller: Caller) -> PageData:
    """Return the page images of an answer. A page that cannot be shown is omitted and listed with the reason."""
    pictures = await _figures(answer.text, library, caller)
    size = sum(len(one.data) for one in pictures.values())
    making = _Pages(library, caller, size, answer.words.too_much)
    of = {source.citation_number: source.hit for source in answer.sources}
    for number, claim in enumerate(answer.claims, 1):
        hit = of.get(claim.evidence.number) if claim.evidence else None
        if hit and claim.evidence:
            await making.mark(number, *_single(hit, claim.evidence, answer))
    for cited, hit in of.items():
        if hit and hit.block.block_id in pictures:
            await making.frame(cited, hit)
    return PageData(answer, tuple(making.shown.values()), pictures, tuple(making.left_out.values()))


def _single(hit: Hit, evidence: Evidence, answer: AnswerData) -> tuple[Hit, Evidence]:
    """If the source consists of several blocks, return the block in which the evidence begins, and the evidence within
    it."""
    before = [part for part in answer.parts.get(evidence.number, ()) if part[0] <= evidence.start]
    if not before:
        return hit, evidence
    offset, block = before[-1]
    return replace(hit, block=block), replace(evidence, start=evidence.start - offset, end=evidence.end - offset)


async def _figures(text: str, library: Library, caller: Caller) -> Mapping[str, Picture]:
    pictures: dict[str, Picture] = {}
    for block_id in dict.fromkeys(one[1] for one in _FIGURE.finditer(text)):
        try:
            pictures[block_id] = await library.picture(block_id, caller)
        except IbidError:
            continue  # the answer then shows the caption
    return pictures


class _Pages:
    def __init__(self, library: Library, caller: Caller, size: int, too_much: str) -> None:
        self._library, self._caller, self._size, self._too_much = library, caller, size, too_much
        self.shown: dict[Key, PageImage] = {}
        self.left_out: dict[Key, tuple[str, str]] = {}

    async def mark(self, number: int, hit: Hit, evidence: Evidence) -> None:
        for place in await self._places(hit.block, evidence):
            page = await self._page(hit, place.page_number)
            if page:
                page.marked.setdefault(number, []).extend(place.boxes)

    async def frame(self, cited: int, hit: Hit) -> None:
        """Frame a figure of the answer on its page."""
        if hit.block.page_number is None or hit.block.bbox is None:
            return
        page = await self._page(hit, hit.block.page_number)
        if page:
            page.framed[cited] = hit.block.bbox

    async def _places(self, block: Block, evidence: Evidence) -> tuple[PlaceOnPage, ...]:
        start, end = within_content(block, evidence.start, evidence.end)
        return await self._library.evidence_places.of(block, start, end, self._caller)

    async def _page(self, hit: Hit, page_number: int) -> PageImage | None:
        key = (hit.block.doc_id, page_number)
        if key in self.shown or key in self.left_out:
            return self.shown.get(key)
        word = self._library.page_words.for_language(hit.document.language)
        block = on_page(hit.document, hit.block, page_number)
        place = as_read(citation(hit.document, block, word))
        if len(self.shown) >= MAX_PAGES or self._size > MAX_BYTES:
            self.left_out[key] = (place, self._too_much)
            return None
        try:
            view = await self._library.show_page(hit.block.doc_id, page_number, self._caller, max_bytes=PAGE_BYTES)
        except IbidError as error:
            self.left_out[key] = (place, str(error))
            return None
        self._size += len(view.picture.data)
        self.shown[key] = PageImage(place, view.picture)
        return self.shown[key]
