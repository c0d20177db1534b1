"""Rendered text: a block without markup and markers, each character with its offset in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.citing import markers
from corpus.citing.markers import MarkerReader
from corpus.citing.source_lookup import NOTHING, MarkerSources, SourceBook
from corpus.citing.structure import BLANK


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a block that is rendered as `text` or, where that is None, is a marker. `of_files` tells that the
    marker names its sources by file or address."""

    start: int
    end: int
    text: str | None
    sources: MarkerSources = NOTHING
    of_files: bool = False


class InlineScanner:
    """Scans a block for markers and Markdown syntax."""

    def __init__(self, book: SourceBook) -> None:
        self._markers = MarkerReader(book)

    def spans(self, text: str) -> Iterator[Span]:
        """The spans in order, without overlap. Text between them is rendered as it is."""
        at = 0
        while token := markers.INLINE.search(text, at):
            spans = list(self._spans(text, token))
            yield from spans
            at = max(spans[-1].end if spans else token.start() + 1, at + 1)

    def _spans(self, text: str, token: re.Match[str]) -> Iterator[Span]:
        """The spans of this token; none where it is plain text."""
        start, end = token.span()
        match token.lastgroup:
            case "ticked":
                yield from _inside(token, "code", token["code"])
            case "reference":
                yield from _inside(token, "referring", token["referring"])
            case "escape":
                yield Span(start, end, token[0][1:])
            case "link":
                yield from self._link(token)
            case "emphasis":
                if _is_emphasis(text, start, end):
                    yield Span(start, end, "")
            case "image" | "tag":
                yield Span(start, end, "")
            case "autolink":
                yield Span(start, end, token[0].strip("<>"))
            case "math" | "url":
                yield Span(start, end, token[0])
            case _:
                sources = self._markers.read(text, token)
                if sources is not None:
                    of_files = token.lastgroup in ("cited", "line", "file")
                    yield Span(start, end, None, sources, of_files)

    def _link(self, token: re.Match[str]) -> Iterator[Span]:
        """A link whose text is a source number is a marker; of others the text is rendered."""
        sources = self._markers.numbered_link(token["label"])
        if sources:
            yield Span(*token.span(), None, sources)
        else:
            yield from _inside(token, "label", _without_emphasis(token["label"]))


def _inside(token: re.Match[str], group: str, text: str) -> Iterator[Span]:
    """The content between delimiters that are not rendered."""
    start, end = token.span(group)
    yield Span(token.start(), start, "")
    yield Span(start, end, text)
    yield Span(end, token.end(), "")


def _without_emphasis(label: str) -> str:
    return re.sub(r"\*\*|__|`|~~|\\(?=[!-/:-@\[-`{-~])", "", label)


def _is_emphasis(text: str, start: int, end: int) -> bool:
    """Whether a delimiter starts or ends emphasis: next to a word, not between two digits, an underscore not within a
    word, and never unpaired."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() and after.isalnum() and (text[start] == "_" or (before + after).isdecimal()):
        return False
    sign = text[start : start + 1] if text[start] != "~" else text[start:end]
    has_other = text.find(sign, end) >= 0 or text.rfind(sign, 0, start) >= 0
    return has_other and bool(before.strip() or after.strip())


_CLOSES = re.compile(r"[ \t]*(?:[.,;:!?…。，、；：！？)\]|]|\Z)")
_JOIN = re.compile(r"[ \t\n]*+(?:[,;·/]|\b(?:and|und|et|y|&)\b)?[ \t\n]*+")


@dataclass(frozen=True, slots=True)
class PlacedMarker:
    """A marker. `at` is its offset in the rendered text; `start` and `end` are offsets into the answer."""

    at: int
    start: int
    end: int
    sources: MarkerSources
    of_files: bool


@dataclass(frozen=True, slots=True)
class RenderedText:
    """`places` has the answer offset of each character of `text`; an inserted character has that of the next."""

    text: str
    places: Sequence[int]
    markers: Sequence[PlacedMarker]


def render(text: str, pieces: Sequence[tuple[int, int]], scanner: InlineScanner) -> RenderedText:
    """The rendered lines of a block; removed markers leave no gap."""
    raw, offsets = _join(text, pieces)
    builder = _Builder(raw, offsets)
    at = 0
    for span in scanner.spans(raw):
        builder.keep(at, span.start, before_marker=span.text is None)
        if span.text is None:
            builder.mark(span.start, span.end, span.sources, span.of_files)
        else:
            builder.put(span.start, span.text)
        at = span.end
    builder.keep(at, len(raw))
    return RenderedText("".join(builder.characters), builder.places, builder.markers)


def _join(text: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    raw = "\n".join(text[start:end] for start, end in pieces)
    offsets: list[int] = []
    for start, end in pieces:
        offsets += range(start, end + 1)  # includes the line end
    return raw, offsets


class _Builder:
    def __init__(self, raw: str, offsets: list[int]) -> None:
        self.raw, self.offsets = raw, offsets
        self.characters: list[str] = []
        self.places: list[int] = []
        self.markers: list[PlacedMarker] = []
        self._last_marker: int | None = None

    def keep(self, start: int, end: int, *, before_marker: bool = False) -> None:
        if self._last_marker == start:
            if before_marker and _JOIN.fullmatch(self.raw, start, end):
                return
            self._close_gap(start)
        for at in range(start, end):
            if self.raw[at] != BLANK:
                self.characters.append(self.raw[at])
                self.places.append(self.offsets[at])

    def put(self, at: int, text: str) -> None:
        self.characters += text
        self.places += range(self.offsets[at], self.offsets[at] + len(text))

    def mark(self, start: int, end: int, sources: MarkerSources, of_files: bool) -> None:
        first, last = self.offsets[start], self.offsets[end - 1] + 1
        self.markers.append(PlacedMarker(len(self.characters), first, last, sources, of_files))
        self._last_marker = end

    def _close_gap(self, at: int) -> None:
        """Drop space before a marker that a stop follows, and keep the distance after a stop before it."""
        if _CLOSES.match(self.raw, at):
            while self.characters and self.characters[-1] in " \t\n":
                self.characters.pop()
                self.places.pop()
        elif self.characters and self.characters[-1] in ".!?:;," and self.raw[at].isalpha():
            self.characters.append(" ")
            self.places.append(self.offsets[at])
