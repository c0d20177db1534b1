"""Faults in PDFs that nevertheless can be read. Each function takes a one-page file and returns another one."""

from __future__ import annotations

import ctypes
import io
import re
from collections.abc import Callable

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.pdf.page_geometry import pdfium

WORDS = "The impeller of the pump turns clockwise, seen from the drive; the seal is changed every 8,000 hours."


def saved(document: pdfium.PdfDocument) -> bytes:
    written = io.BytesIO()
    document.save(written)
    document.close()
    return written.getvalue()


def sound(data: bytes, n: int) -> bytes:
    """Add a comment at the end, so that no two files are equal."""
    return data + f"\n%% {n}\n".encode()


def twice(data: bytes, n: int) -> bytes:
    """Return the same bytes, for a file that exists in several locations."""
    return data + b"\n%% copy"


def without_xref(data: bytes, n: int) -> bytes:
    return re.sub(rb"startxref\s+\d+", b"startxref\n999999999", sound(data, n))


def cut_short(data: bytes, n: int) -> bytes:
    """Cut off the end of the file, as an interrupted copy would: the object table and the end of the trailer are
    missing."""
    return data[: data.rindex(b"startxref")] + f"%{n}".encode()


def after_rubbish(data: bytes, n: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\nX: {n}\r\n\r\n".encode() + data


def rotated(data: bytes, n: int) -> bytes:
    return changed(data, n, lambda page: page.set_rotation(90 * (1 + n % 3)))


def huge(data: bytes, n: int) -> bytes:
    return changed(data, n, lambda page: page.set_mediabox(-6_000, -6_000, 8_000, 8_000))


def tiny(data: bytes, n: int) -> bytes:
    return changed(data, n, lambda page: page.set_cropbox(100, 100, 101, 101))


def changed(data: bytes, n: int, change: Callable[[pdfium.PdfPage], None]) -> bytes:
    document = pdfium.PdfDocument(data)
    page = document[0]
    change(page)
    page.close()
    return sound(saved(document), n)


def scanned(data: bytes, n: int) -> bytes:
    """Replace the page with a single picture."""
    source = pdfium.PdfDocument(data)
    picture = source[0].render(scale=0.5, grayscale=True).to_pil()
    written = io.BytesIO()
    picture.save(written, "PDF")
    return sound(written.getvalue(), n)


def blank(_: bytes, n: int) -> bytes:
    return drawn(n, lambda canvas: None)


def without_tounicode(data: bytes, n: int) -> bytes:
    """Remove the mapping from glyphs to characters from the fonts."""
    return sound(re.sub(rb"/ToUnicode \d+ 0 R", lambda found: b" " * len(found[0]), data), n)


def form(_: bytes, n: int) -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, WORDS)
        canvas.acroForm.textfield(name="name", value=f"Ann {n}", x=72, y=650, width=200, height=20)
        canvas.acroForm.checkbox(name="agreed", checked=True, x=72, y=600)

    return drawn(n, draw)


def attachment(data: bytes, n: int) -> bytes:
    document = pdfium.PdfDocument(data)
    document.new_attachment("figures.csv").set_data((ctypes.c_ubyte * 9)(*b"a,b\n1,2\n\n"))
    return sound(saved(document), n)


def drawn(n: int, draw: Callable[[Canvas], None], encryption: StandardEncryption | None = None) -> bytes:
    written = io.BytesIO()
    canvas = Canvas(written, invariant=1, encrypt=encryption)
    canvas.setTitle(f"Sheet {n}")
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return written.getvalue()


def encrypted(password: str, n: int = 0) -> bytes:
    """Encrypt the file with the password; anybody can open a file with an empty password."""
    key = StandardEncryption(password, f"owner {n}", canModify=0)
    return drawn(n, lambda canvas: canvas.drawString(72, 700, WORDS), key)


FAULTS: dict[str, Callable[[bytes, int], bytes]] = {
    "sound": sound, "twice": twice, "without xref": without_xref, "cut short": cut_short,
    "after rubbish": after_rubbish, "rotated": rotated, "huge": huge, "tiny": tiny, "scanned": scanned,
    "blank": blank, "without ToUnicode": without_tounicode, "form": form, "attachment": attachment,
    "encrypted, no password": lambda _, n: encrypted("", n),
}  # fmt: skip
