"""From candidates to an answer: fused scores, checked rows, what really ran, and what the reader should know."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.access import may_read
from corpus.fusion import fuse
from corpus.index.local import coverage
from corpus.index.local.candidates import ByWords, Scores, by_vectors, by_words
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


def _hits(view: View, asked: Asked, words: ByWords, vectors: Scores, mode: Mode) -> tuple[Hit, ...]:
    rule = view.ranking.fusion
    if vectors and not words.telling:
        rule = rule.without_lexical()
    ranked = fuse(words.scores, vectors, rule)[: max(0, asked.search.top_k)]
    blocks = [block for block, _ in ranked]
    rows = hits_of(view.connection, blocks, view.embedder, embeds=asked.embedder is not None)
    return tuple(
        Hit(*rows[block], score, _KINDS[mode], words.scores.get(block), vectors.get(block))
        for block, score in ranked
        # The candidates are allowed ones already; what is shown is looked at once more.
        if block in rows
        and may_read(rows[block][1].access_control_list, asked.caller, prefixed=view.prefixed)
    )
