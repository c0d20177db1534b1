"""The body of a table that nothing rules: which lines go on with the row before."""

from __future__ import annotations

from itertools import pairwise

from corpus.readers.pdf.lines import HYPHEN
from corpus.readers.pdf.tables.bands import Band, append, is_between, is_number, text_of
from corpus.readers.pdf.tables.grid import is_led

_TIGHT = 1.3
_INDENT = 2.0


def merged_body(bands: list[Band], edges: list[float], whole: list[float]) -> list[Band]:
    """Lines that go on with the entries of the row before are put to it."""
    pitch = _usual_pitch(bands)
    merged: list[Band] = []
    for band in bands:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append(last, band)
        elif _is_parted(last, band, whole, pitch):
            merged.append(band)
        elif _goes_on(last, band, edges, pitch):
            append(last, band)
        else:
            merged.append(band)
    return merged


def _is_parted(last: Band, band: Band, whole: list[float], pitch: float) -> bool:
    """Whether a rule, dots, more space than usual or a label further left say that a row begins."""
    if any(last.bottom - 3 <= at <= band.top + 3 for at in whole) or band.spanning or last.spanning:
        return True
    if pitch and band.bottom - last.bottom > 1.6 * pitch:
        return True
    if 0 not in band.columns or 0 not in last.columns:
        return False
    further = band.held[0][0].box[0] < last.held[0][0].box[0] - _INDENT
    return further or is_led(text_of(last.held[0][-1:]))


def _goes_on(last: Band, band: Band, edges: list[float], pitch: float) -> bool:
    """Whether each entry of the line had no room in the line before, and none starts anew."""
    if last.columns == {0} and 0 in band.columns and _is_within(band.held[0][0].text):
        return True  # the label of one row on two lines, with its entries beside the second
    if not band.columns <= last.columns or band.columns == last.columns == {0}:
        return False
    if len(band.columns) == 1 and 0 not in band.columns and 0 < band.bottom - last.bottom < _TIGHT * pitch:
        (column,) = band.columns  # no row by itself, without a label and with one entry
        if not is_number(text_of(band.held[column])):
            return True
    # a label and entries beside it, or all of them, look like a row where they do not run on
    starts = {0} if 0 in band.columns and len(band.columns) > 1 else set[int]()
    starts |= band.columns if band.columns == last.columns else set[int]()
    return all(_runs_on(last, band, column) for column in starts) and all(
        _forced(last, band, column, edges) for column in band.columns
    )


def _runs_on(last: Band, band: Band, column: int) -> bool:
    """Whether the entry begins as one does in the middle of a sentence or word."""
    return last.held[column][-1].text.endswith(HYPHEN) or _is_within(band.held[column][0].text)


def _is_within(word: str) -> bool:
    return word[:1].islower() or word.startswith("(")


def _forced(last: Band, band: Band, column: int, edges: list[float]) -> bool:
    """Whether the line broke because the next word had no room."""
    before, after = last.held[column], band.held[column]
    if before[-1].text.endswith(HYPHEN):
        return True
    if is_number(text_of(after)) and is_number(text_of(before)):
        return False
    first = after[0]
    return last.ends[column] + 0.2 * first.height + (first.box[2] - first.box[0]) > edges[column] + 1


def column_edges(bands: list[Band], width: int) -> list[float]:
    """How far right each column reaches."""
    edges = [0.0] * width
    for band in bands:
        for column, end in band.ends.items():
            if band.spans.get(column, 1) == 1:
                edges[column] = max(edges[column], end)
    return edges


def _usual_pitch(bands: list[Band]) -> float:
    steps = sorted(after.bottom - before.bottom for before, after in pairwise(bands))
    return steps[len(steps) // 2] if steps else 0.0
