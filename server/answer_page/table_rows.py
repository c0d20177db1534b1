"""Show a table row in a list of claims, without the bars of Markdown."""

from __future__ import annotations

from corpus.synthesis.extractive.table import is_row, table_of


def read(text: str) -> str:
    """The cells parted by dots where the text is a row; any other text as it is."""
    line = text.strip()
    if "\n" in line or not (is_row(line) and line.endswith("|")):
        return text
    return " · ".join(cell for cell in table_of([line]).head if cell) or text
