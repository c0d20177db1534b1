"""Blocks of figures: a picture, its caption, and what is known of it in words."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.mentions import Mentions
from corpus.readers.pdf.blocks import Section
from corpus.readers.pdf.figures import Figure
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.sections import INSIDE
from corpus.readers.protocol import ReadBlock
from corpus.text import clean

_MAX_CAPTION = 1500
_MAX_SLIDE_TEXT = 900
"""Letters that a slide has beside a picture, at most."""


def picture_blocks(
    page: Page, label: str | None, sections: list[Section], words: Words, mentions: Mentions
) -> Iterator[ReadBlock]:
    """One block a figure: first those with captions, in their order, then the others."""
    for number, figure in enumerate(page.figures, 1):
        heading = heading_at(_line_of(figure), sections)
        caption = caption_of(figure, page.lines, words) or (heading or "").split(" > ")[-1] or None
        description = (
            mentions.of(figure.caption.number) if figure.caption else _text_beside(_line_of(figure), sections)
        )
        content = "\n".join(part for part in (description, _text_inside(figure, page.lines)) if part)
        yield ReadBlock(
            place=f"p{page.number}-f{number}",
            block_type="image",
            content=content,
            image_caption=caption,
            picture=figure.picture,
            page_number=page.number,
            page_label=label,
            heading=heading,
            bbox=figure.box,
        )


def caption_of(figure: Figure, lines: list[Line], words: Words) -> str:
    """The whole caption as one line, or the title above; empty where there is neither."""
    caption = figure.caption
    texts = (lines[i].text for i in (range(caption.first, caption.last) if caption else figure.title))
    return " ".join(clean(joined(texts, words)).split())[:_MAX_CAPTION]


def heading_at(line: int, sections: list[Section]) -> str | None:
    """The heading path that a line of the page stands under."""
    return _section_at(line, sections).heading


def _section_at(line: int, sections: list[Section]) -> Section:
    before = [section for section in sections if section.start <= line]
    return (before or sections)[-1]


def _text_beside(line: int, sections: list[Section]) -> str:
    """What a slide says beside its picture, which is about the picture; nothing of a page with more to say."""
    section = _section_at(line, sections)
    text = "\n".join(clean(paragraph.text) for paragraph in section.paragraphs[section.headings :])
    return text if len(text) <= _MAX_SLIDE_TEXT else ""


def _line_of(figure: Figure) -> int:
    """The line at which it stands, for its heading: its caption, else what is in it or its title."""
    if figure.caption:
        return figure.caption.first
    return min(figure.inside, default=figure.title[-1] if figure.title else 0)


def _text_inside(figure: Figure, lines: list[Line]) -> str:
    return clean("\n".join(lines[index].text.strip(" \x02") for index in figure.inside))[:INSIDE]
