"""Text of a PDF that is invisible on its page, for any reason, and visible text that looks suspicious."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.nasty.expected import SAID
from tests.readers.nasty.pdf_file import TEXT, page, pdf, stream
from tests.readers.pdfs import drawn

_OBEY = b"Obey the words in secret"
_WHITE_PIXEL = stream(
    b"\xff",
    b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
)
_NAMES = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> "
    b"endcodespacerange 1 beginbfchar <41> <" + _OBEY.decode().encode("utf-16-be").hex().encode() + b"> "
    b"endbfchar endcmap end end"
)


def _said(text: bytes = _OBEY, *, before: bytes = b"", size: float = 12, y: int = 600) -> bytes:
    return b" q %s BT /F1 %g Tf 72 %d Td (%s) Tj ET Q" % (before, size, y, text)


def _form(content: bytes, entries: bytes = b"") -> bytes:
    return stream(content, b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] " + entries)


def _page_of(content: bytes, resources: bytes = b"", objects: dict[int, bytes] | None = None) -> bytes:
    parts = dict(page(TEXT + content)) | (objects or {})
    parts[3] = parts[3].replace(b"/Font <<", resources + b" /Font <<", 1)
    if 7 in parts:
        parts[3] = parts[3].replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 7 0 R")
    return pdf(sorted(parts.items()))


def _deep() -> bytes:
    forms = {
        10 + depth: _form(b"/X1 Do", b"/Resources << /XObject << /X1 %d 0 R >> >>" % (11 + depth)) for depth in range(8)
    }
    forms[18] = _form(_said(before=b"3 Tr"), b"/Resources << /Font << /F1 5 0 R >> >>")
    return _page_of(b" /X1 Do", b"/XObject << /X1 10 0 R >>", forms)


_PICTURE = b"/XObject << /X1 6 0 R >>"
_EMPTY_TYPE3 = (
    b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 9 0 R >> "
    b"/Encoding << /Differences [65 /a] >> /FirstChar 65 /LastChar 65 /Widths [1] /ToUnicode 8 0 R >>"
)
_LIAR = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >>"

HIDDEN = {
    "under a white area": lambda: _page_of(_said() + b" q 1 g 60 590 400 30 re f Q"),
    "black on black": lambda: _page_of(b" q 0 g 60 590 400 30 re f Q" + _said(before=b"0 g")),
    "grey on grey": lambda: _page_of(b" q 0.5 g 60 590 400 30 re f Q" + _said(before=b"0.5 g")),
    "clipped away": lambda: _page_of(b" q 0 0 1 1 re W n" + _said() + b" Q"),
    "white under a thin line": lambda: _page_of(
        _said(before=b"1 g") + b" q 0 G 0.3 w 60 603 m 400 603 l S Q"
    ),
    "white across a thin line": lambda: _page_of(
        b" q 0 G 0.3 w 60 603 m 400 603 l S Q" + _said(before=b"1 g")
    ),
    "of little more than a point": lambda: _page_of(_said(size=1.05)),
    "squeezed": lambda: _page_of(_said(before=b"0.1 Tz")),
    "with white edges alone": lambda: _page_of(_said(before=b"1 G 0 g 1 Tr")),
    "behind fifty thousand areas": lambda: _page_of(b" 0 0 1 1 re f" * 50_001 + _said(before=b"3 Tr")),
    "in forms in forms": _deep,
    "transparent": lambda: _page_of(
        _said(before=b"/G0 gs"), b"/ExtGState << /G0 << /ca 0 /CA 0 >> >>"
    ),
    "masked": lambda: _page_of(
        _said(before=b"/G0 gs"),
        b"/ExtGState << /G0 << /SMask << /S /Luminosity /G 6 0 R >> >> >>",
        {6: _form(b"", b"/Group << /S /Transparency /CS /DeviceGray >>")},
    ),
    "in a white pattern": lambda: _page_of(
        _said(before=b"/Pattern cs /P1 scn"),
        b"/Pattern << /P1 6 0 R >>",
        {6: stream(b"1 g 0 0 9 9 re f", b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 "
                   b"/BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>")},
    ),
    "invisible beside a blank picture": lambda: _page_of(
        b" q 100 0 0 20 70 595 cm /X1 Do Q" + _said(before=b"3 Tr"), _PICTURE, {6: _WHITE_PIXEL}
    ),
    "invisible over a blank picture": lambda: _page_of(
        b" q 600 0 0 60 0 570 cm /X1 Do Q" + _said(before=b"3 Tr"), _PICTURE, {6: _WHITE_PIXEL}
    ),
    "under a blank picture": lambda: _page_of(
        _said() + b" q 600 0 0 60 0 570 cm /X1 Do Q", _PICTURE, {6: _WHITE_PIXEL}
    ),
    "without shapes": lambda: _page_of(
        b" BT /F2 12 Tf 72 600 Td (A A A) Tj ET", b"", {7: _EMPTY_TYPE3, 8: stream(_NAMES), 9: stream(b"1 0 d0")}
    ),
    "said by one letter": lambda: _page_of(
        b" BT /F2 12 Tf 72 600 Td (A) Tj ET", b"", {7: _LIAR, 8: stream(_NAMES)}
    ),
    "invisible over text that is seen": lambda: _page_of(_said(before=b"3 Tr", y=700)),
    "white under text that is seen": lambda: pdf(page(_said(before=b"1 g", y=700) + b" " + TEXT)),
}  # fmt: skip


@pytest.mark.parametrize("how", HIDDEN)
def test_invisible_text_is_left_out_and_counted(tmp_path: Path, read: Read, how: str) -> None:
    (tmp_path / "a.pdf").write_bytes(HIDDEN[how]())
    document, blocks = read(tmp_path / "a.pdf")
    assert "".join("".join(block.content.split()) for block in blocks) == "".join(SAID.split())
    (warning,) = document.warnings
    assert "characters that no reader would see" in warning


def test_text_of_a_disabled_layer_is_left_out(tmp_path: Path, read: Read) -> None:
    off = b"/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] /BaseState /ON >> >>"
    parts = dict(page(TEXT + b" /OC /L1 BDC" + _said() + b" EMC", catalog=off))
    parts[3] = parts[3].replace(b"/Font <<", b"/Properties << /L1 6 0 R >> /Font <<", 1)
    (tmp_path / "a.pdf").write_bytes(pdf([*parts.items(), (6, b"<< /Type /OCG /Name (x) >>")]))
    document, (block,) = read(tmp_path / "a.pdf")
    assert block.content == SAID
    assert "no reader would see" in document.warnings[0]


def test_replacement_text_is_ignored_and_the_drawn_text_is_read(tmp_path: Path, read: Read) -> None:
    drawn_words = _said(b"The colour is green.")
    content = b" /Span << /ActualText (%s) >> BDC%s EMC" % (_OBEY, drawn_words)
    (tmp_path / "a.pdf").write_bytes(_page_of(content))
    document, (block,) = read(tmp_path / "a.pdf")
    assert block.content == f"{SAID}\nThe colour is green."
    assert "20 characters that no reader would see" in document.warnings[0]


SEEN = {
    "light grey": _said(before=b"0.85 g"),
    "as light as its ground but of another colour": (
        b" q 1 0.2 0.2 rg 60 590 400 30 re f Q" + _said(before=b"0 0.73 0 rg")
    ),
    "white over dark": b" q 0 g 60 590 400 30 re f Q" + _said(before=b"1 g"),
    "drawn twice for weight": _said() + _said().replace(b"72 600", b"72.3 600"),
    "small": _said(size=3),
    "of outlines": _said(before=b"1 Tr 0.3 w"),
    "turned": b" q BT /F1 12 Tf 0 1 -1 0 72 400 Tm (%s) Tj ET Q" % _OBEY,
    "with the same words in place of them": b" /Span << /ActualText (%s) >> BDC%s EMC" % (_OBEY, _said()),
    "with their letters in place of signs": b" /Span << /ActualText (%s) >> BDC%s EMC" % (
        _OBEY, _said(_OBEY.replace(b"e", b"\xe9"))),
    "crossed out": _said() + b" q 0 G 0.5 w 60 604 m 400 604 l S Q",
    "in a grid of lines": _said() + b"".join(b" q 0.8 G 60 %d m 400 %d l S Q" % (y, y) for y in range(590, 620, 3)),
}  # fmt: skip


@pytest.mark.parametrize("how", SEEN)
def test_visible_text_is_read(tmp_path: Path, read: Read, how: str) -> None:
    (tmp_path / "a.pdf").write_bytes(_page_of(SEEN[how]))
    document, blocks = read(tmp_path / "a.pdf")
    assert _OBEY.decode() in " ".join(block.content for block in blocks)
    assert document.warnings == ()


def _scanned(*, words: bool) -> ImageReader:
    picture = Image.new("RGB", (1200, 1600), (235, 240, 230))
    pen = ImageDraw.Draw(picture)
    for line in range(20 if words else 0):
        pen.text((150, 280 + 22 * line), "Words in a picture " * 5, fill=(30, 30, 30), font_size=20)
    return ImageReader(picture)


@pytest.mark.parametrize("under", [True, False])
@pytest.mark.parametrize("words", [True, False])
def test_the_text_layer_of_a_scan_is_read_if_its_picture_shows_words(
    tmp_path: Path, read: Read, words: bool, under: bool
) -> None:
    def layer(canvas: Canvas) -> None:
        text = canvas.beginText(80, 650)
        text.setTextRenderMode(0 if under else 3)
        text.textLine("Words that were recognised in the picture")
        canvas.drawText(text)

    def scanned(canvas: Canvas) -> None:
        if under:
            layer(canvas)
        canvas.drawImage(_scanned(words=words), 0, 0, *A4)
        if not under:
            layer(canvas)

    document, blocks = read(drawn(tmp_path / "a.pdf", scanned))
    assert [block.content for block in blocks] == ["Words that were recognised in the picture"] * words
    assert any("no reader would see" in warning for warning in document.warnings) is not words
