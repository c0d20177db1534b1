"""Rendered text: a block without markup and markers, with the offset of each character in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.citing.source_lookup import (
    DASH,
    NOTHING,
    NUMBERS,
    URL,
    MarkerSources,
    Ranges,
    SourceBook,
    looks_like_a_file,
    plain,
    ranges,
    superscript_ranges,
    union,
)
from corpus.citing.structure import BLANK

_KEYS = (
    r"(?:Sources?|Source\(s\)|Quellen?|Quellenangaben?|References?|Refs?\.?|Fontes?|Fuentes?|Fonti|Bron(?:nen)?|"
    r"Belege?|Cit(?:e|ed|ation|ations)|Documents?|Docs?\.?|Dokumente?|Dok\.|来源|來源|出典|资料来源|المصدر|Источник)"
)
KEY = re.compile(rf"\s{{0,9}}[*_]{{0,3}}{_KEYS}[*_]{{0,3}}\s*+[:：]?[*_]{{0,3}}\s*+", re.IGNORECASE)
_PAGE = r"(?:S\.|Seiten?|pages?|pp?\.|pgs?\.|Abschnitt|section|§|lines?|Zeilen?|Kap\.|chapter)"
_BEHIND = rf"(?:\s?[,:]\s?{_PAGE}\s?[^\[\]\n]{{1,40}}|(?::\d{{1,6}})?†[^\[\]【】\n]{{0,200}})?"
_COUNTED = rf"\s{{0,3}}(?:{_KEYS}\s?[:#：]?\s?)?{NUMBERS}\s{{0,3}}{_BEHIND}"
_LABEL = r"(?:\\.|`[^`\n]{1,80}`|[^\\\[\]\n]|\[[^\[\]\n]{0,200}\]){0,300}+"
_TARGET = (
    r"\(\s{0,3}(?:<[^<>\n]{0,2000}>|(?:[^\s()<>]|\([^\s()<>]{0,200}\)){0,2000}+)"
    r"(?:\s{1,3}[\"'][^\"'\n]{0,200}[\"'])?\s{0,3}\)"
)
_BODY = r"(?:\\.|[^\\()\[\]（）】］\n]|\([^()\n]{0,80}\)|\[[^\[\]\n]{0,120}\]){1,400}+"

INLINE = re.compile(
    rf"""
      (?P<ticked>(?<!`)(?P<tick>`{{1,5}})(?!`)(?P<code>[\s\S]{{1,1000}}?)(?<!`)(?P=tick)(?!`))
    | (?P<math>\\\[(?=[^\]]{{0,300}}?(?:\\[a-zA-Z]|[=∈\[]))[\s\S]{{1,300}}?\\\]|\\\([\s\S]{{1,300}}?\\\)
        |\$(?![\s$])(?!\d[^$\n]{{0,200}}?[A-Za-z]{{3,40}}+\s)[^$\n]{{1,300}}+(?<!\s)\$(?!\d))
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<image>!\[{_LABEL}\](?:{_TARGET}|\[[^\[\]\n]{{0,200}}\]))
    | (?P<autolink><(?:https?|mailto|ftp):[^<>\s]{{1,2000}}>)
    | (?P<sup><sup>\s?(?P<raised>\[?{NUMBERS}\]?)\s?</sup>)
    | (?P<tag></?[A-Za-z][^<>\n]{{0,300}}>)
    | (?P<cited>[*_]{{0,3}}[(\[（［【]\s?[*_]{{0,3}}{_KEYS}[*_]{{0,3}}\s{{0,3}}[:：]
        (?P<body>{_BODY})[)\]）］】][*_]{{0,3}})
    | (?P<line>^[ \t]*(?:[—–-]\s)?[*_]{{0,3}}(?:Source|Quelle|Fonte|Fuente|Bron)[*_]{{0,3}}\s?[:：][*_]{{0,3}}
        (?P<rest>[^\n]{{1,300}})$)
    | (?P<link>\[(?P<label>{_LABEL})\]{_TARGET})
    | (?P<numbered>\[\[{_COUNTED}\]\]|[\[【［〔]{_COUNTED}[\]】］〕](?:[—–-](?=\[\d{{1,9}}\])\[\d{{1,9}}\])?)
    | (?P<reference>\[(?P<referring>[^\\\[\]\n]{{1,200}})\](?=\[\d{{1,9}}\]))
    | (?P<superscript>[¹²³⁰⁴-⁹](?:[⁻,˒·-]?[¹²³⁰⁴-⁹]){{0,20}})
    | (?P<file>[(\[（](?P<named>(?:\\.|[^\\()\[\]（）\n]|\([^()\n]{{0,80}}\)){{3,300}}+)[)\]）])
    | (?P<url>(?:https?://|www\.)[^\s<>\[\]()（）]{{1,2000}})
    | (?P<emphasis>\*{{1,3}}|_{{1,3}}|~~)
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


# Atomic groups: a comma may separate items or lists, and backtracking over both would take exponential time.
_LISTED = re.compile(rf"[\[\]\s]*+(?>{NUMBERS})(?:[\[\],;\s]++(?>{NUMBERS})){{0,50}}[\[\]\s]*+")
_NUMBER = re.compile(rf"\[?\s{{0,3}}{NUMBERS}\s{{0,3}}\]?")
_FIRST = re.compile(NUMBERS)
_MAX_LINK_NUMBER = 999
"""Greatest number that a link text can cite. A greater number is probably a year."""
_POSITION = re.compile(r"\d{1,9}:\d{1,9}†|†")
_JOINED = re.compile(rf"\]{DASH}\[")
_PAIR = re.compile(r"\d{1,9}\s*[,;]\s*\d{1,9}")
_INTERVAL = re.compile(
    r"(?:[∈=]|\b(?:open |closed |half-open )?interval\w*|\bintervall\w*|\bintervalo)\s*\Z", re.IGNORECASE
)
_RANGE_WORD = re.compile(r"\b(?:range|Bereich|between|zwischen|domain|plage)\s*\Z", re.IGNORECASE)
_UNIT = re.compile(
    r"(?:(?<![^\W\d])(?:[kcmdµμnhM]?m|mc|in|ft|yd|mi|ha|s|sec|min|h|kg|g|l|N|Pa|V|A|K|W|J|R|cm|km|mm|sq|Zoll))\Z"
)
_VARIABLE = re.compile(r"(?<![^\W\d_])[^\W\d_]\Z")
_POWER = re.compile(r"(?<![\d.,])(?:\d{1,3}|\d+[.,]\d+)\Z")
_SPLIT = re.compile(
    r"(?:(?<!\s)\s++)?(?:;\s*+|,\s++(?=[^,;]{1,100}\.[A-Za-z][A-Za-z0-9]{1,4}\b))"
    r"|(?<!\s)\s++(?:and|und|&|et|y)\s++(?=[^,;]{1,100}\.[A-Za-z][A-Za-z0-9]{1,4}\b)"
)
_PAGED = re.compile(r"[,:]\s*(?:S\.|Seiten?|pages?|pp?\.|pg\.)\s*\d", re.IGNORECASE)


class MarkerReader:
    """Resolves citation markers to sources."""

    def __init__(self, book: SourceBook) -> None:
        self._book = book

    def read(self, text: str, token: re.Match[str]) -> MarkerSources | None:  # noqa: PLR0911 - one for each form
        """Return the sources that a token cites, or None if it is not a marker."""
        match token.lastgroup:
            case "numbered":
                return self._by_number(text, token)
            case "sup":
                return None if _is_power(text, token.start()) else self._book.numbered(ranges(token["raised"]))
            case "superscript":
                return self._superscript(text, token)
            case "cited":
                return self._by_citation(token["body"])
            case "line":
                return self._line(token["rest"])
            case "file":
                return self._file(token["named"])
            case _:
                return None

    def numbered_link(self, label: str) -> MarkerSources | None:
        """Return the sources cited by a link text that consists of numbers, or None for any other text."""
        if not _NUMBER.fullmatch(label.strip()):
            return None
        listed = ranges(label)
        return self._book.numbered(listed) if all(high <= _MAX_LINK_NUMBER for _, high in listed) else None

    def _by_number(self, text: str, token: re.Match[str]) -> MarkerSources | None:
        before = text[max(0, token.start() - 24) : token.start()]
        if _is_interval(before, token[0]):
            return None
        return self._book.numbered(_numbers_in(token[0]))

    def _superscript(self, text: str, token: re.Match[str]) -> MarkerSources | None:
        after = text[token.end() : token.end() + 1]
        if after.isalnum() or after in ("⁻", "⁺", "/") or _is_power(text, token.start()):
            return None
        return self._book.numbered(superscript_ranges(token[0]))

    def _by_citation(self, body: str) -> MarkerSources:
        """Return the sources cited after `Source:`."""
        if exact := self._book.written(body):
            return MarkerSources(exact)
        if _LISTED.fullmatch(body):
            return self._book.numbered(ranges(body))
        urls = [token[0] for token in URL.finditer(body)]
        if urls:
            return union(self._address(url) for url in urls)
        return self._files(body) or MarkerSources(invalid=(plain(body),) if plain(body) else ())

    def _line(self, rest: str) -> MarkerSources | None:
        """Return the sources cited by a line `Source: manual.pdf, S. 12`, or None for a sentence that begins with
        `Source:`."""
        is_source = self._book.knows(rest) or looks_like_a_file(rest) or URL.search(rest)
        return self._by_citation(rest.strip(" \t*_.")) if is_source or _LISTED.fullmatch(rest.strip(" \t*_.")) else None

    def _file(self, body: str) -> MarkerSources | None:
        """Return the sources cited by a file name in brackets without `Source:`. It must be a known file, or a name
        with a file extension and a page."""
        key = KEY.match(body)
        name = body[key.end() :] if key else body
        if key and _LISTED.fullmatch(name):
            return self._book.numbered(ranges(name))
        if self._book.called(name):
            return self._files(name)
        if _PAGED.search(name) and (looks_like_a_file(name) or self._book.knows(name)):
            return self._files(name) or MarkerSources(invalid=(plain(name),))
        return None

    def _files(self, body: str) -> MarkerSources:
        """Return the sources of the listed files and pages. The result is empty if no file is a source."""
        if whole := self._book.exactly(body):
            return MarkerSources(whole)
        parts = [part for part in _SPLIT.split(body) if part and part.strip()]
        if len(parts) > 1 and all(self._book.knows(part) or looks_like_a_file(part) for part in parts):
            return union(self._one_file(part) for part in parts)
        return MarkerSources(self._book.called(body))

    def _one_file(self, part: str) -> MarkerSources:
        key = KEY.match(part)
        name = part[key.end() :] if key and ":" in key[0] else part
        numbers = self._book.called(name)
        return MarkerSources(numbers, () if numbers else (plain(name),))

    def _address(self, url: str) -> MarkerSources:
        numbers = self._book.at(url)
        return MarkerSources(numbers, () if numbers else (url.rstrip(".,;)"),))


def _numbers_in(marker: str) -> Ranges:
    """Return the numbers of a marker, without the position in the source: `[1, p. 4]`, `【1:2†file】`."""
    if _JOINED.search(marker):
        return ranges(_JOINED.sub("-", marker))
    if token := _POSITION.search(marker):
        marker = marker[: token.start()] + token[0].partition(":")[0]
    listed = _FIRST.search(marker)
    return ranges(listed[0]) if listed else ()


def _is_interval(before: str, marker: str) -> bool:
    if not _PAIR.fullmatch(marker.strip("[]【】［］〔〕 ")):
        return False
    return bool(_INTERVAL.search(before)) or bool(_RANGE_WORD.search(before) and re.search(r"\b0\b", marker))


def _is_power(text: str, at: int) -> bool:
    """Return whether a superscript digit is the exponent of a unit, of a variable, or of a number that is not a
    year."""
    before = text[max(0, at - 12) : at]
    return bool(_UNIT.search(before) or _VARIABLE.search(before) or _POWER.search(before))


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a block. It is rendered as `text`, or is a marker if `text` is None. `of_files` is True if the marker
    cites files or addresses."""

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
        """Yield the spans in order, without overlap. The text between them is rendered unchanged."""
        at = 0
        while token := INLINE.search(text, at):
            spans = list(self._spans(text, token))
            yield from spans
            at = max(spans[-1].end if spans else token.start() + 1, at + 1)

    def _spans(self, text: str, token: re.Match[str]) -> Iterator[Span]:
        """Yield the spans of this token, or none if it is plain text."""
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
        """Yield the spans of a link. A link whose text is a source number is a marker; the text of any other link is
        rendered."""
        sources = self._markers.numbered_link(token["label"])
        if sources:
            yield Span(*token.span(), None, sources)
        else:
            yield from _inside(token, "label", _without_emphasis(token["label"]))


def _inside(token: re.Match[str], group: str, text: str) -> Iterator[Span]:
    """Yield the content between delimiters that are not rendered."""
    start, end = token.span(group)
    yield Span(token.start(), start, "")
    yield Span(start, end, text)
    yield Span(end, token.end(), "")


def _without_emphasis(label: str) -> str:
    return re.sub(r"\*\*|__|`|~~|\\(?=[!-/:-@\[-`{-~])", "", label)


def _is_emphasis(text: str, start: int, end: int) -> bool:
    """Return whether a delimiter starts or ends emphasis.

    The delimiter must have a counterpart and be next to a word, and must not be between two digits. An underscore must
    not be within a word.
    """
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
    """A marker with its position. `at` is its offset in the rendered text; `start` and `end` are offsets into the
    answer."""

    at: int
    start: int
    end: int
    sources: MarkerSources
    of_files: bool


@dataclass(frozen=True, slots=True)
class RenderedText:
    """Rendered text. `places` contains the answer offset of each character. An inserted character has the offset of the
    next character."""

    text: str
    places: Sequence[int]
    markers: Sequence[PlacedMarker]


def render(text: str, pieces: Sequence[tuple[int, int]], scanner: InlineScanner) -> RenderedText:
    """Return the rendered lines of a block. The removal of a marker leaves no gap."""
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
        """Remove the space before a marker that precedes a full stop. Keep the space between a full stop and the marker
        after it."""
        if _CLOSES.match(self.raw, at):
            while self.characters and self.characters[-1] in " \t\n":
                self.characters.pop()
                self.places.pop()
        elif self.characters and self.characters[-1] in ".!?:;," and self.raw[at].isalpha():
            self.characters.append(" ")
            self.places.append(self.offsets[at])
