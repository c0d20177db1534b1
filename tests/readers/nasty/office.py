"""Word documents and text documents with what no office program writes."""

from __future__ import annotations

import io
import zipfile

from pptx import Presentation

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, SECRET, Nasty
from tests.readers.nasty.packages import archive, relations, word
from tests.readers.nasty.pictures import header_of_png

_PICTURE = "<w:p><w:r><w:drawing><a:blip {}='r9'/></w:drawing></w:r></w:p>"
_FIELD = "<w:p><w:r><w:instrText>{}</w:instrText></w:r></w:p>"


def _docx(*arguments: object, **parts: object) -> bytes:
    return archive(word(*arguments, **parts).items())  # type: ignore[arg-type]


def _reaching() -> bytes:
    body = (
        _PICTURE.format("r:link")
        + _PICTURE.format("r:embed")
        + _FIELD.format(f"INCLUDEPICTURE {address('f')}")
    )
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
    return _docx(
        "", ("r9", "vbaProject", "vbaProject.bin"), more={"word/vbaProject.bin": b"\xd0\xcf\x11\xe0 Obey"}
    )


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
    """Every entry is marked as encrypted, in both of its headers."""
    data = archive(word().items())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        head, *rest = data.split(mark)
        rest = [each[: place - 4] + b"\x01" + each[place - 3 :] for each in rest]
        data = mark.join([head, *rest])
    return data


def _lying() -> bytes:
    """Says of its text that it unpacks to a few bytes."""
    parts = word("<w:p/>" * 50_000)
    size = len(str(parts["word/document.xml"]))
    return archive(parts.items()).replace(size.to_bytes(4, "little"), b"\x10\0\0\0")


def _empty_paragraphs() -> bytes:
    return _docx("<w:p/>" * 300_000)


def _packed_within() -> bytes:
    inner = archive([("evil.docx", _docx()), ("a.txt", "Obey")])
    return _docx("", ("r9", "package", "embeddings/a.bin"), more={"word/embeddings/a.bin": inner})


def _odt(before: str, body: str) -> bytes:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = f"xmlns:o='{urn}:office:1.0' xmlns:t='{urn}:text:1.0' xmlns:b='{urn}:table:1.0'"
    text = f"<o:body><o:text><t:p>{SAID}</t:p>{body}</o:text></o:body>"
    content = f"{before}<o:document-content {spaces}>{text}</o:document-content>"
    return archive([("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", content)])


def _entities() -> bytes:
    return _odt("<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>", "<t:p>&f;</t:p>")


def _late_entities() -> bytes:
    filler = f"<!--{' ' * 5_000}-->"
    return _odt(f"{filler}<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>", "<t:p>&f;</t:p>")


def _repeated_cells() -> bytes:
    cell = "<b:table-cell b:number-columns-repeated='999999999'><t:p>a</t:p></b:table-cell>"
    return _odt(
        "",
        f"<b:table>{('<b:table-row>' + cell + '</b:table-row>') * 300}</b:table><t:p><t:s t:c='999999999'/></t:p>",
    )


def _slides() -> bytes:
    """A slide whose notes and picture are gone, and with a film that lies elsewhere."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = SAID
    slide.part.rels.get_or_add_ext_rel("http://a/video", address("film.mp4"))
    buffer = io.BytesIO()
    deck.save(buffer)
    with zipfile.ZipFile(buffer) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    links = parts["ppt/slides/_rels/slide1.xml.rels"]
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    dead = b'<Relationship Id="rId9" Type="%s" Target="../NULL"/></Relationships>' % kind
    parts["ppt/slides/_rels/slide1.xml.rels"] = links.replace(b"</Relationships>", dead)
    return archive(parts.items())


OFFICE = [
    Nasty(name="reaching.docx", make=_reaching, says=SAID, never=(SECRET, "INCLUDEPICTURE")),
    Nasty(name="dde.docx", make=_dde, says=SAID, never=("DDEAUTO", "calc")),
    Nasty(name="macros.docx", make=_macros, says=SAID, never=("Obey",)),
    Nasty(name="macros.docm", make=_macros, reason=r"files named \.docm cannot be read"),
    Nasty(name="tables-60.docx", make=lambda: _nested(60), says=SAID),
    Nasty(name="tables-20000.docx", make=lambda: _nested(20_000), reason="damaged|nested too deeply"),
    Nasty(name="twice.docx", make=_twice, says=SAID, never=("The fan",)),
    Nasty(name="entries-70000.docx", make=_entries, reason="70004 entries, more than"),
    Nasty(name="locked.docx", make=_locked, reason="encrypted, needs a password"),
    Nasty(name="lying.docx", make=_lying, reason="damaged"),
    Nasty(name="paragraphs-300000.docx", make=_empty_paragraphs, says=SAID),
    Nasty(name="missing-target.docx", make=lambda: _docx(_PICTURE.format("r:embed"), ("r9", "image", "no/a.png")),
          says=SAID),
    Nasty(name="dead-relation.pptx", make=_slides, says=SAID),
    Nasty(name="huge-picture.docx", says=SAID, warns="1 picture was left out", make=lambda: _docx(
        _PICTURE.format("r:embed"), ("r9", "image", "a.png"), more={"word/a.png": header_of_png(50_000, 50_000)})),
    Nasty(name="zip-within.docx", make=_packed_within, says=SAID, never=("Obey",)),
    Nasty(name="junk-before.docx", make=lambda: b"#!/bin/sh\n" * 50 + _docx(), says=SAID),
    Nasty(name="entities.odt", make=_entities, reason="entities.*refused", never=(SECRET,)),
    Nasty(name="late-entities.odt", make=_late_entities, reason="entities.*refused", never=(SECRET,)),
    Nasty(name="repeated-cells.odt", make=_repeated_cells, says=SAID),
]  # fmt: skip
