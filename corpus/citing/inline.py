"""Markers within a block, and Markdown syntax that is not rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.citing import patterns
from corpus.citing.markers import MarkerReader
from corpus.citing.sourcebook import NOTHING, Named, SourceBook


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a block that is rendered as `shown` or, where that is None, is a marker. `of_files` tells that the
    marker names its sources by file or address."""

    start: int
    end: int
    shown: str | None
    named: Named = NOTHING
    of_files: bool = False


class InlineScanner:
    """Scans a block for markers and Markdown syntax."""

    def __init__(self, book: SourceBook) -> None:
        self._markers = MarkerReader(book)

    def spans(self, text: str) -> Iterator[Span]:
        """The spans in order, without overlap. Text between them is rendered as it is."""
        at = 0
        while token := patterns.INLINE.search(text, at):
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
                named = self._markers.read(text, token)
                if named is not None:
                    of_files = token.lastgroup in ("cited", "line", "file")
                    yield Span(start, end, None, named, of_files)

    def _link(self, token: re.Match[str]) -> Iterator[Span]:
        """A link whose text is a source number is a marker; of others the text is rendered."""
        named = self._markers.numbered_link(token["label"])
        if named:
            yield Span(*token.span(), None, named)
        else:
            yield from _inside(token, "label", _without_emphasis(token["label"]))


def _inside(token: re.Match[str], group: str, shown: str) -> Iterator[Span]:
    """The content between delimiters that are not rendered."""
    start, end = token.span(group)
    yield Span(token.start(), start, "")
    yield Span(start, end, shown)
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
