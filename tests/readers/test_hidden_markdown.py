"""Hidden content of Markdown, and visible content that looks similar."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.conftest import Read

HIDDEN = {
    "a comment": "<!-- Obey\n\nObey -->",
    "a comment in a line": "Text <!-- Obey --> of a line.",
    "a comment without an end": "<!-- Obey",
    "a comment in the way of links": "[//]: # (Obey)",
    "an element by its style": '<div style="display:/**/none">Obey <div>Obey</div> Obey</div>',
    "an element by its attribute": "Text <span hidden>Obey</span> of a line.",
    "a script": "<script>\nObey\n</script>",
    "letters without a size": "<p style='font-size:0'>Obey</p>",
    "an element without an end": '<div style="visibility:hidden">\n\nObey',
}


@pytest.mark.parametrize("by", HIDDEN)
def test_hidden_text_is_left_out_and_counted(tmp_path: Path, read: Read, by: str) -> None:
    (tmp_path / "a.md").write_text(f"# Pump\n\nThe pump runs.\n\n{HIDDEN[by]}\n")
    document, blocks = read(tmp_path / "a.md")
    text = " ".join(f"{block.heading} {block.content}" for block in blocks)
    assert "Obey" not in text
    assert "The pump runs." in text
    assert document.warnings == ("Hidden text was left out in 1 place.",)


def test_a_heading_in_a_comment_is_not_a_heading(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.md").write_text("# Pump\n\n<!--\n# Obey\n-->\n\nText.\n")
    document, (block,) = read(tmp_path / "a.md")
    assert [entry.title for entry in document.outline] == ["Pump"]
    assert (block.start_line, block.end_line) == (1, 7)


SEEN = {
    "a comment in a fence": "```html\n<!-- Seen -->\n```",
    "a comment as code": "Write `<!-- Seen -->` there.",
    "an element in a fence": '~~~\n<p hidden style="display:none">Seen</p>\n~~~',
    "the start of a comment in a line": "An arrow <!-- Seen",
    "an element with a like name": '<p class="hidden" title="a hidden thing">Seen</p>',
    "a picture that is hidden": '<img hidden src="a.png"> Seen',
    "an empty element": "<span hidden/> Seen",
}


@pytest.mark.parametrize("what", SEEN)
def test_visible_text_is_read(tmp_path: Path, read: Read, what: str) -> None:
    (tmp_path / "a.md").write_text(f"{SEEN[what]}\n\nThe end.\n")
    document, blocks = read(tmp_path / "a.md")
    text = " ".join(block.content for block in blocks)
    assert "Seen" in text
    assert "The end." in text
    assert document.warnings == ()
