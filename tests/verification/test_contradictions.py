"""Values of the same thing that differ between sources are reported; values of different things never are."""

from __future__ import annotations

import pytest

from corpus.verification.contradictions import contradictions
from corpus.verification.protocol import SourceText


def hints(*texts: str, language: str = "en") -> tuple[str, ...]:
    return contradictions([SourceText(number, text, language) for number, text in enumerate(texts, 1)])


@pytest.mark.parametrize(
    ("texts", "language", "values"),
    [
        (
            (
                "The forecast at completion is unchanged at 8.40 million euros, and the reserve is untouched.",
                "Costs grew. The forecast at completion has risen to 8.53 million euros, 0.13 million more.",
                "The forecast\nat completion is 9.10 million euros.",
            ),
            "en",
            ("8.40", "8.53", "9.10"),
        ),
        (
            (
                "Die Prognose bei Fertigstellung liegt bei 8,40 Millionen Euro, die Reserve ist unberührt.",
                "Nach dem Umbau ist die Prognose bei Fertigstellung auf 8,53 Millionen Euro gestiegen.",
            ),
            "de",
            (),
        ),
        (
            (
                "Die Prognose bei Fertigstellung liegt bei 8,40 Millionen Euro, die Reserve ist unberührt.",
                "Der Bau dauert; die Prognose bei Fertigstellung steigt auf 8,53 Millionen Euro.",
            ),
            "de",
            ("8,40", "8,53"),
        ),
        (
            (
                "The rated head of the pump is 48 m, and it is quiet.",
                "Tests were run again: the rated head of the pump reached 52 m.",
            ),
            "en",
            ("48 m", "52 m"),
        ),
        (
            (
                "The notice period for tenants is 3 months.",
                "It is short: the notice period for tenants is 6 months, as agreed.",
            ),
            "en",
            ("3 months", "6 months"),
        ),
        (
            ("The maximum pressure of the XP-200 is 5 bar.", "The maximum pressure of the XP-200 is 8 bar."),
            "en",
            ("5 bar", "8 bar"),
        ),
    ],
)
def test_different_values_of_one_thing_are_reported_together(
    texts: tuple[str, ...], language: str, values: tuple[str, ...]
) -> None:
    found = hints(*texts, language=language)
    assert len(found) == bool(values)
    assert all(value in found[0] for value in values)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The forecast at completion is 8.40 million euros.", "The forecast at completion is 8,400,000 euros."),
        ("In 2023 the sales of pumps were 5 million euros.", "In 2024 the sales of pumps were 6 million euros."),
        ("The rated head of the XP-200 is 48 m.", "The rated head of the XP-300 is 52 m."),
        ("The annual fee for Basel is 90 euros.", "The annual fee for Zürich is 95 euros."),
        ("The rated head is 48 m.", "The rated head is 300 kPa."),
        ("The minimum rated head is at least 48 m.", "The minimum rated head is at most 52 m."),
        ("Spending stands at 0.70 million euros.", "Spending reached 3.20 million euros."),
        ("| Rated head | 48 m |", "| Rated head | 52 m |"),
        ("- At least 5 years of experience in sales", "- At least 10 years of experience in sales"),
        ("The hall costs 3 million euros for civil works.", "The hall costs 2 million euros for electrical works."),
        ("In the 7th meeting of the board all was well.", "In the 8th meeting of the board all was well."),
        ("See arXiv preprint abs/2004.05150 for the details.", "See arXiv preprint abs/2107.03374 for the details."),
        ("The appeal must be filed within 60 days of it.", "The grievance must be filed within 90 days of it."),
        ("Decision DEC-004 is in force for the station.", "Decision DEC-010 is in force for the station."),
    ],
)  # fmt: skip
def test_values_of_different_things_are_not_reported(one: str, two: str) -> None:
    assert hints(one, two) == ()


def test_the_year_in_the_heading_is_the_period() -> None:
    text = "The rated head of the pump is {} m."
    years = [SourceText(n, text.format(40 + n), "en", f"Report 202{n} > Pump") for n in (1, 2)]
    assert contradictions(years) == ()


def test_a_document_does_not_contradict_itself() -> None:
    text = "Within the network and outside: the copayment for primary visits is {} euros."
    assert contradictions([SourceText(n, text.format(10 + n), "en", document="a") for n in (1, 2)]) == ()
