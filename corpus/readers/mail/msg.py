"""Mail as Outlook saves it (MSG)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oxmsg import Message

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decode
from corpus.readers.files import file_bytes
from corpus.readers.mail.attachments import Attachment, named
from corpus.readers.mail.eml import read_attached
from corpus.readers.mail.message import Mail, mail_steps
from corpus.readers.markup import iso_utc
from corpus.readers.steps import Step

_MOST_BYTES = 200_000_000
_HTML = 0x1013
_MALFORMED = (
    OSError,
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
    AssertionError,
    struct.error,
    RecursionError,
)


def read_msg(path: Path) -> Iterator[Step]:
    """Head, body and attachments; UnreadableDocument when it is damaged or no MSG."""
    yield from read_message(file_bytes(path, _MOST_BYTES), 0)


def read_message(data: bytes, depth: int) -> Iterator[Step]:
    """The same for a mail that lies within `depth` others."""
    try:
        mail = _mail(Message.load(data))
    except _MALFORMED as error:
        raise UnreadableDocument("damaged: it cannot be read as an MSG") from error
    yield from mail_steps(mail, depth, read_attached)


def _mail(message: Message) -> Mail:
    headers = {name.title(): " ".join(str(said).split()) for name, said in message.message_headers.items()}
    names = [f"{one.name} <{one.email_address}>" for one in message.recipients]
    date = iso_utc(message.sent_date)
    head = {
        "From": message.sender,
        "To": headers.get("To") or ", ".join(names),
        "Cc": headers.get("Cc"),
        "Date": headers.get("Date") or date,
        "Subject": message.subject,
    }
    attachments, lost = [], []
    for number, each in enumerate(message.attachments, 1):
        name = named(each.file_name, number)
        data = each.file_bytes
        if data is None:
            lost.append(f"Attachment {name} was not read: it is no file of its own.")
        else:
            attachments.append(Attachment(name, data))
    return Mail(
        head={name: said for name, said in head.items() if said},
        date=date,
        html=_html(message),
        plain=message.body,
        attachments=attachments,
        warnings=tuple(lost),
    )


def _html(message: Any) -> str | None:
    """Decoded as the page says of itself where the mail's own encoding does not fit."""
    try:
        html: str | None = message.html_body
    except _MALFORMED:
        data = message.properties.binary_prop_value(_HTML)
        html = decode(data).text if data else None
    return html
