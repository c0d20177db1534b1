"""Markdown files: sections under their headings, and pictures next to the file.

The text is left as written, so that its lines can be cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt

from corpus.documents.document import OutlineEntry
from corpus.readers.chunking import HeadingPath, Section, text_blocks
from corpus.readers.decoding import read_text
from corpus.readers.elements.captions import Captions, FigureBlock, Figures, real_alt
from corpus.readers.elements.element import Element, Figure, Heading, Paragraph, left_out_warnings
from corpus.readers.languages import with_languages
from corpus.readers.pinned_file import NeighbourFiles, pictures_beside
from corpus.readers.placeholder_metadata import real_author, real_title
from corpus.readers.protocol import ReadBlock, ReadDocument, Step
from corpus.readers.text_files.markdown_source import blank_hidden, front_matter_of, resolve_markdown_marks
from corpus.text.normalization import clean

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++((?:(?!#++[ \t]*+$)[^ \t\r\n]++[ \t]*+)*+)(?:#++[ \t]*+)?)?$")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
_TITLE = re.compile(r"[^\s|>#*\-+=].*[^\s|]$")  # a title is not a table, quotation or list
_INLINE = MarkdownIt("commonmark")
_MAX_HEADING = 200
"""Maximum length of a heading, in characters."""
_MAX_NAME = 80
"""Maximum length, in characters, of a picture's name in a warning."""
_MAX_NAMED = 5
"""Maximum number of missing pictures listed in a warning."""
MAX_OUTLINE = 10_000
"""Maximum number of entries in an outline, the same for all formats."""
_MAX_LINE = 500
"""Maximum length of a heading line in characters; longer lines are not headings."""


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """A heading line: its offsets, level and title."""

    start: int
    end: int
    level: int
    title: str


def read_markdown(path: Path, neighbours: NeighbourFiles | None = None) -> Iterator[Step]:
    """Yield blocks with line numbers, offsets and heading paths. The title comes from the front matter, otherwise from
    the first heading. Raises UnreadableDocument if the file is not text."""
    source, guesses = read_text(path)
    front = front_matter_of(source)
    text, unseen = blank_hidden(source)
    text, left_out = resolve_markdown_marks(text)
    headings = list(headings_of(text, front.end))
    blocks, language = yield from with_languages(text_blocks(text, _sections(text, headings, front.end)))
    pictures = MarkdownPictures(blocks, pictures_beside(neighbours or NeighbourFiles(path.parent)))
    for index, block in enumerate(blocks):
        yield block
        yield from pictures.after(index, block)
    yield ReadDocument(
        title=real_title(front.title) or (headings[0].title if headings else None),
        author=real_author(front.author),
        document_date=front.date,
        language=language,
        outline=tuple(OutlineEntry(heading.title, heading.level) for heading in headings[:MAX_OUTLINE]),
        warnings=(*guesses, *_warnings(len(headings), pictures, unseen, left_out)),
    )


def headings_of(text: str, after: int = 0) -> Iterator[HeadingLine]:
    """Yield the headings after an offset, outside code fences. They are marked by `#` or underlined."""
    fence, before, last = "", "", ""
    start = after
    for match in _LINE.finditer(text, after):
        line = match.group()[:_MAX_LINE].rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.match(line)) and (title := _title(heading[2] or "")):
            yield HeadingLine(match.start(), match.end(), len(heading[1]), title)
        elif not before.strip() and _UNDERLINE.match(line) and _TITLE.match(last):
            yield HeadingLine(start, match.end(), 1 if "=" in line else 2, _title(last))
        before, last, start = last, line, match.start()


def _warnings(headings: int, pictures: MarkdownPictures, unseen: int, left_out: Mapping[str, int]) -> Iterator[str]:
    yield from left_out_warnings(left_out, unseen)
    if headings > MAX_OUTLINE:
        yield f"The outline has the first {MAX_OUTLINE} of {headings} headings."
    if pictures.unshown:
        yield f"Pictures left out as damaged, too large, or in a format that cannot be shown: {pictures.unshown}."
    if absent := pictures.absent:
        names = ", ".join(clean(name)[:_MAX_NAME] for name in absent[:_MAX_NAMED])
        more = f" and {len(absent) - _MAX_NAMED} more" if len(absent) > _MAX_NAMED else ""
        yield f"Pictures that do not exist or are outside the folder of the file were left out: {names}{more}."


def _title(text: str) -> str:
    """Return a title as it is displayed: the words of links, code and pictures, without Markdown marks."""
    inline = _INLINE.parseInline(clean(text).strip())[0].children or []
    parts = [" " if each.type.endswith("break") else each.content for each in inline if each.type != "html_inline"]
    return " ".join("".join(parts).split())[:_MAX_HEADING]


def _sections(text: str, headings: list[HeadingLine], front: int) -> list[Section]:
    """Cut the text from heading to heading. A heading without text is joined with the next one; front matter is a
    section."""
    sections = [Section(0, front)] if front else []
    path, start, end = HeadingPath(), front, front
    for heading in headings:
        if text[end : heading.start].strip():
            sections.append(Section(start, heading.start, path.text))
            start = heading.start
        path.enter(heading.level, heading.title)
        end = heading.end
    return [*sections, Section(start, len(text), path.text)]


_SHOWN = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,500}+)\]\(\s*+<?+(?P<address>(?<=<)[^<>\n]{1,1000}+(?=>)|[^\s>)]{1,1000}+)>?"
    r"(?:\s+[\"'(](?P<title>[^\"\n]{0,500})[\"')])?\s*\)"
    r"|<img\s(?:[^<>\n]|<(?!img\s)){0,500}?src=[\"'](?P<source>[^\"'\n]{1,1000}+)[\"'][^>\n]{0,500}+>",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.\-]+:|//|#", re.IGNORECASE)
"""Web addresses, and references to data or sections in the text itself."""
_ALT = re.compile(r"\balt=[\"']([^\"'\n]{0,500})", re.IGNORECASE)
_HIDDEN = re.compile(r"\shidden(?=[\s=/>])", re.IGNORECASE)
_MARKS = re.compile(r"^(?:[*_]{1,3})(.+?)(?:[*_]{1,3})$")


class MarkdownPictures:
    """The pictures of a file. Call `after` for each text block in order; it yields the image blocks that follow the
    text block."""

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
        """Number of pictures that exist but cannot be displayed."""
        return self._figures.unshown

    @property
    def absent(self) -> Sequence[str]:
        """Paths that do not exist or are outside the folder."""
        return self._absent

    def after(self, index: int, block: ReadBlock) -> Iterator[ReadBlock]:
        """Yield the figures of the block with this index, each at its line."""
        for place, line in self._of_block[index]:
            figure = self._elements[place]
            display = self._figures.at(place, figure) if isinstance(figure, Figure) else None
            if display:
                self._number += 1
                yield self._block(display, block, (block.start_line or 1) + line)

    def _block(self, display: FigureBlock, block: ReadBlock, line: int) -> ReadBlock:
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
        """Add the elements of a block. Yield, for each figure, its index among the elements and its line within the
        block."""
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
                self._elements.append(Figure(data=data, caption=real_alt(match["title"]), alt=alt))
                yield len(self._elements) - 1, block.content.count("\n", 0, match.start())
        self._add_paragraphs(block.content[start:])

    def _add_paragraphs(self, text: str) -> None:
        for paragraph in text.split("\n\n"):
            words = " ".join(_SHOWN.sub("", paragraph).split())
            if words and not words.startswith("#"):
                self._elements.append(Paragraph(_MARKS.sub(r"\1", words)))
