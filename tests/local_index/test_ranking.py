"""The order of results: rules for scores, and properties of every index of the same content."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS, Caller
from corpus.documents.document import Document
from corpus.embedding.protocol import Embedder
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.archive import export_index, import_index
from corpus.index.local.ranking import (
    FIRST,
    MAX_RAISED,
    Evidence,
    Ranking,
    compares,
    rank_blocks,
    with_rare_words,
)
from corpus.index.protocol import NewBlock
from corpus.search import ANSWERS, Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, figure, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

blocks = st.integers(0, 30)
evidences = st.builds(
    Evidence,
    lexical=st.dictionaries(blocks, st.floats(0.01, 50), max_size=20),
    pages=st.dictionaries(blocks, st.floats(0.01, 50), max_size=20),
    attainable=st.floats(0, 100),
    nearness=st.dictionaries(blocks, st.floats(-4, 8), max_size=20),
    foreign=st.frozensets(blocks, max_size=5),
    places=st.frozensets(blocks, max_size=5),
    rare=st.lists(st.frozensets(blocks, min_size=1, max_size=3), max_size=4),
)
KEYS = {block: (f"d{block % 3}", block) for block in range(31)}


@given(evidences)
def test_every_candidate_has_a_score_from_0_to_1_that_never_rises(evidence: Evidence) -> None:
    order = rank_blocks(evidence, Ranking(), KEYS)
    candidates = evidence.lexical.keys() | evidence.nearness.keys() | evidence.pages.keys() | set(evidence.places)
    assert set(order.blocks) == candidates
    scores = [order.scores[block] for block in order.blocks]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(evidences, st.randoms())
def test_the_order_depends_only_on_the_evidence_for_the_blocks(evidence: Evidence, chance: random.Random) -> None:
    """Row ids follow the order of ingestion."""
    renamed = list(KEYS)
    chance.shuffle(renamed)

    def of(numbers: Sequence[int] | frozenset[int]) -> frozenset[int]:
        return frozenset(renamed[number] for number in numbers)

    other = Evidence(
        lexical={renamed[block]: score for block, score in evidence.lexical.items()},
        pages={renamed[block]: score for block, score in evidence.pages.items()},
        attainable=evidence.attainable,
        nearness={renamed[block]: score for block, score in evidence.nearness.items()},
        foreign=of(evidence.foreign),  # type: ignore[arg-type]
        places=of(evidence.places),  # type: ignore[arg-type]
        rare=[of(having) for having in evidence.rare],  # type: ignore[arg-type]
    )
    keys = {renamed[block]: key for block, key in KEYS.items()}
    order, again = rank_blocks(evidence, Ranking(), KEYS), rank_blocks(other, Ranking(), keys)
    assert [KEYS[block] for block in order.blocks] == [keys[block] for block in again.blocks]


@given(
    st.lists(blocks, unique=True, max_size=20),
    st.lists(st.frozensets(blocks, min_size=1, max_size=3), max_size=6),
)
def test_blocks_with_the_rarest_words_rank_among_the_first_and_the_best_block_stays(
    order: list[int], rare: list[frozenset[int]]
) -> None:
    result = with_rare_words(order, rare)
    assert sorted(result) == sorted(order)
    assert result[:1] == order[:1]
    for having in [having for having in rare if having & set(order)][:MAX_RAISED]:
        assert having & set(result[:FIRST])


@pytest.mark.parametrize(
    "query",
    ["Compare the two plans", "plan A versus plan B", "What differs?", "Worin unterscheiden sich A und B?"],
)
def test_a_comparing_question_is_recognised_by_its_words(query: str) -> None:
    assert compares(query)


@pytest.mark.parametrize("query", ["What does the indifferent pump cost?", "Was ist ein Vergleichswert?"])
def test_a_word_that_only_resembles_a_comparing_one_is_ignored(query: str) -> None:
    assert not compares(query)


def test_a_comparison_is_answered_from_several_documents() -> None:
    keys = {1: ("a", 1), 2: ("a", 2), 3: ("a", 3), 4: ("b", 1), 5: ("c", 1)}
    evidence = Evidence(nearness={1: 5.0, 2: 4.9, 3: 4.8, 4: 4.5, 5: 1.0})
    assert rank_blocks(evidence, Ranking(), keys).blocks == [1, 2, 3, 4, 5]
    assert rank_blocks(evidence, Ranking(), keys, compares=True).blocks == [1, 4, 2, 3, 5]


WORDS = ("pump", "valve", "oil", "filter", "seal", "bearing", "pipe", "flange", "motor", "shaft")


def passages(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(4, 12))) for _ in range(count)]


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "words-and-vectors"])
async def test_a_word_in_few_passages_brings_one_of_them_into_the_first_three(folder: Path, vectors: bool) -> None:
    """This holds for any other words of the question, in any language, and however many other passages have them."""
    embedder = DigestEmbedder() if vectors else None
    index = LocalIndex.open(folder, embedder)
    for n, language in enumerate(("en", "de", "en", None)):
        said = passages(40, n)
        said[7] += f" Seltenwort{n}"
        said[20] = f"A long passage on other things, {said[20]}, in which Zweimal stands." if n < 2 else said[20]
        await index.replace(a_document(f"d{n}", language=language, title="t"), texts(f"d{n}", *said))
    hidden = a_document("hidden", access_control_list=("user:ann",))
    await index.replace(hidden, texts("hidden", *["Seltenwort0 Zweimal pump valve oil"] * 9))
    if embedder:
        await embed(index, embedder)
    chance = random.Random(1)
    for word, having in (
        *((f"Seltenwort{n}", {f"d{n}-7"}) for n in range(4)),
        *((f"seltenwort{n}", {f"d{n}-7"}) for n in range(4)),
        ("zweimal", {"d0-20", "d1-20"}),
    ):
        for more in range(6):
            others = [*chance.choices(WORDS, k=more), *["unheard", "niegehört"][: more // 2]]
            query = " ".join(chance.sample([word, *others], k=len(others) + 1))
            found = await index.find(Search(query, top_k=10), Caller(user_id="bob"))
            assert having & set(ids(found)[:3]), query
    await index.aclose()


async def test_an_exact_word_ranks_before_its_stem_and_the_stem_before_a_similar_meaning(
    folder: Path,
) -> None:
    index = LocalIndex.open(folder, None)
    said = ["The runs are long.", "A running pump.", "It runs.", "Nothing of the kind.", "To run a mile."]
    await index.replace(a_document(language="en", title="t"), texts("manual", *said))
    assert ids(await index.find(Search("running"), ANONYMOUS))[0] == "manual-1"
    assert ids(await index.find(Search("run"), ANONYMOUS))[0] == "manual-4"
    assert set(ids(await index.find(Search("run"), ANONYMOUS))) == {
        "manual-0",
        "manual-1",
        "manual-2",
        "manual-4",
    }
    await index.aclose()


def documents(seed: int) -> list[tuple[Document, list[NewBlock]]]:
    """Return documents, some of them entirely identical or with identical passages."""
    made = []
    for n in range(8):
        said = passages(25, n // 2)
        made.append((a_document(f"d{n}", title="t", language=("en", "de")[n % 2]), texts(f"d{n}", *said)))
    random.Random(seed).shuffle(made)
    return made


async def orders(index: LocalIndex) -> list[list[tuple[str, float]]]:
    queries = [*passages(12, 99), "pump", "Wie oft braucht die pump neues oil?", "page 3", "the last page"]
    found = [await index.find(Search(query, top_k=20), ANONYMOUS) for query in queries]
    return [[(hit.block.block_id, round(hit.score, 4)) for hit in one.hits] for one in found]


async def filled(folder: Path, embedder: Embedder | None, seed: int) -> LocalIndex:
    index = LocalIndex.open(folder, embedder)
    for document, blocks in documents(seed):
        await index.replace(document, blocks)
    if embedder:
        await embed(index, embedder)
    return index


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "words-and-vectors"])
async def test_the_same_content_has_the_same_order_however_it_was_indexed(
    folder: Path, tmp_path: Path, vectors: bool
) -> None:
    embedder = DigestEmbedder() if vectors else None
    index = await filled(folder / "first", embedder, seed=1)
    expected = await orders(index)

    other = await filled(folder / "other-order", embedder, seed=2)
    assert await orders(other) == expected

    # Replaced and removed documents leave nothing in the index.
    await other.replace(a_document("gone"), texts("gone", *passages(30, 50)))
    for document, blocks in documents(3)[:4]:
        await other.replace(document, texts(document.doc_id, "pump pump pump"))
        await other.replace(document, blocks)
    await other.remove("gone")
    if embedder:
        await embed(other, embedder)
    await other.compact()
    assert await orders(other) == expected

    await other.rebuild_words()
    assert await orders(other) == expected
    await other.aclose()
    again = LocalIndex.open(folder / "other-order", embedder)
    assert await orders(again) == expected
    await again.aclose()

    export_index(folder / "other-order", tmp_path / "copy.zip", version="1")
    import_index(folder / "imported", tmp_path / "copy.zip")
    imported = LocalIndex.open(folder / "imported", embedder)
    assert await orders(imported) == expected
    await imported.aclose()
    await index.aclose()


async def test_a_search_reports_an_unlikely_answer_and_unknown_words(folder: Path) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder)
    for n in range(5):
        await index.replace(a_document(f"d{n}", title="t"), texts(f"d{n}", *passages(30, n), "A gasket of rubber."))
    await embed(index, embedder)
    foreign = await index.find(Search("vineyard harvest in springtime with a pump"), ANONYMOUS)
    assert 0 < (foreign.relevance or 0) < ANSWERS
    (said,) = [warning for warning in foreign.warnings if warning.startswith("Nothing that was found")]
    assert '"vineyard", "harvest", "springtime"' in said
    for query in ("gasket of rubber", "gasket", "a rubber gasket"):
        answered = await index.find(Search(query), ANONYMOUS)
        assert (answered.relevance or 0) >= ANSWERS, query
        assert not any("seems to answer" in warning for warning in answered.warnings)
    nowhere = await index.find(Search("What does figure 12 show?"), ANONYMOUS)
    assert "No searched document has figure 12." in nowhere.warnings
    few = await index.find(Search("vineyard pump", filters=Filters(doc_id=("d1",))), ANONYMOUS)
    assert few.relevance is None
    await index.aclose()


async def test_a_location_in_the_query_comes_first_and_only_labelled_blocks_match(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    said = ["Figure 2 shows the valve, as figure 3 does.", "The pump in figure 3.", "Section on oil."]
    await index.replace(
        a_document("a", title="t", page_count=9),
        *[[*texts("a", *said), figure("a", "Figure 2: Valve", 4), figure("a", "Figure 3: Seal", 5)]],
    )
    await index.replace(a_document("b", title="t", page_count=3), texts("b", *["pump oil"] * 3))
    for query, found in (
        ("What does figure 3 show?", ["Figure 3: Seal"]), ("Was zeigt Abbildung 3?", ["Figure 3: Seal"]),
        ("Abb. 2", ["Figure 2: Valve"]),
    ):  # fmt: skip
        hits = (await index.find(Search(query, top_k=1), ANONYMOUS)).hits
        assert [hit.block.image_caption for hit in hits] == found, query
    for query, page in (("the oil on page 3", 3), ("the first page on pumps", 1), ("die letzte Seite", 3)):
        assert (await index.find(Search(query, top_k=1), ANONYMOUS)).hits[0].block.page_number == page, query
    await index.aclose()
