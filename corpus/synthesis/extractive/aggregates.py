"""Compute the sum, count, average, maximum or minimum that a question asks of a table, in exact decimals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.lexicon import Aggregate
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.table import Row, Table
from corpus.text.analysis import terms

NUMERIC_SHARE = 0.8
"""Share of a column's non-empty cells that must be numbers: notes may stand among them."""
_NUMBER = re.compile(r"[-−+]?\d[\d.,'’\s\u202f]*")
_UNIT = re.compile(r"[\s€$£¥%]|eur|usd|chf|gbp", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(?:sub)?(?:total|sum|summe|gesamt\w*|insgesamt|zwischensumme)\b", re.IGNORECASE)
"""The label of a total row, which is not one of the values."""
_QUANTITY = re.compile(r"\b(?:quantity|qty|count|number|units|pieces|anzahl|menge|stück(?:zahl)?)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"€|\$|£|\b(?:amount|price|cost|total|eur|usd|chf|betrag|preis|kosten|summe|wert|value)\b", re.IGNORECASE
)
_OF_MONEY = re.compile(
    r"\b(?:spen[dt]|cost|paid?|expens\w*|cheap\w*|price|amount|ausgegeben|kost\w*|teuer\w*|teuerste\w*|billig\w*|bezahlt|ausgaben|preis\w*|betrag)\b",
    re.IGNORECASE,
)
_OF_TIME = re.compile(r"\b(?:old(?:est)?|new(?:est)?|latest|earliest|recent|ält\w*|neu\w*|jüngst\w*)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:year|date|jahr|datum|\w*jahr)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Computed:
    """The value of an aggregate. `rows` are the indices of the rows that it covers, by (reading, unit); `column` is the
    name of their values, empty for a count of rows; `mark` is the decimal mark."""

    aggregate: Aggregate
    value: Decimal
    column: str
    rows: dict[tuple[int, int], tuple[int, ...]]
    mark: str = "."

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(map(len, self.rows.values()))

    @property
    def written(self) -> str:
        """The exact value with the decimal mark of the column; an average to two places."""
        exact = self.value.quantize(Decimal("0.01")) if self.aggregate == "average" else self.value
        return f"{exact:f}".replace(".", self.mark)


def compute(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> Computed | None:
    """The aggregate over the table of the best candidate row. None where the question asks for none, or the table has
    no single column and rows for it."""
    best = next((each for each in candidates if each.row is not None), None)
    if question.aggregate is None or best is None:
        return None
    table = readings[best.reading].table(best.unit)
    if table is None:
        return None
    rows = list(_rows(readings, readings[best.reading].document, table.head))
    column = _column(table, rows, question)
    rows = _matching_rows(rows, table, column, question)
    return _over(rows, column, table, question.aggregate) if rows else None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row with its place: the indices of its reading, unit and table row."""

    reading: int
    unit: int
    row: int
    cells: Row


def _rows(readings: Sequence[Reading], document: str, head: Row) -> Iterator[_Placed]:
    """The rows of a table, without totals, in all blocks of the document that have its head."""
    for n, reading in enumerate(readings):
        if reading.document != document:
            continue
        for at in range(len(reading.units)):
            table = reading.table(at)
            for row, cells in enumerate(table.rows if table and table.head == head else ()):
                if not _TOTAL.match(cells[0]):
                    yield _Placed(n, at, row, cells)


def _column(table: Table, rows: Sequence[_Placed], question: Question) -> int | None:
    """The index of the column that the question means: the one it names, else that of years, money or quantities by its
    words, else the only numeric one. None where several remain."""
    numeric = [n for n in range(len(table.head)) if _is_numeric([row.cells[n] for row in rows])]
    stems = frozenset(question.words) | frozenset(question.stems(question.language))
    by_name = [n for n in numeric if stems & {*terms(table.head[n], None), *terms(table.head[n], question.language)}]
    if len(by_name) == 1:
        return by_name[0]
    numeric = by_name or numeric
    for asks, names in ((_OF_TIME, _YEAR), (_OF_MONEY, _MONEY)):
        if asks.search(question.text):
            numeric = [n for n in numeric if names.search(table.head[n])] or numeric
    if question.aggregate in ("sum", "count"):
        quantities = [n for n in numeric if _QUANTITY.search(table.head[n]) and not _MONEY.search(table.head[n])]
        numeric = quantities or ([] if question.aggregate == "count" else numeric)
    return numeric[0] if len(numeric) == 1 else None


def _is_numeric(cells: Sequence[str]) -> bool:
    numbers = [_number(cell, ".") is not None for cell in cells if cell.strip()]
    return bool(numbers) and sum(numbers) >= NUMERIC_SHARE * len(numbers)


def _matching_rows(rows: Sequence[_Placed], table: Table, column: int | None, question: Question) -> list[_Placed]:
    """The rows that contain every word of the question that occurs in any row outside `column`; where no row has all,
    such as for the sum of two things, the rows that contain any."""
    row_words = [_words(row, column) for row in rows]
    everywhere = frozenset().union(*row_words) if row_words else frozenset()
    head = frozenset(terms(" ".join(table.head), question.language))
    wanted = {stem for stem in question.stems(question.language) if stem in everywhere and stem not in head}
    matching = [row for row, words in zip(rows, row_words, strict=True) if wanted <= words]
    return matching or [row for row, words in zip(rows, row_words, strict=True) if wanted & words]


def _words(row: _Placed, column: int | None) -> frozenset[str]:
    text = "\n".join(cell for n, cell in enumerate(row.cells) if n != column)
    return frozenset(terms(text, None)) | frozenset(terms(text, "de")) | frozenset(terms(text, "en"))


def _over(rows: Sequence[_Placed], column: int | None, table: Table, aggregate: Aggregate) -> Computed | None:
    if column is None:
        if aggregate != "count" or len(rows) < 2:
            return None
        return Computed("count", Decimal(len(rows)), "", _by_unit(rows))
    mark = _decimal_mark([row.cells[column] for row in rows])
    valued = [(value, row) for row in rows if (value := _number(row.cells[column], mark)) is not None]
    if not valued:
        return None
    values, name = [value for value, _ in valued], table.head[column]
    if aggregate in ("largest", "smallest"):
        value = max(values) if aggregate == "largest" else min(values)
        return Computed(aggregate, value, name, _by_unit([row for each, row in valued if each == value]), mark)
    if len(values) < 2:
        return None  # the row itself is the answer
    total = sum(values, Decimal(0))
    value = total / len(values) if aggregate == "average" else total
    summed: Aggregate = "sum" if aggregate == "count" else aggregate
    return Computed(summed, value, name, _by_unit([row for _, row in valued]), mark)


def _by_unit(rows: Sequence[_Placed]) -> dict[tuple[int, int], tuple[int, ...]]:
    by_unit: dict[tuple[int, int], tuple[int, ...]] = {}
    for row in rows:
        by_unit[row.reading, row.unit] = (*by_unit.get((row.reading, row.unit), ()), row.row)
    return by_unit


def _decimal_mark(cells: Sequence[str]) -> str:
    """A comma if some cell has one before other than three final digits, or after a point and three digits; else a
    point."""
    return "," if any(re.search(r",\d{1,2}\D*$|,\d{4,}\D*$|\.\d{3},", cell) for cell in cells) else "."


def _number(cell: str, mark: str) -> Decimal | None:
    """The number in a cell that has nothing else but a unit, else None."""
    text = _UNIT.sub("", cell)
    if not _NUMBER.fullmatch(text):
        return None
    plain = re.sub(r"[’'\s\u202f]", "", text).replace("−", "-")
    plain = plain.replace(".", "").replace(",", ".") if mark == "," else plain.replace(",", "")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None
