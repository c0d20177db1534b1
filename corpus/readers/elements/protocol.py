"""What the reader of a format yields: elements in reading order, and what the document says of itself.

`steps_of` in `blocks.py` makes blocks of them, one way for all formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Lines = tuple[int, int]
"""First and last line of a text file, counted from 1."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Level 1 is the outermost. One that is not `listed` stands in paths but not in the outline."""

    text: str
    level: int = 1
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that belongs together; a list item carries its mark. A caption may lie beside a figure or table.

    Code keeps its lines and their indents.
    """

    text: str
    role: Literal["text", "caption", "code"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, the first `header` of them its head. `lines` has one entry a row.

    `where` names the rows from one index to another, both included ("Sheet1!A1:F20"), in place of the headings.
    """

    rows: tuple[tuple[str, ...], ...]
    header: int = 1
    caption: str | None = None
    where: Callable[[int, int], str] | None = None
    lines: tuple[Lines, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture as it lies in the file. `alt` is the text in its place, `title` that of its slide."""

    data: bytes
    caption: str | None = None
    alt: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """From here on the elements are on this page (or slide), under none of the headings before."""

    number: int


Element = Heading | Paragraph | Table | Figure | Page


@dataclass(slots=True)
class About:
    """What a document says of itself, complete when its elements are. `warnings` are for a person."""

    title: str | None = None
    author: str | None = None
    document_date: str | None = None
    page_count: int | None = None
    titled_by_heading: bool = True
    """Whether the first heading is the title where `title` is none."""

    warnings: list[str] = field(default_factory=list)
    unseen: int = 0
    """Passages that nobody would see in the document, left out."""

    left_out: Counter[str] = field(default_factory=Counter)
    """How many of what is on the page or beside it were not read, by kind in the singular (`text box`)."""


Elements = Iterator[Element]
