"""Anchor evidence in texts. A digest of a block's content reveals whether its id now belongs to a different text.
Offsets are in UTF-16 code units, as in JavaScript.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.documents.block import Block

DIGEST_LENGTH = 8
"""Number of hexadecimal digits in a digest."""


def block_print(block: Block) -> str:
    """Return the digest of the block's content."""
    text = f"{block.image_caption or ''}\0{block.content}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


def utf16_offset(text: str, offset: int) -> int:
    """Return the number of UTF-16 code units before the code point at `offset`."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
