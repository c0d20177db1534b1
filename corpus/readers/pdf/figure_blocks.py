"""Blocks of figures: picture, caption, and the words known about them."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.elements.captions import Mentions
from corpus.readers.pdf.blocks import Section
from corpus.readers.pdf.graphics.figures import Figure
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.sections import INSIDE
from corpus.readers.pdf.text.hyphenation import Words, join_lines
from corpus.readers.pdf.text.lines import Line
from corpus.readers.protocol import ReadBlock
from corpus.text.normalization import clean

_MAX_CAPTION = 1500  # Characters; longer captions have taken in text.
_MAX_SLIDE_TEXT = 900  # Characters beside a picture on a slide; a page with more says more than the picture.


def picture_blocks(
    page: Page, label: str | None, sections: list[Section], words: Words, mentions: Mentions
) -> Iterator[ReadBlock]:
    """Yield one block a figure: captioned figures in order, then the others."""
    for number, figure in enumerate(page.figures, 1):
        heading = heading_at(_line_of(figure), sections)
        caption = caption_of(figure, page.lines, words) or (heading or "").split(" > ")[-1] or None
        description = mentions.of(figure.caption.number) if figure.caption else _text_beside(_line_of(figure), sections)
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
    """The caption as one line, else the title above; empty without either."""
    caption = figure.caption
    texts = (lines[i].text for i in (range(caption.first, caption.last) if caption else figure.title))
    return " ".join(clean(join_lines(texts, words)).split())[:_MAX_CAPTION]


def heading_at(line: int, sections: list[Section]) -> str | None:
    """The heading path at a line of the page."""
    return _section_at(line, sections).heading


def _section_at(line: int, sections: list[Section]) -> Section:
    before = [section for section in sections if section.start <= line]
    return (before or sections)[-1]


def _text_beside(line: int, sections: list[Section]) -> str:
    """A slide's text, which is about its picture; empty on pages with more text."""
    section = _section_at(line, sections)
    text = "\n".join(clean(paragraph.text) for paragraph in section.paragraphs[section.headings :])
    return text if len(text) <= _MAX_SLIDE_TEXT else ""


def _line_of(figure: Figure) -> int:
    """The line of a figure, for its heading: its caption, else its text or title."""
    if figure.caption:
        return figure.caption.first
    return min(figure.inside, default=figure.title[-1] if figure.title else 0)


def _text_inside(figure: Figure, lines: list[Line]) -> str:
    return clean("\n".join(lines[index].text.strip(" \x02") for index in figure.inside))[:INSIDE]
