from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.readers.protocol import ReadDocument
from tests.readers.conftest import Read

Text = Callable[[Path], str]


@pytest.fixture
def text(read: Read) -> Text:
    """Return all text of a file, block after block."""

    def text(path: Path) -> str:
        return "\n".join(block.content for block in read(path)[1])

    return text


@pytest.fixture
def warnings(read: Read) -> Callable[[Path], str]:
    def warnings(path: Path) -> str:
        document: ReadDocument = read(path)[0]
        return " ".join(document.warnings)

    return warnings
