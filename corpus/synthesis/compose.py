"""Compose an extractive answer: quote the sentences, rows, lists and figures that answer the question, each with its
source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.aggregates import Computed
from corpus.synthesis.extractive.candidates import (
    Candidate,
    candidates,
    embedded_text,
    to_compare,
    with_meaning,
)
from corpus.synthesis.extractive.figures import place_figures
from corpus.synthesis.extractive.meanings import Similarities
from corpus.synthesis.extractive.passages import Selection
from corpus.synthesis.extractive.question import Question, labels_of, parse_question
from corpus.synthesis.extractive.reading import Reading, read_source
from corpus.synthesis.extractive.render import Frame, lay_out, write_markdown
from corpus.synthesis.extractive.select import select
from corpus.synthesis.extractive.table_rows import CellsByWord
from corpus.synthesis.phrases import Phrases, phrases
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import renumber
from corpus.text.markdown import as_line
from corpus.text.normalization import token_estimate

MAX_TOKENS = 1000
"""Maximum number of tokens in an answer, unless the request sets one."""
MAX_SOURCES = 60
"""Maximum number of sources that are read, which limits the time."""
MAX_QUESTION = 300
"""Maximum number of characters of the question shown in the answer's title."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed answer. `sources` contains the cited sources, numbered in order of appearance; it is empty if no
    source answers the question. `left_out` counts the passages that did not fit."""

    answer: str
    sources: tuple[Source, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Material:
    """The sources of an answer, split into units, and the candidates in them, best first. `is_across` is True if the
    client listed several documents, each of which should contribute. `meanings` contains, by word of the question, the
    table cells with the same meaning. `similarities` compares the question's words with those of the best candidate if
    that is in a different language."""

    question: Question
    readings: tuple[Reading, ...]
    candidates: tuple[Candidate, ...]
    is_across: bool = False
    meanings: CellsByWord = field(default_factory=dict)
    similarities: Similarities = field(default_factory=dict)

    @property
    def to_embed(self) -> tuple[str, ...]:
        """Return the texts whose cosines `with_cosines` expects."""
        return tuple(dict.fromkeys(map(embedded_text, to_compare(self.candidates))))

    @property
    def labelled_figures(self) -> tuple[int, ...]:
        """Return the reading indices of the figures that the question mentions by number."""
        labels = self.question.labels
        return tuple(
            n
            for n, reading in enumerate(self.readings)
            if reading.is_figure and labels & labels_of(reading.source.text[:40])
        )

    def with_cosines(self, cosines: Mapping[str, float]) -> Material:
        """Return the material, reranked by cosines with the question. The cosines are keyed by the texts of
        `to_embed`."""
        return replace(self, candidates=tuple(with_meaning(self.candidates, cosines)))


def material(query: str, sources: Iterable[Source], *, before: str = "", is_across: bool = False) -> Material:
    """Read and rank the first MAX_SOURCES sources. `before` is an earlier question that this one refers to."""
    question = parse_question(query, before)
    readings = tuple(read_source(source) for source in renumber(list(islice(sources, MAX_SOURCES))))
    return Material(question, readings, tuple(candidates(readings, question)), is_across)


def compose(
    query: str, material: Material, *, style: CitationStyle = "source", max_tokens: int = MAX_TOKENS
) -> Composed:
    """Compose a cited answer of at most about `max_tokens` tokens, best passages first, without repetition.

    Text is quoted verbatim, with … for each omitted part of a paragraph. A comparison has a section for each document.
    """
    words = phrases(query)
    frame = Frame(title(query, words), style, words)
    selection = Selection(())
    if material.candidates:
        room = max_tokens - token_estimate(frame.title)
        selection = select(
            material.readings,
            material.candidates,
            material.question,
            room,
            is_across=material.is_across,
            meanings=material.meanings,
        )
    if selection.computed:
        frame = replace(frame, title=f"{frame.title}\n\n**{_aggregate(selection.computed, words)}**")
    return _fitting(frame, material, selection, max_tokens)


def _fitting(frame: Frame, material: Material, selection: Selection, max_tokens: int) -> Composed:
    """Return the answer without the parts that do not fit. Figures are dropped first, then passages, starting with the
    last."""
    passages, max_figures, dropped = list(selection.passages), None, 0
    while True:
        figures = place_figures(material.readings, passages, material.question, max_figures)
        sections = lay_out(passages, figures, material.question)
        if not passages and not figures.count:
            return Composed(frame.words.nothing_found)
        answer, cited = write_markdown(frame, sections)
        if token_estimate(answer) <= max_tokens or len(cited) == 1:
            return Composed(answer, cited, selection.left_out + dropped)
        dropped += 1
        if figures.count and len(cited) > 1:
            max_figures = figures.count - 1
        else:
            passages.pop()


def left_out(count: int, query: str) -> tuple[str, ...]:
    """Return a warning, in the question's language, that `count` passages did not fit. The result is empty for 0."""
    return (phrases(query).left_out.format(count),) if count else ()


def _aggregate(made: Computed, words: Phrases) -> str:
    """Return the line with the computed value, to be shown above its rows. It has no citation, because the rows are its
    source."""
    if made.groups:
        sums = "; ".join(words.group.format(*group) for group in made.written_groups)
        return as_line(words.sums.format(made.column, sums))
    text = words.aggregates[made.aggregate]
    return as_line(text.format(column=made.column, value=made.written, count=made.count))


def title(query: str, words: Phrases) -> str:
    """Return the Markdown title of an answer, with the question on one line."""
    line = " ".join(query.split())
    line = line if len(line) <= MAX_QUESTION else f"{line[:MAX_QUESTION]} …"
    return f"# {words.answer_to}: {as_line(line)}"
