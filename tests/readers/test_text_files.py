"""Markdown and plain text: positions, headings, encodings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.errors import UnreadableDocument
from corpus.readers.chunking import MAX_BLOCK, Section, text_blocks
from corpus.readers.decoding import decode
from corpus.readers.text_files.markdown_file import headings_of
from corpus.text.normalization import clean
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture

GUIDE = """# Pump guide

Read this first.

## Start-up

Open the valve.
Wait a minute.

```sh
# not a heading
run --now
```

## Care ##

### Oil

Change it.
"""


def test_markdown_blocks_are_under_their_headings(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "guide.md"
    file.write_text(GUIDE)
    document, blocks = read(file)
    assert document.title == "Pump guide"
    assert [entry.title for entry in document.outline] == ["Pump guide", "Start-up", "Care", "Oil"]
    assert [block.heading for block in blocks] == [
        "Pump guide", "Pump guide > Start-up", "Pump guide > Care > Oil",
    ]  # fmt: skip


def test_a_block_reports_its_lines(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "guide.md"
    file.write_text(GUIDE)
    _, blocks = read(file)
    lines = GUIDE.splitlines()
    for block in blocks:
        assert block.start_line is not None
        assert block.end_line is not None
        assert block.content == "\n".join(lines[block.start_line - 1 : block.end_line])
    assert (blocks[1].start_line, blocks[1].end_line) == (5, 13)


def test_text_in_a_code_fence_is_not_a_heading() -> None:
    text = "~~~~\n# code\n```\n# code\n~~~~\n# Heading\n````\n# code"
    assert [heading.title for heading in headings_of(text)] == ["Heading"]


def test_underlined_headings_are_headings_and_tables_and_rules_are_not() -> None:
    text = "Title\n=====\n\nText.\n\nPart\n----\n\n| a |\n---\n\nlong text\non two lines\n---\n"
    assert [(heading.level, heading.title) for heading in headings_of(text)] == [(1, "Title"), (2, "Part")]


def test_a_line_that_could_stall_the_pattern_is_read_quickly() -> None:
    assert list(headings_of("# " + " #" * 500_000)) is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.text(st.sampled_from("ab .#\n\r\té文\x00\u200b`") | st.characters(), max_size=4000))
def test_offsets_and_lines_are_exact_and_nothing_is_lost(text: str) -> None:
    blocks = list(text_blocks(text, [Section(0, len(text))]))
    for block in blocks:
        assert block.char_start is not None
        assert block.char_end is not None
        part = text[block.char_start : block.char_end]
        assert block.content == clean(part).strip()
        assert len(block.content) <= MAX_BLOCK
        before = text[: block.char_start].replace("\r\n", "\n").replace("\r", "\n")
        assert block.start_line == before.count("\n") + 1
    assert "".join("".join(block.content.split()) for block in blocks) == "".join(clean(text).split())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_umlauts_are_decoded_in_each_encoding(encoding: str) -> None:
    assert decode("Größe: süß, 5 €".encode(encoding)).text == "Größe: süß, 5 €"


def test_a_longer_text_of_another_code_page_is_recognised() -> None:
    text = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 10
    assert decode(text.encode("cp1251")).text == text


@given(st.binary(max_size=2000))
def test_any_bytes_decode_to_something(data: bytes) -> None:
    assert isinstance(decode(data).text, str)


def test_a_text_has_its_language(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "notiz.txt"
    file.write_text("Die Pumpe wird mit dem roten Hebel gestartet und läuft danach von allein weiter.")
    document, (block,) = read(file)
    assert (document.language, block.language) == ("de", "de")
    assert document.title is None


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "empty file"),
        ("a.txt", b"%PDF-1.7 ...", "looks like a PDF"),
        ("a.md", b"PK\x03\x04....", "ZIP archive"),
        ("a.log", b"\x01\x00\x02\x00" * 500, "not a text"),
        ("a.xyz", b"text", "cannot be read"),
    ],
)
def test_a_file_that_is_not_text_is_refused_with_the_reason(
    tmp_path: Path, read: Read, name: str, data: bytes, reason: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(UnreadableDocument, match=reason):
        read(file)


def test_a_very_long_line_is_split_into_blocks(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "line.txt"
    file.write_text("word " * 200_000)
    _, blocks = read(file)
    assert sum(block.content.count("word") for block in blocks) == 200_000


def test_headings_beyond_the_outline_limit_are_counted_in_a_warning(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "many.md"
    file.write_text("# a\n" * 10_001)
    document, _ = read(file)
    assert len(document.outline) == 10_000
    assert "10001 headings" in document.warnings[0]


def test_a_picture_next_to_a_markdown_file_is_a_figure_at_its_line(tmp_path: Path, read: Read) -> None:
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "a.png").write_bytes(drawn_picture())
    text = "# Pump\n\nThe impeller turns.\n\n![A wheel](img/a.png 'The impeller')\n\nMore.\n"
    (tmp_path / "a.md").write_text(text)
    _, blocks = read(tmp_path / "a.md")
    image = blocks[-1]
    assert (image.block_type, image.image_caption, image.heading) == ("image", "The impeller", "Pump")
    assert image.content == "A wheel\nThe impeller turns."
    assert (image.start_line, image.end_line) == (5, 5)


@pytest.mark.parametrize("shown", ["![Figure 2: Valve](a.png)", "<img width='9' src='a.png' alt='Figure 2: Valve'>"])
def test_a_picture_without_title_has_its_alternative_text(tmp_path: Path, read: Read, shown: str) -> None:
    (tmp_path / "a.png").write_bytes(drawn_picture())
    (tmp_path / "a.md").write_text(f"Text.\n\n{shown}\n")
    assert read(tmp_path / "a.md")[1][-1].image_caption == "Figure 2: Valve"


def test_missing_pictures_are_reported_and_web_pictures_are_not(tmp_path: Path, read: Read) -> None:
    shown = "![a](nope.png) ![b](../../secret.png) ![c](https://example.org/c.png) ![a](nope.png) ![d](data:x)"
    (tmp_path / "a.md").write_text(f"# Bees\n\n{shown}\n")
    document, _ = read(tmp_path / "a.md")
    assert document.warnings == (
        "Pictures that do not exist or are outside the folder of the file were left out: nope.png, ../../secret.png.",
    )


@pytest.mark.parametrize("address", ["../a.png", "/a.png", "http://192.0.2.1/a.png", "link/a.png", "..%2fa.png"])
def test_a_picture_outside_the_folder_of_a_markdown_file_is_not_read(tmp_path: Path, read: Read, address: str) -> None:
    (tmp_path / "a.png").write_bytes(drawn_picture())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "link").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "docs" / "a.md").write_text(f"Text.\n\n![x]({address})\n")
    assert [block.block_type for block in read(tmp_path / "docs" / "a.md")[1]] == ["text"]
