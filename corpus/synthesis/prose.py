"""What a block says, without what only lays it out: the heading that it starts with, the marks of Markdown."""

from __future__ import annotations

import re

from corpus.blocks import Block
from corpus.documents import Document
from corpus.headings import without_heading

_MARKDOWN = (".md", ".markdown")
_WRAPPED = (*_MARKDOWN, ".txt", ".text", ".rst", ".eml", ".msg", ".log")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_HEADING_MARK = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)


def body_of(block: Block, document: Document) -> str:
    """The text to quote. A block that is nothing but its heading keeps it as text."""
    text = block.content
    if document.filename.lower().endswith(_MARKDOWN):
        text = _EMPHASIS.sub(r"\2", _HEADING_MARK.sub("", text))
    return without_heading(text, block.heading) or text


def is_wrapped(document: Document) -> bool:
    """Whether the lines of a document end where they were full, as in a text file, and not where a paragraph does."""
    return document.filename.lower().endswith(_WRAPPED)
