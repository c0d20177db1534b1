"""Select the table rows that a question is about: the rows in the question's period that contain its words, from all
blocks of the table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.periods import DateParts, Span, period_of, period_words, with_english_months
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.table import Row, Table
from corpus.text.analysis import function_words, terms
from corpus.verification.dates_and_times import MONTHS, dates

DATED_SHARE = 0.8
"""Minimum fraction of a column's non-empty cells that are dates. The others may be notes."""
MAX_AROUND_DATE = 6
"""Maximum number of characters in a cell in addition to its date, such as a weekday."""
_TOTAL = re.compile(
    r"\W*(?:sub)?(?:total|sum|summe|gesamt\w*|insgesamt|zwischensumme"
    r"|totaux|total[ei]s?|totais|totaa?l|sous-total"
    r"|subtotaa?l|somme|suma|somma|soma)\b",
    re.IGNORECASE,
)
"""Pattern for the label of a total row, which is excluded from the values."""

CellsByWord = Mapping[str, frozenset[str]]
"""Table cells with the meaning of a question word that no cell contains, keyed by that word: `Tierarztpraxis` for
`vet`."""


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row with its position: the indices of its reading, unit and table row."""

    reading: int
    unit: int
    row: int
    cells: Row


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table with its rows, without totals, from all blocks of its document (in a workbook, of its sheet). `about` is
    the document's name with the headings above the table. `period` is the question's period, or empty. `dated` is the
    index of the date column; it is None if there is no period or no such column."""

    table: Table
    rows: tuple[PlacedRow, ...]
    about: str
    period: tuple[Span, ...] = ()
    dated: int | None = None

    def in_period(self) -> TableRows:
        """Return the table with only its rows in the period, or with all rows if it has no date column.

        All interpretations of an ambiguous date must be in the period, unless another row shows the order of day and
        month.
        """
        if self.dated is None:
            return self
        cells = [row.cells[self.dated] for row in self.rows]
        ways = [_ways_of(cell) for cell in cells]
        is_month_first = any(
            len(each) == 1 and "/" in cell and cell.strip().lstrip("0").startswith(f"{each[0][1]}/")
            for cell, each in zip(cells, ways, strict=True)
        )
        read = [each[-1:] if is_month_first else each for each in ways]
        within = (each and all(any(span.has(way) for span in self.period) for way in each) for each in read)
        return replace(self, rows=tuple(row for row, is_in in zip(self.rows, within, strict=True) if is_in))

    def matching(self, question: Question, column: int | None, meanings: CellsByWord) -> tuple[PlacedRow, ...]:
        """Return the rows that contain every question word that occurs in any row. Words in `column`, the date column
        and the header row do not count.

        If no row contains all of them, as for the sum of two things, return the rows that contain any. Return all rows
        for a question without further words. Return none if the table contains none of its words: the sum of all rows
        would be about other things.
        """
        stem_of = dict(zip(question.words, question.stems(question.language), strict=True))
        row_words = [
            self.words(row, column, question.language)
            | {stem_of[word] for word, cells in meanings.items() if not cells.isdisjoint(row.cells)}
            for row in self.rows
        ]
        everywhere = frozenset[str]().union(*row_words)
        head = self.head_words(question)
        wanted = {stem for stem in stem_of.values() if stem in everywhere and stem not in head}
        small = function_words(question.words) | question.vocabulary.spending
        content = {stem for word, stem in stem_of.items() if word not in small} - period_words(question.language)
        if content and content.isdisjoint(everywhere | head | stems_of(self.about, question.language)):
            return ()
        having = [row for row, words in zip(self.rows, row_words, strict=True) if wanted <= words]
        return tuple(having or [row for row, words in zip(self.rows, row_words, strict=True) if wanted & words])

    def head_words(self, question: Question) -> frozenset[str]:
        """Return the stems of the table's header row, by the rules of the question's language."""
        return frozenset(terms(" ".join(self.table.head), question.language))

    def words(self, row: PlacedRow, column: int | None, language: str | None) -> frozenset[str]:
        """Return the stems of a row, excluding `column` and the date column."""
        cells = (cell for n, cell in enumerate(row.cells) if n not in (column, self.dated))
        return stems_of("\n".join(cells), language)


def table_rows(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> TableRows | None:
    """Return the rows of the best candidate row's table, or None if there is no such candidate."""
    best = next((each for each in candidates if each.row is not None), None)
    table = readings[best.reading].table(best.unit) if best else None
    if best is None or table is None:
        return None
    reading = readings[best.reading]
    rows = tuple(
        PlacedRow(n, at, row, cells)
        for n, other in enumerate(readings)
        if other.document == reading.document and _sheet(other) == _sheet(reading)
        for at in range(len(other.units))
        if (same := other.table(at)) and same.head == table.head
        for row, cells in enumerate(same.rows)
        if not _TOTAL.match(cells[0])
    )
    period = period_of(question.text, question.language)
    dated = _date_column(table, rows) if period else None
    return TableRows(table, rows, f"{reading.name}\n{reading.path}", period, dated)


def stems_of(text: str, language: str | None) -> frozenset[str]:
    """Return the words of a text and their stems by the rules of German, English and this language."""
    return frozenset(term for rules in dict.fromkeys((None, "de", "en", language)) for term in terms(text, rules))


def _sheet(reading: Reading) -> str:
    """Return the sheet name from a workbook heading such as `Costs!A3:G16`. The result is empty for other headings."""
    return reading.path.rpartition("!")[0]


def _date_column(table: Table, rows: Sequence[PlacedRow]) -> int | None:
    """Return the index of the first column in which most non-empty cells are dates, months or years."""
    for n in range(len(table.head)):
        cells = [row.cells[n] for row in rows if row.cells[n].strip()]
        if cells and sum(bool(_ways_of(cell)) for cell in cells) >= DATED_SHARE * len(cells):
            return n
    return None


def _ways_of(cell: str) -> tuple[DateParts, ...]:
    """Return the interpretations of a cell that is only a date, a month or a year. The result is empty for other
    cells."""
    text = with_english_months(cell.strip())
    if (name := text.rstrip(".").capitalize()) in MONTHS:
        return ((None, MONTHS[name], None),)
    if re.fullmatch(r"(?:19|20)\d\d", text):
        return ((int(text), None, None),)
    if by_month := re.fullmatch(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[./]((?:19|20)\d\d)", text):
        return ((int(by_month[1] or by_month[4]), int(by_month[2] or by_month[3]), None),)
    date = next(dates(text), None)
    return date.ways if date and len(text) - (date.end - date.start) <= MAX_AROUND_DATE else ()
