"""A text is found in a block word for word, in a time that its content cannot prolong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.block import Block, Box
from corpus.documents.line_boxes import LineBox
from corpus.evidence_boxes import EvidencePlaces
from corpus.evidence_page import find_across_pages, find_text
from corpus.index.local import LocalIndex
from tests.shelf import a_document, figure, texts


def a_block(content: str) -> Block:
    return texts("manual", content)[0].block


@pytest.mark.parametrize(
    ("content", "evidence", "part"),
    [
        ("The oil, every 200 hours.", "oil every | 200", "oil, every 200"),
        ("Straße  STRASSE 4", "strasse 4", "STRASSE 4"),
        ("x __init__ y", "__init__", "init"),
        ("Coils and oil", "oil", "oil"),
        ("oil", "oil", "oil"),
    ],
)
def test_the_words_of_a_text_are_found_whatever_is_between_them(content: str, evidence: str, part: str) -> None:
    found = find_text([a_block("Another."), a_block(content)], evidence)
    assert found
    assert content[found[1] : found[2]] == part


@pytest.mark.parametrize("evidence", ["oil hours", "oi", "_ . _", "", "hours 200"])
def test_other_words_are_not_found(evidence: str) -> None:
    assert find_text([a_block("The oil, every 200 hours.")], evidence) is None


@pytest.mark.parametrize("content", ["_" * 100_000, "a_" * 50_000, "_a " * 30_000, "a " * 50_000])
def test_a_form_of_underscores_is_searched_quickly(content: str) -> None:
    assert find_text([a_block(content)], "_ " * 40 + "a " * 299 + "zzz") is None


@pytest.mark.anyio
async def test_a_sentence_after_thousands_of_headings_has_only_its_own_line(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path / "index", None)
    headings = "Oil\n" * 15_000
    box: Box = (72.0, 700.0, 500.0, 712.0)
    lines = (LineBox(0, len(headings), (0.0, 0.0, 9.0, 9.0)), LineBox(len(headings), len(headings) + 14, box))
    new = replace(texts("manual", headings + "Change it now.")[0], lines=lines)
    block = replace(new.block, heading="Oil")
    await index.replace(a_document("manual", page_count=1), [replace(new, block=block)])
    (place,) = await EvidencePlaces(index).of(block, 0, len(block.content), ANONYMOUS)
    assert place.boxes == (box,)
    await index.aclose()


def test_a_text_cut_within_its_last_word_is_found() -> None:
    block = a_block("The impeller moves water.")
    assert find_text([block], "The impeller mov") == (block, 0, len("The impeller moves"))
    assert find_text([block], "impeller mov") is None


def test_words_of_a_figure_are_located_as_the_entire_figure() -> None:
    drawn = figure("manual", "Figure 3: Impeller, exploded view").block
    figure_with_words = replace(drawn, content="Blade and hub")
    text = a_block("See figure 3.")
    assert find_text([text, figure_with_words], "Figure 3: Impeller, exploded view") == (
        figure_with_words,
        0,
        0,
    )
    assert find_text([figure_with_words, text], "blade and hub") == (figure_with_words, 0, 0)
    assert find_text([figure_with_words, text], "figure 3") == (text, 4, 12)


@pytest.mark.parametrize(
    ("before", "after", "evidence", "parts"),
    [
        ("Drain the oil", "every 200 hours. Then", "drain the oil every 200", ("Drain the oil", "every 200")),
        ("Stop. Drain the lubri-", "cant now. Then", "Drain the lubricant now.", ("Drain the lubri-", "cant now")),
        ("Das Öl", "wird gewechselt.", "das öl wird gew", ("Das Öl", "wird gewechselt")),
        ("Drain the oil\n14", "Acme\nevery 200 hours.", "oil every 200", ("oil", "every 200")),
    ],
)  # fmt: skip
def test_a_text_across_a_page_break_is_found_in_both_its_parts(
    before: str, after: str, evidence: str, parts: tuple[str, str]
) -> None:
    """This holds with a note or a number at the foot of the first page or at the top of the next."""
    pages = [a_block("First."), a_block(before), a_block("14")], [a_block("Manual"), a_block(after)]
    found = find_across_pages(*pages, evidence)
    assert found
    assert tuple(block.content[start:end] for block, start, end in found) == parts


@pytest.mark.parametrize("evidence", ["Drain the oil", "every 200 hours", "oil hours", "oil", ""])
def test_text_of_one_page_alone_crosses_no_page_break(evidence: str) -> None:
    assert find_across_pages([a_block("Drain the oil")], [a_block("every 200 hours.")], evidence) is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("before", "after", "pages"),
    [
        ("Drain the oil", "every 200 hours.", [1, 2]),
        ("Drain the oil", "Every pump is red.", [1]),
        ("Drain the oil", "iPhone sales grew.", [1]),
        ("Drain the lubri-", "Cant now.", [1, 2]),
        ("Drain the oil\n14", "Acme manual\nevery 200 hours.", [1, 2]),
        ("• Drain the green pump", "every 200 hours.", [1, 2]),
        ("• Oil", "every 200 hours.", [1]),
        ("3. Oil", "every 200 hours.", [1]),
        ("Oil", "every 200 hours.", [1]),
    ],
)
async def test_a_sentence_continues_on_a_page_that_begins_within_it(
    tmp_path: Path, before: str, after: str, pages: list[int]
) -> None:
    """A page number at the foot and a header are not part of the sentence. A sentence that ends well before the end of
    its line does not continue."""
    index = LocalIndex.open(tmp_path / "index", None)
    made = texts("manual", before, "1", after)
    places = (1, 1, 2)
    blocks = [
        replace(one, block=replace(one.block, page_number=page), lines=_typed(one.block.content))
        for one, page in zip(made, places, strict=True)
    ]
    await index.replace(a_document("manual", page_count=2), blocks)
    found = await EvidencePlaces(index).of(blocks[0].block, 0, len(before), ANONYMOUS)
    assert [place.page_number for place in found] == pages
    await index.aclose()


def _typed(content: str) -> tuple[LineBox, ...]:
    lines, start = [], 0
    for number, line in enumerate(content.split("\n")):
        top = 700.0 + 14 * number
        lines.append(LineBox(start, start + len(line), (72.0, top, 72.0 + 6 * len(line), top + 11)))
        start += len(line) + 1
    return tuple(lines)
