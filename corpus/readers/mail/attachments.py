"""Mail attachments, each read by the reader of its own format from a temporary file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decode
from corpus.readers.steps import Step
from corpus.text import clean

_MOST_BYTES = 90_000_000
"""A reading process must not write larger files (RLIMIT_FSIZE)."""


_TNEF = b"\x78\x9f\x3e\x22"
_TEXTS = (".txt", ".csv", ".tsv", ".ics", ".md", "")
"""Formats whose encoding a mail may state, and the file itself does not."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """`name` is its name in the mail: for display, never a path. `charset` is the one that the mail states."""

    name: str
    data: bytes
    charset: str | None = None

    @property
    def suffix(self) -> str:
        """The name's suffix in lower case."""
        return PurePosixPath(self.name.replace("\\", "/")).suffix.lower()

    @property
    def is_mail(self) -> bool:
        """Whether it is a mail itself."""
        return self.suffix in (".eml", ".msg")


def named(name: str | None, number: int, suffix: str = "") -> str:
    """Return a name for display, on one line."""
    line = " ".join(clean(name or "").replace(" > ", " ").split())
    return line[-150:] or f"attachment {number}{suffix}"


def attachment_steps(attachment: Attachment) -> Iterator[Step]:
    """Yield the steps of the attachment's own reader. Raises UnreadableDocument where it has none or fails."""
    from corpus.readers.formats import reader_for

    if attachment.data.startswith(_TNEF):
        raise UnreadableDocument(
            "Outlook's own format (TNEF), which holds the text and files of the mail once more"
        )
    if not attachment.data:
        raise UnreadableDocument("empty file")
    if len(attachment.data) > _MOST_BYTES:
        raise UnreadableDocument(f"has more than {_MOST_BYTES // 1_000_000} MB")
    with tempfile.TemporaryDirectory() as folder:
        stem = re.sub(r"[^\w .\-]", "_", PurePosixPath(attachment.name.replace("\\", "/")).stem)[:80].strip(
            " ."
        )
        path = Path(folder) / f"{stem or 'attachment'}{re.sub(r'[^a-z0-9.]', '', attachment.suffix)[:12]}"
        path.write_bytes(_in_utf_8(attachment))
        yield from reader_for(path)(path)


def _in_utf_8(attachment: Attachment) -> bytes:
    """Convert text in the mail's encoding to UTF-8."""
    if not attachment.charset or attachment.suffix not in _TEXTS:
        return attachment.data
    text, warnings = decode(attachment.data, attachment.charset)
    return attachment.data if warnings else text.encode("utf-8", "replace")
