"""Grids of tables by alignment: columns between gaps, rows of one line or several."""

from __future__ import annotations

from corpus.blocks import Box
from corpus.readers.pdf.shown import union
from corpus.readers.pdf.tables.bands import (
    Band,
    append,
    band_of,
    column_edges,
    is_between,
    is_number,
    is_whole,
    merged_body,
    text_of,
)
from corpus.readers.pdf.tables.columns import entries_of, gaps_of, ruled_gaps
from corpus.readers.pdf.tables.grid import Cell, Grid, boxes_of, lines_of, without_empty_rows
from corpus.readers.pdf.tables.heads import (
    are_unclear,
    header_lines,
    is_clear_of,
    is_title,
    merged_head,
    parted,
    without_title,
)
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word, rows_of

_MIN_RULES_A_LINE = 0.2  # Whole rules per line of text; fewer rules part groups of rows, not rows.


def aligned_grid(words: list[Word], level: list[Rule], upright: list[Rule], box: Box) -> Grid | None:
    """The grid of the words, or None if they do not stand in columns. `box` is the region in points."""
    sides = sorted({round(rule.at, 1) for rule in upright if box[0] + 4 < rule.at < box[2] - 4})
    rows = [entries_of(row, _beside(row, upright, box)) for row in rows_of(words)]
    first = min((rule.start for rule in upright if round(rule.at, 1) in sides), default=box[1])
    while len(rows) > 2 and len(rows[0]) == 1 and is_title(title := rows[0][0].box, first, box):
        if not is_clear_of(title, rows[1]):
            break
        rows, box = rows[1:], (box[0], title[3], *box[2:])  # a title above the columns
    if len(rows) < 2:
        return None
    left, _, right, _ = union(entry.box for row in rows for entry in row)
    gaps = gaps_of(rows, min(box[0], left) - 2, max(box[2], right) + 2)
    gaps = ruled_gaps(gaps, sides, rows) if sides else gaps
    if not gaps:
        return None
    across = [rule for rule in level if box[1] - 3 <= rule.at <= box[3] + 3]
    rows = [parted(row, rows[n + 1 :], gaps) for n, row in enumerate(rows)]
    bands = [band_of(row, gaps, across, box) for row in rows]
    bands = without_title(bands, len(gaps))
    header = header_lines(bands, across, box)
    edges = column_edges(bands, len(gaps) + 1)
    whole = [rule.at for rule in across if is_whole(rule, box)]
    lines = (
        by_rules(bands[header:], whole)
        if len(whole) > _MIN_RULES_A_LINE * (len(bands) - header)
        else bands[header:]
    )
    if are_centred(lines) or are_unclear(bands[:header]):
        return None
    body = merged_body(lines, edges, whole)
    head = merged_head(bands[:header], across)
    return _grid([*head, *body], len(head), len(gaps) + 1, box, whole)


def _beside(row: list[Word], upright: list[Rule], box: Box) -> list[float]:
    """Positions (x) of upright rules within the box that pass the row."""
    middle = row[0].middle
    return [
        rule.at
        for rule in upright
        if box[0] + 4 < rule.at < box[2] - 4 and rule.start - 2 <= middle <= rule.end + 2
    ]


def _grid(bands: list[Band], header: int, width: int, box: Box, whole: list[float]) -> Grid | None:
    if len(bands) < 2:
        return None
    cells = []
    for row, band in enumerate(bands):
        for column, words in band.cells.items():
            only = len(band.cells) == 1 and band.spans.get(column, 1) > 1 and row >= header
            start, span = (0, width) if only else (column, band.spans.get(column, 1))
            cells.append(Cell(row, start, lines_of(words), 1, span, boxes_of(words)))
    cells = _with_row_spans(cells, bands, header, whole)
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return without_empty_rows(len(bands), width, cells, header, box)


def _with_row_spans(cells: list[Cell], bands: list[Band], header: int, whole: list[float]) -> list[Cell]:
    """Give an entry alone in its column, midway between two rules, to all rows between them."""
    groups: list[list[int]] = []
    for row in range(header, len(bands)):
        if groups and not any(bands[row - 1].bottom - 3 <= at <= bands[row].top + 3 for at in whole):
            groups[-1].append(row)
        else:
            groups.append([row])
    if len(groups) < 2:
        return cells
    result = []
    for cell in cells:
        group = next((group for group in groups if cell.row in group), [cell.row])
        is_alone = sum(1 for other in cells if other.row in group and other.column == cell.column) == 1
        middle = (bands[group[0]].top + bands[group[-1]].bottom) / 2
        band = bands[cell.row]
        is_centred = abs((band.top + band.bottom) / 2 - middle) < 0.6 * (band.bottom - band.top)
        if len(group) > 1 and is_alone and is_centred and cell.columns == 1:
            result.append(Cell(group[0], cell.column, cell.lines, len(group), 1, cell.boxes))
        else:
            result.append(cell)
    return result


_MIN_LABELLED = 0.4  # Share of rows with a label, in a table whose rows start with one.
_MAX_UNEVEN = 1.5  # Points by which the gap above a line may exceed the gap below it.


def are_centred(bands: list[Band]) -> bool:
    """Whether entries of several lines are centred in their rows, so that the start of a row is unknown."""
    if _begins_without_label(bands):
        return True
    for before, band, after in zip(bands, bands[1:], [*bands[2:], None], strict=False):
        if 0 in band.columns or any(is_number(text_of(words)) for words in band.cells.values()):
            continue
        if is_between(before, band) or (after is not None and is_between(band, after)):
            return True
        if after is not None and after.top - band.bottom < band.top - before.bottom - _MAX_UNEVEN:
            return True
    return False


def _begins_without_label(bands: list[Band]) -> bool:
    """Whether the first line stands close above the first label; further off it is a title of the rows."""
    label_count = sum(0 in band.columns for band in bands)
    if len(bands) < 2 or 0 in bands[0].columns or label_count <= _MIN_LABELLED * len(bands):
        return False
    return bands[1].top - bands[0].bottom < (bands[0].bottom - bands[0].top) / 2


def by_rules(bands: list[Band], whole: list[float]) -> list[Band]:
    """Merge the lines between two rules into one row, where one line has the label and the others only words."""
    rows: list[Band] = []
    for group in _groups(bands, whole):
        label_bands = [band for band in group if 0 in band.columns]
        others = [band for band in group if 0 not in band.columns]
        plain = not any(is_number(text_of(words)) for band in others for words in band.cells.values())
        if len(label_bands) == 1 and plain and not any(band.has_span for band in group):
            row = group[0]
            for band in group[1:]:
                append(row, band)
            rows.append(row)
        else:
            rows += group
    return rows


def _groups(bands: list[Band], whole: list[float]) -> list[list[Band]]:
    groups: list[list[Band]] = []
    for band in bands:
        middle = (band.top + band.bottom) / 2
        last = groups[-1][-1] if groups else None
        if last is None or any((last.top + last.bottom) / 2 < at < middle for at in whole):
            groups.append([band])
        else:
            groups[-1].append(band)
    return groups
