"""Annotations of a page: form fields, comments, stamps and strike-outs.

PDFium separates annotations from the text of a page, so a filled-in form would look empty. Fields, typed notes and
stamps are therefore drawn into the page as viewers show them, and their text is read from the page. Ticks, comments,
and values without an appearance are read from the annotation itself. Hidden annotations are skipped.
"""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, pdfium, raw, union
from corpus.readers.pdf.text.lines import Line, Piece
from corpus.readers.pdf.text.paragraphs import paragraphs_of
from corpus.text.normalization import clean

_TYPED = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
_STRUCK = raw.FPDF_ANNOT_STRIKEOUT
_SILENT = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
"""Annotation types whose contents viewers do not show as a comment."""

_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW | raw.FPDF_ANNOT_FLAG_INVISIBLE
_BUTTONS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_VALUES = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_PASSWORD = 1 << 13  # Flag of a text field that hides its characters (ISO 32000-1, table 228).
MAX_ANNOTATIONS = 5_000  # Maximum number of annotations read per page; a dense form has 200.
MAX_COMMENTS = 500  # Maximum number of comments per page; reviewers write a few dozen.
_MAX_TEXT = 4_000  # Maximum length of a comment or value in characters; a page of text has about 3,000.
_MIN_SIDE = 4.0  # Minimum side of a field in points; a smaller field shows nothing, so its value is hidden text.


@dataclass(frozen=True, slots=True)
class Field:
    """A form field. `box` is in PDF coordinates.

    `is_ticked` is None for fields that are not tick boxes. `value` is set only if no appearance draws it.
    """

    box: Box
    is_ticked: bool | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment at a position on the page. `box` is in PDF coordinates."""

    text: str
    box: Box


@dataclass(slots=True)
class PageAnnotations:
    """The annotations of a page. `struck` contains the boxes of struck-out text in PDF coordinates. `left_out` counts
    unreadable annotations by kind."""

    fields: list[Field] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    struck: list[Box] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


NO_ANNOTATIONS = PageAnnotations()


def page_with_annotations(document: pdfium.PdfDocument, number: int) -> tuple[pdfium.PdfPage, PageAnnotations]:
    """Return page `number` (1-based), with its fields, notes and stamps drawn into it, together with its annotations.
    Raises PdfiumError for a damaged page."""
    document.init_forms()  # required for querying field types; does nothing if there is no form
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
    """Return whether the form exists only in XML (XFA), which PDFium does not draw."""
    kind = document.get_formtype()
    return kind == raw.FORMTYPE_XFA_FULL or (kind == raw.FORMTYPE_XFA_FOREGROUND and raw.FPDF_ANNOT_WIDGET not in kinds)


def _marks(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> tuple[PageAnnotations, set[int]]:
    marks, kinds = PageAnnotations(), set[int]()
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
    """Return the author's name and the text of a comment; empty if the page already shows the text."""
    if kind in _TYPED and _is_drawn(annotation):
        return ""
    contents = _entry(annotation, b"Contents")
    author = " ".join(_entry(annotation, b"T").split())
    return f"Comment ({author}): {contents}" if contents and author else contents and f"Comment: {contents}"


def _is_drawn(annotation: Any) -> bool:
    """Return whether the annotation has an appearance stream."""
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
    """Return left, bottom, right and top."""
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


_BESIDE = 16.0  # Maximum distance in points from a tick box to the words to its right.
_FAR = 300.0  # Maximum distance in points from a label to its field: half a page, for labels in a separate column.
_ABOVE = 1.0  # Maximum distance, in label heights, between a label and the field below it.
_OVER = 4.0  # Maximum distance in points by which a label may overlap its field.
_SIZE = 10.0  # Font size, in points, assigned to a value that the page does not draw.


def with_values(lines: list[Line], fields: Sequence[Field]) -> list[Line]:
    """Return the lines of a page with the field values added, each in the line of its label or below it. The boxes of
    the fields are on the displayed page."""
    if not fields:
        return lines
    labels = [line for line in lines if line.field is None]
    of_field = defaultdict[int, list[Line]](list)
    for line in lines:
        if line.field is not None:
            of_field[line.field].append(line)
    entries = defaultdict[int, list[Line]](list)
    below = defaultdict[int, list[Line]](list)
    alone: list[Line] = []
    for number in sorted(range(len(fields)), key=lambda n: (round(fields[n].box[1] / 4), fields[n].box[0])):
        values = _values(fields[number], of_field[number])
        if not values:
            continue
        label, is_beside = _label_of(fields[number], labels, [each.box for each in fields])
        if label is None:
            alone += values
        elif is_beside and len(values) == 1:
            entries[label] += values
        else:
            below[label] += values
    result: list[Line] = []
    for index, line in enumerate(labels):
        result.append(_entry_line(line, entries[index]) if entries[index] else line)
        result += below[index]
    return [*result, *alone]


def _values(field: Field, drawn: list[Line]) -> list[Line]:
    """Return the lines of the field's content."""
    if field.is_ticked is not None:
        return [Line("[x]" if field.is_ticked else "[ ]", field.box, _SIZE, is_entry=True)]
    if drawn:
        return [replace(line, is_entry=True) for line in drawn]
    return [Line(" ".join(field.value.split()), field.box, _SIZE, is_entry=True)] if field.value else []


def _label_of(field: Field, labels: list[Line], fields: list[Box]) -> tuple[int | None, bool]:
    """Return the index of the field's label, and whether the value belongs in the label's line."""
    left, top, right, _ = field.box
    row = [n for n, line in enumerate(labels) if _in_row(line.box, field.box)]
    if field.is_ticked is not None:
        behind = [n for n in row if -_OVER <= labels[n].box[0] - right <= _BESIDE]
        if behind:
            return min(behind, key=lambda n: labels[n].box[0]), True
    left_fields = [box[2] for box in fields if box[2] <= left and _in_row(box, field.box)]
    before = [
        n for n in row if labels[n].box[2] <= left + _OVER and left - max([labels[n].box[2], *left_fields]) <= _FAR
    ]
    if before:
        return max(before, key=lambda n: labels[n].box[2]), True
    above = [
        n
        for n, line in enumerate(labels)
        if -_OVER <= top - line.box[3] <= _ABOVE * max(line.size, 1.0)
        and line.box[0] < right
        and left - _OVER <= line.box[2]
        and not any(_parts(box, line.box, field.box) for box in fields)
    ]
    if above:
        return max(above, key=lambda n: labels[n].box[3]), False
    return None, False


def _parts(box: Box, label: Box, field: Box) -> bool:
    """Return whether another field separates a label from the field below it."""
    return (
        box != field
        and label[3] <= box[1] + _OVER
        and box[3] <= field[1] + _OVER
        and box[0] < field[2]
        and (field[0] < box[2])
    )


def _in_row(line: Box, field: Box) -> bool:
    together = min(line[3], field[3]) - max(line[1], field[1])
    return together > 0.5 * min(line[3] - line[1], field[3] - field[1])


def _entry_line(label: Line, values: list[Line]) -> Line:
    """Return the label and its values as one line, from left to right."""
    text, pieces = "", list[Piece]()
    for line in sorted([label, *values], key=lambda line: line.box[0]):
        text += " " * bool(text)
        pieces += [(len(text) + start, box) for start, box in line.pieces or ((0, line.box),)]
        text += line.text.strip()
    box = union([label.box, *(line.box for line in values)])
    return replace(label, text=text, box=box, pieces=tuple(pieces), is_entry=True)


_COMMENT_SIZE = 10.0  # Font size, in points, assigned to comments on a page without text.


def with_comments(lines: list[Line], comments: Sequence[Comment], geometry: PageGeometry) -> list[Line]:
    """Return the lines of a page in reading order, including the comments."""
    if not comments:
        return lines
    last_lines = _last_lines(lines)
    behind: dict[int, list[Line]] = {}
    for comment in comments:
        box = geometry.box(*comment.box)
        index = _line_at(lines, box)
        index = last_lines[index] if index >= 0 else index
        size = lines[index].size if index >= 0 else _COMMENT_SIZE
        texts = [text for text in comment.text.split("\n") if text.strip()]
        behind.setdefault(index, []).extend(
            Line(text, box, size, is_comment=True, begins=number == 0) for number, text in enumerate(texts)
        )
    result = list(behind.get(-1, []))
    for index, line in enumerate(lines):
        result += [line, *behind.get(index, [])]
    return result


def _last_lines(lines: list[Line]) -> list[int]:
    """Return, for each line, the index of the last line of its paragraph."""
    last: list[int] = []
    for group in paragraphs_of(lines):
        last += [len(last) + len(group) - 1] * len(group)
    return last


def _line_at(lines: list[Line], box: tuple[float, float, float, float]) -> int:
    """Return the index of the last line that the box touches or, if it touches none, of the nearest line; -1 if there
    are no lines."""
    indexes = [
        index
        for index, line in enumerate(lines)
        if line.box[0] < box[2] and box[0] < line.box[2] and line.box[1] < box[3] and box[1] < line.box[3]
    ]
    if indexes:
        return indexes[-1]
    middle = (box[1] + box[3]) / 2
    return min(range(len(lines)), key=lambda n: abs((lines[n].box[1] + lines[n].box[3]) / 2 - middle), default=-1)
