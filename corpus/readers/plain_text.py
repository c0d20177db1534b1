"""Plain text: paragraphs with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpus.readers.decoding import read_text
from corpus.readers.languages import settled
from corpus.readers.protocol import ReadDocument
from corpus.readers.steps import Step
from corpus.readers.text_blocks import Section, text_blocks


def read_plain_text(path: Path) -> Iterator[Step]:
    """Yield blocks with lines and offsets; a text file has no title or date. Raises UnreadableDocument where it is
    no text."""
    text, warnings = read_text(path)
    blocks, language = yield from settled(text_blocks(text, [Section(0, len(text))]))
    yield from blocks
    yield ReadDocument(language=language, warnings=warnings)
