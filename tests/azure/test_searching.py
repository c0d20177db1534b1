"""Search requests to the service, warnings about omitted parts, and the conversion of rows to hits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import numpy as np
import pytest
from azure.search.documents.models import VectorizedQuery

from corpus.access import ANONYMOUS, Caller
from corpus.embedding.protocol import Vectors
from corpus.errors import DocumentNotFound, InvalidRequest, LLMError, NotConfigured
from corpus.filters import Filters
from corpus.index.azure import AzureIndex, Place, Service, Wishes, view
from corpus.index.azure import filter_conditions as conditions_module
from corpus.lookup.filter_resolution import resolve_document
from corpus.search import Listing, Search
from tests.azure.design_index import CONTENT, DOCUMENTS, content_index
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.azure.searches import SEMANTIC, asked, pumps, with_vectorizer
from tests.doubles.azure_search import StandIn
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, ids, search, texts

pytestmark = pytest.mark.anyio

Open = Callable[..., AbstractAsyncContextManager[DesignShelf]]
EMBEDDER = DigestEmbedder()


def vectorize(text: str) -> list[float]:
    vector: list[float] = EMBEDDER._vector(text).tolist()
    return vector


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    async with StandIn(vectorize=vectorize) as service:
        yield partial(design_shelf, service)


async def test_text_and_both_vector_fields_are_searched_before_anything_is_cut(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        found = await search(shelf, "oil pump", ANONYMOUS, top_k=3)
        (body,) = asked(shelf)
    assert found.mode == "hybrid"
    assert {hit.score_kind for hit in found.hits} == {"hybrid"}
    # Ranked first by keywords and first by the vectors of one field; the other vector field is empty for a text.
    assert found.hits[0].score == pytest.approx(2 / 3)
    assert body["vectorQueries"][0]["fields"] == "content_vector,image_caption_vector"
    assert body["vectorQueries"][0]["k"] == 50
    assert (body["vectorFilterMode"], body["top"]) == ("preFilter", 3)


async def test_the_vectorizer_of_the_index_is_used_if_it_has_one(opened: Open) -> None:
    async with opened(changes=with_vectorizer(), wishes=Wishes()) as shelf:
        await pumps(shelf)
        found = await search(shelf, "oil pump", ANONYMOUS)
        (body,) = asked(shelf)
    assert (found.mode, found.warnings) == ("hybrid", ())
    assert (body["vectorQueries"][0]["kind"], body["vectorQueries"][0]["text"]) == ("text", "oil pump")


async def test_a_vectorizer_can_be_configured_if_the_definition_may_not_be_read(opened: Open) -> None:
    async with opened(changes=with_vectorizer()) as shelf:
        await pumps(shelf)
        wishes = Wishes(("content_vector",), None, "vectorizer")
        async with opened_with(shelf, wishes, shelf.service.query_key) as index:
            found = await index.find(_search("oil pump"), ANONYMOUS)
    assert found.mode == "hybrid"


@pytest.mark.parametrize(
    ("named", "embedder", "said"),
    [
        (None, EMBEDDER, "RAG_AZURE_EMBEDDER"),
        ("another-model", EMBEDDER, "another-model"),
        ("digest-1", None, "no embedder"),
        ("digest-1", DigestEmbedder("digest-1", 32), "another length"),
    ],
)
async def test_vectors_of_unknown_or_other_models_are_not_compared(
    opened: Open, named: str | None, embedder: DigestEmbedder | None, said: str
) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        async with opened_with(shelf, Wishes(embedder=named), shelf.service.admin_key, embedder) as index:
            found = await index.find(_search("oil pump"), ANONYMOUS)
    assert found.mode == "lexical"
    assert any("keyword search only" in one and said in one for one in found.warnings)
    assert {hit.score_kind for hit in found.hits} == {"text"}


async def test_a_failing_embedder_leaves_keyword_search_with_a_warning(opened: Open) -> None:
    class Failing(DigestEmbedder):
        async def query(self, text: str) -> Vectors:
            raise LLMError("The embedding service is away.")

    async with opened() as shelf:
        await pumps(shelf)
        async with opened_with(shelf, Wishes(embedder="digest-1"), shelf.service.admin_key, Failing()) as index:
            found = await index.find(_search("oil pump"), ANONYMOUS)
    assert found.mode == "lexical"
    assert any("embedding service is away" in one for one in found.warnings)


async def test_a_query_without_words_is_found_by_its_vector(opened: Open) -> None:
    async with opened(wishes=Wishes(("content_vector",), None, "digest-1")) as shelf:
        await pumps(shelf)
        found = await search(shelf, "+++ ((( ~~~", ANONYMOUS)
        (body,) = asked(shelf)
    assert body.get("search") is None
    assert found.mode == "vector"
    assert all(hit.vector is not None and 0 <= hit.score <= 1 for hit in found.hits)


async def test_operators_of_the_query_syntax_are_only_words(opened: Open) -> None:
    async with opened(wishes=Wishes(())) as shelf:
        await pumps(shelf)
        for query in ("-pump", 'oil -"pump', "+bananas -pump", "pum* | (oil", "pump~1^2", "NOT pump \\"):
            found = await search(shelf, query, ANONYMOUS)
            assert "manual-0" in ids(found) or "bananas" in query, query


async def test_semantic_ranking_gives_scores_and_highlights(opened: Open) -> None:
    async with opened(changes=SEMANTIC) as shelf:
        await pumps(shelf)
        found = await search(shelf, "Does the pump need oil?", ANONYMOUS)
        (body,) = asked(shelf)
    assert (found.mode, found.warnings) == ("semantic", ())
    assert all(hit.score_kind == "semantic" and 0 <= hit.score <= 1 for hit in found.hits)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert any(hit.highlight for hit in found.hits)
    assert body["semanticQuery"] == "Does the pump need oil?"
    assert (body["semanticErrorHandling"], body["captions"]) == ("partial", "extractive")


async def test_an_abandoned_semantic_ranking_is_reported(opened: Open) -> None:
    async with opened(changes=SEMANTIC) as shelf:
        await pumps(shelf)
        shelf.service.semantic = "partial"
        found = await search(shelf, "oil pump", ANONYMOUS)
    assert found.mode == "hybrid"
    assert ids(found)
    assert any("Semantic ranking took too long" in one for one in found.warnings)


async def test_a_service_without_semantic_ranking_answers_without_it_and_is_not_asked_each_time(
    opened: Open,
) -> None:
    async with opened(changes=SEMANTIC) as shelf:
        await pumps(shelf)
        shelf.service.semantic = "unavailable"
        first = await search(shelf, "oil pump", ANONYMOUS)
        second = await search(shelf, "oil pump", ANONYMOUS)
        kinds = [body.get("queryType") for body in asked(shelf)]
    assert (first.mode, second.mode) == ("hybrid", "hybrid")
    assert any("RAG_AZURE_SEMANTIC_CONFIG=none" in one for one in first.warnings)
    assert kinds == ["semantic", None, None]


async def test_semantic_ranking_can_be_turned_off(opened: Open) -> None:
    async with opened(changes=SEMANTIC, wishes=Wishes(None, "none", "digest-1")) as shelf:
        await pumps(shelf)
        assert (await search(shelf, "oil pump", ANONYMOUS)).mode == "hybrid"


async def test_document_names_are_joined_in_one_lookup_for_the_shown_hits(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        await shelf.put(a_document("other"), *texts("other", "oil"))
        found = await search(shelf, "oil", ANONYMOUS)
        (looked,) = asked(shelf, DOCUMENTS)
    assert {hit.document.title for hit in found.hits} == {"The manual", "The other"}
    assert "summary_standard" not in looked["select"]


async def test_a_title_is_hidden_once_its_document_may_not_be_read(opened: Open) -> None:
    async with opened(prefixed=True) as shelf:
        await shelf.put(a_document(), *texts("manual", "pump"))
        titles = []
        for readers in (["*"], ["user:ann"], ["*"]):
            (row,) = shelf.service.documents(DOCUMENTS)
            shelf.service.put_documents(DOCUMENTS, [row | {"access_control_list": readers}])
            (hit,) = (await search(shelf, "pump", ANONYMOUS)).hits
            titles.append(hit.document.title)
    assert titles == ["The manual", "", "The manual"]


async def test_a_block_of_an_unreadable_document_reveals_nothing_of_it(opened: Open) -> None:
    async with opened(prefixed=True) as shelf:
        await shelf.put(a_document(access_control_list=("user:ann",)), *texts("manual", "pump"))
        (row,) = shelf.service.documents(CONTENT)
        shelf.service.put_documents(CONTENT, [row | {"access_control_list": ["*"]}])
        (hit,) = (await search(shelf, "pump", ANONYMOUS)).hits
    assert (hit.document.doc_id, hit.document.filename, hit.document.title) == ("manual", "", "")


async def test_filters_on_documents_are_limited_and_omissions_are_reported(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions_module, "MAX_DOCUMENTS", 2)
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    async with opened() as shelf:
        for n in range(5):
            await shelf.put(a_document(f"d{n}", department="hr"), *texts(f"d{n}", "pump"))
        found = await search(shelf, "pump", ANONYMOUS, department="hr")
    assert len(found.hits) == 2
    assert any("fit 5 documents; only 2" in one for one in found.warnings)


async def test_an_index_that_lacks_required_fields_is_refused_by_name(opened: Open) -> None:
    fields = content_index()["fields"]
    for name, changed in (
        ("content", [one for one in fields if one["name"] != "content"]),
        (
            "access_control_list",
            [one | {"filterable": False} if one["name"] == "access_control_list" else one for one in fields],
        ),
    ):
        async with opened(changes={"fields": changed}) as shelf:
            with pytest.raises(NotConfigured, match=name):
                await search(shelf, "pump", ANONYMOUS)


async def test_fields_that_an_index_lacks_are_not_requested(opened: Open) -> None:
    lean = [
        one for one in content_index()["fields"] if one["name"] not in ("image_url", "image_caption", "page_number")
    ]
    async with opened(changes={"fields": lean}) as shelf:
        rows = [
            {
                "block_id": "a-1",
                "doc_id": "a",
                "block_type": "text",
                "content": "pump",
                "access_control_list": ["*"],
            }
        ]
        shelf.service.put_documents(CONTENT, rows)
        found = await search(shelf, "pump", ANONYMOUS)
        assert ids(found) == ["a-1"]
        with pytest.raises(InvalidRequest, match="page_number"):
            await search(shelf, "pump", ANONYMOUS, page_number=[1])


async def test_a_caller_with_disabled_rules_sees_every_row(opened: Open) -> None:
    async with opened(prefixed=True) as shelf:
        await shelf.put(a_document(access_control_list=()), *texts("manual", "pump"))
        assert (await search(shelf, "pump", ANN)).hits == ()
        assert len((await search(shelf, "pump", Caller(unfiltered=True))).hits) == 1


async def test_a_list_is_filtered_by_the_block_types_of_a_document(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        await shelf.put(a_document("plain"), *texts("plain", "x"))
        listed = await shelf.index.list_documents(Listing(filters=Filters(block_type=("image",))), ANONYMOUS)
    assert [one.doc_id for one in listed.documents] == ["manual"]


async def test_the_query_vector_is_sent_as_numbers(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        await search(shelf, "pump", ANONYMOUS)
        (body,) = asked(shelf)
    assert np.allclose(body["vectorQueries"][0]["vector"], EMBEDDER._vector("pump"))


async def test_the_query_vector_is_serialised_as_by_the_sdk(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        await search(shelf, "pump", ANONYMOUS)
        (body,) = asked(shelf)
    fields = "content_vector,image_caption_vector"
    written = VectorizedQuery(vector=vectorize("pump"), k_nearest_neighbors=50, fields=fields)
    assert json.dumps(body["vectorQueries"]) == json.dumps([written.as_dict()])


def opened_with(shelf: DesignShelf, wishes: Wishes, key: str, embedder: DigestEmbedder | None = EMBEDDER) -> AzureIndex:
    """Open another reader of the same service."""
    return AzureIndex(Place(Service(shelf.service.endpoint, key), CONTENT, DOCUMENTS, wishes), embedder)


def _search(query: str) -> Search:
    return Search(query)


async def test_rows_that_do_not_name_their_document_cause_no_crash_if_no_definition_can_be_read(
    opened: Open,
) -> None:
    fields = content_index()["fields"]
    hidden = [fields[0], fields[1] | {"retrievable": False}, *fields[2:]]
    async with opened(changes={"fields": hidden}) as shelf:
        await pumps(shelf)
        async with opened_with(shelf, Wishes((), "none"), shelf.service.query_key) as index:
            with pytest.raises(NotConfigured, match="rows without doc_id"):
                await index.find(_search("oil pump"), ANONYMOUS)


async def test_a_document_not_found_under_guessed_names_is_reported_with_the_setting(
    opened: Open,
) -> None:
    async with opened() as shelf:
        await shelf.put(a_document("theirs", title="Theirs", access_control_list=("bob",)), *texts("theirs", "x"))
        for key, told in ((shelf.service.query_key, True), (shelf.service.admin_key, False)):
            async with opened_with(shelf, Wishes((), "none"), key) as index:
                for wanted in (
                    {"name": "Theirs"},
                    {"name": "Nobody's"},
                    {"doc_id": "theirs"},
                    {"doc_id": "none"},
                ):
                    with pytest.raises(DocumentNotFound) as raised:
                        await resolve_document(index, ANN, **{"doc_id": None, "name": None} | wanted)
                    hints = raised.value.hints
                    assert any("RAG_PRINCIPAL_PREFIXES=true" in one for one in hints) == told


async def test_a_named_caller_is_warned_if_the_kind_of_names_is_only_guessed(opened: Open) -> None:
    async with opened() as shelf:
        await pumps(shelf)
        for key, told in ((shelf.service.query_key, True), (shelf.service.admin_key, False)):
            async with opened_with(shelf, Wishes((), "none"), key) as index:
                found = await index.find(_search("oil pump"), ANN)
            assert any("RAG_PRINCIPAL_PREFIXES=true" in one for one in found.warnings) == told
