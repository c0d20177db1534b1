"""Plain-text bodies of emails: paragraphs, tables, and quoted messages without their `>` marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from corpus.readers.elements.aligned_table import aligned_tables, is_introduction
from corpus.readers.elements.element import Elements, Heading, Paragraph, Table
from corpus.text.normalization import clean

_QUOTE = re.compile(r" ?((?:>[ \t]?)++)")
_COMPARISON = re.compile(r"[=\d$€£](?!\d{0,2}[.)]\s)")
"""Start of the text after a `>` that means "more than". A numbered item after `>` is quoted text instead."""
_MAX_ATTRIBUTION, _MAX_ATTRIBUTION_LINES = 180, 3
"""Maximum number of characters and of lines in an attribution such as `On Mon, 3 Feb 2025 at 09:26, Ann Lee wrote:`."""
_CLOCK = re.compile(r"\b\d{1,2}\s?[:.hH]\s?\d\d\b")
_DAY_OR_ADDRESS = re.compile(r"\b(?:19|20)\d\d\b|\S@\S")
_WHEN = re.compile(rf"{_CLOCK.pattern}|\b(?:19|20)\d\d\b|\d[./-]\d{{1,2}}[./-]\d\d|\d年")
_WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb(?:en)?|schreibt|a écrit|écrit|ha scritto|scrive|scrisse|escribió|ha escrito|escreveu"
    r"|schreef|heeft geschreven|skrev|kirjoitti|napisał\(?a?\)?|pisze|napsal\(?a?\)?|написал\(?а?\)?|пишет|yazdı"
    r"|írta|a scris)\b|写道|寫道|書きました|작성",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\*?(?:From|Von|De|Da|Van|Fra|Från|Lähettäjä|Od|От|Kimden|Feladó|发件人|寄件者|差出人)\s?\*?[:：]\s?\*?\s?\S",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\*?(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Emne|Ämne|Aihe|Temat|Předmět|Тема|Konu|Tárgy|主题"
    r"|主旨|件名)\s?\*?[:：]",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\*?[^\W\d_][\w .-]{0,20}\*?[:：]")
_MAX_HEADERS = 8
"""Maximum number of header lines in a quoted message."""
_RULES = ("---", "___", "***", "===")
_MAX_DIVIDER = 60
"""Maximum number of characters in the words of a divider such as `-----Original Message-----`."""

Span = tuple[int, int]


@dataclass(slots=True)
class _Part:
    """Lines between two empty lines, or lines of one quotation level."""

    depth: int
    lines: list[str]


def body_elements(text: str) -> Elements:
    """Yield the elements of the body in order.

    A line above a quoted message that names its author becomes a heading if everything below it is quoted; otherwise it
    becomes a paragraph. A short paragraph above a table is the table's caption.
    """
    above: Paragraph | None = None
    for element in _elements(text):
        if above and isinstance(element, Table) and is_introduction(above.text):
            yield replace(element, caption=above.text)
            above = None
            continue
        if above:
            yield above
        above = element if isinstance(element, Paragraph) else None
        if not above:
            yield element
    if above:
        yield above


def _elements(text: str) -> Elements:
    parts = list(_parts(clean(text).split("\n")))
    least = list(accumulate((part.depth for part in reversed(parts)), min))[::-1]
    for n, part in enumerate(parts):
        before = parts[n - 1].depth if n else 0
        after = parts[n + 1].depth if n + 1 < len(parts) else 0
        span = _attribution(part.lines, is_first=part.depth > before, is_last=after > part.depth)
        if span is None:
            yield from _prose(part.lines)
            continue
        start, end = span
        depth = after if end == len(part.lines) and after > part.depth else part.depth
        line = " ".join(each.strip() for each in part.lines[start:end])
        yield from _prose(part.lines[:start])
        is_quoted_to_the_end = n + 1 == len(parts) or least[n + 1] >= depth
        yield Heading(line, 2) if is_quoted_to_the_end else Paragraph(line)
        yield from _prose(part.lines[end:])


def unflow(text: str, *, deletes_spaces: bool = False) -> str:
    """Join the lines of a `format=flowed` text (RFC 3676) into paragraphs."""
    paragraphs: list[list[str]] = []
    open_depth: int | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        body = line.lstrip(">")
        depth = len(line) - len(body)
        body = body.removeprefix(" ")
        flows = body.endswith(" ") and body != "-- "
        if open_depth != depth or body == "-- ":
            paragraphs.append(["> " * depth])
        paragraphs[-1].append(body[:-1] if flows and deletes_spaces else body)
        open_depth = depth if flows else None
    return "\n".join(map("".join, paragraphs))


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    open_part: _Part | None = None
    for depth, line in _levels(lines):
        if open_part and (not line.strip() or depth != open_part.depth):
            yield open_part
            open_part = None
        if line.strip():
            open_part = open_part or _Part(depth, [])
            open_part.lines.append(line)
    if open_part:
        yield open_part


def _levels(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the quotation level of each line, and the line without its `>` marks."""
    marks = [_QUOTE.match(line) for line in lines]
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and marks[end]:
            end += 1
        run = [
            (mark[1].count(">"), line[mark.end() :])
            for line, mark in zip(lines[at:end], marks[at:end], strict=True)
            if mark
        ]
        bodies = [body for _, body in run if body.strip()]
        if bodies and (all(map(_COMPARISON.match, bodies)) or (len(run) == 1 and lines[at].startswith(">From "))):
            yield from ((0, line) for line in lines[at:end])
        else:
            yield from run
        if end < len(lines):
            yield 0, lines[end]
        at = end + 1


def _attribution(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Span | None:
    """Return the span of the lines that name the author of the following message. `is_first` is true if the lines are
    the first of a quotation, and `is_last` if they are directly above one."""
    if span := _header(lines, is_first=is_first):
        return span
    for size in range(min(_MAX_ATTRIBUTION_LINES, len(lines)), 0, -1):
        if _is_attribution(lines[-size:], is_sure=is_last) and (is_last or size == len(lines)):
            return len(lines) - size, len(lines)
        if is_first and _is_attribution(lines[:size], is_sure=True):
            return 0, size
    return None


def _header(lines: Sequence[str], *, is_first: bool) -> Span | None:
    """Return the span of the author's line in the header of a quoted message. Other lists may start in the same way, so
    a header that is not marked as quoted must also contain a subject."""
    for n, line in enumerate(lines):
        if not (_FROM.match(line) and len(line) <= _MAX_ATTRIBUTION and (n == 0 or _is_divider(lines[n - 1]))):
            continue
        below = [each for each in lines[n + 1 : n + 1 + _MAX_HEADERS] if _HEADER.match(each)]
        if below and (is_first or any(map(_SUBJECT.match, below))):
            return n, n + 1
    return None


def _is_divider(line: str) -> bool:
    return line.startswith(_RULES) and len(line.strip("-_*= ")) <= _MAX_DIVIDER


def _is_attribution(lines: Sequence[str], *, is_sure: bool) -> bool:
    """Return whether the lines are an attribution. They need a time and a verb, and also a year or an address unless it
    is certain that a quotation follows (`is_sure`)."""
    text = " ".join(lines)
    if len(text) > _MAX_ATTRIBUTION or not text.rstrip().endswith((":", "：")):
        return False
    if any(line.rstrip().endswith((".", "!", "?", ":")) or not _WHEN.search(lines[0]) for line in lines[:-1]):
        return False
    has_verb = _WROTE.search(text) is not None
    if is_sure:
        return has_verb or _WHEN.search(text) is not None
    return has_verb and _CLOCK.search(text) is not None and _DAY_OR_ADDRESS.search(text) is not None


def _prose(lines: Sequence[str]) -> Elements:
    """Yield the lines as paragraphs and tables."""
    at = 0
    for aligned in aligned_tables(lines):
        if lines[at : aligned.start]:
            yield Paragraph("\n".join(lines[at : aligned.start]))
        yield aligned.table
        at = aligned.end
    if lines[at:]:
        yield Paragraph("\n".join(lines[at:]))
