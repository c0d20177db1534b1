"""uvicorn, as this server runs it: no access log, no name of the software, an end that we decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

import uvicorn
from starlette.types import ASGIApp

from server.settings import Settings

HEADER_BYTES = 32 * 1024
"""The line and the headers of one request together."""
KEEP_ALIVE_SECONDS = 15


class HttpServer(uvicorn.Server):
    """Ends when `should_exit` is set. Signals are not its affair: uvicorn would end the process by the same signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def http_listener(application: ASGIApp, settings: Settings) -> HttpServer:
    return HttpServer(
        uvicorn.Config(
            application,
            http="h11",
            ws="none",
            lifespan="on",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=HEADER_BYTES,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=ceil(settings.http_close_seconds),
        )
    )
