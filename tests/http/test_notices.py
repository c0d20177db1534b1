"""Change notices over a socket: on a permanent stream in the older generation, on the client's own request in the
newer."""

from __future__ import annotations

import pytest

from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from tests.doubles.digest_embedder import DigestEmbedder
from tests.http.site import Site
from tests.server.desk import manual, passage
from tests.server.test_notices import legacy, modern

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning"),
]


async def test_a_subscriber_is_notified_of_changes_by_another_process(site: Site, era: str) -> None:
    uris = ("rag://documents/salaries", f"rag://documents/{era}")
    listening = legacy(site.client, uris) if era == "legacy" else modern(site.client, uris)
    other = LocalIndex.open(site.folder / "index", DigestEmbedder())
    try:
        async with listening as heard:
            await other.replace(manual("salaries", access=("user:ann",), title=f"For {era}"), [])
            await other.replace(manual(era), [NewBlock(passage("x", doc_id=era))])

            assert await heard.next() == f"rag://documents/{era}"
            assert heard.sent == []
    finally:
        await other.aclose()
