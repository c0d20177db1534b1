"""Tables: found where they are, nothing found where there is none, and the cells of those given as a grid."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.layout import corpora
from bench.layout.labelled import ENOUGH, Label, agreement, labels, page_of
from bench.tables import table
from corpus.blocks import Box
from corpus.readers.pdf.lines import HYPHEN
from corpus.readers.pdf.tables.page_tables import Table

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Cells:
    """How many cells with text are labelled, and how many of them have exactly it, and its letters."""

    asked: int = 0
    right: int = 0
    bare: int = 0

    def __add__(self, other: Cells) -> Cells:
        return Cells(self.asked + other.asked, self.right + other.right, self.bare + other.bare)


def run() -> None:
    """Prints the table."""
    print(f"### Tables\n\n{report(corpora())}\n", flush=True)


def report(folder: Path) -> str:
    """One row a labelled region, then the shares of tables found and of cells right in those given as a grid."""
    rows, found, grids, false, pooled = [], 0, 0, 0, Cells()
    wanted = labels("tables")
    for label in wanted:
        tables = page_of(folder / label["doc"], label["page"]).tables
        name = [label["doc"], str(label["page"]), label["layout"]]
        if not label["table"]:
            over = [each for each in tables if _covered(each.box, label["bbox"]) > _HALF]
            false += len(over)
            rows.append([*name, "", f"{len(over)} false", ""])
            continue
        best = max(tables, key=lambda each: agreement(each.box, label["bbox"]), default=None)
        agrees = agreement(best.box, label["bbox"]) if best else 0.0
        found += agrees >= ENOUGH
        cells = ""
        if best and best.grid and agrees >= ENOUGH and not label.get("image"):
            score = scored(label, best)
            pooled, grids = pooled + score, grids + 1
            size = f"{best.grid.height} x {best.grid.width} of {label['rows']} x {label['columns']}"
            cells = f"{score.right / score.asked:.2f} ({score.bare / score.asked:.2f}), {size}"
        rows.append([*name, f"{agrees:.2f}", "grid" if best and best.grid else "", cells])
    count = sum(label["table"] for label in wanted)
    right, bare = (share / max(1, pooled.asked) for share in (pooled.right, pooled.bare))
    head = ["document", "page", "layout", "agreement", "read as", "cells right (letters alone)"]
    return (
        f"{table(head, rows)}\n\ntables: {found} of {count} found ({found / count:.2f}), {false} false; "
        f"{grids} as a grid, of their {pooled.asked} cells {right:.3f} right, {bare:.3f} by letters alone"
    )


def scored(label: Label, found: Table) -> Cells:
    """The cells of a grid against the labelled hashes, place by place."""
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
    """How much of the region the box covers."""
    across = min(box[2], region[2]) - max(box[0], region[0])
    down = min(box[3], region[3]) - max(box[1], region[1])
    return max(0.0, across) * max(0.0, down) / ((region[2] - region[0]) * (region[3] - region[1]))
