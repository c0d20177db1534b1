"""Small PDFs that were once read in the wrong order or with unrelated parts joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock, ReadDocument

pytestmark = pytest.mark.slow


def text_of(path: Path) -> str:
    return "\n\n".join(step.content for step in read_pdf(path) if isinstance(step, ReadBlock))


def warnings_of(path: Path) -> str:
    return " ".join(" ".join(step.warnings) for step in read_pdf(path) if isinstance(step, ReadDocument))


def test_a_page_written_downwards_is_read_from_its_first_line_to_its_last(corpora: Path) -> None:
    text = text_of(corpora / "faults/pdf-sideways-clockwise.pdf")
    assert text.startswith("The ferry was built by a yard on the northern shore and carries ninety cars when")
    assert text.endswith("In a storm it stays in the harbour until noon.")


def test_headers_written_upwards_are_read_as_headers(corpora: Path) -> None:
    assert "| Village | Inhabitants | Wells in use | Sheep |" in text_of(corpora / "faults/pdf-vertical-heads.pdf")


def test_vertical_japanese_is_read_from_the_right_column(corpora: Path) -> None:
    text = text_of(corpora / "faults/pdf-vertical-japanese.pdf")
    assert text == "船は毎朝七時に出ます。切符は窓口で買えます。"


def test_margin_numbers_are_separate_from_the_text(corpora: Path) -> None:
    path = corpora / "faults/pdf-line-numbers.pdf"
    assert "harbour on 9 June 2021 and sold the boat for 7,200 euros to a man from the next" in text_of(path)
    assert warnings_of(path) == "Left out: 4 line numbers."


def test_codes_in_arabic_and_hebrew_lines_stay_intact(corpora: Path) -> None:
    text = text_of(corpora / "faults/pdf-rtl-with-code.pdf")
    assert text == "رقم المضخة LK-720 وسعرها 640 يورو.\nמספר המשאבה LK-720 ותקן (EN 733)."


def test_form_values_are_next_to_their_labels(corpora: Path) -> None:
    text = text_of(corpora / "faults/pdf-form.pdf")
    assert text == "Name of the boat: Gull of Traun\nHome port: Gmunden\nInsured: [x]"


def test_code_keeps_its_lines_and_indents(corpora: Path) -> None:
    lines = text_of(corpora / "faults/pdf-code.pdf").splitlines()
    assert lines[:3] == ["for boat in fleet:", "    if boat.leaks:", "        repair(boat)"]
    assert lines[3:] == ["    else:", "        launch(boat)", "report(fleet)"]
