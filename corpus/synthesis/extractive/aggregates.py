"""Compute the sum, count, average, maximum or minimum that a question asks for, over a table, in exact decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.lexicon import Aggregate
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.table import Row, Table
from corpus.synthesis.extractive.table_rows import CellsByWord, PlacedRow, TableRows, stems_of, table_rows
from corpus.synthesis.extractive.vocabulary.vocabulary import Sums
from corpus.text.analysis import terms

NUMERIC_SHARE = 0.8
"""Minimum fraction of a column's non-empty cells that are numbers. The others may be notes."""
_NUMBER = re.compile(r"[-−+]?\d[\d.,'’\s\u202f]*")
_UNIT = re.compile(r"[\s€$£¥%]|eur|usd|chf|gbp", re.IGNORECASE)
_QUANTITY = re.compile(
    r"\b(?:quantity|qty|count|number|units|pieces|anzahl|menge|stück(?:zahl)?"
    r"|quantité|nombre|unités|cantidad|unidades|quantità|pezzi|aantal|stuks|hoeveelheid|quantidade)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\b(?:no|nr|id|code|nummer|zip|plz|postcode)\b\.?\s*$|#\s*$|n[º°]\s*$", re.IGNORECASE)
"""Pattern for the header of an identifier column, whose numbers are never added up or compared."""
_MONEY = re.compile(
    r"€|\$|£|\b(?:amount|price|cost|total|eur|usd|chf|betrag|preis|kosten|summe|wert|value"
    r"|montant|prix|coût|dépense|importe|precio|coste|costo|gasto|monto|importo|prezzo|spesa|bedrag|prijs"
    r"|uitgave|preço|custo|valor|despesa|montante)s?\b",
    re.IGNORECASE,
)
_OF_MONEY = re.compile(
    r"\b(?:spen[dt]|cost|pay|paid|expens\w*|cheap\w*|price|amount|ausgegeben|kost\w*|teuer\w*|teuerste\w*|billig\w*|bezahlt|ausgaben?|preis\w*|betrag)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(r"\bhow\s+much\b|\bwie\s?viel\b", re.IGNORECASE)
_OF_TIME = re.compile(r"\b(?:old(?:est)?|new(?:est)?|latest|earliest|recent|ält\w*|neu\w*|jüngst\w*)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:year|date|jahr|datum|\w*jahr|année|fecha|año|data|anno|jaar|bouwjaar|ano)\b", re.IGNORECASE)


_OF_TOTAL = re.compile(
    r"\b(?:spen[dt]|pay|paid|cost(?:s|ed)?|ausgegeben|(?:be|ge)zahlt|gekostet|kostete?n?)\b", re.IGNORECASE
)
"""Pattern for a spending verb. With such a verb, "the most" means the largest sum, unless the question asks for a
single row."""
_OF_ROW = re.compile(
    r"\b(?:single|expensive|cheap\w*|costl\w*|teuer\w*|billig\w*|günstig\w*|einzeln\w*)\b", re.IGNORECASE
)
_PER = re.compile(
    r"\b(?:which|what|welche[nrsm]?)\s+(?:of\s+(?:our|my|the|these)\s+|(?:unserer|meiner|der)\s+)?(?P<name>[^\W\d_]{3,30})"
    r"|\b(?P<person>who|whom|wer|wem|wen)\b",
    re.IGNORECASE,
)
"""Pattern for the things whose sums are compared: "Which bike has cost the most?"."""
_ENGLISH_AND_GERMAN = Sums(_OF_MONEY, _HOW_MUCH, _OF_TIME, _OF_TOTAL, _OF_ROW, _PER)
_OF_PERSONS = re.compile(
    r"\b(?:name|who|person|employee|member|by|staff|wer|von|mitarbeiter\w*|mitglied\w*"
    r"|nom|personne|employée?|membre|nombre|persona|emplead[oa]|miembro|soci[oa]|nome|dipendente"
    r"|naam|persoon|medewerker|lid|pessoa|funcionári[oa]|membro)\b",
    re.IGNORECASE,
)
"""Pattern for the header of a column of people."""
MAX_GROUPS = 5
"""Maximum number of compared sums that an answer shows, starting with the largest or smallest."""


@dataclass(frozen=True, slots=True)
class Group:
    """The sum of the rows that share a value in a column. `name` is the shared value, `count` the number of rows."""

    name: str
    value: Decimal
    count: int


@dataclass(frozen=True, slots=True)
class Computed:
    """The value of an aggregate. `rows` contains the indices of the covered rows, grouped by (reading, unit). `column`
    is the name of the value column, empty for a count of rows. `mark` is the decimal mark. `groups` contains the
    compared sums, the requested one first; it is empty for other aggregates."""

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
        """Return the exact value as text, with the column's decimal mark; an average has two decimal places."""
        return self._written(self.value.quantize(Decimal("0.01")) if self.aggregate == "average" else self.value)

    @property
    def written_groups(self) -> tuple[tuple[str, str, int], ...]:
        """Return the name, the exact sum and the number of rows of each group."""
        return tuple((group.name, self._written(group.value), group.count) for group in self.groups)

    def _written(self, value: Decimal) -> str:
        return f"{value:f}".replace(".", self.mark)


def compute(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    meanings: CellsByWord = MappingProxyType({}),
) -> Computed | None:
    """Return the aggregate over the best candidate row's table. Return None if the question does not ask for an
    aggregate, or if the table has no rows for it or no single column that the question can mean."""
    known = table_rows(readings, candidates, question) if question.aggregate else None
    if question.aggregate is None or known is None:
        return None
    column = _column(known, question)
    known = known.in_period()
    if question.vocabulary.more_or_less.search(question.text):
        return _compared(known, column, question, _sides(known, column, question))
    if question.aggregate in ("largest", "smallest") and (by := _group_column(known, column, question)) is not None:
        return _compared(known, column, question, _by_cell(known.rows, by))
    rows = _valued(known, column).matching(question, column, meanings)
    return _over(rows, column, known.table, question.aggregate) if rows else None


def lacks_period(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    meanings: CellsByWord = MappingProxyType({}),
) -> bool:
    """Return whether the best candidate row's table has a date column, but no row that is in the question's period and
    contains the question's other words."""
    known = table_rows(readings, candidates, question)
    if known is None or known.dated is None:
        return False
    matching = replace(known, rows=known.matching(question, None, meanings))
    return not matching.in_period().rows


def _sides(known: TableRows, column: int | None, question: Question) -> dict[str, list[PlacedRow]]:
    """Return the rows for each thing that the question compares, keyed by its name. Return an empty mapping unless at
    least two disjoint sets of rows contain question words."""
    head = known.head_words(question)
    row_words = [(row, known.words(row, column, question.language)) for row in known.rows]
    sides: dict[str, list[PlacedRow]] = {}
    for stem in question.stems(question.language):
        having = [row for row, words in row_words if stem in words and stem not in head]
        if having and having not in sides.values():
            cells = (cell for n, cell in enumerate(having[0].cells) if n not in (column, known.dated))
            sides[next((cell for cell in cells if stem in stems_of(cell, question.language)), stem)] = having
    placed = [(row.reading, row.unit, row.row) for having in sides.values() for row in having]
    return sides if len(sides) > 1 and len(placed) == len(set(placed)) else {}


def _group_column(known: TableRows, column: int | None, question: Question) -> int | None:
    """Return the column whose values the question asks about, as in "Which bike has cost the most?": the column that it
    mentions, or the column of people for "who". Return None if the question asks for a single row, or if no value of
    the column repeats."""
    asks, head = _asks(question), known.table.head
    match = asks.per.search(question.text)
    if not match or not asks.total.search(question.text) or asks.row.search(question.text):
        return None
    if match["person"]:
        columns = [n for n, name in enumerate(head) if _OF_PERSONS.search(name)]
    else:
        columns = _columns_with(head, _stems(match["name"], question), question)
    values = {n: {row.cells[n] for row in known.rows} for n in columns if n not in (column, known.dated)}
    return next((n for n, cells in values.items() if 1 < len(cells) < len(known.rows)), None)


def _columns_with(head: Row, words: frozenset[str], question: Question) -> list[int]:
    """Return the indices of the columns whose names contain one of these words."""
    return [n for n, name in enumerate(head) if words & _stems(name, question)]


def _stems(text: str, question: Question) -> frozenset[str]:
    """Return the words of a text and their stems by the rules of the question's language."""
    return frozenset(terms(text, None)) | frozenset(terms(text, question.language))


def _by_cell(rows: Sequence[PlacedRow], column: int) -> dict[str, list[PlacedRow]]:
    groups: dict[str, list[PlacedRow]] = {}
    for row in rows:
        if row.cells[column].strip():
            groups.setdefault(row.cells[column], []).append(row)
    return groups


def _compared(
    known: TableRows, column: int | None, question: Question, groups: dict[str, list[PlacedRow]]
) -> Computed | None:
    """Return the compared sums of the groups. The covered rows are those of the first group, or of both if there are
    two. Return None if there is no value column or there are fewer than two groups."""
    if column is None or len(groups) < 2:
        return None
    mark = _decimal_mark([row.cells[column] for row in known.rows])
    sums = []
    for name, having in groups.items():
        values = [value for row in having if (value := _number(row.cells[column], mark)) is not None]
        sums.append(Group(name, sum(values, Decimal(0)), len(values)))
    sums.sort(key=lambda group: group.value, reverse=question.aggregate == "largest")
    covering = sums if len(sums) == 2 else sums[:1]
    covered = [row for group in covering for row in groups[group.name]]
    made = tuple(sums[:MAX_GROUPS])
    return Computed("sum", sums[0].value, known.table.head[column], _by_unit(covered), mark, made)


def _column(known: TableRows, question: Question) -> int | None:
    """Return the index of the numeric column that the question means: the one whose name contains most of its words, or
    else a column of years, money or quantities if the question asks for these, or else the only numeric column. Return
    None if several remain. Columns of dates and identifiers are never chosen."""
    head = known.table.head
    numeric = [
        n
        for n in range(len(head))
        if n != known.dated and not _IDENTIFIER.search(head[n]) and _is_numeric([row.cells[n] for row in known.rows])
    ]
    stems = frozenset(question.words) | frozenset(question.stems(question.language))
    shared = {n: len(stems & _stems(head[n], question)) for n in numeric}
    most = max(shared.values(), default=0)
    by_name = [n for n, count in shared.items() if count == most > 0]
    if len(by_name) == 1:
        return by_name[0]
    numeric = by_name or numeric
    asks = _asks(question)
    for pattern, names in ((asks.age, _YEAR), (asks.money, _MONEY), (asks.how_much, _MONEY)):
        if pattern.search(question.text):
            numeric = [n for n in numeric if names.search(head[n])] or numeric
    if question.aggregate in ("sum", "count"):
        quantities = [n for n in numeric if _QUANTITY.search(head[n]) and not _MONEY.search(head[n])]
        numeric = quantities or ([] if question.aggregate == "count" else numeric)
    return numeric[0] if len(numeric) == 1 else None


def _valued(known: TableRows, column: int | None) -> TableRows:
    """Return the table with only the rows that have a number in the column, which excludes notes at the end of the
    table."""
    if column is None:
        return known
    mark = _decimal_mark([row.cells[column] for row in known.rows])
    return replace(known, rows=tuple(row for row in known.rows if _number(row.cells[column], mark) is not None))


def _asks(question: Question) -> Sums:
    return question.vocabulary.sums or _ENGLISH_AND_GERMAN


def _is_numeric(cells: Sequence[str]) -> bool:
    numbers = [_number(cell, ".") is not None for cell in cells if cell.strip()]
    return bool(numbers) and sum(numbers) >= NUMERIC_SHARE * len(numbers)


def _over(rows: Sequence[PlacedRow], column: int | None, table: Table, aggregate: Aggregate) -> Computed | None:
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


def _by_unit(rows: Sequence[PlacedRow]) -> dict[tuple[int, int], tuple[int, ...]]:
    by_unit: dict[tuple[int, int], tuple[int, ...]] = {}
    for row in rows:
        by_unit[row.reading, row.unit] = (*by_unit.get((row.reading, row.unit), ()), row.row)
    return by_unit


def _decimal_mark(cells: Sequence[str]) -> str:
    """Return the decimal mark: a comma if some cell has a comma followed by more or fewer than three final digits, or a
    comma after a point and three digits; otherwise a point."""
    return "," if any(re.search(r",\d{1,2}\D*$|,\d{4,}\D*$|\.\d{3},", cell) for cell in cells) else "."


def _number(cell: str, mark: str) -> Decimal | None:
    """Return the number in a cell that contains only a number and possibly a unit, or None for any other cell."""
    text = _UNIT.sub("", cell)
    if not _NUMBER.fullmatch(text):
        return None
    plain = re.sub(r"[’'\s\u202f]", "", text).replace("−", "-")
    plain = plain.replace(".", "").replace(",", ".") if mark == "," else plain.replace(",", "")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None
