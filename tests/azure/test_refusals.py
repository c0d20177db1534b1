"""If the service refuses a part of a search, the search is answered without that part and names the setting to
check."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest

from corpus.access import ANONYMOUS
from corpus.errors import AzureSearchError
from corpus.index.azure import Wishes, query
from corpus.search import SearchResult
from tests.azure.design_index import CONTENT
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.azure.searches import SEMANTIC, asked, pumps, with_vectorizer
from tests.doubles.azure_search import Fault, StandIn
from tests.doubles.azure_search.errors import Refused
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ids, search

pytestmark = pytest.mark.anyio

Open = Callable[..., AbstractAsyncContextManager[DesignShelf]]
VECTORIZER_FAILED = "Could not complete vectorization action. The vectorization endpoint returned status code '401'."


class Vectorizer:
    """The vectorizer of an index. It fails while its status is set."""

    def __init__(self) -> None:
        self.status: int | None = None
        self._embedder = DigestEmbedder()

    def __call__(self, text: str) -> list[float]:
        if self.status is not None:
            raise Refused(self.status, VECTORIZER_FAILED)
        vector: list[float] = self._embedder._vector(text).tolist()
        return vector


@pytest.fixture
def vectorizer() -> Vectorizer:
    return Vectorizer()


@pytest.fixture
async def opened(vectorizer: Vectorizer) -> AsyncIterator[Open]:
    async with StandIn(vectorize=vectorizer) as service:
        yield partial(design_shelf, service)


def says(found: SearchResult, *words: str) -> bool:
    return any(all(word in one for word in words) for one in found.warnings)


def with_vectors(shelf: DesignShelf) -> list[bool]:
    """Return, for each search of the content index, whether it asked for vectors."""
    return ["vectorQueries" in body for body in asked(shelf)]


@pytest.mark.parametrize(
    ("wishes", "field"),
    [
        (Wishes(("content_vektor",), None, "digest-1"), "content_vektor"),
        (Wishes(("content",), None, "digest-1"), "content"),
        (Wishes(None, None, "vectorizer"), "content_vector, image_caption_vector"),
    ],
)
async def test_refused_vectors_leave_keyword_search_and_the_settings_are_named(
    opened: Open, wishes: Wishes, field: str
) -> None:
    async with opened(wishes=wishes) as shelf:
        await pumps(shelf)
        first = await search(shelf, "oil pump", ANONYMOUS)
        again = await search(shelf, "oil pump", ANONYMOUS)
        tried = with_vectors(shelf)
    for found in (first, again):
        assert (found.mode, ids(found)[0]) == ("lexical", "manual-0")
        assert says(
            found, "keyword search only", f"vectors for {field}", "RAG_AZURE_VECTOR_FIELDS", "RAG_AZURE_EMBEDDER"
        )
    assert tried == [True, False, False]


@pytest.mark.parametrize("status", [400, 502, 503, 429])
async def test_a_failing_vectorizer_leaves_keyword_search_and_is_retried_after_a_pause(
    opened: Open, vectorizer: Vectorizer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(query, "REST", 0.0)
    async with opened(changes=with_vectorizer(), wishes=Wishes()) as shelf:
        await pumps(shelf)
        vectorizer.status = status
        found = await search(shelf, "oil pump", ANONYMOUS)
        vectorizer.status = None
        mended = await search(shelf, "oil pump", ANONYMOUS)
    assert (found.mode, mended.mode) == ("lexical", "hybrid")
    assert ids(found)[0] == "manual-0"
    assert says(found, "keyword search only", "vectorizer failed")
    assert mended.warnings == ()


async def test_a_hanging_vectorizer_leaves_keyword_search_and_is_not_waited_for_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "PATIENCE", 0.5)
    async with opened(changes=with_vectorizer(), wishes=Wishes()) as shelf:
        await pumps(shelf)
        shelf.service.faults.add(Fault(delay=3600.0), operation="search", index=CONTENT)
        first = await search(shelf, "oil pump", ANONYMOUS)
        again = await search(shelf, "oil pump", ANONYMOUS)
        tried = with_vectors(shelf)
    assert (first.mode, ids(first)[0]) == ("lexical", "manual-0")
    assert says(first, "keyword search only", "took too long")
    assert (again.mode, tried) == ("lexical", [True, False, False])


async def test_semantic_ranking_and_vectors_can_be_refused_together(opened: Open) -> None:
    async with opened(changes=SEMANTIC, wishes=Wishes(("typo",), None, "digest-1")) as shelf:
        await pumps(shelf)
        shelf.service.semantic = "unavailable"
        first = await search(shelf, "oil pump", ANONYMOUS)
        before = len(asked(shelf))
        again = await search(shelf, "oil pump", ANONYMOUS)
        (last,) = asked(shelf)[before:]
    assert (first.mode, again.mode) == ("lexical", "lexical")
    assert says(first, "RAG_AZURE_SEMANTIC_CONFIG=none")
    assert says(first, "RAG_AZURE_VECTOR_FIELDS")
    assert (before, "queryType" in last, "vectorQueries" in last) == (4, False, False)


async def test_semantic_ranking_continues_if_only_the_vectors_are_refused(opened: Open) -> None:
    async with opened(changes=SEMANTIC, wishes=Wishes(("typo",), None, "digest-1")) as shelf:
        await pumps(shelf)
        found = await search(shelf, "oil pump", ANONYMOUS)
        again = await search(shelf, "oil pump", ANONYMOUS)
    assert (found.mode, again.mode) == ("semantic", "semantic")
    assert not says(found, "RAG_AZURE_SEMANTIC_CONFIG")


async def test_a_refusal_for_another_reason_is_reported_and_disables_nothing(opened: Open) -> None:
    async with opened(changes=SEMANTIC) as shelf:
        await pumps(shelf)
        shelf.service.faults.add(Fault(400), times=4, operation="search", index=CONTENT)
        with pytest.raises(AzureSearchError, match="refused the request"):
            await search(shelf, "oil pump", ANONYMOUS)
        assert (await search(shelf, "oil pump", ANONYMOUS)).mode == "semantic"


@pytest.mark.parametrize(("status", "times"), [(502, 4), (503, 4), (403, 1)])
async def test_a_failing_service_is_not_asked_again_without_this_servers_vectors(
    opened: Open, status: int, times: int
) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        shelf.service.faults.add(Fault(status), times=None, operation="search", index=CONTENT)
        with pytest.raises(AzureSearchError):
            await search(shelf, "oil pump", ANONYMOUS)
        assert with_vectors(shelf) == [True] * times


async def test_a_query_without_words_has_only_its_vectors(opened: Open) -> None:
    async with opened(wishes=Wishes(("typo",), None, "digest-1")) as shelf:
        await pumps(shelf)
        with pytest.raises(AzureSearchError, match="refused the request"):
            await search(shelf, "+++", ANONYMOUS)
        assert with_vectors(shelf) == [True]
