"""What a block says, without what only lays it out: the heading that it starts with, the marks of Markdown."""

from __future__ import annotations

import re

from corpus.blocks import Block
from corpus.documents import Document
from corpus.headings import last_heading, without_heading

_MARKDOWN = (".md", ".markdown")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_HEADING_MARK = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)


def prose(block: Block, document: Document) -> tuple[str, str]:
    """The heading that the block starts with, else nothing, and the text to quote. A block that is nothing but
    its heading keeps it as text."""
    text = block.content
    if document.filename.lower().endswith(_MARKDOWN):
        text = _EMPHASIS.sub(r"\2", _HEADING_MARK.sub("", text))
    body = without_heading(text, block.heading)
    if not body or body == text.strip():
        return "", text
    return last_heading(block.heading), body
