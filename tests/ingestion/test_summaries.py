"""The two summaries of a document: source, choice and order of their sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.ingestion.summaries import BRIEF, STANDARD, summaries
from tests.ingestion.read_texts import read

NOTICE = "Every statement in this file was typed at night by a machine and binds nobody anywhere."
PUMPS = (
    "The pump moves water from the tank to the filter of the heating system.",
    "A pump that runs dry overheats, so the tank must hold water at all times.",
    "Clean the filter of the pump each month, or the water will not flow.",
    "The heating system stops when the pump or its filter is blocked.",
    "Water that leaks from the pump shows that its seal is worn out.",
)


def word(number: int) -> str:
    """Return a different word for each number."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:06}")


def test_an_unrelated_sentence_is_left_out_even_if_it_comes_first() -> None:
    brief, _ = summaries(read(NOTICE, " ".join(PUMPS)))
    assert NOTICE not in brief
    assert any(sentence in brief for sentence in PUMPS)


def test_sentences_are_unchanged_and_in_document_order() -> None:
    brief, _ = summaries(read(*PUMPS))
    places = [brief.find(sentence) for sentence in PUMPS if sentence in brief]
    assert len(places) >= 2
    assert places == sorted(places)
    assert " ".join(sentence for sentence in PUMPS if sentence in brief) == brief


@pytest.mark.parametrize("word", ["overview", "abstract", "summary", "introduction", "Zusammenfassung", "preface"])
def test_a_sentence_that_names_a_kind_of_heading_loses_no_word(word: str) -> None:
    sentences = [
        f"Paragraph 7 of the {word} says that building H used 1259 kilograms of beans.",
        f"The {word} of the report was written by the facility team last winter.",
        f"{word.capitalize()} texts like this one begin with the name of a kind of heading.",
    ]
    _, standard = summaries(read(*sentences))
    assert standard == " ".join(sentences)


@pytest.mark.parametrize("run_in", ["Abstract ", "Abstract. ", "1 Introduction: ", "OVERVIEW — "])
def test_a_heading_on_the_line_of_its_sentence_is_left_out(run_in: str) -> None:
    assert summaries(read(run_in + PUMPS[0]))[0] == PUMPS[0]


@pytest.mark.parametrize("mark", ["2 ", "2. ", "(b) ", "- ", "• "])
def test_list_items_are_left_out_if_there_is_prose(mark: str) -> None:
    items = [f"{mark}Fill the tank of the pump with water and citric acid, part {word(n)}." for n in range(9)]
    brief, standard = summaries(read(PUMPS[0], "\n".join(items), *PUMPS[1:]))
    assert "Fill" not in brief + standard
    assert PUMPS[0] in standard


def test_a_text_of_list_items_alone_is_summarised_by_them() -> None:
    items = [f"{n}. The tenant {word(n)} must keep the house {word(n * 7)} in order." for n in range(1, 9)]
    assert "The tenant" in summaries(read("\n".join(items)))[0]


def test_a_single_speaker_note_is_not_a_summary_of_slides_but_a_spoken_text_is() -> None:
    def slides(count: int) -> tuple[str, str]:
        notes = read(*[f"Remember to mention the sponsor {word(n)} to all the guests." for n in range(count)])
        of_slides = [
            replace(block, page_number=n, heading=f"Slide {n} > Notes") for n, block in enumerate(notes.blocks, 1)
        ]
        return summaries(replace(notes, blocks=tuple(of_slides)))

    assert slides(1) == ("", "")
    assert "sponsor" in slides(4)[0]


def test_an_abstract_comes_before_the_text_above_it() -> None:
    title_page = "This page was left blank by the printer and tells nobody anything at all."
    abstract = "We show that pumps can be understood by reading a single page of text."
    brief, _ = summaries(read(title_page, abstract, headings=(None, "Abstract")))
    assert brief == abstract


def test_a_heading_above_a_sentence_is_left_out() -> None:
    brief, _ = summaries(read("Chapter 1\nAbout the pump\n" + PUMPS[0]))
    assert brief == PUMPS[0]


def test_a_repeated_sentence_counts_once() -> None:
    brief, standard = summaries(read(*[PUMPS[0]] * 30, PUMPS[1]))
    assert standard.count(PUMPS[0]) == 1
    assert brief.count(PUMPS[0]) == 1


def test_the_summary_is_in_the_language_of_the_document() -> None:
    german = "Die Pumpe fördert das Wasser aus dem Tank in den Filter der Heizung."
    document = read(*PUMPS, german, language="de")
    blocks = tuple(replace(block, language="de" if block.content == german else "en") for block in document.blocks)
    assert summaries(replace(document, blocks=blocks)) == (german, german)


def test_references_are_not_summarised() -> None:
    book = "Miller, A. and Smith, B. wrote the Book of Pumps and Water in a long winter."
    _, standard = summaries(read(PUMPS[0], book, headings=("1 Pumps", "References")))
    assert standard == PUMPS[0]


@pytest.mark.parametrize("count", [40, 2000])
def test_both_summaries_stay_within_their_lengths(count: int) -> None:
    texts = [f"The pump {word(n)} moves the {word(n * 7)} water to the {word(n * 3)} filter." for n in range(count)]
    brief, standard = summaries(read(*texts))
    assert 0 < len(brief) <= BRIEF
    assert len(brief) < len(standard) <= STANDARD + 2
    assert standard.count("\n\n") <= 1


def test_the_standard_summary_contains_the_brief_one() -> None:
    brief, standard = summaries(read(*PUMPS))
    assert all(sentence in standard for sentence in PUMPS if sentence in brief)


def test_a_document_without_prose_has_no_summary() -> None:
    assert summaries(read("1 2 3 4 5", "A ..... 7")) == ("", "")


@pytest.mark.parametrize("text", ["", "\n\n", "水", "." * 500, "a" * 5000])
def test_odd_texts_cause_no_failure(text: str) -> None:
    summaries(read(text))
