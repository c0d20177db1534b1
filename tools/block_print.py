"""A short digest of what a block says, by which one is known again: an id is of a place, and stays when the text there
is another."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.blocks import Block

LETTERS = 8


def block_print(block: Block) -> str:
    said = f"{block.image_caption or ''}\0{block.content}"
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:LETTERS]
