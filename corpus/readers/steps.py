"""What a reader says while it works: pages done, blocks, and at the end the document."""

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
    """A sign of life: the page with this number (or part of a file) is done. `read` says how many pages are read by
    now and how many the file has, where that is known."""

    number: int
    read: tuple[int, int] | None = None


Step = PageDone | ReadBlock | ReadDocument
"""The last step is the document, without its blocks: these came before it in reading order."""

Reader = Callable[[Path], Iterator[Step]]
"""Raises UnreadableDocument with a reason for a person."""

TextReader = Callable[[Path, "NeighbourFiles"], Iterator[Step]]
"""The same of a file that may show pictures beside it."""

RecognisingReader = Callable[[Path, "Recognition"], Iterator[Step]]
"""The same of a file that may hold pictures of text."""
