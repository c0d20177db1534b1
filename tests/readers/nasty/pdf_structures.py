"""PDFs with a broken or circular structure."""

from __future__ import annotations

from tests.readers.nasty.expected import SAID, Nasty
from tests.readers.nasty.pdf_file import TEXT, page, pdf, stream


def _junk(count: int) -> bytes:
    return b"\x00\xff junk" * (count // 7) + b"\n" + pdf(page())


def _wrong_table() -> bytes:
    return pdf(page(), shift=7)


def _without_end() -> bytes:
    return pdf(page()).partition(b"startxref")[0]


def _zeros_behind() -> bytes:
    return pdf(page()) + b"\0" * 5_000_000


def _missing_kid() -> bytes:
    objects = dict(page())
    objects[2] = b"<< /Type /Pages /Kids [9 0 R 3 0 R] /Count 2 >>"
    return pdf(objects.items())


def _two_of_a_number() -> bytes:
    return pdf([(4, stream(TEXT.replace(b"pump", b"fan"))), *page()])


def _deep_tree() -> bytes:
    objects = dict(page())
    last = 4_000
    for number in range(10, last):
        objects[number] = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (
            number + 1,
            number - 1,
        )
    objects[last] = objects[3].replace(b"/Parent 2 0 R", b"/Parent %d 0 R" % (last - 1))
    objects[2] = b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>"
    return pdf(objects.items())


def _claims_pages() -> bytes:
    objects = dict(page())
    objects[2] = b"<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>"
    return pdf(objects.items())


def _looping_outline() -> bytes:
    entry = b"<< /Title (Again) /Parent 6 0 R /Next %d 0 R /First %d 0 R /Dest [3 0 R /Fit] >>"
    outline = [(6, b"<< /First 7 0 R /Last 8 0 R >>"), (7, entry % (8, 8)), (8, entry % (7, 7))]
    return pdf([*page(catalog=b"/Outlines 6 0 R"), *outline])


def _wrong_length() -> bytes:
    return pdf([(n, text.replace(b"/Length ", b"/Length 99999")) for n, text in page()])


def _object_streams_in_a_circle() -> bytes:
    entries = b"/Type /ObjStm /N 1 /First 4 /Extends %d 0 R"
    return pdf([*page(), *((n, stream(b"9 0 << >>", entries % (13 - n))) for n in (6, 7))])


def _deeply_saved() -> bytes:
    return pdf(page(b"q " * 100_000 + TEXT))


STRUCTURES = [
    Nasty(name="junk-before.pdf", make=lambda: _junk(700), says=SAID),
    Nasty(name="much-junk-before.pdf", make=lambda: _junk(7_000), reason="not a PDF although"),
    Nasty(name="wrong-table.pdf", make=_wrong_table, says=SAID),
    Nasty(name="no-end.pdf", make=_without_end, says=SAID),
    Nasty(name="zeros-behind.pdf", make=_zeros_behind, says=SAID),
    Nasty(name="missing-kid.pdf", make=_missing_kid, says=SAID, warns="Page 1 could not be read"),
    Nasty(name="two-of-a-number.pdf", make=_two_of_a_number, says=SAID, never=("The fan",)),
    Nasty(name="deep-tree.pdf", make=_deep_tree, warns="could not be read|any text"),
    Nasty(name="two-billion-pages.pdf", make=_claims_pages, says=SAID),
    Nasty(name="looping-outline.pdf", make=_looping_outline, says=SAID),
    Nasty(name="wrong-length.pdf", make=_wrong_length, says=SAID),
    Nasty(name="object-streams-in-a-circle.pdf", make=_object_streams_in_a_circle, says=SAID),
    Nasty(name="deeply-saved.pdf", make=_deeply_saved, says=SAID),
]
