"""Mail in the format of the internet (EML), parsed by the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from pathlib import Path
from typing import Any, cast

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decoded
from corpus.readers.files import file_bytes
from corpus.readers.mail.attachments import Attachment, named
from corpus.readers.mail.message import Mail, mail_steps
from corpus.readers.markup import iso_utc
from corpus.readers.steps import Step

_MOST_BYTES = 200_000_000
_LONGEST_HEADER = 20_000
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MALFORMED = (ValueError, LookupError, AttributeError, TypeError, AssertionError)


class _Bounded(EmailPolicy):
    """Reads no more than the start of a header: its parser needs the square of the length."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return super().header_fetch_parse(name, value[:_LONGEST_HEADER])


def _parsed(data: bytes) -> EmailMessage:
    return message_from_bytes(data, policy=cast(Any, _Bounded()))


def read_eml(path: Path) -> Iterator[Step]:
    """Head, body and attachments; UnreadableDocument when it is no mail or nested too deeply."""
    yield from read_message(file_bytes(path, _MOST_BYTES), 0)


def read_message(data: bytes, depth: int) -> Iterator[Step]:
    """The same for a mail that lies within `depth` others."""
    try:
        mail = mail_of(_parsed(data))
    except RecursionError as error:
        raise UnreadableDocument("its parts are nested too deeply") from error
    yield from mail_steps(mail, depth, read_attached)


def read_attached(attachment: Attachment, depth: int) -> Iterator[Step]:
    """A mail within a mail, of either format."""
    if attachment.suffix == ".msg":
        from corpus.readers.mail.msg import read_message as read_msg_message

        return read_msg_message(attachment.data, depth)
    return read_message(attachment.data, depth)


def mail_of(message: EmailMessage) -> Mail:
    """UnreadableDocument when nothing in it looks like a mail."""
    head = {name: said for name in _SHOWN if (said := _header(message, name))}
    if not head:
        raise UnreadableDocument("no mail although its name says so")
    html, plain = (_body(message, kind) for kind in ("html", "plain"))
    pictures = {key: data for key, data in _pictures(message) if f"cid:{key}" in (html or "")}
    shown = {id(data) for data in pictures.values()}
    return Mail(
        head=head,
        date=_date(message),
        html=html,
        plain=plain,
        pictures=pictures,
        attachments=[each for each in _attachments(message, set(pictures)) if id(each.data) not in shown],
    )


def _header(message: EmailMessage, name: str) -> str | None:
    try:
        return " ".join(", ".join(map(str, message.get_all(name, []))).split()) or None
    except _MALFORMED:
        return None


def _date(message: EmailMessage) -> str | None:
    try:
        return iso_utc(cast(Any, message["date"]).datetime)
    except _MALFORMED:
        return None


def _body(message: EmailMessage, kind: str) -> str | None:
    try:
        part = message.get_body((kind,))
        return None if part is None else _text(part)
    except _MALFORMED:
        return None


def _text(part: Any) -> str:
    try:
        return str(part.get_content())
    except _MALFORMED:  # an encoding that nobody knows
        return decoded(part.get_payload(decode=True) or b"")


def _pictures(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    for part in message.walk():
        key = str(part.get("content-id") or "").strip().strip("<>")
        if key and part.get_content_maintype() == "image":
            data = part.get_payload(decode=True)
            if isinstance(data, bytes):
                yield key, data


def _attachments(message: EmailMessage, shown: set[str]) -> Iterator[Attachment]:
    """What is no body and no picture within one."""
    bodies = [part for kind in ("html", "plain") if (part := message.get_body((kind,))) is not None]
    number = 0
    pending = [message]
    while pending:
        part = pending.pop(0)
        if part in bodies or str(part.get("content-id") or "").strip().strip("<>") in shown:
            continue
        if part.get_content_maintype() == "multipart":
            pending[:0] = [cast(EmailMessage, each) for each in part.iter_parts()]
        elif part.get_content_type() == "message/rfc822" or part.get_filename() or part is not message:
            number += 1
            yield _attachment(part, number)


def _attachment(part: EmailMessage, number: int) -> Attachment:
    if part.get_content_type() == "message/rfc822":
        inner = cast(EmailMessage, part.get_payload(0))
        name = named(_filename(part) or _header(inner, "Subject"), number)
        return Attachment(name if name.endswith(".eml") else f"{name}.eml", inner.as_bytes())
    data = part.get_payload(decode=True)
    suffix = {"text/plain": ".txt", "text/html": ".html"}.get(part.get_content_type(), "")
    return Attachment(named(_filename(part), number, suffix), data if isinstance(data, bytes) else b"")


def _filename(part: EmailMessage) -> str | None:
    try:
        return part.get_filename()
    except _MALFORMED:
        return None
