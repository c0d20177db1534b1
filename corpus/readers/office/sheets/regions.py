"""Find the tables of a sheet, below each other and side by side, each with its header rows."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from corpus.readers.office.sheets.sheet_grid import Row

MAX_ROWS = 500
"""Maximum number of rows in a region, so that a long sheet reports progress; the header rows are repeated in each
region. Side-by-side tables are also detected within a window of this many rows."""
_MAX_HEAD = 4
"""Maximum number of header rows. No table in the corpora has more; a first column merged over more rows is not a
header."""
_MAX_TITLES = 3
"""Maximum number of single cells above a table that become part of its caption."""
_MAX_TITLE = 200
"""Maximum length of a title in characters. A longer cell is a remark; captions are cut at 300."""
_REMARK_LENGTH = 40
"""Minimum length in characters for a single cell below a table to be a remark, not a row with one value."""
_REMARK = re.compile(
    r"(?:\*|[¹²³†‡]|\d\)|(?:notes?|source|remarks?|comments?|nb|n\.b\.|anm(?:erkung)?|hinweis|quelle|stand|bemerkung"
    r"|nota|remarque|fuente|fonte|bron|opmerking|примечание|источник|注|备注|来源|출처)\b\s*[.:)*]?)",
    re.IGNORECASE,
)
_MAX_BESIDE = 30
"""Maximum number of gaps between columns that are examined, because the running time is quadratic in their number."""
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_DENSE = 0.8
"""Minimum fraction of filled cells for a block of cells to be a separate table, not scattered remarks."""


class Region(NamedTuple):
    """Rows that belong together. The first `header` rows are header rows. The first `repeated` rows are also in an
    earlier region."""

    rows: tuple[Row, ...]
    header: int = 1
    repeated: int = 0
    caption: str | None = None
    is_text: bool = False
    """Whether the region consists of single cells below each other, which are not a table."""

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Return the cells row by row. Single cells form one column."""
        return tuple((_lone(row),) if self.is_text else row.cells for row in self.rows)


def regions(rows: Iterable[Row | None], *, parts_at_blank: bool = True) -> Iterator[Region]:
    """Yield the regions in order. None in `rows` is a hidden row, which separates nothing.

    Without `parts_at_blank`, an empty row separates only tables that differ.
    """
    tables = [_Table(parts_at_blank)]
    bounds = [0]
    window: list[Row] = []
    goes_on = False
    for row in rows:
        if row is None or (row.used and not row.own):
            continue
        if row.own:
            window.append(row)
            if len(window) < MAX_ROWS:
                continue
        if window:
            if not goes_on and (starts := _bounds(window)) != bounds:
                yield from _flush_all(tables)
                bounds, tables = starts, [_Table(parts_at_blank) for _ in starts]
            yield from _feed_all(tables, bounds, window)
        goes_on = bool(row.own)
        window = []
        if not row.own:
            for table in tables:
                table.blank()
    if window and not goes_on and (starts := _bounds(window)) != bounds:
        yield from _flush_all(tables)
        bounds, tables = starts, [_Table(parts_at_blank) for _ in starts]
    yield from _feed_all(tables, bounds, window)
    yield from _flush_all(tables)


def _feed_all(tables: Sequence[_Table], bounds: Sequence[int], window: Sequence[Row]) -> Iterator[Region]:
    if len(tables) == 1:
        for row in window:
            yield from tables[0].feed(row)
        return
    for table, left, right in zip(tables, bounds, [*bounds[1:], 1 << 20], strict=True):
        for row in window:
            part = row.within(left, right)
            if part.own:
                yield from table.feed(part)
            elif not part.used:
                table.blank()


def _flush_all(tables: Iterable[_Table]) -> Iterator[Region]:
    for table in tables:
        yield from table.flush()


@dataclass(slots=True)
class _Table:
    """A table under construction, and the single cells around it within its columns."""

    parts_at_blank: bool
    titles: list[Row] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    head: tuple[Row, ...] = ()
    """Header rows of earlier regions of the same table."""
    numbers: int = 0
    """Bit mask of the columns that have numbers in the body."""
    columns: int = 0
    blanks: int = 0
    last_row: int = 0
    """Last row number of the previous table."""

    def blank(self) -> None:
        """Process an empty row."""
        self.blanks += bool(self.rows or self.head or self.titles)

    def feed(self, row: Row) -> Iterator[Region]:
        """Process a row that has content."""
        if self.blanks and not ((self.rows or self.head) and self._goes_on(row)):
            yield from self._finish()
        self.blanks = 0
        if not self.rows and not self.head and len(row.own) == 1:
            self.titles.append(_anchor(row))
            if len(self.titles) >= MAX_ROWS:
                yield from self._texts(())
            return
        if len(row.own) == 1 and row.across and not row.below:
            row = _anchor(row)
        if self.rows or self.head:
            self.numbers |= row.numeric
        self.columns |= sum(1 << column for column in row.used)
        self.rows.append(row)
        if len(self.rows) >= MAX_ROWS:
            yield from self._cut()

    def flush(self) -> Iterator[Region]:
        """Yield the remaining regions."""
        yield from self._finish()
        yield from self._texts(())

    def _finish(self) -> Iterator[Region]:
        """Yield the rest of the table, and then the remarks below it as separate regions."""
        if not self.rows and not self.head:
            return
        rows, remarks = self.rows, list[Row]()
        while len(rows) + len(self.head) > 1 and rows and _is_remark(rows[-1], first=rows[0]):
            remarks.insert(0, rows.pop())
        last = rows[-1].number if rows else self.last_row
        yield from self._cut()
        self.last_row = last
        self.titles = [_anchor(row) for row in remarks]
        yield from self._texts(())
        self.rows, self.head, self.numbers, self.columns = [], (), 0, 0

    def _goes_on(self, row: Row) -> bool:
        """Return whether a row after an empty row continues the table, as a total or the next group of rows does."""
        own = sum(1 << column for column in row.own)
        if own & ~self.columns or len(row.own) < 2:
            return False
        if self.blanks > 1 and self.parts_at_blank:
            return False
        first = (*self.head, *self.rows)[0]
        if row.cells == first.cells:
            return False
        values = [row.cells[column] for column in row.own if row.numeric >> column & 1]
        if values and all(_YEAR.fullmatch(value) for value in values):
            return False
        if row.numeric & self.numbers:
            return True
        return not self.parts_at_blank and not self.numbers and len(row.used) == len(first.used)

    def _cut(self) -> Iterator[Region]:
        """Yield the rows so far as regions. A title within them starts a new table."""
        rows, self.rows = self.rows, []
        start = 0
        for place in range(1, len(rows) - 1):
            if len(rows[place].own) == 1 and self._begins_table(rows[place + 1], rows[start:place]):
                yield from self._region(rows[start:place])
                self.head, self.last_row = (), 0
                self.titles = [_anchor(rows[place])]
                start = place + 1
        yield from self._region(rows[start:])

    def _begins_table(self, row: Row, above: Sequence[Row]) -> bool:
        numbers = 0
        for each in above[1:]:
            numbers |= each.numeric
        texts = sum(1 << column for column in row.own) & ~row.numeric
        return len(above) > 1 and len(row.own) > 1 and not row.numeric and bool(numbers & texts)

    def _region(self, rows: Sequence[Row]) -> Iterator[Region]:
        if not rows:
            return
        if self.head:
            yield Region((*self.head, *rows), header=len(self.head), repeated=len(self.head))
            return
        caption = yield from self._texts(rows)
        rows, header = _split_head(rows)
        self.head = tuple(rows[:header])
        yield Region(tuple(rows), header=header, caption=caption)

    def _texts(self, below: Sequence[Row]) -> Generator[Region, None, str | None]:
        """Yield the single cells above a table as text. Return a short title directly above the table."""
        titles, self.titles = self.titles, []
        count = 0
        while below and count < min(_MAX_TITLES, len(titles)):
            row, under = titles[-1 - count], titles[len(titles) - count] if count else below[0]
            gap = under.number - row.number
            if len(_lone(row)) > _MAX_TITLE or (count and gap > 1):
                break
            if self.last_row and (_REMARK.match(_lone(row)) or row.number - self.last_row < gap):
                break
            count += 1
        if rest := titles[: len(titles) - count]:
            yield Region(tuple(rest), header=0, is_text=True)
        return " – ".join(_lone(row) for row in titles[len(titles) - count :]) or None


def _anchor(row: Row) -> Row:
    """Return a row that consists of one merged cell, without its repetitions."""
    column = row.own[0]
    return row.within(column, column + 1)


def _lone(row: Row) -> str:
    return next(filter(None, row.cells), "")


def _is_remark(row: Row, *, first: Row) -> bool:
    """Return whether a single cell at the end of a table is a remark rather than a row."""
    own = row.own
    if row is first or len(own) != 1 or row.numeric or row.below or len(first.own) < 2:
        return False
    text = row.cells[own[0]]
    return bool(len(text) >= _REMARK_LENGTH or _REMARK.match(text) or (text.endswith((".", "。")) and " " in text))


def _split_head(rows: Sequence[Row]) -> tuple[list[Row], int]:
    """Return the rows and the number of header rows. There are several header rows if group titles are merged or spread
    over columns."""
    rows, header = list(rows), 1
    while header < min(_MAX_HEAD, len(rows)):
        above, row = rows[header - 1], rows[header]
        is_head = _goes_down(above, row) or (above.across and _is_under_groups(above, row))
        if _numbers(row) or not is_head:
            break
        header += 1
    if header == 1 and len(rows) > 2 and (groups := _groups(rows[0], rows[1], rows[2])):
        return [groups, *rows[1:]], 2
    return rows, header


def _goes_down(above: Row, row: Row) -> bool:
    """Return whether a cell is merged across both rows."""
    both = min(len(above.cells), len(row.cells))
    return any(row.below >> column & 1 and row.cells[column] == above.cells[column] for column in range(both))


def _is_under_groups(above: Row, row: Row) -> bool:
    """Return whether all cells of the row are below merged or empty cells. A body row also has other cells."""
    groups = above.across | above.across >> 1
    return all(groups >> column & 1 or not (column < len(above.cells) and above.cells[column]) for column in row.own)


def _numbers(row: Row) -> bool:
    """Return whether the row has numbers other than years."""
    return any(row.numeric >> column & 1 and not _YEAR.fullmatch(row.cells[column]) for column in row.own)


def _groups(first: Row, second: Row, body: Row) -> Row | None:
    """Return the first row with its group titles spread to the right, if it groups the titles in the second row;
    otherwise None."""
    width = max(len(first.cells), len(second.cells))
    cells = [*first.cells, *[""] * (width - len(first.cells))]
    under = [*second.cells, *[""] * (width - len(second.cells))]
    if _numbers(second) or not body.numeric or _numbers(first) or len(second.own) <= len(first.own):
        return None
    columns = [column for column in range(width) if cells[column] or under[column]]
    left = columns[0]
    if bool(cells[left]) == bool(under[left]) or any(under[c] == "" != cells[c] for c in columns[1:]):
        return None  # only one of the two rows has a title for the row labels, and every group is above titles
    group = ""
    for column in columns[1:]:
        group = cells[column] or group
        cells[column] = group
    return first._replace(cells=tuple(cells))


def _bounds(rows: Sequence[Row]) -> list[int]:
    """Return the first column of each of several side-by-side tables; 0 for the leftmost."""
    used: set[int] = set()
    for row in rows:
        own = row.own
        used.update(own if len(own) == 1 else row.used)
    columns = sorted(used)
    starts = [right for left, right in pairwise(columns) if right - left > 1]
    bounds = [0]
    for place, start in enumerate(starts if len(starts) < _MAX_BESIDE else ()):
        end = starts[place + 1] if place + 1 < len(starts) else columns[-1] + 1
        gap = start - 1 - max(column for column in columns if column < start)
        left = [part for row in rows if (part := row.within(bounds[-1], start)).own]
        right = [part for row in rows if (part := row.within(start, end)).own]
        if left and right and _are_apart(left, right, gap):
            bounds.append(start)
    return bounds


def _are_apart(left: Sequence[Row], right: Sequence[Row], gap: int) -> bool:
    """Return whether two blocks of cells are two tables, rather than one table with empty columns."""
    for lone, other in ((left, right), (right, left)):
        if sum(len(row.own) for row in lone) == 1:  # a note next to a table
            return lone[0].number != other[0].number and not lone[0].numeric
    if left[-1].number < right[0].number or right[-1].number < left[0].number:
        return True
    is_lower = left[0].number != right[0].number
    widths = [len({column for row in rows for column in row.used}) for rows in (left, right)]
    if min(widths) < 2:
        return widths[1] == 1 and is_lower and _is_dense(right)
    if _lone(_head_of(left)) == _lone(_head_of(right)):
        return True
    return _stands_alone(left, right, gap, is_lower=is_lower)


def _stands_alone(left: Sequence[Row], right: Sequence[Row], gap: int, *, is_lower: bool) -> bool:
    """Return whether the right block has its own row labels or its own range of rows."""
    is_uneven = left[-1].number != right[-1].number
    if not _has_labels(right):
        return is_uneven and not is_lower and _is_dense(right)
    if is_lower or is_uneven:
        return _is_dense(right)
    has_numbers = all(any(row.numeric for row in rows[1:]) for rows in (left, right))
    return _has_labels(left) and (has_numbers or gap > 1)


def _head_of(rows: Sequence[Row]) -> Row:
    """Return the first row that is not a title."""
    return next((row for row in rows if len(row.own) > 1), rows[0])


def _is_dense(rows: Sequence[Row]) -> bool:
    width = len({column for row in rows for column in row.used})
    return sum(len(row.used) for row in rows) >= _DENSE * width * len(rows)


def _has_labels(rows: Sequence[Row]) -> bool:
    """Return whether the first column labels the rows: below the header, each row has a different text or year
    there."""
    head = _head_of(rows)
    body = [row for row in rows if row.number > head.number]
    column = min(column for row in rows for column in row.used)
    labels = [row.cells[column] if column < len(row.cells) else "" for row in body]
    are_names = all(
        label and (not row.numeric >> column & 1 or _YEAR.fullmatch(label))
        for label, row in zip(labels, body, strict=True)
    )
    return bool(labels) and are_names and len(set(labels)) == len(labels)
