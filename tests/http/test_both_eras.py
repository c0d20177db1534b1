"""One address, two generations of the protocol, through the SDK's own client over a real socket."""

from __future__ import annotations

import pytest

from tests.http.site import Site
from tests.server.desk import answer_in

pytestmark = pytest.mark.anyio


async def test_a_search_is_answered_with_public_documents_only(site: Site, era: str) -> None:
    async with site.client(era) as client:
        answer = answer_in(await client.call_tool("rag_semantic_search", {"query": "salary impeller"}))

    assert {one["doc_id"] for one in answer["results"]} == {"pump"}
