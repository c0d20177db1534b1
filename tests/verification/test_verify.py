"""The meaning of each verdict, and outcomes that never occur, whatever the text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.citing.protocol import Claim
from corpus.verification.contradictions import contradictions
from corpus.verification.protocol import CheckedClaim, SourceText
from corpus.verification.verify import verify

PUMP = (
    "The XP-200 pump was designed by John Carter in Ghent. Its impeller turns at 2,900 rpm. "
    "The housing is cast iron, and the seal lasts about two years."
)
PUMPE = (
    "Die Kreiselpumpe wurde 1999 von Jürgen Hartmann in Leipzig entworfen. Das Laufrad dreht sich mit 2.900 U/min. "
    "Die Wartung der Pumpe erfolgt jährlich."
)


def check(text: str, *sources: str, cites: Sequence[int] = (1,), invalid: Sequence[str] = ()) -> CheckedClaim:
    claim = Claim(text, 0, len(text), "sentence", tuple(cites), tuple(invalid))
    return verify([claim], [SourceText(n, source) for n, source in enumerate(sources, 1)])[0]


@pytest.mark.parametrize(
    ("text", "source", "verdict", "missing"),
    [
        ("Its impeller turns at 2,900 rpm.", PUMP, "found", ()),
        ("The impeller of the pump turns at 2900 rpm.", PUMP, "found", ()),
        ("Its impeller turns at 2,800 rpm.", PUMP, "value_mismatch", ("2,800 rpm",)),
        ("The XP-300 pump was designed by John Carter.", PUMP, "value_mismatch", ("300",)),
        ("The XP-200 pump was designed by John Miller in Ghent.", PUMP, "value_mismatch", ("Miller",)),
        ("The pump was designed by J. Carter in Ghent.", PUMP, "found", ()),
        ("The XP-200 pump was designed by John Carterson in Ghent.", PUMP, "value_mismatch", ("Carterson",)),
        ("The XP-200 pump was designed by John Carter's team in Ghent.", PUMP, "found", ()),
        ("Die Kreiselpumpe wurde 1999 von Jürgen Hart in Leipzig entworfen.", PUMPE, "value_mismatch", ("Hart",)),
        ("Bananas grow on large tropical plants.", PUMP, "not_found", ()),
        ("The pump has an impeller and a very quiet motor inside.", PUMP, "partly", ()),
        ("The cast iron housing was made by Siemens.", PUMP, "partly", ("Siemens",)),
        ("Das Laufrad dreht sich mit 2900 U/min.", PUMPE, "found", ()),
        ("Das Laufrad dreht sich mit 2.800 U/min.", PUMPE, "value_mismatch", ("2.800 U/min",)),
        ("Die Kreiselpumpe wurde 1999 von Jürgen Petrov in Leipzig entworfen.", PUMPE, "value_mismatch", ("Petrov",)),
        ("Die Pumpenwartung erfolgt jährlich.", PUMPE, "found", ()),
        ("Die Wartung der Kreiselpumpe in Leipzig erfolgt jährlich.", PUMPE, "partly", ()),
    ],
)  # fmt: skip
def test_a_claim_gets_the_verdict_of_its_source(text: str, source: str, verdict: str, missing: tuple[str, ...]) -> None:
    checked = check(text, source)
    assert (checked.verdict, checked.missing) == (verdict, missing)


def test_a_claim_may_be_found_in_two_sources_together() -> None:
    one, two = "The impeller turns at 2,900 rpm.", "The motor of the pump draws 5 kW."
    text = "The impeller turns at 2,900 rpm and the motor draws 5 kW."
    assert check(text, one, two, cites=(1, 2)).verdict == "found"
    assert check(text, one, two, cites=(1,)).verdict == "value_mismatch"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("The motor draws 5 kW.", "value_mismatch"), ("The housing of the motor is blue.", "not_found")],
)
def test_a_claim_that_cites_the_wrong_source_is_unsupported_and_names_the_right_one(text: str, verdict: str) -> None:
    sources = (
        "The impeller turns at 2,900 rpm.",
        "The motor draws 5 kW. The housing of the motor is blue.",
        "No.",
    )
    checked = check(text, *sources, cites=(1,))
    assert (checked.verdict, checked.found_in) == (verdict, (2,))
    assert check(text, *sources, cites=(1, 2)).found_in == ()
    assert check(text.replace("5", "6").replace("blue", "sold in Peru"), *sources, cites=(1,)).found_in == ()


def test_a_name_in_another_form_is_found() -> None:
    source = "In 2019 Luther joined the World Health Organization in Müllheim, near Germany."
    for text in ("Luther's work at the WHO in 2019.", "In 2019 the German Luther was in Muellheim."):
        assert check(text, source).missing == ()


def test_a_claim_without_citation_still_shows_its_evidence() -> None:
    checked = check("Its impeller turns at 2,900 rpm.", "Nothing of it.", PUMP, cites=())
    assert checked.verdict == "uncited"
    assert checked.evidence is not None
    assert (checked.evidence.number, checked.evidence.text) == (2, "Its impeller turns at 2,900 rpm.")


def test_the_evidence_is_the_sentence_with_the_value() -> None:
    checked = check("The pump runs at 900 bar.", "The pump runs at 5 bar.", "The fan: 900 bar.", cites=(1, 2))
    assert checked.evidence is not None
    assert (checked.evidence.number, checked.evidence.text) == (2, "The fan: 900 bar.")
    source = "The pump runs at 5 bar. Cold water is pumped. At night the pump has 900 bar."
    checked = check("The pump runs at 900 bar.", source)
    assert checked.evidence is not None
    assert checked.evidence.text == "At night the pump has 900 bar."


def test_the_evidence_is_shown_without_the_headings_above_it() -> None:
    source = SourceText(1, "3 Pumps\n3.2 Impeller\nThe impeller has six vanes.", heading="Manual > 3.2 Impeller")
    claim = Claim("The impeller has six vanes.", 0, 27, "sentence", (1,), ())
    evidence = verify([claim], [source])[0].evidence
    assert evidence is not None
    assert (evidence.text, source.text[evidence.start : evidence.end]) == (claim.text, claim.text)


def test_of_sentences_with_the_value_words_decide_which_is_the_evidence() -> None:
    one, two = "The fan runs at 900 bar. It is blue.", "A pump runs at 900 bar in Ghent."
    checked = check("A pump runs at 900 bar in Ghent.", one, two, cites=(1, 2))
    assert checked.evidence is not None
    assert checked.evidence.text == two


@pytest.mark.parametrize(("cites", "invalid"), [((), ("7",)), ((7,), ())])
def test_a_citation_of_no_source_is_invalid(cites: tuple[int, ...], invalid: tuple[str, ...]) -> None:
    assert check("Its impeller turns.", PUMP, cites=cites, invalid=invalid).verdict == "invalid_citation"


def test_a_valid_citation_next_to_an_invalid_one_is_checked() -> None:
    assert check("Its impeller turns at 2,900 rpm.", PUMP, invalid=("7",)).verdict == "found"


def test_words_far_apart_in_a_long_source_do_not_make_a_claim() -> None:
    filler = "Other things are written here, of no interest to anybody at all. " * 20
    text = "Copper bolts corrode aluminium housings quickly."
    scattered = filler.join(("Copper shines.", "Bolts hold.", "Some corrode.", "Aluminium housings exist.", "Quickly!"))
    assert check(text, text).verdict == "found"
    assert check(text, scattered).verdict != "found"


def test_a_claim_with_too_many_numbers_to_compare_is_at_most_partly_found() -> None:
    numbers = ", ".join(str(number) for number in range(1, 230))
    assert check(f"The pump lists {numbers}.", f"The pump lists {numbers}.").verdict == "partly"
    assert check(f"The pump lists {numbers} and 99999.", f"The pump lists {numbers}.").verdict == "partly"


@pytest.mark.parametrize(
    ("text", "source", "negation"),
    [
        ("Its impeller never turns at 2,900 rpm.", PUMP, "never"),
        ("Its impeller doesn't turn at 2,900 rpm.", PUMP, "does not"),
        ("Die Kreiselpumpe wurde nicht 1999 von Jürgen Hartmann in Leipzig entworfen.", PUMPE, "nicht"),
        ("Keine Wartung der Pumpe erfolgt jährlich.", PUMPE, "Keine (source: Die)"),
    ],
)
def test_a_negation_missing_from_the_source_is_reported(text: str, source: str, negation: str) -> None:
    checked = check(text, source)
    assert (checked.verdict, checked.missing) == ("partly", (negation,))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The valve must not be opened.", "In winter the valve must not be opened."),
        ("The valve is never opened.", "The valve cannot be opened in winter."),
        ("You must not open the valve.", "You must not:\n- open the valve in winter"),
        ("It needs not more than 5 bar.", "It needs at most 5 bar."),
        ("It is not only a pump but a motor.", "It is a pump and a motor."),
        ("See valve no. 5.", "See valve 5."),
        ("The valve is open. It is not open.", "The valve is open. It is not open."),
    ],
)
def test_a_negation_of_the_source_or_of_another_meaning_is_not_reported(text: str, source: str) -> None:
    assert not any(one.isalpha() for one in check(text, source).missing)


def test_an_omitted_negation_is_reported_as_the_sources() -> None:
    checked = check("The valve is opened.", "The valve is not opened.")
    assert (checked.verdict, checked.missing) == ("partly", ("source: not",))


def test_without_sources_a_claim_is_not_found() -> None:
    assert check("Its impeller turns.", "").verdict == "not_found"
    assert verify([Claim("It turns.", 0, 9, "sentence")], [])[0].verdict == "uncited"


def test_sources_that_differ_in_one_value_are_reported() -> None:
    found = contradictions(
        [
            SourceText(1, "The maximum pressure of the XP-200 pump is 5 bar.", "en"),
            SourceText(2, "The XP-200 pump has a maximum pressure of 8 bar.", "en"),
            SourceText(3, "The maximum pressure of the XP-200 pump is 500 kPa.", "en"),
            SourceText(4, "The maximum pressure of the XP-300 pump is 9 bar.", "en"),
        ]
    )
    assert [text[:24] for text in found] == ["Sources 1 and 2 differ: ", "Sources 2 and 3 differ: "]
    assert "5 bar" in found[0]
    assert "8 bar" in found[0]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("In 2019 the firm sold 500 pumps in Ghent.", "In 2020 the firm sold 600 pumps in Ghent."),
        ("The pump weighs 5 kg without its motor.", "The pump weighs 5000 g without its motor."),
        ("The pump weighs 5 kg.", "The motor draws 9 kg of air each hour."),
    ],
)
def test_sources_about_different_things_do_not_differ(one: str, two: str) -> None:
    assert contradictions([SourceText(1, one, "en"), SourceText(2, two, "en")]) == ()


SOME_WORDS = (
    "the pump turns at 5 bar 2,900 rpm and Carter die Pumpe in Ghent 4 July 1999 was hot not 1.500 XP-200 € % "
    "Januar fünf Mio. \U0001f600 مرحبا 漢字"
)
WORDS = st.sampled_from(SOME_WORDS.split())
SENTENCE = st.lists(WORDS, min_size=4, max_size=12).map(lambda words: " ".join(words) + ".")
ANY_TEXT = st.text(max_size=200) | st.lists(WORDS, max_size=40).map(" ".join)


@given(st.lists(SENTENCE, min_size=1, max_size=4), st.data())
@settings(max_examples=150)
def test_a_sentence_copied_from_its_source_is_found(sentences: list[str], data: st.DataObject) -> None:
    copied = data.draw(st.sampled_from(sentences))
    checked = check(copied, "\n\n".join(sentences))
    assert (checked.verdict, checked.missing) == ("found", ())


@given(st.lists(ANY_TEXT, min_size=1, max_size=4), ANY_TEXT, st.randoms())
@settings(max_examples=150)
def test_the_order_of_sources_does_not_matter(texts: list[str], claim: str, random: object) -> None:
    sources = [SourceText(number, text) for number, text in enumerate(texts, 1)]
    numbers = tuple(source.number for source in sources)
    turned = sources[::-1]
    one = verify([Claim(claim, 0, len(claim), "sentence", numbers)], sources)[0]
    other = verify([Claim(claim, 0, len(claim), "sentence", numbers[::-1])], turned)[0]
    assert (one.verdict, one.score, one.evidence, one.missing) == (
        other.verdict, other.score, other.evidence, other.missing,
    )  # fmt: skip


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3))
@settings(max_examples=300)
def test_any_text_gets_a_verdict_and_correctly_located_evidence(claim: str, texts: list[str]) -> None:
    sources = [SourceText(number, text) for number, text in enumerate(texts, 1)]
    checked = verify([Claim(claim, 0, len(claim), "sentence", (1,))], sources)[0]
    assert 0 <= checked.score <= 1
    if checked.evidence:
        assert 0 <= checked.evidence.score <= 1
        source = texts[checked.evidence.number - 1]
        assert source[checked.evidence.start : checked.evidence.end] == checked.evidence.text
    contradictions(sources)


HOSTILE = (
    "1 ", "1.", "111 ", "1,", "A ", "A", "A.", "4 and ", "July ", "-", "a-", "5 million ", "¼", "IV ", "\n", "“",
    "X’s ", "square ", "1-", "der Bo ", "4.7.",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_hostile_text_still_gets_its_verdict(piece: str) -> None:
    """Quadratic computation would not end before the timeout of the test."""
    text = piece * (50_000 // len(piece))
    assert check(text, text).verdict
    contradictions([SourceText(1, text, "en"), SourceText(2, text, "en")])


UNSPACED = {
    "ja": "軸受は毎年交換します。ポンプは六時間ごとに点検してください。温度は八十度以下に保ってください。",
    "zh": "码头每天早上五点开放，星期一除外。轴承每年更换一次。仓库里有三艘船。",
    "ko": "다리는 매일 저녁 여덟 시까지 열려 있습니다. 펌프는 매주 점검하십시오.",
}


@pytest.mark.parametrize(
    ("language", "claim", "is_found"),
    [
        ("ja", "軸受は毎年交換します。", True),
        ("ja", "軸受は毎日交換します。", False),
        ("ja", "ポンプは六時間ごとに点検してください。", True),
        ("ja", "ポンプは八時間ごとに点検してください。", False),
        ("ja", "温度は八十度以上に保ってください。", False),
        ("zh", "码头每天早上五点开放，星期一除外。", True),
        ("zh", "轴承每年更换一次。", True),
        ("zh", "轴承每天更换一次。", False),
        ("zh", "仓库里有四艘船。", False),
        ("ko", "다리는 매일 저녁 여덟 시까지 열려 있습니다.", True),
        ("ko", "다리는 매일 저녁 일곱 시까지 열려 있습니다.", False),
    ],
)
def test_a_changed_word_of_a_text_without_spaces_is_not_found(language: str, claim: str, is_found: bool) -> None:
    assert (check(claim, UNSPACED[language]).verdict == "found") == is_found
