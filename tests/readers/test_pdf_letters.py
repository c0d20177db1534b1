"""Characters with a wrong or missing encoding in a PDF's fonts: decoded, read from the picture of the page, or
reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import reportlab
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.ocr.engine import OcrEngine, Piece
from corpus.readers.ocr.recognition import Recognition
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.pdf.text.font_encoding import join_halves
from corpus.readers.protocol import ReadBlock, ReadDocument
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines
from tests.readers.scans import ToldEngine, piece

PROSE = (
    "The keeper of the tower lights the lamp before the fog comes in from the sea,",
    "and he writes the hour and the names of all the ships that pass the harbour.",
    "In spring he paints the rails and mends the nets with the men of the village.",
)
LIGATURES = ("The of\ufb01cer checks the \ufb01rst \ufb02oor of the mill.", "He counts the \ufb01lters.")
RIGHT = ("The officer checks the first floor of the mill.", "He counts the filters.")


@contextmanager
def _mapped(codes: Mapping[int, int]) -> Iterator[None]:
    """Return fonts that map these characters to others."""
    right = ttfonts.makeToUnicodeCMap

    def wrong(name: str, subset: list[int]) -> str:
        text: str = right(name, [codes.get(code, code) for code in subset])
        return text

    ttfonts.makeToUnicodeCMap = wrong
    try:
        yield
    finally:
        ttfonts.makeToUnicodeCMap = right


def written(path: Path, codes: Mapping[int, int], *texts: str, beside: Draw | None = None) -> Path:
    """Write a page with texts in a font that maps characters to the `codes`."""
    vera = Path(reportlab.__file__).with_name("fonts") / "Vera.ttf"
    pdfmetrics.registerFont(ttfonts.TTFont("Vera", vera))
    page = lines(*texts, font="Vera", left=72)
    with _mapped(codes):
        return drawn(path, both(page, beside) if beside else page)


def read(path: Path, engine: OcrEngine | None = None) -> tuple[ReadDocument, str]:
    steps = list(read_pdf(path, Recognition(engine)))
    (document,) = (step for step in steps if isinstance(step, ReadDocument))
    return document, "\n".join(step.content for step in steps if isinstance(step, ReadBlock))


def seen(*texts: str, left: float = 72, top: float = 100) -> list[Piece]:
    """Return the lines that OCR sees."""
    scale, step = 200 / 72, 1.2 * 11
    return [
        piece(text, left * scale, (top - 10 + n * step) * scale, 520 * scale, (top + 2 + n * step) * scale)
        for n, text in enumerate(texts)
    ]


CIPHER = {
    **{ord("a") + n: ord("a") + (n + 9) % 26 for n in range(26)},
    **{ord("A") + n: ord("A") + (n + 9) % 26 for n in range(26)},
}


@pytest.mark.parametrize("code", [0, 0xE000, 0xFFFD, 0x05], ids=["NUL", "private", "replacement", "control"])
def test_a_ligature_without_a_name_is_reported_and_then_read_by_ocr(tmp_path: Path, code: int) -> None:
    path = written(tmp_path / "a.pdf", {0xFB01: code, 0xFB02: code}, *LIGATURES)
    document, text = read(path)
    assert "The of\ufffdcer checks the \ufffdrst \ufffdoor" in text
    assert document.pending == ("p1",)
    assert "Characters are missing in words of page 1" in document.warnings[0]

    document, text = read(path, ToldEngine(*seen(*RIGHT)))
    assert text == " ".join(RIGHT)
    assert document.warnings == ()


def test_unreadable_characters_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", {0xFB01: 0, 0xFB02: 0}, *LIGATURES)
    document, text = read(path, ToldEngine(*seen("something else")))
    assert "of\ufffdcer" in text
    assert "text recognition (OCR) could not read them" in document.warnings[0]


def test_nonsense_characters_are_left_out_until_they_are_read_by_ocr(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", CIPHER, *PROSE)
    document, text = read(path)
    assert text == ""
    assert document.pending == ("p1",)
    assert document.warnings[0].startswith("The text of page 1 makes no sense")
    assert document.title is None

    document, text = read(path, ToldEngine(*seen(*PROSE)))
    assert text == " ".join(PROSE)
    assert document.warnings == (
        "Page 1 was read by text recognition (OCR); single characters and numbers may be wrong.",
    )


def test_one_bad_font_loses_no_text_of_another(tmp_path: Path) -> None:
    beside = lines("A rent of 70 euros is paid each month, and 12 euros for the boat.", top=300)
    path = written(tmp_path / "a.pdf", CIPHER, *PROSE, beside=beside)
    _, text = read(path)
    assert text == "A rent of 70 euros is paid each month, and 12 euros for the boat."

    engine = ToldEngine(*seen(*PROSE), *seen("A rent of 7O euros is paid each month, and 12 euros", top=300))
    _, text = read(path, engine)
    assert text.split("\n") == [
        " ".join(PROSE),
        "A rent of 70 euros is paid each month, and 12 euros for the boat.",
    ]


@pytest.mark.parametrize(("code", "stands_for"), [(0xF001, "fi"), (0x92, "\u2019"), (0xF735, "5"), (0xF761, "a")])
def test_legacy_codes_become_their_characters(tmp_path: Path, code: int, stands_for: str) -> None:
    path = written(tmp_path / "a.pdf", {ord("#"): code}, "The keeper said 2# times that he#d come again.")
    document, text = read(path)
    assert text == f"The keeper said 2{stands_for} times that he{stands_for}d come again."
    assert document.warnings == ()


DIGITS = {ord("0") + digit: 0x13 + digit for digit in range(10)}
"""Glyph numbers that some programs write instead of characters."""

SUMS = ("Berth 12 costs 1950 euros a season,", "the crane 340 euros.", "8")


def test_digits_encoded_as_control_codes_are_reported(tmp_path: Path) -> None:
    document, text = read(written(tmp_path / "a.pdf", DIGITS, *SUMS, beside=lines(*PROSE, top=300)))
    assert "Berth \ufffd\ufffd costs \ufffd\ufffd\ufffd\ufffd euros" in text
    assert "crane \ufffd\ufffd\ufffd euros" in text
    assert document.pending == ("p1",)
    assert "Characters are missing in words of page 1" in document.warnings[0]


def test_digits_encoded_as_control_codes_are_read_by_ocr(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", DIGITS, *SUMS, beside=lines(*PROSE, top=300))
    document, text = read(path, ToldEngine(*seen(*SUMS)))
    assert "Berth 12 costs 1950 euros a season, the crane 340 euros." in text
    assert "\ufffd" not in text
    assert document.warnings == ()


def test_an_ocr_number_with_more_characters_than_the_page_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", DIGITS, *SUMS, beside=lines(*PROSE, top=300))
    _, text = read(path, ToldEngine(*seen(SUMS[0].replace("1950", "19500"), *SUMS[1:])))
    assert "19" not in text
    assert "crane 340 euros" in text


def test_a_control_code_next_to_a_capital_is_a_letter_if_its_font_writes_words(tmp_path: Path) -> None:
    texts = ("Die H\u00e4user am Ufer sind alt, und die G\u00e4ste kommen gern.",)
    document, text = read(written(tmp_path / "a.pdf", {ord("\u00e4"): 5}, *texts))
    assert text == texts[0].replace("\u00e4", "\ufffd")
    assert document.pending == ("p1",)


@pytest.mark.parametrize("code", [1, 0x1A, 0xE123, 0xFFFD])
@pytest.mark.parametrize(
    ("number", "lost"), [("4,5", ","), ("740", "7"), ("17", "7"), ("-5", "-"), ("1975", "7"), ("3.250", ".")]
)
def test_a_number_that_lost_a_character_is_marked_and_not_another_number(
    tmp_path: Path, number: str, lost: str, code: int
) -> None:
    sentence = f"The keeper wrote {number} into the old book of the harbour"
    document, text = read(written(tmp_path / "a.pdf", {ord(lost): code}, sentence))
    assert text == sentence.replace(lost, "\ufffd")
    assert document.pending == ("p1",)


def test_a_bullet_of_a_symbol_font_is_not_a_missing_letter(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", {ord("#"): 0xF0B7}, "# first of the tasks", "# second of the tasks")
    document, _ = read(path)
    assert (document.warnings, document.pending) == ((), ())


@pytest.mark.parametrize("text", ["QX-120 KR7 M8x1.5 VLTRN 33b", "x = 3.5e-7 * sin(phi) + k1 / (a_n - b_n)"])
def test_part_numbers_and_formulas_are_readable(tmp_path: Path, text: str) -> None:
    def page(canvas: Canvas) -> None:
        for number in range(30):
            canvas.drawString(72, HEIGHT - 100 - 14 * number, f"{text} {number}")

    document, read_text = read(drawn(tmp_path / "a.pdf", page))
    assert f"{text} 7" in read_text
    assert document.warnings == ()


def test_mathematical_letters_in_surrogate_halves_are_plain_letters() -> None:
    letters = [*"f(", "\ud835", "\udc65", *") ", "\ud83d", "\ude00"]
    assert join_halves(letters) == [3, 7]
    assert letters == [*"f(x", "\0", *") \U0001f600", "\0"]


def test_private_codes_of_the_symbol_font_are_its_symbols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpus.readers.pdf.text.font_encoding.font_of", lambda *_: (b"ABCDEF+SymbolMT", 0))
    codes = {ord("#"): 0xF0B1, ord("~"): 0xF0A3}
    document, text = read(written(tmp_path / "a.pdf", codes, "The gap is 4 # 0.2 mm, and ~5 mm in all."))
    assert text == "The gap is 4 ± 0.2 mm, and ≤5 mm in all."
    assert document.warnings == ()
