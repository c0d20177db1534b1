"""Open a PDF file, and read its title, dates, outline and page labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from corpus.documents.document import OutlineEntry
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.page_geometry import pdfium, raw
from corpus.readers.placeholder_metadata import real_author, real_title
from corpus.text.normalization import clean

_OUTLINE_ENTRIES = 10_000  # Maximum number of entries in an outline; the longest manuals have a few thousand.
_TEXT = 300  # Maximum length of a title or label in characters; longer metadata is an abstract or an attack.
_NO_TITLE = re.compile(
    r"(untitled|unbenannt|microsoft (word|powerpoint|excel)\b).*"
    r"|(document|dokument|presentation|präsentation|slide|title|titel)? ?\d*"
    r"|(scan|img|image|foto|photo|bild|doc|dok|layout|page|seite|blank|print|new|neu)[-_ ]?[\d_-]*|[\d\W_]+"
    r"|full page photo|[^ ]*\.\w{2,4}|.*\.(docx?|pptx?|xlsx?|tex|dvi|pdf|indd|qxd|html?)"
    r"|.*\\.*|(?=.*/).*\.\w{2,4}|\W*",
    re.IGNORECASE,
)
_NO_PAGES = re.compile(
    rb"/Type\s{0,9}/Pages\b[^>]{0,200}/Count\s{1,9}0\b|/Count\s{1,9}0\b[^>]{0,200}/Type\s{0,9}/Pages\b"
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?")


@contextmanager
def open_pdf(source: Path | bytes) -> Iterator[pdfium.PdfDocument]:
    """Open a PDF from a path or its bytes, and close it on exit. Raises UnreadableDocument with the reason."""
    try:
        document = pdfium.PdfDocument(source)
    except pdfium.PdfiumError as error:
        raise UnreadableDocument(_reason(error, source)) from error
    try:
        yield document
    finally:
        document.close()


def title_of(document: pdfium.PdfDocument) -> str | None:
    """Return the title from the metadata, unless it is the name of a file or program."""
    title = real_title(_value(document, "Title"))
    return None if title is None or _NO_TITLE.fullmatch(title) else title


def author_of(document: pdfium.PdfDocument) -> str | None:
    """Return the author from the metadata, unless it is a program's placeholder."""
    return real_author(_value(document, "Author"))


def date_of(document: pdfium.PdfDocument) -> str | None:
    """Return the creation date or, if there is none, the modification date, as ISO 8601 in UTC."""
    for key in ("CreationDate", "ModDate"):
        if date := iso_date(_value(document, key) or ""):
            return date
    return None


def iso_date(value: str) -> str | None:
    """Convert a PDF date ("D:20230615104500+02'00'", ISO 32000-1, 7.9.4) to ISO 8601 in UTC, or return None if it is
    invalid."""
    match = _DATE.match(value)
    if not match:
        return None
    year, *rest = match.groups()[:6]
    month, day, hour, minute, second = (int(part) if part else 0 for part in rest)
    sign, hours, minutes = match.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    try:
        date = datetime(int(year), month or 1, day or 1, hour, minute, second, tzinfo=timezone(offset))
        return date.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None


def outline_of(document: pdfium.PdfDocument) -> list[OutlineEntry]:
    """Return the outline that viewers show next to the pages."""
    entries = []
    try:
        for mark in document.get_toc(max_depth=6):
            title = _tidy(mark.get_title())
            if title:
                entries.append(OutlineEntry(title, mark.level + 1, _page_of(mark)))
            if len(entries) >= _OUTLINE_ENTRIES:
                break
    except (pdfium.PdfiumError, ValueError):
        return entries  # the outline is damaged or cyclic; the entries so far are valid
    return entries


def labels_of(document: pdfium.PdfDocument, count: int) -> list[str]:
    """Return the label of each page; empty if the file has no labels."""
    return [_tidy(document.get_page_label(index)) for index in range(count)]


def attachment_count(document: pdfium.PdfDocument) -> int:
    """Return the number of attached files."""
    return max(0, int(raw.FPDFDoc_GetAttachmentCount(document)))


def _page_of(mark: pdfium.PdfBookmark) -> int | None:
    target = mark.get_dest()
    index = target.get_index() if target else None
    return None if index is None else index + 1


def _value(document: pdfium.PdfDocument, key: str) -> str | None:
    try:
        return _tidy(document.get_metadata_value(key)) or None
    except (pdfium.PdfiumError, UnicodeError):
        return None


def _tidy(text: str) -> str:
    return " ".join(clean(text).split())[:_TEXT]


def _reason(error: pdfium.PdfiumError, source: Path | bytes) -> str:
    match error.err_code:
        case raw.FPDF_ERR_PASSWORD:
            return "encrypted, needs a password"
        case raw.FPDF_ERR_SECURITY:
            return "encrypted in a way that cannot be read"
        case _ if _NO_PAGES.search(source if isinstance(source, bytes) else source.read_bytes()):
            return "has no pages"
        case _:
            return "damaged: its structure cannot be read as a PDF"
