"""uvicorn, as this server runs it: no access log, no name of the software, an end that we decide."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil

import uvicorn
from starlette.types import ASGIApp

from server.http.connection_shares import Shares
from server.http.connections import BoundedConnection, Bounds
from server.settings import Settings

KEEP_ALIVE_SECONDS = 15
LAST_RESORT_SECONDS = 5
"""After the time for calls is up, uvicorn ends what is left."""


class HttpServer(uvicorn.Server):
    """Ends when `should_exit` is set. Signals are not its affair: uvicorn would end the process by the same signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def http_listener(application: ASGIApp, settings: Settings, bounds: Bounds) -> HttpServer:
    # What strangers send is no news, and each would write a line.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    return HttpServer(
        uvicorn.Config(
            application,
            http=partial(BoundedConnection, bounds=bounds, shares=Shares(bounds.connections)),  # type: ignore[arg-type]
            ws="none",
            lifespan="on",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=ceil(settings.http_close_seconds) + LAST_RESORT_SECONDS,
        )
    )
