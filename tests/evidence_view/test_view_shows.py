"""The view of the real server's answers, in a real browser."""

from __future__ import annotations

from typing import Any

import pypdfium2 as pdfium
import pytest

from tests.evidence_view.answers import EACH, given
from tests.evidence_view.host_server import SAMPLE, Server
from tests.evidence_view.host_tab import VIEW, Host
from tests.server.desk import ERAS

pytestmark = pytest.mark.slow

SENTENCE = "The discharge pressure must rise within five seconds."
PLACES = """(() => { const s = document.querySelector("#sheet").getBoundingClientRect();
  return [...document.querySelectorAll(".box")].map(one => one.getBoundingClientRect()).map(b =>
    [(b.left - s.left) / s.width, (b.top - s.top) / s.height,
     (b.right - s.left) / s.width, (b.bottom - s.top) / s.height]) })()"""


@pytest.mark.parametrize("era", ERAS)
def test_each_claim_is_shown_with_its_verdict_and_the_words_of_its_source_are_outlined(
    server: Server, host: Host, era: str
) -> None:
    server.through = era
    assert server.read("ui://ibid/evidence")["text"] == VIEW.read_text(encoding="utf-8")
    host.tab.sized(1100, 900)
    host.show(server.call("rag_verify_answer", given(server)), given(server))
    assert host.texts("#claim-list .badge") == [f"{sign} {word}" for _, word, sign in EACH]
    assert host.texts("#claim-list .text") == [claim for claim, _, _ in EACH]
    assert host.text("#claim") == EACH[0][0]
    assert host.text("#text mark") == SENTENCE
    assert host.text("#page-at").startswith("Page 2 of ")
    assert host.see("document.querySelector('#canvas').width") > 500
    _over(host.see(PLACES), _words(2, SENTENCE))


def test_next_and_previous_step_through_claims_and_pages(server: Server, host: Host) -> None:
    host.show(server.call("rag_verify_answer", given(server)), given(server))
    assert host.see("document.querySelector('#claim-back').ariaDisabled") == "true"
    host.press("#claim-on")
    assert host.text("#place") == "Claim 2 of 7 ≈ partly in source"
    assert host.text("#claim-list [aria-current] .text") == EACH[1][0]
    for _ in range(6):
        host.press("#claim-on")
    assert host.text("#claim") == EACH[-1][0]
    assert host.text("#text mark").startswith("Expect some leakage")
    host.press("#page-on")
    assert host.text("#page-at").startswith("Page 3 of ")
    assert host.see(PLACES) == []
    assert "not on this page" in host.text("#notes")
    host.press("#notes button")
    assert host.text("#page-at").startswith("Page 2 of ")
    assert len(host.see(PLACES)) >= 1
    host.press("#claim-back")
    assert host.text("#place") == "Claim 6 of 7 ○ not cited"
    assert "The claim cites no source." in host.text("#notes")
    host.press("#claim-back")
    assert host.text("#place") == "Claim 5 of 7 ? no such source"
    assert host.see("document.querySelector('#scroller').hidden") is True
    assert "no source of this number" in host.text("#notes")


def test_a_sentence_across_a_page_break_is_shown_with_both_its_parts(server: Server, host: Host) -> None:
    """The headings above it, which are in the same block, are left out."""
    arguments = {"answer": "Drain the oil of the mill [1].", "block_ids": ["over-p1-1"]}
    host.show(server.call("rag_verify_answer", arguments), arguments)
    assert host.texts("#text mark") == ["Drain the oil of the mill", "every 200 hours of work."]
    assert "Page 2:" in host.text("#text")
    assert host.texts("#notes li") == ["The evidence continues on page 2.Show it"]
    host.press("#notes button")
    assert host.text("#page-at") == "Page 2 of 2"
    assert len(host.see(PLACES)) == 1
    assert "The evidence begins on page 1." in host.text("#notes")


def test_zoom_enlarges_the_page_with_its_outlines(server: Server, host: Host) -> None:
    host.show(server.call("rag_verify_answer", given(server)), given(server))
    wide = host.see("document.querySelector('#sheet').offsetWidth")
    host.press("#zoom-in")
    host.press("#zoom-in")
    assert host.text("#zoom-at") == "200 %"
    assert host.see("document.querySelector('#sheet').offsetWidth") == pytest.approx(2 * wide, rel=0.1)
    _over(host.see(PLACES), _words(2, SENTENCE))
    assert host.see(
        "(() => { const s = document.querySelector('#scroller').getBoundingClientRect(),"
        " b = document.querySelector('.box').getBoundingClientRect();"
        " return b.top > s.top && b.bottom < s.bottom && b.left >= s.left })()"
    )


def test_twenty_sources_can_all_be_viewed(server: Server, host: Host) -> None:
    places = [f"p{n}-1" if n < 10 else f"p1-{n}" for n in range(1, 21)]
    said = [f"Valve {n} opens at {n} bar" if n < 10 else f"Pipe {n} is {n} m long" for n in range(1, 21)]
    answer = "\n\n".join(f"{text} [{n}]." for n, text in enumerate(said, 1))
    arguments = {"answer": answer, "block_ids": [f"many-{place}" for place in places]}
    host.show(server.call("rag_verify_answer", arguments), arguments)
    assert len(host.texts("#source-list li")) == 20
    assert len(host.texts("#claim-list li")) == 20
    host.press("#claim-list li:nth-child(9) button")
    assert host.text("#text mark") == "Valve 9 opens at 9 bar."
    assert "There is no picture of this page." in host.text("#notes")
    assert "A-9" in host.text("#citation")
    host.press("#source-list li:nth-child(20) button")
    assert host.text("#place") == "Source 20"
    assert host.text("#text") == "Pipe 20 is 20 m long."


def test_claims_without_a_position_are_listed_too(server: Server, host: Host) -> None:
    answer = "\n\n".join(f"Pipe 20 is 20 m long, as list {n} of many says [1]." for n in range(60))
    arguments = {"answer": answer, "block_ids": ["many-p1-20"]}
    result = server.call("rag_verify_answer", arguments)
    assert result["_meta"]["ibid/evidence"]["more"] > 0
    host.show(result, arguments)
    listed = len(host.texts("#claim-list li"))
    assert listed == len(result["structuredContent"]["claims"]) > len(result["_meta"]["ibid/evidence"]["claims"])
    assert (f"{60 - listed} further claims" in host.text("#more")) is (listed < 60)


def test_an_answer_without_sources_says_so_and_can_be_read(server: Server, host: Host) -> None:
    arguments = {"query": "zebra crossing quantum marmalade", "mode": "compose"}
    result = server.call("rag_synthesize", arguments)
    host.show(result, arguments)
    assert host.texts("#claim-list li") == []
    assert host.text("#verdict") == "Your documents do not seem to answer this."
    assert host.text("#answer").strip() == result["structuredContent"]["answer"].strip()


def test_a_composed_answer_shows_the_pages_that_it_quotes(server: Server, host: Host) -> None:
    arguments = {"query": "How do I start the pump?", "mode": "compose"}
    result = server.call("rag_synthesize", arguments)
    host.show(result, arguments)
    assert len(host.see(PLACES)) >= 1
    assert host.texts("#source-list li")[0].startswith("[1] xyz-pump-operations-guide.pdf, S. ")
    assert len(host.texts("#source-list li")) == len(result["structuredContent"]["sources"])


def test_a_quotation_has_no_verdict(server: Server, host: Host) -> None:
    arguments = {"query": "How do I start the pump?", "mode": "compose"}
    result = server.call("rag_synthesize", arguments)
    host.show(result, arguments)
    assert host.text("#claims-name") == "Quoted sentences"
    assert host.texts(".badge") == []
    assert host.text("#place").startswith("Sentence 1 of ")
    cited = host.texts("#claim-list .soft")
    assert len(cited) == len(set(cited)) < len(host.texts("#claim-list li"))
    assert host.see("document.querySelector('#claim').hidden") is True  # the claim is marked in its source
    assert host.text("#text mark") in host.text("#claim-list [aria-current] .text").replace("\n", " ")


ANSWERED = {
    "success": True, "mode": "llm", "confidence": 0.6, "sources": [], "claims": [],
    "warnings": ["Not shown to the model: a.pdf. A narrower question, or block_ids, brings them in."],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer": "The pump is started by the switch."}, "Answered: likely."),
        ({"answer": "The pump is started.", "confidence": 0.95, "sources": [{"citation_number": 1}]},
         "Answered: very likely, 1 source."),
        ({"answer": "Die Pumpe wird mit dem Schalter gestartet.", "confidence": 0.3}, "Beantwortet: unsicher."),
        ({"answer": "Not found in sources"}, "Your documents do not seem to answer this."),
        ({"answer": "The pump is started.", "confidence": 0}, "Your documents do not seem to answer this."),
        ({"answer": "The pump is started.", "answered": False}, "Your documents do not seem to answer this."),
        ({"answer": "# Antwort auf: Wer?\n\nNichts in den Dokumenten scheint diese Frage zu beantworten."},
         "Ihre Dokumente scheinen das nicht zu beantworten."),
    ],
)  # fmt: skip
def test_the_view_first_says_in_the_answers_language_whether_the_question_seems_answered(
    host: Host, changes: dict[str, Any], said: str
) -> None:
    host.show({"content": [], "structuredContent": {**ANSWERED, **changes}})
    assert host.text("#verdict") == said
    assert host.texts("#told-list li")[0] == "Not shown to the model: a.pdf."
    assert "0." not in host.text("header")


def test_without_a_question_none_is_called_answered(server: Server, host: Host) -> None:
    host.show(server.call("rag_verify_answer", given(server)), given(server))
    assert host.see("document.querySelector('#verdict').hidden") is True


def test_text_passed_by_the_client_is_shown_and_labelled_so(server: Server, host: Host) -> None:
    text = "The tank holds 40 litres. It stands in the yard."
    arguments = {
        "answer": "The tank holds 40 litres [3].",
        "sources": [{"citation_number": 3, "text": text, "url": "https://tank.example/"}],
    }
    host.show(server.call("rag_verify_answer", arguments), arguments)
    assert host.text("#text") == text
    assert host.text("#text mark") == "The tank holds 40 litres."
    assert "Handed in by the client" in host.text("#notes")


def _words(page: int, text: str) -> list[tuple[float, ...]]:
    """Return the positions of a text's characters, line by line, as fractions of the page."""
    with pdfium.PdfDocument(SAMPLE) as pdf:
        words = pdf[page - 1].get_textpage()
        index, count = words.search(text).get_next() or (0, 0)
        width, height = pdf[page - 1].get_size()
        return [
            (left / width, 1 - top / height, right / width, 1 - bottom / height)
            for left, bottom, right, top in map(words.get_rect, range(words.count_rects(index, count)))
        ]


def _over(boxes: list[list[float]], words: list[tuple[float, ...]]) -> None:
    """Check that each outline contains its line of words and little else."""
    assert len(boxes) == len(words) == 2
    for outline, line in zip(boxes, words, strict=True):
        assert outline == pytest.approx(line, abs=0.012)
