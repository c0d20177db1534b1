"""Attachments of mails, each read by the reader of its own format from a file of its own."""

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
"""A reading process may write no larger file."""


_TNEF = b"\x78\x9f\x3e\x22"
_TEXTS = (".txt", ".csv", ".tsv", ".ics", ".md", "")
"""Of these a mail may know the encoding, and they themselves do not."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """`name` is what the mail calls it; it is shown, and never a path. `charset` is the one that the mail says."""

    name: str
    data: bytes
    charset: str | None = None

    @property
    def suffix(self) -> str:
        """Of the name, in lower case."""
        return PurePosixPath(self.name.replace("\\", "/")).suffix.lower()

    @property
    def is_mail(self) -> bool:
        return self.suffix in (".eml", ".msg")


def named(name: str | None, number: int, suffix: str = "") -> str:
    """A name as it can be shown, on one line."""
    said = " ".join(clean(name or "").replace(" > ", " ").split())
    return said[-150:] or f"attachment {number}{suffix}"


def attachment_steps(attachment: Attachment) -> Iterator[Step]:
    """The steps of the attachment's reader. UnreadableDocument when there is none or it cannot be read."""
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
        path.write_bytes(_marked(attachment))
        yield from reader_for(path)(path)


def _marked(attachment: Attachment) -> bytes:
    """A text in the encoding that the mail says, as UTF-8."""
    if not attachment.charset or attachment.suffix not in _TEXTS:
        return attachment.data
    text, warnings = decode(attachment.data, attachment.charset)
    return attachment.data if warnings else text.encode("utf-8", "replace")
