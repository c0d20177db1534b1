"""An answer without a model: the sentences, tables and figures that speak to the question, each with its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from corpus.markdown import as_line
from corpus.synthesis.answer import Source
from corpus.synthesis.composing.figures import placed
from corpus.synthesis.composing.layout import laid_out
from corpus.synthesis.composing.picking import Picked, Valued, nearest, picked, valued
from corpus.synthesis.composing.question import Asked, asked
from corpus.synthesis.composing.reading import read
from corpus.synthesis.composing.scoring import scored
from corpus.synthesis.composing.writing import Frame, written
from corpus.synthesis.phrases import Phrases, phrases
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import renumbered
from corpus.text import token_estimate

MOST_TOKENS = 1000
MOST_SOURCES = 60
LONGEST_QUESTION = 300


@dataclass(frozen=True, slots=True)
class Composed:
    """`sources` are those that the answer cites, numbered in the order of its pieces; it is empty where nothing could
    be said. `left_out` counts what would have been said but did not fit."""

    answer: str
    sources: tuple[Source, ...] = ()
    left_out: int = 0


def compose(
    query: str,
    sources: Iterable[Source],
    *,
    before: str = "",
    style: CitationStyle = "source",
    max_tokens: int = MOST_TOKENS,
    answers: bool = True,
    unmentioned: Sequence[str] = (),
) -> Composed:
    """A cited answer of at most about `max_tokens`, the best first, nothing said twice.

    Text is quoted letter by letter, with … where something was left out of a paragraph. A comparison is told apart by
    document. An image that cannot be shown and a source that says nothing are left out. `before` is a question that
    this one leans on. Where nothing `answers` the question, that is said first, with the names in it that are
    `unmentioned` in what was found, and a few lines show what comes near.
    """
    question, words = asked(query, before), phrases(query)
    title = f"# {words.answer_to}: {as_line(_short(query))}"
    if not answers:
        title += f"\n\n{_unanswered(words, unmentioned)}\n\n**{words.nearest}**"
    known = renumbered(list(islice(sources, MOST_SOURCES)))
    ranked = valued(scored([read(source) for source in known], question), question)
    if not answers:
        near = Picked(nearest(ranked), 0)
        return _fitting(Frame(title, style, words), (), near, question, max_tokens)
    texts = picked(ranked, question, max_tokens - token_estimate(title))
    return _fitting(Frame(title, style, words), ranked, texts, question, max_tokens)


def _fitting(
    frame: Frame,
    ranked: Sequence[Valued],
    texts: Picked,
    question: Asked,
    max_tokens: int,
) -> Composed:
    """Figures go before text where not all of it fits, and the last text before the first."""
    passages, most_figures, dropped = list(texts.passages), None, 0
    while True:
        figures = placed(ranked, [one for one, _ in passages], question, most_figures)
        sections = laid_out(passages, figures, question)
        if not passages and not figures.count:
            return Composed(frame.words.nothing_found)
        answer, cited = written(frame, sections)
        if token_estimate(answer) <= max_tokens or len(cited) == 1:
            return Composed(answer, cited, texts.left_out + dropped)
        dropped += 1
        if figures.count and len(cited) > 1:
            most_figures = figures.count - 1
        else:
            passages.pop()


def left_out(count: int, query: str) -> tuple[str, ...]:
    """A sentence on what did not fit, where something did not."""
    return (phrases(query).left_out.format(count),) if count else ()


def _unanswered(words: Phrases, unmentioned: Sequence[str]) -> str:
    named = ", ".join(words.quotes.format(as_line(one)) for one in unmentioned)
    return f"{words.unanswered} {words.unmentioned.format(named)}" if named else words.unanswered


def _short(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= LONGEST_QUESTION else f"{line[:LONGEST_QUESTION]} …"
