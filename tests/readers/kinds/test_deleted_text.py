"""Struck-through and deleted text is omitted and counted, and never read next to its replacement, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import paragraph, run
from tests.readers.kinds.writers import docx, epub, html, markdown, odt, pptx, rtf
from tests.readers.pdfs import drawn

STRUCK = '<w:style w:type="character" w:styleId="Gone"><w:name w:val="Gone"/><w:rPr><w:strike/></w:rPr></w:style>'


def _struck_pdf(folder: Path, draw: Callable[[Canvas, float, float, float, float], object]) -> Path:
    """Draw struck-through text as Word and browsers print it: with a line through it. Underlined text is kept."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.setLineWidth(0.6)
        canvas.drawString(72, 700, "The toll is 4 euros 6 euros.")
        start = 72 + canvas.stringWidth("The toll is ")
        draw(canvas, start, 702.9, start + canvas.stringWidth("4 euros"), 702.9)
        canvas.line(72, 698, 72 + canvas.stringWidth("The toll"), 698)

    return drawn(folder / "a.pdf", page)


FILES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "docx, struck": (
        lambda folder: docx(
            folder,
            paragraph(run("The toll is "), run("4 ", "<w:strike/>"), run("euros ", "<w:dstrike/>"), run("6 euros.")),
        ),
        "1 struck passage",
    ),
    "docx, struck by style": (
        lambda folder: docx(
            folder,
            paragraph(run("The toll is "), run("4 euros ", '<w:rStyle w:val="Gone"/>'), run("6 euros.")),
            styles=STRUCK,
        ),
        "1 struck passage",
    ),
    "docx, tracked": (
        lambda folder: docx(
            folder,
            paragraph(
                run("The toll is "),
                '<w:del w:author="J"><w:r><w:delText>4 euros</w:delText></w:r></w:del>',
                f'<w:ins w:author="J">{run("6 euros")}</w:ins>',
                run("."),
            ),
        ),
        "1 deleted passage",
    ),
    "pptx": (
        lambda folder: pptx(
            folder,
            '<a:p><a:r><a:t>The toll is </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>4 euros</a:t></a:r>'
            "<a:r><a:t> 6 euros.</a:t></a:r></a:p>",
        ),
        "1 struck passage",
    ),
    "rtf": (lambda folder: rtf(folder, r"The toll is {\strike 4 euros} 6 euros.\par"), "1 struck passage"),
    "rtf, tracked": (
        lambda folder: rtf(folder, r"The toll is {\deleted 4 euros}{\revised 6 euros}.\par"),
        "1 deleted passage",
    ),
    "odt": (
        lambda folder: odt(
            folder,
            '<text:p>The toll is <text:span text:style-name="T1">4 euros</text:span> 6 euros.</text:p>',
            styles='<style:style style:name="T1">'
            '<style:text-properties style:text-line-through-style="solid"/></style:style>',
        ),
        "1 struck passage",
    ),
    "odt, tracked": (
        lambda folder: odt(
            folder,
            "<text:tracked-changes><text:changed-region><text:deletion><text:p>4 euros</text:p></text:deletion>"
            "</text:changed-region></text:tracked-changes><text:p>The toll is <text:change/>6 euros.</text:p>",
        ),
        "1 deleted passage",
    ),
    "markdown": (lambda folder: markdown(folder, "The toll is ~~4 euros~~ 6 euros."), "1 struck passage"),
    "markdown with html": (
        lambda folder: markdown(folder, "The toll is <del>4 euros</del> 6 euros."),
        "1 deleted passage",
    ),
    "pdf, a line": (
        lambda folder: _struck_pdf(folder, lambda canvas, *at: canvas.line(*at)),
        "1 struck passage",
    ),
    "pdf, a thin area": (
        lambda folder: _struck_pdf(
            folder, lambda canvas, x0, y, x1, _: canvas.rect(x0, y, x1 - x0, 0.6, stroke=0, fill=1)
        ),
        "1 struck passage",
    ),
    "html": (
        lambda folder: html(folder, "<p>The toll is <del>4 euros</del> <ins>6 euros</ins>.</p>"),
        "1 deleted passage",
    ),
    "html, struck": (
        lambda folder: html(folder, "<p>The toll is <s>4 euros</s> 6 euros.</p>"),
        "1 struck passage",
    ),
    "epub, struck by style": (
        lambda folder: epub(
            folder, '<p>The toll is <b class="x">4</b> 6 euros.</p>', ".x {text-decoration: line-through}"
        ),
        "1 struck passage",
    ),
}


def test_text_on_a_form_line_is_not_struck_through(tmp_path: Path, text: Text) -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 700, "Harbour of Gmunden")
        canvas.line(60, 703, 400, 703)  # a filled-in value that has slipped below its line
        canvas.drawString(72, 650, "Toll of 4 euros")
        canvas.line(72, 648.5, 150, 648.5)

    assert text(drawn(tmp_path / "a.pdf", page)).split("\n") == ["Harbour of Gmunden", "Toll of 4 euros"]


@pytest.mark.parametrize("kind", FILES)
def test_withdrawn_text_is_left_out_and_counted(
    tmp_path: Path, text: Text, warnings: Callable[[Path], str], kind: str
) -> None:
    path, counted = FILES[kind][0](tmp_path), FILES[kind][1]
    assert " ".join(text(path).split()) == "The toll is 6 euros."
    assert counted in warnings(path)


def test_a_deleted_row_is_left_out_and_counted(tmp_path: Path, text: Text, warnings: Callable[[Path], str]) -> None:
    rows = [f"<w:tr>{mark}<w:tc>{paragraph(run(word))}</w:tc><w:tc><w:p/></w:tc></w:tr>" for mark, word in [
        ("", "Kept"), ("<w:trPr><w:del/></w:trPr>", "Gone"),
    ]]  # fmt: skip
    path = docx(tmp_path, f"<w:tbl>{''.join(rows)}</w:tbl>")
    assert "Gone" not in text(path)
    assert "1 deleted passage" in warnings(path)
