"""URLs of pictures and pages in answers over HTTP. A browser can fetch them, unlike `rag://` resources.

A URL contains an encrypted token that names the picture, the caller and the expiry. A browser sends no credentials for
a picture, so the token contains one of the caller's principals that may read the block: `*` if everybody may, or else
the user, or else another principal such as a group. Each fetch checks that principal against the index. If the
principal is removed from the document's access list, the URL stops working immediately; if the token issuer revokes it,
the URL works until it expires. The response to all invalid URLs is the same.
"""

from __future__ import annotations

import binascii
import secrets
import struct
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from corpus.access import PUBLIC, Caller, may_read
from corpus.documents.block import KEY, Picture
from corpus.errors import AskDifferently, IbidError
from server.answer_urls import Addresses, pages, picture_ids
from server.audit import NO_AUDIT, Audit, Unrecorded
from server.caller import caller_digest, names
from server.calls.deadlines import within
from server.http.concurrency import Concurrency
from server.http.refusals import refusal
from server.settings.model import Settings
from tools.protocol import CallerOf, LibraryOf

MAX_TOKEN = 4096
_FACTS = struct.Struct(">I8s")


@dataclass(frozen=True, slots=True)
class Grant:
    """A caller's permission to fetch a picture. `opened_by` is a principal with a one-letter prefix for its kind; `who`
    is the `caller_digest` of the caller; `expires` is in whole seconds since 1970."""

    block_id: str
    opened_by: str
    who: bytes
    expires: int

    @property
    def caller(self) -> Caller:
        """Return a caller with only that principal."""
        kind, name = self.opened_by[:1], self.opened_by[1:]
        return Caller(
            user_id=name if kind == "u" else None,
            department=name if kind == "d" else None,
            org_id=name if kind == "o" else None,
            groups=frozenset([name]) if kind == "g" else frozenset(),
        )


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypts grants into tokens. Each of `keys` is 32 bytes long; the first key encrypts, and all of them can
    decrypt. Tokens are bound to `origin`."""

    keys: Sequence[bytes] = field(repr=False)
    origin: str

    def sealed(self, grant: Grant) -> str:
        """Return the token for a grant, in URL-safe base64. It is deterministic, so that clients can cache the
        picture."""
        facts = _FACTS.pack(grant.expires, grant.who) + f"{grant.opened_by}\0{grant.block_id}".encode()
        return urlsafe_b64encode(AESSIV(self.keys[0]).encrypt(facts, self._bound)).rstrip(b"=").decode()

    def opened(self, token: str) -> Grant | None:
        """Return the grant in a token, or None if this seal did not create the token."""
        if not token.isascii() or len(token) > MAX_TOKEN:
            return None
        try:
            secret = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except (binascii.Error, ValueError):
            return None
        # The decoder ignores foreign characters and surplus bits. Require the canonical form, so that each token has
        # only one spelling.
        if urlsafe_b64encode(secret).rstrip(b"=").decode() != token:
            return None
        return next((grant for key in self.keys if (grant := self._grant(key, secret))), None)

    @property
    def _bound(self) -> list[bytes]:
        return [b"ibid/image/1", self.origin.encode()]

    def _grant(self, key: bytes, secret: bytes) -> Grant | None:
        try:
            facts = AESSIV(key).decrypt(secret, self._bound)
        except (InvalidTag, ValueError):
            return None
        expires, who = _FACTS.unpack_from(facts)
        opened_by, _, block_id = facts[_FACTS.size :].decode().partition("\0")
        return Grant(block_id, opened_by, who, expires)


def granted(block_id: str, allowed: Sequence[str], caller: Caller, expires: int) -> Grant | None:
    """Return the grant for a block with the access list `allowed`, or None if the caller may not read it."""
    opened_by = "*" if PUBLIC in allowed else _first(allowed, caller)
    if opened_by is None or not KEY.fullmatch(block_id):
        return None
    return Grant(block_id, opened_by, caller_digest(caller), expires)


def _first(allowed: Sequence[str], caller: Caller) -> str | None:
    # Try principals with and without prefixes. The index decides at the fetch, so an incorrect guess grants nothing.
    for prefixed in (True, False):
        for name in names(caller):
            if may_read(allowed, Grant("", name, b"", 0).caller, prefixed=prefixed):
                return name
    return None


KEY_BYTES = 32


class Keys:
    """The secrets of a process, newest first."""

    def __init__(self, material: Sequence[bytes]) -> None:
        self._material = tuple(material)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the secrets of RAG_HTTP_KEYS, or a random secret of this process."""
        shared = tuple(secret.get_secret_value().encode() for secret in settings.http_keys)
        return cls(shared or (secrets.token_bytes(KEY_BYTES),))

    def derived(self, label: str) -> tuple[bytes, ...]:
        """Return a 32-byte key for the purpose `label` from each secret. The first key is for encryption, and all of
        them can decrypt."""
        info = f"ibid/{label}".encode()
        return tuple(
            HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(secret) for secret in self._material
        )


PATH = "/images/"
STEP = 300
"""Granularity of expiry times, in seconds. They are rounded up to a multiple of it, so that a picture keeps its URL for
a while."""


class ImageUrls(Addresses):
    """MCP middleware that replaces resource URIs with encrypted URLs. A URL is valid for at least `seconds`.
    `with_pages` is set if pages can be shown."""

    def __init__(
        self, library: LibraryOf, caller_of: CallerOf, seal: Seal, seconds: int,
        now: Callable[[], float] = time.time, *, with_pages: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(self._urls)
        self._with_pages = with_pages
        self._library, self._caller_of, self._seal = library, caller_of, seal
        self._seconds, self._now = seconds, now

    async def _urls(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        """Return URLs for the pictures and pages that the caller may read. A page gets the URL of a cited block on
        it."""
        pictures = picture_ids(addresses)
        cited = {place: address for address, place in pages(addresses).items() if place[1] and self._with_pages}
        sources = [str(source.get("block_id")) for source in answer.get("sources", ())] if cited else []
        wanted = list(dict.fromkeys([*sorted(pictures.values()), *sources]))
        try:
            caller = self._caller_of()
            hits = await (await self._library()).blocks(wanted, caller) if wanted else ()
        except IbidError:  # the answer is usable without the URLs
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
    """Return the origin, such as `https://HOST`, of an endpoint's URL."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
NOTHING = "There is no picture here, or it has expired."


class Images:
    """ASGI middleware that serves pictures. `turns` limits concurrent fetches, and `seconds` limits the time of each
    fetch."""

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
        """Return the picture, or None unless the grant's principal may read it now. Raise TryLater or CallTheOperator
        if the index fails."""
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
            "Cross-Origin-Resource-Policy": "cross-origin",  # clients show the picture in their own pages
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _kind(data: bytes) -> str | None:
    """Return the media type from the first bytes, or None if the data is not a raster image that browsers display."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if data.startswith(start)), None)
