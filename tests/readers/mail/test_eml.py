"""Mail: its header, its body as shown, and its attachments, read by their own readers."""

from __future__ import annotations

import io
from email.message import EmailMessage
from pathlib import Path

import pytest
from docx import Document

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture
from tests.readers.pdfs import drawn, lines


@pytest.fixture
def mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ann <ann@example.com>", "Bob <bob@example.com>"
    mail["Subject"], mail["Date"] = "Pümpe", "Fri, 16 Dec 2022 17:04:16 -0500"
    mail.set_content("Please see the file.\n\nAnn")
    return mail


def saved(mail: EmailMessage, folder: Path) -> Path:
    (folder / "a.eml").write_bytes(mail.as_bytes())
    return folder / "a.eml"


def test_the_header_is_read_and_yields_title_author_and_date(tmp_path: Path, mail: EmailMessage, read: Read) -> None:
    document, blocks = read(saved(mail, tmp_path))
    assert (document.title, document.author) == ("Pümpe", "Ann <ann@example.com>")
    assert document.document_date == "2022-12-16T22:04:16+00:00"
    assert blocks[0].content.splitlines() == [
        "Pümpe", "", "From: Ann <ann@example.com>", "To: Bob <bob@example.com>",
        "Date: Fri, 16 Dec 2022 17:04:16 -0500", "Subject: Pümpe", "", "Please see the file.", "", "Ann",
    ]  # fmt: skip


def test_the_shown_body_is_read_with_its_pictures(tmp_path: Path, mail: EmailMessage, read: Read) -> None:
    mail.add_alternative("<p>See <b>this</b>:</p><img src='cid:p1' alt='The impeller'>", subtype="html")
    mail.get_payload()[1].add_related(drawn_picture(), "image", "png", cid="<p1>")  # type: ignore[union-attr, index]
    _, blocks = read(saved(mail, tmp_path))
    assert blocks[0].content.endswith("See this:")
    assert [(block.block_type, block.image_caption) for block in blocks[1:]] == [("image", "The impeller")]


def test_attachments_are_read_by_their_own_readers_and_kept_separate(
    tmp_path: Path, mail: EmailMessage, read: Read
) -> None:
    word = Document()
    word.add_heading("Chapter", 1)
    word.add_paragraph("In the file.")
    buffer = io.BytesIO()
    word.save(buffer)
    pdf = drawn(tmp_path / "p.pdf", lines("On the first page")).read_bytes()
    mail.add_attachment(buffer.getvalue(), "application", "octet-stream", filename="../../etc/a.docx")
    mail.add_attachment(pdf, "application", "pdf", filename="p.pdf")
    mail.add_attachment(b"PK", "application", "zip", filename="all.zip")
    document, blocks = read(saved(mail, tmp_path))
    assert "Attachments: ../../etc/a.docx, p.pdf, all.zip" in blocks[0].content
    assert [(block.place, block.heading, block.content, block.page_number) for block in blocks[1:]] == [
        ("a1-e1", "attachment: ../../etc/a.docx > Chapter", "Chapter\nIn the file.", None),
        ("a2-p1-1", "attachment: p.pdf, page 1", "On the first page", None),
    ]
    assert document.warnings == ("Attachment all.zip was not read: files named .zip cannot be read.",)


def test_mails_within_mails_are_read_to_a_maximum_depth(tmp_path: Path, mail: EmailMessage, read: Read) -> None:
    for level in range(6):
        outer = EmailMessage()
        outer["Subject"] = f"Level {level}"
        outer.set_content("See below.")
        outer.add_attachment(mail)
        mail = outer
    document, blocks = read(saved(mail, tmp_path))
    assert len(blocks) == 4
    assert "too deep" in document.warnings[-1]
    assert (blocks[1].heading or "").startswith("attachment: Level 4.eml > ")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\n\nnothing", "not a mail"),
        (b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n", None),
        (b"Subject: a\nContent-Type: text/plain; charset=no-such\n\nGr\xfc\xdfe", None),
    ],
)
def test_an_invalid_mail_is_refused_and_an_odd_one_is_read(
    tmp_path: Path, read: Read, data: bytes, reason: str | None
) -> None:
    (tmp_path / "a.eml").write_bytes(data)
    if reason is None:
        assert read(tmp_path / "a.eml")[0].title == "a"
        return
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.eml")


def test_endlessly_nested_parts_affect_only_the_mail(tmp_path: Path, read: Read) -> None:
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3000))
    (tmp_path / "a.eml").write_bytes(b"Subject: a\n" + parts.encode())
    with pytest.raises(UnreadableDocument, match="nested"):
        read(tmp_path / "a.eml")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("Subject: Brücke".encode(), "Größere Boote".encode()),
        ("Subject: Brücke".encode("cp1252"), "Größere Boote".encode("cp1252")),
        (b"Subject: =?x-unknown?Q?Br=FCcke?=", "Größere Boote".encode("cp1252")),
        (b"Subject: =?us-ascii?B?QnLDvGNrZQ==?=\nContent-Type: text/plain; charset=us-ascii", "Größere Boote".encode()),
        (b"Subject: =?utf-8?Q?Br=C3=BCcke?=\nContent-Type: text/plain; charset=x-none", "Größere Boote".encode()),
        ("Subject: Brücke\nContent-Type: text/plain; charset=iso-8859-1".encode(), "Größere Boote".encode()),
    ],
)  # fmt: skip
def test_a_mail_without_a_valid_charset_keeps_its_characters(
    tmp_path: Path, read: Read, head: bytes, body: bytes
) -> None:
    (tmp_path / "a.eml").write_bytes(b"From: a@example.org\n" + head + b"\n\n" + body + b"\n")
    document, blocks = read(tmp_path / "a.eml")
    assert document.title == "Brücke"
    assert "Größere Boote" in blocks[0].content


def test_mails_in_a_mailbox_are_sections(tmp_path: Path, read: Read) -> None:
    mails = [f"From: a@example.org\nSubject: Ferry {n}\n\nIt leaves at {n}.\n>From here on foot.\n" for n in (6, 7)]
    (tmp_path / "a.mbox").write_text(
        "".join(f"From a@example.org Tue Jun  2 08:00:00 2026\n{mail}\n" for mail in mails)
    )
    document, blocks = read(tmp_path / "a.mbox")
    assert [(block.heading, "From here" in block.content) for block in blocks] == [
        ("Ferry 6", True),
        ("Ferry 7", True),
    ]
    assert [entry.title for entry in document.outline] == ["Ferry 6", "Ferry 7"]
    assert len({block.place for block in blocks}) == 2


def test_an_outlook_wrapper_is_reported(tmp_path: Path, read: Read) -> None:
    message = EmailMessage()
    message["Subject"] = "Walk"
    message.set_content("Please come.")
    message.add_attachment(b"\x78\x9f\x3e\x22", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    (tmp_path / "a.eml").write_bytes(message.as_bytes())
    assert "winmail.dat was not read: Outlook's own format" in read(tmp_path / "a.eml")[0].warnings[0]


def test_a_subject_in_undeclared_bytes_is_read_even_if_the_mail_claims_ascii(tmp_path: Path, read: Read) -> None:
    mail = (
        "From: a@example.com\r\nSubject: Причал закрыт\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n"
        "Причал закрыт до девятого июня, лодка ждёт у моста.\r\n"
    )
    (tmp_path / "a.eml").write_bytes(mail.encode("koi8-r"))
    document, _ = read(tmp_path / "a.eml")
    assert document.title == "Причал закрыт"
    assert "a guess" in document.warnings[0]
