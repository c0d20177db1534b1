"""The content of a slide, shape by shape in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN
from corpus.readers.elements.protocol import About, Elements, Figure, Paragraph, Table
from corpus.readers.markup import DAMAGED
from corpus.readers.office.charts import chart_table
from corpus.readers.office.objects import blob_of, diagram_text
from corpus.readers.office.slides.order import in_reading_order
from corpus.readers.office.slides.paragraphs import frame_text, paragraphs_of
from corpus.readers.office.slides.unseen import Surroundings

BROKEN_SHAPE = (
    *BROKEN,
    *DAMAGED,
    PythonPptxError,
    ValueError,
    AttributeError,
    TypeError,
    IndexError,
    UnreadableDocument,
)
_FURNITURE = {PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER}
_LISTS = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY}
_DEEPEST = 10
"""Of groups in groups."""


def shape_elements(
    shapes: Iterable[Any], title: str | None, about: About, around: Surroundings | None, depth: int = 0
) -> Elements:
    """Yield the shapes' elements in order, including grouped ones; a damaged shape is skipped with a warning.

    Grouped shapes have their own coordinates; for them `around` is None.
    """
    for shape, is_grouped in _in_order(list(shapes)):
        beside = None if is_grouped else around
        try:
            if _is_hidden(shape) or (beside and beside.is_off(shape)):
                about.unseen += bool(
                    getattr(shape, "has_text_frame", False) and shape.text_frame.text.strip()
                )
            else:
                yield from _shape(shape, title, about, beside, depth)
        except BROKEN_SHAPE:
            about.warnings.append("A damaged shape on a slide was passed over.")


def _in_order(shapes: list[Any]) -> list[tuple[Any, bool]]:
    """Sort by position, or keep the file's order where positions are damaged."""
    try:
        return in_reading_order(shapes)
    except BROKEN_SHAPE:
        return [(shape, False) for shape in shapes]


def _shape(shape: Any, title: str | None, about: About, around: Surroundings | None, depth: int) -> Elements:
    kind = shape.placeholder_format.type if shape.is_placeholder else None
    if kind in _FURNITURE:
        return
    if hasattr(shape, "shapes"):
        if depth < _DEEPEST:
            yield from shape_elements(shape.shapes, title, about, None, depth + 1)
        return
    if shape.has_text_frame:
        on_white = around is not None and around.is_white_behind(shape)
        yield from paragraphs_of(shape.text_frame, kind in _LISTS, about, on_white)
    if shape.has_table:
        yield Table(rows=_rows(shape.table, about))
    elif shape.has_chart:
        table = chart_table(shape.chart.part.blob)
        if table:
            yield table
    else:
        yield from _drawing(shape, title)


def _rows(table: Any, about: About) -> tuple[tuple[str, ...], ...]:
    """Return a table's text; a merged cell is repeated in each of its places."""
    rows = [list(row.cells) for row in table.rows]
    texts = [["" if cell.is_spanned else frame_text(cell.text_frame, about) for cell in row] for row in rows]
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            if not cell.is_merge_origin:
                continue
            for below in texts[down : down + cell.span_height]:
                width = len(below[across : across + cell.span_width])
                below[across : across + width] = [texts[down][across]] * width
    return tuple(map(tuple, texts))


def _drawing(shape: Any, title: str | None) -> Elements:
    """Yield pictures, also those that fill a shape, and the text of diagrams."""
    names = shape.element.xpath("./*/p:cNvPr")
    alt = names[0].get("descr") if names else None
    for relation in _relations(shape.element, "blip", "embed"):
        data = blob_of(relation, shape.part)
        if data:
            yield Figure(data=data, alt=alt, title=title)
    for relation in _relations(shape.element, "relIds", "dm"):
        data = blob_of(relation, shape.part)
        if data and (text := diagram_text(data)):
            yield Paragraph(text)


def _relations(element: Any, tag: str, name: str) -> Iterator[str]:
    key = f"{{http://schemas.openxmlformats.org/officeDocument/2006/relationships}}{name}"
    for node in element.iter(f"{{*}}{tag}"):
        if relation := node.get(key):
            yield str(relation)


def _is_hidden(shape: Any) -> bool:
    return any(name.get("hidden") in ("1", "true") for name in shape.element.xpath("./*/p:cNvPr"))
