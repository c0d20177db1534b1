"""Measure charts without a caption on slides: the reader must find them, with the slide's title as caption, and nothing
else."""

from __future__ import annotations

from pathlib import Path

from bench.layout import corpora
from bench.layout.labelled import ENOUGH, agreement, labels, looked, starts_alike
from bench.tables import table
from corpus.readers.pdf.float_blocks import caption_of


def run() -> None:
    """Print the table."""
    print(f"### Charts without a caption\n\n{report(corpora())}\n", flush=True)


def report(folder: Path) -> str:
    """Return one row per slide, followed by the numbers of charts found, of charts found with their title, and of other
    detections."""
    wanted = labels("charts")
    rows, right, titled, false = [], 0, 0, 0
    for label in wanted:
        document = looked(folder / label["doc"])
        page = document.pages[label["page"] - 1]
        best, caption = 0.0, ""
        for figure in page.figures:
            agrees = agreement(figure.box, label["bbox"]) if label["charts"] else 0.0
            if agrees >= max(best, ENOUGH):
                best, caption = agrees, caption_of(figure, page.lines, document.words)
        found = best >= ENOUGH
        right, false = right + found, false + len(page.figures) - found
        titled += found and starts_alike(caption, label["title"])
        rows.append([str(label["page"]), label["kind"] or "none", f"{best:.2f}", caption, str(len(page.figures))])
    count = sum(label["charts"] for label in wanted)
    head = ["page", "chart", "agreement", "caption", "figures found"]
    return f"{table(head, rows)}\n\ncharts: {right} of {count} found, {titled} with the slide's title, {false} others"
