"""Floats of a page: captioned figures, tables, and pictures without a caption."""

from __future__ import annotations

from corpus.readers.pdf.captions import captions_of
from corpus.readers.pdf.charts import charts_of, may_have_charts
from corpus.readers.pdf.figures import Figure, Ink, caption_beside, captioned_figures, uncaptioned_figure
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.objects import Object, drawn_in
from corpus.readers.pdf.page_text import PageText
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.shown import Shown
from corpus.readers.pdf.tables.page_tables import Table, tables_of
from corpus.readers.pdf.tables.rules import Rules


def floats_of(
    page: pdfium.PdfPage,
    text: PageText,
    geometry: Shown,
    lines: list[Line],
    objects: list[Object],
    rules: Rules,
) -> tuple[list[Figure], list[Table]]:
    """Figures, captioned ones first, and tables. Nothing is found twice. `objects` are the page's objects, `rules`
    the lines among them."""
    ink = Ink(page, text.runs)
    drawn = drawn_in(objects, geometry)
    figures = captioned_figures(page, lines, ink)
    tables = [
        table
        for table in tables_of(page, text, geometry, lines, rules, drawn, figures)
        if table.caption or not _is_listing(table, lines)
    ]
    figures = [each for each in figures if not any(table.caption == each.caption for table in tables)]
    if may_have_charts(drawn):
        used_boxes = [*(figure.box for figure in figures), *(table.box for table in tables)]
        used_boxes += [field.box for field in text.fields]
        charts = charts_of(ink.clusters, drawn, lines, used_boxes, geometry.size)
        free_captions = [
            each for each in captions_of(lines) if each not in [figure.caption for figure in figures]
        ]
        figures += [
            uncaptioned_figure(page, box, lines, caption_beside(box, free_captions)) for box in charts
        ]
    return figures, tables


def _is_listing(table: Table, lines: list[Line]) -> bool:
    """Whether the table is code in a shaded box, whose spaces look like columns."""
    return bool(table.inside) and all(lines[index].is_listing for index in table.inside)
