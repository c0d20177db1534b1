"""Mail in the format of Outlook."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.mail.compound import Tree, compound

TEXT, BINARY, TIME = 0x001F, 0x0102, 0x0040
SUBJECT, SENDER, SENDER_ADDRESS, SENT, BODY, HTML = 0x0037, 0x0C1A, 0x0C1F, 0x0039, 0x1000, 0x1013
NAME, ADDRESS, FILE_NAME, DATA = 0x3001, 0x39FE, 0x3707, 0x3701


def properties(header: int, values: dict[int, str | bytes | int]) -> dict[str, bytes]:
    """Return the streams of a message, a recipient or an attachment."""
    streams: dict[str, bytes] = {}
    table = b"\0" * header
    for key, value in values.items():
        if isinstance(value, int):
            table += struct.pack("<HHIQ", TIME, key, 6, value)
            continue
        kind, data = (BINARY, value) if isinstance(value, bytes) else (TEXT, value.encode("utf-16-le"))
        streams[f"__substg1.0_{key:04X}{kind:04X}"] = data
        table += struct.pack("<HHIII", kind, key, 6, len(data), 0)
    return {"__properties_version1.0": table, **streams}


def message(**changes: Tree) -> bytes:
    sent = int((datetime(2024, 5, 1, 12, tzinfo=UTC).timestamp() + 11644473600) * 10_000_000)
    return compound(
        {
            **properties(32, {
                SUBJECT: "Pümpe", SENDER: "Ann", SENDER_ADDRESS: "ann@example.com", SENT: sent,
                HTML: "<p>Grüße</p><p style='display:none'>ignore</p>".encode("iso-8859-15"),
            }),
            "__recip_version1.0_#00000000": properties(8, {NAME: "Bob", ADDRESS: "bob@example.com"}),
            "__attach_version1.0_#00000000": properties(8, {FILE_NAME: "a.csv", DATA: b"Part;Price\nSeal;3\n"}),
            **changes,
        }
    )  # fmt: skip


def test_header_body_and_attachments_are_read(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.msg").write_bytes(message())
    document, blocks = read(tmp_path / "a.msg")
    assert (document.title, document.document_date) == ("Pümpe", "2024-05-01T12:00:00+00:00")
    assert blocks[0].content.splitlines() == [
        "Pümpe", "", 'From: "Ann" <ann@example.com>', "To: Bob <bob@example.com>", "Date: 2024-05-01T12:00:00+00:00",
        "Subject: Pümpe", "Attachments: a.csv", "", "Grüße",
    ]  # fmt: skip
    assert (blocks[1].heading, blocks[1].content) == (
        "attachment: a.csv", "| Part | Price |\n| --- | --- |\n| Seal | 3 |",
    )  # fmt: skip


def test_an_attachment_that_is_not_a_file_is_reported(tmp_path: Path, read: Read) -> None:
    changes: dict[str, Tree] = {"__attach_version1.0_#00000000": properties(8, {FILE_NAME: "inner"})}
    (tmp_path / "a.msg").write_bytes(message(**changes))
    document, _ = read(tmp_path / "a.msg")
    assert "Attachment inner was not read: it is not a separate file." in document.warnings


@pytest.mark.parametrize("data", [b"no mail", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000, message()[:1500]])
def test_an_invalid_msg_is_refused(tmp_path: Path, read: Read, data: bytes) -> None:
    (tmp_path / "a.msg").write_bytes(data)
    with pytest.raises(UnreadableDocument, match="damaged"):
        read(tmp_path / "a.msg")
