"""The sample documents match the output of their generator, and have the properties that the examples need."""

import subprocess
import sys
from pathlib import Path

import pypdfium2 as pdfium
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
DOCUMENTS = EXAMPLES / "documents"
MINIMUM_PAGES = {
    "xyz-pump-technical-manual.pdf": 14,
    "xyz-pump-operations-guide.pdf": 5,
    "xyz-pumpe-wartungshandbuch.pdf": 6,
    "project-titan-q1-report.pdf": 3,
    "project-titan-q2-report.pdf": 3,
    "project-titan-q3-report.pdf": 3,
}


def test_generating_the_documents_again_gives_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "make_documents", tmp_path], check=True)

    assert contents(tmp_path) == contents(DOCUMENTS)


def test_all_documents_together_are_small_enough_to_ship() -> None:
    assert sum(map(len, contents(DOCUMENTS).values())) < 1_500_000


@pytest.mark.parametrize(("name", "pages"), MINIMUM_PAGES.items())
def test_each_pdf_opens_with_its_pages_outline_and_metadata(name: str, pages: int) -> None:
    with pdfium.PdfDocument(DOCUMENTS / name) as pdf:
        assert len(pdf) >= pages
        assert list(pdf.get_toc())
        facts = pdf.get_metadata_dict(skip_empty=True)
        assert {"Title", "Author", "Subject", "CreationDate"} <= facts.keys()
        assert facts["CreationDate"][2:6] in {"2025", "2026"}


def test_printed_page_numbers_of_the_manual_differ_from_those_of_the_file() -> None:
    with pdfium.PdfDocument(DOCUMENTS / "xyz-pump-technical-manual.pdf") as manual:
        labels = [manual.get_page_label(page) for page in range(len(manual))]
        assert labels[:6] == ["i", "ii", "iii", "iv", "1", "2"]
        # The cover has no printed page number.
        printed = [page.get_textpage().get_text_bounded().split() for page in manual][1:]
        assert all(label in words for label, words in zip(labels[1:], printed, strict=True))


def test_the_manual_outline_leads_to_chapters_and_sections() -> None:
    with pdfium.PdfDocument(DOCUMENTS / "xyz-pump-technical-manual.pdf") as manual:
        entries = {(entry.level, entry.get_title()) for entry in manual.get_toc()}

    assert {(0, "3 How the pump works"), (1, "3.2 Impeller"), (0, "12 Glossary")} <= entries


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
