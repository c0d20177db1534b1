"""Superscripts and subscripts never join the number or word next to them, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import down, paragraph, run, up
from tests.readers.kinds.writers import docx, epub, html, markdown, odp, odt, pptx, rtf, slide
from tests.readers.pdfs import drawn

UP_STYLE = (
    '<w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/>'
    '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Further"><w:name w:val="Further"/><w:basedOn w:val="Up"/></w:style>'
)
HTML = (
    "<p>It holds 10<sup>6</sup> litres of H<sub>2</sub>O, 450<sup>2</sup> euros, 1.2 × 10<sup>−</sup><sup>9</sup> kg "
    "on the 1<sup>st</sup> day.</p>"
)
STYLED = (
    '<p>It holds 10<span class="up">6</span> litres of H<i class="down">2</i>O, '
    '450<a class="up" href="#n2">2</a> euros, '
    '1.2 × 10<span class="up">−9</span> kg on the 1<b class="up">st</b> day.</p>'
)
SHEET = ".up { vertical-align: super; font-size: 70% } .down { position: relative; top: .3em; font-size: 70% }"

PDF = [
    ("It holds 10", 12, 0), ("6", 7, 5), (" litres of H", 12, 0), ("2", 7, -2), ("O, 450", 12, 0), ("2", 7, 5),
    (" euros, 1.2 × 10", 12, 0), ("–", 7, 5), ("9", 7, 5), (" kg on the 1", 12, 0), ("st", 7, 5), (" day.", 12, 0),
]  # fmt: skip


def pdf(folder: Path) -> Path:
    def page(canvas: Canvas) -> None:
        line = canvas.beginText(60, 700)
        for text, size, rise in PDF:
            line.setFont("Helvetica", size)
            line.setRise(rise)
            line.textOut(text)
        canvas.drawText(line)

    return drawn(folder / "a.pdf", page)


def a_run(text: str, baseline: int = 0) -> str:
    return f'<a:r><a:rPr baseline="{baseline}"/><a:t>{text}</a:t></a:r>'


PPTX = [
    ("It holds 10", 0), ("6", 30_000), (" litres of H", 0), ("2", -25_000), ("O, 450", 0), ("2", 30_000),
    (" euros, 1.2 × 10", 0), ("−", 30_000), ("9", 30_000), (" kg on the 1", 0), ("st", 30_000), (" day.", 0),
]  # fmt: skip
ODT = (
    '<text:p>It holds 10<text:span text:style-name="Up">6</text:span> litres of H<text:span text:style-name="Down">2'
    "</text:span>O, 450"
    '<text:span text:style-name="T1">2</text:span> euros, 1.2 × 10<text:span text:style-name="Up">−'
    '</text:span><text:span text:style-name="Up">9</text:span> kg on the '
    '1<text:span text:style-name="Up">st</text:span>'
    " day.</text:p>"
)
ODF_STYLES = (
    '<style:style style:name="Up"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="T1" style:parent-style-name="Up"/>'
    '<style:style style:name="Down"><style:text-properties style:text-position="-33% 58%"/></style:style>'
)
FILES: dict[str, Callable[[Path], Path]] = {
    "pdf": pdf,
    "docx": lambda folder: docx(
        folder,
        paragraph(run("It holds 10"), up("6"), run(" litres of H"), down("2"), run("O, 450"), up("2"),
                  run(" euros, 1.2 × 10"), up("−"), up("9"), run(" kg on the 1"), up("st"), run(" day.")),
    ),
    "docx by style": lambda folder: docx(
        folder,
        paragraph(run("It holds 10"), run("6", '<w:rStyle w:val="Up"/>'), run(" litres of H"), down("2"), run("O, 450"),
                  run("2", '<w:rStyle w:val="Further"/>'), run(" euros, 1.2 × 10"),
                  run("−9", '<w:position w:val="6"/>'), run(" kg on the 1"), up("st"), run(" day.")),
        styles=UP_STYLE,
    ),
    "pptx": lambda folder: pptx(folder, f"<a:p>{''.join(a_run(*each) for each in PPTX)}</a:p>"),
    "rtf": lambda folder: rtf(
        folder,
        r"It holds 10{\super 6} litres of H{\sub 2}O, 450\super 2\nosupersub  euros, 1.2 \'d7 10{\super\u8722?}"
        r"{\super 9} kg "
        r"on the 1{\up6\fs16 st} day.\par",
    ),
    "odt": lambda folder: odt(folder, ODT, styles=ODF_STYLES),
    "odp": lambda folder: odp(folder, slide(ODT), styles=ODF_STYLES),
    "markdown": lambda folder: markdown(
        folder, "It holds 10^6^ litres of H~2~O, 450^2^ euros, 1.2 × 10^−9^ kg on the 1^st^ day."
    ),
    "markdown with html": lambda folder: markdown(
        folder,
        "It holds 10<sup>6</sup> litres of H<sub>2</sub>O, 450<sup>2</sup> euros, 1.2 × 10<sup>−9</sup> kg on the "
        "1<sup>st</sup> day.",
    ),
    "html": lambda folder: html(folder, HTML),
    "html by style": lambda folder: html(folder, STYLED, f"<style>{SHEET}</style>"),
    "epub": lambda folder: epub(folder, HTML),
    "epub by style": lambda folder: epub(folder, STYLED, SHEET),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_superscript_digits_keep_their_meaning(tmp_path: Path, text: Text, kind: str) -> None:
    said = text(FILES[kind](tmp_path))
    assert "It holds 10⁶ litres of H₂O, 450 ² euros, 1.2 × 10⁻⁹ kg on the 1st day." in said


def test_a_heading_and_a_cell_of_a_page_keep_superscripts_too(tmp_path: Path, text: Text) -> None:
    said = text(
        html(
            tmp_path,
            "<h1>m<sup>2</sup></h1><table><tr><th>a<th>m<sup>3</sup><tr><td>1<td>H<sub>2</sub>O</table>",
        )
    )
    assert "m²" in said
    assert "| 1 | H₂O |" in said


def test_a_footnote_link_is_a_mark_even_at_a_power_of_ten(tmp_path: Path, text: Text) -> None:
    assert text(html(tmp_path, '<p>About 10<sup><a href="#fn6">6</a></sup> swans.</p>')) == "About 10 ⁶ swans."


def test_similar_markdown_is_unchanged_and_so_are_its_offsets(tmp_path: Path, read: Read) -> None:
    source = "See [^1] and [^2], `10^6^`, a~b and\n\n```\nx^2^ ~~kept~~\n```\n\n10^6^ litres\nin all"
    (block,) = read(markdown(tmp_path, source))[1]
    assert block.content == source.replace("10^6^ litres", "10⁶ litres")
    assert (block.start_line, block.end_line, block.char_end) == (1, 8, len(source))


@pytest.mark.parametrize(
    "look",
    [
        "position: relative; top: -4.0pt; mso-text-raise: 4.0pt",
        "vertical-align: text-top; font-size: 60%",
        "vertical-align: top; font-size: .6em",
        "vertical-align: 4px",
    ],
)
def test_characters_raised_by_a_style_are_superscripts(tmp_path: Path, text: Text, look: str) -> None:
    assert text(html(tmp_path, f"<p>It holds 10<span style='{look}'>6</span> litres.</p>")) == "It holds 10⁶ litres."


def test_a_footnote_letter_stays_separate_from_a_large_number(tmp_path: Path, text: Text) -> None:
    body = paragraph(run("Of 950"), up("a"), run(" hPa and 4.5"), up("o"), run(" bar on the 2"), up("a"), run(" day."))
    assert text(docx(tmp_path, body)) == "Of 950 a hPa and 4.5 o bar on the 2a day."


def test_a_fraction_of_raised_and_lowered_digits_is_one_fraction(tmp_path: Path, text: Text) -> None:
    body = paragraph(run("It is 3"), up("1"), run("/"), down("2"), run(" inches."))
    assert text(docx(tmp_path, body)) == "It is 3 ¹/₂ inches."
