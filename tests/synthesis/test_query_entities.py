"""Names in a question, and the conditions under which they occur in a text."""

from __future__ import annotations

import pytest

from corpus.synthesis.query_entities import all_stand, query_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Does the client speak HTTP/2?", ("HTTP", "HTTP/2")),
        ("How well does it do with Llama 3?", ("Llama", "Llama 3")),
        ("What did it earn in the second quarter of 2023?", ("2023", "Q2")),
        ("What did it earn in H1 2023?", ("H1", "2023")),
        ("Which step time has the Gecko G540?", ("Gecko", "G540")),
        ("What was the price of Dogecoin in November 2023?", ("Dogecoin", "November", "2023")),
        ("Does it run over TCP or EtherCAT?", ("TCP", "EtherCAT")),
        ("Who is NASA?", ("NASA",)),
        ("How many of the 7 valves leak?", ()),
        ("Do I get it back if I cancel 24 hours before?", ()),
        ("Can the 900 be rented for 14 days?", ("900",)),
        ("Who bought 45,000 of them?", ("45000",)),
        ("What does Table 12 on page 345 show?", ("12",)),
        ("What stands on pages 10 to 12?", ()),
        ("What stands on pp. 10, 11 and 12 about Zeus?", ("Zeus",)),
        ('List them, as in ["30", "ABC"].', ()),
        ("How Much Oil Does The Pump P7 Need", ("P7",)),
        ("HOW MUCH OIL DOES THE PUMP P7 NEED", ("P7",)),
    ],
)
def test_english_numbers_identifiers_acronyms_and_proper_names_are_recognised(
    question: str, names: tuple[str, ...]
) -> None:
    assert query_names(question, "en") == names


@pytest.mark.parametrize("language", ["de", None])
def test_without_meaningful_capitals_only_words_with_inner_capitals_or_digits_are_names(language: str | None) -> None:
    assert query_names("Welche Pumpe von Grundfos hat NEMA17 auf Seite 10?", language) == ("NEMA17",)


def test_a_german_decade_is_not_a_name() -> None:
    assert query_names("Wer spielte die Rolle in den 70ern, wer in den 1980er-Jahren bei ABC?", "de") == ("ABC",)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Was hat Frau Kellermann entschieden?", ("Kellermann",)),
        ("Wie hoch ist das Budget von Projekt Merkur?", ("Merkur",)),
        ("Welche Pumpe liefert die Firma Huber an das Werk?", ("Huber",)),
        ("Wie heißt die Frau an der Pumpe?", ()),
        ("Welches Projekt hat ein Budget?", ()),
    ],
)
def test_a_german_word_after_a_title_or_a_kind_of_thing_is_a_name(question: str, names: tuple[str, ...]) -> None:
    assert query_names(question, "de") == names
    assert query_names(question, None) == ()


def test_each_name_counts_once_and_their_number_is_limited() -> None:
    assert query_names("Is P7 like P7?", "en") == ("P7",)
    assert len(query_names(" ".join(f"P{number}" for number in range(500)), "en")) == 64


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Grundfos", "made by GRUNDFOS"),
        ("Luther", "Luthers Bibel"),
        ("Helth", "Northwind Health"),
        ("G540", "the g540 drive"),
        ("45000", "it costs 45.000 francs"),
        ("45000", "it costs 45,000 francs"),
        ("Müller", "by Mueller"),
    ],
)
def test_a_name_matches_in_another_form(name: str, text: str) -> None:
    assert all_stand([name], text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("G540", "the G54 and the G5401"),
        ("DM2282", "the DM228"),
        ("2019", "in 2020"),
        ("45000", "it costs 4500 francs"),
        ("Claude", "the clause"),
        ("Android", "an asteroid"),
    ],
)
def test_another_number_identifier_or_word_does_not_match(name: str, text: str) -> None:
    assert not all_stand([name], text)


def test_all_names_must_match() -> None:
    assert all_stand([], "")
    assert not all_stand(["P7", "P8"], "the pump P7")


@pytest.mark.parametrize(
    ("question", "language", "text", "stand"),
    [
        ("Does the client speak HTTP/2?", "en", "It speaks HTTP. Version 2 fixes this.", False),
        ("Does the client speak HTTP/2?", "en", "It speaks HTTP 2.", True),
        ("What of the second quarter?", "en", "Results of the first quarter", False),
        ("What of the second quarter?", "en", "Q2 results", True),
        ("Was war im zweiten Quartal?", "de", "Ergebnisse: 2. Quartal", True),
        ("Was war im dritten Quartal?", "de", "Ergebnisse: 2. Quartal", False),
        ("Was war im zweiten Halbjahr?", "de", "H2: 120", True),
    ],
)
def test_a_version_and_a_period_match_only_with_name_and_number_together(
    question: str, language: str, text: str, stand: bool
) -> None:
    assert all_stand(query_names(question, language), text) is stand


@pytest.mark.parametrize("text", ["15.01.2024", "01/15/2024", "2024-01-15", "15 January 2024"])
def test_a_year_matches_within_a_date(text: str) -> None:
    assert all_stand(("2024",), f"Rent; {text}; 800")
    assert not all_stand(("2023",), f"Rent; {text}; 800")


@pytest.mark.parametrize(
    ("code", "text", "has"),
    [
        ("DH-40", "The DH-12, DH-20 and DH-30 take 40 cm.", False),
        ("DH-40", "DH 40 dehumidifier", True),
        ("DH-40", "the models DH-12, -20, -30 and -40", True),
        ("DH-40", "DH-20/40", True),
        ("DH-40", "DH-400 and XDH-40", False),
        ("F-16", "The F16 flies.", True),
        ("EN-388", "according to EN 388", True),
        ("EN-388", "according to EN 343 and ISO 388", False),
    ],
)
def test_a_code_with_a_hyphen_is_one_name(code: str, text: str, has: bool) -> None:
    assert query_names(f"What does the {code} weigh?", "en") == (code,)
    assert all_stand([code], text) is has
