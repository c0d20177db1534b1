"""A service in its own thread, for servers in other processes and for commands with their own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar

from tests.patience import PATIENCE

T = TypeVar("T", bound=AbstractAsyncContextManager[Any])


@contextmanager
def in_thread(service: T) -> Iterator[T]:
    """Run the service."""
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with service:
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE), "the service did not start"
    try:
        yield service
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(PATIENCE)
        loop.close()
