"""uvicorn sets no time limit for slow clients. If one of these tests fails, `server/http/connections.py` and the
version pin can be removed."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import uvicorn

WAIT = 2.5
"""Seconds to wait: more than twice the only time limit of uvicorn."""


async def application(scope: object, receive: object, send: object) -> None:
    await asyncio.sleep(60)


BEGINNINGS = {
    "nothing": b"",
    "half a head": b"POST /mcp HTTP/1.1\r\nHost: x\r\n",
    "half a body": b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
}


def test_uvicorn_still_waits_forever_for_the_rest_of_a_request() -> None:
    async def holds(address: tuple[str, int], sent: bytes) -> bool:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(sent)
        try:
            await asyncio.wait_for(reader.read(1), WAIT)
        except TimeoutError:
            return True
        finally:
            writer.close()
        return False

    async def held() -> dict[str, bool]:
        config = uvicorn.Config(
            application,
            http="h11",
            lifespan="off",
            log_config=None,
            timeout_keep_alive=1,
            timeout_graceful_shutdown=0,
        )
        server = uvicorn.Server(config)
        listener = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve([listener]))
        answers = await asyncio.gather(*(holds(listener.getsockname(), sent) for sent in BEGINNINGS.values()))
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await serving
        return dict(zip(BEGINNINGS, answers, strict=True))

    assert asyncio.run(held()) == dict.fromkeys(BEGINNINGS, True)
