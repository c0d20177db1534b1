"""Numbers, dates and units are compared as values, in any notation."""

from __future__ import annotations

import pytest

from corpus.verification.source_facts import SourceFacts
from corpus.verification.values import compare_values


def missing(claim: str, source: str, language: str | None = "en", of_source: str | None = "") -> list[str]:
    """Return the values of the claim that the source lacks, except for names."""
    held = SourceFacts(source, language if of_source == "" else of_source)
    return [text for _, text in compare_values(claim, language, [held], with_names=False).absent]


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
        ("At 3 MPa.", "At 3000 kPa.", "en"),
        ("At 10 Gb/s.", "At 10 Gbit/s, on a line of 10 GB.", "en"),
        ("At 10 Gb/s.", "At 10 Gbps.", "en"),
        ("Take 10 mg/day.", "Take 10 mg per day.", "en"),
        ("Take 10 mg.", "Take 10 mg per day.", "en"),
        ("At 80 km/h.", "At 80 km per hour.", "en"),
        ("Mit 80 km/h.", "Mit 80 Kilometern pro Stunde.", "de"),
        ("At 36 km/h.", "At 10 m/s.", "en"),
        ("From 20 million to 35 million euros.", "From 20 to 35 million euros.", "en"),
        ("From €20m to €35m.", "From 20 to 35 million euros.", "en"),
        ("Von 2,5 Mio. bis 3 Mio. Euro.", "Von 2,5 bis 3 Mio. Euro.", "de"),
        ("It takes ⅝ mg.", "It takes 0.625 mg.", "en"),
        ("At 2000 l/min.", "At 2 m³/min.", "en"),
        ("It has 10⁶ cells.", "It has 10^6 cells.", "en"),
        ("It has 10⁶ cells.", "It has 1,000,000 cells.", "en"),
        ("It has 10⁶ cells.", "It has 1e6 cells.", "en"),
        ("It has 1e6 cells.", "It has one million cells.", "en"),
        ("It has 10^6 cells.", "It has one million cells.", "en"),
        ("It has 950 ³ cells.", "It has 950 cells.", "en"),
        ("It leaks 1.2×10⁻⁹ of it.", "It leaks 1.2 · 10⁻⁹ of it.", "en"),
        ("It has 50 parts.", "It has 50³ parts, says note 3.", "en"),
        ("At -20 °C.", "Stored at –20 °C.", "en"),
        ("From 5 to 10 °C.", "From 5 –10 °C.", "en"),
        ("It has 20 screws.", "Parts:\n-20 screws\n-5 nuts", "en"),
        ("A budget of 5 M€.", "A budget of 5 million euros.", "en"),
        ("Ein Budget von 5 T€.", "Ein Budget von 5.000 €.", "de"),
        ("It starts at 2:30 pm.", "It starts at 14:30.", "en"),
        ("It starts at 2 pm.", "It starts at 2:00 PM.", "en"),
        ("It starts at 2:30 pm.", "| start |\n| 2:30 |", "en"),
        ("It opens at 5 am.", "It is open from 5 to 7 pm.", "en"),
        ("Um 9:30 Uhr.", "Die Sitzung um 9:30 am Montag.", "de"),
        ("A share of 1/2.", "A share of ½, mixed 1:2.", "en"),
        ("A ratio of 1:10.", "One to ten, that is 1 to 10, or 2:10.", "en"),
        ("It takes 5.5 years.", "Es dauert fünfeinhalb Jahre, also 5,5.", None),
        ("Es dauert 1,5 Jahre.", "Es dauert anderthalb Jahre.", "de"),
        ("Half of them left.", "A third of them came, 50 % left.", "en"),
        ("Use valve C.", "Use valves B and C, never valve D.", "en"),
        ("Take vitamin C.", "Take C vitamins, and vitamin D.", "en"),
        ("Dr. John F. Wood said so.", "Dr. John G. Hill asked John Wood.", "en"),
        ("Version 2.3 is out.", "Version 2.30 follows v2.3.", "en"),
        ("Version 2.3 is out.", "A length of 2.30 m.", "en"),
        ("It needs at least 5 bar.", "It needs 5 bar.", "en"),
        ("It needs at least 5 bar.", "It needs 5 bar or more, at most 5 bar.", "en"),
        ("It needs at least 5 bar.", "It needs not less than 5 bar.", "en"),
        ("It needs ≥ 5 bar.", "It needs > 5 bar.", "en"),
    ],
)
def test_an_equal_value_is_found(claim: str, source: str, language: str | None) -> None:
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
        ("At 5 MW.", "At 5 mW.", "en", ["5 MW"]),
        ("Use 5 Mg of it.", "Use 5 mg of it.", "en", ["5 Mg"]),
        ("At 3 MPa.", "At 3 mPa.", "en", ["3 MPa"]),
        ("At 3 mPa.", "At 3 MPa.", "en", ["3 mPa"]),
        ("At 10 GB/s.", "At 10 Gb/s.", "en", ["10 GB/s"]),
        ("At 10 Gb/s.", "At 10 GB/s.", "en", ["10 Gb/s"]),
        ("An area of 50 m2.", "A pipe of 50 m with 2 doors.", "en", ["50 m2"]),
        ("It has 10⁶ cells.", "It has 10³ cells.", "en", ["10⁶"]),
        ("It has 10⁶ cells.", "It has 106 cells.", "en", ["10⁶"]),
        ("It has 106 cells.", "It has 10⁶ cells.", "en", ["106"]),
        ("It has 1e6 cells.", "It has 1e5 cells.", "en", ["1e6"]),
        ("It leaks 1.2×10⁻⁹ of it.", "It leaks 1.2×10⁻⁵ of it.", "en", ["1.2×10⁻⁹"]),
        ("At 20 °C.", "Stored at –20 °C.", "en", ["20 °C"]),
        ("At 20 °C.", "Stored at \u201120 °C.", "en", ["20 °C"]),
        ("At 20 °C.", "Stored at minus 20 °C.", "en", ["20 °C"]),
        ("Kept at 20.", "Stored at –20.", "en", ["20"]),
        ("It costs $500.", "It costs €500.", "en", ["500"]),
        ("A budget of 5 M€.", "A budget of 5 k€.", "en", ["5 M€"]),
        ("It starts at 2:30 am.", "It starts at 2:30 pm.", "en", ["2:30 am."]),
        ("It starts at 2 am.", "It starts at 2 pm.", "en", ["2 am."]),
        ("It starts at 14:30.", "It starts at 2:30 am.", "en", ["14:30"]),
        ("A share of 1/2.", "A share of 1/4, filled 2 times.", "en", ["1/2"]),
        ("A ratio of 1:10.", "A ratio of 10:1.", "en", ["1:10"]),
        ("A ratio of 10:1.", "A ratio of 1:10.", "en", ["10:1"]),
        ("Es dauert fünfeinhalb Jahre.", "Es dauert sechseinhalb Jahre.", "de", ["fünfeinhalb Jahre"]),
        ("Mit anderthalb bar.", "Mit zweieinhalb bar.", "de", ["anderthalb bar"]),
        ("Half of them left.", "A quarter of them left.", "en", ["Half"]),
        ("Die Hälfte der Leute ging.", "Ein Viertel der Leute ging.", "de", ["Hälfte"]),
        ("Use valve C.", "Use valve D.", "en", ["valve C"]),
        ("Connect terminal A to it.", "A motor. Connect terminal C to it.", "en", ["terminal A"]),
        ("Öffne Ventil C.", "Öffne Ventil D.", "de", ["Ventil C"]),
        ("Version 2.3 is out.", "Version 2.30 is out.", "en", ["2.3"]),
        ("Version 1.10 is out.", "Version 1.1 is out.", "en", ["1.10"]),
        ("Take 10 mg/hour.", "Take 10 mg per day.", "en", ["10 mg/hour"]),
        ("At 80 m/s.", "At 80 km per hour.", "en", ["80 m/s"]),
        ("It costs 20 million euros.", "From 20 to 35 euros.", "en", ["20 million euros"]),
        ("It takes ⅝ mg.", "It takes 5 mg.", "en", ["⅝ mg"]),
        ("It needs at least 5 bar.", "It needs at most 5 bar.", "en", ["5 bar"]),
        ("It needs ≥ 5 bar.", "It needs ≤ 5 bar.", "en", ["5 bar"]),
        ("It needs < 5 bar.", "It needs > 5 bar.", "en", ["5 bar"]),
        ("Es braucht mindestens 5 bar.", "Es braucht höchstens 5 bar.", "de", ["5 bar"]),
        ("It needs not more than 5 bar.", "It needs more than 5 bar.", "en", ["5 bar"]),
    ],
)
def test_another_value_is_reported_as_the_claim_writes_it(
    claim: str, source: str, language: str | None, wrong: list[str]
) -> None:
    assert missing(claim, source, language) == wrong


def test_a_point_between_three_digits_is_ambiguous_in_an_unknown_language() -> None:
    assert missing("Es sind 1.500.", "1500", None) == []
    assert missing("Es sind 1.500.", "1,5", None) == []


def test_a_german_point_is_not_an_english_point() -> None:
    assert missing("Es sind 1.500 Pumpen.", "A share of 1.500 is kept, in 3 parts.", "de", of_source="en") == ["1.500"]


def test_may_and_march_are_words_unless_next_to_a_day_or_a_year() -> None:
    assert missing("You May go, said March.", "Nothing.") == []
    assert missing("In May 2005.", "In 2005.") == ["May 2005"]


def test_values_may_be_in_several_sources() -> None:
    sources = [SourceFacts("It has 5 blades.", "en"), SourceFacts("It weighs 9 kg.", "en")]
    assert compare_values("It has 5 blades and 9 kg.", "en", sources, with_names=False).absent == ()


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("At 5 psi.", "At 5 bar.", "en"),
        ("At 5 kbar.", "At 5 bar.", "en"),
        ("At 5 atm.", "At 5 bar.", "en"),
        ("It draws 20 kA.", "It draws 20 A.", "en"),
        ("It bears 20 kN.", "It bears 20 N.", "en"),
        ("It bears 20 N.", "It bears 20 kN.", "en"),
        ("It has 20 kΩ.", "It has 20 Ω.", "en"),
        ("It has 20 nF.", "It has 20 µF.", "en"),
        ("Take 5 mcg.", "Take 5 mg.", "en"),
        ("Take 5 micrograms.", "Take 5 milligrams.", "en"),
        ("It turns at 1,500 rps.", "It turns at 1,500 rpm.", "en"),
        ("Mit 1.500 Umdrehungen pro Sekunde.", "Mit 1.500 Umdrehungen pro Minute.", "de"),
        ("It rose by 7 percentage points.", "It rose by 7%.", "en"),
        ("Es stieg um 7 Prozentpunkte.", "Es stieg um 7 %.", "de"),
        ("It costs A$2.4 million.", "It costs $2.4 million.", "en"),
        ("It costs CA$ 5.", "It costs US$ 5.", "en"),
        ("It is above 5 bar.", "It is below 5 bar.", "en"),
        ("It is over 5 bar.", "It is under 5 bar.", "en"),
        ("It costs over $5.", "It costs under $5.", "en"),
        ("It must exceed 5 bar.", "It must not exceed 5 bar.", "en"),
        ("It is from 5 bar.", "It is up to 5 bar.", "en"),
        ("Er liegt über 5 bar.", "Er liegt unter 5 bar.", "de"),
        ("Er gilt ab 5 bar.", "Er gilt bis zu 5 bar.", "de"),
        ("Sie hat dreihundertzwei Teile.", "Sie hat 52 Teile.", "de"),
        ("Mit eintausendfünfhundertfünf Teilen.", "Mit 1.500 Teilen.", "de"),
        ("It starts at 9:15 pm.", "It starts at 9:15.", "en"),
        ("It starts at 4:30 pm on 4 July.", "It starts at 14:30 on 4 July.", "en"),
        ("It starts at 14:03.", "It starts at 14:30, in room 3.", "en"),
    ],
)
def test_another_unit_limit_number_word_or_half_of_the_day_is_another_value(
    claim: str, source: str, language: str
) -> None:
    assert missing(source, source, language) == []
    assert missing(claim, source, language) != []


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("At 5 bar.", "At 5000 mbar.", "en"),
        ("Take 500 mcg.", "Take 0.5 mg.", "en"),
        ("It turns at 1,500 rpm.", "It turns at 1,500 revolutions per minute.", "en"),
        ("It turns at 25 rps.", "It turns at 1,500 rpm.", "en"),
        ("A flow of 3.6 m³/h.", "A flow of 1 l/s.", "en"),
        ("It holds 5 L.", "It holds 5 liters.", "en"),
        ("It took 12 mths.", "It took 12 months.", "en"),
        ("It rose by 7 percent.", "It rose by 7 per cent.", "en"),
        ("Mit eintausendfünfhundert Teilen.", "Mit 1.500 Teilen.", "de"),
        ("Es war neunzehnhundertneunundneunzig.", "Es war 1999.", "de"),
        ("It is over 5 bar.", "It is more than 5 bar.", "en"),
        ("It must not exceed 5 bar.", "It is at most 5 bar.", "en"),
        ("It starts at 9:15 pm.", "It starts at 9:15 in the evening.", "en"),
        ("It starts at 9:15.", "It starts at 9:15 pm.", "en"),
    ],
)
def test_the_same_value_in_another_unit_or_other_words_is_equal(claim: str, source: str, language: str) -> None:
    assert missing(claim, source, language) == []
