"""Cut a text file into blocks: sections under their headings, each block with its exact place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.readers.protocol import ReadBlock
from corpus.readers.sizes import AIM, Span, spans_within
from corpus.text import clean


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text under one heading path; `start` and `end` are offsets."""

    start: int
    end: int
    heading: str | None = None


def text_blocks(text: str, sections: list[Section]) -> Iterator[ReadBlock]:
    """Yield blocks in order. Offsets count characters of `text`, lines count from 1, the last one included."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    number = 0
    for section in sections:
        for start, end in _spans(text, section):
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


def _spans(text: str, section: Section) -> Iterator[Span]:
    """Yield a section's paragraphs, small neighbours merged and long ones cut."""
    run: Span | None = None
    for start, end in _paragraphs(text, section):
        if run and end - run[0] <= AIM:
            run = (run[0], end)
            continue
        if run:
            yield run
        run = None
        if end - start <= AIM:
            run = (start, end)
        else:
            yield from ((start + a, start + b) for a, b in spans_within(text[start:end]))
    if run:
        yield run


def _paragraphs(text: str, section: Section) -> Iterator[Span]:
    """Yield spans between blank lines, without surrounding white space."""
    start = section.start
    for gap in re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)\s*").finditer(
        text, section.start, section.end
    ):
        yield from _stripped(text, start, gap.start())
        start = gap.end()
    yield from _stripped(text, start, section.end)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    if part.strip():
        yield start + left, start + left + len(part.strip())
