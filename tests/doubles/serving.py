"""Start of a service in the test process on a free port."""

from __future__ import annotations

import ssl

from aiohttp import web


async def served(app: web.Application, tls: ssl.SSLContext | None = None) -> tuple[web.AppRunner, int]:
    """Start the service. Return its runner, which `cleanup` ends, and its port on 127.0.0.1."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    return runner, runner.addresses[0][1]
