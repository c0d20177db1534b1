"""Compute the sum, count, average, maximum or minimum that a question asks of a table, in exact decimals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.lexicon import MORE_OR_LESS, SPENDING, Aggregate
from corpus.synthesis.extractive.periods import PERIOD_WORDS, DateParts, Span, period_of
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.table import Row, Table
from corpus.text.analysis import function_words, terms
from corpus.verification.dates_and_times import MONTHS, dates

NUMERIC_SHARE = 0.8
"""Minimum share of a column's non-empty cells that are numbers: notes may occur among them."""
MAX_AROUND_DATE = 6
"""Maximum number of characters of a cell beside its date, such as a weekday."""
_NUMBER = re.compile(r"[-−+]?\d[\d.,'’\s\u202f]*")
_UNIT = re.compile(r"[\s€$£¥%]|eur|usd|chf|gbp", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(?:sub)?(?:total|sum|summe|gesamt\w*|insgesamt|zwischensumme)\b", re.IGNORECASE)
"""Pattern of the label of a total row, which is not one of the values."""
_QUANTITY = re.compile(r"\b(?:quantity|qty|count|number|units|pieces|anzahl|menge|stück(?:zahl)?)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"€|\$|£|\b(?:amount|price|cost|total|eur|usd|chf|betrag|preis|kosten|summe|wert|value)\b", re.IGNORECASE
)
_OF_MONEY = re.compile(
    r"\b(?:spen[dt]|cost|pay|paid|expens\w*|cheap\w*|price|amount|ausgegeben|kost\w*|teuer\w*|teuerste\w*|billig\w*|bezahlt|ausgaben?|preis\w*|betrag)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(r"\bhow\s+much\b|\bwie\s?viel\b", re.IGNORECASE)
_OF_TIME = re.compile(r"\b(?:old(?:est)?|new(?:est)?|latest|earliest|recent|ält\w*|neu\w*|jüngst\w*)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:year|date|jahr|datum|\w*jahr)\b", re.IGNORECASE)


_OF_TOTAL = re.compile(
    r"\b(?:spen[dt]|pay|paid|cost(?:s|ed)?|ausgegeben|(?:be|ge)zahlt|gekostet|kostete?n?)\b", re.IGNORECASE
)
"""Pattern of a verb of spending. With such a verb, the most is a sum's, unless the question asks for a single row."""
_OF_ROW = re.compile(
    r"\b(?:single|expensive|cheap\w*|costl\w*|teuer\w*|billig\w*|günstig\w*|einzeln\w*)\b", re.IGNORECASE
)
_PER = re.compile(
    r"\b(?:which|what|welche[nrsm]?)\s+(?:of\s+(?:our|my|the|these)\s+|(?:unserer|meiner|der)\s+)?(?P<name>[^\W\d_]{3,30})"
    r"|\b(?P<person>who|whom|wer|wem|wen)\b",
    re.IGNORECASE,
)
"""Pattern of the things whose sums are compared: "Which bike has cost the most?"."""
_OF_PERSONS = re.compile(
    r"\b(?:name|who|person|employee|member|by|staff|wer|von|mitarbeiter\w*|mitglied\w*|person)\b", re.IGNORECASE
)
"""Pattern of the head of a column of people."""
MAX_GROUPS = 5
"""Maximum number of sums that an answer shows, the largest or smallest first."""


@dataclass(frozen=True, slots=True)
class Group:
    """The sum of the rows that share a value in a column. `name` is the value, `count` the number of rows."""

    name: str
    value: Decimal
    count: int


@dataclass(frozen=True, slots=True)
class Computed:
    """The value of an aggregate. `rows` are the indices of the rows that it covers, by (reading, unit). `column` is the
    name of their values, empty for a count of rows. `mark` is the decimal mark. `groups` are the compared sums, the one
    that the question asks for first; empty for other aggregates."""

    aggregate: Aggregate
    value: Decimal
    column: str
    rows: dict[tuple[int, int], tuple[int, ...]]
    mark: str = "."
    groups: tuple[Group, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return sum(map(len, self.rows.values()))

    @property
    def written(self) -> str:
        """Return the exact value with the decimal mark of the column; an average has two places."""
        return self._written(self.value.quantize(Decimal("0.01")) if self.aggregate == "average" else self.value)

    @property
    def written_groups(self) -> tuple[tuple[str, str, int], ...]:
        """Return the name, the exact sum and the number of rows of each group."""
        return tuple((group.name, self._written(group.value), group.count) for group in self.groups)

    def _written(self, value: Decimal) -> str:
        return f"{value:f}".replace(".", self.mark)


CellsByWord = Mapping[str, frozenset[str]]
"""Cells of a table that mean a word of the question that none of them contains: `vet` in `Tierarztpraxis`."""


def compute(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    meanings: CellsByWord = MappingProxyType({}),
) -> Computed | None:
    """Return the aggregate over the table of the best candidate row. None if the question asks for no aggregate, or if
    the table has no single column and rows for it."""
    best = next((each for each in candidates if each.row is not None), None)
    table = readings[best.reading].table(best.unit) if best else None
    if question.aggregate is None or best is None or table is None:
        return None
    rows = list(_rows(readings, readings[best.reading], table.head))
    period = period_of(question.text)
    dated = _date_column(table, rows) if period else None
    column = _column(table, rows, question, dated)
    if dated is not None and period:
        rows = _in_period(rows, dated, period)
    if MORE_OR_LESS.search(question.text):
        return _compared(rows, column, table, question, _sides(rows, table, (column, dated), question))
    if question.aggregate in ("largest", "smallest") and (by := _group_column(table, rows, column, dated, question)):
        return _compared(rows, column, table, question, _by_cell(rows, by))
    rows = _matching_rows(rows, table, (column, dated), question, _about(readings[best.reading]), meanings)
    return _over(rows, column, table, question.aggregate) if rows else None


def _sides(
    rows: Sequence[_Placed], table: Table, without: tuple[int | None, ...], question: Question
) -> dict[str, list[_Placed]]:
    """Return the rows of each of two things that the question compares, by the name of the thing. Empty unless two
    disjoint sets of rows have words of the question."""
    head = frozenset(terms(" ".join(table.head), question.language))
    row_words = [_words(row, *without) for row in rows]
    stems = [stem for stem in question.stems(question.language) if stem not in head]
    by_stem = {stem: [row for row, words in zip(rows, row_words, strict=True) if stem in words] for stem in stems}
    sides: dict[str, list[_Placed]] = {}
    for stem, having in by_stem.items():
        if having and having not in sides.values():
            sides[_cell_with(stem, having[0], without)] = having
    placed = [(row.reading, row.unit, row.row) for having in sides.values() for row in having]
    return sides if len(sides) > 1 and len(placed) == len(set(placed)) else {}


def _cell_with(stem: str, row: _Placed, without: Sequence[int | None]) -> str:
    cells = (cell for n, cell in enumerate(row.cells) if n not in without)
    return next((cell for cell in cells if stem in {*terms(cell, None), *terms(cell, "de"), *terms(cell, "en")}), stem)


def _group_column(
    table: Table, rows: Sequence[_Placed], column: int | None, dated: int | None, question: Question
) -> int | None:
    """Return the column whose values the question asks about, as in "Which bike has cost the most?": the column that it
    mentions, or the column of people for "who". None if the question asks for a single row, or if no value of the
    column repeats."""
    match = _PER.search(question.text)
    if not match or not _OF_TOTAL.search(question.text) or _OF_ROW.search(question.text):
        return None
    if match["person"]:
        columns = [n for n, name in enumerate(table.head) if _OF_PERSONS.search(name)]
    else:
        wanted = {term for language in (None, question.language) for term in terms(match["name"], language)}
        columns = [
            n for n, name in enumerate(table.head) if wanted & {*terms(name, None), *terms(name, question.language)}
        ]
    groups = (n for n in columns if n not in (column, dated) and 1 < len({row.cells[n] for row in rows}) < len(rows))
    return next(groups, None)


def _by_cell(rows: Sequence[_Placed], column: int) -> dict[str, list[_Placed]]:
    groups: dict[str, list[_Placed]] = {}
    for row in rows:
        if row.cells[column].strip():
            groups.setdefault(row.cells[column], []).append(row)
    return groups


def _compared(
    rows: Sequence[_Placed], column: int | None, table: Table, question: Question, groups: dict[str, list[_Placed]]
) -> Computed | None:
    """Return the sums of groups of rows, with the rows of the first. None without a column of values or without two
    groups."""
    if column is None or len(groups) < 2:
        return None
    mark = _decimal_mark([row.cells[column] for row in rows])
    sums = []
    for name, having in groups.items():
        values = [value for row in having if (value := _number(row.cells[column], mark)) is not None]
        sums.append(Group(name, sum(values, Decimal(0)), len(values)))
    sums.sort(key=lambda group: group.value, reverse=question.aggregate == "largest")
    covering = sums if len(sums) == 2 else sums[:1]
    covered = [row for group in covering for row in groups[group.name]]
    made = tuple(sums[:MAX_GROUPS])
    return Computed("sum", sums[0].value, table.head[column], _by_unit(covered), mark, made)


def lacks_period(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    meanings: CellsByWord = MappingProxyType({}),
) -> bool:
    """Return whether the table of the best candidate row has a column of dates, but no row in the period of the
    question that has its other words."""
    best = next((each for each in candidates if each.row is not None), None)
    table = readings[best.reading].table(best.unit) if best else None
    period = period_of(question.text)
    if best is None or table is None or not period:
        return False
    rows = list(_rows(readings, readings[best.reading], table.head))
    dated = _date_column(table, rows)
    if dated is None:
        return False
    matching = _matching_rows(rows, table, (None, dated), question, _about(readings[best.reading]), meanings)
    return not _in_period(matching, dated, period)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row with its place: the indices of its reading, unit and table row."""

    reading: int
    unit: int
    row: int
    cells: Row


def table_rows(readings: Sequence[Reading], best: Candidate) -> tuple[Row, tuple[Row, ...], str]:
    """Return the head of the candidate's table, its rows in all blocks of the document, and the name and headings
    above."""
    table = readings[best.reading].table(best.unit)
    head = table.head if table else ()
    rows = tuple(row.cells for row in _rows(readings, readings[best.reading], head))
    return head, rows, f"{readings[best.reading].name}\n{readings[best.reading].path}"


def _rows(readings: Sequence[Reading], of: Reading, head: Row) -> Iterator[_Placed]:
    """Return the rows of a table, without totals, in all blocks of the document that have its head. In a workbook, only
    the rows of its sheet count."""
    for n, reading in enumerate(readings):
        if reading.document != of.document or _sheet(reading) != _sheet(of):
            continue
        for at in range(len(reading.units)):
            table = reading.table(at)
            for row, cells in enumerate(table.rows if table and table.head == head else ()):
                if not _TOTAL.match(cells[0]):
                    yield _Placed(n, at, row, cells)


def _column(table: Table, rows: Sequence[_Placed], question: Question, dated: int | None) -> int | None:
    """Return the index of the column that the question means. It is the column that the question mentions, or else the
    column of years, money or quantities by the question's words, or else the only numeric one. None if several remain.
    The column `dated` is never chosen."""
    numeric = [n for n in range(len(table.head)) if n != dated and _is_numeric([row.cells[n] for row in rows])]
    stems = frozenset(question.words) | frozenset(question.stems(question.language))
    by_name = [n for n in numeric if stems & {*terms(table.head[n], None), *terms(table.head[n], question.language)}]
    if len(by_name) == 1:
        return by_name[0]
    numeric = by_name or numeric
    for asks, names in ((_OF_TIME, _YEAR), (_OF_MONEY, _MONEY), (_HOW_MUCH, _MONEY)):
        if asks.search(question.text):
            numeric = [n for n in numeric if names.search(table.head[n])] or numeric
    if question.aggregate in ("sum", "count"):
        quantities = [n for n in numeric if _QUANTITY.search(table.head[n]) and not _MONEY.search(table.head[n])]
        numeric = quantities or ([] if question.aggregate == "count" else numeric)
    return numeric[0] if len(numeric) == 1 else None


def _is_numeric(cells: Sequence[str]) -> bool:
    numbers = [_number(cell, ".") is not None for cell in cells if cell.strip()]
    return bool(numbers) and sum(numbers) >= NUMERIC_SHARE * len(numbers)


def _matching_rows(
    rows: Sequence[_Placed],
    table: Table,
    without: tuple[int | None, int | None],
    question: Question,
    about: frozenset[str],
    meanings: CellsByWord,
) -> list[_Placed]:
    """Return the rows that contain every word of the question that occurs in any row outside the columns `without`. If
    no row has all of them, as for the sum of two things, return the rows that contain any. Return all rows for a
    question without further words, and none if nothing of the table has any of its words: the sum of all rows would be
    of other things."""
    stem_of = dict(zip(question.words, question.stems(question.language), strict=True))
    row_words = [
        _words(row, *without) | {stem_of[word] for word, cells in meanings.items() if not cells.isdisjoint(row.cells)}
        for row in rows
    ]
    everywhere = frozenset().union(*row_words) if row_words else frozenset()
    head = frozenset(terms(" ".join(table.head), question.language))
    wanted = {stem for stem in question.stems(question.language) if stem in everywhere and stem not in head}
    small = function_words(question.words) | SPENDING
    content = {stem for word, stem in stem_of.items() if word not in small} - PERIOD_WORDS
    if content and content.isdisjoint(everywhere | head | about):
        return []
    matching = [row for row, words in zip(rows, row_words, strict=True) if wanted <= words]
    return matching or [row for row, words in zip(rows, row_words, strict=True) if wanted & words]


def _sheet(reading: Reading) -> str:
    """Return the name of a workbook's sheet, from a heading such as `Costs!A3:G16`; empty for other headings."""
    return reading.path.rpartition("!")[0]


def _about(reading: Reading) -> frozenset[str]:
    """Return the words of the name and the headings above a table."""
    text = f"{reading.name}\n{reading.path}"
    return frozenset(terms(text, None)) | frozenset(terms(text, "de")) | frozenset(terms(text, "en"))


def _words(row: _Placed, *without: int | None) -> frozenset[str]:
    text = "\n".join(cell for n, cell in enumerate(row.cells) if n not in without)
    return frozenset(terms(text, None)) | frozenset(terms(text, "de")) | frozenset(terms(text, "en"))


def _date_column(table: Table, rows: Sequence[_Placed]) -> int | None:
    """Return the index of the first column in which most non-empty cells are dates, months or years."""
    for n in range(len(table.head)):
        cells = [row.cells[n] for row in rows if row.cells[n].strip()]
        if cells and sum(bool(_ways_of(cell)) for cell in cells) >= NUMERIC_SHARE * len(cells):
            return n
    return None


def _ways_of(cell: str) -> tuple[DateParts, ...]:
    """Return the readings of a cell that is only a date, a month or a year; empty for others."""
    text = cell.strip()
    if (name := text.rstrip(".").capitalize()) in MONTHS:
        return ((None, MONTHS[name], None),)
    if re.fullmatch(r"(?:19|20)\d\d", text):
        return ((int(text), None, None),)
    if by_month := re.fullmatch(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[./]((?:19|20)\d\d)", text):
        return ((int(by_month[1] or by_month[4]), int(by_month[2] or by_month[3]), None),)
    date = next(dates(text), None)
    return date.ways if date and len(text) - (date.end - date.start) <= MAX_AROUND_DATE else ()


def _in_period(rows: Sequence[_Placed], dated: int, period: Sequence[Span]) -> list[_Placed]:
    """Return the rows in the period. All readings of an ambiguous date must be in it, unless another row settles the
    order."""
    ways = [_ways_of(row.cells[dated]) for row in rows]
    is_month_first = any(
        len(each) == 1 and "/" in row.cells[dated] and row.cells[dated].strip().lstrip("0").startswith(f"{each[0][1]}/")
        for row, each in zip(rows, ways, strict=True)
    )
    read = [each[-1:] if is_month_first else each for each in ways]
    return [
        row
        for row, each in zip(rows, read, strict=True)
        if each and all(any(span.has(way) for span in period) for way in each)
    ]


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
    """Return a comma if some cell has one before other than three final digits, or after a point and three digits.
    Return a point otherwise."""
    return "," if any(re.search(r",\d{1,2}\D*$|,\d{4,}\D*$|\.\d{3},", cell) for cell in cells) else "."


def _number(cell: str, mark: str) -> Decimal | None:
    """Return the number in a cell that contains nothing else but a unit, or None."""
    text = _UNIT.sub("", cell)
    if not _NUMBER.fullmatch(text):
        return None
    plain = re.sub(r"[’'\s\u202f]", "", text).replace("−", "-")
    plain = plain.replace(".", "").replace(",", ".") if mark == "," else plain.replace(",", "")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None
