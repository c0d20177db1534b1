"""The lines of a block's text put together as paragraphs, items, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from corpus.synthesis.extractive.table import is_row, starts_table
from corpus.text.normalization import has_leader

_ITEM = re.compile(r"\s*(?:([-*+•‣◦▪·–])|(\d{1,3}[.)]|[a-z]\)))\s+(?=\S)")
_LABELLED = re.compile(r"[^\W\d_][^:.!?\n]{1,30}:\s+\S")
"""A label before its value."""
_NUMBERED = re.compile(r"(?:§\s*)?\d+[.)]?\s+[^\W\d_]")
_MAX_HEADING, _MAX_HEADING_SHARE = 60, 0.7
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEADS = re.compile(r"(?:…|(?:\.\s?){3})\s*+\d{1,4}$")
_ENDED = re.compile(r"[.!?:;…。！？|]['\"»”’“)\]]*$")


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
        return self.wrapped or (line.lstrip()[:1].islower() and not _ENDED.search(above.text))

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
    if not _NUMBERED.match(line) or _ENDED.search(line) or len(line) > _MAX_HEADING:
        return False
    return after[:1].isupper() and not _ITEM.match(after) and len(line) < _MAX_HEADING_SHARE * len(after)


def _leads(line: str) -> bool:
    """Whether dots lead to a page number."""
    return has_leader(line) or bool(_LEADS.search(line.strip()))
