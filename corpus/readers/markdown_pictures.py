"""Pictures that a Markdown text shows, if they lie in its folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from corpus.readers.elements.captions import Captions, saying
from corpus.readers.elements.figures import Figures, Shown
from corpus.readers.elements.protocol import Element, Figure, Heading, Paragraph
from corpus.readers.protocol import ReadBlock

_SHOWN = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,500}+)\]\(\s*+<?+(?P<address>(?<=<)[^<>\n]{1,1000}+(?=>)|[^\s>)]{1,1000}+)>?"
    r"(?:\s+[\"'(](?P<title>[^\"\n]{0,500})[\"')])?\s*\)"
    r"|<img\s(?:[^<>\n]|<(?!img\s)){0,500}?src=[\"'](?P<source>[^\"'\n]{1,1000}+)[\"'][^>\n]{0,500}+>",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.\-]+:|//|#", re.IGNORECASE)
"""Web addresses, and data within the text itself."""
_ALT = re.compile(r"\balt=[\"']([^\"'\n]{0,500})", re.IGNORECASE)
_HIDDEN = re.compile(r"\shidden(?=[\s=/>])", re.IGNORECASE)
_MARKS = re.compile(r"^(?:[*_]{1,3})(.+?)(?:[*_]{1,3})$")


class MarkdownPictures:
    """Call `after` for each text block in order to get the image blocks that follow it."""

    def __init__(self, blocks: Sequence[ReadBlock], pictures: Callable[[str], bytes | None]) -> None:
        self._elements: list[Element] = []
        self._of_block: list[list[tuple[int, int]]] = []
        self._absent: list[str] = []
        for block in blocks:
            self._of_block.append(list(self._take(block, pictures)))
        self._figures = Figures(self._elements, Captions(self._elements))
        self._number = 0

    @property
    def unshown(self) -> int:
        """How many pictures exist but cannot be shown."""
        return self._figures.unshown

    @property
    def absent(self) -> Sequence[str]:
        """Paths that were not found in the folder, or lie outside it."""
        return self._absent

    def after(self, index: int, block: ReadBlock) -> Iterator[ReadBlock]:
        """Yield the figures of the block with this index, each at its line."""
        for place, line in self._of_block[index]:
            figure = self._elements[place]
            display = self._figures.at(place, figure) if isinstance(figure, Figure) else None
            if display:
                self._number += 1
                yield self._block(display, block, (block.start_line or 1) + line)

    def _block(self, display: Shown, block: ReadBlock, line: int) -> ReadBlock:
        return replace(
            block,
            place=f"tf{self._number}",
            block_type="image",
            content=display.content,
            image_caption=display.caption,
            picture=display.picture,
            source_hash=display.source_hash,
            start_line=line,
            end_line=line,
            char_start=None,
            char_end=None,
        )

    def _take(self, block: ReadBlock, pictures: Callable[[str], bytes | None]) -> Iterator[tuple[int, int]]:
        """Add a block's elements; yield each figure's index among them and its line within the block."""
        start = 0
        self._elements.extend([Heading(block.heading.split(" > ")[-1])] if block.heading else [])
        for match in _SHOWN.finditer(block.content):
            self._add_paragraphs(block.content[start : match.start()])
            start = match.end()
            address = match["address"] or match["source"]
            if match["source"] and _HIDDEN.search(match[0]):
                continue
            data = pictures(address)
            if not data and not _ELSEWHERE.match(address) and address not in self._absent:
                self._absent.append(address)
            if data:
                alt = match["alt"] if match["address"] else (_ALT.search(match[0]) or [None, None])[1]
                self._elements.append(Figure(data=data, caption=saying(match["title"]), alt=alt))
                yield len(self._elements) - 1, block.content.count("\n", 0, match.start())
        self._add_paragraphs(block.content[start:])

    def _add_paragraphs(self, text: str) -> None:
        for paragraph in text.split("\n\n"):
            words = " ".join(_SHOWN.sub("", paragraph).split())
            if words and not words.startswith("#"):
                self._elements.append(Paragraph(_MARKS.sub(r"\1", words)))
