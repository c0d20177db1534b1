"""Pictures in documents of any format are found by the text in them, if OCR is installed."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest
from PIL import Image

from corpus.documents.block import Picture
from corpus.readers.ocr.engine import unread_picture
from corpus.readers.ocr.recognition import MAX_WORDS, Recognition, with_figure_words
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step
from tests.readers.scans import ToldEngine, needs_ocr, picture, piece, read_with_pictures

IMAGE = Image.new("RGB", (400, 200), "white")


def png(image: Image.Image = IMAGE) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


FIGURE = ReadBlock(place="e1", block_type="image", content="Beside it.", picture=Picture(png(), "image/png"))
TEXT = ReadBlock(place="e2", block_type="text", content="Text.")


def given(*steps: Step, recognition: Recognition) -> list[Step]:
    return [
        step
        for step in with_figure_words(iter([*steps, ReadDocument()]), lambda: recognition)
        if not isinstance(step, PageDone)
    ]


def test_figure_text_comes_after_the_caption_and_is_reported() -> None:
    engine = ToldEngine(piece("Minivan", 10, 10, 200, 40), piece("Gray", 10, 60, 200, 90))
    figure, text, document = given(FIGURE, TEXT, recognition=Recognition(engine))
    assert isinstance(figure, ReadBlock)
    assert figure.content == "Beside it.\n\n[Read in the picture by text recognition]\nMinivan\nGray"
    assert text == TEXT
    assert isinstance(document, ReadDocument)
    assert document.warnings == (
        "The words in 1 picture were read by text recognition (OCR); single characters and numbers may be wrong.",
    )
    assert document.pending == ()


def test_a_figure_without_words_is_unchanged() -> None:
    assert given(FIGURE, recognition=Recognition(ToldEngine())) == [FIGURE, ReadDocument()]


@pytest.mark.parametrize("count", [1, 3])
def test_an_attached_picture_read_by_ocr_is_not_reported_as_unread(count: int) -> None:
    unread = unread_picture(count, follows=False)
    steps: list[Step] = [FIGURE, ReadDocument(warnings=(f"Attachment foto.png: {unread}", "Something else."))]
    *_, with_engine = with_figure_words(iter(steps), lambda: Recognition(ToldEngine()))
    *_, without = with_figure_words(iter(steps), lambda: Recognition(None))
    assert isinstance(with_engine, ReadDocument)
    assert isinstance(without, ReadDocument)
    assert with_engine.warnings == ("Something else.",)
    assert without.warnings == (f"Attachment foto.png: {unread}", "Something else.")


def test_without_an_engine_the_document_is_marked_for_another_reading() -> None:
    figure, document = given(FIGURE, recognition=Recognition(None))
    assert figure == FIGURE
    assert isinstance(document, ReadDocument)
    assert document.pending == ("e1",)


def test_a_document_without_figures_is_not_marked() -> None:
    assert given(TEXT, recognition=Recognition(None)) == [TEXT, ReadDocument()]


def test_icons_are_ignored_and_words_are_limited() -> None:
    small = ReadBlock(place="e1", block_type="image", picture=Picture(png(IMAGE.resize((90, 90))), "image/png"))
    engine = ToldEngine(*(piece("word " * 40, 10, y, 390, y + 5) for y in range(0, 190, 9)))
    assert given(small, recognition=Recognition(engine))[0] == small
    figure = given(FIGURE, recognition=Recognition(engine))[0]
    assert isinstance(figure, ReadBlock)
    assert MAX_WORDS // 2 < len(figure.content) < MAX_WORDS + 200


@needs_ocr
@pytest.mark.slow
@pytest.mark.anyio
async def test_a_picture_in_a_word_document_is_read(tmp_path: Path) -> None:
    said = "Torque of the cover screws: 35 Nm"
    made = docx.Document()
    made.add_paragraph("The screws are listed below.")
    made.add_picture(io.BytesIO(png(picture(tmp_path / "line.pdf", said))))
    made.save(str(tmp_path / "made.docx"))
    document = await read_with_pictures(tmp_path / "records", tmp_path / "made.docx")
    assert any(said in block.content for block in document.blocks)
