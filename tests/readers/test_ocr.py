"""Pictures of text become lines in reading order, in any rotation, and nothing is downloaded for that."""

from __future__ import annotations

import math
import socket
from pathlib import Path
from typing import NoReturn

import pytest
from PIL import Image

from corpus.readers.ocr import rapid
from corpus.readers.ocr.engine import Corners, Piece, engine
from corpus.readers.ocr.line_assembly import arrange
from corpus.readers.ocr.recognition import Recognition, RecognitionFailed
from tests.readers.scans import ToldEngine, ended, needs_ocr, picture, piece, recognized_text

SIZE = (1000.0, 1400.0)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def turned(pieces: list[Piece], quarters: int) -> list[Piece]:
    """Return the pieces of an image of SIZE after it was rotated clockwise."""
    for step in range(quarters):
        height = SIZE[1 - step % 2]
        pieces = [Piece(p.text, _corners([(height - y, x) for x, y in p.corners])) for p in pieces]
    return pieces


def _corners(points: list[tuple[float, float]]) -> Corners:
    a, b, c, d = points
    return (a, b, c, d)


def texts(pieces: list[Piece], size: tuple[float, float] = SIZE) -> list[str]:
    return [line.text for line in arrange(pieces, size, 1.0)[0]]


@needs_ocr
@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "line",
    [
        "The quick brown fox pays 18,450.75 pounds for 27 jugs (no. HB-2071/C).",
        "Größere Übungsräume kosten ab März 1.250 Euro; Süßes gibt es für Ärzte.",
    ],
)
def test_a_clean_line_is_read_without_an_error_and_without_a_network(tmp_path: Path, line: str) -> None:
    assert recognized_text(picture(tmp_path / "line.pdf", line), Recognition(engine())) == line


@needs_ocr
@pytest.mark.usefixtures("no_network")
def test_a_model_missing_from_its_package_is_reported_and_not_downloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(rapid._MODELS, "Det", "not-there.onnx")
    with pytest.raises(FileNotFoundError, match=r"not-there\.onnx"):
        recognized_text(Image.new("RGB", (300, 100), "white"), Recognition(rapid.RapidEngine()))


@needs_ocr
@pytest.mark.slow
def test_a_page_on_its_side_or_upside_down_is_read(tmp_path: Path) -> None:
    said = ("The pump is primed before it runs,", "and stopped after the valve is shut.")
    image = picture(tmp_path / "page.pdf", *said)
    recognition = Recognition(engine())
    for degrees in (90, 180, 270):
        assert " ".join(recognized_text(image.rotate(degrees, expand=True), recognition).split()) == " ".join(said)


def test_an_empty_picture_has_no_words() -> None:
    assert recognized_text(Image.new("L", (300, 200), 255), Recognition(ToldEngine())) == ""


def test_columns_are_read_one_after_the_other() -> None:
    left = [f"the left column goes on with line {n}" for n in range(8)]
    right = [f"the right column goes on with line {n}" for n in range(8)]
    pieces = [
        piece(text, x, 100 + n * 30, x + 400, 122 + n * 30)
        for x, column in ((560, right), (60, left))
        for n, text in enumerate(column)
    ]
    assert texts(pieces) == left + right


def test_pieces_of_one_line_are_joined_and_the_cells_of_a_row_stay_on_it() -> None:
    pieces = [
        piece("beyond it", 310, 101, 420, 123),
        piece("a line up to here and", 60, 100, 300, 122),
        piece("Total", 60, 200, 130, 222),
        piece("1,250", 600, 202, 680, 224),
    ]
    assert texts(pieces) == ["a line up to here and beyond it", "Total 1,250"]


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_lines_of_a_rotated_page_are_upright_and_their_boxes_keep_their_positions(quarters: int) -> None:
    upright = [
        piece("what comes first on the page", 60, 100, 400, 122),
        piece("what comes next", 60, 130, 300, 152),
    ]
    pieces = turned(upright, quarters)
    size = (SIZE[1], SIZE[0]) if quarters % 2 else SIZE
    lines, frame = arrange(pieces, size, 1.0)
    assert [line.text for line in lines] == ["what comes first on the page", "what comes next"]
    assert lines[0].box == pytest.approx((60, 100, 400, 122))
    xs, ys = zip(*pieces[0].corners, strict=True)
    assert frame.as_it_lies(lines[0].box) == pytest.approx((min(xs), min(ys), max(xs), max(ys)))


def test_lines_of_a_skewed_page_are_level() -> None:
    slope = math.tan(math.radians(0.7))
    rows = [(f"a long line number {n} of a scan that lies askew", 100 + n * 26) for n in range(4)]
    pieces = [
        Piece(text, ((60, y), (900, y + 840 * slope), (900, y + 20 + 840 * slope), (60, y + 20))) for text, y in rows
    ]
    lines, _ = arrange(pieces, SIZE, 1.0)
    assert [line.text for line in lines] == [text for text, _ in rows]
    assert all(line.box[3] - line.box[1] < 22 for line in lines)


def test_a_word_hyphenated_at_a_line_end_is_one_word() -> None:
    pieces = [piece("the committee dis-", 60, 100, 400, 122), piece("cussed the offers", 60, 128, 390, 150)]
    assert recognized_text(Image.new("RGB", (1000, 1400)), Recognition(ToldEngine(*pieces))) == (
        "the committee discussed the offers"
    )


def test_an_image_that_takes_too_long_is_abandoned() -> None:
    slow = Recognition(ToldEngine(piece("word", 0, 0, 40, 20)), image_seconds=-1)
    with pytest.raises(RecognitionFailed, match="took too long"):
        ended(slow.text("p1", lambda: (Image.new("RGB", (300, 200)), 1.0)))


def test_a_huge_picture_is_reduced_before_ocr_and_boxes_keep_their_positions() -> None:
    engine = ToldEngine(piece("half way across", 2000, 100, 3000, 140))
    steps = Recognition(engine).lines("p1", lambda: (Image.new("RGB", (8000, 800)), 2.0))
    (line,), _ = ended(steps)
    assert line.box[0] == pytest.approx(2000)
