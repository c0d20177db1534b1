"""From candidates to an answer: fused scores, checked rows, what really ran, and what the reader should know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from corpus.access import may_read
from corpus.fusion import Match, best_first, fuse
from corpus.index.local import coverage
from corpus.index.local.candidates import ByVectors, ByWords, by_vectors, by_words, languages_of
from corpus.index.local.favour import UNKNOWN
from corpus.index.local.figure_wishes import towards_figures, wants_figures
from corpus.index.local.rows import hits_of
from corpus.index.local.view import Asked, View
from corpus.search import Found, Hit, Mode, ScoreKind

_KINDS: dict[Mode, ScoreKind] = {"hybrid": "hybrid", "vector": "vector", "lexical": "text", "none": "none"}


def answer(view: View, asked: Asked) -> Found:
    """Raises Damaged where the word index fails under the search."""
    words = by_words(view, asked)
    vectors = by_vectors(view, asked, words.scores)
    mode = _mode(view, words)
    warnings = (*asked.warnings, *_cut(view, words), *coverage.warnings(view, asked))
    return Found(_hits(view, asked, words, vectors, mode), mode, warnings)


def _mode(view: View, words: ByWords) -> Mode:
    searched = view.matrix is not None and len(view.matrix.blocks) > 0
    if not searched:
        return "lexical"
    return "vector" if view.health == "missing" or not words.asked else "hybrid"


def _cut(view: View, words: ByWords) -> Iterator[str]:
    if words.cut:
        yield f"The query was cut to its first {view.ranking.most_words} different words."


def _hits(view: View, asked: Asked, words: ByWords, vectors: ByVectors, mode: Mode) -> tuple[Hit, ...]:
    scores = _fused(view, words, vectors)
    if wants_figures(asked.text):
        scores = towards_figures(scores, _figures(view, scores), view.ranking.figures)
    ranked = best_first(scores)[: max(0, asked.search.top_k)]
    blocks = [block for block, _ in ranked]
    rows = hits_of(view.connection, blocks, view.embedder, embeds=asked.embedder is not None)
    return tuple(
        Hit(*rows[block], score, _KINDS[mode], words.scores.get(block), vectors.cosines.get(block))
        for block, score in ranked
        # The candidates are allowed ones already; what is shown is looked at once more.
        if block in rows
        and may_read(rows[block][1].access_control_list, asked.caller, prefixed=view.prefixed)
    )


def _fused(view: View, words: ByWords, vectors: ByVectors) -> dict[int, float]:
    spoken: dict[int, int] = {}
    if view.languages.several and words.scores and vectors.scores:
        everyone = languages_of(view, words.scores.keys() | vectors.scores.keys())
        spoken = {block: number for block, number in everyone.items() if number != UNKNOWN}
    match = Match(words.full, words.coded, spoken)
    return fuse(words.scores, vectors.scores, view.ranking.fusion, lowest=vectors.lowest, match=match)


def _figures(view: View, blocks: Iterable[int]) -> set[int]:
    rows = view.connection.execute(
        "SELECT id FROM blocks WHERE block_type = 'image' AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(blocks)),),
    )
    return {block for (block,) in rows}
