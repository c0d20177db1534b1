"""HTTP front of the emulator: it reads a request, injects faults, logs, and answers."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from dataclasses import replace
from typing import Any

from aiohttp import web

from tests.doubles.azure_search.access import Access
from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.faults import Faults, Request
from tests.doubles.azure_search.operations import USER_TOKEN, Asked, Done, Operations
from tests.doubles.azure_search.routes import Route, route_of

MAX_BODY = 16 * 1024 * 1024
_JSON = "application/json; odata.metadata=none; odata.streaming=true; charset=utf-8"
_ERROR_JSON = "application/json; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"
_VERSION = re.compile(r"\d{4}-\d\d-\d\d(?:-preview)?", re.IGNORECASE)


class Front:
    """HTTP handler. `log` gets every request, also those with a fault."""

    def __init__(self, does: Operations, access: Access, faults: Faults, log: list[Request]) -> None:
        self._does = does
        self._access = access
        self._faults = faults
        self._log = log

    async def handle(self, request: web.Request) -> web.StreamResponse:
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
        self._log.append(entry)
        fault = self._faults.take(route.operation, route.index)
        if fault and fault.delay:
            await asyncio.sleep(fault.delay)
        if fault and fault.drop:
            assert request.transport
            request.transport.abort()
            return web.Response()
        if fault and fault.endless:
            return await self._without_end(request)
        if fault and fault.status is not None:
            done = Done(fault.status, fault.said, fault.headers)
        else:
            done = self._answer(request, route, data, entry.body)
        self._note(entry, done.status)
        return _response(done)

    async def _without_end(self, request: web.Request) -> web.StreamResponse:
        """Send spaces before the first row, until the client gives up."""
        response = web.StreamResponse(headers={"Content-Type": _JSON})
        await response.prepare(request)
        await response.write(b'{"value": [')
        piece = b" " * 65536
        while True:
            await response.write(piece)
            self._faults.sent += len(piece)

    def _note(self, entry: Request, status: int) -> None:
        """Write the status to the log entry, which is missing if the test has emptied the log."""
        for at in range(len(self._log) - 1, -1, -1):
            if self._log[at] is entry:
                self._log[at] = replace(entry, status=status)
                return

    def _answer(self, request: web.Request, route: Route, data: bytes, body: Any) -> Done:
        try:
            if not _VERSION.fullmatch(request.query.get("api-version", "")):
                raise Refused(400, "The 'api-version' parameter is missing or not valid.")
            self._access.check(request.headers, route.operation)
            if USER_TOKEN in request.headers and request.headers[USER_TOKEN] not in self._does.user_tokens:
                raise Refused(400, f"Invalid header: '{USER_TOKEN}'")
            if len(data) > MAX_BODY:
                raise Refused(413, "The request is too large.")
            url = f"{request.url.origin()}{request.path}"
            return self._does.perform(Asked(route, body, request.query, request.headers, url))
        except Refused as refused:
            return Done(refused.status, refused.body)


def _parsed(data: bytes) -> Any:
    """Parse strict JSON: NaN, infinity and lone surrogates are invalid."""
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
