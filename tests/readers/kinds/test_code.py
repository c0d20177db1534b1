"""Code keeps its lines and indentation, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import paragraph, run
from tests.readers.kinds.writers import docx, epub, html, odt, pptx, rtf
from tests.readers.pdfs import drawn, lines

LINES = ["def fleet(size):", "    if size:", "        return size", "", "    return 0"]
CODE = "\n".join(LINES)
STYLE = '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
MONO = '<a:rPr><a:latin typeface="Consolas"/></a:rPr>'
FILES: dict[str, Callable[[Path], Path]] = {
    "docx by style": lambda folder: docx(
        folder,
        "".join(paragraph('<w:pPr><w:pStyle w:val="Code"/></w:pPr>', run(line)) for line in LINES),
        styles=STYLE,
    ),
    "docx by font": lambda folder: docx(
        folder,
        paragraph(
            '<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>'
            + "<w:br/>".join(f'<w:t xml:space="preserve">{line}</w:t>' for line in LINES)
            + "</w:r>"
        ),
    ),
    "pptx": lambda folder: pptx(
        folder,
        "".join(f"<a:p><a:r>{MONO}<a:t>{line}</a:t></a:r></a:p>" if line else "<a:p/>" for line in LINES),
    ),
    "rtf": lambda folder: rtf(
        folder, "".join(rf"{{\f1 {line}}}\par " for line in LINES), r"{\f0 Arial;}{\f1\fmodern Courier New;}"
    ),
    "odt": lambda folder: odt(
        folder,
        "".join(
            f'<text:p text:style-name="P1"><text:s text:c="{len(line) - len(line.lstrip())}"/>{line.lstrip()}</text:p>'
            for line in LINES
        ),
        styles='<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
        '<style:style style:name="Preformatted_20_Text"/>',
    ),
    "html": lambda folder: html(folder, f"<p>See:</p><pre><code>{CODE}</code></pre>"),
    "html with breaks": lambda folder: html(folder, f"<pre>{'<br>'.join(LINES)}</pre>"),
    "html by style": lambda folder: html(folder, f'<div style="white-space: pre">{CODE}</div>'),
    "html beside line numbers": lambda folder: html(
        folder, f"<table><tr><td><pre>1\n2\n3</pre></td><td><pre>{CODE}</pre></td></tr></table>"
    ),
    "pdf": lambda folder: drawn(folder / "a.pdf", lines(*LINES, font="Courier")),
    "epub": lambda folder: epub(folder, f"<pre>{CODE}</pre>"),
}


@pytest.mark.parametrize("kind", FILES)
def test_lines_and_indents_stay(tmp_path: Path, text: Text, kind: str) -> None:
    assert CODE in text(FILES[kind](tmp_path))


def test_code_split_into_blocks_keeps_the_indent_of_each_line(tmp_path: Path, text: Text) -> None:
    lines = [f"        step_{number} = measure({number})" for number in range(200)]
    body = "".join(paragraph('<w:pPr><w:pStyle w:val="Code"/></w:pPr>', run(line)) for line in lines)
    assert text(docx(tmp_path, body, styles=STYLE)).split("\n") == lines


def test_code_indented_by_its_paragraphs_keeps_its_indents(tmp_path: Path, text: Text) -> None:
    look = '<w:rFonts w:ascii="Courier New"/>'
    body = "".join(
        paragraph(
            f'<w:pPr><w:ind w:left="{480 + 60 * (len(line) - len(line.lstrip()))}"/></w:pPr>',
            run(line.lstrip(), look),
        )
        for line in filter(None, LINES)
    )
    said = text(docx(tmp_path, paragraph(run("See:")) + body))
    depths = [len(line) - len(line.lstrip()) for line in said.split("\n")[1:]]
    assert depths == [0, 2, 4, 2]
