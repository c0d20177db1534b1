"""Front matter of Markdown: metadata at the start of a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.conftest import Read

FRONTS = {
    "yaml": '---\ntitle: "The pond"\nauthor: Jane Kim\ndate: 2024-05-01\ntags: [a, b]\n---\n',
    "yaml with a list": "---\ntitle: The pond  # short\n"
    "authors:\n  - name: Jane Kim\ndate: 2024-05-01T00:00:00Z\n---\n",
    "toml": '+++\ntitle = "The pond"\nauthor = "Jane Kim"\ndate = 2024-05-01\n+++\n',
}


@pytest.mark.parametrize("kind", FRONTS)
def test_front_matter_gives_title_author_and_date(tmp_path: Path, read: Read, kind: str) -> None:
    (tmp_path / "a.md").write_text(FRONTS[kind] + "\n# Depth\n\nTwo metres.\n")
    document, blocks = read(tmp_path / "a.md")
    assert (document.title, document.author) == ("The pond", "Jane Kim")
    assert document.document_date == "2024-05-01T00:00:00+00:00"
    assert [entry.title for entry in document.outline] == ["Depth"]
    line = FRONTS[kind].count("\n") + 2
    assert (blocks[-1].heading, blocks[-1].start_line, blocks[-1].end_line) == ("Depth", line, line + 2)


@pytest.mark.parametrize(
    "text", ["---\n\n# Depth\n\nTwo metres.\n\n---\n", "# Depth\n\nTwo metres.\n", "---\nno end: of it\n"]
)
def test_a_rule_at_the_start_is_not_front_matter(tmp_path: Path, read: Read, text: str) -> None:
    (tmp_path / "a.md").write_text(text)
    document, _ = read(tmp_path / "a.md")
    assert document.author is None


@pytest.mark.parametrize("said", ["3 May 2021", "May 3, 2021", "2021/05/03", "03.05.2021"])
def test_a_date_in_words_is_parsed(tmp_path: Path, read: Read, said: str) -> None:
    (tmp_path / "a.md").write_text(f"---\ntitle: Wells\ndate: {said!r}\n---\n\nDeep.\n", encoding="utf-8")
    document, _ = read(tmp_path / "a.md")
    assert (document.document_date or "").startswith("2021-05-03")
