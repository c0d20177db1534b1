"""Serve pictures at their signed URLs. All invalid URLs get the same response."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from corpus.documents.block import Picture
from corpus.errors import AskDifferently, IbidError
from server.audit.audit_log import NO_AUDIT, Audit, Unrecorded
from server.calls.deadlines import within
from server.http.concurrency import Concurrency
from server.http.picture_urls.rewrite import PATH
from server.http.picture_urls.sealed import Grant, Seal
from server.http.refusals import refusal
from tools.protocol import LibraryOf

_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
NOTHING = "There is no picture here, or it has expired."


class Images:
    """ASGI middleware. `turns` limits concurrent fetches, and `seconds` the time of each."""

    def __init__(
        self, app: ASGIApp, library: LibraryOf, seal: Seal, turns: Concurrency, seconds: float | None = None,
        audit: Audit = NO_AUDIT, now: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._app, self._library, self._seal = app, library, seal
        self._turns, self._seconds, self._audit, self._now = turns, seconds, audit, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering = self._app
        if scope["type"] == "http" and scope["path"].startswith(PATH):
            answering = await self._answer(scope)
        await answering(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return refusal(405, "Only GET and HEAD.", allow="GET, HEAD")
        if not await self._turns.taken():
            return refusal(503, "The server is busy. Ask again in a few seconds.")
        try:
            return await self._decided(scope["path"].removeprefix(PATH))
        except (IbidError, Unrecorded):
            return refusal(503, "The picture is not available now.")
        finally:
            self._turns.free()

    async def _decided(self, token: str) -> Response:
        grant = self._seal.opened(token)
        left = int(grant.expires - self._now()) if grant else 0
        picture = await self._picture(grant) if grant and left > 0 else None
        await self._audit.image(grant.block_id if grant else None, grant.who if grant else None, picture is not None)
        return _response(picture, left) if picture else refusal(404, NOTHING)

    async def _picture(self, grant: Grant) -> Picture | None:
        """The picture, if the grant's principal may read it now. Raises TryLater or CallTheOperator."""
        with within(self._seconds):
            try:
                return await (await self._library()).picture_or_page(grant.block_id, grant.caller)
            except AskDifferently:
                return None


def _response(picture: Picture, left: int) -> Response:
    kind = _kind(picture.data)
    if kind is None:
        return refusal(404, NOTHING)
    return Response(
        picture.data,
        media_type=kind,
        headers={
            "Cache-Control": f"private, max-age={left}",
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'",
            "Cross-Origin-Resource-Policy": "cross-origin",  # clients show it in pages of their own
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _kind(data: bytes) -> str | None:
    """The media type by the first bytes, or None if it is not a raster image that browsers show as such."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if data.startswith(start)), None)
