"""Cut texts into blocks: block sizes, heading paths, and sections of text files with exact offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from corpus.readers.protocol import ReadBlock
from corpus.text.normalization import clean

MAX_BLOCK = 1500
"""Maximum length of a block, in characters."""

TARGET_BLOCK = 1200
"""Maximum length, in characters, of a block that is merged from small neighbours."""

_TARGET_PART = 1000
"""Target length, in characters, of the parts into which a long text is cut."""

Span = tuple[int, int]
Offsets = tuple[list[str], list[Span]]


def split_spans(text: str) -> list[Span]:
    """Return spans of at most MAX_BLOCK characters, cut at the end of a paragraph, sentence or word if possible.

    Spans are in order, do not overlap, and omit only white space.
    """
    if len(text) <= MAX_BLOCK:
        return [(0, len(text))] if text.strip() else []
    from semchunk.semchunk import chunk

    _, spans = cast(Offsets, chunk(text, _TARGET_PART, len, memoize=False, offsets=True))
    return [(_with_indent(text, start), end) for start, end in spans if text[start:end].strip()]


def _with_indent(text: str, start: int) -> int:
    """Move the start of a part back over the preceding white space if it is the line's indent."""
    indent = start
    while indent and text[indent - 1] in " \t":
        indent -= 1
    return indent if indent == 0 or text[indent - 1] == "\n" else start


_MAX_PATH = 300
"""Maximum length, in characters, of a heading path, which is repeated in each block."""


class HeadingPath:
    """A path of nested headings. Once headings have been entered in order, `text` is, for example, "3 Operation > 3.2
    Start-up"; before the first heading, it is None."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """Close the headings at the same or a deeper level, and open the given one."""
        self._open = [entry for entry in self._open if entry[0] < level]
        self._open.append((level, title))

    @property
    def text(self) -> str | None:
        """The path, shortened at its outer end if it is too long."""
        path = " > ".join(title for _, title in self._open)
        return path[-_MAX_PATH:] or None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text under one heading path; `start` and `end` are offsets."""

    start: int
    end: int
    heading: str | None = None


def text_blocks(text: str, sections: list[Section]) -> Iterator[ReadBlock]:
    """Yield blocks in order. Offsets count characters of `text`; line numbers start at 1 and are inclusive."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    number = 0
    for section in sections:
        for start, end in _section_spans(text, section):
            content = clean(text[start:end]).strip()
            if not content:
                continue
            number += 1
            yield ReadBlock(
                place=f"t{number}",
                block_type="text",
                content=content,
                heading=section.heading,
                start_line=bisect_right(starts, start),
                end_line=bisect_right(starts, end - 1),
                char_start=start,
                char_end=end,
            )


def _section_spans(text: str, section: Section) -> Iterator[Span]:
    """Yield the spans of a section's blocks, merging small adjacent paragraphs and cutting long ones."""
    run: Span | None = None
    for start, end in paragraphs(text, section):
        if run and end - run[0] <= TARGET_BLOCK:
            run = (run[0], end)
            continue
        if run:
            yield run
        run = None
        if end - start <= TARGET_BLOCK:
            run = (start, end)
        else:
            yield from ((start + a, start + b) for a, b in split_spans(text[start:end]))
    if run:
        yield run


def paragraphs(text: str, section: Section) -> Iterator[Span]:
    """Yield the spans between blank lines, without surrounding white space."""
    start = section.start
    for gap in re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)\s*").finditer(text, section.start, section.end):
        yield from _strip(text, start, gap.start())
        start = gap.end()
    yield from _strip(text, start, section.end)


def _strip(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    if part.strip():
        yield start + left, start + left + len(part.strip())
