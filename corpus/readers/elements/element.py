"""The elements that the reader of a format yields in reading order, and the metadata of a document.

`steps_of` in `block_builder.py` builds blocks from the elements, in the same way for all formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Lines = tuple[int, int]
"""First and last line in a text file, 1-based."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. Level 1 is the outermost. A heading that is not `listed` is part of heading paths but not of the
    outline."""

    text: str
    level: int = 1
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. A list item includes its mark. A paragraph next to a figure or table may be a caption.

    Code keeps its lines and indentation.
    """

    text: str
    role: Literal["text", "caption", "code"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells. The first `header` rows are the header; 0 means that there is none. `lines` has one entry per row.

    `where` returns a description of the rows between two indexes, both inclusive ("Sheet1!A1:F20"), which replaces the
    heading path.
    """

    rows: tuple[tuple[str, ...], ...]
    header: int = 1
    caption: str | None = None
    where: Callable[[int, int], str] | None = None
    lines: tuple[Lines, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture as stored in the file. `alt` is its alternative text; `title` is the title of its slide."""

    data: bytes
    caption: str | None = None
    alt: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The start of a page or slide. The following elements are on it, and are not under any previous heading."""

    number: int


Element = Heading | Paragraph | Table | Figure | Page


def is_code_paragraph(element: Element) -> bool:
    """Return whether the element is a paragraph of code."""
    return isinstance(element, Paragraph) and element.role == "code"


@dataclass(slots=True)
class About:
    """Metadata of a document, complete once its last element has been read. `warnings` are for the user."""

    title: str | None = None
    author: str | None = None
    document_date: str | None = None
    page_count: int | None = None
    titled_by_heading: bool = True
    """Whether the first heading is the title of the document if `title` is None."""

    warnings: list[str] = field(default_factory=list)
    unseen: int = 0
    """Number of omitted hidden passages."""

    left_out: Counter[str] = field(default_factory=Counter)
    """Number of visible objects that were not read, keyed by kind in the singular (`text box`)."""


Elements = Iterator[Element]


def left_out_warnings(counts: Mapping[str, int], unseen: int = 0) -> Iterator[str]:
    """Yield a sentence about hidden text, and a sentence about everything else that was omitted. The keys of `counts`
    are kinds in the singular (`text box`)."""
    if unseen:
        yield f"Hidden text was left out in {unseen} {'place' if unseen == 1 else 'places'}."
    if kinds := [_counted(count, kind) for kind, count in sorted(counts.items()) if count]:
        yield f"Left out: {', '.join(kinds)}."


def _counted(count: int, kind: str) -> str:
    if count == 1:
        return f"1 {kind}"
    return f"{count} {kind}{'es' if kind.endswith(('x', 's', 'ch', 'sh')) else 's'}"
