"""OCR text is stored until its document is complete, and never causes a failure."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from corpus.readers.ocr.engine import RecognitionResult
from corpus.readers.ocr.records import Records
from tests.readers.scans import piece

FOUND = RecognitionResult(
    pieces=(piece("The pump is primed.", 1, 2.5, 300, 40),), size=(1654, 2339), pixels_a_point=2.8
)


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "recognition.sqlite3", "engine 1")


def test_a_record_is_found_only_for_the_same_bytes_and_the_same_engine(tmp_path: Path, records: Records) -> None:
    records.put("one", "p1", FOUND)
    records.put("one", "p2", RecognitionResult(failure="took too long"))
    assert records.of("one", "p1") == FOUND
    assert records.of("one", "p2") == RecognitionResult(failure="took too long")
    assert records.places("one") == {"p1", "p2"}
    assert records.of("two", "p1") is None
    assert Records(tmp_path / "recognition.sqlite3", "engine 2").of("one", "p1") is None


def test_deleted_records_leave_no_words_in_the_file(tmp_path: Path, records: Records) -> None:
    records.put("one", "p1", FOUND)
    records.put("two", "p1", FOUND)
    assert b"primed" in (tmp_path / "recognition.sqlite3").read_bytes()
    records.forget("one")
    assert records.places("one") == frozenset()
    records.keep_only({"three"})
    assert records.places("two") == frozenset()
    assert b"primed" not in (tmp_path / "recognition.sqlite3").read_bytes()


def test_a_damaged_file_is_created_again(tmp_path: Path, records: Records) -> None:
    (tmp_path / "recognition.sqlite3").write_bytes(b"no database at all, but long enough to be one " * 50)
    assert records.of("one", "p1") is None
    records.put("one", "p1", FOUND)
    assert records.of("one", "p1") == FOUND


@pytest.mark.skipif(sys.platform == "win32", reason="modes as Unix has them")
def test_the_file_is_readable_only_by_its_owner(tmp_path: Path, records: Records) -> None:
    records.put("one", "p1", FOUND)
    assert stat.S_IMODE((tmp_path / "recognition.sqlite3").stat().st_mode) == 0o600
