"""Which candidates an answer quotes, and how much around each: as much as the shape of the question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.aggregates import Computed, compute
from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.context_expansion import Lists, with_needed
from corpus.synthesis.extractive.lexicon import LEADING
from corpus.synthesis.extractive.question import Question, Shape, labels_of
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.redundancy import NearDuplicates
from corpus.synthesis.extractive.sides import best_of_sides
from corpus.text.analysis import terms

CITATION_TOKENS = 30
"""Tokens of a citation with the lines around it."""
MAX_ROWS = 8
MAX_ROWS_OF_AGGREGATE = 24
"""Rows that are shown of those which a sum is over; the others are counted."""
WHOLE_ROWS = 14
"""Rows of a table that is shown whole where a list is asked for."""
NAME_WORDS = 3
"""Words of a cell that names its row, such as `Delivery van`: a longer one has words of the question by chance."""
FEW_ROWS = 3
"""A word names rows where at most one row in so many has it."""
ROW_MARGIN = 0.03
"""How far the value of a further row may lie below that of the best one."""
AROUND_DEFINITION = 250
"""Characters behind a definition: what comes next says of what kind it is, or how much."""
ACROSS_MARGIN = 0.1
"""How far the best of a further document may lie below, where each of several was named."""
SAME_VALUE = 0.005
"""Difference of values up to which two passages are equally good."""
SHORT_DOCUMENT = 5
"""Blocks of a document that an overview tells from each."""
SHORT_ITEM, SHORT_LIST = 60, 400
"""Characters of an item and of a whole list up to which the list is quoted, and not only the item that answers."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much an answer quotes: `pieces` candidates of at most `characters` together, each with up to `around`
    characters of the rest of its paragraph. A further candidate may lie `margin` below the best in value, and
    `elsewhere` where it is in another document."""

    pieces: int
    characters: int
    around: int
    margin: float
    elsewhere: float


EXTENTS: dict[Shape, Extent] = {
    "fact": Extent(2, 600, 0, 0.03, 0.01),
    "explanation": Extent(3, 1000, 400, 0.03, 0.01),
    "list": Extent(3, 2400, 0, 0.03, 0.01),
    "steps": Extent(3, 2400, 300, 0.03, 0.01),
    "overview": Extent(6, 1600, 250, 0.10, 0.0),
    "comparison": Extent(6, 2400, 250, 0.08, 0.08),
}
"""Values of candidates are cosines with small additions (`candidates.py`)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The units of a reading that are quoted, in their order, and of tables the rows. `value` is that of the best."""

    reading: Reading
    units: tuple[int, ...]
    rows: dict[int, tuple[int, ...]] = field(default_factory=dict)
    value: float = 0.0

    @property
    def text(self) -> str:
        return " ".join(self.reading.units[n].text for n in self.units)


@dataclass(frozen=True, slots=True)
class Selection:
    """Passages, best first; `left_out` counts candidates that were good enough and did not fit."""

    passages: tuple[Passage, ...]
    left_out: int = 0
    computed: Computed | None = None


def select(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    max_tokens: int,
    *,
    is_across: bool = False,
) -> Selection:
    """The best candidate always, then others while they are nearly as good and add something; where the question asks
    for an aggregate that a table allows, the rows that it is made of."""
    computed = compute(readings, candidates, question) if _is_of_table(candidates, question) else None
    if computed:
        return _rows_of(readings, computed, candidates[0].value)
    return _Selecting(readings, candidates, question, max_tokens, is_across=is_across).run()


def _is_of_table(candidates: Sequence[Candidate], question: Question) -> bool:
    """Whether a row of a table is among the best: what a sentence says itself needs no sum."""
    extent = EXTENTS[question.shape]
    best = [each for each in candidates if candidates[0].value - each.value <= extent.margin]
    return any(each.row is not None for each in best)


def _rows_of(readings: Sequence[Reading], computed: Computed, value: float) -> Selection:
    passages: list[Passage] = []
    left = MAX_ROWS_OF_AGGREGATE
    for (n, unit), rows in sorted(computed.rows.items(), key=lambda item: readings[item[0][0]].place):
        if left > 0:
            passages.append(Passage(readings[n], (unit,), {unit: rows[:left]}, value))
            left -= len(rows)
    return Selection(tuple(passages), 0, computed)


class _Selecting:
    def __init__(
        self,
        readings: Sequence[Reading],
        candidates: Sequence[Candidate],
        question: Question,
        max_tokens: int,
        *,
        is_across: bool,
    ) -> None:
        self._readings, self._candidates, self._question = readings, candidates, question
        extent = EXTENTS[question.shape]
        if question.wanted and question.wanted.kind == "definition":
            extent = replace(extent, around=AROUND_DEFINITION)
        self._extent = replace(extent, elsewhere=ACROSS_MARGIN) if is_across else extent
        self._tokens = max_tokens
        self._units: dict[int, set[int]] = {}
        self._rows: dict[tuple[int, int], set[int]] = {}
        self._values: dict[int, float] = {}
        self._quoted = NearDuplicates()
        self._characters = 0

    def run(self) -> Selection:
        if all(reading.is_chosen for reading in self._readings):
            return self._of_each()
        if self._question.shape == "overview":
            self._keep_to_one_document()
        if self._question.labels:
            self._keep_to_labelled()
        taken = left_out = 0
        sides: Sequence[Candidate] = ()
        if self._question.shape == "comparison":
            sides = best_of_sides(self._readings, self._candidates, self._question)
        for candidate in (*sides, *(each for each in self._candidates if each not in sides)):
            if taken >= self._extent.pieces:
                break
            if self._is_repeated(candidate) or not (candidate in sides or self._is_good(candidate)):
                continue
            if self._take(candidate):
                taken += 1
            else:
                left_out += 1
        return Selection(tuple(self._passages()), left_out)

    def _of_each(self) -> Selection:
        """The best of each source that the client chose, in its order."""
        firsts = sorted(_best_of_each(self._candidates), key=lambda each: each.reading)
        left_out = sum(not self._take(each, bounded=False) for each in firsts)
        return Selection(tuple(self._passages()), left_out)

    def _keep_to_one_document(self) -> None:
        """An overview is of the document that the search found first, unless nothing of it states anything."""
        best = max(self._readings, key=lambda reading: reading.score).document
        within = [each for each in self._candidates if self._readings[each.reading].document == best]
        if not within:
            return
        self._candidates = within
        if len({each.reading for each in within}) <= SHORT_DOCUMENT:
            self._extent = replace(self._extent, margin=1.0)
            self._candidates = _best_of_each(within)

    def _keep_to_labelled(self) -> None:
        """Of a figure or table that the question gives by number, what names it, where anything does."""
        labelled = [
            each
            for each in self._candidates
            if self._question.labels & labels_of(each.text) or (each.row is not None and each.is_labelled)
        ]
        self._candidates = labelled or self._candidates

    def _is_good(self, each: Candidate) -> bool:
        best = self._candidates[0]
        if not self._units:
            return True
        same = self._readings[each.reading].document == self._readings[best.reading].document
        if best.value - each.value > (self._extent.margin if same else self._extent.elsewhere):
            return False
        return not each.is_poor

    def _is_repeated(self, each: Candidate) -> bool:
        if each.row is not None:
            return each.row in self._rows.get((each.reading, each.unit), ())
        return each.unit in self._units.get(each.reading, ()) or self._quoted.has(each.text)

    def _take(self, each: Candidate, *, bounded: bool = True) -> bool:
        reading = self._readings[each.reading]
        units = self._wanted(each) - self._units.get(each.reading, set())
        units = self._new(each, units)
        rows = self._wanted_rows(each) if each.row is not None else set()
        size = sum(self._length(reading, n, rows) for n in units)
        cost = size // 3 + CITATION_TOKENS
        if self._units and (
            (bounded and self._characters + size > self._extent.characters) or cost > self._tokens
        ):
            return False
        self._put(each.reading, units, each.value)
        if rows:
            self._rows.setdefault((each.reading, each.unit), set()).update(rows)
        self._characters += size
        self._tokens -= cost
        if rows:
            self._take_rows_elsewhere(each, reading)
        self._go_on(each, units)
        return True

    def _take_rows_elsewhere(self, each: Candidate, reading: Reading) -> None:
        """Rows of the same table in other blocks that are as good as the row that answers."""
        table_of_unit = reading.table(each.unit)
        for other in self._candidates:
            own = self._readings[other.reading]
            if other.reading == each.reading or own.document != reading.document:
                continue
            there = own.table(other.unit)
            same_table = table_of_unit is not None and there is not None and table_of_unit.head == there.head
            if other.row is not None and same_table and _is_as_good(other, each):
                self._put(other.reading, {other.unit}, other.value)
                self._rows.setdefault((other.reading, other.unit), set()).add(other.row)

    def _new(self, each: Candidate, units: set[int]) -> set[int]:
        """Without what was said already, or twice among them."""
        all_units, own = self._readings[each.reading].units, NearDuplicates()
        own.add(all_units[each.unit].text)
        kept = {each.unit}
        for n in sorted(units - kept):
            unit = all_units[n]
            repeats = unit.kind in ("text", "item") and (self._quoted.has(unit.text) or own.has(unit.text))
            if not repeats:
                kept.add(n)
                own.add(unit.text)
        return kept

    def _put(self, n: int, units: set[int], value: float) -> None:
        self._units.setdefault(n, set()).update(units)
        self._values.setdefault(n, value)
        for unit in sorted(units):
            self._quoted.add(self._readings[n].units[unit].text)

    def _go_on(self, each: Candidate, units: set[int]) -> None:
        """The rest of a list or a paragraph in the source behind, where the block ended before it did."""
        reading = self._readings[each.reading]
        last = len(reading.units) - 1
        following = (m for m, other in enumerate(self._readings) if other.units and other.follows(reading))
        n = next(following, None)
        if last not in units or n is None:
            return
        after, ended = self._readings[n].units, reading.units[last]
        leads = ended.kind in ("item", "code") or bool(LEADING.search(ended.text))
        ends = 0
        if leads and after[0].kind in ("item", "code"):
            ends = next(
                (at for at, unit in enumerate(after) if unit.kind not in ("item", "code")), len(after)
            )
        elif ended.kind == "text" and (reading.ends_early(last) or self._extent.around):
            ends = next(
                (at for at, unit in enumerate(after) if unit.part != after[0].part or unit.kind != "text"),
                len(after),
            )
        size = sum(len(unit.text) for unit in after[:ends])
        if ends and self._characters + size <= self._extent.characters:
            self._put(n, set(range(ends)), each.value)
            self._characters += size
            self._tokens -= size // 3 + CITATION_TOKENS

    def _length(self, reading: Reading, n: int, rows: set[int]) -> int:
        table_of_unit = reading.table(n)
        return (
            table.length(table_of_unit, sorted(rows))
            if table_of_unit and rows
            else len(reading.units[n].text)
        )

    def _wanted(self, each: Candidate) -> set[int]:
        reading, shape = self._readings[each.reading], self._question.shape
        units = reading.units
        lists = Lists(
            max(self._extent.characters, SHORT_LIST),
            whole=shape in ("list", "steps", "overview"),
            steps=shape == "steps",
        )
        if units[each.unit].kind == "item" and not lists.whole:
            return self._item(each, lists)
        wanted = with_needed(units, each.unit, lists)
        wanted |= self._paragraph(each, wanted)
        last = max(wanted)
        return wanted | with_needed(units, last, lists) if LEADING.search(units[last].text) else wanted

    def _item(self, each: Candidate, lists: Lists) -> set[int]:
        """Of a list that is not asked for, the item that answers with what leads to it; of short items all."""
        units = self._readings[each.reading].units
        everything = with_needed(units, each.unit, lists)
        items = [n for n in everything if units[n].kind == "item"]
        short = all(len(units[n].text) <= SHORT_ITEM for n in items)
        if short and sum(len(units[n].text) for n in items) <= SHORT_LIST:
            return everything
        first = min(items, default=each.unit)
        lead = {first - 1} & everything if first and units[first - 1].kind == "text" else set()
        beside = {
            n
            for n in everything
            if units[n].kind == "title" or (n == each.unit + 1 and units[n].kind == "code")
        }
        return {each.unit} | lead | beside

    def _paragraph(self, each: Candidate, wanted: set[int]) -> set[int]:
        """What follows in the same paragraph, as far as there is room around the best sentence."""
        reading = self._readings[each.reading]
        units, room = reading.units, self._extent.around
        more: set[int] = set()
        at = each.unit + 1
        while at < len(units) and units[at].part == units[each.unit].part and units[at].kind == "text":
            room -= len(units[at].text)
            if room < 0 or reading.is_broken(at):
                break
            more.add(at)
            at += 1
        return more - wanted

    def _wanted_rows(self, each: Candidate) -> set[int]:
        """The rows of this table that are nearly as good; all of a short one where a list is asked for."""
        reading = self._readings[each.reading]
        table_of_unit = reading.table(each.unit)
        if table_of_unit is None or each.row is None:
            return set()
        if (
            self._question.shape in ("list", "overview", "comparison")
            and len(table_of_unit.rows) <= WHOLE_ROWS
        ):
            language = reading.source.language or self._question.language
            return _rows_with_names(table_of_unit, self._question, language) or set(
                range(len(table_of_unit.rows))
            )
        near = [
            other.row
            for other in self._candidates
            if (other.reading, other.unit) == (each.reading, each.unit)
            and other.row is not None
            and _is_as_good(other, each)
        ]
        return {each.row, *near[:MAX_ROWS]}

    def _passages(self) -> list[Passage]:
        passages = [
            Passage(
                self._readings[n],
                tuple(sorted(units)),
                {unit: tuple(sorted(rows)) for (at, unit), rows in self._rows.items() if at == n},
                self._values[n],
            )
            for n, units in self._units.items()
        ]
        if all(passage.reading.is_chosen for passage in passages):
            return passages
        if self._question.shape == "overview":
            best = max(passages, key=lambda passage: passage.value)
            return [
                best,
                *sorted(
                    (passage for passage in passages if passage is not best),
                    key=lambda passage: passage.reading.place,
                ),
            ]
        if self._question.shape == "comparison":
            return passages
        return _in_reading_order(sorted(passages, key=lambda passage: -passage.value))


def _best_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate of each reading, in the order of the candidates."""
    firsts: dict[int, Candidate] = {}
    for each in candidates:
        firsts.setdefault(each.reading, each)
    return list(firsts.values())


def _rows_with_names(rows_table: table.Table, question: Question, language: str | None) -> set[int]:
    """The rows with most of the question's words that name rows: they stand in a short cell of a few rows alone."""
    stems = set(question.stems(language))
    names_by_row = [
        {term for cell in row if len(cell.split()) <= NAME_WORDS for term in terms(cell, language)} & stems
        for row in rows_table.rows
    ]
    telling = {
        stem for stem in stems if sum(stem in row for row in names_by_row) * FEW_ROWS <= len(rows_table.rows)
    }
    most = max((len(row & telling) for row in names_by_row), default=0)
    return {n for n, row in enumerate(names_by_row) if most and len(row & telling) == most}


def _is_as_good(row: Candidate, best: Candidate) -> bool:
    """Whether a further row answers about as well as the best one."""
    return row.words >= best.words and best.value - row.value <= ROW_MARGIN


def _in_reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """Rows of the best document that are about as good stand in the order of its pages."""
    equals = [
        passage
        for passage in passages
        if passage.reading.document == passages[0].reading.document
        and passages[0].value - passage.value <= SAME_VALUE
        and passage.rows
        and passages[0].rows
    ]
    return [
        *sorted(equals, key=lambda passage: passage.reading.place),
        *(passage for passage in passages if passage not in equals),
    ]
