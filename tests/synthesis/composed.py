"""A composed answer from sources, as the tests request it: selected by words alone."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.synthesis import compose as composing
from corpus.synthesis.answer import Source
from corpus.synthesis.compose import MAX_TOKENS, Composed, material
from corpus.synthesis.request import CitationStyle


def compose(
    query: str,
    sources: Iterable[Source],
    *,
    before: str = "",
    style: CitationStyle = "source",
    max_tokens: int = MAX_TOKENS,
) -> Composed:
    return composing.compose(query, material(query, sources, before=before), style=style, max_tokens=max_tokens)
