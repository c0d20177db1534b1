"""Measure the reading order of pages: `python -m bench layout --only order`.

For each page, the bench searches for the starts of its blocks in the text that the reader returns for it (all its
blocks in order, including tables and captions). The score is the fraction of starts that are found in the correct
order: the longest increasing sequence of their positions. Starts that are part of a picture are excluded.
`labels/order.jsonl` contains the labelled pages; `made_pages.py` draws the generated ones.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.layout import LABELS, corpora
from bench.layout.made_pages import made_pages
from bench.layout.starts import Score, Start, scored
from bench.tables import table
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock

_FLOATING = frozenset(("caption", "table", "footnote"))


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """One page of a document, with the text in the order in which a person reads it."""

    path: Path
    page: int
    starts: tuple[Start, ...]
    running: tuple[str, ...]


def run() -> None:
    """Print one table for the labelled pages and one for the generated pages."""
    print(f"### Reading order, labelled pages\n\n{_report(list(labelled_pages(corpora())))}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = [LabelledPage(*made) for made in made_pages(Path(folder))]
        print(f"### Reading order, made pages\n\n{_report(pages)}\n", flush=True)


def labelled_pages(folder: Path) -> Iterator[LabelledPage]:
    """Yield the labelled pages whose document is in the folder, without the starts that are in pictures."""
    for line in (LABELS / "order.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        starts = tuple(
            Start(block["start"], block["kind"], tuple(block["at"]) if block["at"] else None)
            for block in entry["blocks"]
            if not block.get("image")
        )
        if (folder / entry["doc"]).is_file():
            yield LabelledPage(folder / entry["doc"], entry["page"], starts, tuple(entry["running"]))


def _report(pages: list[LabelledPage]) -> str:
    rows, total, settled = [], Score(), Score()
    for page, blocks in _read(pages):
        score = scored(page.starts, page.running, blocks)
        total += score
        settled += scored([s for s in page.starts if s.kind not in _FLOATING], (), blocks)
        rows.append([page.path.name, str(page.page), *_cells(score)])
    rows.append(["pooled", "", *_cells(total)])
    rows.append(["pooled without captions, tables, footnotes", "", *_cells(settled)])
    return table(["document", "page", "starts", "found", "in order", "share", "running lines in text"], rows)


def _cells(score: Score) -> list[str]:
    share = f"{score.in_order / max(1, score.asked):.3f}"
    leaked = f"{score.leaked} of {score.running}" if score.running else ""
    return [str(score.asked), str(score.found), str(score.in_order), share, leaked]


def _read(pages: Iterable[LabelledPage]) -> Iterator[tuple[LabelledPage, list[ReadBlock]]]:
    """Yield each page with its blocks; each document is read only once."""
    of_path: dict[Path, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        of_path[page.path].append(page)
    for path, its_pages in of_path.items():
        blocks = [step for step in read_pdf(path) if isinstance(step, ReadBlock)]
        for page in its_pages:
            yield page, [block for block in blocks if block.page_number == page.page]
