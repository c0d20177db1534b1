"""How a place in a document is written: `(Source: manual.pdf, S. 45 (printed 33))`.

A citation is copied into markdown, by this server and by models, and what it holds of a file is data: it shows as
it is and can start no link, image or entity there.
"""

from __future__ import annotations

import re

from corpus.blocks import Block
from corpus.documents import Document
from corpus.markdown import within_line

PAGE = "S."
UNKNOWN = "Unknown source"

_PRINTED = re.compile(r"(?=.*[^\W_])(?:[^\W_]|[.\- –]){1,12}")


def place(block: Block, page: str = PAGE) -> str:
    """The page of the file with the printed number where it differs, else the lines, else nothing."""
    if block.page_number is not None:
        printed = printed_label(block.page_label)
        differs = printed and printed != str(block.page_number)
        return f"{page} {block.page_number}" + (f" (printed {printed})" if differs else "")
    return line_range(block) or ""


def printed_label(label: str | None) -> str | None:
    """The label, if it looks like a number printed on a page; a file can hold any text in its place."""
    return within_line(label) if label and _PRINTED.fullmatch(label) else None


def line_range(block: Block) -> str | None:
    if block.start_line is None:
        return None
    last = block.end_line or block.start_line
    return f"line {last}" if last == block.start_line else f"lines {block.start_line}-{last}"


def citation(document: Document | None, block: Block, page: str = PAGE) -> str:
    """The source of one block. A document without a name is `Unknown source`; a missing place is left out."""
    name = within_line(document.filename or document.title) if document else ""
    parts = (name or UNKNOWN, place(block, page))
    return f"(Source: {', '.join(part for part in parts if part)})"
