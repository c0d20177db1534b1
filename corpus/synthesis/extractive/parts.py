"""The text of a block in parts: paragraphs of sentences, items of lists, titles, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from corpus.synthesis.extractive.table import Table, is_row, starts_table, table_of
from corpus.text.normalization import has_leader
from corpus.text.sentences import sentences

# The lines of a block's text put together as paragraphs, items, tables and code.

_ITEM = re.compile(r"\s*(?:([-*+•‣◦▪·–])|(\d{1,3}[.)]|[a-z]\)))\s+(?=\S)")
_LABELLED = re.compile(r"[^\W\d_][^:.!?\n]{1,30}:\s+\S")
"""A label before its value."""
_NUMBERED = re.compile(r"(?:§\s*)?\d+[.)]?\s+[^\W\d_]")
_MAX_HEADING, _MAX_HEADING_SHARE = 60, 0.7
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEADS = re.compile(r"(?:…|(?:\.\s?){3})\s*+\d{1,4}$")
_LINE_ENDED = re.compile(r"[.!?:;…。！？|]['\"»”’“)\]]*$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`text` is on one line but for tables and code."""

    kind: Literal["text", "item", "table", "code"]
    text: str
    mark: str = ""


def paragraphs(text: str, *, wrapped: bool) -> Iterator[Paragraph]:
    """Lines of a table of contents are left out. A line that goes on with a small letter belongs to the one before;
    where lines are `wrapped`, so does every line without an empty one between."""
    return _Reading(text.split("\n"), wrapped).paragraphs()


@dataclass(slots=True)
class _Reading:
    lines: list[str]
    wrapped: bool
    at: int = 0
    open: Paragraph | None = None

    def paragraphs(self) -> Iterator[Paragraph]:
        while self.at < len(self.lines):
            yield from self._step(self.lines[self.at])
        yield from self._closed()

    def _step(self, line: str) -> Iterator[Paragraph]:
        after = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        if starts_table(line, after):
            yield from self._closed()
            yield self._table()
        elif self.wrapped and _FENCE.match(line):
            yield from self._closed()
            yield self._fenced()
        else:
            self.at += 1
            if not line.strip() or _leads(line):
                yield from self._closed()
            elif self.wrapped and _is_numbered_heading(line, after) and not self.open:
                yield Paragraph("text", line.strip())
            elif item := _ITEM.match(line):
                yield from self._closed()
                self.open = Paragraph("item", line[item.end() :].strip(), item[2] or "-")
            elif self.open and self._goes_on(self.open, line):
                self.open = replace(self.open, text=f"{self.open.text} {line.strip()}")
            else:
                yield from self._closed()
                self.open = Paragraph("text", line.strip())

    def _goes_on(self, above: Paragraph, line: str) -> bool:
        if _LABELLED.match(line) and _LABELLED.match(above.text):
            return False
        return self.wrapped or (line.lstrip()[:1].islower() and not _LINE_ENDED.search(above.text))

    def _closed(self) -> Iterator[Paragraph]:
        if self.open:
            yield self.open
        self.open = None

    def _table(self) -> Paragraph:
        start = self.at
        while self.at < len(self.lines) and is_row(self.lines[self.at]):
            self.at += 1
        return Paragraph("table", "\n".join(self.lines[start : self.at]))

    def _fenced(self) -> Paragraph:
        start = self.at = self.at + 1
        while self.at < len(self.lines) and not _FENCE.match(self.lines[self.at]):
            self.at += 1
        body = "\n".join(self.lines[start : self.at])
        self.at += 1
        return Paragraph("code", body)


def _is_numbered_heading(line: str, after: str) -> bool:
    """Whether a short numbered line was ended on purpose above a paragraph: the next line begins a sentence and is much
    longer."""
    if not _NUMBERED.match(line) or _LINE_ENDED.search(line) or len(line) > _MAX_HEADING:
        return False
    return after[:1].isupper() and not _ITEM.match(after) and len(line) < _MAX_HEADING_SHARE * len(after)


def _leads(line: str) -> bool:
    """Whether dots lead to a page number."""
    return has_leader(line) or bool(_LEADS.search(line.strip()))


PartKind = Literal["text", "item", "title", "table", "code"]
MAX_SENTENCE = 600
"""Letters of what is handled as one sentence; text without full stops is cut at words."""
_MAX_TITLE = 80
_MAX_CAPTION = 190
_MIN_TEXT = 40
_MIN_TERMS = 3
_LONG_ITEM = 180
"""Characters of the middle item of a list from which on it is numbered text: steps and bullets are half as long."""
_MAX_DEFINITION = 400
_TERM = re.compile(r"(?=[^:]{2,50}:\s)(?:[^\s:.!?]+\s){0,4}[^\s:.!?]+:\s+\S")
_ENDED = re.compile(r"[.!?:;…。！？]['\"»”’“)\]]*$")
HANGS = re.compile(
    r"(?:,|\b(?:the|an?|of|and|or|to|in|for|with|on|by|from|that|der|die|das|den|dem|des|und|oder|von|zu|mit|für|auf|"
    r"eine?[mnrs]?))$"
)
"""Text that ends so goes on elsewhere."""
_CAPTION = re.compile(r"(?:table|tabelle|tab\.)\s*[A-Z]?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """`spans` are offsets of its sentences into `text`; titles, items, tables and code are one span. `mark` is that of
    an item, `-` or `3.`; `defines` tells of an item that it is a term with its
    definition, of which each answers by itself."""

    kind: PartKind
    text: str
    spans: tuple[tuple[int, int], ...]
    mark: str = ""
    table: Table | None = None
    defines: bool = False


def parts_of(text: str, language: str | None, *, wrapped: bool, code: bool = False) -> tuple[Part, ...]:
    """`wrapped` tells that an end of a line is no end of a paragraph; `code` that all of it is code."""
    if code:
        return (Part("code", text.strip("\n"), ((0, len(text.strip("\n"))),)),)
    merged = _plain_numbers(_sections(list(paragraphs(text, wrapped=wrapped)), language))
    return tuple(_titled(_terms_as_items([_part(paragraph, language) for paragraph in merged])))


def _terms_as_items(parts: list[Part]) -> list[Part]:
    """Terms that each stand at the start of a line before their definition, in a row, as items."""
    out, at = list(parts), 0
    while at < len(parts):
        end = at
        while end < len(parts) and _defines(parts[end]):
            end += 1
        if end - at >= _MIN_TERMS:
            out[at:end] = [
                replace(part, kind="item", spans=((0, len(part.text)),), mark="-", defines=True)
                for part in parts[at:end]
            ]
        at = end + 1
    return out


def _defines(part: Part) -> bool:
    return part.kind == "text" and len(part.text) <= _MAX_DEFINITION and bool(_TERM.match(part.text))


def _sections(items: list[Paragraph], language: str | None) -> list[Paragraph]:
    """Numbered paragraphs of several sentences, as of a contract, as text: of these one sentence answers, not the
    list."""
    out, at = list(items), 0
    while at < len(items):
        end = at
        while end < len(items) and items[end].kind == "item":
            end += 1
        items = items[at:end]
        if items and median(len(item.text) for item in items) >= _LONG_ITEM:
            out[at:end] = [
                replace(item, kind="text", text=f"{item.mark} {item.text}", mark="")
                if len(sentences(item.text, language)) > 1
                else item
                for item in items
            ]
        at = end + 1
    return out


def _plain_numbers(items: list[Paragraph]) -> list[Paragraph]:
    """A single numbered line is no list."""
    numbered = [n for n, paragraph in enumerate(items) if paragraph.mark[:1].isalnum()]
    if len(numbered) != 1:
        return items
    (at,) = numbered
    paragraph = items[at]
    return [
        *items[:at],
        replace(paragraph, kind="text", text=f"{paragraph.mark} {paragraph.text}", mark=""),
        *items[at + 1 :],
    ]


def _part(paragraph: Paragraph, language: str | None) -> Part:
    if paragraph.kind == "table":
        return Part(
            "table", paragraph.text, ((0, len(paragraph.text)),), table=table_of(paragraph.text.split("\n"))
        )
    if paragraph.kind == "code" or (paragraph.kind == "item" and len(paragraph.text) <= MAX_SENTENCE):
        return Part(paragraph.kind, paragraph.text, ((0, len(paragraph.text)),), paragraph.mark)
    spans = tuple(cut for span in sentences(paragraph.text, language) for cut in _cut(paragraph.text, *span))
    return Part("text", paragraph.text, spans)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_SENTENCE:
        place = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        place = place if place > 0 else start + MAX_SENTENCE
        yield start, place
        start = place + (text[place] == " ")
    if start < end:
        yield start, end


def _titled(parts: list[Part]) -> Iterable[Part]:
    """Short lines above a paragraph, and the captions of tables, told from text."""
    for n, part in enumerate(parts):
        above = parts[n - 1] if n else None
        below = parts[n + 1] if n + 1 < len(parts) else None
        yield (
            replace(part, kind="title", spans=((0, len(part.text)),))
            if _is_title(part, above, below)
            else part
        )


def _is_title(part: Part, above: Part | None, below: Part | None) -> bool:
    if part.kind != "text" or below is None:
        return False
    if below.kind == "table":
        return is_caption(part.text) and len(part.text) <= _MAX_CAPTION
    if not _is_label(part, below) or (above and above.kind == "text" and _is_label(above, part)):
        return False
    if below.kind == "item":
        return True
    return below.kind == "text" and len(below.text) >= _MIN_TEXT and ends_sentence(below.text)


def _is_label(part: Part, below: Part) -> bool:
    """Whether it is a short line that states nothing. A colon leads to a list, and is part of a title above text."""
    text = part.text
    if not (text[:1].isupper() or text[:1].isdigit()) or len(text) > _MAX_TITLE or len(part.spans) > 1:
        return False
    if HANGS.search(text):
        return False
    leads = text.endswith(":") and below.kind == "text"
    return (not ends_sentence(text) or text.endswith("?") or leads) and any(map(str.isalpha, text))


def is_caption(text: str) -> bool:
    """Whether it begins as the caption of a table does."""
    return bool(_CAPTION.match(text))


def ends_sentence(text: str) -> bool:
    """Whether it ends as a sentence or a lead-in does."""
    return bool(_ENDED.search(text))
