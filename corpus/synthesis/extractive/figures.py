"""Select the figures of an answer and place them after its passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.documents.headings import last_heading
from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.parts import is_table_caption
from corpus.synthesis.extractive.passages import Passage
from corpus.synthesis.extractive.question import Question, labels_of
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.hit_expansion import names
from corpus.text.analysis import terms
from corpus.text.markdown import address

MAX_FIGURES = 3
"""Maximum number of figures in an answer that also has text."""
MAX_ALONE = 5
"""Maximum number of figures in an answer without text."""
BEST = 3
"""Number of top search ranks at which a figure may be shown on its own."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The figures of an answer. `beside` maps the index of a passage to the figures that follow it; `alone` contains
    the others. `leads` is True if the question mentions their number, so that they precede the text."""

    beside: dict[int, tuple[Source, ...]]
    alone: tuple[Source, ...]
    leads: bool = False

    @property
    def count(self) -> int:
        """Return the number of figures."""
        return sum(map(len, self.beside.values())) + len(self.alone)


def place_figures(
    readings: Sequence[Reading], passages: Sequence[Passage], question: Question, limit: int | None = None
) -> Placed:
    """Return the figures to show, at most `limit`.

    A figure is shown if a passage mentions it, if it is on a passage's page and its caption has a word of the question,
    or if the search ranks it among the BEST. If the question gives a figure's number, only that figure is shown.
    Figures without a URL and pictures of quoted tables are omitted.
    """
    limit = (MAX_FIGURES if passages else MAX_ALONE) if limit is None else limit
    displayable = [n for n, reading in enumerate(readings) if _is_displayable(reading.source)]
    requested = [n for n in displayable if question.labels & _labels(readings[n].source)]
    requested = [n for n in requested if readings[n].document == readings[requested[0]].document]
    beside: dict[int, tuple[Source, ...]] = {}
    alone: list[Source] = []
    for n in requested or displayable:
        source = readings[n].source
        if sum(map(len, beside.values())) + len(alone) >= limit:
            break
        if any(_is_table_of(source, passage) for passage in passages):
            continue
        at = _place(source, passages, question)
        if at is not None and not requested:
            beside[at] = (*beside.get(at, ()), source)
        elif n in requested or not passages or readings[n].is_chosen or _stands_alone(n, readings, passages, question):
            alone.append(source)
    return Placed(beside, tuple(alone), bool(requested))


def _labels(source: Source) -> frozenset[str]:
    """Return the label of a figure as `labels_of` normalizes it: `figure 3`."""
    return labels_of((source.hit.block.image_caption or "")[:40] if source.hit else "")


def _is_displayable(source: Source) -> bool:
    block = source.hit.block if source.hit else None
    return bool(block and block.block_type == "image" and address(block.image_url))


def _is_answered_by_text(passages: Sequence[Passage], question: Question) -> bool:
    """Return whether the passages state the fact that the question asks for, so that no picture is needed."""
    if question.wants_figure or question.shape != "fact":
        return False
    return question.wanted is None or question.wanted.is_in(passages[0].text)


def _stands_alone(n: int, readings: Sequence[Reading], passages: Sequence[Passage], question: Question) -> bool:
    """Return whether the search ranks a figure among the BEST by its own caption, not by the text next to it. The
    answer to a question that asks for a fact shows no such figure, unless the question asks for a picture."""
    if n >= BEST:
        return False
    if _says_all(readings[n].source, question):
        return True
    if question.shape in ("fact", "list") and not question.wants_figure:
        return False
    if question.wants_figure and _speaks(readings[n].source, question):
        return True
    borrowed = any(reading.score == readings[n].score for reading in readings if not reading.is_figure)
    return not borrowed and readings[n].document == passages[0].reading.document


def _is_table_of(source: Source, quoted: Passage) -> bool:
    """Return whether the figure is a picture of a table that the passage quotes."""
    if not source.hit or not quoted.rows or not _same_page(source, quoted.reading.source):
        return False
    caption = source.hit.block.image_caption or ""
    titles = {_fold(part.text) for part in quoted.reading.parts if part.kind == "title"}
    return _fold(caption) in titles or is_table_caption(caption) or caption == quoted.reading.heading


def _place(source: Source, passages: Sequence[Passage], question: Question) -> int | None:
    """Return the index of the passage that mentions the figure. If no passage does, return that of a passage on its
    page, provided that its caption has a word of the question."""
    if not source.hit:
        return None
    block = source.hit.block
    near = [n for n, passage in enumerate(passages) if passage.reading.document == block.doc_id]
    speaks = _speaks(source, question) and not _is_answered_by_text(passages, question)
    for n in near:
        if names(passages[n].text, block) or (speaks and names(passages[n].reading.source.text, block)):
            return n
    same = [n for n in near if _same_page(source, passages[n].reading.source)]
    return same[0] if same and speaks else None


def _says_all(source: Source, question: Question) -> bool:
    """Return whether the question has at least two words and the caption contains all of them."""
    caption_terms = set(terms((source.hit.block.image_caption if source.hit else "") or "", source.language))
    stems = question.stems(source.language)
    return len(stems) > 1 and caption_terms.issuperset(stems)


def _speaks(source: Source, question: Question) -> bool:
    """Return whether the caption contains a word of the question. If the caption is only the slide's title, the words
    in the figure count instead."""
    if not source.hit:
        return False
    block = source.hit.block
    titled = block.image_caption == last_heading(block.heading)
    caption_terms = set(terms((block.content if titled else block.image_caption) or "", source.language))
    return any(stem in caption_terms for stem in question.stems(source.language))


def _same_page(source: Source, other: Source) -> bool:
    if not source.hit or not other.hit:
        return False
    block, other_block = source.hit.block, other.hit.block
    return (block.doc_id, block.page_number) == (other_block.doc_id, other_block.page_number)


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
