"""Change notices: tell subscribers that something they may read has changed, whichever process changed it.

The index is asked for its generation now and then, and not at all while nobody is subscribed. Only after a change is it
looked at what each subscriber sees, under their rights: of what somebody may not read they hear nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import structlog
from anyio.abc import TaskGroup

from corpus.access import Caller
from corpus.errors import IbidError
from server.sdk_gaps.subscriptions import Subscription, begin, news, view
from tools.protocol import LibraryOf

log = structlog.stdlib.get_logger("ibid")

SECONDS = 1.0
"""Seconds between two checks. Several changes in between cause one notification."""
MAX_SEND_SECONDS = 10.0
"""Seconds to send a notification; a client that does not read loses it."""
MAX_SUBSCRIPTIONS = 1_000
MAX_OF_ONE_CALLER = 50
"""Streams and sessions. Anonymous callers share the total."""


class Watch:
    """Watches the index for all clients of a process, while `run` runs."""

    def __init__(self, library: LibraryOf, seconds: float = SECONDS) -> None:
        self._library = library
        self._seconds = seconds
        self._interests: set[Subscription] = set()
        self._wanted = anyio.Event()
        self._running = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._generation: str | None = None

    def has_room(self, caller: Caller) -> bool:
        """Whether this caller may have another subscription."""
        own = 0 if caller.anonymous else sum(interest.caller == caller for interest in self._interests)
        return len(self._interests) < MAX_SUBSCRIPTIONS and own < MAX_OF_ONE_CALLER

    def holds(self, interest: Subscription) -> bool:
        """Whether the subscription is active."""
        return interest in self._interests

    async def add(self, interest: Subscription) -> None:
        """Add a subscription, or extend it to more URIs. It counts before the first await, so that concurrent requests
        see each other. Raises what the index raises, and then removes it."""
        is_known = self.holds(interest)
        self._interests.add(interest)
        try:
            sight = (await self._library()).visibility
            begin(interest, await view(sight, interest.caller, [interest]))
        except BaseException:
            if not is_known:
                self.drop(interest)
            raise
        self._generation = None  # what changed since this look is found by the next one
        self._wanted.set()

    def drop(self, interest: Subscription) -> None:
        """Remove a subscription."""
        self._interests.discard(interest)

    def close(self) -> None:
        """End every stream properly, at shutdown."""
        for interest in list(self._interests):
            interest.end()

    async def run(self) -> None:
        """Watch until cancelled. A second call waits for the first to end."""
        async with self._running, anyio.create_task_group() as self._tasks:
            while True:
                await self._wanted.wait()
                await anyio.sleep(self._seconds)
                await self._look()
                if not self._interests:
                    self._wanted = anyio.Event()

    def later(self, send: Callable[[], Awaitable[None]]) -> None:
        """Send in the background."""
        if self._tasks is not None:
            self._tasks.start_soon(_sent, send)

    async def _look(self) -> None:
        for interest in [one for one in self._interests if one.expired]:
            interest.end()
        try:
            await self._tell()
        except IbidError as error:  # tried again at the next look
            self._generation = None
            log.info("notices.not_looked", outcome=error.type)
        except Exception:
            log.exception("notices.failed")

    async def _tell(self) -> None:
        sight = (await self._library()).visibility
        generation = await sight.generation()
        if generation is None or generation == self._generation:
            return
        self._generation = generation
        count = 0
        for caller, interests in self._by_caller().items():
            now = await view(sight, caller, interests)
            for interest in interests:
                events = news(interest, now) if interest.caller == caller else []
                for event in events:
                    interest.tell(event)
                count += len(events)
        if count:
            log.info("notices.told", notices=count)

    def _by_caller(self) -> dict[Caller, list[Subscription]]:
        """Check for changes. Callers whose token has expired are skipped until it is renewed."""
        grouped: dict[Caller, list[Subscription]] = {}
        for interest in self._interests:
            if not interest.expired:
                grouped.setdefault(interest.caller, []).append(interest)
        return grouped


async def _sent(send: Callable[[], Awaitable[None]]) -> None:
    with anyio.move_on_after(MAX_SEND_SECONDS):
        try:
            await send()
        except Exception:
            log.exception("notices.not_sent")
