"""The head of a table that nothing rules: which of its lines it takes, and which of them are one."""

from __future__ import annotations

from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.tables.bands import WIDE, Band, append, is_between, is_number, text_of
from corpus.readers.pdf.tables.columns import Entry, Row
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import around

_MIDDLE = 0.05


def is_title(entry: Box, top: float, box: Box) -> bool:
    """Whether it stands above the columns, in the middle of all of them."""
    off = abs(entry[0] + entry[2] - box[0] - box[2]) / 2
    return entry[3] < top + 2 and off < _MIDDLE * (box[2] - box[0])


def without_title(bands: list[Band], gaps: int) -> list[Band]:
    """Without a first line that stands over most columns by itself, as a title does."""
    while len(bands) > 2 and bands[0].columns == {0} and bands[0].spans[0] > max(2, 0.6 * gaps):
        bands = bands[1:]
    return bands


def parted(row: Row, next_rows: list[Row], gaps: list[float]) -> Row:
    """Titles of columns so close that they look like one, as many, where no titles stand below them."""
    parted: Row = []
    for entry in row:
        inside = [gap for gap in gaps if entry.box[0] < gap < entry.box[2]]
        below = [
            each
            for other in next_rows
            for each in other
            if each.box[0] < entry.box[2] and entry.box[0] < each.box[2]
        ]
        places = [
            number
            for number, (last, word) in enumerate(pairwise(entry.words), 1)
            if any(last.box[2] - 1 <= gap <= word.box[0] + 1 for gap in inside)
        ]
        if (
            inside
            and len(places) == len(inside)
            and len(below) > len(inside)
            and any(is_number(each.text) for each in below)
        ):
            for start, end in pairwise([0, *places, len(entry.words)]):
                part = entry.words[start:end]
                parted.append(Entry(part, around(part)))
        else:
            parted.append(entry)
    return parted


def header_lines(bands: list[Band], across: list[Rule], box: Box) -> int:
    """How many of the first lines are the head: above the first whole rule within, else above the numbers."""
    wide = [rule.at for rule in across if rule.length > WIDE * (box[2] - box[0])]
    for at in sorted(wide):
        above = [band for band in bands if (band.top + band.bottom) / 2 < at]
        if above and len(above) < len(bands):
            return len(above) if len(above) <= max(4, len(bands) // 3) else 1
    for number, band in enumerate(bands):
        texts = [text_of(words) for column, words in band.held.items() if column > 0]
        if len(texts) > 1 and sum(map(is_number, texts)) * 2 > len(texts) and not band.spanning:
            return max(1, number) if number <= max(4, len(bands) // 3) else 1
    return 1


def merged_head(bands: list[Band], across: list[Rule]) -> list[Band]:
    """Lines of the head put together, except below an entry that stands over several columns."""
    merged: list[Band] = []
    for band in bands:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append(last, band)  # of the height of several lines, in their middle
        elif not last.spanning and not band.spanning and not _is_ruled(last, band, across):
            append(last, band)
        else:
            merged.append(band)
    return merged


def _is_ruled(last: Band, band: Band, across: list[Rule]) -> bool:
    return any(last.bottom - 3 <= rule.at <= band.top + 3 and rule.length > 8 for rule in across)
