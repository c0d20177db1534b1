"""Raised and lowered text never joins the number or word beside it, in any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.readers.kinds.conftest import Text
from tests.readers.kinds.word_runs import down, paragraph, run, up
from tests.readers.kinds.writers import docx

UP_STYLE = (
    '<w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/>'
    '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Further"><w:name w:val="Further"/><w:basedOn w:val="Up"/></w:style>'
)
FILES: dict[str, Callable[[Path], Path]] = {
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
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_digits_keep_what_they_say(tmp_path: Path, text: Text, kind: str) -> None:
    said = text(FILES[kind](tmp_path))
    assert "It holds 10⁶ litres of H₂O, 450 ² euros, 1.2 × 10⁻⁹ kg on the 1st day." in said
