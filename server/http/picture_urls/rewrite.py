"""Addresses of pictures and pages in answers over HTTP: instead of `rag://` resources, what a browser can fetch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from corpus.errors import IbidError
from server.addresses.rewrite import Addresses, pages, picture_ids
from server.http.picture_urls.sealed import Seal, granted
from tools.protocol import CallerOf, LibraryOf

PATH = "/images/"
STEP = 300
"""Seconds to whose next multiple an address lasts, so that the same picture keeps its address for a while."""


class ImageUrls(Addresses):
    """A middleware of MCP. `seconds` is how long an address lasts at least. `with_pages`: pages can be shown."""

    def __init__(
        self, library: LibraryOf, caller_of: CallerOf, seal: Seal, seconds: int,
        now: Callable[[], float] = time.time, *, with_pages: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(self._urls)
        self._with_pages = with_pages
        self._library, self._caller_of, self._seal = library, caller_of, seal
        self._seconds, self._now = seconds, now

    async def _urls(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """Those of pictures of blocks, and of pages by a block on them, that the caller may read."""
        cited = _blocks_on_pages(answer)
        blocks = {address: (block_id, "") for address, block_id in picture_ids(addresses).items()}
        for address, (doc_id, page) in pages(addresses).items() if self._with_pages else ():
            if page is not None and (block_id := cited.get((doc_id, page))):
                blocks[address] = (block_id, f"#page={page}")
        try:
            caller = self._caller_of()
            wanted = sorted({block_id for block_id, _ in blocks.values()})
            hits = await (await self._library()).blocks(wanted, caller) if wanted else ()
        except IbidError:  # the answer stands without them
            return {}
        expires = -(-int(self._now() + self._seconds) // STEP) * STEP
        grants = (granted(hit.block.block_id, hit.block.access_control_list, caller, expires) for hit in hits)
        urls = {grant.block_id: f"{self._seal.origin}{PATH}{self._seal.sealed(grant)}" for grant in grants if grant}
        return {
            address: urls[block_id] + fragment for address, (block_id, fragment) in blocks.items() if block_id in urls
        }


def origin_of(endpoint: str) -> str:
    """`https://HOST` of the address of an endpoint."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def _blocks_on_pages(answer: Mapping[str, Any]) -> dict[tuple[str, int], str]:
    """A cited block for each page that is cited, by document and page."""
    ids = [str(document.get("doc_id")) for document in answer.get("documents", ())]
    blocks: dict[tuple[str, int], str] = {}
    for source in answer.get("sources", ()):
        block_id, page = str(source.get("block_id", "")), source.get("page_number")
        own = source.get("doc_id") or next((doc_id for doc_id in ids if block_id.startswith(f"{doc_id}-")), None)
        if block_id and own and isinstance(page, int):
            blocks.setdefault((own, page), block_id)
    return blocks
