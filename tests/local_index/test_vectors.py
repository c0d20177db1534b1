"""The scan is exact: int8 finds and float16 orders the same passages as float32 would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from corpus.access import ANONYMOUS
from corpus.embedding.protocol import Vectors
from corpus.errors import Timeout
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.index.local.vectors import kernel
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, ids, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

BY_VECTORS = Ranking(words=0.0, rare=0)
WORDS = (
    "pump",
    "oil",
    "valve",
    "gasket",
    "spindle",
    "rotor",
    "seal",
    "bearing",
    "pipe",
    "flange",
    "motor",
    "shaft",
)


def passages(count: int) -> list[str]:
    random = np.random.default_rng(7)
    return [f"{' '.join(random.choice(WORDS, 6))} passage{n}" for n in range(count)]


async def test_every_passage_that_float32_would_find_is_found(folder: Path) -> None:
    """Recall is 1.0 compared with brute force, with wide and narrow filters, in documents of more than one pack."""
    embedder = DigestEmbedder(dimensions=96)
    index = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
    every = passages(1500)
    for n, access in enumerate((("*",), ("user:ann",), ("*",))):
        chosen = every[n * 500 : n * 500 + 500]
        await index.replace(a_document(f"d{n}", access_control_list=access), texts(f"d{n}", *chosen))
    await embed(index, embedder)
    matrix = await embedder.passages(every)
    readable = np.repeat([True, False, True], 500)
    for query in passages(40):
        exact = matrix @ await embedder.query(query)
        for caller, allowed in ((ANN, np.ones(1500, bool)), (ANONYMOUS, readable)):
            found = await index.find(Search(query, top_k=10), caller)
            tenth = np.sort(exact[allowed])[-10]
            got = [exact[every.index(hit.block.content)] for hit in found.hits]
            assert len(got) == 10
            assert min(got) >= tenth - 1e-3
            assert [hit.vector for hit in found.hits] == pytest.approx(got, abs=3e-3)
    await index.aclose()


@given(
    arrays.arrays(np.int8, st.tuples(st.integers(0, 40), st.just(24)), elements=st.integers(-127, 127)),
    arrays.arrays(np.int8, 24, elements=st.integers(-127, 127)),
)
def test_the_two_kernels_agree(codes: kernel.Codes, code: kernel.Codes) -> None:
    expected = codes.astype(np.int64) @ code.astype(np.int64)
    assert kernel.products_by_numpy(code, codes).tolist() == expected.tolist()
    if len(codes):
        assert kernel.products(code, codes).tolist() == expected.tolist()


def test_products_of_wide_vectors_do_not_overflow() -> None:
    codes = np.full((5, 4096), 127, dtype=np.int8)
    assert kernel.products(codes[0], codes).tolist() == [127.0 * 127 * 4096] * 5


@pytest.mark.parametrize("size", [0, 3, kernel.RUN * 5, kernel.RUN * 40 + 17])
@pytest.mark.parametrize("kinds", [3, 1_000_000])
def test_the_highest_scores_are_found_at_any_position(size: int, kinds: int) -> None:
    scores = np.random.default_rng(size).integers(0, kinds, size).astype(np.float32)
    places = kernel.highest(scores, 10)
    assert len(set(places.tolist())) == min(10, size)
    assert sorted(scores[places]) == sorted(scores)[-10:]


@pytest.mark.parametrize("languages", [("en",), ("en", "de")])
async def test_only_allowed_rows_are_found_however_they_are_selected(folder: Path, languages: tuple[str, ...]) -> None:
    """This holds with all, most and few rows allowed, with removed rows, and with fewer allowed rows than requested."""
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
    for n in range(8):
        list_of = ("*",) if n else ("user:ann",)
        of = a_document(f"d{n}", access_control_list=list_of, language=languages[n % len(languages)])
        await index.replace(of, texts(f"d{n}", *passages(3), first_page=n + 1))
    await embed(index, embedder)
    for removed in ([], ["d7"]):
        for gone in removed:
            await index.remove(gone)
        there = [n for n in range(8) if f"d{n}" not in removed]
        for caller, pages in (
            (ANN, ()),
            (ANONYMOUS, ()),
            (ANN, (1,)),
            (ANONYMOUS, (1,)),
            (ANN, tuple(range(4, 9))),
        ):
            found = await index.find(Search("pump oil", 50, Filters(page_number=pages)), caller)
            wanted = {
                f"d{n}-{at}"
                for n in there
                for at in range(3)
                if (n or caller is ANN) and (not pages or n + 1 + at in pages)
            }
            assert set(ids(found)) == wanted
    await index.aclose()


async def test_vectors_in_memory_follow_the_writes_of_other_processes(folder: Path) -> None:
    """Vectors are added, removed and replaced between two questions of a reader that stays open."""
    embedder = DigestEmbedder()
    writer = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
    reader = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
    for n in range(30):
        name = f"d{n % 7}"
        if n % 5 == 4:
            await writer.remove(name)
        else:
            await writer.replace(a_document(name), texts(name, f"unique{n}", f"pump{n}", *passages(n)))
            await embed(writer, embedder)
        fresh = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
        for query in (f"unique{n}", "rotor seal bearing"):
            found = [ids(await one.find(Search(query, 5), ANONYMOUS)) for one in (reader, fresh)]
            assert found[0] == found[1]
        await fresh.aclose()
    await writer.aclose()
    await reader.aclose()


async def test_the_same_passage_in_two_documents_is_embedded_once_and_found_twice(folder: Path) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder, ranking=BY_VECTORS)
    for name in ("a", "b"):
        await index.replace(a_document(name), texts(name, "the same pump", f"other {name}"))
    assert len(await index.pending(99)) == 3
    await embed(index, embedder)
    assert {"a-0", "b-0"} <= set(ids(await index.find(Search("the same pump", 4), ANONYMOUS)))
    await index.remove("a")
    assert ids(await index.find(Search("the same pump", 1), ANONYMOUS)) == ["b-0"]
    await index.aclose()


class Failing(DigestEmbedder):
    async def query(self, text: str) -> Vectors:
        raise Timeout("The embedding service did not answer in 10 seconds.")


async def test_if_the_query_cannot_be_embedded_keyword_search_answers_and_says_why(folder: Path) -> None:
    index = LocalIndex.open(folder, Failing())
    await index.replace(a_document(), texts("manual", "pump"))
    await embed(index, DigestEmbedder())
    found = await index.find(Search("pump"), ANONYMOUS)
    assert (ids(found), found.mode) == (["manual-0"], "lexical")
    assert any("could not be embedded" in w and "10 seconds" in w for w in found.warnings)
    await index.aclose()
