"""Locations in questions, and locations of blocks: both use the same terms, in English and German."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents.document import OutlineEntry
from corpus.places import Place, places_in, places_of
from corpus.places.place import KINDS
from tests.values import document, image_block, text_block

BENCH = Path(__file__).parents[1] / "bench" / "places.jsonl"


def _terms(query: str) -> list[str]:
    return [place.term for place in places_in(query).places]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("figure 3", "figure:3"),
        ("Fig. 3", "figure:3"),
        ("fig 3", "figure:3"),
        ("Abbildung 3", "figure:3"),
        ("Abb. 3", "figure:3"),
        ("the chart 3", "figure:3"),
        ("Schaubild 3", "figure:3"),
        ("Figure 3a", "figure:3a"),
        ("Figure 3(a)", "figure:3a"),
        ("Figure 3-2", "figure:3.2"),
        ("Figure A", "figure:a"),
        ("figures 2 and 5", "figure:2 figure:5"),
        ("figs. 3-5", "figure:3 figure:4 figure:5"),
        ("Abbildungen 2, 3 und 5", "figure:2 figure:3 figure:5"),
        ("Compare figure 2 and 5.", "figure:2 figure:5"),
        ("Table A-1", "table:a.1"),
        ("table 2 on page 5", "table:2 page:5"),
        ("Tabelle 4.2", "table:4.2"),
        ("TABLE IV", "table:4"),
        ("Tab. 7", "table:7"),
        ("Eq. (3)", "equation:3"),
        ("Gleichung 4.2", "equation:4.2"),
        ("the chart on page 14", "page:14"),
        ("page 5 of the contract", "page:5"),
        ("pages 3-5", "page:3 page:4 page:5"),
        ("Seiten 3 bis 5", "page:3 page:4 page:5"),
        ("page 3 to 5", "page:3 page:4 page:5"),
        ("pp. 3–5, 12 and 14", "page:3 page:4 page:5 page:12 page:14"),
        ("S. 12", "page:12"),
        ("S. 12 ff.", "page:12"),
        ("p. 12", "page:12"),
        ("third page", "page:3"),
        ("page three", "page:3"),
        ("the 12th page", "page:12"),
        ("dritte Seite", "page:3"),
        ("auf der 3. Seite", "page:3"),
        ("Seite drei", "page:3"),
        ("page xii", "page:xii"),
        ("pages iv-vi", "page:iv page:v page:vi"),
        ("Seite A-3", "page:a-3"),
        ("the cover page", "page:first"),
        ("title page", "page:first"),
        ("front page", "page:first"),
        ("what is on the cover of the report", "page:first"),
        ("Titelseite", "page:first"),
        ("Deckblatt", "page:first"),
        ("first page", "page:first"),
        ("auf der ersten Seite", "page:first"),
        ("the last page", "page:last"),
        ("letzte Seite", "page:last"),
        ("Folie 7", "slide:7"),
        ("the second slide", "slide:2"),
        ("letzte Folie", "slide:last"),
        ("title slide", "slide:first"),
        ("section 3.2", "section:3.2"),
        ("section 8 housing", "section:8"),
        ("Kapitel 3", "section:3"),
        ("third chapter", "section:3"),
        ("Chapter IV", "section:4"),
        ("§ 5 Abs. 2", "section:5"),
        ("§§ 3-5", "section:3 section:4 section:5"),
        ("sections 3.2-3.4", "section:3.2 section:3.3 section:3.4"),
        ("Section A.1", "appendix:a.1"),
        ("Appendix B", "appendix:b"),
        ("Anhang B", "appendix:b"),
        ("Annex II", "appendix:2"),
        ("Anlage 2", "appendix:2"),
        ("sheet Sales, B3:D5", "sheet:sales row:3 row:4 row:5"),
        ("'Stanley Cups'!A2:C3", "sheet:stanley_cups row:2 row:3"),
        ("the “Stanley Cups” sheet", "sheet:stanley_cups"),
        ("Tabellenblatt Umsatz", "sheet:umsatz"),
        ("Tabelle1!A1:B1", "sheet:1 row:1"),
        ("sheet 1", "sheet:1"),
        ("cell B3", "row:3"),
        ("Zellen B3 bis D4", "row:3 row:4"),
        ("2nd page of search results", "page:2"),
    ],
)
def test_a_named_location_is_recognised(query: str, terms: str) -> None:
    assert _terms(query) == terms.split()


@pytest.mark.parametrize(
    "query",
    [
        "how many pages",
        "table of contents",
        "figure out",
        "the first time",
        "the first table",
        "sheet metal 3 mm",
        "data sheet LM317",
        "ein Blatt Papier",
        "Top 3 figures",
        "Page Rank",
        "Tabelle mit Preisen",
        "figure 3 million",
        "figures 5 percent",
        "the figures 3,000 and 5,000",
        "Chart 2023",
        "the section I wrote",
        "the appendix I read",
        "it's. 12 people",
        "tab 3",
        "the cover letter",
        "does the insurance cover pages",
        "Seite an Seite",
        "Appendix",
        "pages 1-400",
        "last but not least",
        "the second time on this page",
    ],
)
def test_an_ordinary_question_names_no_location_and_is_unchanged(query: str) -> None:
    result = places_in(query)

    assert result.text == query
    assert result.places == ()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("what does figure 3 show in the Logic-LM paper", "what does show in the Logic-LM paper"),
        ("the chart on page 14 of the contract", "the chart of the contract"),
        ("Was steht auf der letzten Seite des Vertrags?", "Was steht des Vertrags?"),
        ("page 5 and 3 more", "and 3 more"),
        ("pump limits (see Table 2)", "pump limits"),
        ("Figure 3", ""),
    ],
)
def test_words_that_name_a_location_are_left_out_of_the_ranking(query: str, text: str) -> None:
    assert places_in(query).text == text


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("table 2 on page 5", [["table:2"], ["page:5"]]),
        ("figures 2 and 5", [["figure:2", "figure:5"]]),
        ("figure 3 and table 2 in section 4", [["figure:3", "table:2"], ["section:4"]]),
        ("no place", []),
    ],
)
def test_locations_of_one_kind_are_alternatives_and_others_must_all_match(query: str, groups: list[list[str]]) -> None:
    assert [[place.term for place in group] for group in places_in(query).alternatives] == groups


@pytest.mark.parametrize(
    ("term", "wider"),
    [
        ("figure:3a", "figure:3"),
        ("section:3.2.1", "section:3.2"),
        ("appendix:a.1", "appendix:a"),
        ("slide:7", "page:7"),
        ("figure:3.2", None),
        ("page:7", None),
    ],
)
def test_a_location_has_its_wider_location(term: str, wider: str | None) -> None:
    place = Place.from_term(term).wider

    assert (place.term if place else None) == wider


@pytest.mark.parametrize("term", ["", "figure", "figure:", "picture:3", ":3"])
def test_an_invalid_term_is_refused(term: str) -> None:
    with pytest.raises(ValueError, match="no term"):
        Place.from_term(term)


def _block_terms(*kinds: str, **changes: object) -> set[str]:
    about = {name: changes.pop(name) for name in ("page_count", "document_type", "filename") if name in changes}
    outline = changes.pop("outline", ())
    content = str(changes.pop("content", "Text."))
    places = places_of(text_block(content, **changes), document(outline=outline, **about))  # type: ignore[arg-type]
    return {place.term for place in places if place.kind in kinds}


def test_a_block_is_on_the_page_of_the_file_and_on_the_printed_page() -> None:
    assert _block_terms("page", page=12, page_label="iii") == {"page:12", "page:iii"}


def test_the_first_and_the_last_page_of_a_file_are_locations() -> None:
    assert _block_terms("page", page=1, page_count=1) == {"page:1", "page:first", "page:last"}
    assert _block_terms("page", page=9, page_count=9) == {"page:9", "page:last"}


def test_a_document_without_pages_has_no_last_page() -> None:
    assert _block_terms("page", page=None, page_count=None) == set()


def test_the_pages_of_a_presentation_are_slides() -> None:
    assert _block_terms("slide", page=7, document_type="Slides") == {"slide:7"}
    assert _block_terms("slide", page=1, filename="Deck.PPTX") == {"slide:1", "slide:first"}
    assert _block_terms("slide", page=7) == set()


@pytest.mark.parametrize(
    ("heading", "terms"),
    [
        ("3 Operation > 3.2 Start-up", {"section:3", "section:3.2"}),
        ("Operation > 3.2.1 Start-up", {"section:3", "section:3.2", "section:3.2.1"}),
        ("Kapitel 2 Pumpen", {"section:2"}),
        ("§ 5 Kündigung", {"section:5"}),
        ("IV. The Complaint", {"section:4"}),
        ("CHAPTER II RINKS AND SKATERS", {"section:2"}),
        ("5 Conclusion > B Prompts > B.1 Details", {"appendix:b", "appendix:b.1"}),
        ("5 Conclusion > References", set()),
        ("Appendix A: Inventory", {"appendix:a"}),
        ("Anhang C Maße", {"appendix:c"}),
        ("A Third Heading", set()),
        ("2023 Results", set()),
        ("Sections of the act", set()),
        ("Chapterhouse 5", set()),
    ],
)
def test_a_block_is_in_the_sections_that_its_headings_number(heading: str, terms: set[str]) -> None:
    assert _block_terms("section", "appendix", heading=heading) == terms


def test_the_first_appendix_is_recognised_by_the_second() -> None:
    outline = (OutlineEntry("A Datasets", 1), OutlineEntry("B Prompts", 1))

    assert _block_terms("appendix", heading="A Datasets", outline=outline) == {"appendix:a"}


def test_a_chapter_with_its_number_above_its_title_is_recognised_where_it_begins() -> None:
    content = "Kapitel 2\nSchrittmotoren\nDiese Seite befasst sich mit Schrittmotoren."

    assert _block_terms("section", heading="Schrittmotoren", content=content) == {"section:2"}


@pytest.mark.parametrize(
    ("caption", "term"),
    [
        ("Figure 3: Overview", "figure:3"),
        ("Fig. 3. Overview", "figure:3"),
        ("Abb. 3 – Überblick", "figure:3"),
        ("Abbildung 3-2 Überblick", "figure:3.2"),
        ("Chart 2", "figure:2"),
        ("Figure B: An illustration", "figure:b"),
        ("Table 2: Limits", "table:2"),
        ("TABLE IV", "table:4"),
    ],
)
def test_a_picture_has_the_label_of_its_caption(caption: str, term: str) -> None:
    block = image_block(caption, content="Figure 9 shows the same.\nTable 7: Part of the picture")

    terms = {place.term for place in places_of(block, document()) if place.kind in ("figure", "table")}

    assert terms == {term}


def test_a_part_of_a_figure_is_at_the_figure() -> None:
    assert {Place("figure", "3"), Place("figure", "3a")} <= places_of(image_block("Figure 3a: Left"), document())


@pytest.mark.parametrize(
    ("content", "terms"),
    [
        ("Table 2: Limits\n\n| a | b |", {"table:2"}),
        ("Table 2. Limits of the pump\n\n| a | b |", {"table:2"}),
        ("Tabelle 2 Grenzwerte\n\n| a | b |", {"table:2"}),
        ("Some text ends here.\n\nAbb. 4 – Die Pumpe", {"figure:4"}),
        ("**Figure 4:** The pump", {"figure:4"}),
        ("Table 2", {"table:2"}),
        ("a row of cells without any full stop at its end\nTable 2: Limits", {"table:2"}),
        ("Figure 3 shows the results.", set()),
        ("Tabelle 3 zeigt die Preise.", set()),
        ("The results are as good as Figure 3 shows.", set()),
        ("This line runs on into the next one, which is\nFigure 3. Then comes more.", set()),
        ("Figure 3 and Figure 4 show it.", set()),
        ("Figure 1: Overview ........ 3\nFigure 2: Model ........ 5", set()),
        ("Figure 1: Overview 3\nFigure 2: Model 5", set()),
        ("\n".join(f"Figure {n}: Part" for n in range(1, 9)), set()),
    ],
)
def test_a_caption_places_text_at_a_figure_or_table_and_a_reference_does_not(content: str, terms: set[str]) -> None:
    assert _block_terms("figure", "table", content=content) == terms


@pytest.mark.parametrize(
    ("content", "terms"),
    [
        ("E = m·c² (3)", {"equation:3"}),
        ("C = value·scale·m (3.7)", {"equation:3.7"}),
        ("B1 1 0 V = hertz * v (33)", set()),
        ("t = 0 48.5(1.9)", set()),
        ("as in the law of Ohm (3)", set()),
    ],
)
def test_a_formula_is_at_the_number_after_it(content: str, terms: set[str]) -> None:
    assert _block_terms("equation", content=content) == terms


def test_a_block_of_a_sheet_is_at_the_sheet_and_its_rows() -> None:
    terms = _block_terms("sheet", "row", heading="'Anne''s Cups'!A2:C4", page=None, document_type="Spreadsheet")

    assert terms == {"sheet:anne's_cups", "row:2", "row:3", "row:4"}
    assert _terms("sheet 'Umsatz', A2:C4")[1:] == ["row:2", "row:3", "row:4"]


def test_a_chart_on_a_sheet_is_at_the_sheet() -> None:
    assert _block_terms("sheet", heading="Sheet1", page=None, filename="a.xlsx") == {"sheet:1"}


_WORDS = (
    "figure Fig. Abb. figures tables Table page pages S. p. pp. Seite section § §§ Kapitel Appendix sheet cells the on "
    "3 3a 3.2 A-1 iv II 5-7 – and und bis , ( ) [ ] ' “ ” ! : . ? first dritte 3. 12th last cover Tabelle1!A1:B2 B3:D9"
)
_QUERIES = st.lists(st.one_of(st.sampled_from(_WORDS.split()), st.text(max_size=6)), max_size=30).map(" ".join)


@given(_QUERIES | st.text())
def test_any_odd_query_is_parsed_and_the_rest_has_only_its_own_words(query: str) -> None:
    result = places_in(query)

    words = iter(re.findall(r"\w+", query))
    assert all(word in words for word in re.findall(r"\w+", result.text))


@given(_QUERIES, _QUERIES, _QUERIES)
def test_any_odd_block_has_terms(heading: str, caption: str, content: str) -> None:
    block = image_block(caption, heading=heading, content=content, page_label=heading[:9])

    for place in places_of(block, document(document_type="Spreadsheet")):
        assert Place.from_term(place.term) == place


@given(_QUERIES)
def test_every_term_is_one_word_that_converts_back_to_its_location(query: str) -> None:
    for place in places_in(query).places:
        assert place.kind in KINDS
        assert place.term.split() == [place.term]
        assert Place.from_term(place.term) == place


@pytest.mark.parametrize(
    "part",
    ["figure 1,", "1,", "figures ", "page 1-", "S.", "'a", "in the ", "a!", "A1:", "“", "sheet ", "[", "3.", " ",
     "xi", "1 and ", "§", "A", "\"a\" ", "first ", "sheet \"", "1.1", "!A1", "x" * 30 + "!A1 "],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "figures ", "sheet '"])
def test_a_long_query_of_one_pattern_is_parsed_in_linear_time(start: str, part: str) -> None:
    def seconds(characters: int) -> float:
        query = (start + part * characters)[:characters]
        began = time.process_time()
        for _ in range(3):
            places_in(query)
        return time.process_time() - began

    seconds(4_000)
    # Quadratic growth would take 64 times as long. The minimum of several runs excludes delays of a busy machine.
    short, long = (min(seconds(characters) for _ in range(3)) for characters in (4_000, 32_000))
    assert long < 40 * short + 0.01


def test_each_location_of_the_bench_is_named_by_its_question() -> None:
    rows = [json.loads(line) for line in BENCH.read_text(encoding="utf-8").splitlines()]

    assert len(rows) == 20
    for row in rows:
        kinds = [place.kind for place in places_in(row["question"]).places]
        assert kinds == [row["kind"]], row["question"]
