"""File names are found in a line, whatever case and characters are around them."""

from __future__ import annotations

import pytest

from corpus.synthesis.verify import FileNames, cited_pages
from tests.shelf import a_document

NAMES = FileNames(
    [a_document(name, filename=name) for name in ("manual.pdf", "old manual.pdf", "Çağ.pdf", "각.pdf", "a")]
)


def ends(line: str) -> list[tuple[str, str]]:
    return [(line[:end], one.doc_id) for end, found in NAMES.within(line) for one in found]


@pytest.mark.parametrize("before", ["", "(", "İİİ ", "ß ŉ ", "ﬃ ", "é ", "각 ", "ｶﾞ ", "§"])
def test_a_name_ends_at_its_position_in_the_original_line(before: str) -> None:
    assert ends(f"{before}MANUAL.pdf, S. 2") == [(f"{before}MANUAL.pdf", "manual.pdf")]
    assert ends(f"{before}ﬁne ｍanual.pdf") == [(f"{before}ﬁne ｍanual.pdf", "manual.pdf")]


@pytest.mark.parametrize("written", ["ÇAĞ.pdf", "C\u0327ag\u0306.PDF", "Ça\u0067\u0306.pdf"])
def test_combining_marks_may_be_separate(written: str) -> None:
    assert ends(f"İ {written}, S. 1") == [(f"İ {written}", "Çağ.pdf")]


def test_hangul_syllables_may_be_decomposed() -> None:
    assert ends("\u1100\u1161\u11a8.pdf") == [("\u1100\u1161\u11a8.pdf", "각.pdf")]


@pytest.mark.parametrize("line", ["xmanual.pdf", "my-manual.pdf", "my_manual.pdf", "İmanual.pdf", "manual pdf", ""])
def test_a_name_within_a_longer_word_is_not_a_match(line: str) -> None:
    assert ends(line) == []


def test_of_names_with_a_common_beginning_the_longest_matches() -> None:
    assert ends("a") == [("a", "a")]
    names = FileNames([a_document(name, filename=name) for name in ("pump", "pump.pdf", "pump.pd")])
    assert [one.doc_id for _, found in names.within("Pump.pdf, pump; pum") for one in found] == [
        "pump.pdf",
        "pump",
    ]


def test_a_name_at_the_end_of_another_is_returned_after_it() -> None:
    assert [name for _, name in ends("old manual.pdf")] == ["old manual.pdf", "manual.pdf"]


def test_the_pages_of_a_line_share_its_number_and_are_limited() -> None:
    manual = a_document()
    found = cited_pages("[1] manual.pdf, pp. 3-4 and 9\nmanual.pdf, p. 5-6", [manual], 10)
    assert [(one.number, one.pages, one.page_range) for one in found] == [
        (1, (3, 4, 9), "3, 4, 9"), (None, (5,), "5"), (None, (6,), "6"),
    ]  # fmt: skip
    (long,) = cited_pages("[1] manual.pdf, pp. 1-999999999", [manual], 10)
    assert len(long.pages) == 100
    assert len(cited_pages("manual.pdf, pp. 1-90", [manual], 10)) == 10
