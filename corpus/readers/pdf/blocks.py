"""Blocks of text from the paragraphs of a page: small neighbours together, long ones cut, headings on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from corpus.readers.languages import language_of
from corpus.readers.pdf.paragraphs import Paragraph, cut
from corpus.readers.pdf.shown import union
from corpus.readers.promise import ReadBlock
from corpus.readers.sizes import AIM, MOST
from corpus.text import clean


@dataclass(slots=True)
class Section:
    """Paragraphs of one page under one heading path; the first `headings` of them are headings."""

    heading: str | None
    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: int = 0


def text_blocks(sections: list[Section], page_number: int, label: str | None) -> Iterator[ReadBlock]:
    """The blocks of a page in order."""
    number = 0
    for section in sections:
        for parts in _packed(section.paragraphs):
            content = clean("\n".join(part.text for part in parts)).strip()
            if not content:
                continue
            number += 1
            yield ReadBlock(
                place=f"p{page_number}-{number}",
                block_type="text",
                content=content[:MOST],
                page_number=page_number,
                page_label=label,
                heading=section.heading,
                bbox=union([part.box for part in parts]),
                language=language_of(content) if len(content) > 200 else None,
            )


def _packed(paragraphs: list[Paragraph]) -> Iterator[list[Paragraph]]:
    run: list[Paragraph] = []
    for paragraph in paragraphs:
        for part in cut(paragraph):
            if run and sum(len(each.text) + 1 for each in run) + len(part.text) > AIM:
                yield run
                run = []
            run.append(part)
    if run:
        yield run
