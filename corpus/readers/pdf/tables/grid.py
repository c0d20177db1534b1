"""The grid of a table's cells, and the words in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, raw, union
from corpus.readers.pdf.rules import Rule
from corpus.readers.pdf.text.lines import HYPHEN
from corpus.readers.pdf.text.right_to_left import has_right_to_left, order_of_words
from corpus.readers.pdf.text.visibility import address_of

_NOTHING = "\0\r\n \u00a0\t\u2002\u2003\u2009"
_MARKS = "\x02\ufffe"
_MAX_CHARACTERS = 40_000  # Maximum number of characters read per page; a newspaper page has 30,000.
_MAX_BEHIND = 8.0  # Maximum distance in points from a vertical rule to the start of the cell's text after it.
_MAX_OFF_LINE = 0.45  # Maximum offset in word heights between middles of words in a row; superscripts are within it.
_MAX_LETTER_GAP = 0.8  # Maximum gap in a word, in character heights; a wider gap separates words even without a space.


@dataclass(frozen=True, slots=True)
class Word:
    """A word. `text` may end with HYPHEN; `box` is on the displayed page and as high as the font."""

    text: str
    box: Box
    direction: int = 0  # Rotation as in `Line`. A line that runs upwards or downwards is one word.

    @property
    def middle(self) -> float:
        """Vertical middle in points."""
        return (self.box[1] + self.box[3]) / 2

    @property
    def height(self) -> float:
        """Height of the font in points, regardless of the word's rotation."""
        across = self.direction in (90, 270)
        return self.box[2] - self.box[0] if across else self.box[3] - self.box[1]


def words_of(
    text: str,
    handle: Any,
    geometry: PageGeometry,
    upright: Sequence[Rule] = (),
    apart: Mapping[int, tuple[int, list[Word]]] = MappingProxyType({}),
    additions: Mapping[int, str] = MappingProxyType({}),
) -> list[Word]:
    """Return the words in the order of the file. `text` has one character for each character of the text page, NUL for
    hidden ones. `additions` maps indexes to text inserted after them.

    `apart` is for lines that do not run from left to right; it maps a line's first index to its end and its words. Text
    that is drawn separately after a vertical rule is a separate word, even without a space.
    """
    words: list[Word] = []
    word_text, boxes = "", list[Box]()

    def end_word() -> None:
        nonlocal word_text
        if boxes:
            words.append(Word(word_text, union(boxes)))
        word_text = ""
        boxes.clear()

    rectangle = raw.FS_RECTF()
    behind = 0
    for index, char in enumerate(text[:_MAX_CHARACTERS]):
        if index in apart:
            end_word()
            behind, its_words = apart[index]
            words += its_words
        if index < behind:
            continue
        more = additions.get(index)
        if char == "\0" and more == "":
            continue
        if char in _NOTHING or char in _MARKS:
            word_text += HYPHEN if char in _MARKS else ""
            end_word()
            continue
        raw.FPDFText_GetLooseCharBox(handle, index, rectangle)
        box = geometry.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        if boxes and (_is_apart(boxes[-1], box) or (_is_ruled_off(boxes[0], box, upright) and _is_new(handle, index))):
            end_word()
        word_text += char
        boxes.append(box)
        if more and more[0].isspace():
            end_word()
        word_text += (more or "").strip()
    end_word()
    return [word for word in words if geometry.shows(word.box)]


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Return the words grouped by line, with lines from top to bottom and words from left to right. A superscript or
    subscript belongs to the line with the nearest middle."""
    rows: list[tuple[float, float, list[Word]]] = []
    for word in sorted(words, key=lambda word: (-round(word.box[3] - word.box[1]), word.middle)):
        place = _row_at(word, rows)
        if place is None:
            # A rotated header shares its row with words whose middle is between its ends.
            height = (word.box[3] - word.box[1]) / (2 * _MAX_OFF_LINE) if word.direction else word.height
            rows.append((word.middle, height, [word]))
        else:
            rows[place][2].append(word)
    rows.sort(key=lambda row: row[0])
    return [sorted(row, key=lambda word: word.box[0]) for _, _, row in rows]


def words_within(words: list[Word], box: Box) -> list[Word]:
    """Return the words whose middle is in the box."""
    return [
        word
        for word in words
        if box[0] - 1 <= (word.box[0] + word.box[2]) / 2 <= box[2] + 1 and box[1] - 1 <= word.middle <= box[3] + 1
    ]


def words_box(words: Iterable[Word]) -> Box:
    """Return the box around the words. Raises ValueError if there are none."""
    return union([word.box for word in words])


def _row_at(word: Word, rows: list[tuple[float, float, list[Word]]]) -> int | None:
    near = [(abs(word.middle - middle), n) for n, (middle, height, _) in enumerate(rows)
            if abs(word.middle - middle) < _MAX_OFF_LINE * height]  # fmt: skip
    return min(near)[1] if near else None


def _is_ruled_off(first: Box, box: Box, upright: Sequence[Rule]) -> bool:
    middle = (box[1] + box[3]) / 2
    return any(
        box[0] - _MAX_BEHIND <= rule.at <= box[0] + 1 and first[0] < rule.at and rule.start <= middle <= rule.end
        for rule in upright
    )


def _is_new(handle: Any, index: int) -> bool:
    """Return whether the character belongs to a different text object from the previous one."""
    objects = (address_of(raw.FPDFText_GetTextObject(handle, at)) for at in (index, index - 1))
    return next(objects) != next(objects)


def _is_apart(last: Box, box: Box) -> bool:
    height = max(last[3] - last[1], box[3] - box[1])
    middle = (box[1] + box[3]) / 2
    if not last[1] - height / 2 < middle < last[3] + height / 2:
        return True
    return box[0] - last[2] > _MAX_LETTER_GAP * height or box[2] < last[0] - height


_LEADERS = re.compile(r"(?<!\s)\s*+(?:(?<!\.)(?<!\.\s)(?:\.\s?){3,}+|(?<!…)…++)$|(?<=\w)\s\.\.$")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, identified by its first row and column. `lines` is its text from top to bottom, `boxes` the position of
    each line."""

    row: int
    column: int
    lines: tuple[str, ...]
    rows: int = 1
    columns: int = 1
    boxes: tuple[Box, ...] = ()
    entries: int = 1  # Maximum number of entries side by side in a line of the cell.


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of `height` rows and `width` columns. `cells` do not overlap and all contain text. The first `header`
    rows are the header. `box` is in points."""

    height: int
    width: int
    cells: tuple[Cell, ...]
    header: int
    box: Box
    is_ruled: bool = False  # Whether rules separate its cells, so that spans are certain.

    def body(self, column: int) -> list[Cell]:
        """Return the cells below the header that are in this column only."""
        return [cell for cell in self.cells if cell.column == column and cell.columns == 1 and cell.row >= self.header]

    def rows(self) -> list[list[tuple[str, ...]]]:
        """Return the lines of the cell at each row and column; empty if no cell starts there."""
        rows: list[list[tuple[str, ...]]] = [[()] * self.width for _ in range(self.height)]
        for cell in self.cells:
            rows[cell.row][cell.column] = cell.lines
        return rows


def lines_of(words: Iterable[Word]) -> tuple[str, ...]:
    """Return the text of a cell, line by line."""
    return tuple(" ".join(word.text for word in row) for row in _rows_in_order(words))


def boxes_of(words: Iterable[Word]) -> tuple[Box, ...]:
    """Return the box of each line that `lines_of` returns."""
    return tuple(words_box(row) for row in _rows_in_order(words))


def _rows_in_order(words: Iterable[Word]) -> list[list[Word]]:
    """Return the rows of a cell in writing order. Lines that run downwards follow each other from right to left."""
    rows = rows_of(words)
    if any(len(row) > 1 and any(has_right_to_left(word.text) for word in row) for row in rows):
        rows = [[row[place] for place in order_of_words([word.text for word in row])] for row in rows]
    return [row[::-1] if all(word.direction == 90 for word in row) else row for row in rows]


def ends_with_leader(line: str) -> bool:
    """Return whether the line ends with a dot leader, which marks the end of an entry."""
    return bool(_LEADERS.search(line))


def without_leaders(grid: Grid) -> Grid:
    """Return the grid without dot leaders."""
    return replace(grid, cells=tuple(cell for cell in map(_without_leaders, grid.cells) if cell.lines))


def _without_leaders(cell: Cell) -> Cell:
    numbers = [number for number, line in enumerate(cell.lines) if _plain(line)]
    lines = tuple(_plain(cell.lines[number]) for number in numbers)
    return replace(cell, lines=lines, boxes=tuple(cell.boxes[number] for number in numbers if number < len(cell.boxes)))


def _plain(line: str) -> str:
    return _LEADERS.sub("", line).strip()


def without_empty_rows(height: int, width: int, cells: list[Cell], header: int, box: Box) -> Grid | None:
    """Return a grid without the rows in which no cell starts, or None if no row remains."""
    rows_in_use = sorted({cell.row for cell in cells if cell.row < height})
    if not rows_in_use:
        return None
    place = {row: number for number, row in enumerate(rows_in_use)}
    moved_cells = [
        replace(
            cell,
            row=place[cell.row],
            rows=sum(1 for row in rows_in_use if cell.row <= row < cell.row + cell.rows),
        )
        for cell in cells
    ]
    return Grid(len(rows_in_use), width, tuple(moved_cells), sum(1 for row in rows_in_use if row < header), box)
