"""Sheets and ranges of cells, as a query names them and as a heading does: `'Stanley Cups'!A2:C5`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.places.place import Place

MAX_NAMED_ROWS = 50
"""Of a range in a query. A longer one narrows little, and only its sheet counts."""
MAX_BLOCK_ROWS = 500
"""Of a block: as many as the reader of sheets gives one at most."""

Span = tuple[int, int, tuple[Place, ...]]
"""Where in a query places are named, and which."""


def _cells(number: int, colon: str) -> str:
    """A cell or a range, with its first and its last row as groups."""
    cell = r"\$?[A-Za-z]{1,3}\$?(?P<%s%d>[1-9][0-9]{0,6})"
    return f"{cell % ('top', number)}(?:{colon}{cell % ('bottom', number)})"


_QUOTES = "\"'“”„‘’«»"
_NAME = r"[^\W\d]\w{0,30}"
_MAX_QUOTED = 40
_TO = r"(?:\s?[:–-]\s?|\s(?:to|bis)\s)"
_REFERENCE = re.compile(rf"!{_cells(1, ':')}?(?!\w)")
_RANGE = re.compile(rf"(?<![\w!$]){_cells(1, ':')}(?![\w!:])")
_NAMED_CELLS = re.compile(rf"(?i:\s{{1,2}}{_cells(1, _TO)}?(?![\w!:]))")
_QUOTED_NAME = re.compile(rf"\s{{1,2}}[{_QUOTES}]([^{_QUOTES}!\n]{{1,{_MAX_QUOTED}}})[{_QUOTES}]")
_NUMBER = re.compile(r"\s?([0-9]{1,3})(?![.,]?\w)")
_TITLE_NAME = re.compile(rf"\s((?=[A-ZÄÖÜ]){_NAME})(?![\w!])")
_SHEET_WORDS = frozenset(("sheet", "worksheet", "tab", "blatt", "tabellenblatt", "arbeitsblatt"))
_CELL_WORDS = frozenset(("cell", "cells", "zelle", "zellen", "range", "bereich"))
_BEFORE_NUMBER = _SHEET_WORDS - {"tab"}
_BEFORE_NAME = _SHEET_WORDS - {"tab", "blatt"}
_BEFORE_SHEET = re.compile(r"(?:(?<!\w)(?:the|in|on|of|from|auf|im) |^)$")
"""A data sheet LM317 and a fact sheet Germany are none."""
_HEADING = re.compile(rf"(?:'(?P<quoted>(?:[^']|''){{1,62}})'|(?P<bare>\w{{1,31}}))!{_cells(1, ':')}")


def cells_in(query: str) -> Iterator[Span]:
    """The cells that a query names by themselves, each with its span: `B3:D9`, and with their sheet `Sales!B3:D9`."""
    for match in _REFERENCE.finditer(query):
        if name := _name_before(query, match.start()):
            place = _sheet(name.strip(_QUOTES))
            rows = rows_between(match["top1"], match["bottom1"])
            yield match.start() - len(name), match.end(), ((place, *rows) if place else rows)
    if ":" in query:
        for match in _RANGE.finditer(query):
            if rows := rows_between(match["top1"], match["bottom1"]):
                yield *match.span(), rows


def sheet_at(query: str, start: int, end: int, word: str) -> Span | None:
    """The sheet or the cells that are named by this word and what stands beside it, with their span."""
    if word in _CELL_WORDS and (cells := _NAMED_CELLS.match(query, end)):
        rows = rows_between(cells["top1"], cells["bottom1"])
        return (start, cells.end(), rows) if rows else None
    if word not in _SHEET_WORDS:
        return None
    name = _QUOTED_NAME.match(query, end) or (_NUMBER.match(query, end) if word in _BEFORE_NUMBER else None)
    if not name and word in _BEFORE_NAME and (word != "sheet" or _stands_alone(query, start)):
        name = _TITLE_NAME.match(query, end)
    if name and (place := _sheet(name[1])):
        return start, name.end(), (place,)
    before = _name_before(query, start - 1) if query[start - 1 : start] == " " else ""
    place = _sheet(before.strip(_QUOTES)) if before[-1:] in _QUOTES and before else None
    return (start - 1 - len(before), end, (place,)) if place else None


def _stands_alone(query: str, start: int) -> bool:
    return query.startswith("sheet", start) and bool(_BEFORE_SHEET.search(query, max(0, start - 6), start))


def _name_before(query: str, end: int) -> str:
    """The name that ends here: in quotes, which are part of what comes back, or one word."""
    text = query[max(0, end - _MAX_QUOTED - 2) : end]
    if text[-1:] and text[-1] in _QUOTES:
        opening = max(text.rfind(quote, 0, len(text) - 1) for quote in _QUOTES)
        return text[opening:] if opening >= 0 and len(text) - opening > 2 else ""
    return re.split(r"\W", text)[-1]


def sheets_of(heading: str) -> frozenset[Place]:
    """The sheet and the rows of a heading that is a range of cells, nothing for any other."""
    match = _HEADING.fullmatch(heading)
    if not match:
        return frozenset()
    name = match["quoted"].replace("''", "'") if match["quoted"] else match["bare"]
    sheet = _sheet(name)
    return frozenset(rows_between(match["top1"], match["bottom1"], MAX_BLOCK_ROWS)) | ({sheet} if sheet else set())


def rows_between(top: str, bottom: str | None, at_most: int = MAX_NAMED_ROWS) -> tuple[Place, ...]:
    """Each row of a range, in order. None where there are more than `at_most`."""
    low, high = sorted((int(top), int(bottom or top)))
    if high - low >= at_most:
        return ()
    return tuple(Place("row", str(row)) for row in range(low, high + 1))


def _sheet(name: str) -> Place | None:
    place = Place.at("sheet", name)
    return place if place.label else None
