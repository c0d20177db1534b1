"""An email in any format, and its conversion to blocks."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from corpus.documents.document import OutlineEntry
from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decode
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Paragraph
from corpus.readers.mail.plain_body import body_elements
from corpus.readers.pinned_file import data_picture
from corpus.readers.protocol import ReadBlock, ReadDocument, Step
from corpus.readers.web.html import Flow, tree_of
from corpus.text.normalization import clean

_MAX_ATTACHMENT_BYTES = 90_000_000
"""Maximum size of an attachment in bytes. A reading process must not write larger files (RLIMIT_FSIZE)."""


_TNEF = b"\x78\x9f\x3e\x22"
_TEXTS = (".txt", ".csv", ".tsv", ".ics", ".md", "")
"""Suffixes of formats whose encoding the message may declare, because the file itself does not."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment. `name` is its name in the message, which is only displayed and never used as a path. `charset` is
    the charset that the message declares."""

    name: str
    data: bytes
    charset: str | None = None

    @property
    def suffix(self) -> str:
        """The suffix of the name, in lower case."""
        return PurePosixPath(self.name.replace("\\", "/")).suffix.lower()

    @property
    def is_mail(self) -> bool:
        """Whether the attachment is itself an email."""
        return self.suffix in (".eml", ".msg")


def display_name(name: str | None, number: int, suffix: str = "") -> str:
    """Return a name for display, on one line."""
    line = " ".join(clean(name or "").replace(" > ", " ").split())
    return line[-150:] or f"attachment {number}{suffix}"


def attachment_steps(attachment: Attachment) -> Iterator[Step]:
    """Yield the steps of the attachment's own reader. Raises UnreadableDocument if there is no reader for it or the
    reader fails."""
    from corpus.readers.formats import reader_for

    if attachment.data.startswith(_TNEF):
        raise UnreadableDocument("Outlook's own format (TNEF), which repeats the text and files of the mail")
    if not attachment.data:
        raise UnreadableDocument("empty file")
    if len(attachment.data) > _MAX_ATTACHMENT_BYTES:
        raise UnreadableDocument(f"has more than {_MAX_ATTACHMENT_BYTES // 1_000_000} MB")
    with tempfile.TemporaryDirectory() as folder:
        stem = re.sub(r"[^\w .\-]", "_", PurePosixPath(attachment.name.replace("\\", "/")).stem)[:80].strip(" .")
        path = Path(folder) / f"{stem or 'attachment'}{re.sub(r'[^a-z0-9.]', '', attachment.suffix)[:12]}"
        path.write_bytes(_in_utf_8(attachment))
        yield from reader_for(path)(path)


def _in_utf_8(attachment: Attachment) -> bytes:
    """Convert text in the encoding that the message declares to UTF-8."""
    if not attachment.charset or attachment.suffix not in _TEXTS:
        return attachment.data
    text, warnings = decode(attachment.data, attachment.charset)
    return attachment.data if warnings else text.encode("utf-8", "replace")


_MAX_ATTACHMENTS = 100
"""Maximum number of attachments read; further ones are omitted with a warning."""
_MAX_DEPTH = 3
"""Maximum nesting depth of emails attached to emails."""

_MAX_HEADER = 2_000
"""Maximum length, in characters, of one header in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """An email. `head` contains From, To, Date and Subject in display order. `pictures` maps content ids to
    pictures."""

    head: Mapping[str, str]
    date: str | None = None
    html: str | None = None
    plain: str | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    attachments: Sequence[Attachment] = ()
    warnings: tuple[str, ...] = ()


def mail_steps(mail: Mail, depth: int, read_mail: Callable[[Attachment, int], Iterator[Step]]) -> Iterator[Step]:
    """Yield the steps of the email itself, then those of each attachment from its own reader. Raises
    UnreadableDocument."""
    subject = mail.head.get("Subject")
    about = About(
        title=subject,
        author=mail.head.get("From"),
        document_date=mail.date,
        titled_by_heading=False,
        warnings=list(mail.warnings),
    )
    document = ReadDocument()
    for step in steps_of(_elements(mail, about), about, separator="\n\n"):
        if isinstance(step, ReadDocument):
            document = step
        else:
            yield step
    warnings, outline = list(document.warnings), list(document.outline)
    for number, attachment in enumerate(mail.attachments[:_MAX_ATTACHMENTS], 1):
        outline.append(OutlineEntry(f"attachment: {attachment.name}", 1))
        try:
            if attachment.is_mail and depth >= _MAX_DEPTH:
                raise UnreadableDocument("it is nested too deeply in other mails")
            steps = read_mail(attachment, depth + 1) if attachment.is_mail else attachment_steps(attachment)
            for step in steps:
                if isinstance(step, ReadDocument):
                    warnings.extend(f"Attachment {attachment.name}: {each}" for each in step.warnings)
                else:
                    yield _in_mail(step, attachment.name, number) if isinstance(step, ReadBlock) else step
        except UnreadableDocument as error:
            warnings.append(f"Attachment {attachment.name} was not read: {error}.")
    if len(mail.attachments) > _MAX_ATTACHMENTS:
        warnings.append(f"Only the first {_MAX_ATTACHMENTS} of {len(mail.attachments)} attachments were read.")
    yield replace(document, warnings=tuple(warnings), outline=tuple(outline))


def _elements(mail: Mail, about: About) -> Elements:
    if subject := mail.head.get("Subject"):
        yield Heading(subject)
    head = [f"{name}: {clean(value)[:_MAX_HEADER]}" for name, value in mail.head.items() if value]
    if mail.attachments:
        head.append("Attachments: " + ", ".join(each.name for each in mail.attachments)[:_MAX_HEADER])
    if head:
        yield Paragraph("\n".join(head))
    if mail.html and mail.html.strip():
        yield from Flow(about, _pictures(mail)).elements(tree_of(mail.html))
    else:
        yield from body_elements(mail.plain or "")


def _pictures(mail: Mail) -> Callable[[str], bytes | None]:
    def picture(address: str) -> bytes | None:
        if address.lower().startswith("cid:"):
            return mail.pictures.get(address[4:])
        return data_picture(address)

    return picture


def _in_mail(block: ReadBlock, name: str, number: int) -> ReadBlock:
    """Return an attachment's block as a block of the email. Its page number goes into the heading, because the email
    has no such page."""
    at = f"attachment: {name}" + (f", page {block.page_number}" if block.page_number else "")
    return replace(
        block,
        place=f"a{number}-{block.place}",
        heading=" > ".join(filter(None, (at, block.heading))),
        page_number=None,
        page_label=None,
        bbox=None,
        start_line=None,
        end_line=None,
        char_start=None,
        char_end=None,
    )
