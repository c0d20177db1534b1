"""Measure how long it takes to read office documents: `python -m bench.office_reading`.

Each file is created first and read in a separate process, as in a server. The times are CPU seconds of that process,
including its imports; the goal for the Word document of 800 pages is 3 s.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.tables import table

SENTENCE = "The pump must be filled with water before it is started, or it runs dry and its seal is damaged. "
PAGES, SLIDES, ROWS, SECTIONS = 800, 200, 20_000, 4_000
READ = """
import sys, time
from pathlib import Path
from corpus.readers.formats import reader_for
from corpus.readers.protocol import ReadBlock
path = Path(sys.argv[1])
blocks = sum(isinstance(step, ReadBlock) for step in reader_for(path)(path))
print(blocks, time.process_time())
"""


def word(path: Path) -> None:
    """Create a document with about 400 words per page."""
    from docx import Document

    document = Document()
    for page in range(PAGES):
        document.element.body.append(document.add_heading(f"Section {page}", 2)._p)
        for _ in range(5):
            document.element.body.append(document.add_paragraph(SENTENCE * 4)._p)
    document.save(str(path))


def slides(path: Path) -> None:
    """Create slides with a title and six points each."""
    from pptx import Presentation

    deck = Presentation()
    for number in range(SLIDES):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = "\n".join([SENTENCE] * 6)
    deck.save(str(path))


def sheet(path: Path) -> None:
    """Create a sheet with five columns."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    rows = book.create_sheet("Data")
    rows.append(["Number", "Name", "Price", "Note", "Day"])
    for number in range(ROWS):
        rows.append([number, f"Thing {number}", number * 1.5, "in stock", number % 7])
    book.save(path)


def page(path: Path) -> None:
    """Create a page of about 1.6 MB."""
    parts = (f"<h2>Section {number}</h2><p>{SENTENCE * 4}</p>" for number in range(SECTIONS))
    path.write_text(f"<html><body>{''.join(parts)}</body></html>", encoding="utf-8")


FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    f"Word, {PAGES} pages": ("a.docx", word),
    f"PowerPoint, {SLIDES} slides": ("a.pptx", slides),
    f"Excel, {ROWS} rows of five cells": ("a.xlsx", sheet),
    f"HTML, {SECTIONS} sections": ("a.html", page),
}


def main() -> None:
    """Print the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, make) in FILES.items():
            path = Path(folder) / name
            make(path)
            done = subprocess.run([sys.executable, "-c", READ, str(path)], check=True, capture_output=True, text=True)
            blocks, seconds = done.stdout.split()
            rows.append((what, blocks, f"{float(seconds):.1f}"))
    print(table(("document", "blocks", "processor s"), rows))


if __name__ == "__main__":
    main()
