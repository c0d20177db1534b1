"""Plain text and source code: paragraphs and definitions with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from corpus.readers.chunking import TARGET_BLOCK, Section, text_blocks
from corpus.readers.decoding import read_text
from corpus.readers.languages import with_languages
from corpus.readers.protocol import PageDone, ReadDocument, Step
from corpus.readers.text_files.records import MAX_CHARACTERS


def read_plain_text(path: Path) -> Iterator[Step]:
    """Yield blocks with lines and offsets; a text file has no title or date. Raises UnreadableDocument where it is
    no text."""
    text, warnings = read_text(path)
    blocks, language = yield from with_languages(text_blocks(text, [Section(0, len(text))]))
    yield from blocks
    yield ReadDocument(language=language, warnings=warnings)


_DEFINITION = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|extern"
    r"|const|inline|virtual|override|open|sealed|data|partial)\s+)*"
    r"(?:def|class|func|fun|fn|function|struct|interface|trait|impl|enum|type|module|namespace|package|object|record"
    r"|sub|procedure|resource|service|message|mod|union|macro_rules!)\s+[\w<\"'(*&:.$]"
    r"|(?:CREATE|create)\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|table|view|function|procedure|index)\s"
    r"|[\w$.]+\s*(?:\(\)\s*\{|=\s*(?:async\s*)?(?:\([^)]{0,200}\)|\w+)\s*=>)"
    r"|\[[^\]\n]{1,100}\]\s*$"
)
_OUTER = re.compile(r"^(?=[^\s#/*{}()\]@;,])", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]{0,300}")
_MAX_NAME = 120
"""Characters of one definition's name in a heading."""


def read_code(path: Path) -> Iterator[Step]:
    """Yield blocks with lines, each under the names of its definitions. Raises UnreadableDocument where it is no
    text."""
    text, warnings = read_text(path)
    is_cut = len(text) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS]
    yield PageDone(0)
    blocks, language = yield from with_languages(text_blocks(text, _sections(text)))
    yield from blocks
    if is_cut:
        warnings += (f"Only the first {MAX_CHARACTERS // 1_000_000} million characters were read.",)
    yield ReadDocument(language=language, warnings=warnings)


def _sections(text: str) -> list[Section]:
    """Cut from one top-level definition to the next, merging small neighbours."""
    starts = [0]
    names = [""]
    for match in _OUTER.finditer(text):
        line = _LINE.match(text, match.start())
        if line and _DEFINITION.match(line[0]):
            starts.append(_with_comments_above(text, match.start(), starts[-1]))
            names.append(line[0].strip().rstrip("{:(").strip()[:_MAX_NAME])
    sections: list[Section] = []
    for start, end, name in zip(starts, [*starts[1:], len(text)], names, strict=True):
        last = sections[-1] if sections else None
        if last and end - last.start <= TARGET_BLOCK:
            heading = ", ".join(filter(None, (last.heading, name)))
            sections[-1] = Section(last.start, end, heading[:300] or None)
        else:
            sections.append(Section(start, end, name or None))
    return sections


def _with_comments_above(text: str, start: int, before: int) -> int:
    """Move a definition's start up over comments and decorators directly above it."""
    while start > before:
        above = text.rfind("\n", before, start - 1) + 1 or before
        line = text[above : start - 1].strip()
        if not line.startswith(("#", "//", "/*", "*", "@", "--", '"""', "///")):
            break
        start = above
    return start
