"""Replace the `rag://` URIs of an answer by URLs that the client's user can open.

The URLs are made for each answer and caller, after all caches: no prompt and no cached answer contains one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from server.evidence_view.offsets import after_changes
from tools.utf16 import utf16_offset

_ID = r"[A-Za-z0-9_\-=]{1,1024}"
PICTURE = re.compile(rf"rag://blocks/({_ID})/image")
PAGE = re.compile(rf"rag://documents/({_ID})(?:/pages/(\d{{1,7}}))?")
_WRITTEN = re.compile(rf"(?<=\]\()(?:rag://blocks/{_ID}/image|rag://documents/{_ID}(?:/pages/\d{{1,7}})?)(?=\))")
_ANSWER, _ADDRESS = "answer", "image_url"


class Opened(Protocol):
    """Maps resource URIs to URLs."""

    async def __call__(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """The URL for each URI that the caller may open. `answer` is the answer that contains them."""
        ...


class Addresses:
    """MCP middleware; `opened` provides the URLs."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method == "tools/call" and isinstance(result.get("structuredContent"), dict):
            return await self._tool(result)
        if ctx.method == "resources/read":
            return result | {"contents": [await self._resource(part) for part in result.get("contents", ())]}
        return result

    async def _tool(self, result: dict[str, Any]) -> dict[str, Any]:
        answer = result["structuredContent"]
        first, *rest = result["content"]
        wanted = {*_addresses_in(answer), *(str(part.get("uri")) for part in rest if _is_picture_link(part))}
        urls = await self._opened(wanted, answer) if wanted else {}
        if not urls:
            return result
        view = _placed(answer, urls)
        text = json.dumps(view, ensure_ascii=False, separators=(",", ":"))
        meta = after_changes(result.get("_meta"), _changes(str(answer.get(_ANSWER, "")), urls))
        return result | {
            "structuredContent": view,
            "content": [first | {"text": text}, *(_linked(part, urls) for part in rest)],
            **({"_meta": meta} if meta else {}),
        }

    async def _resource(self, content: dict[str, Any]) -> dict[str, Any]:
        if content.get("mimeType") != "application/json" or _ADDRESS not in content.get("text", ""):
            return content
        content_json = json.loads(content["text"])
        wanted = set(_addresses_in(content_json))
        urls = await self._opened(wanted, content_json) if wanted else {}
        text = json.dumps(_placed(content_json, urls), ensure_ascii=False, separators=(",", ":"))
        return content | {"text": text}


def picture_ids(addresses: set[str]) -> dict[str, str]:
    """The block ids of picture URIs, by URI."""
    return {address: match[1] for address in addresses if (match := PICTURE.fullmatch(address))}


def pages(addresses: set[str]) -> dict[str, tuple[str, int | None]]:
    """Document id and page of each page URI, by URI; the page is None for a document without pages."""
    matches = {address: PAGE.fullmatch(address) for address in addresses}
    return {address: (match[1], int(match[2]) if match[2] else None) for address, match in matches.items() if match}


def _is_picture_link(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "resource_link" and bool(PICTURE.fullmatch(str(part.get("uri"))))


def _linked(part: dict[str, Any], urls: Mapping[str, str]) -> dict[str, Any]:
    return part | {"uri": urls.get(part["uri"], part["uri"])} if _is_picture_link(part) else part


def _addresses_in(value: Any, key: str = "") -> Iterator[str]:
    """The URIs in an answer's text and image fields. Document text is not searched."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _addresses_in(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _addresses_in(part, key)
    elif isinstance(value, str) and key == _ADDRESS and PICTURE.fullmatch(value):
        yield value
    elif isinstance(value, str) and key == _ANSWER:
        yield from _WRITTEN.findall(value)


def _placed(value: Any, urls: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _placed(part, urls, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_placed(part, urls, key) for part in value]
    if isinstance(value, str) and key == _ADDRESS:
        return urls.get(value, value)
    if isinstance(value, str) and key == _ANSWER:
        return _WRITTEN.sub(lambda match: urls.get(match[0], match[0]), value)
    return value


def _changes(answer: str, urls: Mapping[str, str]) -> list[tuple[int, int]]:
    """The end of each replaced URI in the answer, in UTF-16 units, and by how much it grows."""
    matches = [match for match in _WRITTEN.finditer(answer) if match[0] in urls]
    return [(utf16_offset(answer, match.end()), len(urls[match[0]]) - len(match[0])) for match in matches]
