"""Vectors from a service with OpenAI's protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import pytest

from corpus.access import ANONYMOUS
from corpus.embedding.openai_embedder import OpenAIEmbedder
from corpus.errors import NotConfigured
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.search import Search
from tests.doubles.embedding_service import EmbeddingService, lying
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

SMALL = "text-embedding-3-small"


@pytest.fixture
async def embedder(service: EmbeddingService) -> AsyncIterator[OpenAIEmbedder]:
    async with aclosing(OpenAIEmbedder(SMALL, service.base_url, service.key)) as opened:
        yield opened


async def test_the_vectors_equal_those_of_the_service(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    vectors = await embedder.passages(["The pump leaks.", "Grease the bearing."])
    query = await embedder.query("pump")
    assert (vectors.shape, vectors.dtype, query.shape) == ((2, 1536), np.float32, (1536,))
    assert np.allclose(vectors[1], await service.vector("Grease the bearing."), atol=1e-6)
    assert int(np.argmax(vectors @ query)) == 0


async def test_numbers_instead_of_base64_are_accepted_too(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    asked_for = await embedder.query("pump")
    service.floats = True
    assert np.allclose(await embedder.query("pump"), asked_for, atol=1e-6)


async def test_without_texts_no_request_is_sent(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    assert (await embedder.passages([])).shape == (0, 1536)
    assert service.requests == []


async def test_the_order_is_that_of_the_texts_and_not_of_arrival(
    service: EmbeddingService, embedder: OpenAIEmbedder
) -> None:
    service.next.append(lying(list.reverse))
    vectors = await embedder.passages(["one", "two", "three"])
    assert np.allclose(vectors[0], await service.vector("one"), atol=1e-6)


async def test_vectors_have_unit_length(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    service.next.append(lying(lambda data: data[0].update(embedding=[3.0] + [0.0] * 1534 + [4.0])))
    vector = await embedder.query("anything")
    assert vector[0] == pytest.approx(0.6)


async def test_many_texts_are_sent_in_requests_of_limited_size(
    service: EmbeddingService, embedder: OpenAIEmbedder
) -> None:
    vectors = await embedder.passages([f"text {n}" for n in range(300)])
    assert [len(request.texts) for request in service.requests] == [128, 128, 44]
    assert np.allclose(vectors[299], await service.vector("text 299"), atol=1e-6)


async def test_large_texts_are_sent_in_smaller_requests(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    await embedder.passages(["word " * 1600] * 40)
    assert [len(request.texts) for request in service.requests] == [31, 9]


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", " \n ", "a" * 100_000, "漢字" * 50_000, "🙂" * 9_000])
async def test_any_text_gives_a_unit_vector(service: EmbeddingService, embedder: OpenAIEmbedder, text: str) -> None:
    vector = await embedder.query(text)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert 0 < len(service.requests[0].texts[0].encode()) <= 8191


async def test_a_service_with_a_smaller_limit_gets_smaller_requests() -> None:
    async with (
        EmbeddingService(longest=2000, most=4) as small,
        aclosing(OpenAIEmbedder(SMALL, small.base_url, small.key)) as asking,
    ):
        vectors = await asking.passages([*(f"short {n}" for n in range(9)), "long words " * 400])
        assert np.allclose(vectors[8], await small.vector("short 8"), atol=1e-6)
        assert vectors.shape == (10, 1536)


@pytest.mark.parametrize(
    ("model", "dimensions", "identity", "sent"),
    [
        (SMALL, None, SMALL, None),
        (SMALL, 1536, SMALL, None),
        (SMALL, 256, f"{SMALL}@256", 256),
        ("company-model", 96, "company-model", None),
    ],
)
async def test_a_length_is_requested_only_if_it_is_not_the_models_own(
    service: EmbeddingService, model: str, dimensions: int | None, identity: str, sent: int | None
) -> None:
    async with aclosing(OpenAIEmbedder(model, service.base_url, service.key, dimensions)) as embedder:
        vector = await embedder.query("pump")
    assert (embedder.id, vector.shape) == (identity, (embedder.dimensions,))
    assert service.requests[0].body.get("dimensions") == sent
    assert np.allclose(vector, await service.vector("pump", model, sent), atol=1e-6)


@pytest.mark.parametrize(
    ("model", "dimensions", "said"),
    [
        ("company-model", None, "Set RAG_EMBEDDER_DIMENSIONS"),
        ("text-embedding-ada-002", 256, "Unset RAG_EMBEDDER_DIMENSIONS"),
        (SMALL, 3072, "Unset RAG_EMBEDDER_DIMENSIONS"),
    ],
)
def test_an_impossible_length_is_refused_immediately(model: str, dimensions: int | None, said: str) -> None:
    with pytest.raises(NotConfigured, match=said):
        OpenAIEmbedder(model, dimensions=dimensions)


async def test_a_model_that_needs_prefixes_gets_them(service: EmbeddingService) -> None:
    name = "intfloat/multilingual-e5-small"
    service.models[name] = 384
    async with aclosing(OpenAIEmbedder(name, service.base_url, service.key)) as embedder:
        await embedder.query("pump")
        await embedder.passages(["The pump leaks."])
    assert [request.texts for request in service.requests] == [["query: pump"], ["passage: The pump leaks."]]


async def test_no_key_is_sent_to_a_service_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-service")
    async with (
        EmbeddingService(key=None) as open_to_all,
        aclosing(OpenAIEmbedder(SMALL, open_to_all.base_url)) as embedder,
    ):
        await embedder.query("pump")
    assert "Authorization" not in open_to_all.requests[0].headers
    assert "of-another-service" not in open_to_all.requests[0].headers.values()


async def test_a_closed_embedder_opens_again(service: EmbeddingService, embedder: OpenAIEmbedder) -> None:
    before = await embedder.query("pump")
    await embedder.aclose()
    assert np.array_equal(await embedder.query("pump"), before)


async def test_an_index_stores_and_finds_with_the_vectors_of_a_service(
    service: EmbeddingService, embedder: OpenAIEmbedder, tmp_path: Path
) -> None:
    by_vectors = Ranking(words=0.0, rare=0)
    async with aclosing(LocalIndex.open(tmp_path, embedder, ranking=by_vectors)) as index:
        await index.replace(a_document(), texts("manual", "The pump leaks.", "Grease the bearing."))
        await embed(index, embedder)
        found = await index.find(Search("How to grease a bearing?"), ANONYMOUS)
        expected = await service.vector("Grease the bearing.") @ await service.vector("How to grease a bearing?")
        assert found.hits[0].block.content == "Grease the bearing."
        assert found.hits[0].vector == pytest.approx(expected, abs=1e-3)

        service.key = "another"
        by_words = await index.find(Search("bearing"), ANONYMOUS)
    assert by_words.hits[0].block.content == "Grease the bearing."
    assert "RAG_EMBEDDER_API_KEY" in by_words.warnings[0]
