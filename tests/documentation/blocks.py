"""Code blocks of the documentation, fenced and indented, each with its position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PLACES = ("*.md", "docs/**/*.md", "prompts/README.md", "bench/**/*.md")
"""Markdown files with blocks to test. All others are prompts and sample documents."""


@dataclass(frozen=True, slots=True)
class Block:
    """A code block. `line` is the line of its first fence, `heading` the last heading above it. Indented code has the
    language `indented`."""

    page: str
    line: int
    heading: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    found = {path for place in PLACES for path in ROOT.glob(place)}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def blocks_of(page: str) -> list[Block]:
    return list(blocks_in(page, (ROOT / page).read_text(encoding="utf-8")))


def blocks_in(page: str, text: str) -> Iterator[Block]:
    tokens = MarkdownIt().parse(text)
    heading = ""
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before and before.type == "heading_open":
            heading = token.content
        if token.type in ("fence", "code_block"):
            assert token.map
            language = token.info.strip() if token.type == "fence" else "indented"
            yield Block(page, token.map[0] + 1, heading, language, token.content)


def texts(page: str, language: str) -> str:
    """Return the joined blocks of one language on a page."""
    return "".join(block.text for block in blocks_of(page) if block.language == language)
