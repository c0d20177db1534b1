"""Turn the blocks of a manuscript into reportlab flowables."""

import re
from html import escape

import styles
from drawings import DRAWINGS
from manuscript import Block, Break, Grid, Heading, Item, Notice, Picture, Prose
from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, PageBreak, Paragraph, Spacer, Table

LONG_TABLE = 12


def flowables_for(block: Block, accent: Color) -> list[Flowable]:
    match block:
        case Heading(level, text):
            return [CondPageBreak(90), Paragraph(marked(text), styles.heading(level, accent))]
        case Prose(text):
            return [Paragraph(marked(text), styles.BODY)]
        case Item(mark, text):
            return [Paragraph(marked(text), styles.ITEM, bulletText=mark)]
        case Notice(text):
            return [_notice(text)]
        case Grid():
            return _captioned_table(block, accent)
        case Picture(caption, drawing):
            return [_captioned_picture(caption, drawing)]
        case Break():
            return [PageBreak()]


def marked(text: str) -> str:
    """`text` with its **bold** and *italic* parts as reportlab's own tags."""
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text, quote=False))
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", bold)


def _notice(text: str) -> Flowable:
    box = Table([[Paragraph(marked(text), styles.NOTICE)]], colWidths=[styles.TEXT_WIDTH])
    box.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), styles.WARNING),
            ("LINEBEFORE", (0, 0), (0, -1), 4, styles.AMBER),
            ("LEFTPADDING", (0, 0), (-1, -1), 12),
            ("TOPPADDING", (0, 0), (-1, -1), 6),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
        ]
    )
    return KeepTogether([Spacer(0, 3), box, Spacer(0, 9)])


def _captioned_table(grid: Grid, accent: Color) -> list[Flowable]:
    parts: list[Flowable] = [
        Spacer(0, 5),
        Paragraph(marked(grid.caption), styles.TABLE_CAPTION),
        _table(grid, accent),
        Spacer(0, 12),
    ]
    return parts if len(grid.rows) > LONG_TABLE else [KeepTogether(parts)]


def _table(grid: Grid, accent: Color) -> Table:
    cells = [[Paragraph(marked(cell), _cell_style(row)) for cell in cells] for row, cells in enumerate(grid.rows)]
    unit = styles.TEXT_WIDTH / sum(grid.widths)
    table = Table(cells, colWidths=[unit * width for width in grid.widths], repeatRows=1)
    table.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, 0), accent),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [None, styles.PALE]),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, styles.RULE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 5),
            ("RIGHTPADDING", (0, 0), (-1, -1), 5),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    return table


def _cell_style(row: int) -> ParagraphStyle:
    return styles.CELL if row else styles.HEAD_CELL


def _captioned_picture(caption: str, drawing: str) -> Flowable:
    picture = DRAWINGS[drawing]()
    picture.hAlign = "CENTER"
    return KeepTogether([Spacer(0, 6), picture, Spacer(0, 5), Paragraph(marked(caption), styles.CAPTION)])
