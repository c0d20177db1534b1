"""A container of Azure Blob Storage on 127.0.0.1: keeps what is put there, and admits whoever has the signature."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.patience import PATIENCE


@dataclass
class BlobContainer:
    """`rights` are those of the signature, as letters: r read, c create, w write."""

    rights: str = "rcw"
    signature: str = "sig=very-secret"
    address: str = ""
    held: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    refuses: bool = False
    """Whatever is asked of it."""
    requests: list[str] = field(default_factory=list)
    """Method and name."""

    @property
    def url(self) -> str:
        return f"{self.address}?{self.signature}"

    async def handle(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        self.requests.append(f"{request.method} {name}")
        body = await request.read()
        if self.refuses:
            return _error(400, "InvalidInput")
        if self.signature not in request.query_string:
            return _error(403, "AuthenticationFailed")
        if request.method == "HEAD":
            if "r" not in self.rights:
                return _error(403, "AuthorizationPermissionMismatch")
            return web.Response(status=200) if name in self.held else _error(404, "BlobNotFound")
        if "c" not in self.rights:
            return _error(403, "AuthorizationPermissionMismatch")
        assert request.headers["x-ms-blob-type"] == "BlockBlob"
        if name in self.held and request.headers.get("If-None-Match") == "*":
            return _error(409, "BlobAlreadyExists")
        self.held[name] = (body, request.headers.get("x-ms-blob-content-type", ""))
        return web.Response(
            status=201, headers={"ETag": '"1"', "Last-Modified": "Sun, 01 Mar 2026 10:00:00 GMT"}
        )


def _error(status: int, code: str) -> web.Response:
    text = (
        f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>internal</Message></Error>'
    )
    headers = {"x-ms-error-code": code, "Content-Type": "application/xml"}
    return web.Response(status=status, body=text.encode(), headers=headers)


@contextmanager
def blob_container() -> Iterator[BlobContainer]:
    """In a thread of its own."""
    container, ready, loop = BlobContainer(), threading.Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        app = web.Application()
        app.router.add_route("*", "/account/pictures/{name}", container.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        container.address = f"http://127.0.0.1:{runner.addresses[0][1]}/account/pictures"
        ready.set()
        await done.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE), "the container did not start"
    try:
        yield container
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(PATIENCE)
        loop.close()
