"""The value of a merged cell is repeated in each cell that it covers, in any format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import paragraph, row, run
from tests.readers.kinds.workbooks import BOOKS, Sheet
from tests.readers.kinds.writers import docx, epub, html, odt, rtf
from tests.readers.pdfs import drawn

EXPECTED = "| Late | closed | closed | closed |\n| Night | open | open | shut |\n| Night | 1 | 2 | 3 |"
DOCX = (
    "<w:tbl>"
    + row("Shift", "Mon", "Tue", "Wed")
    + row("Late", f'<w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>{paragraph(run("closed"))}</w:tc>')
    + row(
        f'<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>{paragraph(run("Night"))}</w:tc>',
        f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph(run("open"))}</w:tc>',
        "shut",
    )
    + row("<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>", "1", "2", "3")
    + "</w:tbl>"
)
HTML = (
    "<table><tr><th>Shift</th><th>Mon</th><th>Tue</th><th>Wed</th></tr>"
    "<tr><td>Late</td><td colspan='3'>closed</td></tr>"
    "<tr><td rowspan='2'>Night</td><td colspan='2'>open</td><td>shut</td></tr>"
    "<tr><td>1</td><td>2</td><td>3</td></tr></table>"
)
SHEET = Sheet(
    rows=[
        ("Shift", "Mon", "Tue", "Wed"),
        ("Late", "closed", None, None),
        ("Night", "open", None, "shut"),
        (None, 1, 2, 3),
    ],
    merges=[(2, 2, 2, 4), (3, 1, 4, 1), (3, 2, 3, 3)],
)


def rtf_row(places: str, *cells: str) -> str:
    """Return a row. `places` are the merges and right edges of the cells."""
    return rf"\trowd{places} \pard\intbl " + "".join(rf"{cell}\cell " for cell in cells) + r"\row "


RTF = (
    rtf_row(r"\cellx1000\cellx2000\cellx3000\cellx4000", "Shift", "Mon", "Tue", "Wed")
    + rtf_row(r"\cellx1010\clmgf\cellx2000\clmrg\cellx3000\clmrg\cellx4000", "Late", "closed", "", "")
    + rtf_row(r"\clvmgf\cellx1000\cellx3000\cellx4000", "Night", "open", "shut")
    + rtf_row(r"\clvmrg\cellx1000\cellx2000\cellx3000\cellx4000", "", "1", "2", "3")
)
PDF = [["Shift", "Mon", "Tue", "Wed"], ["Late", "closed"], ["Night", "open", "", "shut"], ["", "1", "2", "3"]]
PDF_STYLE = [
    ("GRID", (0, 0), (-1, -1), 0.5, "black"),
    *(("SPAN", first, last) for first, last in (((1, 1), (3, 1)), ((0, 2), (0, 3)), ((1, 2), (2, 2)))),
]


def pdf(folder: Path) -> Path:
    def draw(canvas: Canvas) -> None:
        table = Table([[*row, "", ""][:4] for row in PDF], style=PDF_STYLE)
        table.wrapOn(canvas, 500, 500)
        table.drawOn(canvas, 72, 500)

    return drawn(folder / "a.pdf", draw)


def odt_row(*cells: str) -> str:
    """Return a row of cells with markup or plain text."""
    inner = (
        cell if cell.startswith("<") else f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>"
        for cell in cells
    )
    return f"<table:table-row>{''.join(inner)}</table:table-row>"


def spanned(cell: str, **spans: int) -> str:
    said = " ".join(f'table:number-{name}-spanned="{count}"' for name, count in spans.items())
    return f"<table:table-cell {said}><text:p>{cell}</text:p></table:table-cell>"


COVERED = "<table:covered-table-cell/>"
ODT = (
    "<table:table>"
    + odt_row("Shift", "Mon", "Tue", "Wed")
    + odt_row("Late", spanned("closed", columns=3), COVERED, COVERED)
    + odt_row(spanned("Night", rows=2), spanned("open", columns=2), COVERED, "shut")
    + odt_row(COVERED, "1", "2", "3")
    + "</table:table>"
)
FILES: dict[str, Callable[[Path], Path]] = {
    "pdf": pdf,
    "docx": lambda folder: docx(folder, DOCX),
    "rtf": lambda folder: rtf(folder, RTF + r"\pard End.\par"),
    "odt": lambda folder: odt(folder, ODT),
    "html": lambda folder: html(folder, HTML),
    "epub": lambda folder: epub(folder, HTML),
    **{kind: partial(write, sheet=SHEET) for kind, write in BOOKS.items()},
}


@pytest.mark.parametrize("kind", FILES)
def test_each_position_of_a_merged_cell_has_its_value(tmp_path: Path, text: Text, kind: str) -> None:
    assert EXPECTED in text(FILES[kind](tmp_path))
