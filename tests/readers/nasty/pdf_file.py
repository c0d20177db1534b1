"""Hand-made PDFs with any fault that a test needs."""

from __future__ import annotations

from collections.abc import Iterable

from tests.readers.nasty.expected import SAID

HEAD = b"%PDF-1.7\n"
TEXT = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % SAID.encode()
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

Objects = Iterable[tuple[int, bytes]]


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """Return a stream object with its length."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def page(
    content: bytes = TEXT,
    *,
    page: bytes = b"",
    catalog: bytes = b"",
    pages: bytes = b"",
    box: bytes | None = None,
) -> list[tuple[int, bytes]]:
    """Return the objects 1 to 5 of a document of one page, with further entries for its dictionaries."""
    media = b"[0 0 600 800]" if box is None else box
    return [
        (1, b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog),
        (2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 %s >>" % pages),
        (3, b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> %s >>" % (media, page)),
        (4, stream(content)),
        (5, FONT),
    ]  # fmt: skip


def pdf(objects: Objects, *, shift: int = 0, end: bytes = b"%%EOF\n") -> bytes:
    """Return the file. `shift` is the error of the offsets in its table."""
    data, places = HEAD, dict[int, int]()
    for number, text in objects:
        places[number] = len(data) + shift
        data += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    size = max(places) + 1
    rows = (b"%010d 00000 n \n" % places[n] if n in places else b"0000000000 65535 f \n" for n in range(size))
    table = b"xref\n0 %d\n%s" % (size, b"".join(rows))
    return data + table + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%s" % (size, len(data), end)
