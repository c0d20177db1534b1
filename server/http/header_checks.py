"""Check the headers of a request first: size, ambiguity, Host and Origin."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.http.connections import HEADER_BYTES
from server.http.host_names import Names
from server.http.refusals import refusal

MAX_HEADERS = 100

Headers = list[tuple[bytes, bytes]]


class Admission:
    """ASGI middleware. `open_paths` accept any Host, because health probes use the machine's address."""

    def __init__(self, app: ASGIApp, names: Names, open_paths: frozenset[str]) -> None:
        self._app = app
        self._names = names
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers: Headers = scope["headers"]
        size = sum(len(key) + len(value) for key, value in headers) + len(scope["query_string"])
        if len(headers) > MAX_HEADERS or size > HEADER_BYTES:
            return refusal(431, "The headers are too large.", close=True)
        if ambiguous := _ambiguous(headers):
            return refusal(400, ambiguous, close=True)
        if scope["path"] in self._open_paths:
            return None
        hosts, origins = _values(headers, b"host"), _values(headers, b"origin")
        if len(hosts) != 1 or not self._names.host(hosts[0]):
            return refusal(421, "This server does not serve that Host.")
        if len(origins) > 1 or not all(map(self._names.origin, origins)):
            return refusal(403, "Pages of that Origin may not call this server.")
        return None


def _ambiguous(headers: Headers) -> str:
    """What a proxy may interpret differently (request smuggling); empty if nothing."""
    if _values(headers, b"content-length") and _values(headers, b"transfer-encoding"):
        return "Content-Length and Transfer-Encoding exclude each other."
    if len(_values(headers, b"authorization")) > 1:
        return "Only one Authorization header is allowed."
    return ""


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]
