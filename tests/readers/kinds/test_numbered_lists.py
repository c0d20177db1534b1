"""Items of a numbered list keep the numbers that a reader sees, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.writers import html, odt, pptx, rtf

WORDS = ("Open the gate", "Count the boats", "Shut the gate")
_MARK = r"{\listtext\pard\plain\f0 %d.\tab}"
_ODT_STYLE = (
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-suffix="." '
    'style:num-format="1" text:start-value="4"/></text:list-style>'
)
FILES: dict[str, Callable[[Path], Path]] = {
    "html": lambda folder: html(folder, f'<ol start="4">{"".join(f"<li>{word}</li>" for word in WORDS)}</ol>'),
    "html by items": lambda folder: html(
        folder, f"<ol>{''.join(f'<li value={n}>{word}</li>' for n, word in enumerate(WORDS, 4))}</ol>"
    ),
    "pptx": lambda folder: pptx(
        folder,
        "".join(
            f'<a:p><a:pPr><a:buAutoNum type="arabicPeriod" startAt="4"/></a:pPr><a:r><a:t>{word}</a:t></a:r></a:p>'
            for word in WORDS
        ),
    ),
    "odt": lambda folder: odt(
        folder,
        '<text:list text:style-name="L1">'
        + "".join(f"<text:list-item><text:p>{word}</text:p></text:list-item>" for word in WORDS)
        + "</text:list>",
        styles=_ODT_STYLE,
    ),
    "rtf": lambda folder: rtf(folder, "".join(rf"\pard{_MARK % n}{word}\par " for n, word in enumerate(WORDS, 4))),
    "rtf of older programs": lambda folder: rtf(
        folder,
        "".join(
            rf"\pard{{\pntext\f0 {n}.\tab}}{{\*\pn\pnlvlbody\pndec}}{word}\par " for n, word in enumerate(WORDS, 4)
        ),
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_items_keep_their_numbers(tmp_path: Path, text: Text, kind: str) -> None:
    lines = [line for line in text(FILES[kind](tmp_path)).split("\n") if line]
    assert lines == ["4. Open the gate", "5. Count the boats", "6. Shut the gate"]


def test_letters_and_descending_numbers_match_a_browser(tmp_path: Path, text: Text) -> None:
    body = (
        '<ol type="a"><li>one</li><li>two</li></ol><ol type="I" start="3"><li>three</li></ol>'
        "<ol reversed><li>second</li><li>first</li></ol>"
    )
    assert text(html(tmp_path, body)).split("\n") == [
        "a. one",
        "b. two",
        "III. three",
        "2. second",
        "1. first",
    ]


def test_rtf_bullets_are_dashes_and_cells_with_lists_stay_cells(tmp_path: Path, text: Text) -> None:
    bullet = r"{\listtext\pard\plain\f1\'b7\tab}"
    body = (
        rf"\pard{bullet}Rope\par\trowd\cellx2000\cellx4000\pard\intbl "
        rf"{_MARK % 1}Oar\par{_MARK % 2}Sail\cell Boat\cell\row\pard End.\par"
    )
    said = text(rtf(tmp_path, body, r"{\f0 Arial;}{\f1\fcharset2 Symbol;}"))
    assert said.split("\n")[0] == "- Rope"
    assert "1. Oar 2. Sail – Boat" in said
