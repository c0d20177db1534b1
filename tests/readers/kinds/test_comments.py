"""A comment follows the text that it refers to, with its author, in any format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import paragraph, row, run
from tests.readers.kinds.workbooks import BOOKS, Sheet
from tests.readers.kinds.writers import docx, odt, rtf
from tests.readers.pdfs import by_hand

REFERENCE = '<w:r><w:commentReference w:id="7"/></w:r>'
COMMENT = f'<w:comment w:id="7" w:author="Jane Kim">{paragraph(run("until May"))}</w:comment>'
PDF_PAGE = b"BT /F1 12 Tf 72 700 Td 14 TL (The bridge is closed.) Tj T* T* (Further on.) Tj ET"
PDF_NOTE = b"/Annots [<< /Type /Annot /Subtype /Text /Rect [300 695 320 715] /T (Jane Kim) /Contents (until May) >>]"
FILES: dict[str, Callable[[Path], Path]] = {
    "docx": lambda folder: docx(
        folder, paragraph(run("The bridge is closed."), REFERENCE) + paragraph(run("Further on.")), comments=COMMENT
    ),
    "pdf": lambda folder: by_hand(folder / "a.pdf", PDF_PAGE, PDF_NOTE),
    "odt": lambda folder: odt(
        folder,
        "<text:p>The bridge<office:annotation><dc:creator>Jane Kim</dc:creator>"
        "<text:p>until May</text:p></office:annotation>"
        " is closed.</text:p><text:p>Further on.</text:p>",
    ),
    "rtf": lambda folder: rtf(
        folder,
        r"The bridge is closed.{\*\atnid JK}{\*\atnauthor Jane Kim}\chatn"
        r"{\*\annotation{\*\atndate 1}\pard\plain until May}"
        r"\par Further on.\par",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_comment_comes_after_its_paragraph(tmp_path: Path, text: Text, kind: str) -> None:
    said = text(FILES[kind](tmp_path))
    assert "The bridge is closed.\nComment (Jane Kim): until May\nFurther on." in said


def test_a_comment_in_a_table_comes_after_the_table(tmp_path: Path, text: Text) -> None:
    cell = f"<w:tc>{paragraph(run('closed'), REFERENCE)}</w:tc>"
    body = f"<w:tbl>{row('Day', 'Bridge')}{row('Mon', cell)}</w:tbl>"
    assert text(docx(tmp_path, body, comments=COMMENT)).endswith("| Mon | closed |\nComment (Jane Kim): until May")


def test_a_comment_without_a_position_comes_at_the_end(tmp_path: Path, text: Text) -> None:
    said = text(docx(tmp_path, paragraph(run("Open.")), comments=COMMENT))
    assert said == "Open.\nComment (Jane Kim): until May"


SHEET = Sheet(rows=[("Day", "Bridge"), ("Mon", "closed")], comments={(2, 2): ("Jane Kim", "until May")})
WITH_COMMENTS = ("xlsx", "xlsm", "xltx", "ods")


@pytest.mark.parametrize("kind", WITH_COMMENTS)
def test_a_comment_on_a_cell_names_the_cell(tmp_path: Path, text: Text, kind: str) -> None:
    said = text(BOOKS[kind](tmp_path, SHEET))
    assert said.endswith("| Mon | closed |\nComment on B2 (Jane Kim): until May")


@pytest.mark.parametrize("kind", WITH_COMMENTS)
def test_a_comment_on_a_hidden_cell_is_left_out_and_counted(
    tmp_path: Path, text: Text, warnings: Callable[[Path], str], kind: str
) -> None:
    path = BOOKS[kind](tmp_path, replace(SHEET, hidden_rows=[2]))
    assert "until May" not in text(path)
    assert "Hidden text was left out in 2 places." in warnings(path)
