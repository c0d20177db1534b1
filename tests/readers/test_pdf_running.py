"""Headers, footers and page numbers that only the entire document reveals, and similar text that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import Draw, both, chart, drawn, lines

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def body(name: str) -> Draw:
    return lines(f"The text of {name} goes on for a while", f"and ends with {name} again.", top=300)


def test_a_page_number_is_recognised_by_its_text(tmp_path: Path, read: Read) -> None:
    _, blocks = read(drawn(tmp_path / "a.pdf", both(body("alpha"), lines("Page 1 of 3", top=810))))
    assert rows(blocks) == ["The text of alpha goes on for a while and ends with alpha again."]


def test_a_printed_number_is_left_out_wherever_the_first_page_has_it(tmp_path: Path, read: Read) -> None:
    others = [both(lines(f"{n}", left=290, top=40), body(NAMES[n - 41])) for n in range(42, 46)]
    _, blocks = read(drawn(tmp_path / "a.pdf", both(body("alpha"), lines("41", left=290, top=810)), *others))
    assert not {"41", "42", "45"} & set(rows(blocks))


def test_a_header_that_differs_on_each_page_stays(tmp_path: Path, read: Read) -> None:
    pages = [both(lines(f"About {name} and more", top=40), body(name)) for name in NAMES]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [row for row in rows(blocks) if row.startswith("About")] == [f"About {name} and more" for name in NAMES]


def test_a_changed_header_is_read_where_it_changes(tmp_path: Path, read: Read) -> None:
    orders = ["7730-B", "7730-B", "7730-B", "7812-A", "7812-A", "7812-A"]
    pages = [
        both(lines(f"Order {order}", f"Sheet {n}", top=40), body(NAMES[n]), lines(f"Boat works | {n}", top=810))
        for n, order in enumerate(orders, 1)
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    found = [(block.page_number, row) for block in blocks for row in block.content.splitlines() if "text of" not in row]
    assert found == [(1, "Order 7730-B"), (1, "Boat works"), (4, "Order 7812-A")]


def test_consecutively_numbered_slips_are_all_read(tmp_path: Path, read: Read) -> None:
    pages = [both(lines(f"Loan slip {5519 + n}", top=40), body(NAMES[n])) for n in range(5)]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [row for row in rows(blocks) if "slip" in row] == [f"Loan slip {5519 + n}" for n in range(5)]


def test_a_name_with_a_number_is_not_a_page_number(tmp_path: Path, read: Read) -> None:
    pages = [both(lines(f"Boat Gull {n}", top=40), body(NAMES[n])) for n in range(1, 6)]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [row for row in rows(blocks) if "Gull" in row] == [f"Boat Gull {n}" for n in range(1, 6)]


def test_a_sentence_at_the_top_of_pages_is_not_a_header(tmp_path: Path, read: Read) -> None:
    sentence = "The boat must be brought back before the tide turns."
    pages = [both(lines(sentence, top=40), body(name)) for name in NAMES[:4]]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert rows(blocks).count(sentence) == 4


def test_terms_of_use_at_the_foot_of_all_pages_are_read_once(tmp_path: Path, read: Read) -> None:
    terms = "All use of this text is subject to the terms of the library."
    pages = [both(body(name), lines(terms, top=810)) for name in NAMES]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert rows(blocks).count(terms) == 1


def test_slide_titles_are_kept(tmp_path: Path, read: Read) -> None:
    pages = [both(lines(f"About {name}", size=20, top=50), body(name)) for name in NAMES]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [row for row in rows(blocks) if row.startswith("About")] == [f"About {name}" for name in NAMES]


def test_a_heading_on_a_few_distant_pages_stays(tmp_path: Path, read: Read) -> None:
    headed = both(lines("Exceptions", size=13, top=60), body("this"))
    pages = [headed if n in (2, 12, 22) else body(str(n)) for n in range(25)]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert rows(blocks).count("Exceptions") == 3


def test_the_header_of_a_two_page_document_is_read_once(tmp_path: Path, read: Read) -> None:
    pages = [both(lines("ACME pumps, release 3", top=40), body(name)) for name in NAMES[:2]]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [row for row in rows(blocks) if "ACME" in row] == ["ACME pumps, release 3"]


def test_a_header_is_not_part_of_the_figure_below_it(tmp_path: Path, read: Read) -> None:
    pages = [
        both(
            lines("The Pump Manual", left=160, top=48),
            chart(top=52),
            lines(f"Figure {n}: The flow", top=195),
            body(name),
        )
        for n, name in enumerate(NAMES[:4], 1)
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert [block.image_caption for block in blocks if block.picture] == [f"Figure {n}: The flow" for n in (1, 2, 3, 4)]
    assert not any("Manual" in block.content for block in blocks if block.picture)
    assert rows(blocks).count("The Pump Manual") == 1


def rows(blocks: Sequence[ReadBlock]) -> list[str]:
    return [row for block in blocks for row in block.content.splitlines()]


def numbered(*feet: str, top: float = 810) -> list[Draw]:
    """Return a page for each text, which is its footer."""
    return [both(body(f"{NAMES[n % 10]} {n}"), lines(foot, top=top)) for n, foot in enumerate(feet)]


def labels(path: Path, read: Read, *pages: Draw) -> tuple[str, ...]:
    document, _ = read(drawn(path / "a.pdf", *pages))
    return document.page_labels


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "- {} -",
        "Page {} of 99",
        "{} | Annual report",
        "Annual report 2023 {}",
        "[{}]",
        "Page {} | Report 2023",
    ],
)
def test_printed_numbers_are_the_labels_of_unlabelled_pages(tmp_path: Path, read: Read, form: str) -> None:
    pages = numbered(*(form.format(number) for number in range(41, 47)))
    assert labels(tmp_path, read, *pages) == ("41", "42", "43", "44", "45", "46")


def test_numbers_that_restart_in_each_chapter_are_labels_with_the_chapter(tmp_path: Path, read: Read) -> None:
    feet = ("3-14", "3-15", "3-16", "A-1", "A-2", "A-3")
    pages = numbered(*feet)
    assert labels(tmp_path, read, *pages) == feet
    _, blocks = read(drawn(tmp_path / "b.pdf", *pages))
    assert "3" not in rows(blocks)
    assert not set(feet) & set(rows(blocks))


def test_front_matter_has_roman_numbers(tmp_path: Path, read: Read) -> None:
    pages = numbered("", "ii", "iii", "iv", "1", "2", "", "4", "5")
    assert labels(tmp_path, read, *pages) == ("i", "ii", "iii", "iv", "1", "2", "3", "4", "5")


@pytest.mark.parametrize(
    "feet",
    [
        ("1", "2", "3", "4", "5"),
        ("Report 2023",) * 6,
        ("Chapter 4",) * 3 + ("Chapter 5",) * 3,
        ("7", "", "", "", "", "", "12"),
        ("1200", "1340", "977", "45", "8"),
        ("12-3", "12-7", "12-1", "9-4", "12-2"),
    ],
    ids=["its own number", "years", "chapters", "too few", "sums", "parts"],
)
def test_no_label_is_made_from_other_numbers(tmp_path: Path, read: Read, feet: tuple[str, ...]) -> None:
    assert labels(tmp_path, read, *numbered(*feet)) == ()
