"""PDFs for tests: drawn with reportlab, or written by hand if a library would refuse."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
Draw = Callable[[Canvas], None]


def drawn(path: Path, *pages: Draw, **info: str) -> Path:
    """Write a PDF with a page for each function."""
    canvas = Canvas(str(path), pagesize=A4, initialFontName="Helvetica", initialFontSize=11)
    for name, value in info.items():
        getattr(canvas, f"set{name.capitalize()}")(value)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def lines(*texts: str, left: float = 72, top: float = 100, size: float = 11, font: str = "Helvetica") -> Draw:
    """Draw the texts one below the other, from `top` points below the upper edge."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for number, text in enumerate(texts):
            canvas.drawString(left, HEIGHT - top - number * 1.2 * size, text)

    return draw


def both(*parts: Draw) -> Draw:
    """Draw all of the parts on one page."""

    def draw(canvas: Canvas) -> None:
        for part in parts:
            part(canvas)

    return draw


def chart(left: float = 150, top: float = 150, width: float = 250, height: float = 120) -> Draw:
    """Draw coloured bars, like those of a chart."""

    def draw(canvas: Canvas) -> None:
        for bar in range(6):
            canvas.setFillColorRGB(0.2, 0.2 + bar * 0.1, 0.7)
            bar_height = height * (bar + 1) / 6
            canvas.rect(left + bar * width / 6, HEIGHT - top - height, width / 7, bar_height, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        canvas.line(left, HEIGHT - top - height, left + width, HEIGHT - top - height)

    return draw


def by_hand(path: Path, content: bytes, page: bytes = b"", *, packed: bool = False) -> Path:
    """Write a PDF of one page with this content stream and further page entries."""
    stream = zlib.compress(content, 9) if packed else content
    filtered = b"/Filter /FlateDecode " if packed else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> " + page + b" >>",
        b"<< " + filtered + b"/Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, places = b"%PDF-1.7\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + text + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n" + table
    end += b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)
    path.write_bytes(data + end)
    return path


def memory_bomb(path: Path) -> Path:
    """Write a small file whose page is drawn endlessly and needs gigabytes."""
    return by_hand(path, b"0 0 m 1 1 l S\n" * 15_000_000, packed=True)
