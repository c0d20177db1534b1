"""The size of text blocks, and where longer texts are cut."""

from __future__ import annotations

from typing import cast

MOST = 1500
"""Characters of a block, at most."""

AIM = 1200
"""Characters up to which small neighbours are merged."""

_CUT = 1000
"""Characters that a part of a long text aims at."""

Span = tuple[int, int]
Offsets = tuple[list[str], list[Span]]


def spans_within(text: str) -> list[Span]:
    """Return spans of at most MOST characters, cut at paragraph, sentence or word ends where possible.

    Spans are in order, do not overlap, and omit nothing but white space.
    """
    if len(text) <= MOST:
        return [(0, len(text))] if text.strip() else []
    from semchunk.semchunk import chunk

    _, spans = cast(Offsets, chunk(text, _CUT, len, memoize=False, offsets=True))
    return [(_with_indent(text, start), end) for start, end in spans if text[start:end].strip()]


def _with_indent(text: str, start: int) -> int:
    """Extend a part's start over white space if that is its line's indent."""
    indent = start
    while indent and text[indent - 1] in " \t":
        indent -= 1
    return indent if indent == 0 or text[indent - 1] == "\n" else start
