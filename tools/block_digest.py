"""Digest a block's content, to detect that its id now belongs to another text."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.documents.block import Block

DIGEST_LENGTH = 8
"""Hexadecimal digits."""


def block_print(block: Block) -> str:
    """The digest of the block's content."""
    text = f"{block.image_caption or ''}\0{block.content}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
