"""The steps that a reader yields: progress, blocks, and at last the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.readers.protocol import ReadBlock, ReadDocument

if TYPE_CHECKING:
    from corpus.readers.ocr.recognition import Recognition
    from corpus.readers.pinned_file import NeighbourFiles


@dataclass(frozen=True, slots=True)
class PageDone:
    """A sign of life: the page with this number (or part of a file) is done. `read` are the pages read and the pages
    of the file, where known."""

    number: int
    read: tuple[int, int] | None = None


Step = PageDone | ReadBlock | ReadDocument
"""The last step is the document without its blocks, which came before it in reading order."""

Reader = Callable[[Path], Iterator[Step]]
"""Raises UnreadableDocument with a reason for a person."""

TextReader = Callable[[Path, "NeighbourFiles"], Iterator[Step]]
"""A reader of files that may show pictures beside them."""

RecognisingReader = Callable[[Path, "Recognition"], Iterator[Step]]
"""A reader of files that may contain scanned text."""
