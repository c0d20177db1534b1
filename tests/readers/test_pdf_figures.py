"""Captioned figures as pictures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.elements.captions import Mentions
from corpus.readers.pdf.caption_lines import captions_of
from corpus.readers.pdf.page_pictures import connected
from corpus.readers.pdf.text.lines import Line
from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, both, chart, drawn, lines

BODY = [f"Line {number} of the running text, which is as long as such lines are wont to be." for number in range(8)]


def figures(blocks: list[ReadBlock]) -> list[ReadBlock]:
    return [block for block in blocks if block.block_type == "image"]


def picture_of(block: ReadBlock) -> Image.Image:
    assert block.picture is not None
    return Image.open(io.BytesIO(block.picture.data))


def test_a_captioned_chart_is_a_block_with_its_picture(tmp_path: Path, read: Read) -> None:
    page = both(
        lines(*BODY, top=60),
        chart(top=220, height=120),
        lines("Output in kW", left=230, top=355, size=8),
        lines("Figure 3: Output of the pump by", "year.", left=150, top=375),
        lines("As Figure 3 shows, the output rises from year to year in all models.", *BODY, top=460),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert figure.image_caption == "Figure 3: Output of the pump by year."
    assert figure.place == "p1-f1"
    assert "Output in kW" in figure.content
    assert "As Figure 3 shows" in figure.content
    assert figure.bbox is not None
    left, top, right, bottom = figure.bbox
    assert left < 152
    assert top < 222
    assert right > 385
    assert 355 < bottom < 370
    assert picture_of(figure).width == pytest.approx((right - left) * 2.5, abs=3)
    assert not any("kW" in block.content or "Figure 3: Out" in block.content for block in blocks if block != figure)


@pytest.mark.parametrize("gap", [2, 4, 8])
def test_a_sentence_close_above_a_figure_is_text_of_the_page(tmp_path: Path, read: Read, gap: int) -> None:
    sentence = "Figure 1 shows the machine room. Table 1 gives the cost."
    page = both(
        lines("2 Results", size=18, font="Helvetica-Bold", top=60),
        lines(sentence, top=100),
        chart(left=150, top=100 + gap, height=120),
        lines("Figure 1: The machine room.", left=150, top=245),
        lines(*BODY, top=300),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    texts = "\n".join(block.content for block in blocks if block.block_type == "text")
    assert sentence in texts
    assert [figure.content for figure in figures(blocks)] == [sentence]


def test_of_two_charts_side_by_side_each_gets_its_own_caption(tmp_path: Path, read: Read) -> None:
    page = both(
        chart(left=70, width=180),
        chart(left=330, width=180),
        lines("Fig. 1. The first one", left=70, top=290),
        lines("Fig. 2. The second one", left=330, top=290),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    first, second = figures(blocks)
    assert first.image_caption == "Fig. 1. The first one"
    assert first.bbox is not None
    assert second.bbox is not None
    assert first.bbox[2] < 270 < 320 < second.bbox[0]


def test_parts_side_by_side_and_axis_numbers_belong_to_one_figure(tmp_path: Path, read: Read) -> None:
    page = both(
        chart(left=90, width=150),
        chart(left=320, width=150),
        lines("10", left=70, top=200, size=8),
        lines("(a) old pump", left=110, top=290, size=8),
        lines("(b) new pump", left=350, top=290, size=8),
        lines("Figure 1: Both pumps", left=90, top=310),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert figure.bbox is not None
    assert figure.bbox[0] < 72
    assert figure.bbox[2] > 450
    assert "new pump" in figure.content


def test_a_rotated_axis_label_belongs_to_its_figure_and_not_to_the_text(tmp_path: Path, read: Read) -> None:
    def name(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(122, HEIGHT - 240)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Head in m")
        canvas.restoreState()

    page = both(
        lines(*BODY, top=40),
        chart(left=150, top=170, height=110),
        name,
        lines("10", left=138, top=200, size=8),
        lines("Figure 1: Head of the pump", left=150, top=310),
        lines(*BODY, top=340),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert "Head in m" in figure.content
    assert not any("Head in m" in block.content for block in blocks if block != figure)


def test_a_text_only_figure_is_the_gap_above_its_caption(tmp_path: Path, read: Read) -> None:
    page = both(
        lines(*BODY, top=60),
        lines("def program():", "    verify(claim)", "    return label", size=8, font="Courier", top=230),
        lines("Figure 2: The template of a program", top=300),
        lines(*BODY, top=360),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert "def program" in figure.content
    assert figure.bbox is not None
    assert 200 < figure.bbox[1] < 226
    assert figure.bbox[3] < 291


def test_a_chart_without_a_caption_is_a_figure_too(tmp_path: Path, read: Read) -> None:
    _, blocks = read(drawn(tmp_path / "a.pdf", both(chart(), lines(*BODY, top=400))))
    (figure,) = figures(blocks)
    assert figure.bbox == pytest.approx((150, 150, 400, 270), abs=5)


def test_the_caption_of_a_table_keeps_its_rows_out_of_the_figure_below(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("Model A 12 kW", "Model B 15 kW", top=80),
        lines("Table 1: Models", top=130),
        chart(top=170),
        lines("Figure 1: Output", top=320, left=200),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert "Model" not in figure.content
    assert any("Table 1" in block.content for block in blocks)


def line(text: str, top: float = 100) -> Line:
    return Line(text, (72, top, 300, top + 10), 10.0)


@pytest.mark.parametrize(
    "text",
    [
        "Figure 1: A pump", "Figure 1. A pump", "Fig. 12 – A pump", "FIGURE 3 The pump", "Abbildung 2.1: Eine Pumpe",
        "Abb. 7: Eine Pumpe", "Bild 3: Pumpe", "Chart 4", "Exhibit A-1: Costs", "図3 ポンプ", "Figure 9-1. Flow",
        "Figure IV: Old", "Figure A.1: Appendix",
    ],
)  # fmt: skip
def test_captions_are_recognised(text: str) -> None:
    assert [caption.first for caption in captions_of([line(text)])] == [0]


@pytest.mark.parametrize(
    "text",
    [
        "Figure 9-1 illustrates the flow", "Figure 1 and Figure 2 show", "Figure out the rest", "Bilder 1 bis 3",
        "Algorithm 1: Search", "Listing 2: Code", "Table 1: Results", "Figures 3 and 4", "see Figure 3: it",
    ],
)  # fmt: skip
def test_sentences_and_other_things_are_not_captions(text: str) -> None:
    assert captions_of([line(text)]) == []


def test_a_sentence_that_continues_into_a_figure_number_is_not_a_caption() -> None:
    before = line("the results of all the models are shown in", 100)
    assert captions_of([before, line("Figure 3. The models were", 112)]) == []


def test_a_list_of_figures_has_no_captions() -> None:
    listed = [line(f"Figure {n}: A pump . . . . . . . . {n * 7}", 100 + n * 12) for n in range(1, 4)]
    assert captions_of(listed) == []


@settings(max_examples=60)
@given(arrays(np.bool_, st.tuples(st.integers(1, 24), st.integers(1, 24))))
def test_every_inked_cell_is_in_a_box_and_every_box_is_tight(cells: np.ndarray) -> None:
    boxes = connected(cells)
    covered = np.zeros_like(cells)
    for left, top, right, bottom in boxes:
        part = cells[top:bottom, left:right]
        assert part[0].any()
        assert part[-1].any()
        assert part[:, 0].any()
        assert part[:, -1].any()
        covered[top:bottom, left:right] = True
    assert not (cells & ~covered).any()


def test_shapes_join_over_two_empty_cells_and_not_over_three() -> None:
    cells = np.zeros((5, 12), dtype=np.bool_)
    cells[2, [0, 3, 7]] = True
    assert connected(cells) == [(0, 2, 4, 3), (7, 2, 8, 3)]


def test_the_text_about_a_figure_is_found_whatever_it_calls_the_figure() -> None:
    mentions = Mentions()
    mentions.see("Nothing of note.")
    mentions.see("The flow (see Fig. 3) is steady.")
    mentions.see("Figures 12 and 3.1 are elsewhere.")
    assert mentions.of("3") == "The flow (see Fig. 3) is steady."
    assert mentions.of("3a") == "The flow (see Fig. 3) is steady."
    assert mentions.of("4") == ""


@given(st.text(max_size=3000), st.text(max_size=3000))
def test_the_text_about_a_figure_is_limited(before: str, after: str) -> None:
    mentions = Mentions()
    for _ in range(5):
        mentions.see(f"{before} Figure 7 {after}")
    assert len(mentions.of("7")) <= 800
