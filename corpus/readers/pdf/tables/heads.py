"""Heads of tables without rules: their lines, titles that span columns, and the title above."""

from __future__ import annotations

from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.tables.bands import (
    Band,
    append,
    is_between,
    is_number,
    is_quantity,
    is_whole,
    text_of,
)
from corpus.readers.pdf.tables.columns import Entry, Row
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word, around

_MAX_OFFSET = 2.0  # Points between ends or middles of entries that stand above each other.


def merged_head(bands: list[Band], across: list[Rule]) -> list[Band]:
    """Merge the lines of the head, except below an entry that spans columns."""
    rows: list[Band] = []
    for band in bands:
        last = rows[-1] if rows else None
        if last is None:
            rows.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append(last, band)  # of the height of several lines, in their middle
            last.middle_columns |= band.columns
        elif _spread_over_titles(last, band) or _has_rule_between(last, band, across):
            rows.append(band)
        elif _is_centred_below(last, band) or not (last.has_span or band.has_span):
            append(last, band)
        else:
            rows.append(band)
    return rows


def _has_rule_between(last: Band, band: Band, across: list[Rule]) -> bool:
    return any(last.bottom - 3 <= rule.at <= band.top + 3 and rule.length > 8 for rule in across)


def are_unclear(bands: list[Band]) -> bool:
    """Whether an entry above titles stands straight above none, so that its span is unknown."""
    for last, band in pairwise(bands):
        if last.has_span or band.has_span or is_between(last, band) or not last.columns < band.columns:
            continue
        if not all(_is_above(last.cells[column], band.cells[column]) for column in last.columns):
            return True
    return False


def _is_above(upper: list[Word], lower: list[Word]) -> bool:
    """Whether two entries are aligned at their left or right ends or middles."""
    upper_box, lower_box = around(upper), around(lower)
    offs = (
        upper_box[0] - lower_box[0],
        upper_box[2] - lower_box[2],
        (upper_box[0] + upper_box[2] - lower_box[0] - lower_box[2]) / 2,
    )
    return min(map(abs, offs)) < _MAX_OFFSET


def _is_centred_below(last: Band, band: Band) -> bool:
    """Whether each entry is centred below one of the line before."""
    return band.columns <= last.columns and all(
        abs(_middle(last.cells[column]) - _middle(band.cells[column])) < _MAX_OFFSET
        for column in band.columns
    )


def _spread_over_titles(last: Band, band: Band) -> bool:
    """Span entries above a line of titles over them, where other entries are as high as both lines. Returns False if
    the spans are unknown."""
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
    """The contiguous columns around `column`; empty if it is not among them."""
    first = last = column
    while first - 1 in columns:
        first -= 1
    while last + 1 in columns:
        last += 1
    return range(first, last + 1) if column in columns else range(0)


def _middle(words: list[Word]) -> float:
    left, _, right, _ = around(words)
    return (left + right) / 2


_MAX_HEAD = 4  # Lines of a head; rarely more than three levels and a unit.


def header_lines(bands: list[Band], across: list[Rule], box: Box) -> int:
    """Number of head lines: those above the first whole rule within, else above the numbers. Below titles that span
    columns, the line with the titles of each belongs to the head too."""
    count = _ruled_off(bands, across, box) or _above_numbers(bands)
    while (
        count < min(_MAX_HEAD, len(bands) - 1) and _lacks_titles(bands[:count]) and _are_titles(bands[count])
    ):
        count += 1
    return count


def _lacks_titles(bands: list[Band]) -> bool:
    """Whether no line below an entry that spans columns has their titles."""
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
    """Whether the band has a label below the head's, with quantities beside it or below all titles."""
    if 0 not in band.columns or not any(0 in other.columns for other in above) or band.has_span:
        return False
    entries = [text_of(words) for column, words in band.cells.items() if column > 0]
    return any(map(is_quantity, entries)) or not _lacks_titles(above)


def _are_titles(band: Band) -> bool:
    texts = [text_of(words) for column, words in band.cells.items() if column > 0]
    return len(texts) > 1 and not any(map(is_number, texts))


_MAX_OFF_MIDDLE = 0.05  # Share of the table's width by which a title may be off its middle.
_MAX_OVERLAP = 0.3  # Share of an entry's height by which the next row may overlap it; boxes include leading.
_MAX_LINES_BELOW = 4  # Lines between a title and the first entry of its column.


def is_title(entry: Box, top: float, box: Box) -> bool:
    """Whether the entry stands above the columns, in the middle of all of them."""
    off = abs(entry[0] + entry[2] - box[0] - box[2]) / 2
    return entry[3] < top + 2 and off < _MAX_OFF_MIDDLE * (box[2] - box[0])


def is_clear_of(entry: Box, below: Row) -> bool:
    """Whether the row stands wholly below the entry."""
    return min(each.box[1] for each in below) > entry[3] - _MAX_OVERLAP * (entry[3] - entry[1])


def without_title(bands: list[Band], gaps: int) -> list[Band]:
    """The bands without first lines that span most columns alone, as titles do."""
    while len(bands) > 2 and bands[0].columns == {0} and bands[0].spans[0] > max(2, 0.6 * gaps):
        bands = bands[1:]
    return bands


def parted(row: Row, next_rows: list[Row], gaps: list[float]) -> Row:
    """The row with merged titles split, where as many entries and no titles stand below them."""
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
            places = list(range(1, len(entry.words)))  # a word for each column
        if (
            gaps_inside
            and len(places) == len(gaps_inside)
            and len(below) > len(gaps_inside)
            and any(is_number(each.text) for each in below)
        ):
            for start, end in pairwise([0, *places, len(entry.words)]):
                part = entry.words[start:end]
                entries.append(Entry(part, around(part)))
        else:
            entries.append(entry)
    return entries
