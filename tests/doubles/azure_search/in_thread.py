"""The stand-in in a thread of its own, for servers in other processes and for fixtures that live as long as a run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.doubles.azure_search.service import StandIn

PATIENCE = 30.0


@contextmanager
def standing_in(**how: Any) -> Iterator[StandIn]:
    """A running service; `how` is what `StandIn` takes."""
    service = StandIn(**how)
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with service:
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE), "the stand-in did not start"
    try:
        yield service
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(PATIENCE)
        loop.close()
