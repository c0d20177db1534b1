"""Blocks of figures: a picture, its caption, and what is known of it in words."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.pdf.blocks import Section
from corpus.readers.pdf.figures import Figure
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.mentions import Mentions
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.sections import INSIDE
from corpus.readers.promise import ReadBlock
from corpus.text import clean

_CAPTION = 1500


def picture_blocks(
    page: Page, label: str | None, sections: list[Section], words: Words, mentions: Mentions
) -> Iterator[ReadBlock]:
    """One block a figure, in the order of the captions."""
    for number, figure in enumerate(page.figures, 1):
        caption = caption_of(figure, page.lines, words)
        content = "\n".join(
            part for part in (mentions.of(figure.caption.number), _inside(figure, page.lines)) if part
        )
        yield ReadBlock(
            place=f"p{page.number}-f{number}",
            block_type="image",
            content=content,
            image_caption=caption,
            picture=figure.picture,
            page_number=page.number,
            page_label=label,
            heading=_heading_at(figure.caption.first, sections),
            bbox=figure.box,
        )


def caption_of(figure: Figure, lines: list[Line], words: Words) -> str:
    """The whole caption as one line."""
    texts = (line.text for line in lines[figure.caption.first : figure.caption.last])
    return " ".join(clean(joined(texts, words)).split())[:_CAPTION]


def _heading_at(line: int, sections: list[Section]) -> str | None:
    """The heading path that a line of the page stands under."""
    before = [section for section in sections if section.start <= line]
    return (before or sections)[-1].heading


def _inside(figure: Figure, lines: list[Line]) -> str:
    return clean("\n".join(lines[index].text.strip(" \x02") for index in figure.inside))[:INSIDE]
