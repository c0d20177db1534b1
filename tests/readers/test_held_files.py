"""All of a document comes from one file, and a reader that fails at the very end does not affect the next file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.pinned_file import NeighbourFiles, pin_file
from corpus.readers.protocol import PageDone, ReadDocument, Step
from corpus.readers.sandbox.main import _answer_to
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.readers.test_reading_processes import IMPOSTOR

pytestmark = pytest.mark.anyio
DOCUMENT = """frame({
    'kind': 'document', 'outline': [], 'page_labels': [], 'warnings': [], 'pending': [], 'pictures': []
})"""
FAILED = "frame({'kind': 'failed', 'reason': 'too late'})"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no path leads to an open file")
def test_a_file_put_in_place_of_a_held_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("mine")
    with pin_file(path) as source:
        path.unlink()
        path.write_text("other")
        assert (source.path.name, source.path.read_text()) == ("a.md", "mine")
        assert source.content_hash == hashlib.sha256(b"mine").hexdigest()
        assert source.neighbours.folder == tmp_path


def test_a_held_file_that_is_written_to_is_reported_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("mine")
    with pin_file(path) as source:
        assert source.is_unchanged()
        path.write_text("other")
        assert not source.is_unchanged()


async def test_the_document_reports_the_hash_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The impeller turns.")
    async with ReadingProcesses() as reading:
        read = await reading.read(tmp_path / "a.md")
    assert read.content_hash == hashlib.sha256(b"The impeller turns.").hexdigest()


def test_a_reader_that_fails_after_its_document_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reader(path: Path, neighbours: NeighbourFiles) -> Iterator[Step]:
        yield PageDone(0)
        yield ReadDocument()
        raise UnreadableDocument("too late")

    (tmp_path / "a.md").write_text("text")
    monkeypatch.setattr("corpus.readers.sandbox.main.reader_for", lambda path: reader)
    request = {"do": "read", "path": str(tmp_path / "a.md"), "file_bytes": 1000}
    seen = []
    with pytest.raises(UnreadableDocument, match="too late"):
        seen.extend(head["kind"] for head, _ in _answer_to(request, b""))
    assert "document" not in seen


async def test_a_process_that_writes_more_after_its_answer_is_ended_before_the_next_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "a.md"
    path.write_text("text")
    impostor = IMPOSTOR.replace("ANSWER", f"{DOCUMENT} + {FAILED}") + "\nsys.stdin.buffer.read()"
    monkeypatch.setattr("corpus.processes.child.BOOTSTRAP", impostor)
    async with ReadingProcesses() as reading:
        await reading.read(path)
        (first,) = reading._workers
        await reading.read(path)
        assert first not in reading._workers
        assert len(reading._workers) == 1
