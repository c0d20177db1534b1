"""Numbers, dates and units are compared as values, however they are written."""

from __future__ import annotations

import pytest

from corpus.verification.holdings import Holdings
from corpus.verification.values import compared


def missing(claim: str, source: str, language: str | None = "en", of_source: str | None = "") -> list[str]:
    """What the claim names and the source does not have, names aside."""
    held = Holdings(source, language if of_source == "" else of_source)
    return [text for _, text in compared(claim, language, [held], with_names=False).absent]


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("It costs 1,500 in all.", "It costs 1500.", "en"),
        ("Es kostet 1.500 im Ganzen.", "Es kostet 1500.", "de"),
        ("Es kostet 1 500.", "Es kostet 1.500.", "de"),
        ("It costs 1'500.", "It costs 1,500.", "en"),
        ("Es sind 2,5 Liter.", "Es sind 2.50 l.", None),
        ("Ein Anteil von 5 %.", "Ein Anteil von 5 Prozent.", "de"),
        ("A share of 5 percent.", "A share of 5%.", "en"),
        ("A length of 1.5 km.", "A length of 1500 m.", "en"),
        ("Eine Länge von 30 mm.", "Eine Länge von 3 cm.", "de"),
        ("It takes 90 minutes.", "It takes 1.5 hours.", "en"),
        ("At 5 bar.", "At 500 kPa.", "en"),
        ("12 square kilometres of wood.", "12 km² of wood.", "en"),
        ("Revenue of 5 million dollars.", "Revenue of $5,000,000.", "en"),
        ("Umsatz von 2,5 Mio. €.", "Umsatz von 2.500.000 Euro.", "de"),
        ("Umsatz von 3 Mrd. Euro.", "Umsatz von 3 Milliarden Euro.", "de"),
        ("There are 6 pumps.", "There are six pumps.", "en"),
        ("Es sind sechs Pumpen.", "Es sind 6 Pumpen.", "de"),
        ("Es sind einundzwanzig Pumpen.", "Es sind 21 Pumpen.", "de"),
        ("The 3rd stage.", "The third stage.", "en"),
        ("Between 5 and 10 km.", "From 5–10 km.", "en"),
        ("In the 1980s.", "In 1987.", "en"),
        ("On page 14.", "See p. xiv.", "en"),
        ("At -5 °C.", "At minus 5 °C.", "en"),
        ("At 2:30 pm.", "Um 14.30 Uhr.", None),
        ("A score of 20:18.", "They won 20-18.", "en"),
        ("Es dauert 30 Minuten.", "Eine 30-minütige Prüfung.", "de"),
        ("At 20 degrees Celsius.", "At 20 °C.", "en"),
        ("It was 5 kg.", "| Part | kg |\n| --- | --- |\n| Pump | 5 |", "en"),
        ("On 4 July 1999.", "On July 4, 1999.", "en"),
        ("Am 4. Juli 1999.", "Am 04.07.1999.", "de"),
        ("In July 1999.", "On 1999-07-04.", "en"),
        ("On 4 July 1999.", "From 4 to 7 July 1999.", "en"),
        ("On 4 July 1999.", "In 1999 it opened on 4 July.", "en"),
        ("In 1999.", "On 4 July 1999.", "en"),
        ("Version 1.2.3 is out.", "We offer version 1.2.3 now.", "en"),
    ],
)
def test_an_equal_value_stands_there(claim: str, source: str, language: str | None) -> None:
    assert missing(claim, source, language) == []


@pytest.mark.parametrize(
    ("claim", "source", "language", "wrong"),
    [
        ("It costs 1,500.", "It costs 1.5.", "en", ["1,500"]),
        ("Es kostet 1.500.", "Es kostet 1,5.", "de", ["1.500"]),
        ("A length of 5 km.", "A length of 5 miles.", "en", ["5 km"]),
        ("A weight of 5 kg.", "A weight of 5 g.", "en", ["5 kg"]),
        ("Ein Anteil von 5 %.", "Ein Preis von 5 Euro.", "de", ["5 %"]),
        ("5 million people.", "5 billion people.", "en", ["5 million"]),
        ("At 14:45.", "At 14:30.", "en", ["14:45"]),
        ("At 5 °C.", "At -5 °C.", "en", ["5 °C"]),
        ("There are seven pumps.", "There are six pumps.", "en", ["seven"]),
        ("On 5 July 1999.", "On 4 July 1999, after 5 years.", "en", ["5 July 1999"]),
        ("On 4 June 1999.", "On 4 July 1999.", "en", ["4 June 1999"]),
        ("Am 4. Juli 1998.", "Am 4. Juli 1999.", "de", ["4. Juli 1998"]),
        ("Version 1.2.4 is out.", "Version 1.2.3 is out.", "en", ["1.2.4"]),
        ("In 1999 and 2001.", "In 1998 and 2001.", "en", ["1999"]),
        ("In the 1980s.", "In the 1970s, until 1985.", "en", ["1980"]),
    ],
)
def test_another_value_is_named_as_the_claim_has_it(
    claim: str, source: str, language: str | None, wrong: list[str]
) -> None:
    assert missing(claim, source, language) == wrong


def test_a_point_between_three_digits_is_read_either_way_where_the_language_is_not_known() -> None:
    assert missing("Es sind 1.500.", "1500", None) == []
    assert missing("Es sind 1.500.", "1,5", None) == []


def test_a_german_point_is_no_english_point() -> None:
    assert missing(
        "Es sind 1.500 Pumpen.", "A share of 1.500 is kept, in 3 parts.", "de", of_source="en"
    ) == ["1.500"]


def test_may_and_march_are_words_until_a_day_or_a_year_stands_beside_them() -> None:
    assert missing("You May go, said March.", "Nothing.") == []
    assert missing("In May 2005.", "In 2005.") == ["May 2005"]


def test_values_may_stand_in_several_sources() -> None:
    sources = [Holdings("It has 5 blades.", "en"), Holdings("It weighs 9 kg.", "en")]
    assert compared("It has 5 blades and 9 kg.", "en", sources, with_names=False).absent == ()
