"""Measure captioned figures of the papers: the right page, the right caption, and a matching box."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from bench.layout import corpora
from bench.layout.labelled import ENOUGH, agreement, labels, looked, starts_alike
from bench.tables import table
from corpus.readers.pdf.float_blocks import caption_of
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadDocument


def run() -> None:
    """Print the table."""
    print(f"### Captioned figures\n\n{report(corpora())}\n\n{speed(corpora())}\n", flush=True)


def speed(folder: Path) -> str:
    """Return how many pages of the papers are read per second of CPU time on one core. The pages are dense and contain
    figures and tables."""
    paths = sorted((folder / "papers").glob("*.pdf"))
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    start, pages = time.process_time(), 0
    for path in paths:
        pages += max(step.page_count or 0 for step in read_pdf(path) if isinstance(step, ReadDocument))
    seconds = time.process_time() - start
    return f"speed: {pages} pages of {len(paths)} papers in {seconds:.1f} CPU s, {pages / seconds:.1f} pages/s"


def report(folder: Path) -> str:
    """Return one row per labelled figure, followed by the numbers of figures found and of other detections."""
    wanted = labels("figures")
    rows, right, found = [], 0, 0
    for doc in dict.fromkeys(label["doc"] for label in wanted):
        document = looked(folder / doc)
        figures = [(page, figure) for page in document.pages for figure in page.figures]
        found += len(figures)
        for label in (label for label in wanted if label["doc"] == doc):
            near = [
                agreement(figure.box, label["bbox"])
                for page, figure in figures
                if page.number == label["page"]
                and starts_alike(caption_of(figure, page.lines, document.words), label["caption"])
            ]
            best = max(near, default=0.0)
            right += best >= ENOUGH
            rows.append([doc, str(label["page"]), label["caption"], label["kind"], f"{best:.2f}"])
    head = ["document", "page", "caption", "kind", "agreement"]
    return f"{table(head, rows)}\n\nfigures: {right} of {len(wanted)} found, {found - right} others"
