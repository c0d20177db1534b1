"""Prepare query text for a search: clean it, bound it, embed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.errors import IbidError, InvalidRequest
from corpus.text.normalization import clean

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

# A long run of characters without a space (encoded data, a held key) costs an embedder seconds and means nothing.
# Scripts that are written without spaces are above U+0DFF.
_RUN = re.compile(r"([!-\u0dff]{120})[!-\u0dff]+")


MAX_QUERY_CHARACTERS = 4000
"""Characters of the longest query that is taken."""


def question(query: str) -> str:
    """The query, cleaned and cut. Raises InvalidRequest where nothing is left of it."""
    text = clean(query[: 4 * MAX_QUERY_CHARACTERS]).strip()
    if not text:
        raise InvalidRequest("The query is empty. Ask with the words that the documents would use.")
    return text[:MAX_QUERY_CHARACTERS]


def embeddable(text: str, longest: int) -> str:
    """Text that any embedder accepts: clean, at most `longest` characters, without endless runs; possibly empty."""
    return _RUN.sub(r"\1", clean(text[: 4 * longest])).strip()[:longest]


def bound_query(query: str, longest: int) -> tuple[str, tuple[str, ...]]:
    """The query as it is searched, and a warning where it was cut."""
    warnings = (f"The query was cut to its first {longest} characters.",) if len(query) > longest else ()
    return embeddable(query, longest), warnings


async def embed_query(embedder: Embedder, text: str) -> tuple[Vectors | None, tuple[str, ...]]:
    """The query's vector, shape (dimensions,), or None and a warning when the embedder fails."""
    try:
        return await embedder.query(text), ()
    except IbidError as problem:
        return None, (f"The query could not be embedded, so this answer was found by words alone. {problem}",)
