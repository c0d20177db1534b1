"""Runs of a Word paragraph."""

from __future__ import annotations


def run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def up(text: str) -> str:
    return run(text, '<w:vertAlign w:val="superscript"/>')


def down(text: str) -> str:
    return run(text, '<w:vertAlign w:val="subscript"/>')


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def row(*cells: str) -> str:
    """Return a row of cells with markup or plain text."""
    inner = (cell if cell.startswith("<w:tc") else f"<w:tc>{paragraph(run(cell))}</w:tc>" for cell in cells)
    return f"<w:tr>{''.join(inner)}</w:tr>"
