"""Read a manuscript: a small part of Markdown, with `key: value` lines between two `---` before it.

A table's caption is the line above it; the dashes under its header give the relative column widths.
A picture names one of our drawings: `![Figure 1: Seal arrangement](seal)`.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

FENCE = "---\n"


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Prose:
    text: str


@dataclass(frozen=True)
class Item:
    mark: str
    text: str


@dataclass(frozen=True)
class Notice:
    text: str


@dataclass(frozen=True)
class Grid:
    caption: str
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    caption: str
    drawing: str


@dataclass(frozen=True)
class Break:
    """The next block starts a new page."""


Block = Heading | Prose | Item | Notice | Grid | Picture | Break


@dataclass(frozen=True)
class Manuscript:
    about: dict[str, str]
    blocks: tuple[Block, ...]


def is_for_print(text: str) -> bool:
    return text.startswith(FENCE)


def parse(text: str) -> Manuscript:
    """The manuscript in `text`; UnicodeEncodeError if the standard PDF fonts lack one of its characters."""
    text.encode("cp1252")
    _, front, body = text.split(FENCE, 2)
    about = dict(line.split(": ", 1) for line in front.splitlines())
    paragraphs = re.split(r"\n\s*\n", body.strip())
    return Manuscript(about, tuple(block for paragraph in paragraphs for block in _blocks(paragraph)))


def _blocks(paragraph: str) -> list[Block]:
    if paragraph == "<page>":
        return [Break()]
    if heading := re.fullmatch(r"(#+) (.+)", paragraph):
        return [Heading(len(heading[1]), heading[2])]
    if picture := re.fullmatch(r"!\[(.+)\]\((\S+)\)", paragraph):
        return [Picture(picture[1], picture[2])]
    if paragraph.startswith("> "):
        return [Notice(_joined(re.sub(r"^> ?", "", paragraph, flags=re.MULTILINE)))]
    if "\n|" in paragraph:
        return [_grid(paragraph)]
    if re.match(r"(-|\d+\.) ", paragraph):
        return _items(paragraph)
    return [Prose(_joined(paragraph))]


def _grid(paragraph: str) -> Grid:
    caption, *lines = paragraph.splitlines()
    head, rule, *body = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    return Grid(caption, (head, *body), tuple(len(cell) for cell in rule))


def _items(paragraph: str) -> list[Block]:
    starts = [found.start() for found in re.finditer(r"^(-|\d+\.) ", paragraph, re.MULTILINE)]
    items = (paragraph[start:end].split(" ", 1) for start, end in pairwise([*starts, len(paragraph)]))
    return [Item("\u2022" if mark == "-" else mark, _joined(text)) for mark, text in items]


def _joined(text: str) -> str:
    return " ".join(text.split())
