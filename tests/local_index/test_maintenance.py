"""Maintenance commands for an index: check, rebuild, export while in use, and import without loss."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import anyio
import pytest
from click.testing import CliRunner, Result

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from server.commands.group import ibid
from tests.doubles.digest_embedder import DigestEmbedder

TEXTS = (
    "The impeller turns at 2900 revolutions.",
    "The seal needs flushing water.",
    "Oil is changed yearly.",
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three documents with vectors, to be copied."""
    folder = tmp_path_factory.mktemp("filled")

    async def fill() -> None:
        embedder = DigestEmbedder()
        index = LocalIndex.open(folder, embedder)
        for n, text in enumerate(TEXTS):
            document = Document(doc_id=f"d{n}", filename=f"d{n}.md", title=f"Note {n}", access_control_list=("*",))
            await index.replace(
                document, [NewBlock(Block(block_id=f"b{n}", doc_id=f"d{n}", block_type="text", content=text))]
            )
        waiting = await index.pending(10)
        await index.store_vectors(
            [one.block_id for one in waiting], await embedder.passages([one.text for one in waiting])
        )
        await index.compact()
        await index.aclose()

    anyio.run(fill)
    return folder


@pytest.fixture
def index(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    copytree(filled, folder)
    monkeypatch.setenv("RAG_DATA_DIR", str(folder))
    monkeypatch.setenv("RAG_EMBEDDER", "none")
    return folder


def call(*arguments: object) -> Result:
    return CliRunner().invoke(ibid, [str(one) for one in arguments])


def levels(result: Result) -> dict[str, str]:
    return {one["part"]: one["level"] for one in json.loads(result.stdout)["findings"]}


def sql(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "index.sqlite3")) as connection:
        for one in statements:
            connection.execute(one)
        connection.commit()


def test_a_complete_index_passes_the_check(index: Path) -> None:
    result = call("index", "check", "--json")
    assert result.exit_code == 0, result.output
    assert levels(result) == {"database": "ok", "documents": "ok", "vectors": "ok", "words": "ok"}
    assert "3 with 3 blocks" in call("index", "check").stdout


def damaged_words(folder: Path) -> None:
    (next(folder.glob("words-*")) / "meta.json").write_text("{")


def cut_database(folder: Path) -> None:
    file = folder / "index.sqlite3"
    content = bytearray(file.read_bytes())
    content[5000:9000] = bytes(4000)
    file.write_bytes(content)


DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "words": (damaged_words, "words", "ibid index rebuild"),
    "vectors": (lambda folder: sql(folder, "UPDATE vectors SET f16 = x'00'"), "vectors", "ibid ingest"),
    "packs": (lambda folder: sql(folder, "DELETE FROM packs"), "vectors", "ibid ingest"),
    "counts": (lambda folder: sql(folder, "UPDATE documents SET blocks = 7 WHERE doc_id = 'd1'"), "documents", "d1"),
    "loose blocks": (lambda folder: sql(folder, "DELETE FROM documents WHERE doc_id = 'd2'"), "documents", "b2"),
    "no access list": (lambda folder: sql(folder, "UPDATE documents SET access_control_list = ''"), "documents", "d0"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported_by_part_with_its_fix(index: Path, damage: str) -> None:
    harm, part, said = DAMAGES[damage]
    harm(index)
    result = call("index", "check", "--json")
    assert result.exit_code == 1
    assert [name for name, level in levels(result).items() if level == "failed"] == [part]
    assert said in result.stdout


def test_a_torn_database_is_reported_with_the_way_to_restore_it(index: Path) -> None:
    cut_database(index)
    result = call("index", "check")
    assert result.exit_code == 1
    assert "damaged" in result.output
    assert "Traceback" not in result.output


def test_a_rebuilt_index_is_complete_and_searchable(index: Path) -> None:
    damaged_words(index)
    assert call("index", "rebuild").exit_code == 0
    assert call("index", "check").exit_code == 0
    assert "flushing" in call("search", "flushing water").stdout


def test_an_exported_index_gives_the_same_answers_elsewhere(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "copy.zip"
    assert "3 documents" in call("index", "export", file).stdout
    assert file.stat().st_mode & 0o077 == 0
    before = call("search", "impeller", "--json").stdout
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "new machine"))
    assert call("index", "import", file).exit_code == 0
    assert call("search", "impeller", "--json").stdout == before
    assert call("index", "check").exit_code == 0
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_an_export_is_a_snapshot_while_others_write(index: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(index / "index.sqlite3", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE documents SET title = 'half done'")
        assert call("index", "export", tmp_path / "copy.zip").exit_code == 0
        writer.execute("ROLLBACK")
    with zipfile.ZipFile(tmp_path / "copy.zip") as packed:
        assert b"half done" not in packed.read("index.sqlite3")


def test_an_export_touches_no_foreign_file(index: Path, tmp_path: Path) -> None:
    others = [tmp_path / ".copy.zip.part", tmp_path / ".copy.zip.copy"]
    for other in others:
        other.write_text("mine")
    assert call("index", "export", tmp_path / "copy.zip").exit_code == 0
    assert [other.read_text() for other in others] == ["mine", "mine"]


def test_an_index_is_never_imported_over_another_without_a_request(index: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.zip"
    call("index", "export", file)
    refused = call("index", "import", file)
    assert refused.exit_code == 2
    assert "--replace" in refused.stderr
    sql(index, "DELETE FROM documents WHERE doc_id = 'd0'")
    replaced = call("index", "import", file, "--replace")
    assert replaced.exit_code == 0, replaced.output
    assert "impeller" in call("search", "impeller").stdout
    assert len(list(index.glob("index-before-*.sqlite3"))) == 1


def test_an_index_in_use_is_not_replaced(index: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.zip"
    call("index", "export", file)
    with closing(sqlite3.connect(index / "index.sqlite3")) as server:
        server.execute("SELECT * FROM documents").fetchone()
        result = call("index", "import", file, "--replace")
    assert result.exit_code == 1
    assert "Stop the servers" in result.stderr
    assert call("index", "check").exit_code == 0


def _rewritten(file: Path, name: str, content: bytes) -> None:
    with zipfile.ZipFile(file) as packed:
        parts = {one: packed.read(one) for one in packed.namelist()} | {name: content}
    with zipfile.ZipFile(file, "w") as packed:
        for one, data in parts.items():
            packed.writestr(one, data)


def _told(**changed: object) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with zipfile.ZipFile(file) as packed:
            told = json.loads(packed.read("manifest.json"))
        _rewritten(file, "manifest.json", json.dumps({**told, **changed}).encode())

    return change


def _squeezed(file: Path) -> None:
    """Damage the compressed bytes of the database."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 400] = b"\xff" * 400
    file.write_bytes(content)


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no archive": (lambda file: file.write_text("hello"), "not an exported index"),
    "another archive": (lambda file: _rewritten(file, "manifest.json", b"{}"), "not an exported index"),
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:-2000]), "damaged"),
    "another database": (
        lambda file: _rewritten(file, "index.sqlite3", b"x" * 9000),
        "does not match its manifest",
    ),
    "newer": (_told(format=99), "newer Ibid"),
    "no number": (_told(format="2"), "not an exported index"),
    "no format": (_told(format=None), "not an exported index"),
    "no size": (_told(size="9"), "not an exported index"),
    "less than nothing": (_told(format=-5), "not an exported index"),
    "escapes for counts": (_told(documents="\x1b]0;x\x07"), "not an exported index"),
    "torn": (_squeezed, "damaged"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_archive_changes_nothing(index: Path, tmp_path: Path, how: str) -> None:
    file = tmp_path / "copy.zip"
    call("index", "export", file)
    harm, said = BROKEN[how]
    harm(file)
    result = call("index", "import", file, "--replace")
    assert result.exit_code == 2
    assert said in result.stderr
    assert call("index", "check").exit_code == 0
    assert not list(index.glob(".import-*"))
    assert not list(index.glob("index-before-*"))


def test_a_database_of_a_newer_format_is_refused(index: Path) -> None:
    sql(index, "PRAGMA user_version = 99")
    result = call("index", "check")
    assert result.exit_code == 2
    assert "newer Ibid" in result.stderr


OPENING = (
    "CREATE TRIGGER open_up AFTER INSERT ON blocks BEGIN UPDATE documents SET access_control_list = '[\"*\"]'; END"
)
FOREIGN: dict[str, tuple[tuple[str, ...], str]] = {
    "a trigger": ((OPENING,), "trigger open_up"),
    "a view": (("CREATE VIEW allowed AS SELECT * FROM documents",), "view allowed"),
    "a table": (("CREATE TABLE mine (x)",), "table mine"),
    "an index over an expression": (("CREATE INDEX odd ON blocks (abs(position))",), "index odd"),
    "a view in place of a table": (
        ("DROP TABLE restricted", "CREATE VIEW restricted AS SELECT 'x' content_hash, '[]' access_control_list"),
        "view restricted",
    ),
    "a table that is not there": (("DROP TABLE pictures",), "pictures lacks"),
    "a number as a text": (("UPDATE documents SET title = x'00'",), "documents.title"),
    "a text as a number": (("UPDATE documents SET page_count = 'many'",), "documents.page_count"),
    "an access list in the writing of JSON5": (
        ("UPDATE documents SET access_control_list = '[''user:eve'']'",),
        "access list",
    ),
    "an access list of a number": (("UPDATE documents SET access_control_list = '[1]'",), "access list"),
    "no access list": (("UPDATE documents SET access_control_list = '{}'",), "access list"),
    "an outline of another form": (("UPDATE documents SET outline = '[1]'",), "documents.outline"),
    "blocks of no document": (("DELETE FROM documents WHERE doc_id = 'd2'",), "contradict"),
}  # fmt: skip


def _archive_with(folder: Path, file: Path, statements: tuple[str, ...]) -> None:
    """Return an export whose database was changed before it was packed, with a matching manifest."""
    from corpus.index.local.archive import export_index

    changed = file.with_name("changed")
    copytree(folder, changed)
    with closing(sqlite3.connect(changed / "index.sqlite3")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    export_index(changed, file, version="1.0")


@pytest.mark.parametrize("what", FOREIGN)
def test_an_archive_adds_rows_and_nothing_else(index: Path, tmp_path: Path, what: str) -> None:
    statements, said = FOREIGN[what]
    _archive_with(index, tmp_path / "copy.zip", statements)
    result = call("index", "import", tmp_path / "copy.zip", "--replace")
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert call("index", "check").exit_code == 0
    assert not list(index.glob(".import-*"))


def test_a_trigger_in_the_index_is_found(index: Path) -> None:
    sql(index, OPENING)
    result = call("index", "check", "--json")
    assert result.exit_code == 1
    assert levels(result) == {"database": "failed"}
    assert "trigger open_up" in result.stdout


def test_the_word_index_path_in_an_archive_is_ignored(index: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    _archive_with(index, tmp_path / "copy.zip", (f"UPDATE state SET directory = '../{elsewhere.name}'",))
    assert call("index", "import", tmp_path / "copy.zip", "--replace").exit_code == 0
    assert call("index", "check").exit_code == 0
    assert list(elsewhere.iterdir()) == []


def test_an_archive_writes_no_more_than_it_declares(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manifest may declare more than the archive contains, and both more than the disk can store."""
    from corpus.index.local import archive

    file = tmp_path / "copy.zip"
    call("index", "export", file)
    _told(size=10**15)(file)
    result = call("index", "import", file, "--replace")
    assert result.exit_code == 2
    assert "does not match its manifest" in result.stderr

    monkeypatch.setattr(archive.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    file.unlink()
    call("index", "export", file)
    result = call("index", "import", file, "--replace")
    assert result.exit_code == 1
    assert "the disk is full" in result.stderr
    assert not list(index.glob(".import-*"))


def test_leftovers_of_a_killed_import_are_removed_at_the_next_start(index: Path) -> None:
    left = index / ".import-12345678"
    left.mkdir()
    (left / "index.sqlite3").write_bytes(b"x" * 100)
    assert call("search", "impeller").exit_code == 0
    assert not left.exists()


def test_a_running_import_keeps_its_folder(index: Path) -> None:
    from corpus.processes.locks import acquire

    left = index / ".import-12345678"
    left.mkdir()
    lock = acquire(index / "import.lock")
    assert lock is not None
    try:
        call("search", "impeller")
        assert left.exists()
    finally:
        lock.release()


def test_ids_of_removed_blocks_are_not_reused_after_an_import(index: Path, tmp_path: Path) -> None:
    _archive_with(index, tmp_path / "copy.zip", ("UPDATE sqlite_sequence SET seq = 4000 WHERE name = 'blocks'",))
    assert call("index", "import", tmp_path / "copy.zip", "--replace").exit_code == 0
    with closing(sqlite3.connect(index / "index.sqlite3")) as connection:
        assert connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'blocks'").fetchone() == (4000,)
