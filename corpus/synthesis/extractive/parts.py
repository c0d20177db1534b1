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
            elif found := _ITEM.match(line):
                yield from self._closed()
                self.open = Paragraph("item", line[found.end() :].strip(), found[2] or "-")
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
LONGEST_SENTENCE = 600
"""Letters of what is handled as one sentence; text without full stops is cut at words."""
_LONGEST_TITLE = 80
_LONGEST_CAPTION = 190
_LEAST_TEXT = 40
_LEAST_TERMS = 3
_LONG_ITEM = 180
"""Characters of the middle item of a list from which on it is numbered text: steps and bullets are half as long."""
_LONGEST_DEFINITION = 400
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
    found = _plain_numbers(_sections(list(paragraphs(text, wrapped=wrapped)), language))
    return tuple(_titled(term_of([_part(one, language) for one in found])))


def term_of(parts: list[Part]) -> list[Part]:
    """Terms that each stand at the start of a line before their definition, in a row, as items."""
    found, at = list(parts), 0
    while at < len(parts):
        end = at
        while end < len(parts) and _defines(parts[end]):
            end += 1
        if end - at >= _LEAST_TERMS:
            found[at:end] = [
                replace(one, kind="item", spans=((0, len(one.text)),), mark="-", defines=True)
                for one in parts[at:end]
            ]
        at = end + 1
    return found


def _defines(part: Part) -> bool:
    return part.kind == "text" and len(part.text) <= _LONGEST_DEFINITION and bool(_TERM.match(part.text))


def _sections(found: list[Paragraph], language: str | None) -> list[Paragraph]:
    """Numbered paragraphs of several sentences, as of a contract, as text: of these one sentence answers, not the
    list."""
    out, at = list(found), 0
    while at < len(found):
        end = at
        while end < len(found) and found[end].kind == "item":
            end += 1
        items = found[at:end]
        if items and median(len(item.text) for item in items) >= _LONG_ITEM:
            out[at:end] = [
                replace(item, kind="text", text=f"{item.mark} {item.text}", mark="")
                if len(sentences(item.text, language)) > 1
                else item
                for item in items
            ]
        at = end + 1
    return out


def _plain_numbers(found: list[Paragraph]) -> list[Paragraph]:
    """A single numbered line is no list."""
    numbered = [n for n, one in enumerate(found) if one.mark[:1].isalnum()]
    if len(numbered) != 1:
        return found
    (at,) = numbered
    one = found[at]
    return [*found[:at], replace(one, kind="text", text=f"{one.mark} {one.text}", mark=""), *found[at + 1 :]]


def _part(one: Paragraph, language: str | None) -> Part:
    if one.kind == "table":
        return Part("table", one.text, ((0, len(one.text)),), table=table_of(one.text.split("\n")))
    if one.kind == "code" or (one.kind == "item" and len(one.text) <= LONGEST_SENTENCE):
        return Part(one.kind, one.text, ((0, len(one.text)),), one.mark)
    spans = tuple(cut for span in sentences(one.text, language) for cut in _cut(one.text, *span))
    return Part("text", one.text, spans)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST_SENTENCE:
        place = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        place = place if place > 0 else start + LONGEST_SENTENCE
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
        return is_caption(part.text) and len(part.text) <= _LONGEST_CAPTION
    if not _is_label(part, below) or (above and above.kind == "text" and _is_label(above, part)):
        return False
    if below.kind == "item":
        return True
    return below.kind == "text" and len(below.text) >= _LEAST_TEXT and ends_sentence(below.text)


def _is_label(part: Part, below: Part) -> bool:
    """Whether it is a short line that states nothing. A colon leads to a list, and is part of a title above text."""
    text = part.text
    if not (text[:1].isupper() or text[:1].isdigit()) or len(text) > _LONGEST_TITLE or len(part.spans) > 1:
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
