"""The endpoint where Entra ID applications exchange a caller's token for one of another service, over TLS, on
127.0.0.1."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import jwt
from aiohttp import web

from tests.doubles.azure_search.certificate import write_certificate
from tests.doubles.issuer import TENANT
from tests.doubles.serving import served

Given = Callable[[str, Mapping[str, Any]], None]
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
BY_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class TokenEndpoint:
    """An async context manager. `given` gets each token with the claims of the caller's token. `requests` are the
    received forms. `refusal` is returned instead of a token."""

    def __init__(self, folder: Path, application: str, proof: str, given: Given) -> None:
        self._application, self._proof, self._given = application, proof, given
        authority, chain = write_certificate(folder)
        self.ca_file = str(authority)
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._tls.load_cert_chain(chain)
        self.requests: list[dict[str, str]] = []
        self.refusal: tuple[int, dict[str, Any]] | None = None
        self.lifetime = 3600

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post(f"/{TENANT}/oauth2/v2.0/token", self._answer)
        self._runner, port = await served(app, self._tls)
        self.host = f"127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.requests.append(form)
        if self.refusal:
            status, body = self.refusal
            return web.json_response(body, status=status)
        claims = jwt.decode(form["assertion"], options={"verify_signature": False})
        proof = form.get("client_secret") or form.get("client_assertion")
        sound = (
            form["grant_type"] == GRANT
            and form["requested_token_use"] == "on_behalf_of"
            and form["client_id"] == claims["aud"] == self._application
            and proof == self._proof
            and ("client_secret" in form or form["client_assertion_type"] == BY_ASSERTION)
            and "https://search.azure.com/.default" in form["scope"].split()
        )
        if not sound:
            return web.json_response({"error": "invalid_grant", "error_description": "refused"}, status=400)
        token = secrets.token_hex(16)
        self._given(token, claims)
        return web.json_response({"token_type": "Bearer", "expires_in": self.lifetime, "access_token": token})
