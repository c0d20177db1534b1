"""Pictures that a Markdown text shows, as far as they lie in its folder."""

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
"""Addresses of the web and data within the text itself."""
_ALT = re.compile(r"\balt=[\"']([^\"'\n]{0,500})", re.IGNORECASE)
_HIDDEN = re.compile(r"\shidden(?=[\s=/>])", re.IGNORECASE)
_MARKS = re.compile(r"^(?:[*_]{1,3})(.+?)(?:[*_]{1,3})$")


class MarkdownPictures:
    """Asked for each block of text in order, it gives the image blocks that follow it."""

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
        """How many were there and could not be shown."""
        return self._figures.unshown

    @property
    def absent(self) -> Sequence[str]:
        """The files that it names and that were not found beside it, or lie out of its folder."""
        return self._absent

    def after(self, index: int, block: ReadBlock) -> Iterator[ReadBlock]:
        """The figures of the block with this index, each at its line."""
        for place, line in self._of_block[index]:
            figure = self._elements[place]
            shown = self._figures.at(place, figure) if isinstance(figure, Figure) else None
            if shown:
                self._number += 1
                yield self._block(shown, block, (block.start_line or 1) + line)

    def _block(self, shown: Shown, block: ReadBlock, line: int) -> ReadBlock:
        return replace(
            block,
            place=f"tf{self._number}",
            block_type="image",
            content=shown.content,
            image_caption=shown.caption,
            picture=shown.picture,
            source_hash=shown.source_hash,
            start_line=line,
            end_line=line,
            char_start=None,
            char_end=None,
        )

    def _take(self, block: ReadBlock, pictures: Callable[[str], bytes | None]) -> Iterator[tuple[int, int]]:
        """Adds the elements of a block; yields the place of each figure among them and its line in the block."""
        start = 0
        self._elements.extend([Heading(block.heading.split(" > ")[-1])] if block.heading else [])
        for found in _SHOWN.finditer(block.content):
            self._say(block.content[start : found.start()])
            start = found.end()
            address = found["address"] or found["source"]
            if found["source"] and _HIDDEN.search(found[0]):
                continue
            data = pictures(address)
            if not data and not _ELSEWHERE.match(address) and address not in self._absent:
                self._absent.append(address)
            if data:
                alt = found["alt"] if found["address"] else (_ALT.search(found[0]) or [None, None])[1]
                self._elements.append(Figure(data=data, caption=saying(found["title"]), alt=alt))
                yield len(self._elements) - 1, block.content.count("\n", 0, found.start())
        self._say(block.content[start:])

    def _say(self, text: str) -> None:
        for paragraph in text.split("\n\n"):
            said = " ".join(_SHOWN.sub("", paragraph).split())
            if said and not said.startswith("#"):
                self._elements.append(Paragraph(_MARKS.sub(r"\1", said)))
