"""What is in the page's file, and how it comes to its place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from corpus.citing.protocol import Claim
from corpus.verification.protocol import CheckedClaim, Evidence
from server.answer_page.answer_html import answer_html
from server.answer_page.languages import language_of_answer
from server.answer_page.languages import written as language_written
from server.answer_page.page import page
from server.answer_page.telling import sourceless
from server.answer_page.writing import is_ours, write_page
from tests.answer_page.pages import gathered, without_claims


def test_the_page_forbids_itself_scripts_and_the_network() -> None:
    written = page(gathered())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)
    assert policy
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in policy[1]
    assert "unsafe" not in policy[1]
    assert "<script" not in written


def test_each_verdict_is_in_words_beside_its_claim() -> None:
    written = page(gathered())
    for words in ("found in source", "partly in source", "not found in source", "value differs", "no such source",
                  "not cited"):  # fmt: skip
        assert f" {words}</span>" in written


def test_an_answer_without_claims_is_a_page_too() -> None:
    assert "No source is cited" in page(without_claims())


def test_markdown_is_laid_out_and_what_is_no_markdown_stays_text() -> None:
    written = answer_html(
        "**bold** <b>no</b> [x](javascript:alert(1))\n\n| a |\n| --- |\n| b |\n", (), {}, ()
    )
    assert "<strong>bold</strong> &lt;b&gt;no&lt;/b&gt; [x](javascript:alert(1))" in written
    assert "<td>b</td>" in written


def test_a_page_is_known_again_and_takes_the_place_of_one_before(tmp_path: Path) -> None:
    file = tmp_path / "answer.html"
    write_page(file, page(without_claims()))
    assert is_ours(file)
    write_page(file, page(gathered()))
    assert file.read_text(encoding="utf-8") == page(gathered())
    assert [one.name for one in tmp_path.iterdir()] == ["answer.html"]


def test_a_claim_that_cites_no_source_shows_no_evidence_of_another() -> None:
    nearest = Evidence(1, "Something else altogether.", 0, 26, 0.2)
    claim = Claim("Pumps fly to Peru.", 0, 18, "sentence", (), ("nowhere.pdf, S. 1",))
    (told,) = sourceless([CheckedClaim(claim, "invalid_citation", 0.2, nearest, ("Peru",))])
    assert (told.verdict, told.evidence, told.missing) == ("invalid_citation", None, ())


GERMAN = "Die Pumpe wird jeden Monat geprüft, und ihr Öl wird alle viertausend Stunden gewechselt."
ENGLISH = "The pump is looked at every month, and its oil is changed every four thousand hours."


def test_the_answer_and_its_evidence_are_in_their_language_and_the_page_in_its_own() -> None:
    made = gathered()
    german = [replace(one, hit=one.hit and replace(one.hit, block=replace(one.hit.block, language="de")))
              for one in made.told.sources]  # fmt: skip
    written = page(replace(made, told=replace(made.told, language="de", sources=tuple(german))))
    assert '<html lang="en">' in written
    assert '<article class="answer" lang="de">' in written
    assert '<q lang="de">Evidence' in written
    marks = re.findall(r'<a class="mark[^>]*>', written)
    assert all('lang="en"' in mark for mark in marks)
    assert '<article class="answer" lang="">' in page(gathered())


def test_a_paragraph_in_another_language_of_the_sources_is_marked_as_such() -> None:
    written = answer_html(f"{GERMAN}\n\n{ENGLISH}\n\n- {ENGLISH}\n", (), {}, (), "de", {"de", "en"})
    assert f"<p>{GERMAN}</p>" in written
    assert f'<p lang="en">{ENGLISH}</p>' in written
    assert f'<li lang="en">{ENGLISH}</li>' in written
    assert "lang" not in answer_html(f"{GERMAN}\n\n{ENGLISH}", (), {}, (), "de", {"de"})


def test_an_answer_is_in_the_language_of_its_words_or_else_of_its_sources() -> None:
    assert language_of_answer(GERMAN, ["en"]) == "de"
    assert language_of_answer("叶轮以每分钟2900转的速度旋转,轴承每四千小时更换一次润滑油。", []) == "zh"
    assert language_of_answer("12 mm.", [None, "fr"]) == "fr"
    assert language_of_answer("12 mm.", []) is None


def test_a_language_from_an_index_is_no_markup_and_arabic_runs_from_the_right() -> None:
    assert language_written('de"><script>') == ' lang=""'
    assert language_written("ar") == ' lang="ar" dir="rtl"'
