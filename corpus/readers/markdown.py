"""Markdown: sections under their headings, and pictures beside the file.

The text stays as written, so that its lines can be cited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from corpus.documents import OutlineEntry
from corpus.readers.decoding import read_text
from corpus.readers.front_matter import front_matter_of
from corpus.readers.heading_paths import HeadingPath
from corpus.readers.languages import settled
from corpus.readers.left_out import left_out_warnings
from corpus.readers.markdown_marks import without_marks
from corpus.readers.markdown_pictures import MarkdownPictures
from corpus.readers.markdown_unseen import without_unseen
from corpus.readers.pinned_file import NeighbourFiles
from corpus.readers.protocol import ReadDocument
from corpus.readers.stand_ins import author_given, title_given
from corpus.readers.steps import Step
from corpus.readers.text_blocks import Section, text_blocks
from corpus.readers.web.local_pictures import pictures_beside
from corpus.text import clean

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++((?:(?!#++[ \t]*+$)[^ \t\r\n]++[ \t]*+)*+)(?:#++[ \t]*+)?)?$")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
_TITLE = re.compile(r"[^\s|>#*\-+=].*[^\s|]$")  # no table, quotation or list
_INLINE = MarkdownIt("commonmark")
_LONGEST_HEADING = 200
"""Characters of a heading."""
_LONGEST_NAME = 80
"""Characters of a picture's name in a warning."""
_NAMED = 5
"""Missing pictures that a warning names."""
OUTLINE_ENTRIES = 10_000
"""As for all formats."""
_LONGEST_LINE = 500
"""Longer lines are no headings."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line with its offsets, level and title."""

    start: int
    end: int
    level: int
    title: str


def read_markdown(path: Path, neighbours: NeighbourFiles | None = None) -> Iterator[Step]:
    """Yield blocks with lines, offsets and heading path. The title is from the front matter, else the first heading.
    Raises UnreadableDocument where it is no text."""
    source, guesses = read_text(path)
    front = front_matter_of(source)
    text, unseen = without_unseen(source)
    text, left_out = without_marks(text)
    headings = list(headings_of(text, front.end))
    blocks, language = yield from settled(text_blocks(text, _sections(text, headings, front.end)))
    pictures = MarkdownPictures(blocks, pictures_beside(neighbours or NeighbourFiles(path.parent)))
    for index, block in enumerate(blocks):
        yield block
        yield from pictures.after(index, block)
    yield ReadDocument(
        title=title_given(front.title) or (headings[0].title if headings else None),
        author=author_given(front.author),
        document_date=front.date,
        language=language,
        outline=tuple(OutlineEntry(heading.title, heading.level) for heading in headings[:OUTLINE_ENTRIES]),
        warnings=(*guesses, *_warnings(len(headings), pictures, unseen, left_out)),
    )


def headings_of(text: str, after: int = 0) -> Iterator[Heading]:
    """Yield the headings from an offset on, marked by `#` or underlined, outside code fences."""
    fence, before, last = "", "", ""
    start = after
    for match in _LINE.finditer(text, after):
        line = match.group()[:_LONGEST_LINE].rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.match(line)) and (title := _title(heading[2] or "")):
            yield Heading(match.start(), match.end(), len(heading[1]), title)
        elif not before.strip() and _UNDERLINE.match(line) and _TITLE.match(last):
            yield Heading(start, match.end(), 1 if "=" in line else 2, _title(last))
        before, last, start = last, line, match.start()


def _warnings(
    headings: int, pictures: MarkdownPictures, unseen: int, left_out: Mapping[str, int]
) -> Iterator[str]:
    yield from left_out_warnings(left_out, unseen)
    if headings > OUTLINE_ENTRIES:
        yield f"The outline holds the first {OUTLINE_ENTRIES} of {headings} headings."
    if pictures.unshown:
        yield f"Pictures left out, damaged, too large, or in a format that cannot be shown: {pictures.unshown}."
    if absent := pictures.absent:
        names = ", ".join(clean(name)[:_LONGEST_NAME] for name in absent[:_NAMED])
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        yield f"Pictures that are not there or lie out of the folder of the file were left out: {names}{more}."


def _title(text: str) -> str:
    """As it is shown: words of a link, of code and of a picture, without their marks."""
    inline = _INLINE.parseInline(clean(text).strip())[0].children or []
    shown = [
        " " if each.type.endswith("break") else each.content for each in inline if each.type != "html_inline"
    ]
    return " ".join("".join(shown).split())[:_LONGEST_HEADING]


def _sections(text: str, headings: list[Heading], front: int) -> list[Section]:
    """Cut from heading to heading. One without text joins the next; front matter is a section."""
    sections = [Section(0, front)] if front else []
    path, start, end = HeadingPath(), front, front
    for heading in headings:
        if text[end : heading.start].strip():
            sections.append(Section(start, heading.start, path.text))
            start = heading.start
        path.enter(heading.level, heading.title)
        end = heading.end
    return [*sections, Section(start, len(text), path.text)]
