"""Split the text of a block into parts: paragraphs with their sentences, list items, titles, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from corpus.synthesis.extractive.table import Table, is_row, starts_table, table_of
from corpus.text.normalization import has_leader
from corpus.text.sentences import sentences

_ITEM = re.compile(r"\s*(?:([-*+•‣◦▪·–])|(\d{1,3}[.)]|[a-z]\)))\s+(?=\S)")
_LABELLED = re.compile(r"[^\W\d_][^:.!?\n]{1,30}:\s+\S")
"""Pattern for a label that is followed by its value."""
MAIL_HEADER = re.compile(r"(?:From|To|Cc|Date|Sent|Subject|Attachments|Von|An|Datum|Gesendet|Betreff|Anlagen):\s+\S")
_OWN_LABEL = re.compile(r"[^\W\d_][^:.!?,;\n]{1,24}:(?:\s|$)")
"""Pattern for a label of at most three words that is followed by its value or its list."""
_MAX_LABEL_WORDS = 3
_MAX_WIDTH = 100
"""Maximum number of characters per line of hard-wrapped text. In a text with longer lines, each line is a
paragraph."""
_NUMBERED = re.compile(r"(?:§\s*)?\d+[.)]?\s+[^\W\d_]")
_MAX_HEADING, _MAX_HEADING_SHARE = 60, 0.7
_MIN_CAPITALS = 5
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEADS = re.compile(r"(?:…|(?:\.\s?){3})\s*+\d{1,4}$")
_LINE_ENDED = re.compile(r"[.!?:;…。！？|]['\"»”’“)\]]*$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item, table or code block. `text` is one line except for tables and code; `mark` is an item's
    bullet (`-`) or number."""

    kind: Literal["text", "item", "table", "code"]
    text: str
    mark: str = ""


def paragraphs(text: str, *, wrapped: bool) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text, leaving out the lines of a table of contents.

    A line that begins in lower case continues the previous line. An indented line continues an item even after an empty
    line. If `wrapped` is True, every line up to an empty line continues the previous one, with two exceptions: a label,
    and, in an item or a text without empty lines, a line after one that ends a sentence and would have room for its
    first word.
    """
    return _Reading(text.split("\n"), wrapped).paragraphs()


@dataclass(slots=True)
class _Reading:
    lines: list[str]
    wrapped: bool
    at: int = 0
    open: Paragraph | None = None
    before: str = ""
    width: int = 0
    has_empty_lines: bool = False

    def paragraphs(self) -> Iterator[Paragraph]:
        self.width = max((len(line) for line in self.lines if not is_row(line)), default=0)
        self.has_empty_lines = any(not line.strip() for line in self.lines[:-1])
        while self.at < len(self.lines):
            line = self.lines[self.at]
            yield from self._step(line)
            self.before = line
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
            if not line.strip() and self._is_continued(after):
                return
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
        if self.wrapped:
            return not self._begins(above, line)
        return line.lstrip()[:1].islower() and not _LINE_ENDED.search(above.text)

    def _is_continued(self, after: str) -> bool:
        """Return whether the line after an empty line is the indented second paragraph of an item."""
        is_item = self.wrapped and self.open is not None and self.open.kind == "item"
        return is_item and after.startswith("  ") and bool(after.strip()) and not _ITEM.match(after)

    def _begins(self, above: Paragraph, line: str) -> bool:
        """Return whether a line of wrapped text begins a paragraph."""
        if line[:1].isspace() and not self.before[:1].isspace():
            return False
        if MAIL_HEADER.match(above.text) or line[:1].islower():
            return bool(MAIL_HEADER.match(above.text))
        if not _LINE_ENDED.search(above.text):
            return is_in_capitals(above.text) and not is_in_capitals(line)
        label = _OWN_LABEL.match(line)
        if label and label[0][:1].isupper() and len(label[0].split()) <= _MAX_LABEL_WORDS:
            return True
        if above.kind == "text" and self.has_empty_lines:
            return False
        room = self.width - len(self.before.rstrip())
        return self.width > _MAX_WIDTH or room > len(line.split(None, 1)[0])

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
    """Return whether a short numbered line is a heading: the next line begins with a capital and is much longer."""
    if not _NUMBERED.match(line) or _LINE_ENDED.search(line) or len(line) > _MAX_HEADING:
        return False
    return after[:1].isupper() and not _ITEM.match(after) and len(line) < _MAX_HEADING_SHARE * len(after)


def is_in_capitals(text: str) -> bool:
    """Return whether a short line has several letters and all are capitals, as in headings of plain text."""
    return text.isupper() and len(text) <= _MAX_HEADING and sum(map(str.isalpha, text)) >= _MIN_CAPITALS


def _leads(line: str) -> bool:
    """Return whether a line has dot leaders to a page number."""
    return has_leader(line) or bool(_LEADS.search(line.strip()))


PartKind = Literal["text", "item", "title", "table", "code"]
MAX_SENTENCE = 600
"""Maximum number of characters in a sentence. Longer text without full stops is cut at a space."""
_MAX_TITLE, _MAX_CAPTION = 80, 190
"""Maximum numbers of characters of a one-line title, and of a table caption, which is often a sentence."""
_MIN_TEXT = 40
"""Minimum number of characters in a paragraph below a title. Shorter lines are more likely to be a list."""
_MIN_TERMS, _MAX_DEFINITION = 3, 400
"""Minimum number of consecutive terms that form a list of definitions, and maximum number of characters in each
definition."""
_LONG_ITEM = 180
"""Minimum median length in characters at which list items count as numbered paragraphs. Steps and bullets are half as
long."""
_TERM = re.compile(r"(?=[^:]{2,50}:\s)(?:[^\s:.!?]+\s){0,4}[^\s:.!?]+:\s+\S")
_ENDED = re.compile(r"[.!?:;…。！？]['\"»”’“)\]]*$")
HANGS = re.compile(
    r"(?:,|\b(?:the|an?|of|and|or|to|in|for|with|on|by|from|that|der|die|das|den|dem|des|und|oder|von|zu|mit|für|auf|"
    r"eine?[mnrs]?))$"
)
"""Pattern for the end of text that continues elsewhere."""
_CAPTION = re.compile(r"(?:table|tabelle|tab\.)\s*[A-Z]?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a block. `spans` are character offsets of its sentences in `text`; titles, items, tables and code have
    a single span. `mark` is an item's bullet or number, `-` or `3.`. `defines` is True if an item is a term with its
    definition, which is an answer by itself."""

    kind: PartKind
    text: str
    spans: tuple[tuple[int, int], ...]
    mark: str = ""
    table: Table | None = None
    defines: bool = False


def parts_of(text: str, language: str | None, *, wrapped: bool, code: bool = False) -> tuple[Part, ...]:
    """Return the parts of a text. If `wrapped` is True, a line break does not end a paragraph. If `code` is True, the
    entire text is code."""
    if code:
        return (Part("code", text.strip("\n"), ((0, len(text.strip("\n"))),)),)
    merged = _plain_numbers(_sections(list(paragraphs(text, wrapped=wrapped)), language))
    return tuple(_titled(_terms_as_items([_part(paragraph, language) for paragraph in merged])))


def _terms_as_items(parts: list[Part]) -> list[Part]:
    """Return the parts, with _MIN_TERMS or more consecutive definitions ("Term: ...") turned into list items."""
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


def _sections(blocks: list[Paragraph], language: str | None) -> list[Paragraph]:
    """Return the paragraphs, with long numbered items, such as the sections of a contract, turned into text, because a
    question is answered by one of their sentences, not by the list."""
    out, at = list(blocks), 0
    while at < len(blocks):
        end = at
        while end < len(blocks) and blocks[end].kind == "item":
            end += 1
        items = blocks[at:end]
        if items and median(len(item.text) for item in items) >= _LONG_ITEM:
            out[at:end] = [_as_text(item) if len(sentences(item.text, language)) > 1 else item for item in items]
        at = end + 1
    return out


def _as_text(item: Paragraph) -> Paragraph:
    return replace(item, kind="text", text=f"{item.mark} {item.text}", mark="")


def _plain_numbers(items: list[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs, with a single numbered line turned into text, because one line is not a list."""
    numbered = [n for n, paragraph in enumerate(items) if paragraph.mark[:1].isalnum()]
    return [_as_text(item) if numbered == [n] else item for n, item in enumerate(items)]


def _part(paragraph: Paragraph, language: str | None) -> Part:
    if paragraph.kind == "table":
        return Part("table", paragraph.text, ((0, len(paragraph.text)),), table=table_of(paragraph.text.split("\n")))
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
    """Return the parts, with short lines above a paragraph and captions of tables turned into titles."""
    for above, part, below in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        is_title = _is_title(part, above, below)
        yield replace(part, kind="title", spans=((0, len(part.text)),)) if is_title else part


def _is_title(part: Part, above: Part | None, below: Part | None) -> bool:
    if part.kind != "text" or below is None:
        return False
    if below.kind == "table":
        return is_table_caption(part.text) and len(part.text) <= _MAX_CAPTION
    if not _is_label(part, below) or (above and above.kind == "text" and _is_label(above, part)):
        return False
    if below.kind == "item" or (is_in_capitals(part.text) and not is_in_capitals(below.text)):
        return True
    if above is None and _LABELLED.match(below.text) and not _LABELLED.match(part.text):
        return True
    return below.kind == "text" and len(below.text) >= _MIN_TEXT and ends_sentence(below.text)


def _is_label(part: Part, below: Part) -> bool:
    """Return whether the part is a short line that states nothing. A final colon is part of a title above text;
    elsewhere it introduces a list."""
    text = part.text
    if not (text[:1].isupper() or text[:1].isdigit()) or len(text) > _MAX_TITLE or len(part.spans) > 1:
        return False
    if HANGS.search(text):
        return False
    leads = text.endswith(":") and below.kind == "text"
    return (not ends_sentence(text) or text.endswith("?") or leads) and any(map(str.isalpha, text))


def is_table_caption(text: str) -> bool:
    """Return whether a text begins like a table caption."""
    return bool(_CAPTION.match(text))


def ends_sentence(text: str) -> bool:
    """Return whether a text ends like a sentence or a lead-in."""
    return bool(_ENDED.search(text))
