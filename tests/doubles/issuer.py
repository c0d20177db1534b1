"""A local token issuer: it publishes metadata and keys over HTTP, signs tokens, changes its keys, fails and lies on
request.

The acts in `next` are applied to the next requests, in order.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt import PyJWS
from jwt.algorithms import get_default_algorithms

from tests.doubles.serving import served

AUDIENCE = "https://ibid.example.org/mcp"
TENANT = "11111111-2222-3333-4444-555555555555"

Claims = dict[str, Any]
Act = Callable[["Issuer"], Awaitable[web.StreamResponse] | web.StreamResponse]


@dataclass(frozen=True)
class Key:
    kid: str
    algorithm: str
    private: Any

    @property
    def public(self) -> Any:
        return self.private.public_key()

    def published(self, **changes: Any) -> Claims:
        jwk = get_default_algorithms()[self.algorithm].to_jwk(self.public, as_dict=True)
        whole = {**jwk, "kid": self.kid, "use": "sig", "alg": self.algorithm, **changes}
        return {name: value for name, value in whole.items() if value is not None}


def new_key(kid: str, algorithm: str = "RS256") -> Key:
    if algorithm.startswith("ES"):
        return Key(kid, algorithm, ec.generate_private_key(ec.SECP256R1()))
    if algorithm == "EdDSA":
        return Key(kid, algorithm, ed25519.Ed25519PrivateKey.generate())
    return Key(kid, algorithm, rsa.generate_private_key(65537, 2048))


class Issuer:
    """An async context manager. `path` is the path of its address. `name` is the issuer in its metadata, if
    different."""

    def __init__(self, path: str = "", *, name: str | None = None) -> None:
        self._path, self._name = path, name
        self.key = new_key("one")
        self.published: list[Any] = [self.key.published()]
        self.asked: list[str] = []
        self.next: deque[Act] = deque()
        self.metadata: Claims = {}
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{place:.*}", self._answer)
        self._runner, port = await served(app)
        self.origin = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"{self.origin}{self._path}"

    @property
    def settings(self) -> dict[str, str]:
        return {"RAG_AUTH_ISSUER": self.url, "RAG_AUTH_AUDIENCE": AUDIENCE}

    def claims(self, user: str = "ann", **changes: Any) -> Claims:
        """Return the claims of a valid token with these changes. A claim that is changed to None is omitted."""
        now = int(time.time())
        usual = {
            "iss": self.url, "sub": user, "aud": AUDIENCE, "scope": "openid rag.read",
            "iat": now, "nbf": now, "exp": now + 600, "azp": "the-client",
        }  # fmt: skip
        return {name: value for name, value in (usual | changes).items() if value is not None}

    def token(self, user: str = "ann", *, key: Key | None = None, header: Mapping[str, Any] | None = None,
              **changes: Any) -> str:  # fmt: skip
        """Return a token signed with `key`, or with the current key."""
        return signed(self.claims(user, **changes), key or self.key, header)

    def rotate(self, kid: str) -> Key:
        """Create a new key. The earlier keys are no longer published."""
        self.key = new_key(kid)
        self.published = [self.key.published()]
        return self.key

    async def hang(self) -> web.StreamResponse:
        await self._closing.wait()
        return web.Response(status=503)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        if self.next:
            answer = self.next.popleft()(self)
            return await answer if isinstance(answer, Awaitable) else answer
        if request.path == f"{self._path.rstrip('/')}/.well-known/openid-configuration":
            usual = {"issuer": self._name or self.url, "jwks_uri": f"{self.origin}/keys"}
            return web.json_response(usual | self.metadata)
        if request.path == "/keys":
            return web.json_response({"keys": self.published})
        return web.Response(status=404)


def signed(claims: Claims, key: Key, header: Mapping[str, Any] | None = None) -> str:
    named = {"kid": key.kid, **(header or {})}
    return PyJWS().encode(  # The package's own encoding refuses some invalid claims.
        json.dumps(claims).encode(), key.private, algorithm=key.algorithm,
        headers={name: value for name, value in named.items() if value is not None},
    )  # fmt: skip
