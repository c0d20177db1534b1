"""Find what surrounds each figure, in one pass: searching from each figure would take quadratic time."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from corpus.documents.block import Picture
from corpus.readers.elements.captions import Captions, Mentions, figure_number, real_alt
from corpus.readers.elements.protocol import Element, Figure, Heading, Page, Paragraph
from corpus.readers.pictures import NoPicture, displayable, open_picture
from corpus.text.normalization import clean


def beside(indexed: Iterable[tuple[int, Element]], captions: Container[int]) -> dict[int, Element | None]:
    """Return, for each figure, the last element before it that is neither a figure nor a caption."""
    near: Element | None = None
    of: dict[int, Element | None] = {}
    for index, element in indexed:
        if isinstance(element, Figure):
            of[index] = near
        elif index not in captions:
            near = element
    return of


def headings_above(indexed: Iterable[tuple[int, Element]]) -> dict[int, str | None]:
    """Return, for each figure, the last heading before it on its page."""
    heading: str | None = None
    of: dict[int, str | None] = {}
    for index, element in indexed:
        match element:
            case Heading():
                heading = element.text
            case Page():
                heading = None
            case Figure():
                of[index] = heading
    return of


_MIN_SIDE = 48
"""Pixels; smaller pictures are icons and bullets."""
_MIN_AREA = 80 * 80
"""Square pixels; smaller pictures are icons, too."""
_MAX_ASPECT = 12
"""Ratio of sides; longer pictures are rules and borders."""
_LOGO = re.compile(r"(?:\b|_)(?:logo|icon|favicon|badge|avatar|spacer)(?:\b|_)", re.IGNORECASE)
_MAX_LOGO_AREA = 400 * 400
"""Pixels up to which a picture named as a logo or icon is skipped."""
_MIN_REPEATS = 3
"""A picture that occurs so often is an ornament; one that occurs twice is one figure."""

_MAX_PICTURE_BYTES = 200_000_000
"""Of one document's pictures, which the server holds in memory."""
_AROUND = 800
"""Characters of the nearest paragraph."""


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A figure as it becomes a block."""

    picture: Picture
    caption: str | None
    content: str
    source_hash: str


class Figures:
    """Made from all elements; `at` then returns each figure, or None if it is not worth a block."""

    def __init__(self, elements: Sequence[Element], captions: Captions) -> None:
        self._captions = captions
        pictures = [element.data for element in elements if isinstance(element, Figure)]
        self._counts = Counter(_digest(data) for data in pictures)
        self._mentions = Mentions()
        for index, element in enumerate(elements if pictures else ()):
            if isinstance(element, Paragraph) and index not in captions.used:
                self._mentions.see(element.text)
        indexed = list(enumerate(elements)) if pictures else []
        self._before = beside(indexed, captions.used)
        self._after = beside(reversed(indexed), captions.used)
        self._headings = headings_above(indexed)
        self._seen: set[bytes] = set()
        self._bytes = 0
        self.unshown = 0
        self.left_out = 0

    def at(self, index: int, figure: Figure) -> FigureBlock | None:
        """Return the figure at this index. Counts pictures that cannot be shown in `unshown`, and those over the
        limit in `left_out`."""
        digest = _digest(figure.data)
        if self._counts[digest] >= _MIN_REPEATS or digest in self._seen:
            return None
        self._seen.add(digest)
        caption = self._captions.of.get(index)
        try:
            if caption is None and _is_ornament(figure, open_picture(figure.data).size):
                return None
            picture = displayable(figure.data)
        except NoPicture:
            self.unshown += 1
            return None
        self._bytes += len(picture.data)
        if self._bytes > _MAX_PICTURE_BYTES:
            self.left_out += 1
            return None
        return FigureBlock(
            picture,
            caption or self._substitute_caption(index, figure),
            self._description(index, caption, figure),
            digest.hex(),
        )

    def _substitute_caption(self, index: int, figure: Figure) -> str | None:
        """Return what replaces a caption: alternative text, slide title, or the heading above."""
        return real_alt(figure.alt) or figure.title or self._headings[index]

    def _description(self, index: int, caption: str | None, figure: Figure) -> str:
        """Return the alternative text beside a caption, and the text that mentions the figure or is nearest to it."""
        number = figure_number(caption)
        context = (self._mentions.of(number) if number else "") or self._nearest(index)
        alt = real_alt(figure.alt) if caption else None
        return clean("\n".join(part for part in (alt if alt != caption else None, context) if part))

    def _nearest(self, index: int) -> str:
        """Return the paragraph before it, else after it, on the same page under the same heading."""
        before, after = self._before[index], self._after[index]
        if isinstance(before, Paragraph):
            return before.text[-_AROUND:]
        return after.text[:_AROUND] if isinstance(after, Paragraph) else ""


def _is_ornament(figure: Figure, size: tuple[int, int]) -> bool:
    short, long = sorted(size)
    if short < _MIN_SIDE or short * long < _MIN_AREA or long > _MAX_ASPECT * short:
        return True
    return bool(_LOGO.search(figure.alt or "")) and short * long < _MAX_LOGO_AREA


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
