"""The elements that a format's reader yields in reading order, and the document's metadata.

`steps_of` in `block_builder.py` makes blocks from them in the same way for all formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Lines = tuple[int, int]
"""First and last line of a text file, 1-based."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. Level 1 is the outermost. One that is not `listed` appears in heading paths but not in the outline."""

    text: str
    level: int = 1
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; a list item includes its mark. A caption may be next to a figure or table.

    Code retains its lines and indentation.
    """

    text: str
    role: Literal["text", "caption", "code"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells; the first `header` rows are the head, which may be absent. `lines` has one entry per row.

    `where` describes the rows from one index to another, both inclusive ("Sheet1!A1:F20"); it replaces the heading
    path.
    """

    rows: tuple[tuple[str, ...], ...]
    header: int = 1
    caption: str | None = None
    where: Callable[[int, int], str] | None = None
    lines: tuple[Lines, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture as stored in the file. `alt` is its alternative text, `title` its slide's title."""

    data: bytes
    caption: str | None = None
    alt: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Start of a page or slide. The following elements are on it, and under none of the previous headings."""

    number: int


Element = Heading | Paragraph | Table | Figure | Page


def is_code_paragraph(element: Element) -> bool:
    """Return whether the element is a paragraph of code."""
    return isinstance(element, Paragraph) and element.role == "code"


@dataclass(slots=True)
class About:
    """A document's metadata, complete after its last element. `warnings` are for the user."""

    title: str | None = None
    author: str | None = None
    document_date: str | None = None
    page_count: int | None = None
    titled_by_heading: bool = True
    """Whether the first heading is the title if `title` is None."""

    warnings: list[str] = field(default_factory=list)
    unseen: int = 0
    """Number of hidden passages that were omitted."""

    left_out: Counter[str] = field(default_factory=Counter)
    """Number of visible objects that were not read, by kind in the singular (`text box`)."""


Elements = Iterator[Element]


def left_out_warnings(counts: Mapping[str, int], unseen: int = 0) -> Iterator[str]:
    """Yield a sentence about hidden text and one about everything else. `counts` is by kind in the singular (`text
    box`)."""
    if unseen:
        yield f"Hidden text was left out in {unseen} {'place' if unseen == 1 else 'places'}."
    if kinds := [_counted(count, kind) for kind, count in sorted(counts.items()) if count]:
        yield f"Left out: {', '.join(kinds)}."


def _counted(count: int, kind: str) -> str:
    if count == 1:
        return f"1 {kind}"
    return f"{count} {kind}{'es' if kind.endswith(('x', 's', 'ch', 'sh')) else 's'}"
