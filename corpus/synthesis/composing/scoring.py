"""How well each unit of the sources speaks to a question: rare words count more, and so do words in its own text rather
than around it. Parts of words count a little, for the compounds of German and for slips of the pen."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.synthesis.composing.counting import A_CORE, Counting
from corpus.synthesis.composing.parts import is_caption, is_ended
from corpus.synthesis.composing.question import Asked
from corpus.synthesis.composing.reading import Reading, Unit, is_labelled
from corpus.synthesis.composing.words import LEADING, POINTING

ABOVE = 0.5
"""What a word counts that stands only in the heading or title above, or in the head of the table."""
A_NAME = 0.75
"""What a word counts at most in a document whose name holds it, so that its sentences are told apart by other words."""
BESIDE = 0.25
"""What a word counts that stands only in the sentence before or after."""
LEAST_TOLD = 2
"""Words of the question in headings that say what it asks; one is enough for a comparison of documents by name."""
_SATURATION, _LENGTH = 0.6, 0.3
"""How soon a repeated word counts no more, and how far a long sentence must say more: BM25 with k1 and b."""
_USUAL_WORDS = 18
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Scored:
    """`units` has a score for each unit of the reading, `held` the words of the question that stand in it and not
    above it, by their numbers, and `rows` a score for each row of each table, by the table's unit. `is_asked_for` tells
    that the headings above say all that is asked, but for words of the document's name; `speaks` that they do, or that
    the text itself has a word of the question."""

    reading: Reading
    units: tuple[float, ...]
    held: tuple[frozenset[int], ...]
    rows: dict[int, tuple[float, ...]]
    is_asked_for: bool = False
    speaks: bool = True

    @property
    def best(self) -> float:
        return max(self.units, default=0.0)


def scored(readings: Sequence[Reading], asked: Asked) -> tuple[Scored, ...]:
    """The readings in their order, scored against each other; 1.0 is a unit that holds every word of the question."""
    looked = [_looked(reading, asked, _compared(readings, asked)) for reading in readings]
    weights = _weights([row for one in looked for row in one.own], len(asked.words))
    return tuple(_scored(one, weights, asked) for one in looked)


@dataclass(frozen=True, slots=True)
class _Looked:
    """How often each word of the question stands in each unit, in each row of a table and above each."""

    reading: Reading
    own: list[list[float]]
    lengths: list[int]
    above: list[list[float]]
    rows: dict[int, list[list[float]]]
    is_asked_for: bool


def _compared(readings: Sequence[Reading], asked: Asked) -> list[float]:
    """Of a comparison how far each word of the question names one of the documents, else nothing: what else it asks is
    asked of each."""
    names = {one.name: one.source.language for one in readings if one.name}
    if asked.shape != "comparison" or len(names) < 2:
        return [0.0] * len(asked.words)
    return _most(
        *(Counting(asked, language or asked.language).count(name)[0] for name, language in names.items())
    )


def _looked(reading: Reading, asked: Asked, compared: Sequence[float]) -> _Looked:
    counting = Counting(asked, reading.source.language or asked.language)
    own, lengths, above = [], [], []
    rows: dict[int, list[list[float]]] = {}
    name, _ = counting.count(reading.name)
    path, _ = counting.count(reading.path)
    title = heading = _most(name, path)
    for n, unit in enumerate(reading.units):
        counts, length = counting.count(unit.text)
        table = reading.parts[unit.part].table
        if unit.kind == "title" or unit.text.endswith("?"):
            title = _most(heading, counts)
        if table:
            head, _ = counting.count(" ".join(table.head))
            rows[n] = [_most(counting.count(" ".join(row))[0], _less(head)) for row in table.rows]
        own.append(
            [min(count, A_NAME) if known else count for count, known in zip(counts, name, strict=True)]
        )
        lengths.append(length)
        above.append(title if unit.kind != "title" else heading)
    says_all = _says_all(path, _most(name, compared), 1 if any(compared) else LEAST_TOLD)
    return _Looked(reading, own, lengths, above, rows, says_all and not _floats(reading, own))


def _says_all(path: Sequence[float], name: Sequence[float], least: int) -> bool:
    """Whether headings have each word of the question that the name lacks, and so many at least."""
    told = sum(one >= A_CORE for one in path)
    return told >= least and all(max(one, other) >= A_CORE for one, other in zip(path, name, strict=True))


def _floats(reading: Reading, own: Sequence[Sequence[float]]) -> bool:
    """Whether it is a table under a caption, without a word of the question: such a one stands where there was room,
    and the heading above says nothing of it."""
    kinds = {unit.kind for unit in reading.units}
    return kinds == {"title", "table"} and not any(map(any, own))


def _weights(units: Sequence[Sequence[float]], words: int) -> list[float]:
    """Rare words count more. Together they make 1."""
    held = [sum(row[n] > 0 for row in units) for n in range(words)]
    raw = [math.log(1 + (len(units) - one + 0.5) / (one + 0.5)) for one in held]
    total = sum(weight for weight, one in zip(raw, held, strict=True) if one) or 1.0
    return [weight / total for weight in raw]


def _scored(looked: _Looked, weights: Sequence[float], asked: Asked) -> Scored:
    units = looked.reading.units
    scores = []
    for n, unit in enumerate(units):
        beside = [looked.own[m] for m in (n - 1, n + 1) if 0 <= m < len(units)]
        near = _most(*beside) if beside else looked.above[n]
        own = looked.own[n]
        if looked.rows.get(n):
            own = max(looked.rows[n], key=lambda row: _weighed(row, weights))
        score = sum(
            weight * max(_full(count, looked.lengths[n], unit), ABOVE * min(up, 1.0), BESIDE * min(by, 1.0))
            for weight, count, up, by in zip(weights, own, looked.above[n], near, strict=True)
        )
        leads_nowhere = n == len(units) - 1 and bool(unit.text.endswith("?") or LEADING.search(unit.text))
        scores.append(
            score * _fit(unit, asked) * (0.6 if looked.reading.is_broken(n) or leads_nowhere else 1.0)
        )
    rows = {n: tuple(_weighed(row, weights) for row in table) for n, table in looked.rows.items()}
    held = tuple(
        frozenset(n for n, count in enumerate(row) if count and not up[n])
        for row, up in zip(looked.own, looked.above, strict=True)
    )
    speaks = looked.is_asked_for or any(map(any, looked.own))
    return Scored(looked.reading, tuple(scores), held, rows, looked.is_asked_for, speaks)


def _weighed(row: Sequence[float], weights: Sequence[float]) -> float:
    return sum(weight * min(count, 1.0) for weight, count in zip(weights, row, strict=True))


def _full(count: float, length: int, unit: Unit) -> float:
    if count < 1:
        return count
    words = _USUAL_WORDS if unit.kind in ("table", "code") else length
    norm = _SATURATION * (1 - _LENGTH + _LENGTH * words / _USUAL_WORDS)
    return count * (1 + _SATURATION) / (count + norm)


def _fit(unit: Unit, asked: Asked) -> float:
    """Less for what is no statement, more for what has the kind of thing that is asked for."""
    if unit.kind == "title" or unit.text.endswith("?"):
        return 0.5
    fit = 1.15 if asked.wants_number and _DIGIT.search(unit.text) else 1.0
    if asked.shape == "list" and unit.kind in ("item", "table"):
        fit *= 1.15
    if asked.wants_steps and asked.shape != "list" and unit.kind in ("item", "code"):
        fit *= 1.15
    if unit.kind == "text" and (len(unit.text.split()) < 4 or not any(map(str.isalpha, unit.text))):
        return fit * 0.5
    if unit.kind == "text" and is_caption(unit.text):
        return fit * 0.6
    if unit.kind == "text" and not is_ended(unit.text) and not is_labelled(unit.text):
        return fit * 0.7
    return fit * 0.6 if POINTING.match(unit.text) else fit


def _most(*rows: Sequence[float]) -> list[float]:
    return [max(column) for column in zip(*rows, strict=True)]


def _less(row: Sequence[float]) -> list[float]:
    return [ABOVE * min(count, 1.0) for count in row]
