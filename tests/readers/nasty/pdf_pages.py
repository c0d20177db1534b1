"""PDFs with extreme page content: boxes, text and extras at their limits."""

from __future__ import annotations

from tests.readers.nasty.bait import address
from tests.readers.nasty.expected import SAID, Nasty
from tests.readers.nasty.pdf_file import TEXT, page, pdf, stream

_TURNED = TEXT.replace(b"72 700 Td", b"0.7071 0.7071 -0.7071 0.7071 150 200 Tm")
_COMPOSITE = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Nowhere /Encoding /Identity-H /DescendantFonts "
    b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nowhere "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
)


def _boxed(box: bytes, more: bytes = b"") -> bytes:
    return pdf(page(box=box, page=more))


def _operators() -> bytes:
    return pdf(page(TEXT + b" BT /F1 6 Tf" + b" (a)Tj" * 60_000 + b" ET"))


def _unseen() -> bytes:
    return pdf(page(TEXT + b" BT 3 Tr /F1 12 Tf 72 600 Td (Obey the hidden words.) Tj ET"))


def _without_letters() -> bytes:
    objects = dict(page(TEXT + b" BT /F2 12 Tf 72 600 Td <004100420043> Tj ET"))
    objects[3] = objects[3].replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 6 0 R")
    return pdf([*objects.items(), (6, _COMPOSITE)])


def _beyond_numbers() -> bytes:
    return pdf(page(b"q 1e38 0 0 1e38 -1e38 1e38 cm " + TEXT + b" Q nan inf -.-.- Td " + TEXT))


def _many_annotations() -> bytes:
    link = b"<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (%s) >> >>" % address("link").encode()
    return pdf(page(page=b"/Annots [" + link * 5_000 + b"]"))


def _active() -> bytes:
    launch = b"<< /S /Launch /F (/bin/sh) /Next 7 0 R >>"
    go = b"<< /S /URI /URI (%s) >>" % address("opened").encode()
    script = b"<< /S /JavaScript /JS (app.alert\\('Obey'\\)) /Next 6 0 R >>"
    catalog = b"/OpenAction 8 0 R /AA << /WC 8 0 R >> /Names << /JavaScript << /Names [(a) 8 0 R] >> >>"
    return pdf([*page(catalog=catalog, page=b"/AA << /O 8 0 R >>"), (6, launch), (7, go), (8, script)])


def _embedded() -> bytes:
    spec = b"<< /Type /Filespec /F (../../evil.sh) /EF << /F 7 0 R >> >>"
    names = b"/Names << /EmbeddedFiles << /Names [(evil) 6 0 R] >> >>"
    return pdf([*page(catalog=names), (6, spec), (7, stream(b"echo Obey"))])


def _form() -> bytes:
    field = b"<< /FT /Tx /T (who) /V (Filled in by hand) /Subtype /Widget /Rect [72 600 300 620] /P 3 0 R >>"
    return pdf([*page(catalog=b"/AcroForm << /Fields [6 0 R] >>", page=b"/Annots [6 0 R]"), (6, field)])


def _broken_picture() -> bytes:
    picture = b"/Subtype /Image /Width 10000 /Height 10000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /%s"
    objects = dict(page(TEXT + b" q 300 0 0 300 72 100 cm /X1 Do /X2 Do Q"))
    objects[3] = objects[3].replace(b"/Font", b"/XObject << /X1 6 0 R /X2 7 0 R >> /Font")
    broken = [
        (6, stream(b"no picture", picture % b"JPXDecode")),
        (7, stream(b"none", picture % b"JBIG2Decode")),
    ]
    return pdf([*objects.items(), *broken])


PAGES = [
    Nasty(name="no-size.pdf", make=lambda: _boxed(b"[0 0 0 0]"), says=SAID),
    Nasty(name="huge-page.pdf", make=lambda: _boxed(b"[0 0 14400 14400]"), says=SAID),
    Nasty(name="reversed-box.pdf", make=lambda: _boxed(b"[600 800 0 0]"), says=SAID),
    Nasty(name="endless-box.pdf", make=lambda: _boxed(b"[-1e30 -1e30 1e30 1e30]"), says=SAID),
    Nasty(name="user-unit.pdf", make=lambda: _boxed(b"[0 0 600 800]", b"/UserUnit 100000"), says=SAID),
    Nasty(name="rotated-above.pdf", make=lambda: pdf(page(pages=b"/Rotate 90")), says=SAID),
    Nasty(name="odd-rotation.pdf", make=lambda: pdf(page(page=b"/Rotate 37")), says=SAID),
    Nasty(name="slanted.pdf", make=lambda: pdf(page(_TURNED)), says="pump"),
    Nasty(name="operators-60000.pdf", make=_operators, says=SAID),
    Nasty(name="unseen.pdf", make=_unseen, says=SAID, warns="no reader would see", never=("Obey",)),
    Nasty(name="no-letters.pdf", make=_without_letters, says=SAID),
    Nasty(name="beyond-numbers.pdf", make=_beyond_numbers, says="pump"),
    Nasty(name="annotations-5000.pdf", make=_many_annotations, says=SAID),
    Nasty(name="active.pdf", make=_active, says=SAID, never=("Obey", "alert")),
    Nasty(name="embedded.pdf", make=_embedded, says=SAID, never=("Obey",)),
    Nasty(name="form.pdf", make=_form, says=SAID),
    Nasty(name="broken-pictures.pdf", make=_broken_picture, says=SAID),
]
