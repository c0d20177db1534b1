"""What a block says, without what only lays it out: the heading that it starts with, the marks of Markdown."""

from __future__ import annotations

import re

from corpus.blocks import Block
from corpus.documents import Document

_MARKDOWN = (".md", ".markdown")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_HEADING_MARK = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)


def prose(block: Block, document: Document) -> str:
    """The text to quote. A block that is nothing but its heading keeps it."""
    text = block.content
    if document.filename.lower().endswith(_MARKDOWN):
        text = _EMPHASIS.sub(r"\2", _HEADING_MARK.sub("", text))
    return _without_heading(text, block.heading or "") or text


def _without_heading(text: str, heading: str) -> str:
    """Leading lines that the heading path says already are dropped."""
    path = {_letters(part) for part in heading.split(" > ")} - {""}
    lines = text.splitlines()
    while lines and (not lines[0].strip() or _letters(lines[0]) in path):
        lines.pop(0)
    return "\n".join(lines)


def _letters(line: str) -> str:
    return re.sub(r"[\W_]+", "", line).casefold()
