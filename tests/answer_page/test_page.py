"""The content of the page file, and how the file is written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from corpus.citing.protocol import Claim
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim, Evidence
from server.answer_page.answer_html import answer_html
from server.answer_page.answer_words import language_of_answer
from server.answer_page.answer_words import written as language_written
from server.answer_page.page import is_ours, page, write_page
from server.answer_page.page_data import AnswerData, PageData, sourceless
from tests.answer_page.pages import gathered, without_claims
from tests.values import hit, text_block


def test_the_page_forbids_scripts_and_the_network() -> None:
    written = page(gathered())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)
    assert policy
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in policy[1]
    assert "unsafe" not in policy[1]
    assert "<script" not in written


def test_each_verdict_is_written_next_to_its_claim() -> None:
    written = page(gathered())
    for words in ("found in source", "partly in source", "not found in source", "value differs", "no such source",
                  "not cited"):  # fmt: skip
        assert f" {words}</span>" in written


def test_an_answer_without_claims_also_becomes_a_page() -> None:
    assert "No source is cited" in page(without_claims())


def test_markdown_is_rendered_and_other_text_stays_text() -> None:
    written = answer_html("**bold** <b>no</b> [x](javascript:alert(1))\n\n| a |\n| --- |\n| b |\n", (), {}, ())
    assert "<strong>bold</strong> &lt;b&gt;no&lt;/b&gt; [x](javascript:alert(1))" in written
    assert "<td>b</td>" in written


def test_a_generated_page_is_recognised_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "answer.html"
    write_page(file, page(without_claims()))
    assert is_ours(file)
    write_page(file, page(gathered()))
    assert file.read_text(encoding="utf-8") == page(gathered())
    assert [one.name for one in tmp_path.iterdir()] == ["answer.html"]


def test_a_claim_without_a_source_shows_no_evidence_from_another_source() -> None:
    nearest = Evidence(1, "Something else altogether.", 0, 26, 0.2)
    claim = Claim("Pumps fly to Peru.", 0, 18, "sentence", (), ("nowhere.pdf, S. 1",))
    (told,) = sourceless([CheckedClaim(claim, "invalid_citation", 0.2, nearest, ("Peru",))])
    assert (told.verdict, told.evidence, told.missing) == ("invalid_citation", None, ())


GERMAN = "Die Pumpe wird jeden Monat geprüft, und ihr Öl wird alle viertausend Stunden gewechselt."
ENGLISH = "The pump is looked at every month, and its oil is changed every four thousand hours."


def test_the_page_is_german_for_a_german_answer_and_english_otherwise() -> None:
    made = gathered()
    german = [replace(one, hit=one.hit and replace(one.hit, block=replace(one.hit.block, language="de")))
              for one in made.answer.sources]  # fmt: skip
    written = page(replace(made, answer=replace(made.answer, language="de", sources=tuple(german))))
    assert '<html lang="de">' in written
    assert '<article class="answer" lang="de">' in written
    assert '<q lang="de">Evidence' in written
    marks = re.findall(r'<a class="mark[^>]*>', written)
    assert all('lang="de"' in mark for mark in marks)
    for words in (
        "nicht in der Quelle gefunden",
        "Wert weicht ab",
        "Aussage für Aussage",
        "<h2>Belege</h2>",
        "Hinweise",
    ):
        assert words in written
    assert "found in source" not in written
    assert '<article class="answer" lang="">' in page(gathered())
    french = page(replace(made, answer=replace(made.answer, language="fr")))
    assert '<html lang="en">' in french
    assert "found in source" in french


TEXT = "Intro.\n\nOne.\nThe pump turns at 2900 rpm. It is loud.\nTwo.\n\n\nThree.\nFour.\nFive.\nThe end is near.\n"


def of_a_text_file(*sentences: str, content: str = TEXT, quoted: bool = False) -> str:
    """Return the page of an answer whose sentences start at line 11 of a text file."""
    block = replace(text_block(content, page=None), page_number=None, start_line=11, end_line=11 + content.count("\n"))
    source = Source(1, "(Source: notes.md, lines 11-22)", hit(block))
    answer, claims = " ".join(sentences), []
    for said in sentences:
        at, start = answer.index(said), content.index(said)
        evidence = Evidence(1, said, start, start + len(said), 1.0)
        claim = Claim(said, at, at + len(said), "sentence", (1,))
        claims.append(CheckedClaim(claim, "found", 1.0, evidence))
    told = AnswerData("Q", answer, tuple(claims), (source,), language="en", answered=True, quoted=quoted)
    return page(PageData(told, (), {})).split("<aside")[1]


def test_evidence_from_a_text_file_shows_the_lines_around_the_sentence() -> None:
    shown = of_a_text_file("The pump turns at 2900 rpm.")
    mark = '<mark class="ev" id="ev-1" tabindex="-1">The pump turns at 2900 rpm.</mark> It is loud.'
    assert f'<p data-line="14">{mark}' in shown
    assert '<p data-line="13">One.</p>' in shown
    assert '<p data-line="15">Two.</p>' in shown
    assert "Four." not in shown
    assert shown.count("The pump turns") == 1


def test_nearby_sentences_share_their_lines_and_distant_ones_do_not() -> None:
    shown = of_a_text_file("The pump turns at 2900 rpm.", "It is loud.", "The end is near.")
    assert shown.count('class="lines"') == 2
    assert shown.count("Two.") == 1
    assert [shown.count(f'id="ev-{number}"') for number in (1, 2, 3)] == [1, 1, 1]
    assert [shown.count(f'href="#at-{number}"') for number in (1, 2, 3)] == [1, 1, 1]


def test_a_table_row_in_a_text_file_is_shown_without_bars_and_an_endless_line_is_cut() -> None:
    table = "| Code | Cause |\n| --- | --- |\n| E-04 | Leak |\n"
    shown = of_a_text_file("| E-04 | Leak |", content=table)
    assert 'tabindex="-1">E-04 · Leak</mark>' in shown
    assert "---" not in shown
    long = f"{'before ' * 500}The end is near.{' behind' * 500}"
    shown = of_a_text_file("The end is near.", content=long)
    assert len(shown) < 3_000
    assert "… before" in shown


def test_quotations_have_no_marks_or_verdicts_but_a_link_back() -> None:
    shown = of_a_text_file("The pump turns at 2900 rpm.", quoted=True)
    assert "✓" not in shown
    assert 'href="#at-1"' in shown


def test_a_wide_table_scrolls_on_its_own() -> None:
    written = answer_html("| a |\n| --- |\n| b |\n\n<table>", (), {}, ())
    assert '<div class="table" tabindex="0"><table>' in written
    assert written.count("</table></div>") == written.count("<table>") == 1


def test_a_paragraph_in_another_language_of_the_sources_is_marked() -> None:
    written = answer_html(f"{GERMAN}\n\n{ENGLISH}\n\n- {ENGLISH}\n", (), {}, (), "de", {"de", "en"})
    assert f"<p>{GERMAN}</p>" in written
    assert f'<p lang="en">{ENGLISH}</p>' in written
    assert f'<li lang="en">{ENGLISH}</li>' in written
    assert "lang" not in answer_html(f"{GERMAN}\n\n{ENGLISH}", (), {}, (), "de", {"de"})


def test_the_answer_language_comes_from_its_words_or_else_from_its_sources() -> None:
    assert language_of_answer(GERMAN, ["en"]) == "de"
    assert language_of_answer("叶轮以每分钟2900转的速度旋转,轴承每四千小时更换一次润滑油。", []) == "zh"
    assert language_of_answer("12 mm.", [None, "fr"]) == "fr"
    assert language_of_answer("12 mm.", []) is None


def test_a_language_from_an_index_cannot_inject_markup_and_arabic_is_right_to_left() -> None:
    assert language_written('de"><script>') == ' lang=""'
    assert language_written("ar") == ' lang="ar" dir="rtl"'
