"""Text typed onto a page is read as part of it, and embedded files are reported."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock, ReadDocument
from tests.readers.pdfs import both, drawn, lines


def text_of(path: Path) -> str:
    return "\n".join(step.content for step in read_pdf(path) if isinstance(step, ReadBlock))


def form(canvas: Canvas) -> None:
    canvas.acroForm.textfield(name="name", value="Ada Lovelace", x=200, y=700, width=200, height=20)
    canvas.acroForm.textfield(
        name="secret", value="never shown", x=200, y=600, width=200, height=20, annotationFlags="hidden"
    )


def test_a_form_is_read_with_its_filled_in_values(tmp_path: Path) -> None:
    path = drawn(tmp_path / "form.pdf", both(lines("Name of the applicant:", top=130), form))
    text = text_of(path)
    assert "Name of the applicant:" in text
    assert "Ada Lovelace" in text
    assert "never shown" not in text


def test_files_embedded_in_a_pdf_are_reported(tmp_path: Path) -> None:
    path = drawn(tmp_path / "plain.pdf", lines("The report is attached."))
    with pdfium.PdfDocument(path) as document:
        document.new_attachment("data.csv").set_data(b"a,b\n1,2\n")
        document.save(tmp_path / "carrying.pdf")
    (told,) = [step for step in read_pdf(tmp_path / "carrying.pdf") if isinstance(step, ReadDocument)]
    assert told.warnings == ("1 file attached to the document cannot be found. Save it separately and ingest it.",)
