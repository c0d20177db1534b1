"""What is embedded: the passage of a block or the text of a query, cleaned and bounded, with its digest."""

from __future__ import annotations

import hashlib
import re

from corpus.blocks import Block, passage_text
from corpus.text import clean

LONGEST_PASSAGE = 4_000
LONGEST_QUERY = 1_500
"""Characters. An embedder's cost grows with length, so whatever comes in is cut before it."""

# A run of letters without a space (encoded data, a held key) costs an embedder seconds and means nothing.
# Scripts that are written without spaces lie above.
_RUN = re.compile(r"([!-\u0dff]{120})[!-\u0dff]+")


def embeddable(text: str, longest: int = LONGEST_QUERY) -> str:
    """Text that any embedder takes: clean, bounded, without endless runs; empty where nothing is left."""
    return _RUN.sub(r"\1", clean(text[: 4 * longest])).strip()[:longest]


def passage_of(block: Block) -> str:
    return embeddable(passage_text(block), LONGEST_PASSAGE)


def digest(passage: str) -> bytes | None:
    """None for a block that says nothing in words."""
    return hashlib.blake2b(passage.encode(), digest_size=16).digest() if passage else None
