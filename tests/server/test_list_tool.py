from __future__ import annotations

import pytest

from corpus.access import Caller
from tests.server.desk import Desk, manual

pytestmark = pytest.mark.anyio

FIELDS = {
    "doc_id", "filename", "title", "document_type", "upload_date", "document_date", "author", "department",
    "page_count", "summary_brief", "status", "uri",
}  # fmt: skip


async def test_a_document_is_listed_with_what_is_known_and_no_more(stocked: Desk, era: str) -> None:
    answer = await stocked.call("rag_list_documents", era, filters={"doc_id": "pump"})

    assert set(answer) == {"success", "documents", "count", "total", "next_cursor", "warnings"}
    (document,) = answer["documents"]
    assert set(document) == FIELDS
    assert document["uri"] == "rag://documents/pump"


async def test_total_counts_what_the_caller_may_read(stocked: Desk, era: str) -> None:
    anonymous = await stocked.call("rag_list_documents", era)
    stocked.caller = Caller(user_id="ann")
    ann = await stocked.call("rag_list_documents", era)

    assert (anonymous["count"], anonymous["total"]) == (2, 2)
    assert (ann["count"], ann["total"]) == (3, 3)


async def test_the_cursor_leads_through_all_of_them_once(stocked: Desk, era: str) -> None:
    seen, cursor = [], None
    for _ in range(5):
        answer = await stocked.call("rag_list_documents", era, limit=1, sort_by="title", cursor=cursor)
        seen += [one["doc_id"] for one in answer["documents"]]
        if not (cursor := answer["next_cursor"]):
            break

    assert sorted(seen) == ["notes", "pump"]


async def test_a_cursor_of_nobody_is_refused(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_list_documents", era, cursor="zzz")

    assert failure["type"] == "InvalidRequest"


async def test_no_documents_and_no_identity_is_said(desk: Desk, era: str) -> None:
    answer = await desk.call("rag_list_documents", era)

    assert answer["total"] == 0
    assert any("RAG_USER_ID" in warning for warning in answer["warnings"])


async def test_documents_that_do_not_fit_into_one_answer_come_with_the_next(desk: Desk, era: str) -> None:
    for number in range(50):
        await desk.put(manual(f"d{number:02}", summary_brief="long summary " * 100, title="Titel " * 100), [])

    first = await desk.call("rag_list_documents", era, limit=50)
    second = await desk.call("rag_list_documents", era, limit=50, cursor=first["next_cursor"])

    assert 20 < first["count"] < 50
    assert any("next_cursor" in warning for warning in first["warnings"])
    assert any("summaries are cut" in warning for warning in first["warnings"])
    both = [one["doc_id"] for answer in (first, second) for one in answer["documents"]]
    assert sorted(both) == [f"d{number:02}" for number in range(50)]
