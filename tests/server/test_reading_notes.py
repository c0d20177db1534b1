"""Messages to clients about reading in progress."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from corpus.ingestion.run_log import KEEPER, Run, log_failure, start_run
from corpus.library import Library
from corpus.processes.locks import acquire
from server.folder_sync.ingestion_status import CUT_SHORT, IN_THE_WAY, READING, reading_notes
from server.settings.model import Settings
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio


def settings(tmp_path: Path, *documents: Path) -> Settings:
    return Settings.model_construct(data_dir=tmp_path, documents=documents)


def run(tmp_path: Path, *roots: Path, **facts: object) -> Run:
    going = start_run(tmp_path, roots, lock=acquire(tmp_path / KEEPER), watches=True)
    assert going
    going.put(**facts)
    return going


def test_without_a_reading_log_no_message_appears(tmp_path: Path) -> None:
    assert reading_notes(settings(tmp_path)) == ()


def test_progress_is_reported_during_reading_and_an_interruption_afterwards(tmp_path: Path) -> None:
    going = run(tmp_path, tmp_path, files=340, done=12)
    assert reading_notes(settings(tmp_path)) == ("Still reading: 12 of 340 files.",)
    going.put(pages=1508, pages_read=412, seconds_left=170.0)
    assert reading_notes(settings(tmp_path)) == ("Still reading: 412 of 1,508 pages, about 3 minutes left.",)
    going.lock.release()
    assert reading_notes(settings(tmp_path)) == (
        "An ingestion was interrupted at 412 of 1,508 pages; the next one continues it.",
    )
    going = run(tmp_path, tmp_path, files=340, done=340)
    assert reading_notes(settings(tmp_path)) == ()
    going.end()


def test_before_the_first_file_is_found_a_client_learns_that_reading_begins(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    documents = settings(tmp_path, tmp_path / "mine")
    (said,) = reading_notes(documents)
    assert "not being ingested yet" in said
    going = run(tmp_path, tmp_path / "mine")
    (said,) = reading_notes(documents)
    assert said.startswith("Ingestion has just begun")
    going.put(files=3, done=1)
    assert reading_notes(documents) == ("Still reading: 1 of 3 files.",)
    going.put(files=0, done=0)
    assert reading_notes(documents) == ()
    going.end()


def test_failures_are_counted_and_not_named(tmp_path: Path) -> None:
    for name in ("one.pdf", "two.pdf"):
        log_failure(tmp_path, tmp_path / name, "not a PDF")
    assert reading_notes(settings(tmp_path)) == ("2 files could not be read; `ibid status` lists them with reasons.",)


def test_a_missing_or_unwatched_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    going = run(tmp_path, tmp_path / "other", files=1, done=1)
    missing, unkept = reading_notes(settings(tmp_path, tmp_path / "nowhere", tmp_path / "mine"))
    assert missing == f"There is no folder {tmp_path / 'nowhere'}."
    assert unkept.startswith(f"{tmp_path / 'mine'} is not watched")
    going.end()


async def test_a_list_and_an_empty_search_contain_the_notes(stocked: Desk, tmp_path: Path) -> None:
    notes = partial(reading_notes, settings(tmp_path))
    stocked.library = Library(stocked.index, None, notes=notes)
    going = run(tmp_path, files=340, done=12)
    said = "Still reading: 12 of 340 files."
    assert said in (await stocked.call("rag_list_documents"))["warnings"]
    assert said not in (await stocked.call("rag_semantic_search", query="impeller")).get("warnings", [])
    empty = await stocked.call("rag_semantic_search", query="impeller", filters={"page_number": 999})
    assert said in empty["warnings"]
    going.end()


def test_callers_of_a_shared_server_learn_no_numbers_and_no_folders(tmp_path: Path) -> None:
    """The numbers would include other people's files, and the name of a folder reveals its content."""
    told = settings(tmp_path, tmp_path / "layoffs")
    assert reading_notes(told, of_many=True) == (IN_THE_WAY,)
    (tmp_path / "layoffs").mkdir()
    going = run(tmp_path, tmp_path / "layoffs", files=340, done=12)
    assert reading_notes(told, of_many=True) == (READING,)
    log_failure(tmp_path, tmp_path / "layoffs" / "one.pdf", "it is damaged")
    assert reading_notes(told, of_many=True) == (READING, IN_THE_WAY)
    going.lock.release()
    assert reading_notes(told, of_many=True) == (CUT_SHORT, IN_THE_WAY)
