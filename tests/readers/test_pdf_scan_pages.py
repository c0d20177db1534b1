"""A scanned page is read from its picture, whatever is stamped on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.ocr.recognition import Recognition
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock, ReadDocument
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines
from tests.readers.scans import ToldEngine, picture, piece

RULES = tuple(f"Boats of class {letter} pay {number} euros at the quay." for number, letter in enumerate("ABCDEFGH", 3))


@pytest.fixture
def page_of_text(tmp_path: Path) -> Draw:
    image = picture(tmp_path / "text.pdf", *RULES, size=A4)
    return lambda canvas: canvas.drawImage(ImageReader(image), 0, 0, *A4)


def stamp(canvas: Canvas) -> None:
    lines("Filed with the harbour court on 4 May 2026", top=30, size=9)(canvas)


def footer(canvas: Canvas) -> None:
    terms = "All use is subject to the terms at https://example.org/terms and is logged by the library."
    lines("This content was downloaded from 192.0.2.7 on Monday, 4 May 2026.", terms, top=815, size=7)(canvas)


def fax(canvas: Canvas) -> None:
    lines("04/05/2026 09:12  FROM: HARBOUR OFFICE  TO: +49 30 000000  P. 01/03", top=20, size=8)(canvas)


def layer(canvas: Canvas) -> None:
    """Draw the text layer of a scan: invisible, over its words."""
    text = canvas.beginText(30, HEIGHT - 40)
    text.setFont("Helvetica", 12)
    text.setLeading(1.3 * 12)
    text.setTextRenderMode(3)
    text.textLines("\n".join(RULES))
    canvas.drawText(text)


def read(path: Path, *told: object) -> tuple[ReadDocument, str]:
    engine = ToldEngine(*told) if told else None  # type: ignore[arg-type]
    steps = list(read_pdf(path, Recognition(engine)))
    (document,) = (step for step in steps if isinstance(step, ReadDocument))
    return document, "\n".join(step.content for step in steps if isinstance(step, ReadBlock))


@pytest.mark.parametrize("extra", [stamp, footer, fax], ids=["stamp", "footer", "fax"])
def test_a_stamped_scan_is_still_a_picture(tmp_path: Path, page_of_text: Draw, extra: Draw) -> None:
    document, text = read(drawn(tmp_path / "a.pdf", both(page_of_text, extra)))
    assert document.pending == ("p1",)
    assert document.title is None
    assert text


def test_ocr_text_and_the_stamp_next_to_it_are_each_read_once(tmp_path: Path, page_of_text: Draw) -> None:
    told = [piece("Filed with the harbour c0urt", 200, 55, 720, 90), piece(RULES[0], 90, 85 + 20, 900, 135)]
    document, text = read(drawn(tmp_path / "a.pdf", both(page_of_text, stamp)), *told)
    assert text.count("Filed with") == 1
    assert text.count(RULES[0]) == 1
    assert document.pending == ()


def test_a_scan_with_a_text_layer_keeps_it(tmp_path: Path, page_of_text: Draw) -> None:
    document, text = read(drawn(tmp_path / "a.pdf", both(page_of_text, layer, stamp)))
    assert document.pending == ()
    assert RULES[0] in text


def test_a_picture_behind_real_text_is_not_a_scan(tmp_path: Path) -> None:
    grain = np.random.default_rng(4).integers(0, 255, (400, 300, 3), dtype=np.uint8)
    shade = np.tile(np.linspace(180, 255, 300, dtype=np.uint8), (400, 1))
    plain = np.full((400, 300), 250, dtype=np.uint8)
    plain[20:60, 20:80] = 0  # a logo
    for number, values in enumerate((grain, shade, plain)):
        image = ImageReader(Image.fromarray(values))

        def page(canvas: Canvas, image: ImageReader = image) -> None:
            canvas.drawImage(image, 0, 0, *A4)
            lines("The harbour in spring", "Three quays, two cranes and a light", top=300, size=20)(canvas)

        document, _ = read(drawn(tmp_path / f"{number}.pdf", page))
        assert (document.pending, document.warnings) == ((), ())


DOWNLOAD = "Downloaded from archive.example on 4 May 2026 by user 7731, for personal use only"


def test_a_scan_of_a_single_line_with_a_download_footer_is_a_picture(tmp_path: Path) -> None:
    image = ImageReader(picture(tmp_path / "text.pdf", "Enclosed: the deed of 1911.", size=A4))

    def page(canvas: Canvas) -> None:
        canvas.drawImage(image, 0, 0, *A4)
        lines(DOWNLOAD, top=820, size=7)(canvas)

    document, text = read(drawn(tmp_path / "a.pdf", page))
    assert document.pending == ("p1",)
    assert "archive.example" in text


def test_a_scan_with_a_dark_copy_edge_is_still_a_picture(tmp_path: Path) -> None:
    image = picture(tmp_path / "text.pdf", *RULES, size=A4).convert("L")
    image.paste(0, (0, 0, image.width // 20, image.height))

    def page(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(image), 0, 0, *A4)
        stamp(canvas)

    document, _ = read(drawn(tmp_path / "a.pdf", page))
    assert document.pending == ("p1",)


def test_a_photograph_of_a_page_with_a_download_footer_is_a_picture(tmp_path: Path) -> None:
    image = picture(tmp_path / "text.pdf", *RULES, size=A4).convert("L")
    image = image.point(lambda value: value // 2)
    image.paste(10, (0, 0, image.width, image.height * 3 // 5))

    def page(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(image), 0, 0, *A4)
        lines(DOWNLOAD, top=820, size=7)(canvas)

    document, _ = read(drawn(tmp_path / "a.pdf", page))
    assert document.pending == ("p1",)


def test_a_plain_background_with_a_footer_is_not_a_scan(tmp_path: Path) -> None:
    image = ImageReader(Image.new("RGB", (60, 80), (240, 246, 252)))

    def page(canvas: Canvas) -> None:
        canvas.drawImage(image, 0, 0, *A4)
        lines(DOWNLOAD, top=820, size=7)(canvas)

    document, _ = read(drawn(tmp_path / "a.pdf", page))
    assert document.pending == ()
