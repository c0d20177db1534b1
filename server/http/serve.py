"""`ibid serve --http`: listen, serve, and end when asked to."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

import anyio
import structlog

from server.app import own_version
from server.http.application import application, http_server
from server.http.binding import Address, listen
from server.http.listening import HttpServer, http_listener
from server.logs import configure_logs
from server.serving import keep_up_once, load_once, parts, signalled
from server.settings import Settings, where

log = structlog.stdlib.get_logger("ibid")


def serve(settings: Settings, address: Address) -> None:
    """Serve until a signal asks to end. Raises InvalidRequest for an address that cannot be had."""
    listener, bound = listen(address)
    configure_logs(settings)
    log.info(
        "server.start", transport="http", version=own_version(), index=where(settings), address=str(bound)
    )
    with suppress(KeyboardInterrupt):
        anyio.run(_until_the_end, settings, listener, bound)


async def _until_the_end(settings: Settings, listener: socket.socket, bound: Address) -> None:
    at_once = anyio.Event()
    at_once.set()
    async with parts(settings) as shared, anyio.create_task_group() as tasks:
        server = http_server(settings, shared.library, shared.models.handed, None)
        running = http_listener(application(settings, server), settings)
        tasks.start_soon(_end_on_signal, running)
        tasks.start_soon(load_once, at_once, shared.library)
        tasks.start_soon(keep_up_once, at_once, settings)
        sys.stderr.write(
            f"Ibid listens at {bound.url}. Callers are not known: they read public documents only.\n"
        )
        sys.stderr.flush()
        await running.serve([listener])
        tasks.cancel_scope.cancel()


async def _end_on_signal(running: HttpServer) -> None:
    await signalled()
    running.should_exit = True
