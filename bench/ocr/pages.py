"""Scanned pages generated from our own text: typeset with reportlab, rendered at 200 dpi, and stored only as
pictures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from corpus.readers.pdf.page_geometry import pdfium

LANGUAGES = ("english", "german")
DPI = 200

_HEAD = ParagraphStyle("head", fontName="Helvetica-Bold", fontSize=16, leading=20, spaceAfter=10)
_BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14.3, spaceAfter=8)


def text(language: str) -> str:
    """Return the text of the page in this language."""
    return Path(__file__).with_name(f"{language}.txt").read_text(encoding="utf-8")


def page(language: str, *, noisy: bool) -> Image.Image:
    """Return the page as rendered or, if `noisy` is True, as if photocopied: rotated by 0.7 degrees, blurred, with
    noise, and saved as a JPEG of quality 45."""
    head, *paragraphs = text(language).strip().split("\n\n")
    buffer = io.BytesIO()
    parts = [Paragraph(head, _HEAD), *(Paragraph(each, _BODY) for each in paragraphs)]
    SimpleDocTemplate(buffer, pagesize=A4).build(parts)
    with pdfium.PdfDocument(buffer.getvalue()) as document:
        image: Image.Image = document[0].render(scale=DPI / 72).to_pil().convert("RGB")
    return _copied(image) if noisy else image


def scan(path: Path, image: Image.Image) -> Path:
    """Write a PDF with one page that consists of this picture."""
    size = (image.width * 72 / DPI, image.height * 72 / DPI)
    canvas = Canvas(str(path), pagesize=size)
    canvas.drawImage(ImageReader(image), 0, 0, *size)
    canvas.save()
    return path


def _copied(image: Image.Image) -> Image.Image:
    askew = image.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor="white")
    blurred = np.asarray(askew.filter(ImageFilter.GaussianBlur(1.0))).astype(np.float32)
    noise = np.random.default_rng(1).normal(0, 12, (*blurred.shape[:2], 1))
    buffer = io.BytesIO()
    Image.fromarray((blurred + noise).clip(0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=45)
    return Image.open(buffer).convert("RGB")
