"""What text recognition read in a picture, told from text that a file holds: the mark goes along with the block.

Text has it in its id, and so in every index; the words of a figure stand below a line that says where they are from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.blocks import Block
from corpus.text import clean

MOST_SENTENCES = 3

RECOGNISED = "[Read in the picture by text recognition]"
"""The line above words that were recognised in a figure."""
_PLACE = re.compile(r"p\d+-ocr\d+")


def recognised_place(place: str) -> str:
    """The place of a block of text (`p3-1`) as that of a recognised one (`p3-ocr1`)."""
    return place.replace("-", "-ocr", 1)


def with_recognised(content: str, words: str) -> str:
    """What is known of a figure, and the words recognised in its picture below it."""
    return f"{content.rstrip()}\n\n{RECOGNISED}\n{clean(words)}".lstrip()


def is_recognised(block: Block) -> bool:
    """Whether the text of the block was read by text recognition."""
    return _PLACE.fullmatch(block.block_id.removeprefix(f"{block.doc_id}-")) is not None


def recognised_warnings(blocks: Iterable[tuple[Block, str]]) -> tuple[str, ...]:
    """One sentence for all recognised blocks, given each with the name of its file."""
    recognised = [(block, name) for block, name in blocks if is_recognised(block)]
    places = list(dict.fromkeys(f"{name} page {block.page_number}" for block, name in recognised))
    if not places:
        return ()
    more = f" and {len(places) - MOST_SENTENCES} more" if len(places) > MOST_SENTENCES else ""
    names = ", ".join(places[:MOST_SENTENCES]) + more
    return (f"Read by text recognition (OCR), so check numbers and names against the page: {names}.",)
