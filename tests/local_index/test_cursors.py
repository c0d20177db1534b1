"""Cursors: those of the index continue after the last page, and all others are refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import SORTABLE
from corpus.errors import InvalidRequest
from corpus.index.local import LocalIndex
from corpus.search import Listing
from tests.shelf import a_document, doc_ids, texts

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("sort_by", "content"),
    [
        ("upload_date", 5),
        ("upload_date", None),
        ("upload_date", ["upload_date", "\ud800", "manual"]),
        ("upload_date", ["upload_date", "x", "\ud800"]),
        ("upload_date", ["upload_date", "x", "' OR 1"]),
        ("page_count", ["page_count", 2**80, "manual"]),
        ("page_count", ["page_count", True, "manual"]),
        ("page_count", ["page_count", "1", "manual"]),
        ("title", {"title": 1}),
        ("title", "[" * 20_000),
    ],
)
async def test_a_made_up_cursor_is_refused(folder: Path, sort_by: str, content: object) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(), texts("manual", "pump"))
    plain = content if isinstance(content, str) else json.dumps(content)
    cursor = base64.urlsafe_b64encode(plain.encode()).decode()
    with pytest.raises(InvalidRequest, match="cursor"):
        await index.list_documents(Listing(sort_by=sort_by, after=cursor), ANONYMOUS)
    await index.aclose()


@pytest.mark.parametrize("sort_by", SORTABLE)
async def test_a_list_of_very_long_names_can_be_paged(folder: Path, sort_by: str) -> None:
    index = LocalIndex.open(folder, None)
    for doc_id in ("a", "b", "c"):
        name = "泵🚀ü" * 4_000 + doc_id
        await index.replace(a_document(doc_id, title=name, filename=name, document_type=name), [])
    seen: list[str] = []
    after = None
    for _ in range(3):
        page = await index.list_documents(Listing(sort_by=sort_by, limit=1, after=after), ANONYMOUS)
        seen += doc_ids(page.documents)
        after = page.next_after
    assert (seen, after) == (["a", "b", "c"], None)
    await index.aclose()
