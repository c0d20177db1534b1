"""CSV, JSON and code: limited, with line numbers and repeated headers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.chunking import MAX_BLOCK
from tests.readers.conftest import Read


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    (folder / name).write_bytes(text.encode(encoding))
    return folder / name


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_detected(tmp_path: Path, read: Read, delimiter: str) -> None:
    rows = [("Part", "Price"), ("Pump", "12"), ("Seal", "3")]
    file = written(tmp_path, "a.csv", "\n".join(delimiter.join(row) for row in rows))
    _, blocks = read(file)
    assert blocks[0].content == "| Part | Price |\n| --- | --- |\n| Pump | 12 |\n| Seal | 3 |"
    assert (blocks[0].start_line, blocks[0].end_line) == (1, 3)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_table_in_another_encoding_is_decoded(tmp_path: Path, read: Read, encoding: str) -> None:
    _, blocks = read(written(tmp_path, "a.csv", "Teil;Preis\nDüse;12,50 €\n", encoding))
    assert blocks[0].content == "| Teil | Preis |\n| --- | --- |\n| Düse | 12,50 € |"


def test_a_long_table_repeats_its_header_and_reports_its_lines(tmp_path: Path, read: Read) -> None:
    lines = ["number,name", *(f'{n},"thing {n}"' for n in range(1300))]
    _, blocks = read(written(tmp_path, "a.csv", "\n".join(lines)))
    for block in blocks:
        assert block.content.startswith("| number | name |\n")
        assert len(block.content) <= MAX_BLOCK
        assert block.start_line is not None
        assert block.end_line is not None
        first, last = (block.content.splitlines()[n].split("|")[1].strip() for n in (2, -1))
        assert block.end_line == int(last) + 2
        assert block.start_line == int(first) + 2 or block is blocks[0]
    assert sum(block.content.count("thing") for block in blocks) == 1300


def test_a_row_of_one_cell_above_the_header_is_the_caption(tmp_path: Path, read: Read) -> None:
    _, blocks = read(written(tmp_path, "a.csv", "Prices,,\nPart,Price,Unit\nPump,12,EUR\n"))
    assert blocks[0].content.startswith("Prices\n\n| Part | Price | Unit |\n")
    assert (blocks[0].start_line, blocks[0].end_line) == (2, 3)


def test_a_quoted_cell_may_contain_line_breaks(tmp_path: Path, read: Read) -> None:
    _, blocks = read(written(tmp_path, "a.csv", 'a,b\n1,"two\nlines"\n'))
    assert "| 1 | two lines |" in blocks[0].content
    assert blocks[0].end_line == 3


def test_too_much_data_is_cut_with_a_warning(tmp_path: Path, read: Read) -> None:
    document, blocks = read(written(tmp_path, "a.csv", "a,b\n" + "x" * 900 + ",y\n" + ("word " * 200 + ",z\n") * 5500))
    assert "Read up to line" in document.warnings[0]
    assert sum(len(block.content) for block in blocks) < 7_000_000


def test_json_records_are_a_table(tmp_path: Path, read: Read) -> None:
    records = [{"name": "Pump", "price": 12.50, "tags": ["a", "b"]}, {"name": "Seal", "stock": None}]
    file = written(tmp_path, "a.json", json.dumps({"shop": "North", "parts": records}))
    _, blocks = read(file)
    assert blocks[0].content == "shop: North"
    assert blocks[1].heading == "parts"
    assert blocks[1].content.endswith(
        "| name | price | tags | stock |\n| --- | --- | --- | --- |\n| Pump | 12.5 | a, b |  |\n| Seal |  |  |  |"
    )


def test_other_json_becomes_paths_and_values(tmp_path: Path, read: Read) -> None:
    value = {"server": {"port": 80, "big": 12345678901234567890.0, "on": True, "names": [{"a": 1}]}}
    _, blocks = read(written(tmp_path, "a.json", json.dumps(value)))
    assert blocks[0].content.splitlines() == [
        "server", "server.port: 80", "server.big: 1.2345678901234567e+19", "server.on: true", "server.names[0].a: 1",
    ]  # fmt: skip


def test_json_lines_are_records(tmp_path: Path, read: Read) -> None:
    _, blocks = read(written(tmp_path, "a.jsonl", '{"q": "why", "n": 1}\n\n{"q": "how", "n": 2}\n'))
    assert blocks[0].content == "| q | n |\n| --- | --- |\n| why | 1 |\n| how | 2 |"


def test_an_invalid_json_line_is_reported_by_its_line_number(tmp_path: Path, read: Read) -> None:
    with pytest.raises(UnreadableDocument, match="invalid at line 3"):
        read(written(tmp_path, "a.jsonl", '{"q": "why"}\n\n{"q": how}\n'))


@pytest.mark.parametrize(
    ("text", "reason"),
    [('{"a": 1,\n', "in the middle"), ("{]", "line 1"), ("[" * 200_000, "nested"), ("1" * 10, None)],
)
def test_invalid_json_is_refused(tmp_path: Path, read: Read, text: str, reason: str | None) -> None:
    file = written(tmp_path, "a.json", text)
    if reason is None:
        assert read(file)[1][0].content == text
        return
    with pytest.raises(UnreadableDocument, match=reason):
        read(file)


CODE = '''"""A module."""

import os


# Adds.
@cache
def add(a, b):
    return a + b


class Pump:
    def start(self):
        pass
'''


def test_definitions_are_reported_with_their_lines(tmp_path: Path, read: Read) -> None:
    _, blocks = read(written(tmp_path, "a.py", CODE))
    assert blocks[0].heading == "def add(a, b), class Pump"
    assert (blocks[0].start_line, blocks[0].content.splitlines()[0]) == (1, '"""A module."""')


def test_a_long_definition_keeps_its_comment_and_its_name(tmp_path: Path, read: Read) -> None:
    body = "".join(f"    total += step_number_{n}(total)\n" for n in range(60))
    _, blocks = read(written(tmp_path, "a.py", "import os\n" * 100 + f"\n# Sums up.\n@cache\ndef total_of():\n{body}"))
    named = [block for block in blocks if block.heading == "def total_of()"]
    assert named[0].content.startswith("# Sums up.\n@cache\ndef total_of():")
    assert named[0].start_line == 102
    assert all(len(block.content) <= MAX_BLOCK for block in blocks)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.js", "export async function load(url) {"), ("a.go", "func Load(url string) error {"),
        ("a.rs", "pub fn load(url: &str) -> Result<()> {"), ("a.ts", "export interface Shape {"),
        ("a.sql", "CREATE TABLE parts ("), ("a.toml", "[project]"), ("a.java", "public class Pump {"),
    ],
)  # fmt: skip
def test_definitions_of_many_languages_are_found(tmp_path: Path, read: Read, name: str, line: str) -> None:
    _, blocks = read(written(tmp_path, name, f"{line}\n  body\n}}\n"))
    assert blocks[0].heading == line.rstrip("{( ")
