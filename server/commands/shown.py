"""Text of others as a terminal may show it: file names, titles and passages carry no commands to it."""

from __future__ import annotations

from rich.markup import escape

from corpus.text import clean


def line(text: object) -> str:
    """On one line, without escape sequences, and with what cannot be written as question marks."""
    plain = str(text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return clean(plain).replace("\n", " ").replace("\t", " ")


def marked_up(text: object) -> str:
    """The same for a place where rich reads markup."""
    return escape(line(text))
