"""From candidates to an answer: fused scores, checked rows, what really ran, and what the reader should know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from corpus.access import may_read
from corpus.fusion import Match, best_first, fuse
from corpus.index.local import coverage
from corpus.index.local.candidates import ByVectors, ByWords, by_vectors, documents_of
from corpus.index.local.figure_wishes import towards_figures, wants_figures
from corpus.index.local.repeats import Sifted, repeat_warnings, sifted
from corpus.index.local.rows import hits_of
from corpus.index.local.spread import compares, spread
from corpus.index.local.view import Asked, View
from corpus.search import Found, Hit, Mode, ScoreKind

_KINDS: dict[Mode, ScoreKind] = {"hybrid": "hybrid", "vector": "vector", "lexical": "text", "none": "none"}


def answer(view: View, asked: Asked, words: ByWords) -> Found:
    """From what was found by words in the same view."""
    vectors = by_vectors(view, asked, words.scores)
    mode = _mode(view, words)
    hits, repeats = _hits(view, asked, words, vectors, mode)
    warnings = (
        *asked.warnings, *_cut(view, words), *coverage.warnings(view, asked), *repeat_warnings(repeats),
    )  # fmt: skip
    return Found(hits, mode, warnings)


def _mode(view: View, words: ByWords) -> Mode:
    searched = view.matrix is not None and len(view.matrix.blocks) > 0
    if not searched:
        return "lexical"
    return "vector" if view.health == "missing" or not words.asked else "hybrid"


def _cut(view: View, words: ByWords) -> Iterator[str]:
    if words.cut:
        yield f"The query was cut to its first {view.ranking.most_words} different words."


def _hits(
    view: View, asked: Asked, words: ByWords, vectors: ByVectors, mode: Mode
) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
    """The hits, best first, and those left out, since they say the same as one of these."""
    scores = dict(_ranked(view, asked, _fused(view, words, vectors)))
    wanted = max(0, asked.search.top_k)
    chosen = sifted(view.connection, [*scores], wanted) if view.ranking.once else Sifted((*scores,)[:wanted])
    rows = hits_of(
        view.connection, chosen.shown + chosen.left_out, view.embedder, embeds=asked.embedder is not None
    )
    scores |= _lowered(chosen, scores)

    def hits(blocks: Sequence[int]) -> tuple[Hit, ...]:
        return tuple(
            Hit(
                *rows[block], scores[block], _KINDS[mode], words.scores.get(block), vectors.cosines.get(block)
            )
            for block in blocks
            # The candidates are allowed ones already; what is shown is looked at once more.
            if block in rows
            and may_read(rows[block][1].access_control_list, asked.caller, prefixed=view.prefixed)
        )

    return hits(chosen.shown), hits(chosen.left_out)


def _lowered(chosen: Sifted, scores: Mapping[int, float]) -> dict[int, float]:
    """Scores of the repeats, no higher than of what stands before them."""
    first = len(chosen.shown) - chosen.again
    lowest = scores[chosen.shown[first - 1]] if first else 1.0
    return {block: min(scores[block], lowest) for block in chosen.shown[first:]}


def _ranked(view: View, asked: Asked, scores: Mapping[int, float]) -> list[tuple[int, float]]:
    """Best first, after what the wording of the query asks for."""
    if wants_figures(asked.text):
        scores = towards_figures(scores, _figures(view, scores), view.ranking.figures)
    ranked = best_first(scores)
    if view.ranking.spread < 1 and compares(asked.text):
        return spread(ranked, documents_of(view, scores), view.ranking.spread)
    return ranked


def _fused(view: View, words: ByWords, vectors: ByVectors) -> dict[int, float]:
    match = Match(words.full, words.coded, vectors.languages)
    return fuse(words.scores, vectors.scores, view.ranking.fusion, lowest=vectors.lowest, match=match)


def _figures(view: View, blocks: Iterable[int]) -> set[int]:
    rows = view.connection.execute(
        "SELECT id FROM blocks WHERE block_type = 'image' AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(blocks)),),
    )
    return {block for (block,) in rows}
