from __future__ import annotations

import pytest

from corpus.access import Caller
from tests.server.desk import Desk, manual, passage

pytestmark = pytest.mark.anyio

FIELDS = {
    "doc_id", "filename", "title", "document_type", "upload_date", "page_count", "summary_brief", "status", "uri"
}  # fmt: skip


async def test_a_document_is_listed_with_exactly_its_known_facts(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_list_documents", era, filters={"doc_id": "pump"})

    assert set(answer) == {"success", "documents", "count", "total", "warnings"}
    (document,) = answer["documents"]
    assert set(document) == FIELDS
    assert document["uri"] == "rag://documents/pump"


async def test_total_counts_only_readable_documents(stocked: Desk, era: str) -> None:
    anonymous = await stocked.call("rag_list_documents", era)
    stocked.caller = Caller(user_id="ann")
    ann = await stocked.call("rag_list_documents", era)

    assert (anonymous["count"], anonymous["total"]) == (2, 2)
    assert (ann["count"], ann["total"]) == (3, 3)


async def test_the_cursor_lists_each_document_once(stocked: Desk, era: str) -> None:
    seen, cursor = [], None
    for _ in range(5):
        answer = await stocked.call("rag_list_documents", era, limit=1, sort_by="title", cursor=cursor)
        seen += [one["doc_id"] for one in answer["documents"]]
        if not (cursor := answer.get("next_cursor")):
            break

    assert sorted(seen) == ["notes", "pump"]


async def test_a_foreign_cursor_is_refused(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_list_documents", era, cursor="zzz")

    assert failure["type"] == "InvalidRequest"


async def test_an_empty_list_without_identity_is_explained(desk: Desk, era: str) -> None:
    answer = await desk.call("rag_list_documents", era)

    assert answer["total"] == 0
    assert any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_documents_that_do_not_fit_into_one_answer_are_in_the_next(desk: Desk, era: str) -> None:
    for number in range(50):
        await desk.put(manual(f"d{number:02}", summary_brief="long summary " * 100, title="Titel " * 100), [])

    first = await desk.call("rag_list_documents", era, limit=50)
    second = await desk.call("rag_list_documents", era, limit=50, cursor=first["next_cursor"])

    assert 20 < first["count"] < 50
    assert any("next_cursor" in warning for warning in first["warnings"])
    assert any("summaries are cut" in warning for warning in first["warnings"])
    both = [one["doc_id"] for answer in (first, second) for one in answer["documents"]]
    assert sorted(both) == [f"d{number:02}" for number in range(50)]


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Kim", {"a", "b", "d"}),
        ("jane", {"a", "d"}),
        ("Kim Jane", {"a", "d"}),
        ("Kimb", {"c"}),
        ("Joao", {"e"}),
        (["Kimberly Ray", "João"], {"c", "e"}),
    ],
)
async def test_an_author_is_found_by_words_of_the_name(desk: Desk, author: str | list[str], expected: set[str]) -> None:
    for doc_id, name in [
        ("a", "Jane Kim"), ("b", "Kim"), ("c", "Kimberly Ray"), ("d", "KIM, Jane; Lars Holm"), ("e", "João Silva"),
        ("f", None),
    ]:  # fmt: skip
        await desk.put(manual(doc_id, author=name), [passage("The pump.", doc_id=doc_id)])
    answer = await desk.call("rag_list_documents", filters={"author": author})
    assert {one["doc_id"] for one in answer["documents"]} == expected


async def test_documents_without_a_date_are_counted_if_dates_are_requested(desk: Desk) -> None:
    for doc_id, date in [("a", "2026-04-30T00:00:00+00:00"), ("b", "2026-07-01T00:00:00+00:00"), ("c", None)]:
        await desk.put(manual(doc_id, document_date=date), [passage("The pump.", doc_id=doc_id)])
    said = "1 document without a date of its own was left out by dated_after and dated_before."
    filters = {"dated_after": "2026-07-01"}
    listed = await desk.call("rag_list_documents", filters=filters, sort_by="document_date")
    found = await desk.call("rag_semantic_search", query="pump", filters=filters)
    written = await desk.call("rag_synthesize", query="pump", filters=filters)
    assert [one["doc_id"] for one in listed["documents"]] == ["b"]
    assert {one["doc_id"] for one in found["documents"]} == {"b"}
    assert said in listed["warnings"]
    assert said in found["warnings"]
    assert said in written["warnings"]
    assert said not in (await desk.call("rag_list_documents", filters={"doc_id": "b"})).get("warnings", [])
