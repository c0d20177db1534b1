"""What is drawn around the text: cover, title block, running header and footer."""

import styles
from drawings import DRAWINGS
from reportlab.lib.colors import Color, white
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

RIGHT = styles.PAGE_WIDTH - styles.MARGIN


def draw_cover(canvas: Canvas, about: dict[str, str], accent: Color) -> None:
    _band(canvas, accent, height=64)
    _publisher_on_band(canvas, about, baseline=styles.PAGE_HEIGHT - 38)
    bottom = _paragraph(canvas, about["title"], styles.TITLE, top=690)
    _paragraph(canvas, about["subtitle"], styles.SUBTITLE, top=bottom - 10)
    DRAWINGS[about["cover"]]().drawOn(canvas, styles.MARGIN, 270)
    canvas.setStrokeColor(accent)
    canvas.setLineWidth(1.2)
    canvas.line(styles.MARGIN, 176, RIGHT, 176)
    _facts(canvas, about, top=154)


def draw_title_block(canvas: Canvas, about: dict[str, str], accent: Color) -> None:
    _band(canvas, accent, height=40)
    _publisher_on_band(canvas, about, baseline=styles.PAGE_HEIGHT - 25)
    title = styles.TITLE.clone("ReportTitle", fontSize=22, leading=27)
    subtitle = styles.SUBTITLE.clone("ReportSubtitle", fontSize=12, leading=16)
    bottom = _paragraph(canvas, about["title"], title, top=styles.PAGE_HEIGHT - 66)
    bottom = _paragraph(canvas, about["subtitle"], subtitle, top=bottom - 4)
    _facts(canvas, about, top=bottom - 20)
    canvas.setStrokeColor(styles.RULE)
    canvas.line(styles.MARGIN, styles.PAGE_HEIGHT - 210, RIGHT, styles.PAGE_HEIGHT - 210)


def draw_header(canvas: Canvas, title: str, chapter: str) -> None:
    canvas.setFont("Helvetica", 8.5)
    canvas.setFillColor(styles.GREY)
    canvas.drawString(styles.MARGIN, styles.PAGE_HEIGHT - 52, title)
    canvas.drawRightString(RIGHT, styles.PAGE_HEIGHT - 52, chapter)
    canvas.setStrokeColor(styles.RULE)
    canvas.setLineWidth(0.6)
    canvas.line(styles.MARGIN, styles.PAGE_HEIGHT - 60, RIGHT, styles.PAGE_HEIGHT - 60)


def draw_footer(canvas: Canvas, left: str, label: str) -> None:
    canvas.setFont("Helvetica", 8.5)
    canvas.setFillColor(styles.GREY)
    canvas.drawString(styles.MARGIN, 40, left)
    canvas.drawRightString(RIGHT, 40, label)


def _band(canvas: Canvas, accent: Color, height: float) -> None:
    canvas.setFillColor(accent)
    canvas.rect(0, styles.PAGE_HEIGHT - height, styles.PAGE_WIDTH, height, stroke=0, fill=1)


def _publisher_on_band(canvas: Canvas, about: dict[str, str], baseline: float) -> None:
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawString(styles.MARGIN, baseline, about["publisher"])
    canvas.setFont("Helvetica", 9.5)
    canvas.drawRightString(RIGHT, baseline, about["department"])


def _facts(canvas: Canvas, about: dict[str, str], top: float) -> None:
    """The lines of the front matter's `facts`, as a name and a value each."""
    for number, fact in enumerate(about["facts"].split("; ")):
        name, value = fact.split(" = ")
        canvas.setFillColor(styles.GREY)
        canvas.setFont("Helvetica", 9.5)
        canvas.drawString(styles.MARGIN, top - 14 * number, name)
        canvas.setFillColor(styles.INK)
        canvas.drawString(styles.MARGIN + 92, top - 14 * number, value)


def _paragraph(canvas: Canvas, text: str, style: ParagraphStyle, top: float) -> float:
    """Draw `text` below `top` and return where it ends."""
    paragraph = Paragraph(text, style)
    _, height = paragraph.wrap(styles.TEXT_WIDTH, 200)
    paragraph.drawOn(canvas, styles.MARGIN, top - height)
    return top - height
