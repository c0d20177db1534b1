"""What lies on a page rather than in it: filled-in form fields and typed notes, drawn into the page as viewers show it.

PDFium keeps annotations apart from the text of a page, so a filled-in form would read as an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.pdf.pdfium import pdfium, raw

_TYPED = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
_MOST = 5_000
"""Annotations of a page that are looked at."""


def page_as_shown(document: pdfium.PdfDocument, number: int) -> pdfium.PdfPage:
    """The page with this number, what was typed onto it being part of it. Raises PdfiumError for a damaged one."""
    page = document[number - 1]
    if not any(kind in _TYPED for kind in _kinds(page)):
        return page
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page
    page.close()  # only a page that is opened anew shows what was drawn into it
    return document[number - 1]


def _kinds(page: pdfium.PdfPage) -> Iterator[int]:
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation:
            yield raw.FPDFAnnot_GetSubtype(annotation)
            raw.FPDFPage_CloseAnnot(annotation)
