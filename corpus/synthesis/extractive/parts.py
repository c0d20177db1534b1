"""The text of a block in parts: paragraphs of sentences, items of lists, titles, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from corpus.synthesis.extractive.paragraphs import Paragraph, paragraphs
from corpus.synthesis.extractive.table import Table, table_of
from corpus.text.sentences import sentences

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
    return tuple(_titled(defined([_part(one, language) for one in found])))


def defined(parts: list[Part]) -> list[Part]:
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
    return below.kind == "text" and len(below.text) >= _LEAST_TEXT and is_ended(below.text)


def _is_label(part: Part, below: Part) -> bool:
    """Whether it is a short line that states nothing. A colon leads to a list, and is part of a title above text."""
    text = part.text
    if not (text[:1].isupper() or text[:1].isdigit()) or len(text) > _LONGEST_TITLE or len(part.spans) > 1:
        return False
    if HANGS.search(text):
        return False
    leads = text.endswith(":") and below.kind == "text"
    return (not is_ended(text) or text.endswith("?") or leads) and any(map(str.isalpha, text))


def is_caption(text: str) -> bool:
    """Whether it begins as the caption of a table does."""
    return bool(_CAPTION.match(text))


def is_ended(text: str) -> bool:
    """Whether it ends as a sentence or a lead-in does."""
    return bool(_ENDED.search(text))
