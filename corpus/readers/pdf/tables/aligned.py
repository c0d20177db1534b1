"""Table grids found by alignment: columns between gaps, headers, and rows of one or several lines."""

from __future__ import annotations

from itertools import pairwise

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.rules import Rule
from corpus.readers.pdf.tables.columns import (
    Band,
    Entry,
    Row,
    append_band,
    band_of,
    column_edges,
    entries_of,
    gaps_of,
    is_between,
    is_number,
    is_quantity,
    is_whole,
    merged_body,
    ruled_gaps,
    text_of,
)
from corpus.readers.pdf.tables.grid import Cell, Grid, Word, boxes_of, lines_of, rows_of, without_empty_rows, words_box

_MAX_OFFSET = 2.0  # Maximum distance in points between the ends or middles of aligned entries.


def merged_head(bands: list[Band], across: list[Rule]) -> list[Band]:
    """Merge the header lines into rows, except below an entry that spans columns."""
    rows: list[Band] = []
    for band in bands:
        last = rows[-1] if rows else None
        if last is None:
            rows.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append_band(last, band)  # the entries are midway between two lines
            last.middle_columns |= band.columns
        elif _spread_over_titles(last, band) or _has_rule_between(last, band, across):
            rows.append(band)
        elif _is_centred_below(last, band) or not (last.has_span or band.has_span):
            append_band(last, band)
        else:
            rows.append(band)
    return rows


def _has_rule_between(last: Band, band: Band, across: list[Rule]) -> bool:
    return any(last.bottom - 3 <= rule.at <= band.top + 3 and rule.length > 8 for rule in across)


def are_unclear(bands: list[Band]) -> bool:
    """Return whether an entry above a line of titles is directly above none of them, so that its span is unknown."""
    for last, band in pairwise(bands):
        if last.has_span or band.has_span or is_between(last, band) or not last.columns < band.columns:
            continue
        if not all(_is_above(last.cells[column], band.cells[column]) for column in last.columns):
            return True
    return False


def _is_above(upper: list[Word], lower: list[Word]) -> bool:
    """Return whether two entries are aligned at their left ends, right ends or middles."""
    upper_box, lower_box = words_box(upper), words_box(lower)
    offs = (
        upper_box[0] - lower_box[0],
        upper_box[2] - lower_box[2],
        (upper_box[0] + upper_box[2] - lower_box[0] - lower_box[2]) / 2,
    )
    return min(map(abs, offs)) < _MAX_OFFSET


def _is_centred_below(last: Band, band: Band) -> bool:
    """Return whether each entry is centred below an entry of the previous line."""
    return band.columns <= last.columns and all(
        abs(_middle(last.cells[column]) - _middle(band.cells[column])) < _MAX_OFFSET for column in band.columns
    )


def _spread_over_titles(last: Band, band: Band) -> bool:
    """Extend the entries of `last` over the titles below them, provided that `last` also contains entries midway
    between two lines. Return False if the spans are unknown."""
    if not last.middle_columns or band.columns & last.middle_columns:
        return False
    runs = {}
    for column in last.columns - last.middle_columns:
        run = _columns_around(column, band.columns)
        if len(run) < 2 or len(set(run) & last.columns) > 1:
            return False
        runs[column] = run
    for column, run in runs.items():
        last.cells[run[0]] = last.cells.pop(column)
        last.spans.pop(column)
        last.spans[run[0]] = len(run)
        last.ends[run[0]] = last.ends.pop(column)
    return bool(runs)


def _columns_around(column: int, columns: set[int]) -> range:
    """Return the contiguous columns around `column`; empty if `columns` does not contain it."""
    first = last = column
    while first - 1 in columns:
        first -= 1
    while last + 1 in columns:
        last += 1
    return range(first, last + 1) if column in columns else range(0)


def _middle(words: list[Word]) -> float:
    left, _, right, _ = words_box(words)
    return (left + right) / 2


_MAX_HEAD = 4  # Maximum number of header lines; a header rarely has more than three levels and a unit.


def header_lines(bands: list[Band], across: list[Rule], box: Box) -> int:
    """Return the number of header lines: the lines above the first rule across the entire table or, without such a
    rule, those above the numbers. Below titles that span columns, the line with the titles of the individual columns
    also belongs to the header."""
    count = _ruled_off(bands, across, box) or _above_numbers(bands)
    while count < min(_MAX_HEAD, len(bands) - 1) and _lacks_titles(bands[:count]) and _are_titles(bands[count]):
        count += 1
    return count


def _lacks_titles(bands: list[Band]) -> bool:
    """Return whether an entry spans columns for which no line below it has titles."""
    for number, band in enumerate(bands):
        wide = [range(column, column + span) for column, span in band.spans.items() if span > 1]
        below = set[int]().union(*(other.columns for other in bands[number + 1 :]))
        if any(not below & set(columns) for columns in wide):
            return True
    return False


def _ruled_off(bands: list[Band], across: list[Rule], box: Box) -> int:
    for at in sorted(rule.at for rule in across if is_whole(rule, box)):
        above = [band for band in bands if (band.top + band.bottom) / 2 < at]
        if above and len(above) < len(bands):
            return len(above) if len(above) <= max(_MAX_HEAD, len(bands) // 3) else 1
    return 0


def _above_numbers(bands: list[Band]) -> int:
    for number, band in enumerate(bands):
        if number and _is_row(band, bands[:number]):
            return number
        texts = [text_of(words) for column, words in band.cells.items() if column > 0]
        if len(texts) > 1 and sum(map(is_number, texts)) * 2 > len(texts) and not band.has_span:
            return max(1, number) if number <= max(_MAX_HEAD, len(bands) // 3) else 1
    return 1


def _is_row(band: Band, above: list[Band]) -> bool:
    """Return whether the band is a body row: it has a label below the label of the header, and quantities next to it or
    titles above all of its columns."""
    if 0 not in band.columns or not any(0 in other.columns for other in above) or band.has_span:
        return False
    entries = [text_of(words) for column, words in band.cells.items() if column > 0]
    return any(map(is_quantity, entries)) or not _lacks_titles(above)


def _are_titles(band: Band) -> bool:
    texts = [text_of(words) for column, words in band.cells.items() if column > 0]
    return len(texts) > 1 and not any(map(is_number, texts))


_MAX_OFF_MIDDLE = 0.05  # Maximum offset of a title from the middle, as a fraction of the table's width.
_MAX_OVERLAP = 0.3  # Maximum overlap with the next row, as a fraction of an entry's height; boxes include leading.
_MAX_LINES_BELOW = 4  # Maximum number of lines between a title and the first entry of its column.


def is_title(entry: Box, top: float, box: Box) -> bool:
    """Return whether the entry is above the columns and centred over all of them."""
    off = abs(entry[0] + entry[2] - box[0] - box[2]) / 2
    return entry[3] < top + 2 and off < _MAX_OFF_MIDDLE * (box[2] - box[0])


def is_clear_of(entry: Box, below: Row) -> bool:
    """Return whether the row is completely below the entry."""
    return min(each.box[1] for each in below) > entry[3] - _MAX_OVERLAP * (entry[3] - entry[1])


def without_title(bands: list[Band], gaps: int) -> list[Band]:
    """Return the bands without leading lines whose only entry spans most columns, as a title does."""
    while len(bands) > 2 and bands[0].columns == {0} and bands[0].spans[0] > max(2, 0.6 * gaps):
        bands = bands[1:]
    return bands


def split_titles(row: Row, next_rows: list[Row], gaps: list[float]) -> Row:
    """Return the row with merged titles split. A title is split if enough entries, including a number, are below it."""
    entries: Row = []
    for entry in row:
        gaps_inside = [gap for gap in gaps if entry.box[0] < gap < entry.box[2]]
        under = (
            [each for each in other if each.box[0] < entry.box[2] and entry.box[0] < each.box[2]]
            for other in next_rows[:_MAX_LINES_BELOW]
        )
        below = next(filter(None, under), [])
        places = [
            number
            for number, (last, word) in enumerate(pairwise(entry.words), 1)
            if any(last.box[2] - 1 <= gap <= word.box[0] + 1 for gap in gaps_inside)
        ]
        if len(entry.words) == len(gaps_inside) + 1 == len(below):
            places = list(range(1, len(entry.words)))  # one word for each column
        if (
            gaps_inside
            and len(places) == len(gaps_inside)
            and len(below) > len(gaps_inside)
            and any(is_number(each.text) for each in below)
        ):
            for start, end in pairwise([0, *places, len(entry.words)]):
                part = entry.words[start:end]
                entries.append(Entry(part, words_box(part)))
        else:
            entries.append(entry)
    return entries


_MIN_RULES_A_LINE = 0.2  # Minimum ratio of full-width rules to text lines; fewer rules separate groups of rows.


def aligned_grid(words: list[Word], level: list[Rule], upright: list[Rule], box: Box) -> Grid | None:
    """Return the grid of the words, or None if they are not in columns. This is the stream method of Tabula and
    Camelot, extended by headers, merged lines and spans. `box` is the region in points."""
    sides = sorted({round(rule.at, 1) for rule in upright if box[0] + 4 < rule.at < box[2] - 4})
    rows = [entries_of(row, _beside(row, upright, box)) for row in rows_of(words)]
    first = min((rule.start for rule in upright if round(rule.at, 1) in sides), default=box[1])
    while len(rows) > 2 and len(rows[0]) == 1 and is_title(title := rows[0][0].box, first, box):
        if not is_clear_of(title, rows[1]):
            break
        rows, box = rows[1:], (box[0], title[3], *box[2:])  # skip a title above the columns
    if len(rows) < 2:
        return None
    left, _, right, _ = union(entry.box for row in rows for entry in row)
    gaps = gaps_of(rows, min(box[0], left) - 2, max(box[2], right) + 2)
    gaps = ruled_gaps(gaps, sides, rows) if sides else gaps
    if not gaps:
        return None
    across = [rule for rule in level if box[1] - 3 <= rule.at <= box[3] + 3]
    rows = [split_titles(row, rows[n + 1 :], gaps) for n, row in enumerate(rows)]
    bands = [band_of(row, gaps, across, box) for row in rows]
    bands = without_title(bands, len(gaps))
    header = header_lines(bands, across, box)
    edges = column_edges(bands, len(gaps) + 1)
    whole = [rule.at for rule in across if is_whole(rule, box)]
    lines = (
        by_rules(bands[header:], whole) if len(whole) > _MIN_RULES_A_LINE * (len(bands) - header) else bands[header:]
    )
    if are_centred(lines) or are_unclear(bands[:header]):
        return None
    body = merged_body(lines, edges, whole)
    head = merged_head(bands[:header], across)
    return _grid([*head, *body], len(head), len(gaps) + 1, box, whole)


def _beside(row: list[Word], upright: list[Rule], box: Box) -> list[float]:
    """Return the positions (x) of vertical rules in the box that run past the row."""
    middle = row[0].middle
    return [
        rule.at for rule in upright if box[0] + 4 < rule.at < box[2] - 4 and rule.start - 2 <= middle <= rule.end + 2
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
    """Assign an entry that is alone in its column, midway between two rules, to all rows between these rules."""
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


_MIN_LABELLED = 0.4  # Minimum fraction of rows with a label, in a table whose rows start with a label.
_MAX_UNEVEN = 1.5  # Maximum difference in points by which the gap above a line may exceed the gap below it.


def are_centred(bands: list[Band]) -> bool:
    """Return whether entries of several lines are centred in their rows, so that the start of a row is unknown."""
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
    """Return whether the first line has no label and is close above the first label. If it is farther away, it is a
    title of the rows."""
    label_count = sum(0 in band.columns for band in bands)
    if len(bands) < 2 or 0 in bands[0].columns or label_count <= _MIN_LABELLED * len(bands):
        return False
    return bands[1].top - bands[0].bottom < (bands[0].bottom - bands[0].top) / 2


def by_rules(bands: list[Band], whole: list[float]) -> list[Band]:
    """Merge the lines between two rules into one row if exactly one line has a label and the others contain only
    words."""
    rows: list[Band] = []
    for group in _groups(bands, whole):
        label_bands = [band for band in group if 0 in band.columns]
        others = [band for band in group if 0 not in band.columns]
        plain = not any(is_number(text_of(words)) for band in others for words in band.cells.values())
        if len(label_bands) == 1 and plain and not any(band.has_span for band in group):
            row = group[0]
            for band in group[1:]:
                append_band(row, band)
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
