"""Select the candidates that an answer quotes, with as much context as the shape of the question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.aggregates import compute
from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.context_expansion import Lists, with_needed
from corpus.synthesis.extractive.lexicon import LEADING
from corpus.synthesis.extractive.parts import MAIL_HEADER
from corpus.synthesis.extractive.passages import Passage, Selection, in_reading_order, rows_of
from corpus.synthesis.extractive.question import Question, Shape, labels_of
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.redundancy import NearDuplicates
from corpus.synthesis.extractive.sides import best_of_sides
from corpus.synthesis.extractive.table_rows import CellsByWord
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.text.analysis import terms

CITATION_TOKENS = 30
"""Number of tokens reserved for a citation and the lines around it."""
MAX_ROWS = 8
"""Maximum number of quoted table rows in addition to the best row."""
WHOLE_ROWS = 14
"""Maximum number of rows of a table that is quoted completely if the question asks for a list."""
NAME_WORDS = 3
"""Maximum number of words in a cell that identifies its row, such as `Delivery van`. Longer cells match a question by
chance."""
FEW_ROWS = 3
"""Divisor that defines an identifying word: at most one row in FEW_ROWS contains it."""
ROW_MARGIN = 0.03
"""Maximum difference in value between the best row and a further one. It equals the margin for a fact in EXTENTS."""
AROUND_DEFINITION = 250
"""Number of characters of text quoted after a definition, because that text often qualifies it."""
ACROSS_MARGIN = 0.1
"""Maximum difference in value between the best candidate and one from another document if the client chose several
documents. It equals the margin for an overview."""
SHORT_DOCUMENT = 5
"""Maximum number of blocks in a document for an overview to quote it block by block."""
MIN_ITEMS = 3
"""Minimum number of items in a section's list for the list to be quoted in addition to the best candidate."""
SHORT_ITEM, SHORT_LIST = 60, 400
"""Maximum numbers of characters in each item, and in all items together, for a list to be quoted completely."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much an answer quotes: at most `pieces` candidates with at most `characters` characters in total, each
    followed by up to `around` characters of its paragraph. A further candidate may score up to `margin` below the best
    one, or up to `elsewhere` below it if it is in another document."""

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
"""Extents by shape, tuned on the question set `mixed`; docs/synthesis.md contains this table. Margins are differences
in `Candidate.value`."""


def select(
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    question: Question,
    max_tokens: int,
    *,
    is_across: bool,
    meanings: CellsByWord,
) -> Selection:
    """Select the best candidate, and further candidates that are nearly as good and add information, within
    `max_tokens`. If the question asks for an aggregate that can be computed from a table, select the rows that the
    aggregate covers instead."""
    computed = compute(readings, candidates, question, meanings) if _is_of_table(candidates, question) else None
    if computed:
        return rows_of(readings, computed, candidates[0].value)
    return _Selecting(readings, candidates, question, max_tokens, is_across=is_across).run()


def _is_of_table(candidates: Sequence[Candidate], question: Question) -> bool:
    """Return whether a table row is among the best candidates. If a sentence states the aggregate, it need not be
    computed."""
    extent = EXTENTS[question.shape]
    best = [each for each in candidates if candidates[0].value - each.value <= extent.margin]
    return any(each.row is not None for each in best)


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
        everything = self._candidates
        if self._question.shape == "overview":
            self._keep_to_one_document()
        if self._question.labels:
            self._keep_to_labelled()
        taken = left_out = 0
        sides: Sequence[Candidate] = ()
        if self._question.shape == "comparison":
            sides = best_of_sides(self._readings, self._candidates, self._question)
        elif self._question.shape == "overview" and self._is_of_gist():
            sides = self._beginning(everything)
        for candidate in (*sides, *(each for each in self._candidates if each not in sides)):
            if taken >= self._extent.pieces:
                break
            if self._is_repeated(candidate) or not (candidate in sides or self._is_good(candidate)):
                continue
            if self._take(candidate):
                taken += 1
            else:
                left_out += 1
        if self._question.shape == "list":
            self._take_list_of_section()
        return Selection(tuple(self._passages()), left_out)

    def _take_list_of_section(self) -> None:
        """Take the list in the section of the best candidate if the heading contains a word of the question and no list
        is quoted yet. This finds one-word items, which have no word in common with the question."""
        kinds = {self._readings[n].units[unit].kind for n, units in self._units.items() for unit in units}
        best = self._candidates[0] if self._candidates else None
        if best is None or not kinds.isdisjoint(("item", "table")):
            return
        section = self._readings[best.reading]
        match = TermMatch(self._question, section.source.language or self._question.language)
        if not any(match.count(section.heading)):
            return
        for n, reading in enumerate(self._readings):
            items = [
                at for at, unit in enumerate(reading.units) if unit.kind == "item" and not MAIL_HEADER.match(unit.text)
            ]
            if (n == best.reading or reading.follows(section)) and len(items) >= MIN_ITEMS:
                self._take(replace(best, reading=n, unit=items[0], text=reading.units[items[0]].text))
                return

    def _of_each(self) -> Selection:
        """Return the best candidate of each source that the client chose, in the client's order."""
        firsts = sorted(_best_of_each(self._candidates), key=lambda each: each.reading)
        left_out = sum(not self._take(each, bounded=False) for each in firsts)
        return Selection(tuple(self._passages()), left_out)

    def _keep_to_one_document(self) -> None:
        """For an overview, keep only the candidates of the best document, unless it has none."""
        best = max(self._readings, key=lambda reading: reading.score).document
        within = [each for each in self._candidates if self._readings[each.reading].document == best]
        if not within:
            return
        self._candidates = within
        if len({each.reading for each in within}) <= SHORT_DOCUMENT and self._is_of_document():
            self._extent = replace(self._extent, margin=1.0)
            self._candidates = _best_of_each(within)

    def _is_of_gist(self) -> bool:
        return self._is_of_document() and bool(self._question.vocabulary.gist.search(self._question.text))

    def _is_of_document(self) -> bool:
        """Return whether the question is about the best document as a whole: at least half of the question's words
        occur in the document's title and file name."""
        reading = self._readings[self._candidates[0].reading]
        match = TermMatch(self._question, reading.source.language or self._question.language)
        in_name = sum(min(count, 1.0) for count in match.count(reading.name))
        return 2 * in_name >= len(self._question.words)

    def _beginning(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Return the first statement of the best document, if its first block is among the sources."""
        document = self._readings[self._candidates[0].reading].document
        beginnings = [each for each in candidates if self._readings[each.reading].begins(document)]
        statements = [each for each in beginnings if not each.is_poor and each.row is None]
        return sorted(statements, key=lambda each: each.unit)[:1]

    def _keep_to_labelled(self) -> None:
        """If the question gives the number of a figure or table, keep only the candidates that mention it. Keep all if
        none does."""
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
        unit = self._readings[each.reading].units[each.unit]
        return each.unit in self._units.get(each.reading, ()) or self._quoted.has(unit.text)

    def _take(self, each: Candidate, *, bounded: bool = True) -> bool:
        reading = self._readings[each.reading]
        units = self._wanted(each) - self._units.get(each.reading, set())
        units = self._new(each, units)
        rows = self._wanted_rows(each) if each.row is not None else set()
        size = sum(self._length(reading, n, rows) for n in units)
        cost = size // 3 + CITATION_TOKENS
        is_long = bounded and self._characters + size > self._extent.characters
        if self._units and (is_long or cost > self._tokens):
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
        """Also take equally good rows of the same table from other blocks."""
        grid = reading.table(each.unit)
        for other in self._candidates:
            own = self._readings[other.reading]
            if other.reading == each.reading or own.document != reading.document:
                continue
            there = own.table(other.unit)
            same_table = grid is not None and there is not None and grid.head == there.head
            if other.row is not None and same_table and _is_as_good(other, each):
                self._put(other.reading, {other.unit}, other.value)
                self._rows.setdefault((other.reading, other.unit), set()).add(other.row)

    def _new(self, each: Candidate, units: set[int]) -> set[int]:
        """Return the units, leaving out near-duplicates of each other and of units that are already quoted."""
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
        """Take the rest of a list or paragraph that continues in the next block."""
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
            ends = next((at for at, unit in enumerate(after) if unit.kind not in ("item", "code")), len(after))
        elif ended.kind == "text" and (reading.ends_early(last) or self._extent.around):
            ends = next(
                (at for at, unit in enumerate(after) if unit.part != after[0].part or unit.kind != "text"),
                len(after),
            )
        size = sum(len(unit.text) for unit in after[:ends])
        is_header = self._readings[n].is_header(after[0].text)
        if ends and not is_header and self._characters + size <= self._extent.characters:
            self._put(n, set(range(ends)), each.value)
            self._characters += size
            self._tokens -= size // 3 + CITATION_TOKENS

    def _length(self, reading: Reading, n: int, rows: set[int]) -> int:
        grid = reading.table(n)
        return table.length(grid, sorted(rows)) if grid and rows else len(reading.units[n].text)

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
        """Return the units to quote for an item of a list that the question does not ask for: the complete list if it
        is short, and otherwise the item with its lead-in, title and code."""
        units = self._readings[each.reading].units
        everything = with_needed(units, each.unit, lists)
        items = [n for n in everything if units[n].kind == "item"]
        short = all(len(units[n].text) <= SHORT_ITEM for n in items)
        if short and sum(len(units[n].text) for n in items) <= SHORT_LIST:
            return everything
        first = min(items, default=each.unit)
        lead = {first - 1} & everything if first and units[first - 1].kind == "text" else set()
        beside = {n for n in everything if units[n].kind == "title" or (n == each.unit + 1 and units[n].kind == "code")}
        return {each.unit} | lead | beside

    def _paragraph(self, each: Candidate, wanted: set[int]) -> set[int]:
        """Return the sentences that follow in the paragraph, as long as they fit into `around` characters."""
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
        """Return the rows of this table that are nearly as good as the candidate, or all rows of a short table if the
        question asks for a list."""
        reading = self._readings[each.reading]
        grid = reading.table(each.unit)
        if grid is None or each.row is None:
            return set()
        if self._question.shape in ("list", "overview", "comparison") and len(grid.rows) <= WHOLE_ROWS:
            language = reading.source.language or self._question.language
            return _rows_with_names(grid, self._question, language) or set(range(len(grid.rows)))
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
            begins = [each for each in passages if each.reading.begins(each.reading.document)]
            best = max(begins or passages, key=lambda each: each.value)
            return sorted(passages, key=lambda each: (each is not best, each.reading.place))
        if self._question.shape == "comparison":
            return passages
        return in_reading_order(sorted(passages, key=lambda passage: -passage.value))


def _best_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each reading, in the order of the candidates."""
    firsts: dict[int, Candidate] = {}
    for each in candidates:
        firsts.setdefault(each.reading, each)
    return list(firsts.values())


def _rows_with_names(grid: table.Table, question: Question, language: str | None) -> set[int]:
    """Return the indices of the rows with the most identifying words of the question. A word identifies rows if it
    occurs in short cells of few rows."""
    stems = set(question.stems(language))
    names_by_row = [
        {term for cell in row if len(cell.split()) <= NAME_WORDS for term in terms(cell, language)} & stems
        for row in grid.rows
    ]
    telling = {stem for stem in stems if sum(stem in row for row in names_by_row) * FEW_ROWS <= len(grid.rows)}
    most = max((len(row & telling) for row in names_by_row), default=0)
    return {n for n, row in enumerate(names_by_row) if most and len(row & telling) == most}


def _is_as_good(row: Candidate, best: Candidate) -> bool:
    """Return whether a row is about as good an answer as the best row."""
    return row.words >= best.words and best.value - row.value <= ROW_MARGIN
