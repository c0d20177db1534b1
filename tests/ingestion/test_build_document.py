"""Metadata of a document without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.ingestion.build_document import kind_of, title_of
from tests.ingestion.read_texts import read


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("xyz-pump-technical-manual.pdf", "Manual"),
        ("Employee_Handbook.pdf", "Manual"),
        ("xyz-pumpe-wartungshandbuch.pdf", "Manual"),
        ("Quartalsbericht 3.pdf", "Report"),
        ("project-titan-q1-report.pdf", "Report"),
        ("notes.md", "Note"),
        ("invoice.pdf", "Document"),
        ("report.xlsx", "Spreadsheet"),
        ("prices.csv", "Spreadsheet"),
        ("Our report.pptx", "Slides"),
        ("report.docx", "Report"),
        ("index.html", "Web page"),
        ("Re manual.EML", "Mail"),
        ("scan.tiff", "Image"),
        ("report.py", "Code"),
    ],
)
def test_the_document_type_is_read_from_the_name(name: str, kind: str) -> None:
    assert kind_of(Path(name), read()) == kind


def test_a_text_with_abstract_and_references_is_a_paper() -> None:
    paper = read("Abstract We study pumps.", "Body.", "[1] A book.", headings=(None, None, "References"))
    assert kind_of(Path("2310.05634v2.pdf"), paper) == "Paper"


def test_without_a_title_the_file_name_is_used() -> None:
    assert title_of(Path("my_file name.pdf"), read()) == "my file name"
    assert title_of(Path("x.pdf"), read(title="Real title")) == "Real title"
