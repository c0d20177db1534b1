"""Measure tables: whether they are found, false detections, and the cells of tables returned as a grid."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.layout import corpora
from bench.layout.labelled import ENOUGH, Label, agreement, labels, page_of
from bench.layout.made_tables import Known, drawn_tables, made_tables
from bench.layout.random_tables import random_tables
from bench.tables import table
from corpus.documents.block import Box
from corpus.readers.pdf.tables.detection import Table
from corpus.readers.pdf.text.lines import HYPHEN

_HALF = 0.5
_RANDOM, _SEED = 60, 7
_WRONG = 0.9
"""Minimum fraction of correct cells, comparing only alphanumeric characters. A grid with a lower fraction counts as
wrong."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The numbers of labelled cells with text, of cells with exactly that text, and of cells with the same alphanumeric
    characters."""

    asked: int = 0
    right: int = 0
    bare: int = 0

    def __add__(self, other: Cells) -> Cells:
        return Cells(self.asked + other.asked, self.right + other.right, self.bare + other.bare)


@dataclass(frozen=True, slots=True)
class Region:
    """A labelled region and what was detected there: a row of the printed table, and counts."""

    row: list[str]
    is_table: bool
    found: bool
    false: int
    cells: Cells | None = None
    """None if the region is not returned as a grid."""


def run() -> None:
    """Print the tables."""
    for name, wanted in (("looked at", False), ("fresh", True)):
        regions = [
            region_of(label, page_of(corpora() / label["doc"], label["page"]).tables)
            for label in labels("tables")
            if label.get("fresh", False) is wanted
        ]
        print(f"### Tables, pages {name}\n\n{report(regions)}\n", flush=True)
    with TemporaryDirectory() as folder:
        print(f"### Tables, drawn\n\n{report(_regions(made_tables(Path(folder))))}\n", flush=True)
        pages = {f"random {n}": [each] for n, each in enumerate(random_tables(_RANDOM, _SEED), 1)}
        chance = report(_regions(drawn_tables(Path(folder), pages)))
        print(f"### Tables, drawn at random\n\n{chance}\n", flush=True)


def _regions(known: Iterable[Known]) -> list[Region]:
    return [region_of(_known(*each), page_of(each[1], 1).tables) for each in known]


def _known(name: str, path: Path, box: Box, rows: Sequence[Sequence[str]]) -> Label:
    return {
        "doc": path.stem,
        "page": 1,
        "table": bool(rows),
        "bbox": box,
        "layout": name,
        "rows": len(rows),
        "columns": len(rows[0]) if rows else 0,
        "cells": [[_hash(_normal(cell)) for cell in row] for row in rows],
        "bare": [[_hash(_bare(cell)) for cell in row] for row in rows],
    }


def region_of(label: Label, tables: Sequence[Table]) -> Region:
    """Compare the page's tables with a labelled region."""
    name = [label["doc"], str(label["page"]), label["layout"]]
    if not label["table"]:
        over = sum(_covered(each.box, label["bbox"]) > _HALF for each in tables)
        return Region([*name, "", f"{over} false", ""], False, False, over)
    best = max(tables, key=lambda each: agreement(each.box, label["bbox"]), default=None)
    agrees = agreement(best.box, label["bbox"]) if best else 0.0
    found = best is not None and agrees >= ENOUGH
    row = [*name, f"{agrees:.2f}", ("grid" if best and best.grid else "lines") if found else ""]
    if not (best and found and best.grid) or label.get("image"):
        return Region([*row, ""], True, found, 0)
    score = scored(label, best)
    size = f"{best.grid.height} x {best.grid.width} of {label['rows']} x {label['columns']}"
    cells = f"{score.right / score.asked:.2f} ({score.bare / score.asked:.2f}), {size}"
    return Region([*row, cells], True, found, 0, score)


def report(regions: Sequence[Region]) -> str:
    """Return one row per region, followed by the fraction of tables found and the fraction of correct cells in the
    tables that are returned as a grid."""
    grids = [region.cells for region in regions if region.cells is not None]
    pooled = sum(grids, Cells())
    count, found = sum(each.is_table for each in regions), sum(each.found for each in regions)
    right, bare = (share / max(1, pooled.asked) for share in (pooled.right, pooled.bare))
    wrong = sum(grid.bare < _WRONG * grid.asked for grid in grids)
    head = ["document", "page", "layout", "agreement", "read as", "cells right (letters alone)"]
    return (
        f"{table(head, [each.row for each in regions])}\n\n"
        f"tables: {found} of {count} found ({found / max(1, count):.2f}), "
        f"{sum(each.false for each in regions)} false; "
        f"{len(grids)} as a grid, {wrong} of them wrong; "
        f"of their {pooled.asked} cells {right:.3f} right, {bare:.3f} by letters alone"
    )


def scored(label: Label, found: Table) -> Cells:
    """Compare a grid with the label cell by cell. The label contains hashes of the cells' text."""
    rows = found.grid.rows() if found.grid else []
    asked = right = bare = 0
    for number, (exact, alone) in enumerate(zip(label["cells"], label["bare"], strict=True)):
        for column, (whole, letters) in enumerate(zip(exact, alone, strict=True)):
            if not whole:
                continue
            inside = number < len(rows) and column < len(rows[number])
            text = _written(rows[number][column]) if inside else ""
            asked += 1
            right += _hash(_normal(text)) == whole
            bare += _hash(_bare(text)) == letters
    return Cells(asked, right, bare)


def _written(lines: Sequence[str]) -> str:
    return " ".join(line.replace(HYPHEN, "-") for line in lines)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _bare(text: str) -> str:
    normal = _normal(text)
    return "".join(filter(str.isalnum, normal)) or normal.replace(" ", "")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def _covered(box: Box, region: Sequence[float]) -> float:
    """Return the fraction of the region that the box covers."""
    across = min(box[2], region[2]) - max(box[0], region[0])
    down = min(box[3], region[3]) - max(box[1], region[1])
    return max(0.0, across) * max(0.0, down) / ((region[2] - region[0]) * (region[3] - region[1]))
