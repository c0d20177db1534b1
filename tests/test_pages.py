"""Page ranges and the text of pages."""

from __future__ import annotations

import pytest

from corpus.documents.page_ranges import page_range, page_texts
from corpus.errors import InvalidRequest
from tests.values import image_block, text_block


@pytest.mark.parametrize(("text", "pages"), [("7", (7, 7)), ("3-5", (3, 5)), (" 3 – 5 ", (3, 5))])
def test_a_page_and_a_range_are_parsed(text: str, pages: tuple[int, int]) -> None:
    assert page_range(text) == pages


@pytest.mark.parametrize("text", ["", "x", "5-3", "0", "1,2", "-3", "1-2-3", "9" * 30])
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidRequest, match="3-5"):
        page_range(text)


def test_blocks_become_text_page_by_page() -> None:
    blocks = [
        text_block("B\n\nOne.", page=1, heading="A > B"),
        text_block("Two.", page=1, heading="A > B"),
        image_block("Figure 1", page=1),
        text_block("Three.", page=2, page_label="i", heading="C"),
    ]
    first, second = page_texts(blocks)
    assert first.text == "B\n\nOne.\n\nTwo."
    assert (second.page_number, second.page_label, second.text) == (2, "i", "Three.")
