"""Files read in this process, for tests that are not about processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.readers.formats import reader_for
from corpus.readers.pinned_file import check_file
from corpus.readers.protocol import ReadBlock, ReadDocument

Read = Callable[[Path], tuple[ReadDocument, list[ReadBlock]]]


@pytest.fixture
def read() -> Read:
    """Read a file as the reading process does, and return the document and its blocks."""

    def read(path: Path) -> tuple[ReadDocument, list[ReadBlock]]:
        check_file(path, 1_000_000_000)
        steps = list(reader_for(path)(path))
        (document,) = (step for step in steps if isinstance(step, ReadDocument))
        return document, [step for step in steps if isinstance(step, ReadBlock)]

    return read
