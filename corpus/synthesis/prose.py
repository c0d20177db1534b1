"""What a block says, without what only lays it out: the heading that it starts with, the marks of Markdown."""

from __future__ import annotations

import re

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.headings import without_heading

_MARKDOWN = (".md", ".markdown")
_WRAPPED = (*_MARKDOWN, ".txt", ".text", ".rst", ".eml", ".msg", ".log")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_LIGHT_EMPHASIS = re.compile(r"(?<![\w*_\\])([*_])(?=[^\s*_])([^*_\n]{1,200}?)(?<=[^\s*_\\])\1(?![\w*_])")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{1,300})\](?:\([^()\s]{1,1000}(?:\([^()\s]{0,200}\))?[^()\s]{0,200}\)|\[[^\[\]\n]{0,100}\])"
)
_CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300}?)\1(?!`)")
_HEADING_MARK = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)


def body_of(block: Block, document: Document) -> str:
    """The text to quote. A block that is nothing but its heading keeps it as text."""
    text = block.content
    if document.filename.lower().endswith(_MARKDOWN):
        text = without_inline_markup(_HEADING_MARK.sub("", text))
    return without_heading(text, block.heading) or text


def without_inline_markup(markdown: str) -> str:
    """Markdown as a reader sees it: the text of links, emphasis and code without their marks."""
    return _LIGHT_EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", _CODE_SPAN.sub(r"\2", _LINK.sub(r"\1", markdown))))


def is_wrapped(document: Document) -> bool:
    """Whether the lines of a document end where they were full, as in a text file, and not where a paragraph does."""
    return document.filename.lower().endswith(_WRAPPED)
