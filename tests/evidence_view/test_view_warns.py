"""Warnings about the evidence appear next to it, and the text is shown if there is no page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from tests.evidence_view.host_server import Server
from tests.evidence_view.host_tab import Host
from tests.evidence_view.lacking import FIGURE_URL, FILLED, READ, WORN
from tests.evidence_view.viewing import ANN
from tests.server.desk import digest, manual, passage, pdf

pytestmark = pytest.mark.slow

NO_PICTURE = "document.querySelector('#scroller').hidden && document.querySelector('#by-page').hidden"


def verified(server: Server, host: Host, answer: str, *block_ids: str, **context: str) -> None:
    arguments = {"answer": answer, "block_ids": list(block_ids)}
    host.tab.sized(1100, 900)
    host.show(server.call("rag_verify_answer", arguments), arguments, context=context)


@pytest.fixture
def azure(server: Server) -> Iterator[Server]:
    before, server.through = server.through, "azure"
    yield server
    server.through = before


@pytest.mark.parametrize(
    ("locale", "said"), [("en", "The file changed since it was indexed"), ("de", "Die Datei wurde seit")]
)
def test_for_a_changed_file_the_indexed_text_is_shown_and_labelled_so(
    server: Server, host: Host, locale: str, said: str
) -> None:
    verified(server, host, "The old hose is made of leather [1].", "old-p1-1", locale=locale)
    assert host.see(NO_PICTURE)
    assert host.text("#text") == WORN
    assert host.text("#text mark") == "The old hose is made of leather."
    assert said in host.text("#notes")
    assert host.see("document.querySelector('#address').hidden")


def test_a_page_read_by_ocr_is_shown_with_a_warning(server: Server, host: Host) -> None:
    verified(server, host, "The boiler holds 300 litres [1].", "scan-p1-ocr1")
    assert host.texts("#notes li") == ["This text was recognised in a picture: letters and numbers may be wrong."]
    assert host.see("document.querySelectorAll('.box').length") == 1
    assert (host.text("#text"), host.text("#text mark")) == (READ, "The boiler holds 300 litres.")


def test_text_passed_with_a_question_is_complete_and_labelled_so(server: Server, host: Host) -> None:
    text = f"The yard was swept in May. {'It is wide. ' * 30}Nobody parks there."
    seen = {"text": text, "url": "https://yard.example/", "title": "The yard"}
    arguments = {"query": "When was the yard swept?", "mode": "compose", "observations": [seen]}
    result = server.call("rag_synthesize", arguments)
    number = next(one["citation_number"] for one in result["structuredContent"]["sources"] if not one.get("block_id"))
    host.show(result, arguments)
    host.press(f"#source-list li:nth-child({number}) button")
    assert host.text("#text") == text
    assert host.text("#citation") == "https://yard.example/"
    assert "Handed in by the client" in host.text("#notes")
    assert host.see(NO_PICTURE)
    assert host.see("document.querySelector('#address').hidden"), "a client's address is never opened"


def test_a_sentence_of_text_passed_by_the_client_is_marked_in_it(server: Server, host: Host) -> None:
    seen = {"text": "The yard is wide. The yard was swept on Monday at noon. Nobody parks there."}
    arguments = {"query": "When was the yard swept?", "mode": "compose", "observations": [seen]}
    host.show(server.call("rag_synthesize", arguments), arguments)
    assert host.text("#beside-name") == "Text of the source"
    assert host.text("#text mark").rstrip(".") in host.text("#claim")
    assert host.text("#text") == seen["text"]


def test_for_a_reindexed_document_nothing_is_outlined_and_the_quote_stays(server: Server, host: Host) -> None:
    """The block keeps its id, but its text at the position of the evidence has changed."""

    def put(text: str) -> None:
        renewed = [passage(text, doc_id="renewed", bbox=(72, 60, 300, 90))]
        server.portal.call(server.desk.put, manual("renewed", source_path=""), renewed)

    put("The lamp stands dry. Clean the lamp every 30 days.")
    arguments = {"answer": "Clean the lamp every 30 days [1].", "block_ids": ["renewed-p1-1"]}
    result = server.call("rag_verify_answer", arguments)
    put("It is new. Do not clean the lamp before it is cold, and never by hand.")
    host.show(result, arguments)
    assert "was indexed anew since this answer" in host.text("#notes")
    assert host.see("document.querySelectorAll('.box').length") == 0
    assert host.text("#text mark") == "Clean the lamp every 30 days."
    host.press("#source-list li button")
    assert "was indexed anew since this answer" in host.text("#notes")
    assert host.text("#text").startswith("It is new.")


def test_a_page_seen_before_is_not_shown_again_once_it_may_not_be_read(
    server: Server, host: Host, tmp_path: Path
) -> None:
    file = pdf(tmp_path, "pay.pdf", 2)
    document = manual("pay", access=("user:ann",), source_path=str(file), content_hash=digest(file), page_count=2)
    text = passage("The director is paid 9000 pounds.", doc_id="pay", bbox=(72, 60, 300, 90))
    server.portal.call(server.desk.put, document, [text])
    server.desk.caller = ANN
    try:
        verified(server, host, "The director is paid 9000 pounds [1].", "pay-p1-1")
        assert host.see("document.querySelectorAll('.box').length") == 1
        host.press("#page-on")
        assert host.text("#page-at").startswith("Page 2 of 2")
    finally:
        server.desk.caller = ANONYMOUS
    host.press("#page-back")
    assert host.texts("#notes li") == ["The page cannot be shown: it is no longer there, or may no longer be read."]
    assert host.see(NO_PICTURE)


def test_an_azure_index_shows_the_text_with_the_sentence_marked(azure: Server, host: Host) -> None:
    verified(azure, host, "The tank of the mixer holds 40 litres [1].", "mixer-0")
    assert host.text("#place") == "Claim 1 of 1 ✓ found in source"
    assert (host.text("#text"), host.text("#text mark")) == (
        FILLED,
        "The tank of the mixer holds 40 litres.",
    )
    assert host.texts("#notes li") == ["There is no picture of this page."]
    assert host.see(NO_PICTURE)
    assert host.see("document.querySelector('#address').hidden")


def test_an_azure_index_shows_the_address_of_a_figure_and_the_host_opens_it(azure: Server, host: Host) -> None:
    verified(azure, host, "Figure 2 shows the mixer with its tank [2].", "mixer-0", "mixer-f2")
    host.press("#source-list li:nth-child(2) button")
    assert host.text("#text") == "Figure 2: The mixer with its tank"
    assert host.text("#url") == FIGURE_URL
    assert host.see(NO_PICTURE)
    host.press("#open")
    assert [one["params"] for one in host.heard("ui/open-link")] == [{"url": FIGURE_URL}]
    host.until("document.querySelector('#live').textContent === 'The address was handed to the client.'")
    assert host.left() == []


@pytest.mark.parametrize("still", [True, False])
def test_nothing_moves_for_a_user_with_reduced_motion(server: Server, host: Host, still: bool) -> None:
    verified(server, host, "The boiler holds 300 litres [1].", "scan-p1-ocr1")
    host.tab.sized(1100, 900, still=still)
    host.see("document.querySelector('#shown').classList.add('busy')")
    faded = host.see("getComputedStyle(document.querySelector('.busy .scroller')).transitionDuration")
    assert faded == ("0s" if still else "0.15s")
    moved = "[...document.querySelectorAll('*')].some(one => getComputedStyle(one).scrollBehavior !== 'auto')"
    assert host.see(moved) is False
    if still:
        assert host.see("document.getAnimations().length") == 0
