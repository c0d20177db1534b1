"""An identity endpoint on 127.0.0.1, as Azure App Service offers it to programs."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class IdentityEndpoint:
    """The endpoint. `resources` lists the resource of each token request. `refusal` is returned instead of a token."""

    url: str
    header: str = field(default_factory=lambda: secrets.token_hex(8))
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    resources: list[str] = field(default_factory=list)
    refusal: tuple[int, str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {"IDENTITY_ENDPOINT": self.url, "IDENTITY_HEADER": self.header}

    def answer(self, header: str | None, query: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        if header != self.header or query.get("api-version") != ["2019-08-01"]:
            return 400, {"error": {"code": "bad request"}}
        (resource,) = query["resource"]
        self.resources.append(resource)
        if self.refusal:
            status, words = self.refusal
            return status, {"statusCode": status, "message": words}
        expires = str(int(time.time()) + 24 * 3600)
        return 200, {
            "access_token": self.token, "expires_on": expires, "resource": resource, "token_type": "Bearer",
        }  # fmt: skip


@contextmanager
def identity_endpoint() -> Iterator[IdentityEndpoint]:
    """Run an endpoint that gives one token to every caller with its header."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    endpoint = IdentityEndpoint(f"http://127.0.0.1:{server.server_port}/msi/token")
    _Handler.endpoints[server.server_port] = endpoint
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
        del _Handler.endpoints[server.server_port]


class _Handler(BaseHTTPRequestHandler):
    endpoints: dict[int, IdentityEndpoint] = {}  # noqa: RUF012

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        endpoint = self.endpoints[int(self.server.server_address[1])]
        known = asked.path == urlsplit(endpoint.url).path
        header = self.headers.get("X-IDENTITY-HEADER")
        status, body = endpoint.answer(header, parse_qs(asked.query)) if known else (404, {})
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log on standard error."""
