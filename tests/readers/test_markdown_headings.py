"""Headings of Markdown as rendered, not as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.conftest import Read

SHOWN = {
    "[Homebrew](https://brew.sh) in macOS": "Homebrew in macOS",
    "`pyenv install` **now**": "pyenv install now",
    "Prices &amp; terms": "Prices & terms",
    "![Logo](logo.png) Handbuch": "Logo Handbuch",
    "<a name='x'></a>Start": "Start",
    "snake_case_name and C#": "snake_case_name and C#",
    "[ ] To do": "[ ] To do",
    r"\*Fußnote\*": "*Fußnote*",
}


@pytest.mark.parametrize("written", SHOWN)
def test_a_heading_loses_its_markup_and_no_word(tmp_path: Path, read: Read, written: str) -> None:
    (tmp_path / "a.md").write_text(f"# {written}\n\nThe pump runs.\n", encoding="utf-8")
    document, (block,) = read(tmp_path / "a.md")
    assert (document.title, block.heading) == (SHOWN[written], SHOWN[written])
    assert written in block.content
