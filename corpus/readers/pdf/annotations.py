"""Annotations of a page: form fields, comments, stamps and strike-outs.

PDFium keeps annotations apart from the text of a page, so a filled-in form would read as an empty one. Fields, typed
notes and stamps are drawn into the page as viewers show them, and their text is what they draw. Ticks, comments, and
values without an appearance are read from the annotation itself. Hidden annotations are skipped.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.text.normalization import clean

_TYPED = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
_STRUCK = raw.FPDF_ANNOT_STRIKEOUT
_SILENT = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
"""Annotations whose contents viewers do not show as a comment."""

_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW | raw.FPDF_ANNOT_FLAG_INVISIBLE
_BUTTONS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_VALUES = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_PASSWORD = 1 << 13  # The flag of a text field that shows no characters (ISO 32000-1, table 228).
MAX_ANNOTATIONS = 5_000  # Annotations of a page that are looked at; a dense form has 200.
MAX_COMMENTS = 500  # Comments of a page.
_MAX_TEXT = 4_000  # Characters of a comment or value; a page of text has about 3,000.
_MIN_SIDE = 4.0  # Points; a smaller field shows nothing, so a value in it is hidden text.


@dataclass(frozen=True, slots=True)
class Field:
    """A form field; the box is in PDF coordinates.

    `is_ticked` is None for fields that are not tick boxes. `value` is set where no appearance draws it.
    """

    box: Box
    is_ticked: bool | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a place of the page; the box is in PDF coordinates."""

    text: str
    box: Box


@dataclass(slots=True)
class Marks:
    """The annotations of a page. `struck` holds the boxes of struck-out text in PDF coordinates; `left_out` counts
    what cannot be read, by kind."""

    fields: list[Field] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    struck: list[Box] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


NO_MARKS = Marks()


def page_with_annotations(document: pdfium.PdfDocument, number: int) -> tuple[pdfium.PdfPage, Marks]:
    """Page `number` (from 1) with its fields, notes and stamps drawn into it, and its annotations. Raises
    PdfiumError for a damaged page."""
    document.init_forms()  # needed to query field types; does nothing without a form
    page = document[number - 1]
    marks, kinds = _marks(document, page)
    if number == 1 and _is_unread_form(document, kinds):
        marks.left_out["XFA form"] += 1
    if not any(kind in _TYPED for kind in kinds):
        return page, marks
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page, marks
    page.close()  # PDFium shows flattened content only after reopening the page
    return document[number - 1], marks


def _is_unread_form(document: pdfium.PdfDocument, kinds: set[int]) -> bool:
    """Whether the form exists in XML only (XFA), which PDFium does not draw."""
    kind = document.get_formtype()
    return kind == raw.FORMTYPE_XFA_FULL or (kind == raw.FORMTYPE_XFA_FOREGROUND and raw.FPDF_ANNOT_WIDGET not in kinds)


def _marks(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> tuple[Marks, set[int]]:
    marks, kinds = Marks(), set[int]()
    for annotation, kind in _annotations(page):
        kinds.add(kind)
        if raw.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            continue
        if kind == raw.FPDF_ANNOT_WIDGET:
            if document.formenv and (form_field := _field(document.formenv.raw, annotation)):
                marks.fields.append(form_field)
            continue
        if kind == _STRUCK:
            marks.struck += _quads(annotation)
        elif kind not in _SILENT and len(marks.comments) < MAX_COMMENTS and (text := _comment(annotation, kind)):
            marks.comments.append(Comment(text, _rectangle(annotation)))
        elif kind == raw.FPDF_ANNOT_STAMP and not _is_drawn(annotation):
            marks.left_out["stamp"] += 1
    return marks, kinds


def _annotations(page: pdfium.PdfPage) -> Iterator[tuple[Any, int]]:
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        with _close_after(raw.FPDFPage_GetAnnot(page, index)) as annotation:
            if annotation:
                yield annotation, raw.FPDFAnnot_GetSubtype(annotation)


@contextmanager
def _close_after(annotation: Any) -> Iterator[Any]:
    try:
        yield annotation
    finally:
        if annotation:
            raw.FPDFPage_CloseAnnot(annotation)


def _field(form: Any, annotation: Any) -> Field | None:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    box = _rectangle(annotation)
    if min(box[2] - box[0], box[3] - box[1]) < _MIN_SIDE:
        return None
    if kind in _BUTTONS:
        return Field(box, bool(raw.FPDFAnnot_IsChecked(form, annotation)))
    if kind not in _VALUES:
        return None
    if _is_drawn(annotation) or raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return Field(box)
    value = _string(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return Field(box, value=value)


def _comment(annotation: Any, kind: int) -> str:
    """The comment's text behind its author's name; empty if the page shows it already."""
    if kind in _TYPED and _is_drawn(annotation):
        return ""
    contents = _entry(annotation, b"Contents")
    author = " ".join(_entry(annotation, b"T").split())
    return f"Comment ({author}): {contents}" if contents and author else contents and f"Comment: {contents}"


def _is_drawn(annotation: Any) -> bool:
    """Whether the annotation brings its own appearance."""
    return int(raw.FPDFAnnot_GetAP(annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0)) > 2


def _entry(annotation: Any, key: bytes) -> str:
    return _string(lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def _string(get: Any) -> str:
    length = get(None, 0)
    if length < 4:
        return ""
    buffer = ctypes.create_string_buffer(length)
    get(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    text = buffer.raw[: length - 2].decode("utf-16-le", errors="replace")
    return clean(text.replace("\r\n", "\n").replace("\r", "\n")).strip()[:_MAX_TEXT]


def _rectangle(annotation: Any) -> Box:
    """Left, bottom, right and top."""
    rectangle = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, rectangle)
    across, up = sorted((rectangle.left, rectangle.right)), sorted((rectangle.bottom, rectangle.top))
    return (across[0], up[0], across[1], up[1])


def _quads(annotation: Any) -> list[Box]:
    boxes = []
    quad = raw.FS_QUADPOINTSF()
    for index in range(min(raw.FPDFAnnot_CountAttachmentPoints(annotation), MAX_ANNOTATIONS)):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, index, quad):
            across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(across), min(up), max(across), max(up)))
    return boxes
