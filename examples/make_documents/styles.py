"""Colours, measures and paragraph styles of all sample documents."""

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import TableStyle

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 62.0
TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN

INK = HexColor(0x1E2328)
GREY = HexColor(0x6B747C)
RULE = HexColor(0xC3CAD0)
PALE = HexColor(0xF1F4F6)
WARNING = HexColor(0xFDF3DC)
AMBER = HexColor(0xC98A10)

BODY = ParagraphStyle("Body", fontName="Helvetica", fontSize=10.5, leading=14.5, textColor=INK, spaceAfter=7)
ITEM = ParagraphStyle("Item", BODY, leftIndent=20, bulletIndent=4, spaceAfter=4)
NOTICE = ParagraphStyle("Notice", BODY, spaceAfter=0)
CAPTION = ParagraphStyle("Caption", BODY, fontName="Helvetica-Bold", fontSize=9, leading=12, spaceAfter=12)
TABLE_CAPTION = ParagraphStyle("TableCaption", CAPTION, spaceAfter=4, keepWithNext=1)
CELL = ParagraphStyle("Cell", BODY, fontSize=9, leading=11.5, spaceAfter=0)
HEAD_CELL = ParagraphStyle("HeadCell", CELL, fontName="Helvetica-Bold", textColor=HexColor(0xFFFFFF))
CONTENTS = (
    ParagraphStyle("Contents1", BODY, fontName="Helvetica-Bold", leading=15, spaceBefore=4, spaceAfter=0),
    ParagraphStyle("Contents2", BODY, fontSize=10, leading=13, leftIndent=16, spaceAfter=0),
)
CONTENTS_TABLE = TableStyle(
    [
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 0),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 0),
    ]
)
TITLE = ParagraphStyle("Title", fontName="Helvetica-Bold", fontSize=30, leading=36, textColor=INK)
SUBTITLE = ParagraphStyle("Subtitle", fontName="Helvetica", fontSize=15, leading=20, textColor=GREY)


def heading(level: int, accent: Color) -> ParagraphStyle:
    size, before, after = {1: (19, 14, 12), 2: (13, 12, 5), 3: (11, 8, 3)}[level]
    return ParagraphStyle(
        f"Heading{level}",
        fontName="Helvetica-Bold",
        fontSize=size,
        leading=size * 1.25,
        textColor=accent,
        spaceBefore=before,
        spaceAfter=after,
        keepWithNext=1,
    )
