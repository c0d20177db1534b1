"""Text files decoded: by their mark, else as UTF-8, else by what fits."""

from __future__ import annotations

import codecs
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.files import opened
from corpus.text import clean

TEXT_BYTES = 50_000_000
"""A text file over this is no document but data."""

_SAMPLE = 50_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its start
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> str:
    """The text with its line ends as they are. UnreadableDocument when it is none, or too long."""
    with opened(path) as file:
        data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise UnreadableDocument(f"a text of more than {TEXT_BYTES // 1_000_000} MB")
    text = decoded(data)
    if text.count("\0") > len(text) // 1000:
        raise UnreadableDocument("not a text although its name says so")
    return text


def decoded(data: bytes) -> str:
    """The text; a byte that fits no encoding becomes U+FFFD."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if unmarked := _without_mark(data[:_SAMPLE]):
        return data.decode(unmarked, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guess(data), "replace")


def _without_mark(sample: bytes) -> str | None:
    """UTF-16 as some programs write it: every other byte of most letters is nothing, and what it says is text."""
    few, most = 0.01 * len(sample), 0.2 * len(sample)
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if sample[start::2].count(0) > most and sample[1 - start :: 2].count(0) <= few:
            text = sample.decode(encoding, "replace")
            return encoding if len(clean(text)) > 0.9 * len(text) else None
    return None


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    # Of a short text the statistics know nothing; what most such files are is the better guess.
    best = from_bytes(data[:_SAMPLE]).best() if len(data) > 200 else None
    return best.encoding if best else "cp1252"
