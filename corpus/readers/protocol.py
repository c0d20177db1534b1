"""Results of readers: steps, blocks in reading order, and a document's metadata."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from corpus.documents.block import BlockType, Box, Picture
from corpus.documents.document import OutlineEntry
from corpus.documents.line_boxes import LineBox
from corpus.readers.pinned_file import FileState

if TYPE_CHECKING:
    from corpus.readers.ocr.recognition import Recognition
    from corpus.readers.pinned_file import NeighbourFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBlock:
    """A block before it belongs to an index. `place` is unique within the document and stable for the same bytes
    (`p12-3`, `p12-f1`); it becomes the end of the block id.

    Text is clean and has at most about 1,500 characters, all from one page. An image has its picture (PNG, JPEG or
    WebP, at most 1 MB), its caption, and as `content` its words and the paragraph that mentions it.

    `char_start` and `char_end` are a text's offsets. In text files they count characters of the decoded file, and
    cleaning may shorten the content between them. In PDFs they count characters of the page's text: the contents of its
    text blocks in order, with an empty line between two blocks; there the slice equals the content. `bbox` is left,
    top, right, bottom in points. `lines` are the boxes of a text's lines, if known. `source_hash` is the SHA-256 of the
    file from which the picture was made.
    """

    place: str
    block_type: BlockType
    content: str = ""
    image_caption: str | None = None
    picture: Picture | None = None
    page_number: int | None = None
    page_label: str | None = None
    heading: str | None = None
    bbox: Box | None = None
    start_line: int | None = None
    end_line: int | None = None
    char_start: int | None = None
    char_end: int | None = None
    language: str | None = None
    lines: tuple[LineBox, ...] = ()
    source_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """A document. `warnings` are sentences for the user: pages without text, omitted hidden text, and the like.

    `pending` are places of pictures that await text recognition: `p12` is a scanned page, any other form an image
    block. `summaries`, brief and standard, exist if somebody wrote them; otherwise they are extracted. `content_hash`
    is the SHA-256 of the file that was read: empty if it changed meanwhile, None if unknown. `file` is its state.
    `pictures` are files next to it that it shows, with path and SHA-256.
    """

    title: str | None = None
    author: str | None = None
    document_date: str | None = None
    page_count: int | None = None
    language: str | None = None
    outline: tuple[OutlineEntry, ...] = ()
    page_labels: tuple[str, ...] = ()
    blocks: tuple[ReadBlock, ...] = ()
    warnings: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    summaries: tuple[str, str] | None = None
    content_hash: str | None = None
    file: FileState | None = None
    pictures: tuple[tuple[str, str], ...] = ()


PageListener = Callable[[int, int], None]
"""Receives the number of pages of a file that are read, and its total number of pages."""

PictureFiles = tuple[tuple[str, str], ...]
"""Absolute path and SHA-256 of each file."""

Refuse = Callable[[PictureFiles], Awaitable[frozenset[str]]]
"""Returns the paths that the document must not show."""


class Reading(Protocol):
    """Reads whole documents; implemented by `corpus.readers.sandbox.pool.ReadingProcesses`."""

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Read a file; the listener receives each page of a paged file.

        The reading process has no access rules, so `refuse` decides about pictures next to the file before anybody sees
        them; without it all are shown. Raises UnreadableDocument with a reason for the user.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one file. Beyond them only that file fails."""

    memory_bytes: int = 1_500_000_000
    silent_seconds: float = 60.0
    """Maximum CPU seconds on one page. Wall time would include waiting on a busy machine."""
    still_seconds: float = 900.0
    """Maximum wall seconds without work, or without information about it."""
    total_seconds: float = 3600.0
    """Maximum CPU seconds on the file; its wall time may be ten times as long."""
    file_bytes: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PageDone:
    """A sign of life: the page with this number (or part of a file) is done. `read` is the number of pages read and of
    all pages of the file, if known."""

    number: int
    read: tuple[int, int] | None = None


Step = PageDone | ReadBlock | ReadDocument
"""A step of a reader. The last step is the document without its blocks, which came before it in reading order."""

Reader = Callable[[Path], Iterator[Step]]
"""Reads a file. Raises UnreadableDocument with a reason for the user."""

TextReader = Callable[[Path, "NeighbourFiles"], Iterator[Step]]
"""A reader of files that may show pictures next to them."""

RecognisingReader = Callable[[Path, "Recognition"], Iterator[Step]]
"""A reader of files that may contain scanned text."""
