"""Addresses of pictures in answers over HTTP: in place of each `rag://` resource one that a browser can fetch.

They are made anew for each answer and each caller, after everything that an answer comes from or is kept in: no prompt
and no remembered answer holds one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.errors import IbidError
from server.evidence_view.offsets import after_changes
from server.http.image_urls_sealed import Seal, granted
from tools.promise import CallerOf, LibraryOf
from tools.utf16 import utf16_offset

PATH = "/images/"
STEP = 300
"""Seconds to whose next multiple an address lasts, so that the same picture keeps its address for a while."""

_RESOURCE = r"rag://blocks/([A-Za-z0-9_\-=]{1,1024})/image"
_WHOLE = re.compile(_RESOURCE)
_SHOWN = re.compile(rf"(?<=\]\(){_RESOURCE}(?=\))")
_ANSWER, _ADDRESS = "answer", "image_url"


class ImageUrls:
    """A middleware of MCP. `seconds` is how long an address lasts at least."""

    def __init__(
        self, library: LibraryOf, caller_of: CallerOf, seal: Seal, seconds: int,
        now: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._library, self._caller_of, self._seal = library, caller_of, seal
        self._seconds, self._now = seconds, now

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method == "tools/call" and isinstance(result.get("structuredContent"), dict):
            return await self._tool(result)
        if ctx.method == "resources/read":
            return result | {"contents": [await self._resource(one) for one in result.get("contents", ())]}
        return result

    async def _tool(self, result: dict[str, Any]) -> dict[str, Any]:
        answer = result["structuredContent"]
        urls = await self._urls(set(_found(answer)))
        if not urls:
            return result
        shown = _placed(answer, urls)
        text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
        first, *rest = result["content"]
        told = after_changes(result.get("_meta"), _changes(str(answer.get(_ANSWER, "")), urls))
        return result | {
            "structuredContent": shown,
            "content": [first | {"text": text}, *rest],
            **({"_meta": told} if told else {}),
        }

    async def _resource(self, content: dict[str, Any]) -> dict[str, Any]:
        if content.get("mimeType") != "application/json" or _ADDRESS not in content.get("text", ""):
            return content
        held = json.loads(content["text"])
        urls = await self._urls(set(_found(held)))
        text = json.dumps(_placed(held, urls), ensure_ascii=False, separators=(",", ":"))
        return content | {"text": text}

    async def _urls(self, block_ids: set[str]) -> dict[str, str]:
        """Those of the blocks that the caller may read, by their ids."""
        if not block_ids:
            return {}
        try:
            caller = self._caller_of()
            hits = await (await self._library()).blocks(sorted(block_ids), caller)
        except IbidError:  # the answer stands without them
            return {}
        expires = -(-int(self._now() + self._seconds) // STEP) * STEP
        grants = (granted(hit.block.block_id, hit.block.access_control_list, caller, expires) for hit in hits)
        return {one.block_id: f"{self._seal.origin}{PATH}{self._seal.sealed(one)}" for one in grants if one}


def origin_of(endpoint: str) -> str:
    """`https://HOST` of the address of an endpoint."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def _found(value: Any, key: str = "") -> Iterator[str]:
    """Ids of the blocks whose pictures are in an answer. What documents say is not looked at."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _found(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _found(one, key)
    elif isinstance(value, str) and key == _ADDRESS and (whole := _WHOLE.fullmatch(value)):
        yield whole[1]
    elif isinstance(value, str) and key == _ANSWER:
        yield from _SHOWN.findall(value)


def _placed(value: Any, urls: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _placed(one, urls, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_placed(one, urls, key) for one in value]
    if isinstance(value, str) and key == _ADDRESS and (whole := _WHOLE.fullmatch(value)):
        return urls.get(whole[1], value)
    if isinstance(value, str) and key == _ANSWER:
        return _SHOWN.sub(lambda found: urls.get(found[1], found[0]), value)
    return value


def _changes(answer: str, urls: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where in the answer the address of a picture ends, in UTF-16 units, and how much longer it becomes."""
    found = [one for one in _SHOWN.finditer(answer) if one[1] in urls]
    return [(utf16_offset(answer, one.end()), len(urls[one[1]]) - len(one[0])) for one in found]
