"""What every reader gives: a document's metadata and its blocks in reading order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corpus.blocks import BlockType, Box, Picture
from corpus.documents import OutlineEntry
from corpus.line_boxes import LineBox
from corpus.readers.files import FileState


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBlock:
    """A block before it belongs to an index. `place` is unique within the document and stable while its
    bytes are (`p12-3`, `p12-f1`); it becomes the end of the block id.

    Text is clean and at most about 1,500 characters (never across a page). An image carries its picture
    (PNG, JPEG or WebP, at most 1 MB), its caption, and as `content` the words inside it and the paragraph
    that refers to it.

    `char_start` and `char_end` say where a text stands. In text files they count characters of the decoded file; what
    is cleaned away between them may make the content shorter. In PDFs they count characters of the page's text,
    which is the contents of its text blocks in order with an empty line between two: there the slice is the content.
    `lines` say where each line of a text stands on the page, as far as that is known. `source_hash` is the SHA-256 of
    the file that a picture was made of.
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
    """`warnings` are sentences for a person: pages without text, hidden text left out, and the like.

    `pending` are the places of pictures that text recognition has not come to: `p12` is a page that is a picture, and
    what is none of that form is the place of an image block. `summaries`, a brief and a longer one, are there where
    somebody wrote them; otherwise they are chosen from its sentences. `content_hash` is the SHA-256 of the file that
    was read, empty where it changed meanwhile, and None where nobody says; `file` is its state. `pictures` are the
    files beside it that it shows, path and SHA-256 of each.
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
"""Takes how many pages of a file have been read, and how many it has."""

PictureFiles = tuple[tuple[str, str], ...]
"""Absolute path and SHA-256 of each file."""

Refuse = Callable[[PictureFiles], Awaitable[frozenset[str]]]
"""Returns the paths among them that the document must not show."""


class Reading(Protocol):
    """Whoever gives the whole document of a file; `corpus.readers.reading.ReadingProcesses` does."""

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Read a file; the listener hears of each page of one that has pages. The reading process knows no access
        rules, so `refuse` is asked about the pictures beside the file before anybody else sees them; without it all are
        shown.

        Raises UnreadableDocument with a reason for a person.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost; past it the file fails and nothing else does."""

    memory_bytes: int = 1_500_000_000
    silent_seconds: float = 60.0
    """Most work on one page, as it counts on the processor: a busy machine, which lets the reading process wait for all
    others, makes no page longer."""
    still_seconds: float = 900.0
    """Longest time by the clock in which it does nothing at all, or nothing is known of what it does."""
    total_seconds: float = 3600.0
    """Most work on the file; by the clock it may take ten times as long."""
    file_bytes: int = 1_000_000_000
