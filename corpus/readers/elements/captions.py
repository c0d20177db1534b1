"""Captions of figures and tables, and where a text mentions them by number."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from corpus.documents.block import Picture
from corpus.readers.elements.element import Element, Figure, Heading, Page, Paragraph, Table
from corpus.readers.picture_encoding import NoPicture, displayable, open_picture
from corpus.text.normalization import clean

MAX_CAPTION = 1500
"""Characters; a longer paragraph is no caption."""

_NUMBER = r"(?:\d{1,3}(?:[.\-–‑]\d{1,3})*[a-z]?|[A-Z][.\-]?\d{1,3}|[IVX]{1,5})"
_SEPARATOR = r"(?:\s?[:|–—.](?:\s|$)|\s+(?=[A-ZÄÖÜ\"“„»(])|\s*$)"
_FIGURE = re.compile(
    rf"(?<!\s)\s*+(?:Figure|Fig\.|Abbildung|Abb\.|Bild|Chart|Exhibit|Diagramm?|Picture|図|图|圖)\s?({_NUMBER}){_SEPARATOR}",
    re.IGNORECASE,
)
_TABLE = re.compile(rf"(?<!\s)\s*+(?:Table|Tabelle|Tab\.|表)\s?{_NUMBER}{_SEPARATOR}", re.IGNORECASE)
_EMPTY_ALT = re.compile(
    r"(?:(?:picture|image|bild|grafik|graphic|figure|img|photo|content placeholder|inhaltsplatzhalter)[\s_-]*\d*"
    r"|\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)|https?://\S+)",
    re.IGNORECASE,
)


def figure_number(caption: str | None) -> str | None:
    """Return the number in "Figure 3: ...", by which text refers to the figure."""
    match = _FIGURE.match(caption or "")
    return match[1] if match else None


def real_alt(alt: str | None) -> str | None:
    """Return the alternative text, unless it is a file name or made up by a program."""
    text = " ".join((alt or "").split())
    return text[:MAX_CAPTION] if text and not _EMPTY_ALT.fullmatch(text) else None


class Captions:
    """The captions of all elements: `of` maps an element's index to its caption, `taken` are the paragraphs used."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self.of: dict[int, str] = {}
        self.used: set[int] = set()
        for index, element in enumerate(elements):
            if isinstance(element, Figure):
                self._find(index, element.caption, _FIGURE, (1, -1))
            elif isinstance(element, Table):
                self._find(index, element.caption, _TABLE, (-1, 1))

    def _find(self, index: int, own: str | None, pattern: re.Pattern[str], sides: tuple[int, int]) -> None:
        if own:
            self.of[index] = own[:MAX_CAPTION]
            return
        for side in sides:
            near = self._paragraph(index, side)
            if near is not None and self._is_caption(near, pattern):
                self.used.add(near)
                self.of[index] = _text(self._elements[near])[:MAX_CAPTION]
                return

    def _paragraph(self, index: int, side: int) -> int | None:
        near = index + side
        inside = 0 <= near < len(self._elements) and near not in self.used
        return near if inside and isinstance(self._elements[near], Paragraph) else None

    def _is_caption(self, index: int, pattern: re.Pattern[str]) -> bool:
        element = self._elements[index]
        if not isinstance(element, Paragraph) or len(element.text) > MAX_CAPTION:
            return False
        other = _TABLE if pattern is _FIGURE else _FIGURE
        if element.role == "caption":
            return not other.match(element.text)
        return bool(pattern.match(element.text))


def _text(element: Element) -> str:
    return " ".join(element.text.split()) if isinstance(element, Paragraph | Heading) else ""


Kind = Literal["figure", "table"]

_MENTION_NUMBER = r"(\d{1,3}(?:[.\-–‑]\d{1,3})*|[A-Z][.\-]?\d{1,3}(?:\.\d{1,3})*|[IVX]{1,5}\b)"
_MENTIONS: dict[Kind, re.Pattern[str]] = {
    "figure": re.compile(
        r"(?:\b(?:fig(?:ure|\.)?s?|abb(?:ildung(?:en)?|\.)|bild(?:er)?|charts?|exhibits?|diagram(?:m|s)?)|図|图|圖)\s?"
        + _MENTION_NUMBER,
        re.IGNORECASE,
    ),
    "table": re.compile(r"(?:\b(?:tab(?:le|\.)s?|tabellen?)|表)\s?" + _MENTION_NUMBER, re.IGNORECASE),
}
_LISTED = re.compile(r"… ?\d+\s*(?:$|\n)")
"""A line of a list of figures, which says where they are and not what they show."""

_MAX_MENTION = 800
"""Characters kept about one figure or table."""
_BEFORE = 200
"""Characters of a long paragraph kept before the mention."""
_CAPTION = ("", ":", ".", "|", "–", "—")


class Mentions:
    """`see` every paragraph, then ask for what mentions a figure or table."""

    def __init__(self) -> None:
        self._parts_of: dict[tuple[Kind, str], list[str]] = defaultdict(list)

    def see(self, text: str) -> None:
        """Record what a paragraph mentions, until enough is known about each. A caption mentions nothing."""
        if _LISTED.search(text):
            return
        for kind, pattern in _MENTIONS.items():
            for mention in pattern.finditer(text):
                if kind == "table" and mention.start() == 0 and text[mention.end() : mention.end() + 1] in _CAPTION:
                    continue
                parts = self._parts_of[kind, mention[1]]
                if sum(map(len, parts)) < _MAX_MENTION // 2 and not any(text.startswith(part[:40]) for part in parts):
                    parts.append(_around(text, mention.start()))

    def of(self, number: str, kind: Kind = "figure") -> str:
        """Return the first paragraphs that mention it, about 800 characters at most, or an empty text."""
        parts = self._parts_of.get((kind, number)) or self._parts_of.get((kind, number.rstrip("abcdefgh")), [])
        return "\n".join(parts)[:_MAX_MENTION]


def _around(text: str, place: int) -> str:
    """Return the paragraph, or of a long one the part around the mention from a sentence start."""
    if len(text) <= _MAX_MENTION:
        return text
    start = text.rfind(". ", 0, max(0, place - 20))
    start = max(start + 2 if start >= 0 else 0, place - _BEFORE)
    return text[start : start + _MAX_MENTION // 2].rpartition(" ")[0] + " …"


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
