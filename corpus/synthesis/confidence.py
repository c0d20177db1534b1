"""How far an answer may be trusted: more independent sources, more confidence."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.search import Hit

BY_SOURCES = (0.0, 0.6, 0.8, 0.95)
LIMITED = 0.5
NOTICE = "Note: this answer rests on limited evidence. Please check it against further sources."


def independent_sources(hits: Iterable[Hit]) -> int:
    """Blocks of one page repeat one author's word, so a page counts once; without pages, a document does."""
    return len({(hit.block.doc_id, hit.block.page_number) for hit in hits})


def confidence(hits: Iterable[Hit]) -> tuple[float, dict[str, float]]:
    """The confidence, 0..1, and the factors that made it."""
    sources = independent_sources(hits)
    return BY_SOURCES[min(sources, 3)], {"independent_sources": float(sources)}
