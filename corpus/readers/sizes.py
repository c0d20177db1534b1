"""How long a block of text is, and where a text that is too long is cut."""

from __future__ import annotations

from typing import cast

MOST = 1500
"""No block is longer, in characters."""

AIM = 1200
"""Small neighbours are put together up to this."""

_CUT = 1000

Span = tuple[int, int]
Offsets = tuple[list[str], list[Span]]


def spans_within(text: str) -> list[Span]:
    """Where to cut: parts of at most MOST characters, at paragraph, sentence or word ends where there are any.

    The spans do not overlap, are in order, and leave out nothing but white space.
    """
    if len(text) <= MOST:
        return [(0, len(text))] if text.strip() else []
    from semchunk.semchunk import chunk

    _, spans = cast(Offsets, chunk(text, _CUT, len, memoize=False, offsets=True))
    return [(_with_indent(text, start), end) for start, end in spans if text[start:end].strip()]


def _with_indent(text: str, start: int) -> int:
    """Where the white space before a part begins, when that is the indent of its line."""
    indent = start
    while indent and text[indent - 1] in " \t":
        indent -= 1
    return indent if indent == 0 or text[indent - 1] == "\n" else start
