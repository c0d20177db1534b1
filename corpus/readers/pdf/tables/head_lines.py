"""How many of the first lines of a table are its head."""

from __future__ import annotations

from corpus.blocks import Box
from corpus.readers.pdf.tables.bands import Band, is_number, is_quantity, is_whole, text_of
from corpus.readers.pdf.tables.rules import Rule

_HEAD = 4


def header_lines(bands: list[Band], across: list[Rule], box: Box) -> int:
    """How many of the first lines are the head: above the first whole rule within, else above the numbers.

    Below titles over several columns the line with the titles of each belongs to it too.
    """
    count = _ruled_off(bands, across, box) or _above_numbers(bands)
    while count < min(_HEAD, len(bands) - 1) and _lacks_titles(bands[:count]) and _are_titles(bands[count]):
        count += 1
    return count


def _lacks_titles(bands: list[Band]) -> bool:
    """Whether no line below an entry over several columns has titles of these."""
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
            return len(above) if len(above) <= max(_HEAD, len(bands) // 3) else 1
    return 0


def _above_numbers(bands: list[Band]) -> int:
    for number, band in enumerate(bands):
        if number and _is_row(band, bands[:number]):
            return number
        texts = [text_of(words) for column, words in band.held.items() if column > 0]
        if len(texts) > 1 and sum(map(is_number, texts)) * 2 > len(texts) and not band.spanning:
            return max(1, number) if number <= max(_HEAD, len(bands) // 3) else 1
    return 1


def _is_row(band: Band, above: list[Band]) -> bool:
    """Whether it has a label below that of the head, with quantities beside it or below all titles."""
    if 0 not in band.columns or not any(0 in other.columns for other in above) or band.spanning:
        return False
    entries = [text_of(words) for column, words in band.held.items() if column > 0]
    return any(map(is_quantity, entries)) or not _lacks_titles(above)


def _are_titles(band: Band) -> bool:
    texts = [text_of(words) for column, words in band.held.items() if column > 0]
    return len(texts) > 1 and not any(map(is_number, texts))
