"""`ibid status` reports exact failures, notes and work in progress."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from corpus.access import Caller
from corpus.documents.block import Picture
from corpus.documents.machine_text import with_ocr_text
from corpus.index.local import LocalIndex
from corpus.index.protocol import Counts, NewBlock
from corpus.ingestion.run_log import RunState, start_run
from server.commands.status import _vectors
from server.settings.model import Settings
from tests.readers.drawings import drawn_picture
from tests.values import document, image_block

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"


def test_status_lists_each_failed_file_until_it_is_read(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("one.pdf", "two.pdf"):
        (notes / name).write_text("This is no PDF.")
    assert run("ingest", notes).exit_code == 1
    said = run("status").output.splitlines()
    assert "Failed       2" in said
    assert f"  {notes / 'one.pdf'}: not a PDF although its name says so" in said
    (notes / "one.pdf").unlink()
    run("ingest", notes)
    said = run("status").output
    assert "Failed       1" in said
    assert "one.pdf" not in said


def test_status_is_short_for_many_files_and_complete_on_request(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    for n in range(25):
        (notes / f"bad{n}.pdf").write_text("This is no PDF.")
    run("ingest", notes)
    short, whole = run("status").output, run("status", "--all").output
    assert short.count(".pdf: not a PDF") == 20
    assert "and 5 more; --all lists them" in short
    assert whole.count(".pdf: not a PDF") == 25


def test_status_reports_the_findings_of_a_document(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    shutil.copy(DOCUMENTS / "xyz-pump-operations-guide.pdf", notes / "guide.pdf")
    run("ingest", notes)
    (row,) = [line for line in run("status", "guide.pdf").output.splitlines() if "guide.pdf" in line]
    assert row.startswith("  guide.pdf: 6 pages, ")
    assert "figures" in row
    assert "table" in row
    assert "guide.pdf" not in run("status").output
    assert run("status", "nothing.pdf").exit_code == 2


def test_status_lists_documents_whose_files_changed_or_vanished(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    (notes / "valves.md").write_text("The seat closes tightly.")
    run("ingest", notes)
    (notes / "pumps.md").write_text("Something else.")
    (notes / "valves.md").unlink()
    said = run("status").output
    assert "pumps.md changed since it was indexed" in said
    assert "valves.md is no longer where it was indexed from" in said


def test_status_reports_the_same_as_json(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    (notes / "bad.pdf").write_text("This is no PDF.")
    run("ingest", notes)
    found = json.loads(run("status", "--json", "--all").output)
    assert found["counts"]["documents"] == 1
    assert [Path(one["path"]).name for one in found["failures"]] == ["bad.pdf"]
    (document,) = found["documents"]
    assert (document["filename"], document["state"], document["tables"]) == ("pumps.md", "current", 0)


def test_status_reports_the_progress_of_a_run(run, notes: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", notes)
    going = start_run(tmp_path / "index", [notes])
    assert going
    going.put(files=340, done=12)
    assert f"Reading      12 of 340 files, under {notes}" in run("status").output
    going.put(pages=1508, pages_read=412, seconds_left=170.0)
    assert "Reading      412 of 1,508 pages, about 3 minutes left, under" in run("status").output
    (told,) = json.loads(run("status", "--json").output)["runs"]
    assert (told["pages_read"], told["pages"], told["seconds_left"]) == (412, 1508, 170.0)
    going.put(done=340, pages_read=1508, pictures=40, recognised=12)
    assert "Reading      12 of 40 pictures, about 3 minutes left, under" in run("status").output
    going.put(done=340, recognised=40, passages=900, embedded=32)
    assert "Embedding    32 of 900 passages, about 3 minutes left, under" in run("status").output
    going.put(done=12, pages_read=412)
    going.lock.release()
    assert "Reading      interrupted at 412 of 1,508 pages under" in run("status").output


def test_pending_vectors_are_reported_as_in_progress_during_a_run() -> None:
    counts = Counts(documents=9, blocks=1535, images=3, without_vector=1236)
    settings = Settings()
    reading = RunState(pid=11, started="", files=9, done=4)
    embedding = RunState(pid=12, started="", files=9, done=9, passages=1236, embedded=32)
    assert _vectors(settings, counts, []) == (
        "1236 of 1535 pending: run `ibid ingest` on any indexed folder to continue"
    )
    assert _vectors(settings, counts, [reading]) == (
        "1236 of 1535 pending: process 11 creates them while and after reading"
    )
    assert _vectors(settings, counts, [reading, embedding]) == ("1236 of 1535 pending: process 12 is creating them")
    ended = [replace(embedding, alive=False), replace(reading, vectors=False)]
    assert "run `ibid ingest`" in _vectors(settings, counts, ended)


def test_a_stopped_watch_is_not_reported_as_interrupted(run, notes: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", notes)
    watch = start_run(tmp_path / "index", [notes], watches=True)
    assert watch
    watch.put(files=0, done=0)
    watch.lock.release()
    said = run("status").output
    assert f"Reading      killed under {notes}; no longer watches" in said
    assert "0 of 0" not in said


def test_unread_pages_of_a_scan_are_pages_without_text(  # type: ignore[no-untyped-def]
    run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_OCR", "off")
    pages = [Image.new("L", (400, 600), shade) for shade in (200, 220)]
    pages[0].save(notes / "scan.pdf", save_all=True, append_images=pages[1:])
    run("ingest", notes)
    (row,) = [line for line in run("status", "scan.pdf").output.splitlines() if "scan.pdf:" in line]
    assert row.startswith("  scan.pdf: 2 pages, ")
    assert row.endswith("2 pages without text")


@pytest.mark.anyio
async def test_pages_read_by_ocr_have_text(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path, None)
    words = with_ocr_text("", "code ALPHA-77")
    blocks = [image_block("fax", page=1, content=words), image_block("fax", page=2, content="Beside it.")]
    picture = Picture(drawn_picture(), "image/png")
    await index.replace(document(page_count=2), [NewBlock(block, picture) for block in blocks])
    content = (await index.contents(["manual-1"], Caller(unfiltered=True)))["manual-1"]
    await index.aclose()
    assert content.pages_with_text == 1


def test_documents_with_one_name_are_distinguished_by_their_folders(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("one", "two"):
        (notes / name).mkdir()
        (notes / name / "same.md").write_text(f"# {name}\n\nA text of its own.\n")
    run("ingest", notes)
    said = run("status", "--all").output
    assert f"  {notes / 'one' / 'same.md'}: " in said
    assert f"  {notes / 'two' / 'same.md'}: " in said
    assert "  pumps.md: " in said
