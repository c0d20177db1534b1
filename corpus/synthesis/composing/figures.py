"""Which figures an answer shows, and beside which of its texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.headings import last_heading
from corpus.index.local.analysis import terms
from corpus.markdown import address
from corpus.synthesis.answer import Source
from corpus.synthesis.composing.passage import Passage
from corpus.synthesis.composing.picking import MOST_PAGES, WEAK, Valued, page_of
from corpus.synthesis.composing.question import Asked
from corpus.synthesis.illustrating import names

MOST_FIGURES = 3
MOST_ALONE = 5
"""Figures of an answer that has no text."""
FEW = 3
"""Texts of an answer beside which a figure is shown although its caption has no word of the question."""
BEST = 3
"""Places in the order of value among which a figure is shown for itself."""
_TABLE = re.compile(r"(?:table|tabelle|tab\.)\s*[A-Z]?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placed:
    """Figures by the number of the passage that they stand behind, and those by themselves, with their values."""

    beside: dict[int, tuple[Source, ...]]
    alone: tuple[tuple[Source, float], ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.beside.values())) + len(self.alone)


def placed(
    ranked: Sequence[Valued], passages: Sequence[Passage], asked: Asked, most: int | None = None
) -> Placed:
    """Only figures that can be shown, and none of a table that is quoted; at most `most`, the best."""
    most = (MOST_FIGURES if passages else MOST_ALONE) if most is None else most
    beside: dict[int, tuple[Source, ...]] = {}
    alone: list[tuple[Source, float]] = []
    pages = {page_of(one.reading.source) for one in passages}
    for place, one in enumerate(ranked):
        source = one.scored.reading.source
        shown = sum(map(len, beside.values())) + len(alone)
        if not _can_be_shown(source) or shown >= most:
            continue
        if any(_is_table_of(source, quoted) for quoted in passages):
            continue
        if page_of(source) not in pages and len(pages) >= MOST_PAGES and not _is_chosen(source):
            continue
        at = _place(source, passages, asked)
        few = len(passages) < FEW
        if at is None and passages and not (place < BEST and _stands_alone(source, ranked, asked, few=few)):
            continue
        pages.add(page_of(source))
        if at is None:
            alone.append((source, one.value))
        else:
            beside[at] = (*beside.get(at, ()), source)
    return Placed(beside, tuple(alone))


def _can_be_shown(source: Source) -> bool:
    block = source.hit.block if source.hit else None
    return bool(block and block.block_type == "image" and address(block.image_url))


def _is_chosen(source: Source) -> bool:
    """Whether the client named this very block."""
    return bool(source.hit and source.hit.score_kind == "none")


def _stands_alone(source: Source, ranked: Sequence[Valued], asked: Asked, *, few: bool) -> bool:
    """Whether a figure was found for what it shows itself, and not only stands near a text that was found."""
    hit = source.hit
    if not hit or _is_chosen(source) or _speaks(hit.block.image_caption, source.language, asked):
        return True
    hits = [one.scored.reading.source.hit for one in ranked if not one.scored.reading.is_figure]
    best = max((one for one in hits if one), key=lambda one: one.score, default=hit)
    borrowed = any(one and one.score == hit.score and one.block.doc_id == hit.block.doc_id for one in hits)
    near = hit.score >= WEAK * best.score or hit.block.doc_id == best.block.doc_id
    return few and near and not borrowed and hit.block.image_caption != last_heading(hit.block.heading)


def _is_table_of(source: Source, quoted: Passage) -> bool:
    """Whether the figure is the picture of a table that the passage shows."""
    if not source.hit or not quoted.rows or not _same_page(source, quoted.reading.source):
        return False
    caption = source.hit.block.image_caption or ""
    titles = {_letters(part.text) for part in quoted.reading.parts if part.kind == "title"}
    return _letters(caption) in titles or bool(_TABLE.match(caption)) or caption == quoted.reading.heading


def _place(source: Source, passages: Sequence[Passage], asked: Asked) -> int | None:
    """The passage that names the figure, else one of its page where the caption says something of what is asked."""
    block = source.hit.block if source.hit else None
    if not block:
        return None
    near = [n for n, one in enumerate(passages) if one.reading.source.hit and _same_document(source, one)]
    speaks = _speaks(block.image_caption, source.language, asked)
    for n in near:
        if names(passages[n].text, block) or (speaks and names(passages[n].reading.source.text, block)):
            return n
    same = [n for n in near if _same_page(source, passages[n].reading.source)]
    if not speaks and block.image_caption == last_heading(block.heading):
        # A chart under the title of its slide has no caption of its own; the words in it tell what it shows.
        speaks = same[:1] in ([0], [1]) and _speaks(block.content, source.language, asked)
    return same[0] if same and speaks else None


def _speaks(caption: str | None, language: str | None, asked: Asked) -> bool:
    held = set(terms(caption or "", language))
    return any(stem in held for stem in asked.stems(language))


def _same_document(source: Source, one: Passage) -> bool:
    hit = one.reading.source.hit
    return bool(source.hit and hit and hit.block.doc_id == source.hit.block.doc_id)


def _same_page(source: Source, other: Source) -> bool:
    if not source.hit or not other.hit:
        return False
    one, two = source.hit.block, other.hit.block
    return (one.doc_id, one.page_number) == (two.doc_id, two.page_number)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
