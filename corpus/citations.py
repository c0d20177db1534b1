"""How a place in a document is written: `(Source: manual.pdf, S. 45 (printed 33))`."""

from __future__ import annotations

from corpus.blocks import Block
from corpus.documents import Document

PAGE = "S."
UNKNOWN = "Unknown source"


def place(block: Block, page: str = PAGE) -> str:
    """The page of the file with the printed number where it differs, else the lines, else nothing."""
    if block.page_number is not None:
        printed = block.page_label
        differs = printed and printed != str(block.page_number)
        return f"{page} {block.page_number}" + (f" (printed {printed})" if differs else "")
    return line_range(block) or ""


def line_range(block: Block) -> str | None:
    if block.start_line is None:
        return None
    last = block.end_line or block.start_line
    return f"line {last}" if last == block.start_line else f"lines {block.start_line}-{last}"


def citation(document: Document | None, block: Block, page: str = PAGE) -> str:
    """The source of one block. A document without a name is `Unknown source`; a missing place is left out."""
    name = (document.filename or document.title) if document else ""
    parts = (_on_one_line(name) or UNKNOWN, place(block, page))
    return f"(Source: {', '.join(part for part in parts if part)})"


def _on_one_line(name: str) -> str:
    # A file name is the user's data: it may not close the parenthesis' emphasis or start a link.
    return "".join(f"\\{sign}" if sign in "*[]<>`" else sign for sign in " ".join(name.split()))
