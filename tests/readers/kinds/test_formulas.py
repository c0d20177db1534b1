"""Formulas are written so that fractions, powers and symbols keep their meaning, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from corpus.readers.formulas import mathml_text, omml_text
from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import paragraph, run
from tests.readers.kinds.writers import docx, epub, html, odt, pptx, rtf


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


OMML = (
    f"<m:oMath>{r('F=')}<m:f><m:num>{r('W')}</m:num><m:den>{r('L')}</m:den></m:f>{r('+')}"
    f"<m:sSup><m:e>{r('y')}</m:e><m:sup>{r('3')}</m:sup></m:sSup></m:oMath>"
)
MATHML = (
    "<math><mi>F</mi><mo>=</mo><mfrac><mi>W</mi><mi>L</mi></mfrac><mo>+</mo><msup><mi>y</mi><mn>3</mn></msup></math>"
)
FILES: dict[str, Callable[[Path], Path]] = {
    "docx": lambda folder: docx(folder, paragraph(run("The load is "), OMML)),
    "pptx": lambda folder: pptx(
        folder,
        "<a:p><a:r><a:t>The load is </a:t></a:r>"
        '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
        f'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">{OMML}</a14:m></a:p>',
    ),
    "odt": lambda folder: odt(
        folder,
        '<text:p>The load is<draw:frame><draw:object xlink:href="./Object 1"/>'
        '<draw:image xlink:href="./x"/></draw:frame></text:p>',
        files={"Object 1/content.xml": MATHML.replace("<math>", '<math xmlns="http://www.w3.org/1998/Math/MathML">')},
    ),
    "html": lambda folder: html(folder, f"<p>The load is {MATHML}</p>"),
    "html with KaTeX": lambda folder: html(
        folder,
        f'<p>The load is <span class="katex"><span class="katex-mathml">{MATHML}</span><span class="katex-html" '
        'aria-hidden="true"><span>F=LW</span></span></span></p>',
    ),
    "epub": lambda folder: epub(folder, f"<p>The load is {MATHML}</p>"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_fraction_and_a_power_stay_separate(tmp_path: Path, text: Text, kind: str) -> None:
    assert "The load is F = W/L+y³" in text(FILES[kind](tmp_path)).replace(" + ", "+")


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{r('x+1')}</m:e></m:rad>", "√(x+1)"),
        (f"<m:rad><m:deg>{r('3')}</m:deg><m:e>{r('8')}</m:e></m:rad>", "∛(8)"),
        (f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>"
         f"<m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup><m:e>{r('i')}</m:e></m:nary>", "∑_(i = 1)ⁿ i"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>{r('x')}</m:e></m:d>", "[x]"),
        (f"<m:sSubSup><m:e>{r('x')}</m:e><m:sub>{r('1')}</m:sub><m:sup>{r('2')}</m:sup></m:sSubSup>", "x₁²"),
        (f"<m:m><m:mr><m:e>{r('1')}</m:e><m:e>{r('0')}</m:e></m:mr>"
         f"<m:mr><m:e>{r('0')}</m:e><m:e>{r('1')}</m:e></m:mr></m:m>", "1, 0; 0, 1"),
    ],
)  # fmt: skip
def test_structures_of_office_formulas_are_read(inside: str, said: str) -> None:
    space = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    assert omml_text(etree.fromstring(f"<m:oMath {space}>{inside}</m:oMath>")) == said


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a + b)/2"),
        ("<msqrt><mi>x</mi></msqrt><mo>≤</mo><mo>-</mo><mn>5</mn>", "√(x) ≤ -5"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "∛(8)"),
        ("<msup><mi>e</mi><mrow><mo>-</mo><mn>2</mn><mi>t</mi></mrow></msup>", "e^(-2t)"),
        ("<mi>y</mi><mo>=</mo><mi>sin</mi><mo>\u2061</mo><mi>x</mi>", "y = sin x"),
        (
            "<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\alpha</annotation></semantics>",
            "x",
        ),
    ],
)
def test_structures_of_web_formulas_are_read(inside: str, said: str) -> None:
    assert mathml_text(etree.fromstring(f"<math>{inside}</math>")) == said


def test_symbol_font_characters_are_read(tmp_path: Path, text: Text) -> None:
    sym = '<w:r><w:sym w:font="{}" w:char="{}"/></w:r>'
    body = paragraph(
        run("4 mm "), sym.format("Symbol", "F0B1"), run(" 0.2 mm, angle "), sym.format("Symbol", "00A3"),
        run(" 9"), sym.format("Wingdings", "F0FC"), run(" at 3 "), run("mW", '<w:rFonts w:ascii="Symbol"/>'),
    )  # fmt: skip
    assert text(docx(tmp_path, body)) == "4 mm ± 0.2 mm, angle ≤ 9✓ at 3 μΩ"


def test_a_symbol_without_a_meaning_is_counted(tmp_path: Path, warnings: Callable[[Path], str]) -> None:
    body = paragraph(run("See "), '<w:r><w:sym w:font="Private Logos" w:char="F041"/></w:r>')
    assert "1 symbol" in warnings(docx(tmp_path, body))


def test_symbol_font_characters_are_read_in_rtf(tmp_path: Path, text: Text) -> None:
    fonts = r"{\f0 Arial;}{\f1\froman\fcharset2 Symbol;}{\f2\fnil\fcharset2{\*\panose 05}Wingdings;}"
    body = r"4 mm {\f1\'b1} 0.2 mm, angle {\f1\u-3933?} 9{\f2\'fc} at 3 {\f1 mW}\par"
    assert text(rtf(tmp_path, body, fonts)) == "4 mm ± 0.2 mm, angle ≤ 9✓ at 3 μΩ"


def test_symbol_font_characters_are_read_on_slides(tmp_path: Path, text: Text) -> None:
    run = '<a:r><a:rPr><a:{} typeface="{}"/></a:rPr><a:t>{}</a:t></a:r>'
    runs = [
        run.format("latin", "Symbol", "\uf0b1"),
        run.format("sym", "Wingdings", "à"),
        run.format("latin", "Symbol", "W"),
    ]
    assert text(pptx(tmp_path, f"<a:p>{''.join(runs)}</a:p>")) == "±→Ω"


def test_rtf_equations_are_counted(tmp_path: Path, warnings: Callable[[Path], str]) -> None:
    body = r"The load is {\mmath{\*\moMath{\mf{\mnum{\mr W}}{\mden{\mr L}}}}} here.\par"
    assert "1 equation" in warnings(rtf(tmp_path, body))


def test_a_matrix_among_other_signs_stays_separate(tmp_path: Path, text: Text) -> None:
    rows = "".join(f"<m:mr><m:e>{r(left)}</m:e><m:e>{r(right)}</m:e></m:mr>" for left, right in ("10", "02"))
    matrix = f"<m:m>{rows}</m:m>"
    body = paragraph(f"<m:oMath>{r('A=3')}{matrix}</m:oMath>")
    assert text(docx(tmp_path, body)) == "A = 3[1, 0; 0, 2]"


def test_formulas_in_fields_are_counted(tmp_path: Path, warnings: Callable[[Path], str]) -> None:
    begin, split, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = r"<w:r><w:instrText> EQ \f(W,L) </w:instrText></w:r>"
    assert "1 equation" in warnings(docx(tmp_path, paragraph(run("Load "), begin, code, split, end)))
    assert "1 equation" in warnings(rtf(tmp_path, r"Load {\field{\*\fldinst { EQ \\f(W,L)}}{\fldrslt }} ends.\par"))


def test_letters_in_a_symbol_font_are_symbols_on_a_page(tmp_path: Path, text: Text) -> None:
    body = "<p>x <span style='font-family:Symbol'>&#61619;</span> 3, <font face=\"Symbol\">a</font> = 2</p>"
    assert text(html(tmp_path, body)) == "x ≥ 3, α = 2"


@pytest.mark.parametrize("write", [lambda folder, word: docx(folder, paragraph(run(word))), html, epub])
def test_characters_of_an_unknown_symbol_font_are_counted(
    tmp_path: Path, warnings: Callable[[Path], str], write: Callable[[Path, str], Path]
) -> None:
    assert warnings(write(tmp_path, "Depth \uf0b1 4 m")) == "Left out: 1 symbol."
