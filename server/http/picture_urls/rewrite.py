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
        pictures = picture_ids(addresses)
        cited = {place: address for address, place in pages(addresses).items() if place[1] and self._with_pages}
        sources = [str(source.get("block_id")) for source in answer.get("sources", ())] if cited else []
        wanted = list(dict.fromkeys([*sorted(pictures.values()), *sources]))
        try:
            caller = self._caller_of()
            hits = await (await self._library()).blocks(wanted, caller) if wanted else ()
        except IbidError:  # the answer stands without them
            return {}
        expires = -(-int(self._now() + self._seconds) // STEP) * STEP
        urls: dict[str, str] = {}
        pages_done: dict[str, str] = {}
        for block in (hit.block for hit in hits):
            grant = granted(block.block_id, block.access_control_list, caller, expires)
            if not grant:
                continue
            urls[block.block_id] = f"{self._seal.origin}{PATH}{self._seal.sealed(grant)}"
            if address := cited.get((block.doc_id, block.page_number)):
                pages_done.setdefault(address, f"{urls[block.block_id]}#page={block.page_number}")
        return pages_done | {address: urls[block_id] for address, block_id in pictures.items() if block_id in urls}


def origin_of(endpoint: str) -> str:
    """`https://HOST` of the address of an endpoint."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"
