"""Record the SDK's answers for each type of client, for the next start."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import structlog
from mcp.server.context import ServerMiddleware
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCRequest, JSONRPCResponse
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from server.first_answers.early import EarlyAnswers
from server.first_answers.kept_file import save
from server.first_answers.requests import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    DISCOVER,
    INITIALIZE,
    LISTS,
    PING,
    VERSION_KEY,
    answer_line,
    client_of,
    generation_of,
    is_result,
)
from server.sdk_gaps.stdio_transport import StdioTransport, line_of

log = structlog.stdlib.get_logger("ibid")

VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
"""Capabilities of clients that support views and therefore see more tools."""
MAX_GENERATIONS = 32
SECONDS_BEFORE = 2.0
"""Seconds to wait after the first answer, so that the client's first calls take precedence."""
MAX_SECONDS = 5.0
"""Maximum number of seconds that the exiting process waits for the file to be written."""

_CLIENT = {"name": "ibid", "version": "1"}
_WRAPPING = '{"jsonrpc":"2.0","id":0,"result":'


class Keeper:
    """A writer of the kept file. It writes the file if it is missing, lacks this client's generation, or differs from
    the SDK's answers."""

    def __init__(
        self, path: str | None, early: EarlyAnswers, wire: StdioTransport, server: Server[Any],
        outer: Collection[ServerMiddleware[Any]],
    ) -> None:  # fmt: skip
        self._path, self._early, self._wire = path, early, wire
        self._server, self._outer = server, outer
        self._making = anyio.Lock()
        self._is_made = False

    async def run(self) -> None:
        """Write the file once, some time after the first answer."""
        await self._wire.answered.wait()
        with anyio.move_on_after(SECONDS_BEFORE):
            await self._wire.ended.wait()
        await self.keep()

    async def keep(self) -> None:
        """Write the file if needed. If that fails, the only consequence is a slower next start."""
        if self._path is None or not self._wire.has_answers:
            return
        async with self._making:
            try:
                await self._keep(self._path)
            except OSError as error:
                log.debug("first_answers.not_kept", reason=str(error))
            except Exception:
                log.info("first_answers.not_made", exc_info=True)

    async def _keep(self, path: str) -> None:
        kept = self._early.results
        known = dict.fromkeys(filter(None, map(_generation, kept)))
        generations = list(dict.fromkeys([*standard_generations(), *self._own(), *reversed(known)]))
        is_whole = all(is_result(kept.get(key)) for generation in generations for key in _keys(generation))
        if not self._wire.differs and (self._is_made or is_whole):
            return
        results = await results_of(self._server, generations[:MAX_GENERATIONS], self._outer)
        await anyio.to_thread.run_sync(save, path, results)
        self._is_made, self._wire.differs = True, False

    def _own(self) -> list[str]:
        generation = self._early.session.generation
        return [generation] if generation else []


def _keys(generation: str) -> list[str]:
    version, _ = client_of(generation)
    first = DISCOVER if version in MODERN_PROTOCOL_VERSIONS else INITIALIZE
    return [f"{generation} {method}" for method in (first, *LISTS)]


def _generation(key: str) -> str | None:
    """Return the generation in a key of the kept file, or None if the key is invalid."""
    name = key.rpartition(" ")[0]
    try:
        version, capabilities = client_of(name)
    except (ValueError, RecursionError):
        return None
    return name if generation_of(version, capabilities, _CLIENT) == name else None


def standard_generations() -> list[str]:
    """Return every protocol version, with and without views."""
    versions = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
    clients = [generation_of(version, shows, _CLIENT) for version in versions for shows in ({}, VIEWS)]
    return [generation for generation in clients if generation]


async def results_of(
    server: Server[Any], generations: Iterable[str], outer: Collection[ServerMiddleware[Any]] = ()
) -> dict[str, str]:
    """Return the results by key, except for requests that the server refuses. Skip the middleware in `outer`, which
    counts or records client requests."""
    plain = copy.copy(server)
    plain.middleware = [each for each in server.middleware[1:] if each not in outer]  # the first middleware opens spans
    results: dict[str, str] = {}
    for generation in generations:
        version, capabilities = client_of(generation)
        requests: list[tuple[str, dict[str, Any]]]
        async with _connection(plain) as connection:
            if version in MODERN_PROTOCOL_VERSIONS:
                envelope: dict[str, Any] = {
                    VERSION_KEY: version,
                    CLIENT_KEY: _CLIENT,
                    CAPABILITIES_KEY: capabilities,
                }
                requests = [(method, {"_meta": envelope}) for method in (DISCOVER, *LISTS)]
            else:
                hello = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": _CLIENT}
                requests = [(INITIALIZE, hello), *((method, {}) for method in (PING, *LISTS))]
            for method, params in requests:
                result = await connection.ask(method, params)
                if result is not None:
                    results[PING if method == PING else f"{generation} {method}"] = result
    return results


class _Connection:
    def __init__(self, send: Any, receive: Any) -> None:
        self._send, self._receive = send, receive

    async def ask(self, method: str, params: dict[str, Any]) -> str | None:
        """Return the JSON text of the result, exactly as a client would receive it."""
        request = JSONRPCRequest(jsonrpc="2.0", id=0, method=method, params=params)
        await self._send.send(SessionMessage(request))
        answer: JSONRPCMessage = (await self._receive.receive()).message
        line = line_of(answer).decode()
        result = line.removeprefix(_WRAPPING).removesuffix("}")
        whole = isinstance(answer, JSONRPCResponse) and answer_line(0, result).decode() == line
        await anyio.lowlevel.checkpoint()
        return result if whole else None


@asynccontextmanager
async def _connection(server: Server[Any]) -> AsyncIterator[_Connection]:
    """Connect without a lifespan, because the connection of the server's actual client has already entered it."""
    send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    outgoing, receive = anyio.create_memory_object_stream[SessionMessage](1)
    async with anyio.create_task_group() as tasks, send, receive:
        tasks.start_soon(_serve, server, incoming, outgoing)
        yield _Connection(send, receive)
        tasks.cancel_scope.cancel()


async def _serve(server: Server[Any], incoming: Any, outgoing: Any) -> None:
    options = server.create_initialization_options()
    await serve_dual_era_loop(server, incoming, outgoing, lifespan_state=None, init_options=options)
