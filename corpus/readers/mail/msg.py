"""Outlook's mail files (MSG)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oxmsg import Message

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decode
from corpus.readers.files import file_bytes
from corpus.readers.mail.eml import read_attached
from corpus.readers.mail.message import Attachment, Mail, display_name, mail_steps
from corpus.readers.markup import iso_utc
from corpus.readers.protocol import Step

_MAX_BYTES = 200_000_000
"""Maximum size of a file in bytes, the same as for EML."""
_HTML = 0x1013
"""The property PidTagHtml of MS-OXPROPS."""
_MALFORMED = (
    OSError, ValueError, LookupError, AttributeError, TypeError, AssertionError, struct.error, RecursionError,
)  # fmt: skip


def read_msg(path: Path) -> Iterator[Step]:
    """Yield head, body and attachments. Raises UnreadableDocument if it is damaged or not an MSG file."""
    yield from read_message(file_bytes(path, _MAX_BYTES), 0)


def read_message(data: bytes, depth: int) -> Iterator[Step]:
    """Yield the steps of a mail nested in `depth` others. Raises the errors of `read_msg`."""
    try:
        mail = _mail(Message.load(data))
    except _MALFORMED as error:
        raise UnreadableDocument("damaged: it cannot be read as an MSG") from error
    yield from mail_steps(mail, depth, read_attached)


def _mail(message: Message) -> Mail:
    headers = {name.title(): " ".join(str(value).split()) for name, value in message.message_headers.items()}
    names = [f"{recipient.name} <{recipient.email_address}>" for recipient in message.recipients]
    date = iso_utc(message.sent_date)
    head = {
        "From": message.sender,
        "To": headers.get("To") or ", ".join(names),
        "Cc": headers.get("Cc"),
        "Date": headers.get("Date") or date,
        "Subject": message.subject,
    }
    attachments, warnings = [], []
    for number, each in enumerate(message.attachments, 1):
        name = display_name(each.file_name, number)
        data = each.file_bytes
        if data is None:
            warnings.append(f"Attachment {name} was not read: it is not a separate file.")
        else:
            attachments.append(Attachment(name, data))
    return Mail(
        head={name: value for name, value in head.items() if value},
        date=date,
        html=_html(message),
        plain=message.body,
        attachments=attachments,
        warnings=tuple(warnings),
    )


def _html(message: Any) -> str | None:
    """Return the HTML body, decoded as the page declares if the mail's own encoding fails."""
    try:
        html: str | None = message.html_body
    except _MALFORMED:
        data = message.properties.binary_prop_value(_HTML)
        html = decode(data).text if data else None
    return html
