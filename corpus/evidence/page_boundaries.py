"""Where the running text of a page begins and ends, in a block that also holds its page number or header."""

from __future__ import annotations

import re

_NUMBER_BELOW = re.compile(r"(?<!\s)\s*\n[^\w\n]*+(?:\d{1,4}|[ivxlc]{1,6})[^\w\n]*+\s*+\Z")
_SENTENCE_END = re.compile(r"[.!?:;…|,\-][\"'”’»)\]]*\s*\Z")
_MAX_HEADER = 60
"""Characters of a header line; longer lines are text."""
_LOWER = re.compile(r"[^\W\d_]+")


def text_end(content: str) -> int:
    """The end of the text, before a page number at the bottom."""
    number = _NUMBER_BELOW.search(content)
    return number.start() if number else len(content.rstrip())


def text_begin(content: str) -> int:
    """The start of the text, behind a header: one short line without an end, followed by a lower-case word."""
    header, newline, rest = content.partition("\n")
    if not newline or len(header) > _MAX_HEADER or _SENTENCE_END.search(header) or begins_within(header):
        return 0
    return len(header) + 1 if begins_within(rest) else 0


def begins_within(text: str) -> bool:
    """Whether the text starts mid-sentence, with a lower-case word. Names may start with a lower-case letter
    (iPhone)."""
    first = _LOWER.match(text)
    return first is not None and first[0].islower()
