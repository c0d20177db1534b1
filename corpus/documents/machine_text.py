"""Marks of machine-made text: text read by OCR, and picture descriptions by a model.

An OCR text block is marked in its id, so every index stores the mark. In a figure, a line above the words states that
OCR read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.documents.block import Block
from corpus.text.normalization import clean

MAX_PLACES = 3
"""Maximum number of pages that a warning lists."""

OCR_MARK = "[Read in the picture by text recognition]"
"""Line above the words that OCR read in a figure."""
_PLACE = re.compile(r"p\d+-ocr\d+")


def ocr_place(place: str) -> str:
    """Return the id suffix of an OCR block, given the suffix of a text block (`p3-1`)."""
    return place.replace("-", "-ocr", 1)


def with_ocr_text(content: str, words: str) -> str:
    """Return the known text of a figure, followed by the words that OCR read in its picture."""
    return f"{content.rstrip()}\n\n{OCR_MARK}\n{clean(words)}".lstrip()


def is_ocr_text(block: Block) -> bool:
    """Return whether OCR read the text of the block."""
    return _PLACE.fullmatch(block.block_id.removeprefix(f"{block.doc_id}-")) is not None


def ocr_warnings(blocks: Iterable[tuple[Block, str]]) -> tuple[str, ...]:
    """Return one warning about all OCR blocks, or none if there are no such blocks. `blocks` pairs each block with its
    file name."""
    recognised = [(block, name) for block, name in blocks if is_ocr_text(block)]
    places = list(dict.fromkeys(f"{name} page {block.page_number}" for block, name in recognised))
    if not places:
        return ()
    more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
    names = ", ".join(places[:MAX_PLACES]) + more
    return (f"Read by text recognition (OCR), so check numbers and names against the page: {names}.",)


def with_description(content: str, description: str, model: str) -> str:
    """Return the words of a figure, followed by a mark and a model's description of its picture."""
    name = re.sub(r"[\]\n]", " ", model)[:200]
    return f"{content.rstrip()}\n\n[Described by {name}, not by the document]\n{description}".lstrip()
