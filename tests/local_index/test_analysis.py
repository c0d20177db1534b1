"""Terms of a text, which determine the results of a search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.search import Search, embeddable
from corpus.text import analysis
from tests.shelf import a_document, ids, texts

pytestmark = pytest.mark.anyio


def test_a_note_mark_is_not_a_word() -> None:
    assert analysis.plain_words("It reaches 950 ³ degrees") == analysis.plain_words("It reaches 950 degrees")


@pytest.mark.parametrize(
    ("text", "language", "query"),
    [
        ("The pumps were running", "en", "pump run"),
        ("Die Häuser und Straßen", "de", "haus"),
        ("Die Häuser und Straßen", "de", "STRASSE"),
        ("Les chevaux mangent", "fr", "cheval"),
        ("Насосы работают", "ru", "насос"),
        ("水泵需要润滑油", "zh", "润滑"),
        ("ポンプの保守", "ja", "ポンプ"),
        ("펌프를 정비한다", "ko", "펌프"),
        ("เครื่องสูบน้ำ", "th", "สูบน้ำ"),
        ("猫", "zh", "猫"),
        ("पंप की देखभाल", "hi", "पंप"),
        ("İskele her gün açıktır. Işıklar sarıdır.", "tr", "iskele"),
        ("İskele her gün açıktır. Işıklar sarıdır.", "tr", "ışıklar"),
        ("ISITMA kışın çalışır.", "tr", "ısıtma"),
        ("ısıtma kışın çalışır.", "tr", "ISITMA"),
        ("It holds 10⁶ litres", "en", "10^6"),
        ("It holds 10^6 litres", "en", "10⁶"),
        ("It is 40 m² large", "en", "m2"),
        ("Water is H₂O", "en", "h2o"),
        ("Part XYZ-IMP-210 is worn", "en", "xyz-imp-210"),
        ("Part XYZ-IMP-210 is worn", "en", "imp"),
        ("Part XYZ-IMP-210 is worn", "en", "210"),
        ("Error E-04 occurs", "en", "E-04"),
        ("see section 3.2.1 for", "en", "3.2.1"),
        ("decision DEC-007", "en", "dec-007"),
        ("call foo_bar now", "en", "foo_bar"),
        ("call foo_bar now", "en", "bar"),
        ("a non\u2011breaking hy\u00adphen", "en", "non-breaking hyphen"),
        ("ﬁne ｆｕｌｌ width", "en", "fine full"),
        ("l'eau pure", "fr", "eau"),
        ("written in C++ and F#", "en", "c++"),
        ("the .NET runtime", "en", ".NET"),
        ("a range of ^1.2.3 here", "en", "^1.2.3"),
        ("İskele at the sea", "tr", "iskele"),
        ("the ISKELE", "tr", "İskele"),
        ("costs 12 000 euros", "en", "12000"),
        ("costs 12,000 euros", "en", "12000"),
        ("kostet 12.000 Euro", "de", "12000"),
        ("costs 12000 euros", "en", "12 000"),
        ("plain words", None, "words"),
        ("plain words", "xx", "words"),
    ],
)
async def test_words_of_a_text_are_found(folder: Path, text: str, language: str | None, query: str) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(language=language, title="t"), texts("manual", text))
    await index.replace(a_document("other", title="t"), texts("other", "nothing of the kind"))
    assert ids(await index.find(Search(query), ANONYMOUS)) == ["manual-0"]
    await index.aclose()


async def test_a_symbol_distinguishes_words(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    said = [
        "A range ~1.2.3 of patches.",
        "A range ^1.2.3 of minors.",
        "Version 1.2.3 itself.",
        "In C.",
        "In C++.",
        "In C#.",
    ]
    await index.replace(a_document(title="t"), texts("manual", *said))
    for query, found in (("^1.2.3", 1), ("~1.2.3", 0), ("C++", 4), ("c#", 5)):
        assert ids(await index.find(Search(query), ANONYMOUS))[0] == f"manual-{found}", query
    await index.aclose()


async def test_a_word_counts_once_however_many_languages_the_index_has(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    for language in ("en", "de", "fr", "ru"):
        await index.replace(a_document(language, language=language), texts(language, "relation nations", "x"))
    scores = {hit.lexical for hit in (await index.find(Search("relations"), ANONYMOUS)).hits}
    assert len(scores) <= 4
    assert max(score or 0 for score in scores) < 3
    await index.aclose()


async def test_near_duplicates_are_distinguished_by_their_title(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    for year in (2021, 2022, 2023):
        await index.replace(
            a_document(f"r{year}", title=f"Annual report {year}"),
            texts(f"r{year}", "Revenue grew by a tenth."),
        )
    assert ids(await index.find(Search("revenue in the 2022 report"), ANONYMOUS))[0] == "r2022-0"
    await index.aclose()


async def test_a_query_of_many_words_is_cut_with_a_warning(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(), texts("manual", "pump"))
    found = await index.find(Search("pump " + " ".join(f"w{n}" for n in range(100))), ANONYMOUS)
    assert ids(found) == ["manual-0"]
    assert any("cut to its first 64 different words" in warning for warning in found.warnings)
    found = await index.find(Search("pump " * 1000), ANONYMOUS)
    assert any("cut to its first 2000 characters" in warning for warning in found.warnings)
    await index.aclose()


@given(
    st.text(max_size=200) | st.text(st.characters(), max_size=80),
    st.sampled_from(["", "de", "en", "ar", "tr", "ta"]),
)
def test_any_text_and_its_query_become_the_same_bounded_terms(text: str, language: str) -> None:
    terms = analysis.terms(text, language)
    assert all(term and not any(letter.isspace() for letter in term) for term in terms)
    words, cut = analysis.query_words(analysis.written_words(text), [language], 1000)
    assert not cut
    assert set(terms) <= {variant for word in words for variant in word.variants}


@given(st.text(max_size=80) | st.text("aB9-._ äſﬁ²“”…–\u2010Жψ€™", max_size=40))
def test_the_fast_path_for_plain_text_finds_the_same_words(text: str) -> None:
    if not re.search(analysis._NOT_PLAIN, text):
        assert analysis._PLAIN_TERM.findall(text) == re.findall(analysis._TERM, text)


def test_terms_are_cut_to_a_maximum_length() -> None:
    assert {len(term) for term in analysis.terms("a" * 5000 + " " + "b-" * 3000, "en")} <= {
        1,
        analysis.MAX_TERM_CHARACTERS,
    }


def test_embedded_text_is_bounded_and_has_no_endless_run() -> None:
    assert len(embeddable("a" * 100_000, 1500)) == 120
    assert len(embeddable("的" * 100_000, 1500)) == 1500
    assert embeddable("pump " * 10_000, 50).startswith("pump pump")
    assert embeddable("a\x00b\ud800", 1500) == "ab"
    assert embeddable(" \u200b ", 1500) == ""


@pytest.mark.parametrize(
    ("query", "function"),
    [
        ("what does the pump do", {"what", "does", "the", "do"}),
        ("wie funktioniert die pumpe", {"wie", "die"}),
        ("the machine may die", {"the", "may"}),
        ("comment fonctionne la pompe", {"comment", "la"}),
        ("pourquoi la pompe fuit-elle", {"pourquoi", "la", "elle", "fuit-elle"}),
    ],
)
def test_function_words_depend_on_the_language_of_the_query(query: str, function: set[str]) -> None:
    words, _ = analysis.query_words(analysis.written_words(query), [], 64)
    assert {word.variants[0] for word in words if word.kind == "function"} == function
