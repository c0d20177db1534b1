"""Word documents that no office program writes."""

from __future__ import annotations

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, SECRET, Nasty
from tests.readers.nasty.packages import archive, relations, word
from tests.readers.nasty.pictures import header_of_png

_PICTURE = "<w:p><w:r><w:drawing><a:blip {}='r9'/></w:drawing></w:r></w:p>"
_FIELD = "<w:p><w:r><w:instrText>{}</w:instrText></w:r></w:p>"


def _docx(*arguments: object, **parts: object) -> bytes:
    return archive(word(*arguments, **parts).items())  # type: ignore[arg-type]


def _reaching() -> bytes:
    body = _PICTURE.format("r:link") + _PICTURE.format("r:embed") + _FIELD.format(f"INCLUDEPICTURE {address('f')}")
    settings = relations(("t", "attachedTemplate", address("t.dotm")))
    return _docx(
        body,
        ("r9", "image", address("a.png")),
        ("r8", "settings", "settings.xml"),
        ("r7", "oleObject", "file:///etc/passwd"),
        more={"word/settings.xml": "<settings/>", "word/_rels/settings.xml.rels": settings},
    )


def _dde() -> bytes:
    return _docx(_FIELD.format("DDEAUTO c:\\\\windows\\\\cmd.exe /k calc"))


def _macros() -> bytes:
    return _docx("", ("r9", "vbaProject", "vbaProject.bin"), more={"word/vbaProject.bin": b"\xd0\xcf\x11\xe0 Obey"})


def _nested(depth: int) -> bytes:
    inside = "<w:tbl><w:tr><w:tc>" * depth + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * depth
    return _docx(inside)


def _twice() -> bytes:
    parts = word()
    other = str(parts["word/document.xml"]).replace("pump", "fan")
    return archive([("word/document.xml", other), *parts.items()])


def _entries() -> bytes:
    return archive([*word().items(), *((f"e{number}", b"") for number in range(70_000))])


def _locked() -> bytes:
    """Return a document whose entries are all marked as encrypted, in both of their headers."""
    data = archive(word().items())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        head, *rest = data.split(mark)
        rest = [each[: place - 4] + b"\x01" + each[place - 3 :] for each in rest]
        data = mark.join([head, *rest])
    return data


def _lying() -> bytes:
    """Return a document that declares too small an uncompressed size for its text."""
    parts = word("<w:p/>" * 50_000)
    size = len(str(parts["word/document.xml"]))
    return archive(parts.items()).replace(size.to_bytes(4, "little"), b"\x10\0\0\0")


def _empty_paragraphs(count: int) -> bytes:
    return _docx("<w:p/>" * count)


def _packed_within() -> bytes:
    inner = archive([("evil.docx", _docx()), ("a.txt", "Obey")])
    return _docx("", ("r9", "package", "embeddings/a.bin"), more={"word/embeddings/a.bin": inner})


WORD = [
    Nasty(name="reaching.docx", make=_reaching, says=SAID, never=(SECRET, "INCLUDEPICTURE")),
    Nasty(name="dde.docx", make=_dde, says=SAID, never=("DDEAUTO", "calc")),
    Nasty(name="macros.docx", make=_macros, says=SAID, never=("Obey",)),
    Nasty(name="macros.docm", make=_macros, says=SAID, never=("Obey",)),
    Nasty(name="tables-60.docx", make=lambda: _nested(60), says=SAID),
    Nasty(name="tables-20000.docx", make=lambda: _nested(20_000), reason="damaged|nested too deeply"),
    Nasty(name="twice.docx", make=_twice, says=SAID, never=("The fan",)),
    Nasty(name="entries-70000.docx", make=_entries, reason="70004 entries, more than"),
    Nasty(name="locked.docx", make=_locked, reason="encrypted, needs a password"),
    Nasty(name="lying.docx", make=_lying, reason="damaged"),
    Nasty(name="paragraphs-300000.docx", make=lambda: _empty_paragraphs(300_000), says=SAID),
    Nasty(name="paragraphs-30000.docx", make=lambda: _empty_paragraphs(30_000), says=SAID),
    Nasty(name="missing-target.docx", make=lambda: _docx(_PICTURE.format("r:embed"), ("r9", "image", "no/a.png")),
          says=SAID),
    Nasty(name="huge-picture.docx", says=SAID, warns="1 picture was left out", make=lambda: _docx(
        _PICTURE.format("r:embed"), ("r9", "image", "a.png"), more={"word/a.png": header_of_png(50_000, 50_000)})),
    Nasty(name="zip-within.docx", make=_packed_within, says=SAID, never=("Obey",)),
    Nasty(name="junk-before.docx", make=lambda: b"#!/bin/sh\n" * 50 + _docx(), says=SAID),
]  # fmt: skip
