"""Scanned pages of a PDF: read if OCR is installed, reported if it is not, and marked in both cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.documents.block import Block
from corpus.documents.machine_text import is_ocr_text, ocr_warnings
from corpus.index.local import LocalIndex
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.report import Silence
from corpus.readers.image_files import read_image
from corpus.readers.ocr.engine import OcrEngine
from corpus.readers.ocr.recognition import Recognition
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses
from tests.readers.pdfs import HEIGHT, both, drawn, lines
from tests.readers.scans import ToldEngine, needs_ocr, picture, piece, read_with_pictures, scan

BLANK = Image.new("RGB", (1654, 2339), "white")
SAID = piece("The pump is primed before it runs.", 200, 300, 1200, 340)


def read(path: Path, engine: OcrEngine | None, **bounds: float) -> tuple[ReadDocument, list[ReadBlock]]:
    steps = list(read_pdf(path, Recognition(engine, **bounds)))
    (document,) = (step for step in steps if isinstance(step, ReadDocument))
    return document, [step for step in steps if isinstance(step, ReadBlock)]


def test_a_scan_without_ocr_is_reported_with_the_fix(tmp_path: Path) -> None:
    document, blocks = read(scan(tmp_path / "scan.pdf", BLANK), None)
    (warning,) = document.warnings
    assert "Page 1 is a picture" in warning
    assert "set RAG_OCR to auto, and ingest again" in warning
    assert document.pending == ("p1",)
    assert blocks == []


def test_an_ocr_page_is_text_with_its_position_and_says_how_it_was_read(tmp_path: Path) -> None:
    document, (block,) = read(scan(tmp_path / "scan.pdf", BLANK), ToldEngine(SAID))
    assert block.content == "The pump is primed before it runs."
    assert block.place == "p1-ocr1"
    assert block.bbox == pytest.approx((72, 108, 432, 122.4), abs=0.2)
    (line,) = block.lines
    assert block.content[line.start : line.end] == block.content
    assert line.box == block.bbox
    assert document.warnings == (
        "Page 1 was read by text recognition (OCR); single characters and numbers may be wrong.",
    )
    assert document.pending == ()


def test_a_page_with_text_is_not_read_by_ocr(tmp_path: Path) -> None:
    engine = ToldEngine(SAID)
    document, (block,) = read(drawn(tmp_path / "text.pdf", lines("There is text enough on this page")), engine)
    assert engine.images == 0
    assert block.place == "p1-1"
    assert document.warnings == ()


def test_a_page_that_takes_too_long_is_reported_and_the_rest_of_the_file_is_read(tmp_path: Path) -> None:
    def whole(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(BLANK), 0, 0, 595, 842)

    path = drawn(tmp_path / "mixed.pdf", whole, lines("There is text enough on this page"))
    document, (block,) = read(path, ToldEngine(SAID), image_seconds=-1)
    assert document.warnings == ("Page 1: a picture whose text recognition (OCR) took too long and was given up.",)
    assert document.pending == ()
    assert block.page_number == 2


def test_each_ocr_step_is_a_sign_of_life(tmp_path: Path) -> None:
    path = scan(tmp_path / "scan.pdf", BLANK)
    quick, slow = (
        sum(isinstance(step, PageDone) for step in read_pdf(path, Recognition(ToldEngine(SAID, idle=idle))))
        for idle in (0, 7)
    )
    assert slow == quick + 7


def test_words_within_a_figure_come_below_a_line_that_names_their_source(
    tmp_path: Path,
) -> None:
    image = Image.new("RGB", (600, 400), (90, 120, 200))

    def photograph(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(image), 150, HEIGHT - 400, 300, 200)

    body = [f"Running text that goes on for a while, line {n} of the body of this page." for n in range(6)]
    page = both(photograph, lines(*body, top=100), lines("Figure 1: The pump from above", top=420))
    _, blocks = read(drawn(tmp_path / "figure.pdf", page), ToldEngine(piece("INLET", 10, 10, 90, 40)))
    (figure,) = (block for block in blocks if block.block_type == "image")
    assert figure.content.endswith("[Read in the picture by text recognition]\nINLET")
    assert all("INLET" not in block.content for block in blocks if block.block_type == "text")


def test_a_search_that_finds_ocr_text_says_so() -> None:
    def block(place: str, page: int) -> Block:
        return Block(block_id=f"scan-1-{place}", doc_id="scan-1", block_type="text", page_number=page)

    assert is_ocr_text(block("p3-ocr1", 3))
    assert not is_ocr_text(block("p3-1", 3))
    (warning,) = ocr_warnings([(block("p3-ocr1", 3), "scan.pdf"), (block("p4-1", 4), "scan.pdf")])
    assert warning.endswith("scan.pdf page 3.")
    assert ocr_warnings([(block("p4-1", 4), "scan.pdf")]) == ()


@needs_ocr
@pytest.mark.anyio
async def test_a_scan_is_read_in_its_process_within_its_limits(tmp_path: Path) -> None:
    page = picture(tmp_path / "page.pdf", "Die Heizung läuft ab März.", "Größere Pumpen folgen.", size=(595, 842))
    read = await read_with_pictures(tmp_path / "records", scan(tmp_path / "scan.pdf", page))
    assert " ".join(read.blocks[0].content.split()) == "Die Heizung läuft ab März. Größere Pumpen folgen."
    assert read.blocks[0].place == "p1-ocr1"


def test_a_picture_file_is_found_by_the_words_in_it(tmp_path: Path) -> None:
    BLANK.save(tmp_path / "scan.png")
    steps = list(read_image(tmp_path / "scan.png", Recognition(ToldEngine(SAID))))
    (block,) = (step for step in steps if isinstance(step, ReadBlock))
    assert block.content == "[Read in the picture by text recognition]\nThe pump is primed before it runs."
    (document,) = (step for step in steps if isinstance(step, ReadDocument))
    assert "text recognition" in document.warnings[0]
    assert document.pending == ()


def test_a_picture_with_much_text_is_text_as_well(tmp_path: Path) -> None:
    BLANK.save(tmp_path / "scan.png")
    rows = [
        piece(f"line {n} of many that together are too long for a block", 200, 100 + 45 * n, 1400, 135 + 45 * n)
        for n in range(45)
    ]
    steps = list(read_image(tmp_path / "scan.png", Recognition(ToldEngine(*rows))))
    figure, *texts = (step for step in steps if isinstance(step, ReadBlock))
    assert figure.content == ""
    assert [text.place for text in texts[:2]] == ["p1-ocr1", "p1-ocr2"]
    assert all(len(text.content) <= 1500 for text in texts)
    assert "line 44" in texts[-1].content


@pytest.mark.anyio
async def test_installing_ocr_reads_scans_again_and_nothing_else(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    scan(folder / "scan.pdf", BLANK)
    drawn(folder / "text.pdf", lines("There is text enough on this page"))
    index = LocalIndex.open(tmp_path / "index", None)
    async with ReadingProcesses() as reading:

        async def ingested(*, reads_pictures: bool) -> dict[str, str]:
            run = Ingestion(
                index,
                reading,
                readable=READABLE,
                reader_version="1",
                reads_pictures=reads_pictures,
                progress=Silence(),
            )
            return {outcome.path.name: outcome.kind for outcome in (await run.run([folder])).outcomes}

        assert await ingested(reads_pictures=False) == {"scan.pdf": "added", "text.pdf": "added"}
        assert await ingested(reads_pictures=False) == {"scan.pdf": "unchanged", "text.pdf": "unchanged"}
        assert await ingested(reads_pictures=True) == {"scan.pdf": "replaced", "text.pdf": "unchanged"}
    await index.aclose()


def test_a_page_of_a_figure_and_a_short_caption_keeps_both(tmp_path: Path) -> None:
    image = Image.new("RGB", (600, 400), (90, 120, 200))

    def photograph(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(image), 150, HEIGHT - 400, 300, 200)

    page = both(photograph, lines("Figure 1: A pump", top=420))
    inlet = piece("INLET", 500, 700, 600, 740)  # at 200 dpi, within the photograph
    _, blocks = read(drawn(tmp_path / "figure.pdf", page), ToldEngine(inlet))
    (figure,) = (block for block in blocks if block.block_type == "image")
    assert figure.image_caption == "Figure 1: A pump"
    assert figure.content == "[Read in the picture by text recognition]\nINLET"
