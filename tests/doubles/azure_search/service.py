"""The service on a socket, and what a test may know and decide about it."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import secrets
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from aiohttp import web

from tests.doubles.azure_search.access import Access
from tests.doubles.azure_search.certificate import write_certificate
from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.faults import Faults, Request
from tests.doubles.azure_search.operations import Asked, Done, Operations
from tests.doubles.azure_search.routes import Route, route_of
from tests.doubles.azure_search.vector_query import Vectorize

MAX_BODY = 16 * 1024 * 1024
_JSON = "application/json; odata.metadata=none; odata.streaming=true; charset=utf-8"
_ERROR_JSON = "application/json; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"
_VERSION = re.compile(r"\d{4}-\d\d-\d\d(?:-preview)?", re.IGNORECASE)
_OF_PREVIEWS = "x-ms-query-source-authorization"


class StandIn:
    """An Azure AI Search service on 127.0.0.1 for as long as it is entered. What it holds is empty at first.

    `vectorize` stands for the vectorizer of any index whose definition names one. `indexing_delay` is in seconds.
    `seed` decides how equal hits are shuffled, in each search anew.
    """

    def __init__(
        self, tls: bool = False, vectorize: Vectorize | None = None, indexing_delay: float = 0.0, seed: int = 0, *,
        port: int = 0,
    ) -> None:  # fmt: skip
        self.admin_key, self.query_key = secrets.token_hex(16), secrets.token_hex(16)
        self.endpoint = ""
        self.ca_file: str | None = None
        self.requests: list[Request] = []
        self.faults = Faults()
        self._access = Access(self.admin_key, self.query_key)
        self.tokens = self._access.tokens
        """Bearer token to `reader` or `contributor`."""
        self._does = Operations(vectorize=vectorize, indexing_delay=indexing_delay, seed=seed)
        self._tls = tls
        self._port = port

    @property
    def semantic(self) -> str:
        """How the semantic ranker works: `full`, `partial` (206, not reranked) or `unavailable` (400)."""
        return self._does.ranker

    @semantic.setter
    def semantic(self, how: str) -> None:
        if how not in ("full", "partial", "unavailable"):
            raise ValueError(how)
        self._does.ranker = how

    def put_index(self, definition: Mapping[str, Any]) -> None:
        """Make or change an index; `Refused` as over HTTP."""
        self._does.define(copy.deepcopy(dict(definition)))

    def put_documents(self, index: str, docs: Iterable[Mapping[str, Any]]) -> None:
        """Upload any number of documents; they can be found at once. `Refused` for what cannot be kept."""
        for answer in self._does.index(index).apply(
            [{**copy.deepcopy(dict(one))} for one in docs], at_once=True
        ):
            if not answer["status"]:
                raise Refused(answer["statusCode"], answer["errorMessage"])

    def documents(self, index: str) -> list[dict[str, Any]]:
        """Everything that was accepted, hidden fields and what cannot be found yet included."""
        return copy.deepcopy(list(self._does.index(index).stored.values()))

    def clear(self) -> None:
        """As new, on the same address with the same keys and tokens."""
        self._does.indexes.clear()
        self.requests.clear()
        self.faults.clear()
        self.semantic = "full"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * MAX_BODY)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._secured())
        await site.start()
        port = self._runner.addresses[0][1]
        self.endpoint = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        if self._tls:
            self._folder.cleanup()

    def _secured(self) -> ssl.SSLContext | None:
        if not self._tls:
            return None
        self._folder = TemporaryDirectory()
        authority, chain = write_certificate(Path(self._folder.name))
        self.ca_file = str(authority)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(chain)
        return context

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        route = route_of(request.method, request.path)
        data = await request.read()
        entry = Request(
            request.method,
            request.path,
            route.operation,
            route.index,
            _parsed(data),
            request.headers,
            status=0,
        )
        self.requests.append(entry)
        fault = self.faults.take(route.operation, route.index)
        if fault and fault.delay:
            await asyncio.sleep(fault.delay)
        if fault and fault.drop:
            assert request.transport
            request.transport.abort()
            return web.Response()
        if fault and fault.status is not None:
            done = Done(fault.status, fault.said, fault.headers)
        else:
            done = self._answer(request, route, data, entry.body)
        self._note(entry, done.status)
        return _response(done)

    def _note(self, entry: Request, status: int) -> None:
        """The status in the log; the entry can be gone when the test has emptied the log meanwhile."""
        for at in range(len(self.requests) - 1, -1, -1):
            if self.requests[at] is entry:
                self.requests[at] = replace(entry, status=status)
                return

    def _answer(self, request: web.Request, route: Route, data: bytes, body: Any) -> Done:
        try:
            if not _VERSION.fullmatch(request.query.get("api-version", "")):
                raise Refused(400, "The 'api-version' parameter is missing or not valid.")
            self._access.check(request.headers, route.operation)
            if _OF_PREVIEWS in request.headers:
                raise Refused(400, f"Invalid header: '{_OF_PREVIEWS}'")
            if len(data) > MAX_BODY:
                raise Refused(413, "The request is too large.")
            url = self.endpoint + request.path
            return self._does.perform(Asked(route, body, request.query, request.headers, url))
        except Refused as refused:
            return Done(refused.status, refused.body)


def _parsed(data: bytes) -> Any:
    """JSON as it is defined: NaN and infinity are none, and a text is Unicode, so half a letter is none either."""
    try:
        body = json.loads(data, parse_constant=_no_constant)
        if b"\\ud" in data.lower():
            json.dumps(body, ensure_ascii=False).encode()
    except ValueError:
        return None
    return body


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _response(done: Done) -> web.Response:
    headers = {"OData-Version": "4.0", "request-id": secrets.token_hex(16), "elapsed-time": "1"}
    if done.body is None:
        return web.Response(status=done.status, headers=headers | dict(done.headers))
    kind = _TEXT if isinstance(done.body, str) else _JSON if done.status < 400 else _ERROR_JSON
    text = done.body if isinstance(done.body, str) else json.dumps(done.body)
    return web.Response(
        status=done.status, body=text.encode(), headers=headers | {"Content-Type": kind} | dict(done.headers)
    )
