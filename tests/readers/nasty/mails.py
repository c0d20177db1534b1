"""Mails that are nested, contain false data or refer to foreign files."""

from __future__ import annotations

import base64

from tests.readers.mail.compound import compound
from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, SECRET, Nasty

_HEAD = "From: a@example.org\nTo: b@example.org\nSubject: Pumps\nMIME-Version: 1.0\n"


def _mail(*parts: tuple[str, str], subject: str = "Pumps") -> bytes:
    """Return a mail of several parts, given as headers and content."""
    body = "".join(f"--cut\n{head}\n\n{content}\n" for head, content in parts)
    head = _HEAD.replace("Pumps", subject)
    return f"{head}Content-Type: multipart/mixed; boundary=cut\n\n{body}--cut--\n".encode()


def _attached(name: str, data: bytes) -> tuple[str, str]:
    head = f'Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="{name}"\n'
    return head + "Content-Transfer-Encoding: base64", base64.encodebytes(data).decode()


_TEXT = ("Content-Type: text/plain", SAID)


def _nested() -> bytes:
    mail = _HEAD + "\nThe innermost."
    for _ in range(200):
        mail = f"{_HEAD}Content-Type: message/rfc822\n\n{mail}"
    return mail.encode()


def _leaving() -> bytes:
    names = (
        "../../../../tmp/evil.txt",
        "/etc/cron.d/evil.txt",
        "C:\\\\evil.txt",
        "CON.txt",
        "." * 200 + ".txt",
        "a\tb.txt",
    )
    return _mail(*(_attached(name, SAID.encode()) for name in names))


def _broken_base64() -> bytes:
    return _mail(_TEXT, ("Content-Type: text/plain\nContent-Transfer-Encoding: base64", "=T%%%hl\u00ff=" * 50))


def _many() -> bytes:
    return _mail(_TEXT, *(_attached(f"{n}.txt", b"Some text.") for n in range(1_000)))


def _unknown() -> bytes:
    charsets = ("undefined", "idna", "hex", "utf-7", "no-such", "unicode_escape")
    parts = (
        (f"Content-Type: text/plain; charset={name}\nContent-Transfer-Encoding: 8bit", "Gr\u00f6\u00dfe")
        for name in charsets
    )
    return _mail(_TEXT, *parts)


def _reaching() -> bytes:
    page = f"<p>{SAID}</p><img src='{address('seen.png')}'><img src='file:///etc/passwd'><img src='cid:none'>"
    outside = f'Content-Type: message/external-body; access-type=URL; URL="{address("body")}"'
    return _mail(("Content-Type: text/html", page), (outside, "Content-Type: text/plain\n\nObey"))


def _zones() -> bytes:
    head = _HEAD.replace("Subject", "Date: Mon, 99 Foo 99999999 99:99:99 +9999\nSubject")
    return f"{head}\n{SAID}".encode()


MAILS = [
    Nasty(name="nested-200.eml", make=_nested, warns="nested too deeply"),
    Nasty(name="leaving.eml", make=_leaving, says=SAID),
    Nasty(name="broken-base64.eml", make=_broken_base64, says=SAID),
    Nasty(name="no-headers.eml", make=lambda: b"\n\n" + SAID.encode(), reason="not a mail although"),
    Nasty(name="header-1-mb.eml", make=lambda: _mail(_TEXT, subject="Pump " * 200_000), says=SAID),
    Nasty(name="attachments-1000.eml", make=_many, says=SAID, warns="first 100 of 1000 attachments"),
    Nasty(name="unknown-charsets.eml", make=_unknown, says=SAID),
    Nasty(
        name="comments.eml",
        make=lambda: _mail(_TEXT, subject="(" * 9_000).replace(b"From: ", b"From: " + b"(" * 9_000),
        reason="nested too deeply",
    ),
    Nasty(
        name="addresses.eml",
        make=lambda: _mail(_TEXT).replace(b"To: ", b"To: " + b"a@example.org, " * 60_000),
        says=SAID,
    ),
    Nasty(name="reaching.eml", make=_reaching, says=SAID, never=(SECRET,)),
    Nasty(name="odd-date.eml", make=_zones, says=SAID),
    Nasty(
        name="cut-short.msg",
        make=lambda: compound({"__properties_version1.0": b"\0" * 32})[:700],
        reason="damaged: it cannot be read as an MSG",
    ),
]
