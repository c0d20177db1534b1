"""The decision about a file, from its stored record and its current state."""

from __future__ import annotations

import pytest

from corpus.documents.document import Document
from corpus.ingestion.file_decision import (
    Fingerprint,
    Move,
    Read,
    Refuse,
    Skip,
    Touch,
    decide,
    is_current,
)
from tests.values import document

BEFORE = document(content_hash="h", source_size=3, source_mtime_ns=5)
AS_BEFORE, LATER, OTHER = Fingerprint("h", 3, 5), Fingerprint("h", 3, 9), Fingerprint("g", 4, 9)
UNSEEN = Fingerprint("", 4, 9)
"""A file of another size, so its content was not read."""


def test_a_file_is_skipped_touched_or_read_by_its_content() -> None:
    assert decide(AS_BEFORE, BEFORE) == Skip()
    assert decide(LATER, BEFORE) == Touch()
    assert decide(OTHER, BEFORE) == decide(UNSEEN, BEFORE) == decide(UNSEEN, None) == Read()


def test_an_unchanged_file_is_read_again_if_a_reader_would_give_another_result() -> None:
    assert decide(AS_BEFORE, BEFORE, is_current=False) == Read()


def test_a_new_file_takes_over_the_document_of_equal_content_whose_file_is_gone() -> None:
    assert decide(OTHER, None, moved=BEFORE) == Move(BEFORE)
    assert decide(OTHER, BEFORE, moved=BEFORE) == Read()


def test_an_unchanged_file_is_not_refused_but_a_new_one_can_be() -> None:
    assert decide(AS_BEFORE, BEFORE, refusal="no") == Skip()
    assert decide(OTHER, BEFORE, refusal="no") == decide(OTHER, None, refusal="no") == Refuse("no")


@pytest.mark.parametrize("reads_pictures", [False, True])
def test_documents_with_pending_pictures_are_read_again_when_ocr_is_turned_on_or_off(
    reads_pictures: bool,
) -> None:
    def read(**changes: object) -> Document:
        return document(reader_version="1", **changes)

    waiting = read(pending=("p1",)) if reads_pictures else read(unread=("p1",))
    assert is_current(read(), "1", reads_pictures=not reads_pictures)
    assert is_current(waiting, "1", reads_pictures=reads_pictures)
    assert not is_current(waiting, "1", reads_pictures=not reads_pictures)
    assert not is_current(waiting, "2", reads_pictures=reads_pictures)
