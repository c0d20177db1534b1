"""Each citation links to its evidence, and screen readers announce bold lines as headings."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from corpus.citing.protocol import Claim
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim, Evidence
from server.answer_page.answer_html import answer_html
from server.answer_page.citation_links import linked
from server.answer_page.page import page
from server.answer_page.page_data import AnswerData, PageData, PageImage
from tests.answer_page.pages import FRAME, gathered
from tests.values import hit, image_block, text_block

CITED = "(Source: manual-1.pdf, S. 1)"
FIGURE = "![A pump](rag://blocks/f1/image)"


def told(text: str, *said: str) -> PageData:
    """Return page data in which every sentence is found in source 1, whose page is shown with the figure of source
    2."""
    claims = [
        CheckedClaim(Claim(one, text.index(one), text.index(one) + len(one), "sentence", (1,)), "found", 1.0,
                     Evidence(1, one, 0, 9, 1.0))
        for one in said
    ]  # fmt: skip
    figure = image_block("A pump", block_id="f1")
    sources = (Source(1, CITED, hit(text_block("Text."))), Source(2, CITED, hit(figure)))
    shown = PageImage("manual-1.pdf, S. 1", gathered().pages[0].picture, framed={2: FRAME})
    return PageData(AnswerData("Q", text, tuple(claims), sources), (shown,), {})


def targets(made: PageData) -> list[tuple[str, str]]:
    shown = range(1, len(made.answer.claims) + 1)
    return [(made.answer.text[one.start : one.end], one.target) for one in linked(made, shown)]


def test_a_citation_links_to_the_first_sentence_above_it_found_in_its_source() -> None:
    made = told(f"One. Two.\n\n*{CITED}*\n\nThree [1].", "One.", "Two.", "Three")
    assert targets(made) == [(CITED, "ev-1"), ("[1]", "ev-1")]
    apart = replace(
        made.answer,
        claims=(made.answer.claims[0], replace(made.answer.claims[1], evidence=None), made.answer.claims[2]),
    )
    assert [target for _, target in targets(replace(made, answer=apart))] == ["ev-1", "ev-3"]


def test_a_figure_citation_links_to_the_figure_on_its_page() -> None:
    made = told(f"One.\n\n*{CITED}*\n\n{FIGURE}\n\n*{CITED}*", "One.")
    assert targets(made) == [(CITED, "ev-1"), (CITED, "figure-2")]
    assert 'id="figure-2"' in page(made)


def test_a_citation_without_evidence_on_the_page_is_not_a_link() -> None:
    made = told(f"One.\n\n*{CITED}*\n\n{FIGURE}\n\n*{CITED}*", "One.")
    nowhere = replace(made, pages=(), answer=replace(made.answer, claims=()))
    assert targets(nowhere) == []
    assert "cited" not in answer_html(made.answer.text, (), {}, (), links=linked(nowhere, ()))


def test_links_stay_within_emphasis_and_contain_no_other_link() -> None:
    made = told(f"One.\n\n*{CITED}*\n\n| a |\n| --- |\n| Two [1] |", "One.", "Two [1]")
    written = page(made)
    assert f'<em><a class="cited" href="#ev-1">{CITED}</a></em>' in written
    assert '<a class="cited" href="#ev-1">[1]</a>' in written
    assert not re.search(r"<a [^>]*>(?:(?!</a>).)*<a ", written)
    assert not re.search("[\ue000-\uf8ff]", written)


@pytest.mark.parametrize(("line", "heading"), [("**3.1 Principle**", True), ("**Note:** read it.", False)])
def test_a_line_entirely_in_bold_is_a_heading(line: str, heading: bool) -> None:
    written = answer_html(f"{line}\n\nText.", (), {}, ())
    assert ('<p role="heading" aria-level="2">' in written) is heading


def test_a_question_in_another_language_than_the_answer_is_marked() -> None:
    made = told("# Antwort auf: Was sind die größten Risiken des Projekts in diesem Jahr?\n\nOne.", "One.")
    asked = replace(made.answer, language="en", question_language="de")
    assert '<h1 lang="de">' in page(replace(made, answer=asked))
