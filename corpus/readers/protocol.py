"""Results of readers: progress steps, blocks in reading order, and a document's metadata."""

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
    """A block that is not yet part of an index. `place` is unique within the document and the same for the same bytes
    (`p12-3`, `p12-f1`); it becomes the end of the block id.

    Text is clean, has at most about 1,500 characters, and comes from one page. An image has its picture (PNG, JPEG or
    WebP, at most 1 MB) and its caption; its `content` consists of its words and the paragraph that mentions it.

    `char_start` and `char_end` are the offsets of a text. In text files they count characters of the decoded file;
    cleaning may make the content shorter than the range between them. In PDFs they count characters of the page's text,
    which consists of the contents of its text blocks in order, with an empty line between two blocks; there the slice
    equals the content. `bbox` is left, top, right, bottom in points. `lines` are the boxes of a text's lines, if known.
    `source_hash` is the SHA-256 of the file from which the picture was created.
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
    """A document. `warnings` are sentences for the user, about pages without text, omitted hidden text, and the like.

    `pending` contains the `place` of each picture that awaits OCR: `p12` is a scanned page, and any other form is an
    image block. `summaries` are a brief and a standard summary if somebody wrote them; otherwise they are extracted
    later. `content_hash` is the SHA-256 of the file that was read: empty if the file changed while it was read, None if
    unknown. `file` is the state of the file. `pictures` are the path and SHA-256 of each file next to the document
    whose picture the document shows.
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
"""Function that receives the number of pages read so far, and the total number of pages in the file."""

PictureFiles = tuple[tuple[str, str], ...]
"""Absolute path and SHA-256 of each file."""

Refuse = Callable[[PictureFiles], Awaitable[frozenset[str]]]
"""Function that returns the paths of pictures that the document must not show."""


class Reading(Protocol):
    """Protocol for reading complete documents; implemented by `corpus.readers.sandbox.pool.ReadingProcesses`."""

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Read a file; the listener is called for each page of a paged file.

        The reading process has no access rules, so `refuse` decides which pictures next to the file may be shown;
        without it, all are shown. Raises UnreadableDocument with a reason for the user.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for reading one file. If they are exceeded, only that file fails."""

    memory_bytes: int = 1_500_000_000
    silent_seconds: float = 60.0
    """Maximum CPU seconds for one page. Wall time would include waiting on a busy machine."""
    still_seconds: float = 900.0
    """Maximum wall seconds without CPU use, or without information about CPU use."""
    total_seconds: float = 3600.0
    """Maximum CPU seconds for the file; the limit on its wall time is ten times as long."""
    file_bytes: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PageDone:
    """Progress step: the page with this number (or that part of a file) is done. `read` is the number of pages read so
    far and the total number of pages, if known."""

    number: int
    read: tuple[int, int] | None = None


Step = PageDone | ReadBlock | ReadDocument
"""A step of a reader. The last step is the document without its blocks, which were yielded before it in reading
order."""

Reader = Callable[[Path], Iterator[Step]]
"""Function that reads a file. Raises UnreadableDocument with a reason for the user."""

TextReader = Callable[[Path, "NeighbourFiles"], Iterator[Step]]
"""Reader of files that may show pictures stored next to them."""

RecognisingReader = Callable[[Path, "Recognition"], Iterator[Step]]
"""Reader of files that may contain scanned text."""
