"""Replace the `rag://` URIs of an answer with URLs that the client's user can open.

The URLs are generated for each answer and caller, downstream of all caches, so no prompt or cached answer contains one.
`RAG_IMAGE_URLS=file` writes pictures into a private folder and links to pages in the document files, for clients on
this machine. Pictures in a private container get signed URLs. Each URL opens one picture and expires after a few
minutes.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio.to_thread
import structlog
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.documents.block import Picture
from corpus.errors import IbidError
from server.evidence_claims import after_changes
from tools.protocol import CallerOf, LibraryOf
from tools.text_anchors import utf16_offset

_ID = r"[A-Za-z0-9_\-=]{1,1024}"
PICTURE = re.compile(rf"rag://blocks/({_ID})/image")
PAGE = re.compile(rf"rag://documents/({_ID})(?:/pages/(\d{{1,7}}))?")
_WRITTEN = re.compile(rf"(?<=\]\()(?:rag://blocks/{_ID}/image|rag://documents/{_ID}(?:/pages/\d{{1,7}})?)(?=\))")
_ANSWER, _ADDRESS = "answer", "image_url"


Opened = Callable[[set[str], Mapping[str, Any]], Awaitable[dict[str, str]]]
"""Function that receives URIs and the answer that contains them, and returns a URL for each URI that the caller may
open."""


class Addresses:
    """MCP middleware that replaces URIs in answers. `opened` provides the URLs."""

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
    """Return a mapping from each picture URI to its block id."""
    return {address: match[1] for address in addresses if (match := PICTURE.fullmatch(address))}


def pages(addresses: set[str]) -> dict[str, tuple[str, int | None]]:
    """Return a mapping from each page URI to its document id and page number. The page number is None for a document
    without pages."""
    matches = {address: PAGE.fullmatch(address) for address in addresses}
    return {address: (match[1], int(match[2]) if match[2] else None) for address, match in matches.items() if match}


def _is_picture_link(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "resource_link" and bool(PICTURE.fullmatch(str(part.get("uri"))))


def _linked(part: dict[str, Any], urls: Mapping[str, str]) -> dict[str, Any]:
    return part | {"uri": urls.get(part["uri"], part["uri"])} if _is_picture_link(part) else part


def _addresses_in(value: Any, key: str = "") -> Iterator[str]:
    """Return the URIs in an answer's text and image fields. Document text is not searched."""
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
    """Return, for each replaced URI, the offset of its end in the answer and the increase in length, both in UTF-16
    units."""
    matches = [match for match in _WRITTEN.finditer(answer) if match[0] in urls]
    return [(utf16_offset(answer, match.end()), len(urls[match[0]]) - len(match[0])) for match in matches]


KEPT_SECONDS = 24 * 3600
"""Seconds until an unused file is deleted."""
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


class FileAddresses(Addresses):
    """MCP middleware that replaces resource URIs with file URLs."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf, folder: Path) -> None:
        super().__init__(self._files)
        self._library, self._caller_of, self._folder = library, caller_of, folder

    async def _files(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        library, caller = await self._library(), self._caller_of()
        urls = {}
        for address, block_id in picture_ids(addresses).items():
            with suppress(IbidError, OSError):  # the answer is usable without the URL
                picture = await library.picture(block_id, caller)
                urls[address] = await anyio.to_thread.run_sync(partial(save_picture, picture, self._folder))
        for address, (doc_id, page) in pages(addresses).items():
            with suppress(IbidError, ValueError):
                path = Path((await library.get_document(caller, doc_id=doc_id)).document.source_path)
                urls[address] = path.as_uri() + (f"#page={page}" if page is not None else "")
        return urls


def save_picture(picture: Picture, folder: Path) -> str:
    """Save the picture in the folder, which only this user may read, and return its URL. Delete files older than a
    day."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = sha256(picture.data).hexdigest()[:32] + _ENDINGS.get(picture.mime_type, "")
    path = folder / name
    _forget_old(folder)
    if path.exists():
        os.utime(path)
    else:
        beside = folder / f".{name}.{os.getpid()}"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(picture.data)
        beside.replace(path)
    return path.absolute().as_uri()


def _forget_old(folder: Path) -> None:
    before = time.time() - KEPT_SECONDS
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()


log = structlog.stdlib.get_logger("ibid")


class SignedAddresses(Addresses):
    """MCP middleware that replaces picture URIs with signed URLs."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf) -> None:
        super().__init__(self._signed)
        self._library, self._caller_of = library, caller_of

    async def _signed(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """Return signed URLs for the pictures that the caller may read now."""
        block_ids = picture_ids(addresses)
        try:
            library, caller = await self._library(), self._caller_of()
            signed = await library.picture_addresses(sorted(set(block_ids.values())), caller)
        except IbidError as error:  # the answer keeps its resource URIs
            log.warning("pictures.unsigned", reason=str(error), outcome=error.type)
            return {}
        return {address: signed[block_id] for address, block_id in block_ids.items() if block_id in signed}
