"""What is embedded of a block: its passage, cleaned and bounded, with its digest."""

from __future__ import annotations

import hashlib

from corpus.blocks import Block, passage_text
from corpus.queries import embeddable

LONGEST_PASSAGE = 4_000
"""Characters. An embedder's cost grows with length, so whatever comes in is cut before it."""


def passage_of(block: Block) -> str:
    return embeddable(passage_text(block), LONGEST_PASSAGE)


def digest(passage: str) -> bytes | None:
    """None for a block that says nothing in words."""
    return hashlib.blake2b(passage.encode(), digest_size=16).digest() if passage else None
