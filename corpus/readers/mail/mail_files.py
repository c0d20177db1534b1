"""Mail files: Internet mail (EML) and mailboxes (mbox), which the standard library parses, and Outlook mail (MSG)."""

from __future__ import annotations

import base64
import quopri
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from corpus.documents.document import OutlineEntry
from corpus.errors import UnreadableDocument
from corpus.readers.decoding import Decoded, decode
from corpus.readers.mail.message import Attachment, Mail, display_name, mail_steps
from corpus.readers.mail.plain_body import unflow
from corpus.readers.markup import iso_utc
from corpus.readers.pinned_file import file_bytes
from corpus.readers.protocol import ReadBlock, ReadDocument, Step

if TYPE_CHECKING:
    from oxmsg import Message

_MAX_BYTES = 200_000_000
"""Maximum size of a file in bytes. Mail servers accept messages of 25 to 150 MB; the parser keeps several copies of a
message in memory."""
_MAX_MAILS = 20_000
"""Maximum number of messages read from a mailbox; further messages are omitted with a warning."""
_MAX_WARNINGS = 100
"""Maximum number of warnings for a mailbox."""
_MAX_HEADER = 20_000
"""Maximum length of a header in characters, because the parser takes quadratic time."""
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MALFORMED = (ValueError, LookupError, AttributeError, TypeError, AssertionError)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_WORD = re.compile(r"=\?([\w\-:.]{1,40})(?:\*[\w\-]*)?\?([bBqQ])\?([^?\s]{0,2000})\?=")
_MAIL_START = re.compile(rb"^From (?=[^\r\n]*\d{4})[^\r\n]*+\r?\n", re.MULTILINE)
"""The line that starts each message in an mbox file; it ends with a date."""
_SUFFIXES = {"text/plain": ".txt", "text/html": ".html", "text/calendar": ".ics"}


class _Bounded(EmailPolicy):
    """Policy that parses only the start of a long header, because the parser takes quadratic time."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        value = value[:_MAX_HEADER]
        if not value.isascii():
            value = decode(value.encode("utf-8", "surrogateescape")).text
        return super().header_fetch_parse(name, _WORD.sub(_mend_word, value))


def _mend_word(match: re.Match[str]) -> str:
    """Re-encode an encoded word as UTF-8 if its charset is unknown or incorrect."""
    charset, kind, text = match[1], match[2].upper(), match[3]
    try:
        data = base64.b64decode(text + "==") if kind == "B" else quopri.decodestring(text, header=True)
        if str(data, charset).isascii() or charset.lower() == "utf-8":
            return match[0]
    except (LookupError, ValueError):
        if kind == "B" and not re.fullmatch(r"[A-Za-z0-9+/=]*", text):
            return match[0]
    utf_8 = decode(data, charset).text.encode()
    return f"=?utf-8?B?{base64.b64encode(utf_8).decode()}?="


def _parse(data: bytes) -> tuple[EmailMessage, tuple[str, ...]]:
    """Parse a message; return it with warnings about its header. All header lines are decoded together, because a
    single line has too little text to guess its encoding."""
    end = match.start() if (match := _HEAD_END.search(data)) else len(data)
    head, warnings = decode(data[:end]) if not data[:end].isascii() else Decoded("")
    if head:
        data = head.encode() + data[end:]
    return message_from_bytes(data, policy=cast(Any, _Bounded())), warnings


def read_eml(path: Path) -> Iterator[Step]:
    """Yield header, body and attachments. Raises UnreadableDocument if the file is not an email or is nested too
    deeply."""
    yield from read_message(file_bytes(path, _MAX_BYTES), 0)


def read_mbox(path: Path) -> Iterator[Step]:
    """Yield the messages one after another, each under its subject. Raises UnreadableDocument if there are none."""
    data = file_bytes(path, _MAX_BYTES)
    starts = list(_MAIL_START.finditer(data))
    if not starts or data[: starts[0].start()].strip():
        raise UnreadableDocument("not a mailbox although its name says so")
    ends = [*(start.start() for start in starts[1:]), len(data)]
    warnings, outline, document = list[str](), list[OutlineEntry](), ReadDocument()
    for number, (start, end) in enumerate(zip(starts[:_MAX_MAILS], ends, strict=False), 1):
        mail = re.sub(rb"(?m)^>(>*From )", rb"\1", data[start.end() : end])
        try:
            for step in read_message(mail, 1):
                if isinstance(step, ReadBlock):
                    yield replace(step, place=f"m{number}-{step.place}")
                elif isinstance(step, ReadDocument):
                    document = replace(document, language=document.language or step.language)
                    outline.append(OutlineEntry(step.title or f"mail {number}", 1))
                    warnings.extend(f"Mail {number}: {each}" for each in step.warnings)
                else:
                    yield step
        except UnreadableDocument as error:
            warnings.append(f"Mail {number} was not read: {error}.")
    if len(starts) > _MAX_MAILS:
        warnings.insert(0, f"Only the first {_MAX_MAILS} of {len(starts)} mails were read.")
    if len(warnings) > _MAX_WARNINGS:
        warnings[_MAX_WARNINGS:] = [f"{len(warnings) - _MAX_WARNINGS} more such warnings."]
    yield replace(document, warnings=tuple(warnings), outline=tuple(outline))


def read_message(data: bytes, depth: int) -> Iterator[Step]:
    """Yield the steps of a message that is nested in `depth` other messages. Raises the errors of `read_eml`."""
    try:
        message, warnings = _parse(data)
        mail = mail_of(message)
    except RecursionError as error:
        raise UnreadableDocument("its parts are nested too deeply") from error
    mail = replace(mail, warnings=tuple(dict.fromkeys((*warnings, *mail.warnings))))
    yield from mail_steps(mail, depth, read_attached)


def read_attached(attachment: Attachment, depth: int) -> Iterator[Step]:
    """Yield the steps of a message attached to another message, in either format."""
    if attachment.suffix == ".msg":
        return read_msg_message(attachment.data, depth)
    return read_message(attachment.data, depth)


def mail_of(message: EmailMessage) -> Mail:
    """Convert a parsed message. Raises UnreadableDocument if it has no email header."""
    head = {name: value for name in _SHOWN if (value := _header(message, name))}
    if not head:
        raise UnreadableDocument("not a mail although its name says so")
    html, plain = (_body(message, kind) for kind in ("html", "plain"))
    pictures = {key: data for key, data in _pictures(message) if f"cid:{key}" in html.text}
    used = {id(data) for data in pictures.values()}
    return Mail(
        head=head,
        date=_date(message),
        html=html.text or None,
        plain=plain.text or None,
        pictures=pictures,
        attachments=[each for each in _attachments(message, set(pictures)) if id(each.data) not in used],
        warnings=html.warnings if html.text.strip() else plain.warnings,
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


def _body(message: EmailMessage, kind: str) -> Decoded:
    try:
        part = message.get_body((kind,))
        return Decoded("") if part is None else _text(part)
    except _MALFORMED:
        return Decoded("")


def _text(part: Any) -> Decoded:
    """Decode a part. Use its declared charset only if the bytes are not UTF-8, because programs often declare a charset
    other than the one they use."""
    data = part.get_payload(decode=True)
    decoded = decode(data if isinstance(data, bytes) else b"", _charset(part))
    if str(part.get_param("format", "")).lower() != "flowed":
        return decoded
    deletes_spaces = str(part.get_param("delsp", "")).lower() == "yes"
    return decoded._replace(text=unflow(decoded.text, deletes_spaces=deletes_spaces))


def _charset(part: Any) -> str | None:
    try:
        return cast("str | None", part.get_content_charset())
    except _MALFORMED:
        return None


def _pictures(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    for part in message.walk():
        key = str(part.get("content-id") or "").strip().strip("<>")
        if key and part.get_content_maintype() == "image":
            data = part.get_payload(decode=True)
            if isinstance(data, bytes):
                yield key, data


def _attachments(message: EmailMessage, used: set[str]) -> Iterator[Attachment]:
    """Yield the parts that are neither a body nor an embedded picture. An invitation counts as an attachment, but its
    copies are skipped."""
    bodies = [part for kind in ("html", "plain") if (part := message.get_body((kind,))) is not None]
    number, invitations = 0, set[bytes]()
    pending = [message]
    while pending:
        part = pending.pop(0)
        if part in bodies or str(part.get("content-id") or "").strip().strip("<>") in used:
            continue
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart":
            pending[:0] = [cast(EmailMessage, each) for each in part.iter_parts()]
        elif kind in ("message/rfc822", "text/calendar") or part.get_filename() or part is not message:
            attachment = _attachment(part, number + 1)
            if attachment.suffix == ".ics":
                if (content := b"".join(attachment.data.split())) in invitations:
                    continue
                invitations.add(content)
            number += 1
            yield attachment


def _attachment(part: EmailMessage, number: int) -> Attachment:
    if part.get_content_type() == "message/rfc822":
        inner = cast(EmailMessage, part.get_payload(0))
        name = display_name(_filename(part) or _header(inner, "Subject"), number)
        return Attachment(name if name.endswith(".eml") else f"{name}.eml", inner.as_bytes())
    data = part.get_payload(decode=True)
    suffix = _SUFFIXES.get(part.get_content_type(), "")
    attachment = Attachment(
        display_name(_filename(part), number, suffix),
        data if isinstance(data, bytes) else b"",
        _charset(part),
    )
    if suffix == ".ics" != attachment.suffix:
        attachment = replace(attachment, name=f"{attachment.name}.ics")
    return attachment


def _filename(part: EmailMessage) -> str | None:
    try:
        return part.get_filename()
    except _MALFORMED:
        return None


_HTML = 0x1013
"""Number of the property PidTagHtml in MS-OXPROPS."""
_MALFORMED_MSG = (
    OSError, ValueError, LookupError, AttributeError, TypeError, AssertionError, struct.error, RecursionError,
)  # fmt: skip


def read_msg(path: Path) -> Iterator[Step]:
    """Yield header, body and attachments. Raises UnreadableDocument if the file is damaged or not an MSG file."""
    yield from read_msg_message(file_bytes(path, _MAX_BYTES), 0)


def read_msg_message(data: bytes, depth: int) -> Iterator[Step]:
    """Yield the steps of a message that is nested in `depth` other messages. Raises the errors of `read_msg`."""
    from oxmsg import Message

    try:
        mail = _mail(Message.load(data))
    except _MALFORMED_MSG as error:
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
    """Return the HTML body. If decoding it in the message's own encoding fails, decode it as the page declares."""
    try:
        html: str | None = message.html_body
    except _MALFORMED_MSG:
        data = message.properties.binary_prop_value(_HTML)
        html = decode(data).text if data else None
    return html
