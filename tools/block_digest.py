"""A digest of a block's content, to notice that another text has taken its id."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.documents.block import Block

LETTERS = 8


def block_print(block: Block) -> str:
    """The digest of the block's content."""
    text = f"{block.image_caption or ''}\0{block.content}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LETTERS]
